// How long a thread was blocked: the time that passed, less the time that the thread ran or was ready to run (Linux).
using System;
using System.Text;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// One thread's, which alone calls <see cref="Start"/> and <see cref="Blocked"/>. CLOCK_THREAD_CPUTIME_ID (POSIX) says how long the
    /// thread ran, by one call of the system; how long it was ready and did not run stands in /proc/thread-self/schedstat, which takes
    /// three, and is read only where the thread may have been blocked.
    /// </summary>
    internal sealed class WaitClock
    {
        /// <summary>
        /// Nanoseconds between two readings of a thread, at least; a reading takes at most one part in that many of that time.
        /// </summary>
        private const long ShortestPeriod = 100000, CostShare = 300;

        /// <summary>What is missing is no wait when it is less than one part in that many of a period.</summary>
        private const int LeastShare = 5;

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

        private readonly long[] time = new long[2], figures = new long[2], number = new long[1];
        private readonly SystemFile file = new SystemFile();

        // The last reading: at which tick, and how long the thread had run and been ready by then, in ns. The latter is not read each
        // time: what was missing since its last reading, and not much each time, is ready or blocked and has not been reported.
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
            path = Encoding.UTF8.GetBytes(OfThisThread + "\0");
            for (int i = 0; i < Trials; i++)
            {
                long start = WallTime.Now();
                if (NativeFile.ThreadTime(time) < 0)
                    return;
                least = Math.Min(least, WallTime.Now() - start);
            }
            if (!ReadReady())
                return;
            ticksPerNanosecond = Clock.TicksPerSecond / 1e9;
            Shortest = Math.Max(ShortestPeriod, (long)(least * 1e9 / WallTime.TicksPerSecond) * CostShare);
            Period = (long)(Shortest * ticksPerNanosecond);
        }

        /// <summary>Reads how long the thread has run and been ready: to <see cref="figures"/>.</summary>
        private bool ReadReady()
        {
            file.ReadNatively(path);
            return file.TryNumbers(figures);
        }

        /// <summary>The first reading, at that tick. False when the thread can't be read.</summary>
        internal bool Start(long now)
        {
            long running = NativeFile.ThreadTime(time);
            if (running < 0 || !ReadTogether(ref now, ref running))
                return false;
            if (number[0] == 0)
            {
                file.Read(NumberOfThisThread);
                if (!file.TryNumbers(number))
                    number[0] = 0;
            }
            Store(now, running, figures[1], 0);
            return true;
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
                running = NativeFile.ThreadTime(time);
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
            long running = NativeFile.ThreadTime(time), missing = Missing(now, running);
            if (missing < Shortest / LeastShare || !ReadTogether(ref now, ref running))
            {
                Store(now, running, ready, untold + missing);
                return 0;
            }
            long blocked = BlockedOf(Missing(now, running), figures[1]);
            Store(now, running, figures[1], 0);
            return blocked;
        }

        /// <summary>For how many ticks the thread was kept from running in the reading that began at this one; 0: less than a period.</summary>
        internal long Lost(long begun)
        {
            long passed = Clock.Precise() - begun;
            return passed < Period ? 0 : Math.Max(passed - (long)((NativeFile.ThreadTime(time) - ran) * ticksPerNanosecond), 0);
        }

        /// <summary>How long the thread did not run since the last reading, in ns.</summary>
        private long Missing(long now, long running)
        {
            return Math.Max((long)((now - at) / ticksPerNanosecond) - (running - ran), 0);
        }

        private long BlockedOf(long missing, long readyNow)
        {
            long waited = Math.Max(readyNow - ready - untold, 0);
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
            long[] sums = new long[2];
            if (number[0] == 0 || (before & 1) != 0)
                return 0;
            reader.Read("/proc/self/task/" + Host.Number(number[0]) + "/schedstat");
            if (!reader.TryNumbers(sums))
                return 0;
            long missing = Missing(now, sums[0]), blocked = BlockedOf(missing, sums[1]);
            Thread.MemoryBarrier();
            return before != changes || missing < Shortest / LeastShare ? 0 : blocked;
        }
    }
}
