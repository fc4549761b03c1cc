// The end of the run, which the tracker's threads wait for.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// On Mono, waiting for an event costs a quarter less than waiting in a monitor does. .NET Framework 2.0 has one overload of
    /// WaitOne with a time, Silverlight another.
    /// </summary>
    internal sealed class EndSignal
    {
        private readonly ManualResetEvent told = new ManualResetEvent(false);
        private bool isSilverlight;

        internal void Set()
        {
            told.Set();
        }

        /// <summary>Waits at most that many milliseconds.</summary>
        internal bool Wait(int milliseconds)
        {
            if (!isSilverlight)
                try
                {
                    return WaitInContext(milliseconds);
                }
                catch (MissingMethodException)
                {
                    isSilverlight = true;
                }
            return WaitPlainly(milliseconds);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private bool WaitInContext(int milliseconds)
        {
            return told.WaitOne(milliseconds, false);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private bool WaitPlainly(int milliseconds)
        {
            return told.WaitOne(milliseconds);
        }
    }
}
