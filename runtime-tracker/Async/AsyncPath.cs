// The logical call tree of async methods: who started whom. Its places are the same for all threads, its figures are each thread's own.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// An async method at one place of the logical call tree. Never changes and never goes away, so that a call may be taken up
    /// by any thread. Children are found without a lock, and made under one.
    /// </summary>
    internal sealed class AsyncPath
    {
        /// <summary>How many starters are looked at to find the same method again.</summary>
        private const int RecursionWindow = 64;

        /// <summary>Of methods beyond that many ids it is not kept which path is their only one.</summary>
        private const int MostOnly = 1 << 20;

        private static SpinLock gate;
        private static AsyncPath root;
        private static AsyncPath[] all;
        private static int count;

        /// <summary>By id, from the first one: the only path that a method has; the root when there are several. Replaced when it grows.</summary>
        private static volatile AsyncPath[] only;

        /// <summary>The method's id: that of MoveNext for a state machine. 0 at the root.</summary>
        internal readonly int Id;

        /// <summary>The call that started it; null at the root.</summary>
        internal readonly AsyncPath Parent;

        /// <summary>The number of paths that were made before this one; so a parent's is below its children's.</summary>
        internal readonly int Index;

        private readonly int recursion;
        private AsyncPath newestChild, sibling;

        /// <summary>A hash table of the children, its length a power of two; null without any.</summary>
        private volatile AsyncPath[] slots;

        private AsyncPath chain;
        private int childCount;

        private AsyncPath(int id, AsyncPath parent, int recursion, int index)
        {
            Id = id;
            Parent = parent;
            Index = index;
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
                            root = Publish(new AsyncPath(0, null, 0, 0));
                }
                return root;
            }
        }

        /// <summary>Every path by its index. Others may be added behind them at any time.</summary>
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
        /// Where a slice of an unknown call of this method stands: at the method's path when it has one only, and at the root's
        /// child when it has several.
        /// </summary>
        internal static AsyncPath OfUnknownCall(int id)
        {
            AsyncPath[] known = only;
            uint at = (uint)(id - Registry.FirstId);
            AsyncPath path = known != null && at < (uint)known.Length ? known[at] : null;
            return path == null || path.Parent == null ? Root.Child(id) : path;
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
            AsyncPath child = Find(id);
            if (child != null)
                return child;
            AsyncPath parent = this;
            int depth = RecursionOfChild(id);
            if (Parent != null && (depth >= Settings.RecursionLimit || !Registry.HasNodes))
            {
                parent = Root;
                child = parent.Find(id);
                if (child != null)
                    return child;
            }
            using (Gate.Enter())
            {
                child = parent.Find(id);
                if (child == null && !Registry.TakeNode() && parent.Parent != null)
                {
                    parent = Root;
                    child = parent.Find(id);
                }
                if (child == null)
                {
                    child = Publish(new AsyncPath(id, parent, parent == this ? depth : 0, count));
                    parent.Add(child);
                }
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
            if (path.Parent != null && (uint)(path.Id - Registry.FirstId) < MostOnly)
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
            known[at] = known[at] == null ? path : root;
            only = known;
        }

        /// <summary>
        /// Adds a child, under the gate. Threads that search meanwhile may miss some while the chains are made anew, but always
        /// come to an end: a chain made anew leads only to others that are.
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
