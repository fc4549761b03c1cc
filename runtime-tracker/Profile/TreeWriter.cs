// A call tree as the payload of a THRD section. Iterative: a tree may be as deep as the stack of the thread that made it.
using System;

namespace Instrumenter
{
    internal sealed class TreeWriter
    {
        /// <summary>In a list of times: the node is left out.</summary>
        private const long NotWritten = -1;

        private readonly ByteWriter output;
        private readonly TreeView tree;
        private readonly Node[] nodes;
        private readonly OpenFrames open;
        private readonly SpanSection spans;
        private readonly WaitSection waits;
        private readonly FigureSections figures;
        private readonly EventSection events;
        private readonly ExceptionSection exceptions;
        private readonly SliceSection slices;
        private int[] pending = new int[256];
        private int[] depths = new int[256];
        private int count;
        private int nodeCount;

        /// <summary>
        /// <paramref name="open"/> is null for a tree without open frames. The sections behind the tree are told of each node;
        /// any of them is null for a tree without.
        /// </summary>
        internal TreeWriter(ByteWriter output, TreeView tree, OpenFrames open, SpanSection spans, WaitSection waits, FigureSections figures,
                            EventSection events, ExceptionSection exceptions, SliceSection slices)
        {
            this.output = output;
            this.tree = tree;
            nodes = tree.Nodes;
            this.open = open;
            this.spans = spans;
            this.waits = waits;
            this.figures = figures;
            this.events = events;
            this.exceptions = exceptions;
            this.slices = slices;
        }

        /// <summary>Writes all nodes; returns how many there were.</summary>
        internal int Write()
        {
            bool hasFolded = nodes[NodeTree.FoldedRoot].FirstChild != NodeTree.None;
            int newest = nodes[NodeTree.Root].FirstChild;
            long[] ticks = Sums(newest, false);
            int counted;
            long[] counts = tree.Counts(out counted);
            WriteNode(NodeTree.Root, Push(newest, 1, ticks) + counted + (hasFolded ? 1 : 0), 0, Sum(ticks), FoldedTicks(NodeTree.Root, 0), 0, 0);
            int next = 0;
            while (count > 0)
            {
                count--;
                int node = pending[count];
                int depth = depths[count];
                // The root's time is the sum of its children's: theirs must not be read twice.
                while (depth == 1 && ticks[next] == NotWritten)
                    next++;
                long time = depth == 1 ? ticks[next++] : Ticks(node, depth);
                bool isOpen = open != null && open.Contains(node, depth);
                long resynchronised = tree.HasExtras ? tree.Resynchronised(node) : 0;
                long calls = Calls(node, resynchronised, isOpen ? 1 : 0);
                WriteNode(node, Push(nodes[node].FirstChild, depth + 1, null), calls, time, FoldedTicks(node, depth), resynchronised, isOpen ? 1 : 0);
            }
            WriteCounted(counts);
            if (hasFolded)
                WriteFolded();
            return nodeCount;
        }

        /// <summary>Nodes below the root for methods whose calls are only counted, in the order of their ids.</summary>
        private void WriteCounted(long[] counts)
        {
            for (int i = 0; i < counts.Length; i++)
            {
                if (counts[i] == 0)
                    continue;
                nodeCount++;
                output.VarUInt(0);
                output.VarUInt(Registry.FirstId + i);
                output.VarUInt(counts[i]);
                for (int rest = 0; rest < 4; rest++)
                    output.VarUInt(0);
            }
        }

        private void WriteFolded()
        {
            int newest = nodes[NodeTree.FoldedRoot].FirstChild;
            long[] ticks = Sums(newest, true);
            WriteNode(NodeTree.FoldedRoot, Push(newest, 1, ticks), 0, Sum(ticks), 0, 0, 0);
            for (int i = 0; count > 0; i++)
            {
                while (ticks[i] == NotWritten)
                    i++;
                int node = pending[--count];
                long openTicks;
                int openCount = open == null ? 0 : open.FoldedCount(node, out openTicks);
                long resynchronised = tree.Resynchronised(node);
                WriteNode(node, 0, Calls(node, resynchronised, openCount), ticks[i], 0, resynchronised, openCount);
            }
        }

