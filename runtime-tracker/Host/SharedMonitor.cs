// A monitor that others outside this tracker know, too: the program, or a tracker of another load context.
using System.Threading;

namespace Instrumenter
{
    /// <summary>Where no <see cref="SpinLock"/> can be: entered without ever waiting in the runtime, for the reason that is given there.</summary>
    internal static class SharedMonitor
    {
        /// <summary>To be left by Monitor.Exit.</summary>
        internal static void Enter(object shared)
        {
            Pauses pauses = new Pauses();
            while (!Monitor.TryEnter(shared))
                pauses.Sleep(1);
            pauses.End();
        }
    }
}
