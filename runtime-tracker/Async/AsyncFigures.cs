// The counts of one place of the logical call tree.

namespace Instrumenter
{
    /// <summary>Written by one thread (or under the lock of calls that wait for their place), read by any.</summary>
    internal sealed class AsyncFigures
    {
        /// <summary>How a slice ends.</summary>
        internal const int Suspension = 0, Completion = 1, Failure = 2, Cancellation = 3;

        /// <summary>First runs.</summary>
        internal long Calls;

        internal long Suspensions;

        /// <summary>Calls that have ended, by the way they did.</summary>
        internal long Completed, Failed, Cancelled;

        /// <summary>Time of the slices, time between a suspension and the next slice, time from start to end of the calls that have ended.</summary>
        internal long RunningTicks, AwaitingTicks, WallTicks;

        /// <summary>Slices of unknown calls.</summary>
        internal long Unlinked;

        /// <summary>Counts a slice that has ended.</summary>
        internal void AddSlice(long runningTicks, int end)
        {
            Counter.Add(ref RunningTicks, runningTicks);
            switch (end)
            {
                case Completion: Counter.Add(ref Completed, 1); break;
                case Failure: Counter.Add(ref Failed, 1); break;
                case Cancellation: Counter.Add(ref Cancelled, 1); break;
                default: Counter.Add(ref Suspensions, 1); break;
            }
        }

        internal void Add(AsyncFigures other)
        {
            Counter.Add(ref Calls, Counter.Read(ref other.Calls));
            Counter.Add(ref Suspensions, Counter.Read(ref other.Suspensions));
            Counter.Add(ref Completed, Counter.Read(ref other.Completed));
            Counter.Add(ref Failed, Counter.Read(ref other.Failed));
            Counter.Add(ref Cancelled, Counter.Read(ref other.Cancelled));
            Counter.Add(ref RunningTicks, Counter.Read(ref other.RunningTicks));
            Counter.Add(ref AwaitingTicks, Counter.Read(ref other.AwaitingTicks));
            Counter.Add(ref WallTicks, Counter.Read(ref other.WallTicks));
            Counter.Add(ref Unlinked, Counter.Read(ref other.Unlinked));
        }
    }
}
