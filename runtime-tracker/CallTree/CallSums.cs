// The calls, the time and the nodes of each method, over all threads, while they go on.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>Sums of the generation that holds. One thread reads
    /// them from the trees; they do not change afterwards.</summary>
    internal sealed class CallSums
    {
        private long[] calls = new long[0], folded = new long[0], ticks = new long[0];
        private int[] nodes = new int[0];
        private bool[] kept = new bool[0];

        /// <summary>How many ids there are room for, from <see cref="Registry.FirstId"/> on.</summary>
        internal int Length
        {
            get { return calls.Length; }
        }

        /// <summary>The sum of all methods.</summary>
        internal long AllCalls, AllFolded;
        internal int AllNodes;

        /// <summary>The calls of the id at this distance from the first.</summary>
        internal long Calls(int at)
        {
            return at < calls.Length ? calls[at] : 0;
        }

        /// <summary>Those of them that were folded.</summary>
        internal long Folded(int at)
        {
            return at < folded.Length ? folded[at] : 0;
        }

        /// <summary>The time of closed frames, callees included; of frames of a recursion each.</summary>
        internal long Ticks(int at)
        {
            return at < ticks.Length ? ticks[at] : 0;
        }

        /// <summary>The ways by which it was come to: its nodes in all trees.</summary>
        internal int Nodes(int at)
        {
            return at < nodes.Length ? nodes[at] : 0;
        }

        /// <summary>Is it no method, but a scope of the program's, or a method at whose call recording stops, or a test or a step of an async
        /// method?</summary>
        internal bool IsKept(int at)
        {
            return at < kept.Length && kept[at];
        }

        /// <summary>As they are now; <paramref name="used"/>, which may be null, is taken for them.</summary>
        internal static CallSums Now(CallSums used)
        {
            CallSums sums = used ?? new CallSums();
            int count = ModuleTable.IdCount;
            if (sums.calls.Length < count)
            {
                sums.calls = new long[count];
                sums.folded = new long[count];
                sums.ticks = new long[count];
                sums.nodes = new int[count];
                sums.kept = new bool[count];
            }
            sums.Clear();
            foreach (ThreadTree tree in Registry.LiveTrees(sums.Add))
                if (tree.IsOf(Control.Current.Generation))
                    sums.Add(tree);
            return sums;
        }

        /// <summary>As if nothing was called yet.</summary>
        internal void Clear()
        {
            Array.Clear(calls, 0, calls.Length);
            Array.Clear(folded, 0, folded.Length);
            Array.Clear(ticks, 0, ticks.Length);
            Array.Clear(nodes, 0, nodes.Length);
            Array.Clear(kept, 0, kept.Length);
            AllCalls = AllFolded = AllNodes = 0;
        }

        private void Add(NodeTree tree)
        {
            // The number first: there are never less nodes in the array than it says.
            int count = tree.Count;
            Thread.MemoryBarrier();
            TreeView view = new TreeView(tree);
            Node[] all = view.Nodes;
            long[] credits = tree.Credits;
            count = Math.Min(count, all.Length);
            for (int i = NodeTree.FoldedRoot + 1; i < count; i++)
            {
                int at = all[i].Id - Registry.FirstId;
                if ((uint)at >= (uint)calls.Length)
                    continue;
                long number = Counter.Read(ref all[i].Calls);
                if ((all[i].Flags & Node.Folded) != 0)
                {
                    number += view.FoldOf(i).Entered;
                    folded[at] += number;
                    AllFolded += number;
                }
                calls[at] += number;
                AllCalls += number;
                nodes[at]++;
                AllNodes++;
                ticks[at] += i < credits.Length ? Counter.Read(ref credits[i]) : Counter.Read(ref all[i].Ticks);
                kept[at] |= (all[i].Flags & (Node.Watched | Node.Scope | Node.Owner | Node.Step)) != 0;
            }
        }
    }
}
