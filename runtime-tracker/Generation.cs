// What holds from one call of Reset to the next.
using System;

namespace Instrumenter
{
    /// <summary>What is recorded belongs to one generation, and begins with it. Never changed.</summary>
    internal sealed class Generation
    {
        internal readonly int Number;

        /// <summary>When it began, in ticks of the clock and as UTC.</summary>
        internal readonly long StartTicks;
        internal readonly DateTime StartTime;

        internal Generation(int number)
        {
            Number = number;
            StartTicks = Clock.Now();
            StartTime = DateTime.UtcNow;
        }

        internal long StartUnixNanoseconds
        {
            get { return (StartTime.Ticks - new DateTime(1970, 1, 1).Ticks) * 100; }
        }
    }
}
