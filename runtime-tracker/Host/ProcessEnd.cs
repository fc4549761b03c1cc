// The end of the process, as far as the floors above have to know of it.

using System.Threading;

namespace Instrumenter
{
    internal static class ProcessEnd
    {
        /// <summary>A thread that holds a lock, one of the tracker's or of Mono's, may never go on.</summary>
        internal static bool AreThreadsStopped;

        /// <summary>Further calls may be lost: the profile that is written now is the last one.</summary>
        internal static bool CallsAreLost;

        /// <summary>The thread that has written the last profile, and runs further handlers of the end; null: none has.</summary>
        internal static volatile Thread Handlers;

        /// <summary>Called when an outermost call of that thread has ended. Never throws.</summary>
        internal static ThreadStart CallEnded;
    }
}
