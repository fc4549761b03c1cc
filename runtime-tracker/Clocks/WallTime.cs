// Time as it passes for everybody. Stopwatch stands in System.dll, which a host may lack.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>The best clock that the host brings with it, whatever the call trees are timed with.</summary>
    internal static class WallTime
    {
        internal static bool UsesStopwatch;
        private static bool chosen;

        /// <summary>Chooses. Any number of threads may do it at once: all come to the same result.</summary>
        internal static void Choose()
        {
            if (chosen)
                return;
            bool works = false;
            try
            {
                works = StopwatchClock.Works();
            }
            catch (Exception)
            {
                // No System.dll, or one without Stopwatch.
            }
            UsesStopwatch = works;
            chosen = true;
        }

        internal static long Now()
        {
            return UsesStopwatch ? StopwatchClock.Now() : UtcClock.Now();
        }

        internal static long TicksPerSecond
        {
            get { return UsesStopwatch ? StopwatchClock.TicksPerSecond() : TimeSpan.TicksPerSecond; }
        }

        /// <summary>
        /// The least by which the clock goes on, in nanoseconds, where that is a microsecond or
        /// more; 0 elsewhere. Browsers let theirs go by steps of up to 100 us.
        /// </summary>
        internal static long Step
        {
            get
            {
                if (step == 0)
                    step = MeasureStep();
                return step < LeastStep ? 0 : step;
            }
        }

        private const int LeastStep = 1000, Changes = 8, MostReadings = 100000;
        private static long step;

        /// <summary>A clock that was never seen to stand still has no steps, however long a reading of it takes.</summary>
        private static long MeasureStep()
        {
            long least = long.MaxValue, before = Now();
            int same = 0;
            for (int change = 0, reading = 0; change <= Changes && reading < MostReadings; reading++)
            {
                long now = Now();
                if (now <= before)
                    same++;
                // The first one had begun before.
                else if (change++ > 0)
                    least = Math.Min(least, now - before);
                before = now;
            }
            long nanoseconds = least == long.MaxValue || same < Changes ? 0 : (long)(least * 1e9 / TicksPerSecond);
            return nanoseconds < LeastStep / 2 ? 1 : Rounded(nanoseconds);
        }

        /// <summary>To three digits: a browser gives fractions of milliseconds, which are not those of ticks.</summary>
        private static long Rounded(long nanoseconds)
        {
            long unit = 1;
            while (nanoseconds / unit >= 1000)
                unit *= 10;
            return (nanoseconds + unit / 2) / unit * unit;
        }

        /// <summary>An interval of this clock's in ticks of another rate.</summary>
        internal static long Convert(long ticks, long ticksPerSecond)
        {
            return (long)(ticks * ((double)ticksPerSecond / TicksPerSecond));
        }
    }

    /// <summary>Touched only after it was seen to work.</summary>
    internal static class StopwatchClock
    {
        internal static bool Works()
        {
            return Stopwatch.Frequency > 0 && Stopwatch.GetTimestamp() != 0;
        }

        [MethodImpl((MethodImplOptions)256)]
        internal static long Now()
        {
            return Stopwatch.GetTimestamp();
        }

        internal static long TicksPerSecond()
        {
            return Stopwatch.Frequency;
        }
    }

    /// <summary>The clock that every core library has; it may be set back.</summary>
    internal static class UtcClock
    {
        private static long last, setBack;

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Now()
        {
            return SteadyTime.Of(DateTime.UtcNow.Ticks, TimeSpan.TicksPerSecond, ref last, ref setBack);
        }
    }

    /// <summary>Milliseconds, in steps of 1 to 16: next to nothing to read.</summary>
    internal static class CoarseClock
    {
        internal const long TicksPerSecond = 1000;

        /// <summary>The time of some earlier reading, in 64 bits, which TickCount goes through every 50 days.</summary>
        private static long earlier;

        internal static long Now()
        {
            long known = Counter.Read(ref earlier);
            long now = known + unchecked(Environment.TickCount - (int)known);
            if (now - known > 1 << 30)
                Counter.Set(ref earlier, now);
            return now;
        }
    }
}
