// The registry of the process: the threads and their trees, the budget of nodes.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    internal static class Registry
    {
        internal const int FirstId = ModuleTable.FirstId;

        private static SpinLock gate;
        private static List<ThreadTree> threads;
        private static EndedThreads ended;
        private static int sweepAt;
        private static volatile bool closed;
        private static int nodeCount;
        private static int droppedCalls;

        /// <summary>The threads for the clock's, up to the first null. Null while no clock ticks.</summary>
        internal static ThreadTree[] Ticked;

        /// <summary>Calls that were dropped before their thread had a tree.</summary>
        internal static int DroppedCalls
        {
            get { return droppedCalls; }
        }

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>
        /// Makes the calling thread's tree; the first one of all starts the session. Null, and the call is counted as dropped, when
        /// that is taking too long in another thread.
        /// </summary>
        internal static ThreadTree AddThread()
        {
            if (!Session.Start())
            {
                Interlocked.Increment(ref droppedCalls);
                return null;
            }
            Generation generation = Control.Current.Generation;
            ThreadTree tree = new ThreadTree(new KnownThread(Thread.CurrentThread), generation);
            if (ThreadTree.LogMaker != null)
                tree.Log = ThreadTree.LogMaker(tree);
            using (Gate.Enter())
            {
                if (threads == null)
                {
                    threads = new List<ThreadTree>();
                    ended = ended ?? new EndedThreads();
                    sweepAt = 64;
                }
                if (threads.Count >= sweepAt && !closed)
                    Sweep();
                threads.Add(tree);
                if (Clock.Kind == Clock.Ticking)
                {
                    if (Ticked == null || threads.Count > Ticked.Length)
                        Array.Resize(ref Ticked, threads.Capacity);
                    Ticked[threads.Count - 1] = tree;
                }
            }
            return tree;
        }

        /// <summary>
        /// The program ends: no other thread sweeps from now on. To ask whether a thread lives takes a lock of Mono's, which then waits for
        /// ever for a thread that was suspended in there.
        /// </summary>
        internal static void Close()
        {
            closed = true;
        }

        /// <summary>The gate must be held.</summary>
        private static bool HasAnyEnded()
        {
            bool any = false;
            for (int i = 0; i < threads.Count && !any; i++)
                any = threads[i].Owner.HasEnded;
            return any;
        }

        /// <summary>Folds the trees of threads that have ended into one. The gate must be held.</summary>
        private static void Sweep()
        {
            int kept = 0;
            for (int i = 0; i < threads.Count; i++)
            {
                ThreadTree tree = threads[i];
                if (!tree.Owner.HasEnded)
                {
                    threads[kept++] = tree;
                    continue;
                }
                if (tree.IsOf(Control.Current.Generation) || tree.Depth > 0)
                    Interlocked.Add(ref nodeCount, ended.Take(tree) - tree.NodeCount);
                else
                    // All that it has done was before the last reset.
                    tree.Release();
                if (tree.Log != null)
                    tree.Log.End();
            }
            threads.RemoveRange(kept, threads.Count - kept);
            for (int i = 0; Ticked != null && i < Ticked.Length; i++)
                Ticked[i] = i < kept ? threads[i] : null;
            sweepAt = Math.Max(64, kept * 2);
        }

        /// <summary>
        /// While a clock ticks, a call takes a hundredth of what a new path takes. So many of those are to be had at once, the others are
        /// earned: some by each tick that a thread notices, which take a tenth of its time, as a compiler's million took 8 µs each, with what they
        /// keep out of caches. A number that was asked for is there at once.
        /// </summary>
        private const int NodesAtOnce = 30000, NodesPerTick = 10;

        private static int nodesEarned;

        /// <summary>Does a setting say how many nodes there may be?</summary>
        internal static bool WereNodesAsked
        {
            get { return Settings.NodeBudget != Settings.Usual_nodes; }
        }

        /// <summary>For the clock that was chosen: how many nodes there may be at once.</summary>
        internal static void BeginNodes()
        {
            nodesEarned = Clock.Kind == Clock.Ticking && !WereNodesAsked ? NodesAtOnce : Settings.NodeBudget;
            if (Clock.Kind == Clock.Ticking)
                TickingClock.BeforeTick = ThreadTree.NoteAll;
        }

        /// <summary>A thread has noticed a tick.</summary>
        internal static void EarnNodes()
        {
            if (nodesEarned < Settings.NodeBudget)
                Interlocked.Add(ref nodesEarned, NodesPerTick);
        }

        /// <summary>Is there anything left of the budget of nodes, as far as it has been earned?</summary>
        internal static bool HasNodes
        {
            get { return nodeCount < nodesEarned && nodeCount < Settings.NodeBudget; }
        }

        /// <summary>Has any call a node? Not so where calls are only counted.</summary>
        internal static bool UsesNodes
        {
            get { return nodeCount > 0; }
        }

        /// <summary>Takes one node from the budget; <paramref name="anyway"/>: also when nothing is left of it.</summary>
        internal static bool TakeNode(bool anyway)
        {
            if (!anyway && !HasNodes)
                return false;
            Interlocked.Increment(ref nodeCount);
            return true;
        }

        internal static void GiveNodesBack(int count)
        {
            Interlocked.Add(ref nodeCount, -count);
        }

        /// <summary>
        /// Begins a new generation, in which nothing is recorded yet but the calls that are under
        /// way. Threads that have ended are dropped here; each thread that lives drops what it has
        /// recorded by itself.
        /// </summary>
        internal static void Reset()
        {
            using (Gate.Enter())
            {
                EndedThreads none = new EndedThreads();
                if (threads != null)
                    Sweep();
                Control.BeginGeneration();
                if (ended != null)
                    ended.Release();
                ended = none;
            }
            MachineFacts.BeginAnew();
        }

        /// <summary>
        /// True if there were that many calls, as far as they can be seen, or such that no node counts. Their trees need not be of
        /// this generation.
        /// </summary>
        internal static bool HaveCalls(long least)
        {
            using (Gate.Enter())
            {
                if (threads == null)
                    return false;
                if (ended.ThreadCount != 0 || Switches.Off != null)
                    return true;
                for (int i = 0; i < threads.Count && least > 0; i++)
                    least -= threads[i].Async == null ? threads[i].CallsUpTo(least) : least;
                return least <= 0;
            }
        }

        /// <summary>
        /// The trees of all threads that were not folded into that of the ended ones yet, which <paramref name="addEnded"/> is
        /// given while nothing can be folded into it.
        /// </summary>
        internal static ThreadTree[] LiveTrees(Action<NodeTree> addEnded)
        {
            using (Gate.Enter())
            {
                if (threads == null)
                    return new ThreadTree[0];
                addEnded(ended.Tree);
                return threads.ToArray();
            }
        }

        /// <summary>
        /// The threads to write. While <paramref name="seeLive"/> and <paramref name="writeEnded"/> run, the tree of the ended threads
        /// stays locked, and no further thread begins.
        /// </summary>
        internal static void Snapshot(out ThreadTree[] liveThreads, Action<ThreadTree[]> seeLive, Action<EndedThreads> writeEnded)
        {
            using (Gate.Enter())
            {
                if (threads == null)
                {
                    liveThreads = new ThreadTree[0];
                    return;
                }
                if (!ProcessEnd.AreThreadsStopped && HasAnyEnded())
                    Sweep();
                liveThreads = threads.ToArray();
                seeLive(liveThreads);
                if (ended.ThreadCount > 0)
                    writeEnded(ended);
            }
        }
    }
}
