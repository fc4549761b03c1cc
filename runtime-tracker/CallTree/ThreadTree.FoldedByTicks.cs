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

        /// <summary>
        /// A method with folded calls: their node, and where its figures are (<see cref="NodeTree.Folds"/>); below 0 while they go the
        /// slow way.
        /// </summary>
        private struct FoldedMethod
        {
            internal int Node, Fold;
        }

        // By id less Registry.FirstId. Empty where there is no fast way for them.
        private FoldedMethod[] foldedMethods;
        private readonly FoldedMethod[] noMethods = new FoldedMethod[0];

        /// <summary>The node of the method's folded calls. None when there is none; nothing is allocated.</summary>
        [MethodImpl(HotCode.Inlined)]
        private int FoldedNodeOf(int id)
        {
            int at = id - Registry.FirstId;
            FoldedMethod[] methods = foldedMethods;
            return (uint)at < (uint)methods.Length ? methods[at].Node : Find(FoldedRoot, id);
        }

        /// <summary>The same; it is made. May throw.</summary>
        private int MakeFoldedNode(int id)
        {
            int at = id - Registry.FirstId;
            if (FoldsFast && at >= foldedMethods.Length)
            {
                FoldedMethod[] larger = new FoldedMethod[Math.Max(at + 1, ModuleTable.IdCount)];
                Array.Copy(foldedMethods, larger, foldedMethods.Length);
                foldedMethods = larger;
            }
            int node = FoldedNodeOf(id);
            if (node != None)
                return node;
            node = AddWatchedOrNot(FoldedRoot, id, 0);
            if (at < foldedMethods.Length)
                foldedMethods[at].Node = node;
            return node;
        }

        /// <summary>The figures of that node of folded calls are there: its frames go the fast way from now on, where they are not watched.</summary>
        private void SetFast(int node, int fold)
        {
            int at = Nodes[node].Id - Registry.FirstId;
            if ((uint)at < (uint)foldedMethods.Length && foldedMethods[at].Node == node)
                foldedMethods[at].Fold = IsTimed(node) ? -fold : fold;
        }

        /// <summary>Where the figures of that node of folded calls are, if it has any; else 0. Not by the node, which is far from all else.</summary>
        private int FoldAt(int node, int id)
        {
            int at = id - Registry.FirstId;
            return (uint)at < (uint)foldedMethods.Length ? Math.Abs(foldedMethods[at].Fold) : KnownFold(node);
        }

        /// <summary>The way in when the top frame's node has no child for it, nor a slot for that of the method's folded calls.</summary>
        private int EnterUnlisted(int id)
        {
            int found = Folded == null || !FoldsFast || Registry.HasNodes || IsOwner(Top, id) ? None : FoldedNodeOf(id);
            if (found == None)
                return EnterSlowly(id);
            ShowFolded(Top, found);
            return EnterFolded(id);
        }

        /// <summary>
        /// The way in for a folded call, while the fast one is open or folded frames alone close it. Whatever is not usual goes the slow one: a
        /// tick, too.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        private int EnterFolded(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            int at = id - Registry.FirstId, depth = Depth + 1;
            FoldedMethod[] methods = foldedMethods;
            FoldedFrame[] foldedFrames = Folded;
            if ((uint)at >= (uint)methods.Length || (uint)depth >= (uint)foldedFrames.Length || (uint)depth >= (uint)Frames.Length)
                return EnterSlowly(id);
            int fold = methods[at].Fold;
            if (fold <= 0 || (state & ~TreeState.Folding) != Control.OpenState)
                return EnterSlowly(id);
            ref NodeFold of = ref Folds[fold];
            long calls = of.Entered + 1;
            // Not by the slow way, which leaves the number as it is: all further calls would go that way.
            if ((calls & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
            if (FoldedFrom == NotFolding)
            {
                if (Line < 0)
                    return EnterSlowly(id);
                FollowPath(depth - 1);
            }
            if (Settings.Covers && (IsNewBelow(id) || (Nodes[methods[at].Node].Flags & (Node.Owner | Node.Off)) != 0))
                return EnterSlowly(id);
            ref FoldedFrame folded = ref foldedFrames[depth];
            folded.Begun = lastTick - StoppedTicks;
            folded.Mark = FoldedCalls + 1;
            folded.Fold = fold;
            folded.Outermost = of.Open == 0 && of.OnPath == 0 && path != null;
            ref Frame frame = ref Frames[depth];
            frame.Node = methods[at].Node;
            frame.Start = lastTick;
            if (Clock.Tick != lastTick)
                return EnterSlowly(id);
            of.Entered = calls;
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
                if (FoldedFrom == NotFolding)
                    HideFolded(Frames[Depth].Node, folded);
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
            FoldedFrame[] foldedFrames = Folded;
            int from = FoldedFrom;
            if (token < from || token != Depth || Clock.Tick != lastTick || state != (Control.OpenState | TreeState.Folding) ||
                Frames[token].Start != lastTick || (uint)token >= (uint)foldedFrames.Length)
                return 0;
            ref FoldedFrame folded = ref foldedFrames[token];
            int fold = folded.Fold, callers = token == from ? KnownFold(Frames[token - 1].Node) : foldedFrames[token - 1].Fold;
            if (fold == 0 || callers == 0 || (Settings.Covers && (Nodes[Frames[token].Node].Flags & Node.Owner) != 0))
                return 0;
            NodeFold[] folds = Folds;
            long below = FoldedCalls - folded.Mark;
            ref NodeFold of = ref folds[fold];
            of.All += below;
            of.Open--;
            if (folded.Outermost)
            {
                of.OuterFrames++;
                of.OuterBelow += below;
            }
            ref NodeFold made = ref folds[callers];
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
