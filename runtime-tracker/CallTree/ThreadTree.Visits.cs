// Calls of methods that are only visited: so small that they get no frame. Whatever is not usual enters and leaves them as it does others.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>
        /// The fast way is closed: for all, or, where folded frames are open, to all but folded calls. This and the next return false, with
        /// nothing done, where the call has to be entered and left.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        internal bool VisitClosed(int id)
        {
            if (id < 0)
                return HotCode.NeverSo((int)(long)id);
            int[] index = foldedAt;
            int at = id - Registry.FirstId;
            return state == (Control.OpenState | TreeState.Folding) && (uint)at < (uint)index.Length && index[at] != None && VisitFolded(index[at]);
        }

        /// <summary>Another child is in the slot, or none, or its calls are timed or folded.</summary>
        [MethodImpl(HotCode.Hot)]
        internal bool VisitOther(int id)
        {
            if (id < 0)
                return HotCode.NeverSo((int)(long)id);
            int found = FindListed(Top, id);
            if (found == None && Folded != null && FoldsFast && !Registry.HasNodes && !IsOwner(Top, id) && (found = FoldedNodeOf(id)) != None)
                ShowFolded(Top, found);
            if ((Nodes[found].Flags & Node.Folded) != 0)
                return VisitFolded(found);
            if (found == None || (Nodes[found].Flags & Node.Marks) != 0)
                return false;
            Nodes[found].Calls++;
            InProbe = 0;
            return true;
        }

        /// <summary>
        /// As <see cref="EnterFolded"/> and <see cref="LeaveFolded"/> at once. Each call is an outermost one of its method, as no frame is
        /// ever below it.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        private bool VisitFolded(int found)
        {
            if (found < 0)
                return HotCode.NeverSo((int)(long)found);
            ref Node node = ref Nodes[found];
            InProbe = 1;
            bool isFirst = FoldedFrom == NotFolding;
            if (isFirst && Settings.Covers)
                FollowPath(Depth);
            int fold = node.Recursion, caller = Frames[Depth].Node, callers = isFirst ? KnownFold(caller) : Nodes[caller].Recursion;
            if (fold == 0 || callers == 0 || Clock.Tick != lastTick || (node.Flags & (Node.Marks & ~Node.Folded)) != 0 ||
                (Settings.Covers && IsNewBelow(node.Id)))
                return false;
            node.Calls++;
            FoldedCalls++;
            Folds[fold].OuterFrames++;
            ref NodeFold made = ref Folds[callers];
            made.Calls++;
            if (isFirst)
                made.All++;
            InProbe = 0;
            return true;
        }
    }
}
