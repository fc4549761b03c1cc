// What one thread has recorded: its call tree, and the stack of the frames that are open.
using System;
using System.Threading;

namespace Instrumenter
{
    internal struct Frame
    {
        internal Node Node;
        internal long Start;
    }

    /// <summary>Written by its own thread; others read counters, the child lists, <see cref="Depth"/> and the frames below it.</summary>
    internal sealed class ThreadTree
    {
        /// <summary>Bits of <see cref="State"/>: the thread is inside the tracker; the frame on top is a folded one.</summary>
        internal const int Busy = 1, Folding = 2;

        private const int NotFolding = int.MaxValue;

        [ThreadStatic]
        internal static ThreadTree Current;

        internal readonly Thread Thread;
        internal readonly Node Root = new Node(Node.RootId, null, 0);

        /// <summary>One child per method that was folded, own time only.</summary>
        internal readonly Node FoldedRoot = new Node(Node.FoldedRootId, null, 0);

        /// <summary>Frame 0 is the root's. Replaced when it grows; what a reader has got stays as it was.</summary>
        internal Frame[] Frames = new Frame[64];

        /// <summary>The index of the top frame. Stored after the frame itself.</summary>
        internal volatile int Depth;

        internal int State;

        /// <summary>The index of the lowest folded frame: all above are folded too.</summary>
        internal volatile int FoldedFrom = NotFolding;

        /// <summary>Per folded frame: time of its closed callees.</summary>
        internal long[] CalleeTicks;

        internal long FoldedCalls;
        internal long DroppedCalls;

        /// <summary>Nodes that count towards the budget.</summary>
        internal int NodeCount;

        internal ThreadTree(Thread thread)
        {
            Thread = thread;
            Frames[0].Node = Root;
        }

        /// <summary>The way in when the thread is new, the path is new, the stack is full, or calls are being folded.</summary>
        internal static int EnterSlowly(int id)
        {
            ThreadTree tree = Current;
            if (tree != null)
            {
                if ((tree.State & Busy) != 0)
                    return 0;
                if (id < Registry.FirstId)
                {
                    tree.DroppedCalls++;
                    return 0;
                }
            }
            if (id < Registry.FirstId || !Guard.Enter())
                return 0;
            try
            {
                if (tree == null)
                {
                    tree = Registry.AddThread();
                    Current = tree;
                    tree.State |= Busy;
                }
                return tree.Push(id);
            }
            catch (Exception)
            {
                // Out of memory: the call is not recorded. (An abort of the thread goes on by itself.)
                if (tree != null)
                    tree.DroppedCalls++;
                return 0;
            }
            finally
            {
                Guard.Leave();
            }
        }

        private int Push(int id)
        {
            int depth = Depth + 1;
            if (depth >= Frames.Length)
            {
                Frame[] larger = new Frame[Frames.Length * 2];
                Array.Copy(Frames, larger, Frames.Length);
                Frames = larger;
            }
            Node node;
            if (FoldedFrom != NotFolding)
                node = FoldedNode(id, depth);
            else
            {
                Node caller = Frames[depth - 1].Node;
                node = caller.Find(id);
                if (node == null)
                    node = NewNode(caller, id);
                if (node == null)
                {
                    node = FoldedNode(id, depth);
                    FoldedFrom = depth;
                    State |= Folding;
                }
            }
            Counter.Add(ref node.Calls, 1);
            Frames[depth].Node = node;
            Counter.Set(ref Frames[depth].Start, Clock.Now());
            Depth = depth;
            return depth;
        }

        /// <summary>Null when the calls have to be folded: the budget is used up, or the recursion too deep.</summary>
        private Node NewNode(Node caller, int id)
        {
            int recursion = caller.RecursionOfChild(id);
            if (recursion >= Settings.RecursionLimit || !Registry.TakeNode())
                return null;
            NodeCount++;
            return caller.Add(id, recursion);
        }

        private Node FoldedNode(int id, int depth)
        {
            Node node = FoldedRoot.Find(id);
            if (node == null)
                node = FoldedRoot.Add(id, 0);
            long[] ticks = CalleeTicks;
            if (ticks == null || ticks.Length < Frames.Length)
            {
                long[] larger = new long[Frames.Length];
                if (ticks != null)
                    Array.Copy(ticks, larger, ticks.Length);
                CalleeTicks = ticks = larger;
            }
            Counter.Set(ref ticks[depth], 0);
            FoldedCalls++;
            return node;
        }

        /// <summary>The way out when frames above are still open, calls are being folded, or the runtime is a 32-bit one.</summary>
        internal void LeaveSlowly(int token, long now)
        {
            if (token > Depth)
                return;
            while (Depth > token)
                Close(now, true);
            Close(now, false);
        }

        /// <summary>Closes the top frame.</summary>
        internal void Close(long now, bool resynchronised)
        {
            int depth = Depth;
            Node node = Frames[depth].Node;
            long elapsed = now - Frames[depth].Start;
            if (elapsed < 0)
                elapsed = 0;
            if (depth < FoldedFrom)
                Counter.Add(ref node.Ticks, elapsed);
            else
            {
                long own = elapsed - CalleeTicks[depth];
                if (own > 0)
                    Counter.Add(ref node.Ticks, own);
                if (depth == FoldedFrom)
                {
                    Counter.Add(ref Frames[depth - 1].Node.FoldedTicks, elapsed);
                    FoldedFrom = NotFolding;
                    State &= ~Folding;
                }
                else
                    Counter.Add(ref CalleeTicks[depth - 1], elapsed);
            }
            if (resynchronised)
                Counter.Add(ref node.Resynchronised, 1);
            Depth = depth - 1;
        }
    }
}
