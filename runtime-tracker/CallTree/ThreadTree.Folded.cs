// Frames that have no node of their own: their methods' nodes stand below the root of the folded calls.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>A folded frame has this beside its <see cref="Frame"/>.</summary>
    internal struct FoldedFrame
    {
        /// <summary>Time of its closed callees.</summary>
        internal long CalleeTicks;

        /// <summary>While a clock ticks: the last tick that the thread had noticed then, in recorded time.</summary>
        internal long Begun;

        /// <summary>How many folded calls the thread had, with this one, when it began.</summary>
        internal long Mark;

        /// <summary>Where the figures of its method are (<see cref="NodeTree.Folds"/>); 0: it has none.</summary>
        internal int Fold;

        /// <summary>No frame of the same method was below it on the stack.</summary>
        internal bool Outermost;
    }

    internal sealed partial class ThreadTree
    {
        /// <summary>Per folded frame; null until a call is folded.</summary>
        internal FoldedFrame[] Folded;

        /// <summary>Some call of a thread was folded, so that it is of use to know what that costs.</summary>
        internal static volatile bool AnyFolded;

        /// <summary>Each call that has no node is folded: for calibration.</summary>
        internal bool FoldsAll;

        // The nodes of the normal frames below the lowest folded one, from 1, which the nodes of folded methods know of (NodeFold.OnPath).
        private int[] path;
        private int pathDepth;

        /// <summary>Makes what folded frames need. May throw.</summary>
        private void MakeRoomForFolded()
        {
            if (Folded == null)
            {
                AnyFolded = AnyFolded || !FoldsAll;
                Folded = new FoldedFrame[Frames.Length];
            }
            else if (Folded.Length < Frames.Length)
                Array.Resize(ref Folded, Frames.Length);
        }

        private void DropFolded()
        {
            Folded = null;
            foldedMethods = noMethods;
            DropBelow();
            path = null;
            pathDepth = 0;
        }

        /// <summary>
        /// Where a call has no node and cannot have one: the node of folded calls that it goes to, from now on, if nothing has to be
        /// made for it. Else none.
        /// </summary>
        private int BeginFolding(int id)
        {
            int depth = Depth + 1;
            if (Folded == null || FoldedFrom != NotFolding || depth >= Folded.Length || depth >= Frames.Length)
                return None;
            if ((Registry.HasNodes || IsOwner(Frames[depth - 1].Node, id)) && !FoldsAll &&
                RecursionOfChild(Frames[depth - 1].Node, id) < Settings.RecursionLimit)
                return None;
            int found = FoldedNodeOf(id);
            if (found != None)
            {
                if (FoldsFast)
                    ShowFolded(Frames[depth - 1].Node, found);
                FoldedFrom = depth;
                State |= TreeState.Folding;
            }
            return found;
        }

        [MethodImpl(HotCode.Hot)]
        private void OpenFolded(int depth, int node)
        {
            if (depth < 0)
            {
                HotCode.NeverLeave((int)(long)depth);
                return;
            }
            if (depth == FoldedFrom)
                FollowPath(depth - 1);
            FoldedCalls++;
            if (Settings.Covers)
                NoteBelow(node);
            int fold = FoldOfMethod(node);
            Counter.Set(ref Folded[depth].CalleeTicks, 0);
            Counter.Set(ref Folded[depth].Begun, lastTick - StoppedTicks);
            Counter.Set(ref Folded[depth].Mark, FoldedCalls);
            Folded[depth].Outermost = fold != 0 && path != null && Folds[fold].Open == 0 && Folds[fold].OnPath == 0;
            Folded[depth].Fold = fold;
            if (fold != 0)
                Folds[fold].Open++;
        }

        /// <summary>The top frame, a folded one, closes after that time.</summary>
        [MethodImpl(HotCode.Hot)]
        private void CloseFolded(int depth, int node, long elapsed)
        {
            if (depth < 0)
            {
                HotCode.NeverLeave((int)(long)depth);
                return;
            }
            int caller = Frames[depth - 1].Node;
            bool ticks = Clock.Kind == Clock.Ticking;
            if (ticks)
                elapsed = Math.Max(lastTick - StoppedTicks - Folded[depth].Begun, 0);
            long own = elapsed - Folded[depth].CalleeTicks;
            if (own > 0 && !ticks)
                Counter.Add(ref Nodes[node].Ticks, own);
            NodeFold of = FiguresOf(Folded, depth, elapsed);
            int fold = Folded[depth].Fold, callersFold = depth == FoldedFrom ? 0 : Folded[depth - 1].Fold;
            if (fold != 0)
                Folds[fold].Add(of);
            NodeFold callers = new NodeFold();
            callers.Calls = 1;
            if (depth == FoldedFrom)
            {
                callers.All = of.All + 1;
                AddFoldedTicks(caller, ticks ? 0 : elapsed);
            }
            else if (!ticks)
                Counter.Add(ref Folded[depth - 1].CalleeTicks, elapsed);
            if (callersFold != 0)
                Folds[callersFold].Add(callers);
            else
                AddFold(caller, callers);
            EndFolded(depth, node);
        }

        /// <summary>What a frame that has taken so long adds to its method's. For other threads, too.</summary>
        internal NodeFold FiguresOf(FoldedFrame[] frames, int depth, long elapsed)
        {
            NodeFold of = new NodeFold();
            of.Ticks = elapsed;
            of.All = Math.Max(FoldedCalls - Counter.Read(ref frames[depth].Mark), 0);
            if (frames[depth].Outermost)
            {
                of.OuterTicks = elapsed;
                of.OuterFrames = 1;
                of.OuterBelow = of.All;
            }
            return of;
        }

        /// <summary>The top frame, a folded one, leaves the stack.</summary>
        private void EndFolded(int depth, int node)
        {
            int fold = Folded[depth].Fold;
            if (fold != 0)
                Folds[fold].Open--;
            if (depth != FoldedFrom)
            {
                if ((Nodes[node].Flags & Node.Owner) != 0)
                    FindOwner(depth - 1);
                return;
            }
            FoldedFrom = NotFolding;
            State &= ~TreeState.Folding;
        }

        /// <summary>
        /// Where the figures of a method that was folded are, which know how often it stands on the path. 0: there is no memory for them.
        /// </summary>
        private int FoldOfMethod(int node)
        {
            int fold = FoldAt(node, Nodes[node].Id);
            if (fold != 0)
                return fold;
            fold = FoldOf(node);
            for (int i = 1; i <= pathDepth && fold != 0; i++)
                if (Nodes[path[i]].Id == Nodes[node].Id)
                    Folds[fold].OnPath++;
            SetFast(node, fold);
            return fold;
        }

        /// <summary>
        /// The frames up to this one are the path. Only those that are not the same as before are looked at, each of which the
        /// program has entered or left since.
        /// </summary>
        private void FollowPath(int top)
        {
            if (Settings.Covers && !KeepsOwner(top))
                FindOwner(top);
            int same = Math.Min(pathDepth, top);
            // Two paths of one tree that meet at a place are the same below it.
            while (same > 0 && path[same] != Frames[same].Node)
                same--;
            for (; pathDepth > same; pathDepth--)
                CountOnPath(path[pathDepth], -1);
            try
            {
                if (path == null || path.Length <= top)
                    Array.Resize(ref path, Frames.Length);
            }
            catch (Exception)
            {
                // Out of memory: nothing is outermost from now on.
                for (; pathDepth > 0; pathDepth--)
                    CountOnPath(path[pathDepth], -1);
                path = null;
                return;
            }
            while (pathDepth < top)
            {
                path[++pathDepth] = Frames[pathDepth].Node;
                CountOnPath(path[pathDepth], 1);
            }
        }

        private void CountOnPath(int node, int more)
        {
            int id = Nodes[node].Id, method = FoldedNodeOf(id), fold = method == None ? 0 : FoldAt(method, id);
            if (fold != 0)
                Folds[fold].OnPath += more;
        }

        // ---- Calls that are not recorded -----------------------------------------------------------------------------

        // By open frame, while calls may be taken back; null: they stand at the nodes.
        private volatile NodeFold[] unrecorded;

        private void MakeRoomForUnrecorded()
        {
            NodeFold[] frames = unrecorded;
            if (frames == null)
                return;
            Array.Resize(ref frames, Frames.Length);
            unrecorded = frames;
        }

        /// <summary>A call that the top frame makes is not recorded.</summary>
        private void Skip()
        {
            NodeFold skipped = new NodeFold();
            skipped.Skipped = 1;
            AddUnrecorded(Depth, skipped);
        }

        private void AddUnrecorded(int depth, NodeFold more)
        {
            NodeFold[] frames = unrecorded;
            if (depth == 0)
                return;
            if (frames != null && depth < frames.Length)
                frames[depth].Add(more);
            else
                AddFold(Frames[depth].Node, more);
        }

        /// <summary>The top frame closes, and is kept.</summary>
        private void GiveUnrecorded(int depth)
        {
            NodeFold[] frames = unrecorded;
            if (frames == null || depth >= frames.Length || (frames[depth].TakenBack | frames[depth].Skipped) == 0)
                return;
            AddFold(Frames[depth].Node, frames[depth]);
            frames[depth] = new NodeFold();
        }

        /// <summary>The top frame is taken back: its time, and all that was not recorded in it, is its caller's.</summary>
        private void HandDownUnrecorded(int depth)
        {
            NodeFold[] frames = unrecorded;
            NodeFold more = new NodeFold();
            if (frames != null && depth < frames.Length)
            {
                more = frames[depth];
                frames[depth] = new NodeFold();
            }
            more.TakenBack++;
            AddUnrecorded(depth - 1, more);
        }

        /// <summary>From now on calls may be taken back, or none is.</summary>
        private void HoldUnrecorded(bool wanted)
        {
            for (int depth = 1; unrecorded != null && depth <= Depth; depth++)
                GiveUnrecorded(depth);
            unrecorded = wanted ? new NodeFold[Frames.Length] : null;
        }

        /// <summary>For another thread: what the frame at this place has of it that does not stand at its node yet.</summary>
        internal NodeFold Unrecorded(int depth)
        {
            NodeFold[] frames = unrecorded;
            return frames == null || depth >= frames.Length ? new NodeFold() : frames[depth];
        }

        /// <summary>The node that stands for the frame in the tree of callers and callees: of a folded one, that of its nearest caller there.</summary>
        internal int Recorded(int depth)
        {
            return Frames[Math.Min(depth, FoldedFrom - 1)].Node;
        }

        /// <summary>Own time of the folded calls of a method.</summary>
        internal long FoldedTicks(int id)
        {
            return Nodes[Find(FoldedRoot, id)].Ticks;
        }

        /// <summary>For calibration: calls of that method, which have no node, are folded from now on. May throw.</summary>
        internal void FoldAll(int id)
        {
            FoldsAll = true;
            MakeRoomForFolded();
            MakeFoldedNode(id);
        }

        /// <summary>For calibration: other triggers than the program's, or none, for calls that are not to be recorded.</summary>
        internal void Trigger(Triggers wanted)
        {
            Obey(wanted);
        }
    }
}
