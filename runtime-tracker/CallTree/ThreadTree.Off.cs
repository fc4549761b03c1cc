// Calls of methods that the governor has switched off, where tests' methods are noted (FirstCalls.cs).
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        // The frames of roots and later slices that are open, by their depths; those that have been closed since are among them.
        private int[] roots;
        private int rootCount;

        // How often methods had been switched when nodes were last marked.
        private int marked;

        /// <summary>Frames of roots that were open when the last one was opened.</summary>
        internal int RootsOpen
        {
            get { return rootCount; }
        }

        /// <summary>For other threads, too: is a root open? It may have ended just now.</summary>
        internal bool IsWithinRoot
        {
            get
            {
                int[] depths = roots;
                return depths != null && rootCount > 0 && IsRootAt(depths[0]);
            }
        }

        private bool IsRootAt(int depth)
        {
            Frame[] frames = Frames;
            Node[] nodes = Nodes;
            int node = depth <= Depth && depth < frames.Length ? frames[depth].Node : None;
            return node < nodes.Length && (nodes[node].Flags & Node.Owner) != 0;
        }

        /// <summary>The top frame is one of a root or a later slice. May throw.</summary>
        private void RootOpened()
        {
            if (Current != this)
                return;
            while (rootCount > 0 && (roots[rootCount - 1] >= Depth || !IsRootAt(roots[rootCount - 1])))
                rootCount--;
            if (roots == null || rootCount == roots.Length)
                Array.Resize(ref roots, rootCount * 2 + 4);
            roots[rootCount++] = Depth;
            FirstCalls.RootOpened(this, rootCount == 1 || PlaceOf(Frames[Depth].Node) != 0);
        }

        /// <summary>Never throws: where memory runs out, what is off stays noted.</summary>
        private void SeeRoot()
        {
            try
            {
                RootOpened();
            }
            catch (Exception)
            {
            }
        }

        /// <summary>The node that has the methods of the calls which the top frame makes; none where no frame is open.</summary>
        private int OwnerNow()
        {
            if (FoldedFrom != NotFolding)
                return belowOwner;
            while (rootCount > 0 && !IsRootAt(roots[rootCount - 1]))
                rootCount--;
            return rootCount > 0 ? Frames[roots[rootCount - 1]].Node : Depth > 0 ? Frames[1].Node : None;
        }

        /// <summary>
        /// A method that is off is called. Its call is not recorded, but that the owner has called it. Nothing is hidden by a thread without a
        /// root: its first frame may have many calls. Returns 0, the token of no frame.
        /// </summary>
        private int NoteOff(int id)
        {
            if ((State & TreeState.Busy) != 0 || !Follow().Running || ((State & TreeState.Triggered) != 0 && !Wants(id)))
                return 0;
            int owner = OwnerNow();
            if (owner == None || id < Registry.FirstId)
                return 0;
            try
            {
                if (NoteAt(owner, id) && rootCount > 0)
                    FirstCalls.Hide(this, id);
            }
            catch (Exception)
            {
                // Out of memory: it is not known.
            }
            return 0;
        }

        /// <summary>The frame is a step of an async method. It stays on, and its starter: by them the places of later slices are known.</summary>
        internal void KeepStep(int token)
        {
            if (!Settings.Covers || token >= FoldedFrom)
                return;
            Nodes[Frames[token].Node].Flags |= Node.Step;
            Nodes[Frames[token - 1].Node].Flags |= Node.Step;
        }

        /// <summary>Marks the nodes of methods that are off: their calls take the slow way in from now on.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private void MarkOff()
        {
            marked = Switches.Changes;
            for (int i = FoldedRoot + 1; i < Count; i++)
                if (Switches.IsOff(Nodes[i].Id))
                    Nodes[i].Flags |= Node.Off;
                else
                    Nodes[i].Flags &= ~Node.Off;
        }

        /// <summary>The way in to a node that is a root, folded, or of a method that is off.</summary>
        [MethodImpl(HotCode.Hot)]
        private int EnterMarked(int found)
        {
            if (found < 0)
                return HotCode.Never((int)(long)found);
            ref Node node = ref Nodes[found];
            return (node.Flags & (Node.Folded | Node.Off)) == Node.Folded ? EnterFolded(node.Id) : EnterSlowly(node.Id);
        }
    }
}
