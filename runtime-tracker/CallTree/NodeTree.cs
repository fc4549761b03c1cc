// The nodes of a call tree.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// All nodes in one array, which is replaced by a larger one when it is full: whoever reads keeps the one he has got, which then stands
    /// still. Written by one thread only; others read through a <see cref="TreeView"/>.
    /// </summary>
    internal partial class NodeTree
    {
        /// <summary>No node; where calls stand that nobody recorded called; below which each method that was folded has a node, with own time only.</summary>
        internal const int None = 0, Root = 1, FoldedRoot = 2;

        /// <summary>
        /// Children with the same last bits of their ids share one of that many slots of their caller. As many are what most nodes
        /// have enough of; more cost each node room.
        /// </summary>
        internal const int SlotsPerNode = 8;

        /// <summary>The id of the node <see cref="None"/>, which is no method's.</summary>
        private const int NoId = int.MinValue;

        private const int LeastNodes = 8, LeastListed = 32, LeastExtras = 4;

        /// <summary>That part of the room is kept for methods whose calls are folded when there is no more to be had.</summary>
        private const int ShareOfFolded = 64;

        /// <summary>How many callers are looked at to find the same method again: a cycle longer than that is not seen as recursion.</summary>
        private const int RecursionWindow = 64;

        internal Node[] Nodes;

        /// <summary>For each node those of its children that were found there last, by the last bits of their ids.</summary>
        internal int[] Slots;

        /// <summary>
        /// Calls that are only counted, by id less <see cref="Registry.FirstId"/>; as long as it had to be.
        /// Replaced when it grows.
        /// </summary>
        internal long[] Counts;

        protected readonly long[] noCounts = new long[0];

        /// <summary>
        /// For each node the part of its own time in which the thread was blocked; empty where that is not known. Beside the nodes:
        /// a thread that was blocked allocates nothing for it.
        /// </summary>
        internal long[] Blocked;

        /// <summary>For each node the time between ticks that came while its own code ran; empty while no clock ticks.</summary>
        internal long[] Credits;

        /// <summary>For each node the time between ticks that came while probes ran in its frames; as long.</summary>
        internal long[] Probed;

        /// <summary>For each node what was allocated in its own code, in bytes; empty where that is not counted.</summary>
        internal long[] Bytes;

        /// <summary>For each node the objects that its own code has allocated; empty until one has to be counted. Where <see cref="Sites"/> is not
        /// empty, each node has its element: the probe for objects does not ask.</summary>
        internal long[] Objects;

        /// <summary>The objects of each place that allocates some, by its number less <see cref="AllocationSites.First"/>; as long as it had to be.</summary>
        internal long[] Sites;

        /// <summary>Rarer figures; nothing is at 0. Null: no node has any.</summary>
        internal volatile NodeExtra[] Extras;

        /// <summary>Folded calls; nothing is at 0. Null: there are none.</summary>
        internal volatile NodeFold[] Folds;

        // Children that share a slot with others, by caller and id. Null: there are none.
        private int[] table;

        // Null: no node has a place.
        private PlacedNodes placed;

        private int count, listed, extraCount, foldCount, belowCount;
        private bool cannotGrow;

        /// <summary>How many calls it has, or <paramref name="most"/> where these are more, or not all in nodes. For any thread.</summary>
        internal long CallsUpTo(long most)
        {
            Node[] nodes = Nodes;
            long sum = Folds != null || Counts.Length != 0 ? most : 0;
            for (int i = 0; i < Count && i < nodes.Length && sum < most; i++)
                sum += Counter.Read(ref nodes[i].Calls);
            return sum;
        }

        /// <summary>How many there are; for other threads, of late.</summary>
        internal int Count
        {
            get { return count; }
        }

        internal NodeTree()
        {
            Counts = Sites = noCounts;
            DropNodes();
        }

        /// <summary>Drops all counts, which others may still read.</summary>
        protected void DropCounts()
        {
            Counts = Sites = noCounts;
        }

        /// <summary>Drops all nodes. Everything is made again, as others may still read the old.</summary>
        protected void DropNodes()
        {
            UseNodes(new Node[LeastNodes], new int[LeastNodes * SlotsPerNode], new long[WaitClock.Period == 0 ? 0 : LeastNodes],
                     new long[Clock.Kind == Clock.Ticking ? LeastNodes : 0], new long[Clock.Kind == Clock.Ticking ? LeastNodes : 0],
                     new long[AllocatedBytes.IsCounted ? LeastNodes : 0]);
        }

        /// <summary>The same without memory for it: readers see nodes change their methods.</summary>
        protected void ClearNodes()
        {
            Array.Clear(Slots, 0, Slots.Length);
            Array.Clear(Blocked, 0, Blocked.Length);
            Array.Clear(Credits, 0, Credits.Length);
            Array.Clear(Probed, 0, Probed.Length);
            Array.Clear(Bytes, 0, Bytes.Length);
            UseNodes(Nodes, Slots, Blocked, Credits, Probed, Bytes);
        }

        private void UseNodes(Node[] nodes, int[] slots, long[] blocked, long[] credits, long[] probed, long[] bytes)
        {
            SetNew(out nodes[None], NoId, None, 0);
            SetNew(out nodes[Root], Node.RootId, None, 0);
            SetNew(out nodes[FoldedRoot], Node.FoldedRootId, None, 0);
            nodes[FoldedRoot].Flags = Node.Listed;
            count = FoldedRoot + 1;
            table = null;
            placed = null;
            Extras = null;
            Folds = null;
            Below = null;
            listed = extraCount = foldCount = belowCount = 0;
            cannotGrow = false;
            Slots = slots;
            Blocked = blocked;
            Credits = credits;
            Probed = probed;
            Bytes = bytes;
            Objects = Sites = noCounts;
            Thread.MemoryBarrier();
            Nodes = nodes;
        }

        private static void SetNew(out Node node, int id, int caller, int recursion)
        {
            node = new Node();
            node.Id = id;
            node.Caller = caller;
            node.Recursion = recursion;
            node.Min = long.MaxValue;
        }

        /// <summary>The child with this id. None when there is none; nothing is allocated.</summary>
        [MethodImpl(HotCode.Hot)]
        internal int Find(int caller, int id)
        {
            if (caller < 0)
                return HotCode.Never((int)(long)caller);
            Node[] nodes = Nodes;
            int node = Slots[SlotOf(caller, id)];
            bool borrowed = caller != FoldedRoot && (nodes[node].Flags & Node.Folded) != 0;
            if (nodes[node].Id == id && !borrowed)
                return node;
            return (nodes[node].Flags & Node.Listed) == 0 && !borrowed ? None : FindListed(caller, id);
        }

        /// <summary>
        /// The caller's slot has that node of the method's folded calls from now on, so that the fast way finds it there: no other call of the
        /// method has a node below this caller.
        /// </summary>
        internal void ShowFolded(int caller, int folded)
        {
            int slot = SlotOf(caller, Nodes[folded].Id), other = Slots[slot];
            // A child that leaves its slot has to be in the table. That may need memory, which is not for this.
            if (other == None || (Nodes[other].Flags & (Node.Listed | Node.Folded)) != 0)
                Slots[slot] = folded;
        }

        /// <summary>No longer. What is in the slot then is no call's, and says that the slot's children are in the table, as those are that left it.</summary>
        internal void HideFolded(int caller, int folded)
        {
            int slot = SlotOf(caller, Nodes[folded].Id);
            if (Slots[slot] == folded)
                Slots[slot] = FoldedRoot;
        }

        /// <summary>
        /// The child with this id that shares a slot with others, and has it from now on. None when there is
        /// no such child.
        /// </summary>
        [MethodImpl((MethodImplOptions)256)]
        protected int FindListed(int caller, int id)
        {
            int[] places = table;
            if (places == null)
                return None;
            Node[] nodes = Nodes;
            int node = places[Hash(caller, id, places.Length)];
            while (node != None && (nodes[node].Id != id || nodes[node].Caller != caller))
                node = nodes[node].Chain;
            if (node != None)
                Slots[SlotOf(caller, id)] = node;
            return node;
        }

        [MethodImpl((MethodImplOptions)256)]
        protected static int SlotOf(int caller, int id)
        {
            return caller * SlotsPerNode + (id & (SlotsPerNode - 1));
        }

        /// <summary>
        /// Is there room for a new path? False when memory is used up; then there still is some for the methods whose calls are folded.
        /// </summary>
        protected bool HasRoom()
        {
            if (count < Nodes.Length - Nodes.Length / ShareOfFolded)
                return true;
            try
            {
                if (!cannotGrow)
                    GrowNodes();
            }
            catch (OutOfMemoryException)
            {
                cannotGrow = true;
            }
            return !cannotGrow;
        }

        /// <summary>Makes the child <paramref name="id"/>, which must not exist, and publishes it.</summary>
        internal int Add(int caller, int id, int recursion)
        {
            if (count == Nodes.Length)
                GrowNodes();
            Node[] nodes = Nodes;
            int node = count, slot = SlotOf(caller, id), other = Slots[slot];
            SetNew(out nodes[node], id, caller, recursion);
            if (caller == FoldedRoot)
                nodes[node].Flags = Node.Folded;
            nodes[node].Sibling = nodes[caller].FirstChild;
            if (other != None)
            {
                List(other);
                List(node);
            }
            count = node + 1;
            Slots[slot] = node;
            Thread.MemoryBarrier();
            nodes[caller].FirstChild = node;
            return node;
        }

        /// <summary>
        /// The index, for a node of later slices of async calls, of their <see cref="AsyncPath"/>. 0: it has no place.
        /// </summary>
        internal int PlaceOf(int node)
        {
            int extra = Nodes[node].Extra;
            return extra == 0 ? 0 : Extras[extra].Place;
        }

        /// <summary>The child with this id and place. None when there is none; nothing is allocated.</summary>
        internal int FindPlaced(int caller, int id, int place)
        {
            return placed == null ? None : placed.Find(this, caller, id, place);
        }

        /// <summary>
        /// Makes the child with this id and place, which must not exist, and publishes it. None when there is no memory for it.
        /// </summary>
        internal int AddPlaced(int caller, int id, int recursion, int place)
        {
            if (placed == null)
                placed = new PlacedNodes();
            placed.EnsureRoom(this);
            if (count == Nodes.Length)
                GrowNodes();
            Node[] nodes = Nodes;
            int node = count;
            SetNew(out nodes[node], id, caller, recursion);
            int extra = ExtraOf(node);
            if (extra == 0)
                return None;
            Extras[extra].Place = place;
            nodes[node].Sibling = nodes[caller].FirstChild;
            count = node + 1;
            placed.Add(this, node);
            Thread.MemoryBarrier();
            nodes[caller].FirstChild = node;
            return node;
        }

        private void GrowNodes()
        {
            Node[] nodes = new Node[Nodes.Length * 2];
            int[] slots = new int[nodes.Length * SlotsPerNode];
            Array.Copy(Nodes, nodes, count);
            Array.Copy(Slots, slots, Slots.Length);
            if (Blocked.Length != 0)
                Grow(ref Blocked, nodes.Length);
            if (Credits.Length != 0)
            {
                Grow(ref Credits, nodes.Length);
                Grow(ref Probed, nodes.Length);
            }
            if (Bytes.Length != 0)
                Grow(ref Bytes, nodes.Length);
            if (Objects.Length != 0)
                Grow(ref Objects, nodes.Length);
            // There are never less slots than nodes need.
            Slots = slots;
            Thread.MemoryBarrier();
            Nodes = nodes;
        }

        /// <summary>Puts a node into the table, if it is not there.</summary>
        private void List(int node)
        {
            if ((Nodes[node].Flags & Node.Listed) != 0)
                return;
            if (table == null || listed == table.Length)
                GrowTable();
            Link(table, node);
            Nodes[node].Flags |= Node.Listed;
            listed++;
        }

        private void GrowTable()
        {
            int[] larger = new int[table == null ? LeastListed : table.Length * 2];
            for (int node = FoldedRoot + 1; node < count; node++)
                if ((Nodes[node].Flags & Node.Listed) != 0)
                    Link(larger, node);
            table = larger;
        }

        private void Link(int[] into, int node)
        {
            int hash = Hash(Nodes[node].Caller, Nodes[node].Id, into.Length);
            Nodes[node].Chain = into[hash];
            into[hash] = node;
        }

        private static int Hash(int caller, int id, int length)
        {
            int hash = unchecked((caller * 31 + id) * -1640531527);
            return (hash ^ (hash >> 15)) & (length - 1);
        }

        /// <summary>The <see cref="Node.Recursion"/> that a child with this id would have.</summary>
        [MethodImpl(HotCode.Hot)]
        internal int RecursionOfChild(int caller, int id)
        {
            if (caller < 0)
                return HotCode.Never((int)(long)caller);
            for (int i = 0; i < RecursionWindow && caller != None; i++, caller = Nodes[caller].Caller)
                if (Nodes[caller].Id == id)
                    return Nodes[caller].Recursion + 1;
            return 0;
        }

        /// <summary>From now on the node's frames are watched.</summary>
        internal void Watch(int node)
        {
            Nodes[node].Flags |= Node.Watched;
            Nodes[node].Max = -1;
        }

        /// <summary>
        /// Takes the time of a frame that lies outside of what the others took, which it returns: a clock that was set back
        /// gives none. Readers ask for <see cref="Node.Min"/> first, so they never see one that is above the longest.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal long Widen(int node, long elapsed)
        {
            if (elapsed < 0)
                elapsed = 0;
            if ((Nodes[node].Flags & Node.Watched) != 0)
            {
                int extra = ExtraOf(node);
                if (extra != 0 && elapsed > Extras[extra].Longest)
                    Counter.Set(ref Extras[extra].Longest, elapsed);
                Schedule.WhenClosing(ThreadTree.Current);
            }
            else if (elapsed > Nodes[node].Max)
                Counter.Set(ref Nodes[node].Max, elapsed);
            if (elapsed < Nodes[node].Min)
            {
                Thread.MemoryBarrier();
                Counter.Set(ref Nodes[node].Min, elapsed);
            }
            return elapsed;
        }

        internal void AddFoldedTicks(int node, long ticks)
        {
            int extra = ticks == 0 ? 0 : ExtraOf(node);
            if (extra != 0)
                Counter.Add(ref Extras[extra].FoldedTicks, ticks);
        }

        /// <summary>As Array.Resize, which Mono would compile for figures of this type.</summary>
        private static void Grow(ref long[] figures, int length)
        {
            long[] larger = new long[length];
            Array.Copy(figures, larger, figures.Length);
            figures = larger;
        }

        /// <summary>Adds the objects of each place to the sums.</summary>
        internal void AddSitesTo(ref long[] sums)
        {
            long[] counts = Sites;
            if (sums.Length < counts.Length)
                Grow(ref sums, counts.Length);
            for (int i = 0; i < counts.Length; i++)
                sums[i] += Counter.Read(ref counts[i]);
        }

        internal void MakeRoomForObjects()
        {
            if (Objects.Length < Nodes.Length)
                Grow(ref Objects, Nodes.Length);
        }

        /// <summary>More of a <see cref="Figure"/>, in the node's own code.</summary>
        internal void AddFigure(int kind, int node, long more)
        {
            if (kind == Figure.Bytes || kind == Figure.Objects)
            {
                long[] figures = kind == Figure.Bytes ? Bytes : Objects;
                if (node < figures.Length)
                    Counter.Add(ref figures[node], more);
                return;
            }
            int extra = more == 0 ? 0 : ExtraOf(node);
            if (extra == 0)
                return;
            if (kind == Figure.Collections)
                Counter.Add(ref Extras[extra].Collections, more);
            else
                Counter.Add(ref Extras[extra].Pause, more);
        }

        /// <summary>In callees that were folded away.</summary>
        internal void AddFoldedFigure(int kind, int node, long more)
        {
            int extra = ExtraOf(node);
            if (extra == 0)
                return;
            switch (kind)
            {
                case Figure.Bytes:
                    Counter.Add(ref Extras[extra].FoldedBytes, more);
                    break;
                case Figure.Objects:
                    Counter.Add(ref Extras[extra].FoldedObjects, more);
                    break;
                case Figure.Collections:
                    Counter.Add(ref Extras[extra].FoldedCollections, more);
                    break;
                default:
                    Counter.Add(ref Extras[extra].FoldedPause, more);
                    break;
            }
        }

        internal void AddBlockedTicks(int node, long ticks)
        {
            if (node < Blocked.Length)
                Counter.Add(ref Blocked[node], ticks);
        }

        internal void AddResynchronised(int node, long frames)
        {
            int extra = ExtraOf(node);
            if (extra != 0)
                Counter.Add(ref Extras[extra].Resynchronised, frames);
        }

        internal void AddLeftByException(int node, long frames)
        {
            int extra = ExtraOf(node);
            if (extra != 0)
                Counter.Add(ref Extras[extra].LeftByException, frames);
        }

        protected void AddTakenBack(int node)
        {
            int extra = ExtraOf(node);
            if (extra != 0)
                Counter.Add(ref Extras[extra].TakenBack, 1);
        }

        /// <summary>Where the figures of the node's folded calls are, if it has any; else 0.</summary>
        [MethodImpl((MethodImplOptions)256)]
        protected int KnownFold(int node)
        {
            int extra = Nodes[node].Extra;
            return extra == 0 ? 0 : Extras[extra].Fold;
        }

        /// <summary>The same; they are made. 0 when there is no memory for them. Never throws.</summary>
        protected internal int FoldOf(int node)
        {
            int extra = ExtraOf(node);
            if (extra == 0 || Extras[extra].Fold != 0)
                return extra == 0 ? 0 : Extras[extra].Fold;
            try
            {
                NodeFold[] folds = Folds;
                int fold = foldCount + 1;
                if (folds == null)
                    folds = new NodeFold[LeastExtras];
                else if (fold == folds.Length)
                    Array.Resize(ref folds, fold * 2);
                Folds = folds;
                foldCount = fold;
                Thread.MemoryBarrier();
                Extras[extra].Fold = fold;
                return fold;
            }
            catch (Exception)
            {
                return 0;
            }
        }

        internal void AddFold(int node, NodeFold more)
        {
            int fold = FoldOf(node);
            if (fold != 0)
                Folds[fold].Add(more);
        }

        /// <summary>Where the node's rarer figures are; 0 when there is no memory for them. Never throws.</summary>
        private int ExtraOf(int node)
        {
            if (Nodes[node].Extra != 0)
                return Nodes[node].Extra;
            try
            {
                NodeExtra[] extras = Extras;
                int extra = extraCount + 1;
                if (extras == null)
                    extras = new NodeExtra[LeastExtras];
                else if (extra == extras.Length)
                    Array.Resize(ref extras, extra * 2);
                Extras = extras;
                extraCount = extra;
                Thread.MemoryBarrier();
                Nodes[node].Extra = extra;
                return extra;
            }
            catch (Exception)
            {
                return 0;
            }
        }
    }
}
