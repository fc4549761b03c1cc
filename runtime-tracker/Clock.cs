// Time. Stopwatch stands in System.dll, which a host may lack: the choice is made once, and each clock is a class of its own.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>The clock in use. <see cref="Choose"/> must have run before the first reading.</summary>
    internal static class Clock
    {
        internal static bool UsesStopwatch;
        internal static bool Chosen;

        /// <summary>Chooses the clock. Any number of threads may do it at once: all come to the same result.</summary>
        internal static void Choose()
        {
            if (Chosen)
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
            Chosen = true;
        }

        internal static long Now()
        {
            return UsesStopwatch ? StopwatchClock.Now() : WallClock.Now();
        }

        internal static long TicksPerSecond
        {
            get { return UsesStopwatch ? StopwatchClock.TicksPerSecond() : TimeSpan.TicksPerSecond; }
        }

        internal static string Name
        {
            get { return UsesStopwatch ? "stopwatch" : "utc"; }
        }
    }

    /// <summary>Touched only by way of <see cref="Clock"/>, after it was seen to work.</summary>
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

    /// <summary>What every core library has; it may be set back, so intervals below 0 are taken as 0 everywhere.</summary>
    internal static class WallClock
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Now()
        {
            return DateTime.UtcNow.Ticks;
        }
    }
}
