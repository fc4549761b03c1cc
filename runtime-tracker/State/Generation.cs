// The state from one call of Reset to the next.
using System;

namespace Instrumenter
{
    /// <summary>A record belongs to one generation, and begins with it. Never changed.</summary>
    internal sealed class Generation
    {
        internal readonly int Number;

        /// <summary>When it began, on the line that all threads share, and as UTC.</summary>
        internal readonly long StartTicks;
        internal readonly DateTime StartTime;

        /// <summary>The same as <see cref="WallTime"/>.</summary>
        internal readonly long StartWall;

        internal Generation(int number)
        {
            Number = number;
            StartTicks = Clock.Shared();
            StartWall = WallTime.Now();
            StartTime = DateTime.UtcNow;
        }

        /// <summary>Wall time since it began, in ticks of a clock with <paramref name="ticksPerSecond"/>.</summary>
        internal long WallTicks(long now, long ticksPerSecond)
        {
            return Clock.Kind != Clock.User ? now - StartTicks : WallTime.Convert(WallTime.Now() - StartWall, ticksPerSecond);
        }

        /// <summary>0 where the machine's clock stands before 1970, the most that there is after 2262.</summary>
        internal long StartUnixNanoseconds
        {
            get { return Math.Min(Math.Max(StartTime.Ticks - new DateTime(1970, 1, 1).Ticks, 0), long.MaxValue / 100) * 100; }
        }
    }
}
