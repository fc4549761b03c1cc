// Calls of methods that are only visited: so small that they get no frame. Whatever is not usual enters and leaves them as it does others.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>Nodes with these flags are entered and left.</summary>
        internal const int NotVisited = Node.Marks;

        /// <summary>The fast way is closed: for all, or, where folded frames are open, to all but folded calls. Null: no tree yet.</summary>
        [MethodImpl(HotCode.Hot)]
        internal static void VisitClosed(ThreadTree tree, int id)
        {
            if (id < 0)
            {
                HotCode.NeverLeave((int)(long)id);
                return;
            }
            int[] index = tree == null ? null : tree.foldedAt;
            int at = id - Registry.FirstId;
            if (index != null && tree.state == (Control.OpenState | TreeState.Folding) && (uint)at < (uint)index.Length && index[at] != None)
                tree.VisitFolded(index[at]);
            else
                VisitSlowly(id);
        }

        /// <summary>Another child is in the slot, or none, or its calls are timed or folded.</summary>
        [MethodImpl(HotCode.Hot)]
        internal void VisitOther(int id)
        {
            if (id < 0)
            {
                HotCode.NeverLeave((int)(long)id);
                return;
            }
            int found = FindListed(Top, id);
            if (found == None && Folded != null && FoldsFast && !Registry.HasNodes && !IsOwner(Top, id) && (found = FoldedNodeOf(id)) != None)
                ShowFolded(Top, found);
            if ((Nodes[found].Flags & Node.Folded) != 0)
                VisitFolded(found);
            else if (found == None || (Nodes[found].Flags & NotVisited) != 0)
                VisitSlowly(id);
            else
            {
                Nodes[found].Calls++;
                InProbe = 0;
            }
        }

        /// <summary>
        /// As <see cref="EnterFolded"/> and <see cref="LeaveFolded"/> at once. Each call is an outermost one of its method, as no frame is
        /// ever below it.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        private void VisitFolded(int found)
        {
            if (found < 0)
            {
                HotCode.NeverLeave((int)(long)found);
                return;
            }
            ref Node node = ref Nodes[found];
            InProbe = 1;
            bool isFirst = FoldedFrom == NotFolding;
            if (isFirst && Settings.Covers)
                FollowPath(Depth);
            int fold = node.Recursion, caller = Frames[Depth].Node, callers = isFirst ? KnownFold(caller) : Nodes[caller].Recursion;
            if (fold == 0 || callers == 0 || Clock.Tick != lastTick || (node.Flags & (NotVisited & ~Node.Folded)) != 0 ||
                (Settings.Covers && IsNewBelow(node.Id)))
            {
                VisitSlowly(node.Id);
                return;
            }
            node.Calls++;
            FoldedCalls++;
            Folds[fold].OuterFrames++;
            ref NodeFold made = ref Folds[callers];
            made.Calls++;
            if (isFirst)
                made.All++;
            InProbe = 0;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void VisitSlowly(int id)
        {
            MethodPaces.NoteShort(id);
            ProfileInfoTracker.WhenLeavingMethod(ProfileInfoTracker.WhenEnteringSwitchedOn(id));
        }
    }
}
