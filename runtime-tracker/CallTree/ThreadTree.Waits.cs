// How long a thread was blocked in which of its methods.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>
        /// The first enter or leave after this time looks how long the thread was blocked before it: so calls pay one comparison, and
        /// what a thread that calls nothing does for long is reported from what it does before and after.
        /// </summary>
        internal long NextLook;

        private WaitClock waits;

        /// <summary>For how many ticks the last look kept the thread from a processor.</summary>
        internal long LostInLook;

        /// <summary>
        /// Before the enter or leave at this time is recorded: the top frame is the one that the thread was blocked in. Returns the
        /// time after the look, which is no part of the frame that is entered.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal long Look(long now)
        {
            long behind = now;
            try { } finally { behind = LookUnbroken(now); }
            return behind;
        }

        /// <summary>The same before the leave of the top frame. Returns the end of the frame, with what was lost.</summary>
        internal long LookAtEnd(long end)
        {
            Look(end);
            if (Clock.Kind != Clock.Ticking)
                return end + LostInLook;
            return (end & Clock.TimedBit) == 0 || Control.OpenState == Control.Stopped ? end : Clock.Timed();
        }

        private long LookUnbroken(long now)
        {
            TreeState state = State;
            State = state | TreeState.Busy;
            bool paused = PauseFigures();
            NextLook = long.MaxValue;
            LostInLook = 0;
            try
            {
                long period = WaitClock.Period;
                if (period == 0)
                    return now;
                if (Clock.Kind == Clock.Ticking)
                    now = Clock.Precise();
                if (waits != null)
                {
                    Share(now);
                    // Asking for its time ends the turn of a thread that has had a processor for long enough: most of its pauses are here.
                    LostInLook = waits.Lost(now);
                    if (Clock.Kind == Clock.Ticking)
                        Owe();
                }
                else
                {
                    WaitClock made = new WaitClock();
                    if (!made.Start(now))
                        return now;
                    waits = made;
                }
                NextLook = Clock.Precise() + period;
                now = Clock.Now();
            }
            catch (Exception)
            {
                // Out of memory: this thread's further waits are not reported.
            }
            finally
            {
                if (paused)
                    ResumeFigures();
                State = state;
            }
            return now;
        }

        /// <summary>Shares among the open frames how long the thread was blocked since the last look.</summary>
        private void Share(long now)
        {
            long since, blocked = waits.Blocked(now, out since);
            for (int frame = Depth; frame > 0 && blocked > 0; frame--)
            {
                long part = PartOf(Frames[frame].Start, since, ref now, ref blocked);
                if (part > 0)
                    AddBlockedTicks(Frames[frame].Node, part);
            }
        }

        /// <summary>
        /// The part that the innermost frame, which began at <paramref name="start"/>, has of the time that a thread was blocked since a
        /// tick; what is left, and the time until which it may have been, are for the frames below.
        /// </summary>
        internal static long PartOf(long start, long since, ref long until, ref long blocked)
        {
            long from = Math.Max(start, since), part = Math.Min(blocked, until - from);
            if (part <= 0)
                return 0;
            blocked -= part;
            until = from;
            return part;
        }

        /// <summary>Time in which nothing was recorded is nobody's wait.</summary>
        private void StartWaitsAnew()
        {
            if (waits != null && !waits.Start(Clock.Precise()))
                waits = null;
        }

        /// <summary>For another thread: how long this one has been blocked, as far as it has not said so itself.</summary>
        internal long BlockedSoFar(long now, SystemFile reader, out long since)
        {
            WaitClock of = waits;
            since = 0;
            return of == null ? 0 : of.BlockedSoFar(now, reader, out since);
        }
    }
}
