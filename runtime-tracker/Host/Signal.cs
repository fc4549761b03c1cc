// A signal that the tracker's own threads wait for.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// On Mono and .NET Framework an event: waiting for one costs Mono a quarter less than waiting in a monitor does. .NET makes code for
    /// its first event, which takes 2 ms: there it is a monitor. .NET Framework 2.0 has one overload of WaitOne with a time, Silverlight another.
    /// </summary>
    internal sealed class Signal
    {
        private const int Endless = -1;

        // Null: the monitor.
        private readonly ManualResetEvent told;
        private volatile bool isSet, isSilverlight;

        internal Signal(bool isSet)
        {
            this.isSet = isSet;
            if (Environment.Version.Major <= 4)
                told = new ManualResetEvent(isSet);
        }

        internal void Set()
        {
            if (told != null)
                told.Set();
            else
                SetHere();
        }

        private void SetHere()
        {
            SharedMonitor.Enter(this);
            isSet = true;
            Monitor.PulseAll(this);
            Monitor.Exit(this);
        }

        internal void Reset()
        {
            isSet = false;
            if (told != null)
                told.Reset();
        }

        internal void Wait()
        {
            Wait(Endless);
        }

        /// <summary>At most that many milliseconds; it may be less.</summary>
        internal bool Wait(int milliseconds)
        {
            if (told == null)
                return WaitHere(milliseconds);
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

        private bool WaitHere(int milliseconds)
        {
            SharedMonitor.Enter(this);
            try
            {
                if (!isSet)
                    Monitor.Wait(this, milliseconds);
            }
            finally
            {
                Monitor.Exit(this);
            }
            return isSet;
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
