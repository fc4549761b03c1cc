// Calls of methods that are only visited: so small that they get no frame. Whatever is not usual enters and leaves them as it does others.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>
        /// Another child is in the slot, or none, or its calls are timed or folded. This and the next return false, with nothing done, where
        /// the call has to be entered and left.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        internal bool VisitOther(int id)
        {
            if (id < 0)
                return HotCode.NeverSo((int)(long)id);
            int found = Slots[Top * SlotsPerNode + (id & (SlotsPerNode - 1))];
            if (Nodes[found].Id != id)
                found = (Nodes[found].Flags & (Node.Listed | Node.Folded)) == 0 ? None : FindListed(Top, id);
            if (found == None && Folded != null && FoldsFast && !Registry.HasNodes && !IsOwner(Top, id) && (found = FoldedNodeOf(id)) != None)
                ShowFolded(Top, found);
            if ((Nodes[found].Flags & Node.Folded) != 0)
                return VisitFolded(id);
            if (found == None || (Nodes[found].Flags & Node.Marks) != 0)
                return false;
            Nodes[found].Calls++;
            InProbe = 0;
            return true;
        }

        /// <summary>
        /// As <see cref="EnterFolded"/> and <see cref="LeaveFolded"/> at once, while the fast way is open or folded frames alone close it. Each
        /// call is an outermost one of its method, as no frame is ever below it.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        internal bool VisitFolded(int id)
        {
            if (id < 0)
                return HotCode.NeverSo((int)(long)id);
            int at = id - Registry.FirstId, depth = Depth;
            FoldedMethod[] methods = foldedMethods;
            if ((uint)at >= (uint)methods.Length || (state & ~TreeState.Folding) != Control.OpenState)
                return false;
            InProbe = 1;
            bool isFirst = FoldedFrom == NotFolding;
            if (isFirst && Settings.Covers)
                FollowPath(depth);
            int fold = methods[at].Fold, callers = isFirst ? KnownFold(Frames[depth].Node) : Folded[depth].Fold;
            if (fold <= 0 || callers == 0 || Clock.Tick != lastTick || (isFirst && Line < 0) ||
                (Settings.Covers && (IsNewBelow(id) || (Nodes[methods[at].Node].Flags & (Node.Owner | Node.Off)) != 0)))
                return false;
            NodeFold[] folds = Folds;
            ref NodeFold of = ref folds[fold];
            of.Entered++;
            of.OuterFrames++;
            FoldedCalls++;
            ref NodeFold made = ref folds[callers];
            made.Calls++;
            if (isFirst)
                made.All++;
            InProbe = 0;
            return true;
        }
    }
}
