// One method at one place of a thread's call tree.
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Written by its own thread only, read by any. Readers use <see cref="FirstChild"/> and <see cref="Sibling"/>: a list
    /// that only grows, at its head, by nodes that are whole before they are seen. The slots are the owner's alone.
    /// </summary>
    internal class Node
    {
        /// <summary>Ids of the nodes that stand for no method.</summary>
        internal const int RootId = 0, FoldedRootId = 1;

        /// <summary>How many callers are looked at to find the same method again: a cycle longer than that is not seen as recursion.</summary>
        private const int RecursionWindow = 64;

        private const int MostSlotsPerChild = 8;

        internal readonly int Id;

        /// <summary>Enters counted.</summary>
        internal long Calls;

        /// <summary>Time of closed frames, with that of the callees; own time only under the root of the folded calls.</summary>
        internal long Ticks;

        /// <summary>The shortest and the longest inclusive time of a closed frame; as long as there is none, the least of no time at all.</summary>
        internal long Min = long.MaxValue, Max;

        /// <summary>The part of it that was spent in callees that were folded away.</summary>
        internal long FoldedTicks;

        /// <summary>Frames that were closed because an outer one left first.</summary>
        internal long Resynchronised;

        /// <summary>Frames that were closed because an exception had left them.</summary>
        internal long LeftByException;

        /// <summary>The newest child; its <see cref="Sibling"/> is the next older one.</summary>
        internal volatile Node FirstChild;

        internal readonly Node Parent;
        internal Node Sibling;

        /// <summary>A hash table of the children: its length is a power of two, entries of one slot hang together by <see cref="Chain"/>.</summary>
        internal Node[] Slots;

        internal Node Chain;

        /// <summary>Of a thread that has ended: the node that this one was added to. Nobody looks for its siblings any more.</summary>
        internal Node Successor
        {
            get { return Chain; }
            set { Chain = value; }
        }

        private int childCount;

        /// <summary>How many callers of this node, as far as they were looked at, are the same method.</summary>
        internal readonly int Recursion;

        /// <summary>Is it a scope that the program measures, and no method? Known to its own thread only.</summary>
        internal bool IsScope;

        internal Node(int id, Node parent, int recursion)
        {
            Id = id;
            Parent = parent;
            Recursion = recursion;
            Slots = EmptySlots();
        }

        /// <summary>
        /// Takes the time of a frame that lies outside of what the others took, which it returns: a clock that was set back
        /// gives none. Readers ask for <see cref="Min"/> first, so they never see one that is above <see cref="Max"/>.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal long Widen(long elapsed)
        {
            if (elapsed < 0)
                elapsed = 0;
            WatchedNode watched = this as WatchedNode;
            if (watched != null)
            {
                if (elapsed > watched.Longest)
                    Counter.Set(ref watched.Longest, elapsed);
                Schedule.WhenClosing(ThreadTree.Current);
            }
            else if (elapsed > Max)
                Counter.Set(ref Max, elapsed);
            if (elapsed < Min)
            {
                Thread.MemoryBarrier();
                Counter.Set(ref Min, elapsed);
            }
            return elapsed;
        }

        /// <summary>The longest inclusive time of a closed frame, for readers.</summary>
        internal long ReadMax()
        {
            WatchedNode watched = this as WatchedNode;
            return watched != null ? Counter.Read(ref watched.Longest) : Counter.Read(ref Max);
        }

        /// <summary>Makes it as if it were new.</summary>
        internal void Clear()
        {
            FirstChild = null;
            Slots = EmptySlots();
            childCount = 0;
            Calls = Ticks = Max = FoldedTicks = Resynchronised = LeftByException = 0;
            Min = long.MaxValue;
        }

        private static Node[] emptySlots;

        /// <summary>One empty slot that all nodes without children share; never written to.</summary>
        private static Node[] EmptySlots()
        {
            Node[] slots = emptySlots;
            if (slots == null)
                emptySlots = slots = new Node[1];
            return slots;
        }

        /// <summary>The <see cref="Recursion"/> that a child with this id would have.</summary>
        internal int RecursionOfChild(int id)
        {
            Node node = this;
            for (int i = 0; i < RecursionWindow && node != null; i++, node = node.Parent)
                if (node.Id == id)
                    return node.Recursion + 1;
            return 0;
        }

        internal Node Find(int id)
        {
            Node node = Slots[id & (Slots.Length - 1)];
            while (node != null && node.Id != id)
                node = node.Chain;
            return node;
        }

        /// <summary>Makes the child <paramref name="id"/>, which must not exist, and publishes it.</summary>
        internal Node Add(int id, int recursion)
        {
            return Add(new Node(id, this, recursion));
        }

        /// <summary>The same for one whose frames are watched.</summary>
        internal Node AddWatched(int id, int recursion)
        {
            return Add(new WatchedNode(id, this, recursion));
        }

        private Node Add(Node child)
        {
            child.Sibling = FirstChild;
            childCount++;
            if (childCount == 1 || (Slots[child.Id & (Slots.Length - 1)] != null && Slots.Length < MostSlotsPerChild * childCount))
                GrowSlots(child);
            else
                Link(Slots, child);
            FirstChild = child;
            return child;
        }

        /// <summary>Until each child has a slot for itself, or they would be too many: a chain of two is a branch that is guessed wrong.</summary>
        private void GrowSlots(Node newest)
        {
            Node[] slots;
            int size = Slots.Length < 4 ? 4 : Slots.Length * 2;
            while (!Fill(slots = new Node[size], newest) && size < MostSlotsPerChild * childCount)
                size *= 2;
            Slots = slots;
        }

        /// <summary>Puts a list of siblings into empty slots. Has each one for itself?</summary>
        private static bool Fill(Node[] slots, Node newest)
        {
            bool alone = true;
            for (Node node = newest; node != null; node = node.Sibling)
            {
                alone &= slots[node.Id & (slots.Length - 1)] == null;
                Link(slots, node);
            }
            return alone;
        }

        private static void Link(Node[] slots, Node node)
        {
            int slot = node.Id & (slots.Length - 1);
            node.Chain = slots[slot];
            slots[slot] = node;
        }
    }
}
