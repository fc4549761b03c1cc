// Which methods were folded below a root, a test mostly: what a test has run is known whether its calls have nodes or not.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        private const int BitsPerWord = 64;

        // Folded calls belong to the nearest root, or later slice of an async call, else to the frame that the thread has called first.
        private int belowOwner;

        // That one's methods, a bit each by id less Registry.FirstId. Empty: it has none.
        private long[] below;

        // How many calls were folded when it became the owner.
        private long belowSince;

        // The frame of a later slice that is folded, which owns what it calls; the owner before it.
        private int ownedFrom, ownerBefore;

        // Such a frame was the owner since one was last looked for.
        private bool ownerPasses;

        /// <summary>Are the nodes of this method, called there, owners? They are there whatever the budget is.</summary>
        private bool IsOwner(int caller, int id)
        {
            return Settings.Covers && (caller == Root || Roots.Has(id)) && !FoldsAll;
        }

        /// <summary>The next frame after this one is folded.</summary>
        private void FindOwner(int depth)
        {
            ownerPasses = false;
            while (depth > 1 && (Nodes[Frames[depth].Node].Flags & Node.Owner) == 0)
                depth--;
            SetOwner(Frames[depth].Node);
        }

        private void SetOwner(int node)
        {
            if (node == belowOwner)
                return;
            AddBelowCalls(belowOwner, FoldedCalls - belowSince);
            belowSince = FoldedCalls;
            belowOwner = node;
            below = BelowOf(node);
        }

        /// <summary>The frame with this token, the top one, is folded and runs a later slice: what it calls is noted there.</summary>
        private void OwnFolded(int token, int place)
        {
            if (!Settings.Covers)
                return;
            int id = Nodes[Frames[token].Node].Id, found = FindPlaced(Root, id, place);
            if (found == None)
                found = MakePlaced(Root, id, 0, place);
            if (found == None)
                return;
            ownerBefore = belowOwner;
            ownedFrom = token;
            ownerPasses = true;
            SetOwner(found);
        }

        /// <summary>A node for that place; None when there is no room for another one.</summary>
        private int MakePlaced(int caller, int id, int recursion, int place)
        {
            if (!HasRoom() || !Registry.TakeNode(IsOwner(caller, 0)))
                return None;
            NodeCount++;
            int made = AddPlaced(caller, id, recursion, place);
            if (made != None)
                Nodes[made].Flags |= Settings.Covers ? Node.Owner : 0;
            return made;
        }

        /// <summary>The slice of the frame with this token ends.</summary>
        internal void EndOwned(int token)
        {
            if (!ownerPasses || ownedFrom != token)
                return;
            ownedFrom = 0;
            SetOwner(ownerBefore);
        }

        /// <summary>Of this owner, for another thread: the folded calls that do not stand at its node yet.</summary>
        internal long BelowCallsNow(int node)
        {
            return node == belowOwner ? FoldedCalls - belowSince : 0;
        }

        /// <summary>Has the owner lasted since the last folded call, after which no frame up to this one has changed?</summary>
        private bool KeepsOwner(int top)
        {
            return !ownerPasses && top > 0 && pathDepth == top && path[top] == Frames[top].Node && (Nodes[belowOwner].Flags & Node.Folded) == 0;
        }

        /// <summary>A method that is not known to have been folded below the owner takes the slow way.</summary>
        [MethodImpl((MethodImplOptions)256)]
        private bool IsNewBelow(int id)
        {
            int at = id - Registry.FirstId;
            long[] known = below;
            return (uint)(at / BitsPerWord) >= (uint)known.Length || (known[at / BitsPerWord] & 1L << at) == 0;
        }

        /// <summary>A frame of that node is folded. A root's is the owner then, but for one that another root calls, not a slice. Never throws.</summary>
        private void NoteBelow(int node)
        {
            if ((Nodes[node].Flags & Node.Owner) != 0 && (!Roots.Has(Nodes[belowOwner].Id) || PlaceOf(belowOwner) != 0))
                SetOwner(node);
            if (!IsNewBelow(Nodes[node].Id))
                return;
            try
            {
                NoteAt(belowOwner, Nodes[node].Id);
            }
            catch (Exception)
            {
                // Out of memory: it is not known.
            }
        }

        /// <summary>The owner has called the method. False when there is no memory for it. May throw.</summary>
        private bool NoteAt(int owner, int id)
        {
            int at = id - Registry.FirstId, word = at / BitsPerWord;
            if (at < 0)
                return false;
            long[] known = owner == belowOwner ? below : BelowOf(owner);
            if (word >= known.Length)
            {
                Array.Resize(ref known, Math.Max(word, ModuleTable.IdCount / BitsPerWord) + 1);
                if (!KeepBelow(owner, known))
                    return false;
                if (owner == belowOwner)
                    below = known;
            }
            known[word] |= 1L << at;
            return true;
        }

        private void DropBelow()
        {
            belowOwner = None;
            ownerPasses = false;
            belowSince = FoldedCalls = 0;
            below = noCounts;
            rootCount = 0;
            if (Settings.Covers && Current == this)
                FirstCalls.Drop();
        }
    }
}