        /// <summary>
        /// A frame that was open when the stack was copied may have been taken back since: it counts
        /// all the same, beside those of the same node that have closed.
        /// </summary>
        private long Calls(int node, long resynchronised, int openCount)
        {
            long closed = Math.Max(resynchronised + tree.LeftByException(node), Counter.Read(ref nodes[node].Min) == long.MaxValue ? 0 : 1);
            return Math.Max(tree.Calls(node), openCount == 0 ? 0 : closed + openCount);
        }

        /// <summary>Were all of the node's calls taken back? Then those of its callees were, too.</summary>
        private bool IsTakenBack(int node, int depth)
        {
            return tree.Calls(node) == 0 && (open == null || !open.Contains(node, depth));
        }

        private long Ticks(int node, int depth)
        {
            long ticks = Counter.Read(ref nodes[node].Ticks);
            if (open != null && open.Contains(node, depth))
                ticks += open.Ticks(depth);
            return ticks;
        }

        private long FoldedTicks(int node, int depth)
        {
            long ticks = tree.HasExtras ? tree.FoldedTicks(node) : 0;
            if (open != null && open.CallsFolded(node, depth))
                ticks += open.FoldedTicks;
            return ticks;
        }

        /// <summary>The time of each node of a list, in the order in which they will be written: oldest first.</summary>
        private long[] Sums(int newest, bool folded)
        {
            int length = 0;
            for (int node = newest; node != NodeTree.None; node = nodes[node].Sibling)
                length++;
            long[] sums = new long[length];
            for (int node = newest; node != NodeTree.None; node = nodes[node].Sibling)
            {
                long openTicks = 0;
                int openCount = folded && open != null ? open.FoldedCount(node, out openTicks) : 0;
                bool isTakenBack = folded ? openCount == 0 && tree.Calls(node) == 0 : IsTakenBack(node, 1);
                sums[--length] = isTakenBack ? NotWritten : folded ? Counter.Read(ref nodes[node].Ticks) + openTicks : Ticks(node, 1);
            }
            return sums;
        }

        private static long Sum(long[] values)
        {
            long sum = 0;
            foreach (long value in values)
                sum += value == NotWritten ? 0 : value;
            return sum;
        }

        /// <summary>
        /// Puts a list of siblings on the stack, the oldest on top; returns their number. Not those whose calls were all taken back,
        /// which their times say, where those have been read.
        /// </summary>
        private int Push(int newest, int depth, long[] times)
        {
            int pushed = 0, left = times == null ? 0 : times.Length;
            for (int node = newest; node != NodeTree.None; node = nodes[node].Sibling)
            {
                left--;
                if (times == null ? IsTakenBack(node, depth) : times[left] == NotWritten)
                    continue;
                pushed++;
                if (count == pending.Length)
                {
                    Array.Resize(ref pending, count * 2);
                    Array.Resize(ref depths, count * 2);
                }
                pending[count] = node;
                depths[count++] = depth;
            }
            return pushed;
        }

        private void WriteNode(int node, int children, long calls, long ticks, long foldedTicks, long resynchronised, int openCount)
        {
            if (spans != null)
                spans.Note(tree, node, nodeCount);
            if (waits != null)
                waits.Note(tree, node, nodeCount, open);
            if (figures != null)
                figures.Note(tree, node, nodeCount, open);
            if (events != null)
                events.Note(node, nodeCount);
            if (exceptions != null)
                exceptions.Note(tree, node, nodeCount);
            if (slices != null)
                slices.Note(tree, node, nodeCount);
            nodeCount++;
            output.VarUInt(children);
            output.VarUInt(nodes[node].Id);
            output.VarUInt(calls);
            output.VarUInt(ticks);
            output.VarUInt(foldedTicks);
            output.VarUInt(resynchronised);
            output.VarUInt(openCount);
        }
    }
}
