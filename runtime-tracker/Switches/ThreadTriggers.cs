// The triggers' part that one thread does. While there are none the fast way in and out is open, and
// nothing of this runs.
namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        private const int Outside = int.MaxValue;

        // Null exactly when State has no bit Triggered.
        private Triggers triggers;

        /// <summary>
        /// The lowest frame of a method inside of whose calls is recorded; <see cref="Outside"/>:
        /// there is none. It does not count when it is above the top: that frame has left.
        /// </summary>
        private int insideFrom;

        /// <summary>
        /// The frames up to this one are kept however short they are: those of which a callee was
        /// kept, those that were open before the triggers came, those that an exception has
        /// reached.
        /// </summary>
        private int keptTo;

        private void Obey(Triggers wanted)
        {
            triggers = wanted;
            Hold(wanted != null && wanted.Longer != 0);
            HoldUnrecorded(wanted != null && wanted.Longer != 0);
            if (wanted == null)
            {
                State &= ~TreeState.Triggered;
                return;
            }
            State |= TreeState.Triggered;
            KeepOpen();
            insideFrom = Outside;
            for (int i = Depth; i > 0 && wanted.Below != null; i--)
                if (wanted.Below.Has(Nodes[Frames[i].Node].Id))
                    insideFrom = i;
        }

        /// <summary>No frame that is open now is taken back.</summary>
        internal void KeepOpen()
        {
            keptTo = Depth;
        }

        /// <summary>Is a call of this method, which begins now, to be recorded?</summary>
        private bool Wants(int id)
        {
            int depth = Depth + 1, first = 1;
            if (keptTo >= depth)
                keptTo = depth - 1;
            if (triggers.Below != null)
            {
                if (insideFrom >= depth)
                    insideFrom = triggers.Below.Has(id) ? depth : Outside;
                if (insideFrom == Outside)
                {
                    Skip();
                    return false;
                }
                first = insideFrom;
            }
            if (triggers.Depth == 0 || depth - first < triggers.Depth)
                return true;
            Skip();
            return false;
        }

        /// <summary>
        /// Has the top frame, which is about to close, been long enough? A frame that is kept keeps
        /// its callers. A slice is part of a call that takes longer, when that has awaited. Without a least time all are
        /// kept: the time of a call may be below 0, as a look may take time off it.
        /// </summary>
        private bool Keeps(long elapsed)
        {
            int depth = Depth;
            bool isShort = triggers.Longer != 0 && elapsed < triggers.Longer;
            if (isShort && depth > keptTo && (Nodes[Frames[depth].Node].Flags & Node.Watched) == 0 &&
                (Async == null || !Async.HasAwaited(depth)))
                return false;
            keptTo = depth - 1;
            return true;
        }

        /// <summary>
        /// Takes the top frame from the stack as if its call had never been recorded.
        /// </summary>
        private void TakeBack()
        {
            int depth = Depth, node = Frames[depth].Node;
            HandDownHeld();
            HandDownUnrecorded(depth);
            if (depth >= FoldedFrom)
            {
                FoldedCalls--;
                EndFolded(depth, node);
            }
            Top = Recorded(depth - 1);
            Depth = depth - 1;
            // The enters go on upwards: by them frames are reported from later ones.
            AddTakenBack(node);
        }
    }
}
