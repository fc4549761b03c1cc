// Starting, stopping and beginning again while the program runs: a phase that each thread reads for itself.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>The state from one call of Start, Stop or Reset to the next. Never
    /// changed.</summary>
    internal sealed class Phase
    {
        internal readonly bool Running;

        /// <summary>The state of a thread that has seen this phase, besides the bits of its own.</summary>
        internal readonly TreeState Epoch;

        internal readonly Generation Generation;

        /// <summary>While nothing is recorded: since when.</summary>
        internal readonly long StoppedAt;

        /// <summary>How long nothing was recorded in all the phases of the generation before.</summary>
        internal readonly long StoppedTicks;

        /// <summary>Since when something has been recorded again, the last time; the least number if always.</summary>
        internal readonly long ResumedAt;

        /// <summary>Null: all calls of the methods that are on are recorded.</summary>
        internal readonly Triggers Triggers;

        internal Phase(bool running, TreeState epoch, Generation generation, long stoppedAt, long stoppedTicks, long resumedAt, Triggers triggers)
        {
            Triggers = triggers;
            ResumedAt = resumedAt;
            Running = running;
            Epoch = epoch;
            Generation = generation;
            StoppedAt = stoppedAt;
            StoppedTicks = stoppedTicks;
        }

        /// <summary>
        /// The time that is recorded, on the calling thread's line: it stands still while nothing is. A thread's CPU
        /// time does not: it was not read at that moment.
        /// </summary>
        internal long Now()
        {
            return Running || !Clock.IsShared ? Clock.Now() : StoppedAt;
        }

        /// <summary>The same, by the Stopwatch where a clock ticks.</summary>
        internal long Moment()
        {
            return Running && Clock.Kind == Clock.Ticking ? Clock.Timed() : Now();
        }

        /// <summary>Ticks of the generation, up to <paramref name="now"/>, during which nothing was recorded.</summary>
        internal long StoppedTicksAt(long now)
        {
            return StoppedTicks + (Running ? 0 : Math.Max(now - StoppedAt, 0));
        }
    }

    internal static class Control
    {
        /// <summary>No thread's state.</summary>
        internal const TreeState Stopped = (TreeState)(-1);

        /// <summary>
        /// The only state with which a thread goes the fast way in and out: the phase's epoch, without any bits of the thread's
        /// own; <see cref="Stopped"/> while nothing is recorded.
        /// </summary>
        internal static TreeState OpenState;

        private static volatile Phase current;

        /// <summary>The first one begins at the first request. The clock must have been chosen.</summary>
        internal static Phase Current
        {
            get
            {
                if (current == null)
                {
#pragma warning disable 420 // Interlocked needs no volatile
                    Interlocked.CompareExchange(ref current, new Phase(true, 0, new Generation(0), 0, 0, long.MinValue, null), null);
#pragma warning restore 420
                }
                return current;
            }
        }

        /// <summary>Starts or stops recording; nothing when it is so already. The clock must have been chosen.</summary>
        internal static void Set(bool running)
        {
            Phase before, after;
            do
            {
                before = Current;
                if (before.Running == running)
                    return;
                Clock.Record(running);
                long now = Clock.Shared();
                after = running ? new Phase(true, NextEpoch(before), before.Generation, 0, before.StoppedTicks + (now - before.StoppedAt), now,
                                            before.Triggers)
                                : new Phase(false, NextEpoch(before), before.Generation, now, before.StoppedTicks, before.ResumedAt, before.Triggers);
            }
            while (!Replace(before, after));
            TellThreads();
        }

        /// <summary>Begins a new generation; what has ended already is the caller's to drop.</summary>
        internal static void BeginGeneration()
        {
            Phase before, after;
            do
            {
                before = Current;
                Clock.Advance();
                Generation generation = new Generation(before.Generation.Number + 1);
                after = new Phase(before.Running, NextEpoch(before), generation, before.Running ? 0 : generation.StartTicks, 0, long.MinValue,
                                  before.Triggers);
            }
            while (!Replace(before, after));
            TellThreads();
        }

        /// <summary>Sets what calls are recorded from now on; null: all. The clock must have been chosen.</summary>
        internal static void SetTriggers(Triggers triggers)
        {
            Phase before, after;
            do
            {
                before = Current;
                if (before.Triggers == null && triggers == null)
                    return;
                after = new Phase(before.Running, NextEpoch(before), before.Generation, before.StoppedAt, before.StoppedTicks, before.ResumedAt, triggers);
            }
            while (!Replace(before, after));
            TellThreads();
        }

        private static TreeState NextEpoch(Phase phase)
        {
            return (TreeState)(((int)phase.Epoch + (int)TreeState.FirstEpoch) & int.MaxValue);
        }

        private static bool Replace(Phase before, Phase after)
        {
#pragma warning disable 420
            return Interlocked.CompareExchange(ref current, after, before) == before;
#pragma warning restore 420
        }

        private static void TellThreads()
        {
            // Another thread may have gone on meanwhile: what is stored last has to be the last phase's.
            Phase last;
            do
            {
                last = Current;
                Thread.MemoryBarrier();
                OpenState = last.Running ? last.Epoch : Stopped;
                Thread.MemoryBarrier();
            }
            while (last != Current);
            Clock.Change();
        }

    }
}
