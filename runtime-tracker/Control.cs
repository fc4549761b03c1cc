// Starting and stopping while the program runs: a phase that each thread reads for itself.
using System.Threading;

namespace Instrumenter
{
    /// <summary>What holds from one call of Start or Stop to the next. Never changed.</summary>
    internal sealed class Phase
    {
        internal readonly bool Running;

        /// <summary>What <see cref="ThreadTree.State"/> is in a thread that has seen this phase, besides the bits of its own.</summary>
        internal readonly int Epoch;

        /// <summary>While nothing is recorded: since when.</summary>
        internal readonly long StoppedAt;

        /// <summary>How long nothing was recorded in all the phases before.</summary>
        internal readonly long StoppedTicks;

        internal Phase(bool running, int epoch, long stoppedAt, long stoppedTicks)
        {
            Running = running;
            Epoch = epoch;
            StoppedAt = stoppedAt;
            StoppedTicks = stoppedTicks;
        }

        /// <summary>The time that is recorded: it stands still while nothing is.</summary>
        internal long Now()
        {
            return Running ? Clock.Now() : StoppedAt;
        }
    }

    internal static class Control
    {
        /// <summary>No thread's state.</summary>
        internal const int Stopped = -1;

        /// <summary>
        /// The only state with which a thread goes the fast way in and out: the phase's epoch, without any bits of the thread's
        /// own; <see cref="Stopped"/> while nothing is recorded.
        /// </summary>
        internal static int OpenState;

        private static volatile Phase current;

        internal static Phase Current
        {
            get
            {
                if (current == null)
                {
#pragma warning disable 420 // Interlocked needs no volatile
                    Interlocked.CompareExchange(ref current, new Phase(true, 0, 0, 0), null);
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
                long now = Clock.Now();
                int epoch = (before.Epoch + ThreadTree.FirstEpoch) & int.MaxValue;
                after = running ? new Phase(true, epoch, 0, before.StoppedTicks + (now - before.StoppedAt)) : new Phase(false, epoch, now, before.StoppedTicks);
#pragma warning disable 420
            }
            while (Interlocked.CompareExchange(ref current, after, before) != before);
#pragma warning restore 420
            // Another thread may have gone on meanwhile: what is stored last has to be the last phase's.
            Phase last;
            do
            {
                last = Current;
                Thread.VolatileWrite(ref OpenState, last.Running ? last.Epoch : Stopped);
                Thread.MemoryBarrier();
            }
            while (last != Current);
        }

        /// <summary>Ticks so far in which nothing was recorded.</summary>
        internal static long StoppedTicks
        {
            get
            {
                Phase phase = Current;
                return phase.StoppedTicks + (phase.Running ? 0 : Clock.Now() - phase.StoppedAt);
            }
        }
    }
}
