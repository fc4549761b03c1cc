// A call tree as the payload of a THRD section. Iterative: a tree may be as deep as the stack of the thread that made it.
using System;
using System.Threading;

namespace Instrumenter
{
    internal sealed class TreeWriter
    {
        /// <summary>In place of a node's time: the node is left out.</summary>
        private const long NotWritten = -1;

        /// <summary>How often a node is read, at most, when its thread goes in or out meanwhile.</summary>
        private const int MostAttempts = 100;

        /// <summary>What a node has at one moment: its time is that of its closed calls, and of one that is open.</summary>
        private struct NodeReading
        {
            internal long Calls, Ticks, Resynchronised;
            internal int Open;
        }

        private readonly ByteWriter output;
        private readonly TreeView tree;
        private readonly Node[] nodes;
        private readonly OpenFrames open;
        private readonly ThreadSection[] sections;

        // Null: no clock ticks, nodes have their whole times.
        private readonly TickedTimes ticked;
        private int[] pending = new int[256];
        private int[] depths = new int[256];
        private int count;
        private int nodeCount;

        /// <summary>
        /// So many nodes are there; <paramref name="open"/> is null for a tree without open frames. The sections after the tree get each node.
        /// </summary>
        internal TreeWriter(ByteWriter output, TreeView tree, int nodeCount, OpenFrames open, ThreadSection[] sections)
        {
            this.output = output;
            this.tree = tree;
            nodes = tree.Nodes;
            this.open = open;
            this.sections = sections;
            if (Clock.Kind == Clock.Ticking)
                ticked = new TickedTimes(tree, nodeCount, open);
        }

