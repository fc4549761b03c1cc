// The trees of all threads that have ended, folded into one: many short threads take no more room than one.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>Used under the registry's lock only.</summary>
    internal sealed class EndedThreads
    {
        internal readonly Node Root = new Node(Node.RootId, null, 0);
        internal readonly Node FoldedRoot = new Node(Node.FoldedRootId, null, 0);
        internal int ThreadCount;

        /// <summary>What its tree has taken from the budget.</summary>
        internal int NodeCount;

        internal long FoldedCalls;
        internal long DroppedCalls;
        internal readonly ExceptionPaths Exceptions = new ExceptionPaths();

        /// <summary>Null when none of them ran an async method.</summary>
        internal AsyncThread Async;

        /// <summary>Null when none of them recorded how long calls took.</summary>
        internal Histograms Histograms;

        /// <summary>The timelines of which anything is left, and how many calls were on others.</summary>
        internal readonly List<EventStream> Events = new List<EventStream>();
        internal long LostEvents;

        /// <summary>Adds the tree of a thread that has ended. Returns how many nodes that took from the budget.</summary>
        internal int Take(ThreadTree tree)
        {
            if (!tree.IsOf(Control.Current.Generation))
                tree.Follow();
            if (tree.Flights != null)
                tree.Flights.EndAll();
            // What was still open lasted at least until the last enter, and as long as its callees.
            if (tree.Depth > 0)
            {
                long last = tree.Frames[tree.Depth].Start;
                while (tree.Depth > 0)
                {
                    int depth = tree.Depth;
                    bool folded = depth >= tree.FoldedFrom;
                    if (tree.Events != null)
                        tree.Events.AddUnended(tree.Frames[depth].Node, tree.UnmovedStart(depth), last - tree.StoppedTicks);
                    tree.Pop(last, true);
                    if (!folded)
                        CoverCallees(tree.Frames[depth].Node);
                }
            }
            ThreadCount++;
            FoldedCalls += tree.FoldedCalls;
            DroppedCalls += tree.DroppedCalls;
            if (tree.Async != null)
            {
                if (Async == null)
                    Async = new AsyncThread(null);
                Async.Take(tree.Async, AsyncPath.All());
            }
            int made = Merge(Root, tree.Root);
            Merge(FoldedRoot, tree.FoldedRoot);
            TakePaths(tree);
            TakeCalls(tree);
            NodeCount += made;
            return made;
        }

        /// <summary>Adds the thread's exception paths, from node to node of this tree.</summary>
        private void TakePaths(ThreadTree tree)
        {
            if (tree.Flights == null)
                return;
            List<ExceptionPath> paths = new List<ExceptionPath>();
            for (ExceptionPath path = tree.Flights.Paths.Newest; path != null; path = path.Older)
                paths.Add(path);
            for (int i = paths.Count - 1; i >= 0; i--)
                Exceptions.Find(paths[i].Type, paths[i].Thrower.Successor, paths[i].Catcher.Successor, paths[i].Outcome).Add(paths[i]);
        }

        /// <summary>Gives back what all of it holds of the budgets.</summary>
        internal void Release()
        {
            Registry.GiveNodesBack(NodeCount);
            foreach (EventStream stream in Events)
                Timeline.Drop(stream);
        }

        /// <summary>Adds what is known of the thread's single calls.</summary>
        private void TakeCalls(ThreadTree tree)
        {
            if (tree.Histograms != null)
            {
                if (Histograms == null)
                    Histograms = new Histograms();
                Histograms.Add(tree.Histograms);
            }
            if (tree.Events == null)
                return;
            tree.Events.ThreadId = tree.Thread.ManagedThreadId;
            tree.Events.ThreadName = tree.Thread.Name;
            Timeline.End(tree.Events, Events, ref LostEvents);
        }

        private static void CoverCallees(Node node)
        {
            long callees = node.FoldedTicks;
            for (Node child = node.FirstChild; child != null; child = child.Sibling)
                callees += child.Ticks;
            if (node.Ticks < callees)
                node.Ticks = callees;
        }

        /// <summary>Adds a tree to another; each of its nodes then knows its successor.</summary>
        private static int Merge(Node into, Node from)
        {
            int made = 0;
            List<Node> pending = new List<Node>();
            pending.Add(into);
            pending.Add(from);
            while (pending.Count > 0)
            {
                into = pending[pending.Count - 2];
                from = pending[pending.Count - 1];
                pending.RemoveRange(pending.Count - 2, 2);
                into.Calls += from.Calls;
                into.Ticks += from.Ticks;
                into.Min = Math.Min(into.Min, from.Min);
                into.Max = Math.Max(into.Max, from.ReadMax());
                into.FoldedTicks += from.FoldedTicks;
                into.Resynchronised += from.Resynchronised;
                into.LeftByException += from.LeftByException;
                from.Successor = into;
                int first = pending.Count;
                for (Node child = from.FirstChild; child != null; child = child.Sibling)
                {
                    pending.Add(null);
                    pending.Add(child);
                }
                // The oldest first: a list of siblings tells in which order they were first called.
                for (int i = pending.Count - 1; i > first; i -= 2)
                {
                    Node child = pending[i], target = into.Find(child.Id);
                    if (target == null)
                    {
                        target = into.Add(child.Id, child.Recursion);
                        made++;
                    }
                    pending[i - 1] = target;
                }
            }
            return made;
        }
    }
}
