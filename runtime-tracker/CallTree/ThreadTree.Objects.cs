// How many objects a thread allocates in which of its methods.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        // While calls may be taken back: the objects of each open frame so far. Null: they stand at the node.
        private volatile long[] heldObjects;

        /// <summary>Where the fast way is closed, the thread has no room for the place or the node, or nothing is recorded.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void AllocateSlowly(int site, int token)
        {
            ThreadTree tree = Current;
            int at = site - AllocationSites.First;
            if (tree == null || token == 0 || at < 0 || (tree.State & Busy) != 0)
                return;
            StackRoom.Ensure();
            if (!tree.Follow().Running)
                return;
            int depth = token < 0 ? tree.Depth : token;
            // After a frame was lost, or outside of all calls.
            if (depth == 0 || depth > tree.Depth || !tree.EnsureObjects(at))
                return;
            Counter.Add(ref tree.Sites[at], 1);
            long[] held = tree.heldObjects;
            if (held != null && depth < held.Length)
                Counter.Add(ref held[depth], 1);
            else
                tree.GiveObjects(depth, 1);
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

        private void GiveObjects(int depth, long objects)
        {
            AddObjects(Frames[depth].Node, objects);
            if (depth >= FoldedFrom)
                AddFoldedObjects(Frames[FoldedFrom - 1].Node, objects);
        }

        /// <summary>The top frame closes, and is kept.</summary>
        private void GiveHeldObjects()
        {
            long[] frames = heldObjects;
            int depth = Depth;
            if (frames == null || depth >= frames.Length || frames[depth] == 0)
                return;
            long objects = frames[depth];
            Counter.Set(ref frames[depth], 0);
            GiveObjects(depth, objects);
        }

        /// <summary>The top frame is taken back: its objects are its caller's.</summary>
        private void HandDownHeldObjects()
        {
            long[] frames = heldObjects;
            int depth = Depth;
            if (frames == null || depth >= frames.Length || frames[depth] == 0)
                return;
            Counter.Add(ref frames[depth - 1], frames[depth]);
            Counter.Set(ref frames[depth], 0);
        }

        /// <summary>From now on calls may be taken back, or none is.</summary>
        private void HoldObjects(bool wanted)
        {
            long[] frames = heldObjects;
            heldObjects = null;
            for (int depth = 1; frames != null && depth <= Depth && depth < frames.Length; depth++)
                if (frames[depth] != 0)
                    GiveObjects(depth, frames[depth]);
            if (wanted && AllocationSites.Any)
                heldObjects = new long[Frames.Length];
        }

        /// <summary>For another thread: the objects that the frame at this place holds.</summary>
        internal long HeldObjects(int depth)
        {
            long[] frames = heldObjects;
            return frames == null || depth >= frames.Length ? 0 : Counter.Read(ref frames[depth]);
        }
    }
}
