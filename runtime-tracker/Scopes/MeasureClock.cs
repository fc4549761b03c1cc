// The clock of the measurements in a program's own code: the tracker's, or one that the program registers.
using System;

namespace Instrumenter
{
    internal sealed class MeasureClock
    {
        private const int WarmUps = 10, Readings = 1000;

        private static volatile MeasureClock current;
        private readonly IHighResolution source;
        private bool failed;

        /// <summary>The cost of one reading, in ticks.</summary>
        internal readonly long Average;

        /// <param name="source">Null: wall time in nanoseconds, whatever the call tree is timed with.</param>
        private MeasureClock(IHighResolution source)
        {
            this.source = source;
            for (int i = 0; i < WarmUps; i++)
                Read();
            long start = Read();
            for (int i = 0; i < Readings; i++)
                Read();
            long measured = (Read() - start) / Readings;
            long stated = source == null ? 0 : source.Avg;
            Average = stated > 0 ? stated : Math.Max(measured, 0);
        }

        internal static MeasureClock Current
        {
            get
            {
                MeasureClock clock = current;
                if (clock == null)
                    current = clock = new MeasureClock(null);
                return clock;
            }
        }

        internal static void Register(IHighResolution source)
        {
            try
            {
                current = new MeasureClock(source);
            }
            catch (Exception e)
            {
                current = null;
                Host.Say("the clock " + source.GetType().FullName + " has thrown " + e.GetType().FullName + "; using the tracker's own");
            }
        }

        private long Read()
        {
            if (source != null)
                return source.Ticks;
            WallTime.Choose();
            long now = WallTime.Now(), second = WallTime.TicksPerSecond;
            return now / second * 1000000000 + now % second * 1000000000 / second;
        }

        /// <summary>The time; of a clock that throws always 0, and the first time the next scopes get the tracker's own.</summary>
        internal long Ticks
        {
            get
            {
                if (failed)
                    return 0;
                try
                {
                    return Read();
                }
                catch (Exception e)
                {
                    failed = true;
                    if (current == this)
                        current = null;
                    Host.Say("the clock " + source.GetType().FullName + " has thrown " + e.GetType().FullName + "; using the tracker's own");
                    return 0;
                }
            }
        }
    }
}
