// Which of a thread's methods allocates how many bytes, and how many collections come while it runs.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        // The counts at the last enter, leave, or end of the tracker's own work. All since then belongs to the top frame.
        private long lastBytes, lastCollections, lastPause;

        // The thread is inside the tracker: what it allocates, and what comes meanwhile, is nobody's.
        private bool isPaused;

        /// <summary>It is so by <see cref="Guard"/>.</summary>
        internal bool IsPausedByGuard;

        /// <summary>
        /// The way in while bytes or collections are counted and nothing else closes the fast way. It is that of
        /// <see cref="ProfileInfoTracker"/>, with a reading of each before that of the clock. Returns 0 where something has to be made or looked for first.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        private int EnterWithFigures(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            int found = Slots[Top * SlotsPerNode + (id & (SlotsPerNode - 1))];
            if (Nodes[found].Id != id)
            {
                found = FindListed(Top, id);
                if (found == None)
                    return 0;
            }
            ref Node node = ref Nodes[found];
            long calls = node.Calls + 1;
            if ((calls & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
            node.Calls = calls;
            if (Clock.Kind == Clock.Ticking)
                SeeTick(Depth, false);
            MarkTop();
            if (Clock.Kind == Clock.Ticking)
                SeeTick(Depth, true);
            int depth = Depth + 1;
            ref Frame frame = ref Frames[depth];
            frame.Node = found;
            frame.Start = Clock.Now();
            if (frame.Start > NextLook)
                frame.Start = Look(frame.Start);
            if (Clock.Kind == Clock.Ticking && IsTimed(found))
                frame.Start = Clock.Timed();
            Top = found;
            Depth = depth;
            return depth;
        }

        /// <summary>The way out likewise; the clock was read before. False where it is not that simple, and nothing was done.</summary>
        [MethodImpl(HotCode.Hot)]
        private int LeaveWithFigures(int token, long now)
        {
            if (token < 0)
                return HotCode.Never((int)(long)token);
            if (token != Depth || State != (Control.OpenState | TreeState.CountingFigures))
                return 0;
            ref Frame frame = ref Frames[token];
            if (Clock.Kind == Clock.Ticking)
            {
                now = EndOf(token, now);
                SeeTick(token, false);
            }
            MarkTop();
            if (now > NextLook)
                now = LookAtEnd(now);
            ref Node node = ref Nodes[frame.Node];
            long elapsed = now - frame.Start;
            if (Clock.Kind != Clock.Ticking || (frame.Start & Clock.TimedBit) != 0)
            {
                if (elapsed < node.Min || elapsed > node.Max)
                    elapsed = WidenPaused(frame.Node, elapsed);
                node.Ticks += elapsed;
                if (Clock.IsMixed)
                    NoteTimed(frame.Node, elapsed);
            }
            Top = node.Caller;
            Depth = token - 1;
            if (Clock.Kind == Clock.Ticking)
                SeeTick(Depth, true);
            return token;
        }

        /// <summary>All since the last mark is the top frame's, which is no folded one, and all was recorded.</summary>
        [MethodImpl((MethodImplOptions)256)]
        private void MarkTop()
        {
            if (AllocatedBytes.IsCounted)
            {
                long bytes = AllocatedBytes.Now();
                Bytes[Top] += bytes - lastBytes;
                lastBytes = bytes;
            }
            if (CollectionCount.IsCounted && CollectionCount.Now() != lastCollections)
                TakeCollections();
        }

        private long WidenPaused(int node, long elapsed)
        {
            bool paused = PauseFigures();
            elapsed = Widen(node, elapsed);
            if (paused)
                ResumeFigures();
            return elapsed;
        }

        /// <summary>As <see cref="Open"/>.</summary>
        private int OpenWithFigures(int node)
        {
            bool paused = PauseFigures();
            int token = Open(node);
            if (paused)
                ResumeFigures();
            return token;
        }

        /// <summary>
        /// All that the thread has allocated since the last mark is the top frame's, unless nothing was recorded in between. Called by the
        /// thread itself, as all of these.
        /// </summary>
        internal void MarkFigures()
        {
            if ((State & TreeState.CountingFigures) == 0 || isPaused || !Features.Alloc)
                return;
            if (AllocatedBytes.IsCounted)
            {
                long bytes = AllocatedBytes.Now(), more = bytes - lastBytes;
                lastBytes = bytes;
                // Folded calls may take room for their callers' sums.
                if (more != 0 && IsRecorded() && Give(Figure.Bytes, Depth, more) && Depth >= FoldedFrom)
                    lastBytes = AllocatedBytes.Now();
            }
            if (CollectionCount.IsCounted && CollectionCount.Now() != lastCollections)
                TakeCollections();
        }

        /// <summary>There were collections since the last mark. They may take room at the node, which is the tracker's.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private void TakeCollections()
        {
            long collections = CollectionCount.Now() - lastCollections, pause = CollectionCount.Pause() - lastPause;
            if (IsRecorded())
            {
                Give(Figure.Collections, Depth, collections);
                if (pause > 0)
                    Give(Figure.Pause, Depth, pause);
            }
            SkipFigures();
        }

        /// <summary>Was all recorded since the thread has looked for the phase last?</summary>
        private bool IsRecorded()
        {
            if ((State & TreeState.Epoch) == Control.OpenState)
                return true;
            Phase phase = Control.Current;
            return phase.Running && phase.Generation == Generation && phase.StoppedTicks == StoppedTicks;
        }

        /// <summary>All that the thread has allocated since the last mark is nobody's.</summary>
        internal void SkipFigures()
        {
            if ((State & TreeState.CountingFigures) == 0 || !Features.Alloc)
                return;
            if (CollectionCount.IsCounted)
            {
                long collections = CollectionCount.Now();
                if (collections != lastCollections)
                    lastPause = CollectionCount.Pause();
                lastCollections = collections;
            }
            if (AllocatedBytes.IsCounted)
                lastBytes = AllocatedBytes.Now();
        }

        /// <summary>
        /// The tracker begins to work for itself. True: it did not do so already, and the caller has to end that by
        /// <see cref="ResumeFigures"/>.
        /// </summary>
        internal bool PauseFigures()
        {
            if ((State & TreeState.CountingFigures) == 0 || isPaused || !Features.Alloc)
                return false;
            MarkFigures();
            isPaused = true;
            return true;
        }

        internal void ResumeFigures()
        {
            isPaused = false;
            SkipFigures();
        }

        /// <summary>The same for parts of the tracker that know no tree.</summary>
        internal static ThreadTree PauseFiguresOfThisThread()
        {
            ThreadTree tree = Current;
            return tree != null && tree.PauseFigures() ? tree : null;
        }
    }
}
