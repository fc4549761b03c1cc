// The price of a reading, reported for clocks that are dear.
using System;

namespace Instrumenter
{
    /// <summary>
    /// A clock that asks the operating system takes ten times what others take, and each call needs two readings.
    /// The program's user is reported so once, at the start.
    /// </summary>
    internal static class ReadingCost
    {
        /// <summary>The least of that many rounds: a thread is held up and code is compiled in some.</summary>
        private const int Rounds = 8, ReadingsPerRound = 16;

        /// <summary>Measures the clock in use, and says in one line what it takes.</summary>
        internal static void Say()
        {
            long nanoseconds = Measure();
            string cost = nanoseconds > 0 ? "about " + nanoseconds + " ns" : "longer than others";
            Host.Say("clock=" + Clock.Name + ": a reading is a call of the operating system and takes " + cost +
                ", twice for each call of an instrumented method");
        }

        /// <summary>ns for each reading; 0 when the host has no clock that is fine enough.</summary>
        private static long Measure()
        {
            if (!WallTime.UsesStopwatch)
                return 0;
            long least = long.MaxValue;
            for (int round = 0; round < Rounds; round++)
            {
                long start = WallTime.Now();
                for (int i = 0; i < ReadingsPerRound; i++)
                    Clock.Now();
                least = Math.Min(least, WallTime.Now() - start);
            }
            return (long)(least * 1e9 / WallTime.TicksPerSecond / ReadingsPerRound);
        }
    }
}
