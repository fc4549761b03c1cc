// Folded calls while a clock ticks: their time is the ticks that the thread has noticed between enter and leave.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>May a slot have a node of folded calls, so that they go a fast way? Not where figures are counted: that has a way of its own.</summary>
        private static bool FoldsFast
        {
            get { return Clock.Kind == Clock.Ticking && !AllocatedBytes.IsCounted && !CollectionCount.IsCounted; }
        }

        /// <summary>The way in while <see cref="Line"/> says that the fast one is closed: it is open to folded calls when these alone close it.</summary>
        [MethodImpl(CalibrationCalls.Hot)]
        internal int EnterClosed(int id)
        {
            if (id < 0)
                return CalibrationCalls.Never((int)(long)id);
            if (state != (Control.OpenState | TreeState.Folding) || !FoldsFast)
                return EnterSlowly(id);
            int caller = Frames[Depth].Node, found = Slots[caller * SlotsPerNode + (id & (SlotsPerNode - 1))];
            if (Nodes[found].Id != id)
            {
                found = FindFolded(caller, id);
                if (found == None)
                    return EnterSlowly(id);
            }
            return EnterFolded(found);
        }

        /// <summary>The way in when the top frame's node has no child for it, nor a slot for that of the method's folded calls.</summary>
        private int EnterUnlisted(int id)
        {
            int found = Folded == null || !FoldsFast || Registry.HasNodes ? None : FindFolded(Top, id);
            return found == None ? EnterSlowly(id) : EnterFolded(found);
        }

        /// <summary>The way in to a node of folded calls. Whatever is not usual, a tick too, goes the slow one.</summary>
        [MethodImpl(CalibrationCalls.Hot)]
        private int EnterFolded(int found)
        {
            if (found < 0)
                return CalibrationCalls.Never((int)(long)found);
            ref Node node = ref Nodes[found];
            int depth = Depth + 1, fold = KnownFold(found);
            long calls = node.Calls + 1;
            if (fold == 0 || depth >= Folded.Length || depth >= Frames.Length || IsTimed(found) || (calls & StackRoom.CallsBetween) == 0)
                return EnterSlowly(node.Id);
            ref FoldedFrame folded = ref Folded[depth];
            ref NodeFold of = ref Folds[fold];
            if (FoldedFrom == NotFolding)
                FollowPath(depth - 1);
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
            return depth;
        }

        /// <summary>The way out of a folded frame that has seen no tick. 0, with nothing done: it is none, or has seen one.</summary>
        [MethodImpl(CalibrationCalls.Hot)]
        private int LeaveFolded(int token)
        {
            if (token < 0)
                return CalibrationCalls.Never((int)(long)token);
            if (Clock.Tick != lastTick || token != Depth || state != (Control.OpenState | TreeState.Folding) || Frames[token].Start != lastTick)
                return 0;
            int node = Frames[token].Node, fold = KnownFold(node), callers = KnownFold(Frames[token - 1].Node);
            if (fold == 0 || callers == 0 || IsTimed(node) || token >= Folded.Length || token < FoldedFrom)
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
            ref NodeFold caller = ref Folds[callers];
            caller.Calls++;
            if (token == FoldedFrom)
            {
                caller.All += below + 1;
                FoldedFrom = NotFolding;
                state &= ~TreeState.Folding;
                Line = lastTick;
            }
            Depth = token - 1;
            return token;
        }
    }
}
