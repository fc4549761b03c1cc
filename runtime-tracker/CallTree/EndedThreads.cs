// The trees of all threads that have ended, folded into one: many short threads take no more room than one.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>Used under the registry's lock only.</summary>
    internal sealed class EndedThreads
    {
        internal readonly NodeTree Tree = new NodeTree();
        internal int ThreadCount;

        // Two for each node that is still to be added: where to, and the node.
        private List<int> pending;

        /// <summary>The part of the budget that its tree has taken.</summary>
        internal int NodeCount;

        internal long FoldedCalls;
        internal long DroppedCalls;

        /// <summary>The sums of what the threads had besides; null where none of them had it.</summary>
        internal ThreadExtra Exceptions, Async, Events;

        /// <summary>Null when none of them recorded how long calls took.</summary>
        internal Histograms Histograms;

        /// <summary>Adds the tree of a thread that has ended. Returns how many nodes that took from the budget.</summary>
        internal int Take(ThreadTree tree)
        {
            if (!tree.IsOf(Control.Current.Generation))
                tree.Follow();
            if (tree.ExceptionsInFlight != null)
                tree.ExceptionsInFlight.End();
            // Frames that were still open lasted at least until the last enter, and as long as its
            // callees.
            if (tree.Depth > 0)
            {
                long last = tree.Frames[tree.Depth].Start;
                while (tree.Depth > 0)
                {
                    int depth = tree.Depth;
                    bool folded = depth >= tree.FoldedFrom;
                    if (tree.Events != null)
                        tree.Events.CloseUnended(tree.Frames[depth].Node, tree.UnmovedStart(depth), last - tree.StoppedTicks);
                    tree.Pop(last, true);
                    if (!folded)
                        CoverCallees(tree, tree.Frames[depth].Node);
                }
            }
            ThreadCount++;
            FoldedCalls += tree.FoldedCalls;
            DroppedCalls += tree.DroppedCalls;
            if (tree.Async != null)
                Async = tree.Async.AddTo(Async, tree);
            Counting.Fold(Tree, tree);
            if (tree.Sites.Length != 0)
                tree.AddSitesTo(ref Tree.Sites);
            TreeView view = new TreeView(tree);
            int made = Merge(view, NodeTree.Root);
            Merge(view, NodeTree.FoldedRoot);
            if (tree.ExceptionsInFlight != null)
                Exceptions = tree.ExceptionsInFlight.AddTo(Exceptions, tree);
            if (tree.Histograms != null && Features.Timeline)
                TakeHistograms(tree.Histograms);
            if (tree.Events != null)
                Events = tree.Events.AddTo(Events, tree);
            NodeCount += made;
            return made;
        }

        /// <summary>Gives back what all of it holds of the budgets.</summary>
        internal void Release()
        {
            Registry.GiveNodesBack(NodeCount);
            if (Events != null)
                Events.GiveBack();
        }

        private void TakeHistograms(Histograms more)
        {
            if (Histograms == null)
                Histograms = new Histograms();
            Histograms.Add(more);
        }

        private static void CoverCallees(ThreadTree tree, int node)
        {
            // There callees may have more than their caller.
            if (Clock.Kind == Clock.Ticking)
                return;
            Node[] nodes = tree.Nodes;
            long callees = new TreeView(tree).FoldedTicks(node);
            for (int child = nodes[node].FirstChild; child != NodeTree.None; child = nodes[child].Sibling)
                callees += nodes[child].Ticks;
            if (nodes[node].Ticks < callees)
                nodes[node].Ticks = callees;
        }

        /// <summary>
        /// Adds what is below this node of a tree to what is below the same one here; each node's chain then leads to the one that it was
        /// added to: nobody looks for a child there any more. Returns how many nodes were made.
        /// </summary>
        private int Merge(TreeView view, int root)
        {
            Node[] from = view.Nodes;
            int made = 0;
            if (pending == null)
                pending = new List<int>();
            pending.Clear();
            pending.Add(root);
            pending.Add(root);
            while (pending.Count > 0)
            {
                int into = pending[pending.Count - 2], node = pending[pending.Count - 1];
                pending.RemoveRange(pending.Count - 2, 2);
                AddFigures(into, view, node);
                from[node].Chain = into;
                int first = pending.Count;
                for (int child = from[node].FirstChild; child != NodeTree.None; child = from[child].Sibling)
                {
                    pending.Add(NodeTree.None);
                    pending.Add(child);
                }
                // The oldest first: a list of siblings tells in which order they were first called.
                for (int i = pending.Count - 1; i > first; i -= 2)
                {
                    int id = from[pending[i]].Id, place = view.PlaceOf(pending[i]), recursion = root == NodeTree.FoldedRoot ? 0 : from[pending[i]].Recursion;
                    int target = place == 0 ? Tree.Find(into, id) : Tree.FindPlaced(into, id, place);
                    if (target == NodeTree.None)
                    {
                        target = place == 0 ? NodeTree.None : Tree.AddPlaced(into, id, recursion, place);
                        if (target == NodeTree.None)
                            target = Tree.Add(into, id, recursion);
                        Tree.Nodes[target].Flags |= from[pending[i]].Flags & Node.Timed;
                        made++;
                    }
                    else if ((from[pending[i]].Flags & Node.Timed) == 0)
                        Tree.Nodes[target].Flags &= ~Node.Timed;
                    pending[i - 1] = target;
                }
            }
            return made;
        }

        private void AddFigures(int into, TreeView from, int node)
        {
            ref Node sum = ref Tree.Nodes[into];
            sum.Calls += from.Calls(node);
            sum.Ticks += from.Nodes[node].Ticks;
            if (Clock.Kind == Clock.Ticking)
            {
                Tree.Credits[into] += from.Credit(node);
                Tree.Probed[into] += from.Probed(node);
            }
            Tree.AddBlockedTicks(into, from.BlockedTicks(node));
            if (from.Own(Figure.Objects, node) != 0)
                Tree.MakeRoomForObjects();
            for (int kind = 0; kind < Figure.Kinds; kind++)
                Tree.AddFigure(kind, into, from.Own(kind, node));
            sum.Min = Math.Min(sum.Min, from.Nodes[node].Min);
            sum.Max = Math.Max(sum.Max, from.Longest(node));
            if (from.Nodes[node].Extra == 0)
                return;
            Tree.AddFoldedTicks(into, from.FoldedTicks(node));
            for (int kind = 0; kind < Figure.Kinds; kind++)
                Tree.AddFoldedFigure(kind, into, from.Folded(kind, node));
            if (from.HasFold(node))
                Tree.AddFold(into, from.FoldOf(node));
            if (from.Below(node) != null)
                Tree.AddBelow(into, from.Below(node), from.BelowCalls(node));
            Tree.AddResynchronised(into, from.Resynchronised(node));
            Tree.AddLeftByException(into, from.LeftByException(node));
        }
    }
}