        /// <summary>Writes all nodes; returns how many there were.</summary>
        internal int Write()
        {
            bool hasFolded = nodes[NodeTree.FoldedRoot].FirstChild != NodeTree.None;
            int newest = nodes[NodeTree.Root].FirstChild;
            NodeReading[] oldest = Read(newest, false);
            int counted;
            long[] counts = tree.Counts(out counted);
            Note(NodeTree.Root);
            WriteNode(NodeTree.Root, Push(newest, 1, oldest) + counted + (hasFolded ? 1 : 0), 0, Sum(oldest), FoldedTicks(NodeTree.Root, 0), 0, 0);
            int next = 0;
            while (count > 0)
            {
                count--;
                int node = pending[count];
                int depth = depths[count];
                // The root's time is the sum of its children's: theirs must not be read twice.
                while (depth == 1 && oldest[next].Ticks == NotWritten)
                    next++;
                // Before the node is read, whose calls then are no less than those that the sections know the ends of.
                Note(node);
                NodeReading shown = depth == 1 ? oldest[next++] : Read(node, depth);
                WriteNode(node, Push(nodes[node].FirstChild, depth + 1, null), shown.Calls, shown.Ticks, FoldedTicks(node, depth), shown.Resynchronised, shown.Open);
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
            NodeReading[] oldest = Read(newest, true);
            Note(NodeTree.FoldedRoot);
            WriteNode(NodeTree.FoldedRoot, Push(newest, 1, oldest), 0, Sum(oldest), 0, 0, 0);
            for (int i = 0; count > 0; i++)
            {
                while (oldest[i].Ticks == NotWritten)
                    i++;
                Note(pending[--count]);
                WriteNode(pending[count], 0, oldest[i].Calls, oldest[i].Ticks, 0, oldest[i].Resynchronised, oldest[i].Open);
            }
        }

        /// <summary>
        /// The thread goes on meanwhile. An enter counts the call before the frame is on the stack, a leave adds the time before the
        /// frame is off it. So all is read again until no call has come in between, and what still does not agree shows where the
        /// thread stands: a call whose time is missing has just begun, one whose time is there already has ended.
        /// </summary>
        private NodeReading Read(int node, int depth)
        {
            NodeReading read = new NodeReading();
            bool was = open != null && open.Contains(node, depth), isOpen = was;
            if (ticked != null)
            {
                read.Open = was ? 1 : 0;
                read.Resynchronised = tree.HasExtras ? tree.Resynchronised(node) : 0;
                read.Calls = tree.Calls(node);
                read.Ticks = ticked.Of(node);
                long atLeast = Calls(node, read.Calls, read.Resynchronised, read.Open);
                // One that has ended since is among the closed ones.
                if (was && (read.Calls == 0 || open.IsStill(depth, nodes)))
                    read.Calls = atLeast;
                return read;
            }
            for (int attempt = 0; attempt < MostAttempts; attempt++)
            {
                read.Calls = tree.Calls(node);
                Thread.MemoryBarrier();
                read.Ticks = Counter.Read(ref nodes[node].Ticks);
                read.Resynchronised = tree.HasExtras ? tree.Resynchronised(node) : 0;
                if (open == null)
                    break;
                bool before = isOpen;
                isOpen = was && open.IsStill(depth, nodes);
                Thread.MemoryBarrier();
                if (isOpen == before && read.Calls == tree.Calls(node) && read.Ticks == Counter.Read(ref nodes[node].Ticks))
                    break;
            }
            long shortest = Counter.Read(ref nodes[node].Min);
            if (isOpen && read.Resynchronised == 0 && HasTimeOf(node, read, shortest))
                isOpen = false;
            // It stays open, as in the sections after the tree, which show the same frames.
            if (was)
                read.Open = 1;
            if (isOpen || (was && read.Calls == 0))
            {
                read.Calls = Calls(node, read.Calls, read.Resynchronised, 1);
                read.Ticks += open.Ticks(depth);
            }
            else if (!was && open != null && read.Calls > 0 && read.Resynchronised == 0 && (shortest == long.MaxValue || read.Ticks / read.Calls < shortest))
                read.Open = 1;
            return read;
        }

        /// <summary>Is the time of a node more than all of its calls but one can have, at most?</summary>
        private bool HasTimeOf(int node, NodeReading read, long shortest)
        {
            if (read.Calls <= 1)
                return read.Ticks > 0;
            long longest = tree.Longest(node);
            return longest >= shortest && (read.Ticks - 1) / (read.Calls - 1) >= longest;
        }

        /// <summary>
        /// A frame that was open when the stack was copied may have been taken back since: it counts
        /// all the same, beside those of the same node that have closed.
        /// </summary>
        private long Calls(int node, long calls, long resynchronised, int openCount)
        {
            long closed = Math.Max(resynchronised + tree.LeftByException(node), Counter.Read(ref nodes[node].Min) == long.MaxValue ? 0 : 1);
            return Math.Max(calls, openCount == 0 ? 0 : closed + openCount);
        }

        /// <summary>Were all of the node's calls taken back? Then those of its callees were, too. A folded slice's node has what is below it.</summary>
        private bool IsTakenBack(int node, int depth)
        {
            return tree.Calls(node) == 0 && tree.Below(node) == null && (open == null || !open.Contains(node, depth));
        }

        private long FoldedTicks(int node, int depth)
        {
            if (ticked != null)
                return ticked.FoldedOf(node);
            long ticks = tree.HasExtras ? tree.FoldedTicks(node) : 0;
            if (open != null && open.CallsFolded(node, depth))
                ticks += open.FoldedTicks;
            return ticks;
        }

        /// <summary>The figures of each node of a list, in the order in which they will be written: oldest first.</summary>
        private NodeReading[] Read(int newest, bool folded)
        {
            int length = 0;
            for (int node = newest; node != NodeTree.None; node = nodes[node].Sibling)
                length++;
            NodeReading[] all = new NodeReading[length];
            for (int node = newest; node != NodeTree.None; node = nodes[node].Sibling)
            {
                length--;
                if (folded)
                    all[length] = ReadFolded(node);
                else if (IsTakenBack(node, 1))
                    all[length].Ticks = NotWritten;
                else
                    all[length] = Read(node, 1);
            }
            return all;
        }

        private NodeReading ReadFolded(int node)
        {
            NodeReading read = new NodeReading();
            long openTicks = 0;
            read.Open = open == null ? 0 : open.FoldedCount(node, out openTicks);
            long calls = tree.Calls(node);
            read.Resynchronised = tree.Resynchronised(node);
            read.Calls = Calls(node, calls, read.Resynchronised, read.Open);
            read.Ticks = read.Open == 0 && calls == 0 ? NotWritten
                         : ticked != null ? ticked.Of(node) : Counter.Read(ref nodes[node].Ticks) + openTicks;
            return read;
        }

        private static long Sum(NodeReading[] all)
        {
            long sum = 0;
            foreach (NodeReading one in all)
                sum += one.Ticks == NotWritten ? 0 : one.Ticks;
            return sum;
        }

        /// <summary>
        /// Puts a list of siblings on the stack, the oldest on top; returns their number. Not those whose calls were all taken back,
        /// which their times say, where those have been read.
        /// </summary>
        private int Push(int newest, int depth, NodeReading[] read)
        {
            int pushed = 0, left = read == null ? 0 : read.Length;
            for (int node = newest; node != NodeTree.None; node = nodes[node].Sibling)
            {
                left--;
                if (read == null ? IsTakenBack(node, depth) : read[left].Ticks == NotWritten)
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

        private void Note(int node)
        {
            foreach (ThreadSection section in sections)
                section.Note(tree, node, nodeCount, open);
        }

        private void WriteNode(int node, int children, long calls, long ticks, long foldedTicks, long resynchronised, int openCount)
        {
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
