// Time that never goes back, of a clock that may.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// A call that was entered before a clock is set back would take less time than those that it makes. Readings of threads
    /// cross by some time, which is waited for. A second or more is a clock that was set: time goes on from where it stood.
    /// A clock that is set forward can't be reported from time that passes.
    /// </summary>
    internal static class SteadyTime
    {
        /// <summary>
        /// The time for that reading. <paramref name="last"/>: the latest time that any thread was given;
        /// <paramref name="setBack"/>: by how much the clock was set back in all. Any number of threads may ask at once.
        /// </summary>
        internal static long Of(long reading, long ticksPerSecond, ref long last, ref long setBack)
        {
            long back = Counter.Read(ref setBack);
            long now = unchecked(reading + back);
            for (;;)
            {
                long before = Counter.Read(ref last);
                if (now <= before)
                {
                    long missing = unchecked(before - now);
                    if (missing >= ticksPerSecond)
                        Interlocked.CompareExchange(ref setBack, unchecked(back + missing), back);
                    return before;
                }
                if (Interlocked.CompareExchange(ref last, now, before) == before)
                    return now;
            }
        }
    }
}
