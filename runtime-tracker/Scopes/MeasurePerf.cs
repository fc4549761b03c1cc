// Measures the code in a using statement.
using System;

namespace Instrumenter
{
    /// <summary>
    /// <c>using (new MeasurePerf("text")) { … }</c>, nested as one likes. The scope is a node of the profile's call tree, too.
    /// Never throws.
    /// </summary>
    public class MeasurePerf : IDisposable
    {
        private readonly ScopeStack stack;
        private readonly MeasureClock clock;
        private readonly long start;
        private PerfMeasurement m;

        public MeasurePerf(string name)
        {
            stack = ScopeStack.OfThisThread();
            m = stack.Push(name);
            clock = MeasureClock.Current;
            start = clock.Ticks;
        }

        /// <summary>Ends the scope, and those inside it that have not ended. A second call does nothing.</summary>
        public void Dispose()
        {
            PerfMeasurement ending = m;
            if (ending == null)
                return;
            m = null;
            ending.Ticks += Math.Max(clock.Ticks - start - clock.Average, 0);
            stack.Pull(ending);
        }
    }
}
