// A thread stores the time about once a millisecond; calls read what it has stored.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// A call of duration d sees a tick with the probability d / period, so the sum over many calls is right in expectation, with a standard
    /// error of sqrt(sum * period). The pauses between ticks are of random lengths, so that no timer of the program's keeps in step with
    /// them; a tick that comes late stores the time that has passed. The thread rests while nothing is recorded. While no thread has noticed a
    /// tick for long, since all wait or none calls anything, its pauses are longer; the first that does notice is then the tick.
    /// </summary>
    internal static class TickingClock
    {
        // One pause takes from half of the period to half as much again, in that many steps.
        private const int Steps = 1024;

        /// <summary>At the thread's start; of a millisecond or more.</summary>
        private const int PlainPauses = 30;

        private const int NanosecondsPerMicrosecond = 1000, NanosecondsPerMillisecond = 1000000;

        /// <summary>A pause without notice is that part of the time without, and that many periods at most.</summary>
        private const int QuietPart = 32, MostPeriods = 16;

        /// <summary>What the thread does after each tick; it never throws. Null: nothing.</summary>
        internal static volatile ThreadStart AfterTick;

        /// <summary>What the thread does ahead of each tick, which is given; it never throws. Null: nothing.</summary>
        internal static Action<long> BeforeTick;

        private static Thread thread;
        private static Signal running, noticed;
        private static volatile bool ended, rests;
        private static int periodNanoseconds;

        /// <summary>So long after the last tick, in the Stopwatch's, a thread notices one that it was not running for.</summary>
        internal static long Late;

        // A thread has noticed a tick; none did for long, so the pauses are long ones.
        private static volatile bool isNoticed, isQuiet;

        // Written by the thread alone: how many ticks there were, the time between them in microseconds, and the sum of its squares.
        private static long ticks, microseconds, squares;

        /// <summary>Starts the thread, with that many microseconds between two ticks. Null when it ticks, else why not.</summary>
        internal static string Start(int period)
        {
            if (!WallTime.UsesStopwatch)
                return "this host has no Stopwatch";
            periodNanoseconds = period * NanosecondsPerMicrosecond;
            Late = (long)((double)periodNanoseconds * MostPeriods * StopwatchClock.TicksPerSecond() / 1e9);
            Clock.Tick = Now();
            try
            {
                running = new Signal(true);
                noticed = new Signal(false);
                thread = new Thread(Run);
                thread.IsBackground = true;
                thread.Name = "ilinject clock";
                thread.Start();
            }
            catch (Exception)
            {
                return "this host has no threads";
            }
            return null;
        }

        /// <summary>Recording begins or ends at this moment, which all threads see.</summary>
        internal static void Record(bool begins)
        {
            Advance();
            rests = !begins;
            if (begins)
                running.Set();
            else
                running.Reset();
        }

        /// <summary>The calling thread has noticed a tick, and takes the last one there is from now on.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Notice()
        {
            if (isNoticed)
                return;
            isNoticed = true;
            Thread.MemoryBarrier();
            if (!isQuiet)
                return;
            isQuiet = false;
            Advance();
            noticed.Set();
        }

        internal static void Advance()
        {
            Counter.Set(ref Clock.Tick, Now());
        }

        /// <summary>The last tick becomes another one.</summary>
        internal static void Change()
        {
            Interlocked.Add(ref Clock.Tick, 1 + Clock.TimedBit);
        }

        private static long Now()
        {
            return StopwatchClock.Now() & ~Clock.TimedBit;
        }

        /// <summary>
        /// The process ends, and what handlers still call is timed by the Stopwatch alone. Mono suspends all other threads again and again until
        /// each has found out by itself, which one that sleeps was kept from thousands of times: the thread ends before.
        /// </summary>
        internal static void EndBeforeMono()
        {
            const int MostMilliseconds = 5;
            End();
            if (noticed == null || thread == null)
                return;
            noticed.Set();
            thread.Join(MostMilliseconds);
        }

        /// <summary>The tracker is unloaded.</summary>
        internal static void End()
        {
            ended = true;
            if (running != null)
                running.Set();
        }

        internal static long Ticks
        {
            get { return Counter.Read(ref ticks); }
        }

        /// <summary>The time between two ticks as an error has it, in nanoseconds: the mean of the squares, by the mean.</summary>
        internal static long Step
        {
            get
            {
                long sum = Counter.Read(ref microseconds);
                return sum == 0 ? periodNanoseconds : (long)((double)Counter.Read(ref squares) / sum * NanosecondsPerMicrosecond);
            }
        }

        private static void Run()
        {
            try
            {
                // A program that ends at once does without what makes the pauses better.
                int plainPauses = Host.IsWindows || periodNanoseconds != NanosecondsPerMillisecond ? 0 : PlainPauses;
                Sleeper sleeper = new Sleeper();
                uint random = unchecked((uint)StopwatchClock.Now());
                long perSecond = StopwatchClock.TicksPerSecond(), noticedAt = Now();
                double periods = 1;
                while (!ended)
                {
                    if (plainPauses-- == 0)
                        sleeper = Settle();
                    // Asked without a wait, which takes half a microsecond.
                    while (rests && !ended)
                        running.Wait();
                    random = unchecked(random * 1664525 + 1013904223);
                    long pause = (long)periodNanoseconds * (Steps / 2 + (random >> 22)) / Steps;
                    bool quiet = isQuiet;
                    if (quiet)
                    {
                        noticed.Wait(Math.Max((int)(pause * periods / NanosecondsPerMillisecond), 1));
                        noticed.Reset();
                    }
                    else
                        sleeper.Sleep((int)pause);
                    long before = Counter.Read(ref Clock.Tick);
                    if (rests)
                        continue;
                    // Where recording has begun or ended meanwhile, that was the tick; or where a thread has noticed the one before at last.
                    long now = Now(), gap = (long)((now - before) * 1e6 / perSecond);
                    if (BeforeTick != null)
                        BeforeTick(now);
                    bool isSeen = isNoticed;
                    if (isSeen)
                        noticedAt = now;
                    isNoticed = false;
                    if ((quiet && isSeen) || Interlocked.CompareExchange(ref Clock.Tick, now, before) != before)
                        continue;
                    periods = Math.Min((now - noticedAt) * 1e9 / perSecond / periodNanoseconds / QuietPart, MostPeriods);
                    isQuiet = periods > 1;
                    Thread.MemoryBarrier();
                    if (isNoticed)
                        isQuiet = false;
                    // Nothing has been timed by it.
                    if (quiet)
                        continue;
                    Counter.Add(ref ticks, 1);
                    Counter.Add(ref microseconds, gap);
                    Counter.Add(ref squares, gap * gap);
                    ThreadStart after = AfterTick;
                    if (after != null)
                        after();
                }
            }
            catch (Exception)
            {
                // The end of the domain.
            }
        }

        private static Sleeper Settle()
        {
            TryRaisePriority();
            ThreadTimes.LeaveOutClock();
            return Sleeper.Best();
        }

        private static void TryRaisePriority()
        {
            try
            {
                RaisePriority();
                if (SystemFile.IsThere("/proc/thread-self"))
                    NativeFile.RaisePriorityOfThread();
            }
            catch (Exception)
            {
                // Not allowed, or no such library.
            }
        }

        /// <summary>Silverlight lacks it.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void RaisePriority()
        {
            thread.Priority = ThreadPriority.Highest;
        }

        /// <summary>How a thread pauses for less than a timer's step of the host's.</summary>
        private class Sleeper
        {
            internal static Sleeper Best()
            {
                try
                {
                    Sleeper native = Host.IsWindows ? (Sleeper)new TimerSleeper() : new NativeSleeper();
                    if (native.Sleep(1))
                        return native;
                }
                catch (Exception)
                {
                    // No such library or function.
                }
                return new Sleeper();
            }

            /// <summary>False: it can't.</summary>
            internal virtual bool Sleep(int nanoseconds)
            {
                Thread.Sleep(Math.Max(nanoseconds / 1000000, 1));
                return true;
            }
        }

        /// <summary>POSIX.</summary>
        private sealed class NativeSleeper : Sleeper
        {
            private readonly long[] time = new long[2];

            internal override bool Sleep(int nanoseconds)
            {
                time[1] = nanoseconds;
                return NativeFile.Sleep(time);
            }
        }

        /// <summary>Windows 10, version 1803, and later: other pauses end with a step of 15.6 ms.</summary>
        private sealed class TimerSleeper : Sleeper
        {
            private const int HighResolution = 2, AllAccess = 0x1F0003, Nanoseconds = 100;

            private readonly IntPtr timer = CreateWaitableTimerExW(IntPtr.Zero, IntPtr.Zero, HighResolution, AllAccess);

            internal override bool Sleep(int nanoseconds)
            {
                // Below 0: from now on.
                long due = -Math.Max(nanoseconds / Nanoseconds, 1);
                if (SetWaitableTimer(timer, ref due, 0, IntPtr.Zero, IntPtr.Zero, 0) == 0)
                    return false;
                WaitForSingleObject(timer, -1);
                return true;
            }

            [DllImport("kernel32.dll")]
            private static extern IntPtr CreateWaitableTimerExW(IntPtr attributes, IntPtr name, int flags, int access);

            [DllImport("kernel32.dll")]
            private static extern int SetWaitableTimer(IntPtr timer, ref long due, int period, IntPtr routine, IntPtr argument, int resume);

            [DllImport("kernel32.dll")]
            private static extern int WaitForSingleObject(IntPtr handle, int milliseconds);
        }
    }
}
