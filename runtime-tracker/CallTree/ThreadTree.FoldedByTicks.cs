// Folded calls while a clock ticks: their time is the ticks that the thread has noticed between enter and leave.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>May a slot have a node of folded calls, so that they go a fast way? Not where figures are counted: that has a way of its own.</summary>
        private static bool FoldsFast
        {
            [MethodImpl((MethodImplOptions)256)]
            get { return Clock.Kind == Clock.Ticking && !AllocatedBytes.IsCounted && !CollectionCount.IsCounted; }
        }

        // By id less Registry.FirstId: the nodes of folded calls. Empty where there is no fast way for them.
        private int[] foldedAt;
        private readonly int[] noIndex = new int[0];

        /// <summary>The node of the method's folded calls. None when there is none; nothing is allocated.</summary>
        [MethodImpl((MethodImplOptions)256)]
        private int FoldedNodeOf(int id)
        {
            int at = id - Registry.FirstId;
            int[] index = foldedAt;
            return (uint)at < (uint)index.Length ? index[at] : Find(FoldedRoot, id);
        }

        /// <summary>The same; it is made. May throw.</summary>
        private int MakeFoldedNode(int id)
        {
            int at = id - Registry.FirstId;
            if (FoldsFast && at >= foldedAt.Length)
            {
                int[] larger = foldedAt;
                Array.Resize(ref larger, Math.Max(at + 1, ModuleTable.IdCount));
                foldedAt = larger;
            }
            int node = FoldedNodeOf(id);
            if (node != None)
                return node;
            node = AddWatchedOrNot(FoldedRoot, id, 0);
            if (at < foldedAt.Length)
                foldedAt[at] = node;
            return node;
        }

        /// <summary>The way in while <see cref="Line"/> says that the fast one is closed: it is open to folded calls when these alone close it.</summary>
        [MethodImpl(HotCode.Hot)]
        internal int EnterClosed(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            int at = id - Registry.FirstId;
            int[] index = foldedAt;
            if (state != (Control.OpenState | TreeState.Folding) || (uint)at >= (uint)index.Length || index[at] == None)
                return EnterSlowly(id);
            return EnterFolded(index[at]);
        }

        /// <summary>The way in when the top frame's node has no child for it, nor a slot for that of the method's folded calls.</summary>
        private int EnterUnlisted(int id)
        {
            int found = Folded == null || !FoldsFast || Registry.HasNodes || IsOwner(Top, id) ? None : FoldedNodeOf(id);
            if (found == None)
                return EnterSlowly(id);
            ShowFolded(Top, found);
            return EnterFolded(found);
        }

        /// <summary>The way in to a node of folded calls. Whatever is not usual, a tick too, goes the slow one.</summary>
        [MethodImpl(HotCode.Hot)]
        private int EnterFolded(int found)
        {
            if (found < 0)
                return HotCode.Never((int)(long)found);
            ref Node node = ref Nodes[found];
            int depth = Depth + 1, fold = node.Recursion;
            long calls = node.Calls + 1;
            if (fold == 0 || depth >= Folded.Length || depth >= Frames.Length || IsTimed(found) || (calls & StackRoom.CallsBetween) == 0)
                return EnterSlowly(node.Id);
            ref FoldedFrame folded = ref Folded[depth];
            ref NodeFold of = ref Folds[fold];
            if (FoldedFrom == NotFolding)
                FollowPath(depth - 1);
            if (Settings.Covers && (IsNewBelow(node.Id) || (node.Flags & (Node.Owner | Node.Off)) != 0))
                return EnterSlowly(node.Id);
            folded.Begun = lastTick - StoppedTicks;
            folded.Mark = FoldedCalls + 1;
            folded.Outermost = of.Open == 0 && of.OnPath == 0 && path != null;
            ref Frame frame = ref Frames[depth];
            frame.Node = found;
            frame.Start = lastTick;
            if (Clock.Tick != lastTick)
                return EnterSlowly(node.Id);
            node.Calls = calls;
            FoldedCalls++;
            of.Open++;
            if (FoldedFrom == NotFolding)
            {
                FoldedFrom = depth;
                state |= TreeState.Folding;
                Line = Closed;
            }
            Depth = depth;
            InProbe = 0;
            return depth;
        }

        /// <summary>
        /// When a tick has come: folded frames are open, which then take time, and there are nodes for them now. Not where others know the
        /// frames by their nodes, or record them by themselves.
        /// </summary>
        private bool MayUnfold()
        {
            return state == (Control.OpenState | TreeState.Folding) && FoldsFast && Registry.HasNodes && !FoldsAll && Async == null && Scopes == null &&
                   ExceptionsInFlight == null;
        }

        /// <summary>A folded frame of that node has seen a tick, and was closed: those below get nodes, and it when it is called again.</summary>
        private void UnfoldAround(int folded)
        {
            if (!Guard.Enter())
                return;
            try
            {
                if (FoldedFrom != NotFolding)
                    Unfold();
                int slot = SlotOf(Frames[Depth].Node, Nodes[folded].Id);
                if (Slots[slot] == folded && FoldedFrom == NotFolding)
                    Slots[slot] = None;
            }
            catch (Exception)
            {
                // Out of memory: they stay folded.
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>Gives the open folded frames nodes of their own, from the lowest one on, as far as there are some to be had. May throw.</summary>
        private void Unfold()
        {
            SeeTick(Depth, false);
            Moves++;
            try
            {
                while (FoldedFrom <= Depth && UnfoldLowest())
                {
                }
            }
            finally
            {
                Top = Recorded(Depth);
                OpenOrCloseLine();
                Moves++;
            }
        }

        /// <summary>
        /// What the frame was by now stays with the folded calls of its method, and what it has called with its caller's; the call is the
        /// new node's, and its time from now on. The node's calls are not all timed then.
        /// </summary>
        private bool UnfoldLowest()
        {
            int depth = FoldedFrom, method = Frames[depth].Node, caller = Frames[depth - 1].Node;
            int node = Find(caller, Nodes[method].Id);
            if (node == None)
                node = NewNode(caller, Nodes[method].Id);
            if (node == None)
                return false;
            NodeFold of = FiguresOf(Folded, depth, Math.Max(lastTick - StoppedTicks - Folded[depth].Begun, 0)), below = new NodeFold();
            // The frames above are not done: they are counted where they end.
            of.All = below.All = Math.Max(of.All - (Depth - depth), 0);
            of.OuterFrames = 0;
            AddFold(method, of);
            AddFold(caller, below);
            FoldedCalls--;
            for (int i = depth + 1; i <= Depth; i++)
                Counter.Add(ref Folded[i].Mark, -1);
            int fold = KnownFold(method);
            if (fold != 0)
                Folds[fold].Open--;
            Counter.Add(ref Nodes[method].Calls, -1);
            Counter.Add(ref Nodes[node].Calls, 1);
            Counter.Set(ref Frames[depth].Start, lastTick);
            KeepTimed(node, depth);
            Frames[depth].Node = node;
            FoldedFrom = depth < Depth ? depth + 1 : NotFolding;
            if (FoldedFrom == NotFolding)
                state &= ~TreeState.Folding;
            return true;
        }

        /// <summary>The way out of a folded frame that has seen no tick. 0, with nothing done: it is none, or has seen one.</summary>
        [MethodImpl(HotCode.Hot)]
        private int LeaveFolded(int token)
        {
            if (token < 0)
                return HotCode.Never((int)(long)token);
            if (Clock.Tick != lastTick || token != Depth || state != (Control.OpenState | TreeState.Folding) || Frames[token].Start != lastTick)
                return 0;
            int from = FoldedFrom;
            if (token >= Folded.Length || token < from)
                return 0;
            int node = Frames[token].Node, caller = Frames[token - 1].Node, fold = Nodes[node].Recursion;
            int callers = token == from ? KnownFold(caller) : Nodes[caller].Recursion;
            if (fold == 0 || callers == 0 || (Nodes[node].Flags & (Node.Timed | Node.Watched | Node.Owner)) != 0)
                return 0;
            long below = FoldedCalls - Folded[token].Mark;
            ref NodeFold of = ref Folds[fold];
            of.All += below;
            of.Open--;
            if (Folded[token].Outermost)
            {
                of.OuterFrames++;
                of.OuterBelow += below;
            }
            ref NodeFold made = ref Folds[callers];
            made.Calls++;
            if (token == from)
            {
                made.All += below + 1;
                FoldedFrom = NotFolding;
                state &= ~TreeState.Folding;
                Line = lastTick;
            }
            Depth = token - 1;
            return token;
        }
    }
}
