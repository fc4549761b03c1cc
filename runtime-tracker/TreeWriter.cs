// A call tree as the payload of a THRD section. Iterative: a tree may be as deep as the stack of the thread that made it.
using System;

namespace Instrumenter
{
    internal sealed class TreeWriter
    {
        private readonly ByteWriter output;
        private readonly OpenFrames open;
        private readonly SpanSection spans;
        private readonly EventSection events;
        private readonly ExceptionSection exceptions;
        private Node[] pending = new Node[256];
        private int[] depths = new int[256];
        private int count;
        private int nodeCount;

        /// <summary>
        /// <paramref name="open"/> is null for a tree without open frames. The sections behind the tree are told of each node;
        /// <paramref name="events"/> and <paramref name="exceptions"/> are null for a tree without.
        /// </summary>
        internal TreeWriter(ByteWriter output, OpenFrames open, SpanSection spans, EventSection events, ExceptionSection exceptions)
        {
            this.output = output;
            this.open = open;
            this.spans = spans;
            this.events = events;
            this.exceptions = exceptions;
        }

        /// <summary>Writes all nodes; returns how many there were.</summary>
        internal int Write(Node root, Node foldedRoot)
        {
            bool hasFolded = foldedRoot.FirstChild != null;
            Node newest = root.FirstChild;
            long[] ticks = Sums(newest, false);
            WriteNode(root, Push(newest, 1) + (hasFolded ? 1 : 0), 0, Sum(ticks), FoldedTicks(root, 0), 0, 0);
            int next = 0;
            while (count > 0)
            {
                count--;
                Node node = pending[count];
                int depth = depths[count];
                // The root's time is the sum of its children's: theirs must not be read twice.
                long time = depth == 1 ? ticks[next++] : Ticks(node, depth);
                bool isOpen = open != null && open.Contains(node, depth);
                long calls = Counter.Read(ref node.Calls), resynchronised = Counter.Read(ref node.Resynchronised);
                WriteNode(node, Push(node.FirstChild, depth + 1), calls, time, FoldedTicks(node, depth), resynchronised, isOpen ? 1 : 0);
            }
            if (hasFolded)
                WriteFolded(foldedRoot);
            return nodeCount;
        }

        private void WriteFolded(Node foldedRoot)
        {
            Node newest = foldedRoot.FirstChild;
            long[] ticks = Sums(newest, true);
            WriteNode(foldedRoot, Push(newest, 1), 0, Sum(ticks), 0, 0, 0);
            for (int i = 0; count > 0; i++)
            {
                Node node = pending[--count];
                long openTicks;
                int openCount = open == null ? 0 : open.FoldedCount(node, out openTicks);
                WriteNode(node, 0, Counter.Read(ref node.Calls), ticks[i], 0, Counter.Read(ref node.Resynchronised), openCount);
            }
        }

        private long Ticks(Node node, int depth)
        {
            long ticks = Counter.Read(ref node.Ticks);
            if (open != null && open.Contains(node, depth))
                ticks += open.Ticks(depth);
            return ticks;
        }

        private long FoldedTicks(Node node, int depth)
        {
            long ticks = Counter.Read(ref node.FoldedTicks);
            if (open != null && open.CallsFolded(node, depth))
                ticks += open.FoldedTicks;
            return ticks;
        }

        /// <summary>The time of each node of a list, in the order in which they will be written: oldest first.</summary>
        private long[] Sums(Node newest, bool folded)
        {
            int length = 0;
            for (Node node = newest; node != null; node = node.Sibling)
                length++;
            long[] sums = new long[length];
            for (Node node = newest; node != null; node = node.Sibling)
            {
                long openTicks = 0;
                if (folded && open != null)
                    open.FoldedCount(node, out openTicks);
                sums[--length] = folded ? Counter.Read(ref node.Ticks) + openTicks : Ticks(node, 1);
            }
            return sums;
        }

        private static long Sum(long[] values)
        {
            long sum = 0;
            foreach (long value in values)
                sum += value;
            return sum;
        }

        /// <summary>Puts a list of siblings on the stack, the oldest on top; returns their number.</summary>
        private int Push(Node newest, int depth)
        {
            int pushed = 0;
            for (Node node = newest; node != null; node = node.Sibling, pushed++)
            {
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

        private void WriteNode(Node node, int children, long calls, long ticks, long foldedTicks, long resynchronised, int openCount)
        {
            spans.Note(node, nodeCount);
            if (events != null)
                events.Note(node, nodeCount);
            if (exceptions != null)
                exceptions.Note(node, nodeCount);
            nodeCount++;
            output.VarUInt(children);
            output.VarUInt(node.Id);
            output.VarUInt(calls);
            output.VarUInt(ticks);
            output.VarUInt(foldedTicks);
            output.VarUInt(resynchronised);
            output.VarUInt(openCount);
        }
    }
}
