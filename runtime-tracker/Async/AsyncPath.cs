// The logical call tree of async methods: each call's starter, and the way from it. Its places are the same for all
// threads, its figures are each thread's own.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// An async method at one place of the logical call tree, or a plain one on the way from an async method to one that it
    /// starts. Never changes and never goes away, so that a call may be taken up by any thread. Children are found without a lock, and made under one.
    /// </summary>
    internal sealed class AsyncPath
    {
        /// <summary>How many starters are looked at to find the same method again.</summary>
        private const int RecursionWindow = 64;

        /// <summary>More stand-ins are not made.</summary>
        private const int MostStandIns = 4096;

        private static int standIns;

        /// <summary>Where tests' methods are noted, that many are made when the nodes are used up, too: a later slice has its test.</summary>
        private const int MostOfTests = 1 << 20;

        /// <summary>Of methods beyond that many ids it is not kept which path is their only one.</summary>
        private const int MostOnly = 1 << 20;

        private static SpinLock gate;
        private static AsyncPath root;
        private static AsyncPath[] all;
        private static int count;

        /// <summary>
        /// By id, from the first one: the only path that a method has, or the starter that all of its paths have; the root when
        /// there are several. Replaced when it grows.
        /// </summary>
        private static volatile AsyncPath[] only;

        /// <summary>The method's id: that of MoveNext for a state machine. 0 at the root.</summary>
        internal readonly int Id;

        /// <summary>What started it, or a plain method on the way from there; null at the root, and of a stand-in.</summary>
        internal readonly AsyncPath Parent;

        /// <summary>The call that started it: the nearest one above it that is none of a plain method. Null at the root.</summary>
        internal readonly AsyncPath Starter;

        /// <summary>The number of paths that were made before this one; so a parent's is below its children's.</summary>
        internal readonly int Index;

        /// <summary>True for the place of a plain method, on the way from an async one to a call.</summary>
        private readonly bool isPlain;

        private readonly int recursion;
        private AsyncPath newestChild, sibling;

        /// <summary>Of a stand-in: the place of its call, once that is known. Of others null.</summary>
        internal volatile AsyncPath For;

        /// <summary>A hash table of the children, its length a power of two; null without any.</summary>
        private volatile AsyncPath[] slots;

        private AsyncPath chain;
        private int childCount;

        private AsyncPath(int id, AsyncPath parent, bool isPlain, int recursion, int index)
        {
            Id = id;
            Parent = parent;
            Starter = parent == null || !parent.isPlain ? parent : parent.Starter;
            Index = index;
            this.isPlain = isPlain;
            this.recursion = recursion;
        }

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>Where calls stand that no async method started.</summary>
        internal static AsyncPath Root
        {
            get
            {
                if (root == null)
                {
                    using (Gate.Enter())
                        if (root == null)
                            root = Publish(new AsyncPath(0, null, false, 0, 0));
                }
                return root;
            }
        }

        /// <summary>Every path by its index. Others may be added after them at any time.</summary>
        internal static AsyncPath[] All()
        {
            using (Gate.Enter())
            {
                AsyncPath[] copy = new AsyncPath[count];
                if (count > 0)
                    Array.Copy(all, copy, count);
                return copy;
            }
        }

        /// <summary>
        /// A place for the slices of one call that is not known yet. It has no figures, and stands in no profile: <see cref="WrittenAs"/>. Null
        /// when there are too many.
        /// </summary>
        internal static AsyncPath NewStandIn(int id)
        {
            if (Root == null || standIns >= MostStandIns)
                return null;
            using (Gate.Enter())
            {
                standIns++;
                return Publish(new AsyncPath(id, null, true, 0, count));
            }
        }

        /// <summary>The index of the path that stands in profiles for the one with this index; 0: none.</summary>
        internal static int WrittenAs(int index)
        {
            AsyncPath path = all[index];
            if (path.Parent == null)
                path = path.For;
            return path == null ? 0 : path.Index;
        }

        /// <summary>
        /// Where a slice of an unknown call of this method stands: at the method's path when it has one only, and when it has
        /// several, at the child of the starter that they have in common, or at the root's.
        /// </summary>
        internal static AsyncPath OfUnknownCall(int id)
        {
            AsyncPath[] known = only;
            uint at = (uint)(id - Registry.FirstId);
            AsyncPath path = known != null && at < (uint)known.Length ? known[at] : null;
            if (path == null)
                return Root.Child(id);
            return path.Id == id ? path : path.Child(id);
        }

        /// <summary>Null when there is none; also, now and then, while another thread makes one, which <see cref="Child"/> then finds.</summary>
        internal AsyncPath Find(int id)
        {
            AsyncPath[] table = slots;
            if (table == null)
                return null;
            AsyncPath path = table[id & (table.Length - 1)];
            while (path != null && path.Id != id)
                path = path.chain;
            return path;
        }

        /// <summary>
        /// The child with this id, made if need be. When the budget of nodes is used up, or the recursion too deep, it is the
        /// root's child instead: the call then counts as one that no async method started.
        /// </summary>
        internal AsyncPath Child(int id)
        {
            return Find(id) ?? Make(id, false) ?? Root.Find(id) ?? Root.Make(id, false);
        }

        /// <summary>
        /// The place of a call that is started by this one, by way of plain methods: their ids, from the outside in; null or
        /// none: by itself. Where there is no room for these, they are left out.
        /// </summary>
        internal AsyncPath Under(int[] way, int id)
        {
            AsyncPath at = this;
            for (int i = 0; way != null && at != null && i < way.Length; i++)
                at = at.Find(way[i]) ?? at.Make(way[i], true);
            AsyncPath path = at == null ? null : at.Find(id) ?? at.Make(id, false);
            return path ?? Child(id);
        }

        /// <summary>
        /// Makes the child with this id, unless another thread has done so. Null when the recursion is too deep or the budget of nodes
        /// used up, which the root's children of async methods need not heed.
        /// </summary>
        private AsyncPath Make(int id, bool isPlain)
        {
            int depth = RecursionOfChild(id);
            bool heeds = Parent != null || isPlain, anyway = !heeds || (Settings.Covers && count < MostOfTests);
            if ((heeds && depth >= Settings.RecursionLimit) || (!anyway && !Registry.HasNodes))
                return null;
            using (Gate.Enter())
            {
                AsyncPath child = Find(id);
                if (child != null)
                    return child;
                if (!Registry.TakeNode(anyway))
                    return null;
                child = Publish(new AsyncPath(id, this, isPlain, depth, count));
                Add(child);
                return child;
            }
        }

        private int RecursionOfChild(int id)
        {
            AsyncPath path = this;
            for (int i = 0; i < RecursionWindow && path != null; i++, path = path.Parent)
                if (path.Id == id)
                    return path.recursion + 1;
            return 0;
        }

        /// <summary>Puts it on the list of all, under the gate.</summary>
        private static AsyncPath Publish(AsyncPath path)
        {
            if (all == null)
                all = new AsyncPath[64];
            else if (count == all.Length)
                Array.Resize(ref all, count * 2);
            all[count++] = path;
            if (path.Parent != null && !path.isPlain && (uint)(path.Id - Registry.FirstId) < MostOnly)
                KeepOnly(path, path.Id - Registry.FirstId);
            return path;
        }

        /// <summary>Under the gate.</summary>
        private static void KeepOnly(AsyncPath path, int at)
        {
            AsyncPath[] known = only;
            if (known == null || at >= known.Length)
            {
                AsyncPath[] larger = new AsyncPath[Math.Max(at + 1, known == null ? 64 : known.Length * 2)];
                if (known != null)
                    Array.Copy(known, larger, known.Length);
                known = larger;
            }
            AsyncPath before = known[at];
            bool isSame = before != null && (before == path.Starter || (before.Id == path.Id && before.Starter == path.Starter));
            known[at] = before == null ? path : isSame ? path.Starter : root;
            only = known;
        }

        /// <summary>
        /// Adds a child, under the gate. Threads that search meanwhile may miss some while the chains are made again, but always
        /// come to an end: a chain made again leads only to others that are.
        /// </summary>
        private void Add(AsyncPath child)
        {
            AsyncPath[] table = slots;
            if (table == null || childCount == table.Length)
            {
                table = new AsyncPath[table == null ? 4 : table.Length * 2];
                for (AsyncPath path = newestChild; path != null; path = path.sibling)
                    Link(table, path);
                Thread.MemoryBarrier();
                slots = table;
            }
            child.sibling = newestChild;
            newestChild = child;
            childCount++;
            Link(table, child);
        }

        private static void Link(AsyncPath[] table, AsyncPath path)
        {
            int slot = path.Id & (table.Length - 1);
            path.chain = table[slot];
            Thread.MemoryBarrier();
            table[slot] = path;
        }
    }
}
