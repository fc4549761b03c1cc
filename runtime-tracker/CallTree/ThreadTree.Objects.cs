// How many objects a thread allocates in which of its methods.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>Where the fast way is closed, the thread has no room for the place or the node, or nothing is recorded.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void AllocateSlowly(int site, int token)
        {
            try { } finally { AllocateUnbroken(site, token); }
        }

        private static void AllocateUnbroken(int site, int token)
        {
            ThreadTree tree = Current;
            int at = site - AllocationSites.First;
            if (tree == null || token == 0 || at < 0 || (tree.State & TreeState.Busy) != 0)
                return;
            StackRoom.Ensure();
            if (!tree.Follow().Running)
                return;
            int depth = token < 0 ? tree.Depth : token;
            // After a frame was lost, or outside of all calls.
            if (depth == 0 || depth > tree.Depth || !tree.EnsureObjects(at))
                return;
            Counter.Add(ref tree.Sites[at], 1);
            tree.Give(Figure.Objects, depth, 1);
        }

        /// <summary>Sees to it that there is room for this place, and for all nodes. False: there is no memory for it.</summary>
        private bool EnsureObjects(int at)
        {
            if (at < Sites.Length && Objects.Length >= Nodes.Length)
                return true;
            if (!Guard.Enter())
                return false;
            try
            {
                MakeRoomForObjects();
                if (at >= Sites.Length)
                    Sites = Counting.Grow(Sites, at, AllocationSites.Count);
                return true;
            }
            catch (Exception)
            {
                return false;
            }
            finally
            {
                Guard.Leave();
            }
        }
    }
}
