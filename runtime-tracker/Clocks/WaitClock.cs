// How long a thread was blocked: the time that passed, less the time that the thread ran or was ready to run (Linux).
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// One thread's, which alone calls <see cref="Start"/> and <see cref="Blocked"/>. CLOCK_THREAD_CPUTIME_ID (POSIX) says how long the
    /// thread ran, by one call of the system; how long it was ready and did not run stands in /proc/thread-self/schedstat. The first
    /// file of a thread there costs the system fifty times as much, until the thread has ended: it is read only where the thread may
    /// have been blocked, or was no new one at its first call.
    /// </summary>
    internal sealed class WaitClock
    {
        /// <summary>
        /// Nanoseconds between two readings of a thread, at least; a reading takes at most one part in that many of that time.
        /// </summary>
        private const long ShortestPeriod = 100000, CostShare = 300;

        /// <summary>What is missing is no wait when it is less than one part in that many of a period.</summary>
        private const int LeastShare = 5;

        /// <summary>Numbers in the file.</summary>
        private const int Figures = 3;

        private const long Unread = -1;

        /// <summary>A thread that has run for less, in ns, is a new one: it goes without the file until it has run for as long, or may have been blocked.</summary>
        private const long NewThread = 1000000;

        private const int Trials = 16;
        private const string OfThisThread = "/proc/thread-self/schedstat", NumberOfThisThread = "/proc/thread-self/stat";

        /// <summary>Ticks between two readings; 0: threads can't be read.</summary>
        internal static long Period;

        /// <summary>
        /// Waits that are shorter, in ns, may count for a method that ran just before or after them. 0: no waits are reported.
        /// </summary>
        internal static long Shortest;

        private static double ticksPerNanosecond;
        private static byte[] path;

        // Nothing of the C library says how often a thread gets a processor.
        private static bool lacksSwitches;

        // Made with the first reading of a file: how long the thread ran and was ready, and how often it got a processor.
        private SystemFile file;
        private long[] figures;

        // The thread's, of the system. 0: not known.
        private long number;

        // Of a new thread's start: how often it had got a processor, and how often it had given one back by itself.
        private long slices, given;

        // The last reading: at which tick, and how long the thread had run and been ready by then, in ns. The latter is not read each
        // time: what was missing since its last reading, and not much each time, is ready or blocked and has not been reported.
        // The new thread's is not read at its start: below 0.
        private long at, ran, ready, untold;

        /// <summary>Goes up before and after a reading is stored.</summary>
        private volatile int changes;

        /// <summary>Finds out whether threads can be read, and what that takes. Called once, before the first tree is made.</summary>
        internal static void Begin()
        {
            try
            {
                if (IntPtr.Size == 8 && Clock.IsShared && Clock.Kind != Clock.User && Clock.Kind != Clock.Coarse && SystemFile.IsThere(OfThisThread))
                    new WaitClock().Measure();
            }
            catch (Exception)
            {
                // No such library, function or file.
            }
        }

        private void Measure()
        {
            long least = long.MaxValue;
            path = NativeFile.PathOf(OfThisThread);
            for (int i = 0; i < Trials; i++)
            {
                long start = WallTime.Now();
                if (NativeFile.ThreadTime() < 0)
                    return;
                least = Math.Min(least, WallTime.Now() - start);
            }
            ticksPerNanosecond = Clock.TicksPerSecond / 1e9;
            Shortest = Math.Max(ShortestPeriod, (long)(least * 1e9 / WallTime.TicksPerSecond) * CostShare);
            Period = (long)(Shortest * ticksPerNanosecond);
        }

        /// <summary>Reads how long the thread has run and been ready: to <see cref="figures"/>.</summary>
        private bool ReadReady()
        {
            if (file == null)
            {
                figures = new long[Figures];
                file = new SystemFile();
            }
            file.ReadNatively(path);
            return file.TryNumbers(figures);
        }

        /// <summary>The first reading, at that tick. False when the thread can't be read.</summary>
        internal bool Start(long now)
        {
            long running = NativeFile.ThreadTime();
            if (running >= 0 && running < NewThread && number == 0 && IsCounted())
            {
                Store(now, running, Unread, 0);
                return true;
            }
            if (running < 0 || !ReadTogether(ref now, ref running))
                return false;
            long ready = figures[1];
            if (number == 0)
            {
                file.Read(NumberOfThisThread);
                if (file.TryNumbers(figures, 1))
                    number = figures[0];
            }
            Store(now, running, ready, 0);
            return true;
        }

        /// <summary>What a new thread has instead of the file's figures; false where there is no such call.</summary>
        private bool IsCounted()
        {
            if (lacksSwitches)
                return false;
            try
            {
                slices = NativeFile.ThreadSwitches(out given) + 1;
                number = NativeFile.ThreadNumber();
            }
            catch (Exception)
            {
                lacksSwitches = true;
            }
            return !lacksSwitches;
        }

        /// <summary>
        /// How long a new thread had been ready at its start, of these figures' time: no file says it any more. It was ready ahead of
        /// each time that it got a processor, and each of these has the same part.
        /// </summary>
        private long ReadyAtStart(long[] now)
        {
            return now[2] <= slices ? now[1] : (long)((double)now[1] * slices / now[2]);
        }

        /// <summary>
        /// Reads how long the thread was ready until <paramref name="now"/>, when it had run for <paramref name="running"/> ns. A thread
        /// that loses its processor meanwhile has been ready for longer than these two say, so they are read again.
        /// </summary>
        private bool ReadTogether(ref long now, ref long running)
        {
            for (int trial = 1;; trial++)
            {
                if (!ReadReady())
                    return false;
                long behind = Clock.Precise();
                if (behind - now < Period || trial == Trials)
                    return true;
                now = Clock.Precise();
                running = NativeFile.ThreadTime();
            }
        }

        private void Store(long now, long running, long readyNow, long untoldNow)
        {
            changes++;
            Thread.MemoryBarrier();
            at = now;
            ran = running;
            ready = readyNow;
            untold = untoldNow;
            Thread.MemoryBarrier();
            changes++;
        }

        /// <summary>A reading at this tick: how many of the ticks since the last one, at <paramref name="since"/>, it was blocked.</summary>
        internal long Blocked(long now, out long since)
        {
            since = at;
            long running = NativeFile.ThreadTime(), missing = Missing(now, running);
            bool isMuch = missing >= Shortest / LeastShare, isNew = ready == Unread;
            if ((!isMuch && (!isNew || running < NewThread)) || !ReadTogether(ref now, ref running))
            {
                Store(now, running, ready, untold + missing);
                return 0;
            }
            long blocked = isMuch && !(isNew && HasGivenNone()) ? BlockedOf(Missing(now, running), figures) : 0;
            Store(now, running, figures[1], 0);
            return blocked;
        }

        /// <summary>A thread that never gave its processor back was ready for all of the time that it did not run.</summary>
        private bool HasGivenNone()
        {
            long now;
            NativeFile.ThreadSwitches(out now);
            return now == given;
        }

        /// <summary>For how many ticks the thread was kept from running in the reading that began at this one; 0: less than a period.</summary>
        internal long Lost(long begun)
        {
            long passed = Clock.Precise() - begun;
            return passed < Period ? 0 : Math.Max(passed - (long)((NativeFile.ThreadTime() - ran) * ticksPerNanosecond), 0);
        }

        /// <summary>How long the thread did not run since the last reading, in ns.</summary>
        private long Missing(long now, long running)
        {
            return Math.Max((long)((now - at) / ticksPerNanosecond) - (running - ran), 0);
        }

        private long BlockedOf(long missing, long[] now)
        {
            long before = ready == Unread ? ReadyAtStart(now) : ready, waited = Math.Max(now[1] - before - untold, 0);
            return (long)(Math.Max(missing - waited, 0) * ticksPerNanosecond);
        }

        /// <summary>
        /// For another thread, which keeps <paramref name="reader"/>: how long the thread has been blocked since its last reading. 0 also
        /// when that is not known, or is being read just then.
        /// </summary>
        internal long BlockedSoFar(long now, SystemFile reader, out long since)
        {
            int before = changes;
            Thread.MemoryBarrier();
            since = at;
            long[] sums = new long[Figures];
            if (number == 0 || (before & 1) != 0)
                return 0;
            reader.Read("/proc/self/task/" + Host.Number(number) + "/schedstat");
            if (!reader.TryNumbers(sums))
                return 0;
            long missing = Missing(now, sums[0]), blocked = BlockedOf(missing, sums);
            Thread.MemoryBarrier();
            return before != changes || missing < Shortest / LeastShare ? 0 : blocked;
        }
    }
}
