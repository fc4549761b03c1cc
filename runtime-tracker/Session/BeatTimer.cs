// The beat where there are no threads: a timer of the host's, which calls back between what the program does.
using System.Threading;

namespace Instrumenter
{
    internal static class BeatTimer
    {
        private const int First = 1000;

        // A timer ends with its object.
        private static Timer timer;

        internal static void Start()
        {
            timer = new Timer(Tick, null, First, Settings.Beat * 1000);
        }

        internal static void Stop()
        {
            if (timer != null)
                timer.Dispose();
        }

        private static void Tick(object nothing)
        {
            Session.WriteBeat();
        }
    }
}
