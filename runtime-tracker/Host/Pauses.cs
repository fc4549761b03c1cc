// How the tracker waits on a thread of the program's: an interrupt of that thread is for the program's next wait, not for this one.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// The pauses of one wait. The runtime takes a pending interrupt back when a pause throws; the thread gets it again when the
    /// wait is over: an earlier one would end every further pause at once.
    /// </summary>
    internal struct Pauses
    {
        private bool interrupted;

        internal void Sleep(int milliseconds)
        {
            try
            {
                Thread.Sleep(milliseconds);
            }
            catch (Exception)
            {
                interrupted = true;
            }
        }

        /// <summary>Waits for the end of a thread, at most that many milliseconds.</summary>
        internal static void Join(Thread thread, int milliseconds)
        {
            Pauses pauses = new Pauses();
            int start = Environment.TickCount, left = milliseconds;
            while (left > 0 && !pauses.TryJoin(thread, left))
                left = milliseconds - unchecked(Environment.TickCount - start);
            pauses.End();
        }

        /// <summary>False: it was interrupted.</summary>
        private bool TryJoin(Thread thread, int milliseconds)
        {
            try
            {
                thread.Join(milliseconds);
                return true;
            }
            catch (Exception)
            {
                interrupted = true;
                return false;
            }
        }

        /// <summary>The wait is over.</summary>
        internal void End()
        {
            if (interrupted)
                HandBack();
        }

        /// <summary>A host without this call has no interrupts.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void HandBack()
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
