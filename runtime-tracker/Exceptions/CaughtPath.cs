// The exception that a thread caught last: an async method's handler catches what it then stores.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal sealed class CaughtPath
    {
        private ExceptionInFlight flight;
        private ExceptionPath path;
        private int exceptionHash, token;
        private FrameStamp frame;

        /// <summary>Remembers where it was counted; the exception itself is not kept.</summary>
        internal void Set(ExceptionInFlight caught, ThreadTree tree, object exception, ExceptionPath counted)
        {
            flight = caught;
            path = counted;
            exceptionHash = RuntimeHelpers.GetHashCode(exception);
            token = caught.Depth;
            frame = new FrameStamp(tree, token);
        }

        /// <summary>
        /// Counts it as stored instead of caught. False when it is another exception, or another frame has caught it.
        /// </summary>
        internal bool Store(ExceptionPaths paths, ThreadTree tree, object exception, int at)
        {
            if (flight == null || token != at || !frame.IsOpen(tree, at) || RuntimeHelpers.GetHashCode(exception) != exceptionHash ||
                (path.Outcome != ExceptionPath.CaughtHere && path.Outcome != ExceptionPath.CaughtAgain))
                return false;
            int outcome = path.Outcome == ExceptionPath.CaughtAgain ? ExceptionPath.StoredAgain : ExceptionPath.Stored;
            ExceptionPath stored = paths.Add(flight, outcome, path.Catcher, exception);
            path.Add(flight, -1);
            // The first exceptions' messages: as many as there were exceptions, at most.
            if (path.Count < ExceptionPath.MostMessages)
                path.TakeBackMessage();
            flight = null;
            path = stored;
            return true;
        }
    }
}
