// The contract's part on exceptions: what injected code calls when one passes a method, or runs one of its handlers.
using System;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// From the fault clause around a method's body: an exception leaves the frame with this token. Frames above it are
        /// closed first; all count as left by exception.
        /// </summary>
        public static void WhenLeavingByException(int token)
        {
            TellFlights(ExceptionInFlightEvent.Leaving, null, token);
        }

        /// <summary>
        /// From a filter around the method's body: the runtime, looking for a handler of this exception, has not found one in
        /// the method. Always false: the filter declines.
        /// </summary>
        public static bool WhenExceptionPasses(object exception, int token)
        {
            TellFlights(ExceptionInFlightEvent.Passing, exception, token);
            return false;
        }

        /// <summary>
        /// At the head of a filter of the method: the runtime looks for a handler of this exception, and no frame has been left. What
        /// the filter throws ends in it.
        /// </summary>
        public static void WhenFiltering(object exception, int token)
        {
            TellFlights(ExceptionInFlightEvent.Filtering, exception, token);
        }

        /// <summary>
        /// At the head of a catch handler of the method. Frames above its own are dead: they are closed as left by exception. Scopes that
        /// stand on it are not: they may hold the handler, and end by themselves.
        /// </summary>
        public static void WhenCatching(object exception, int token)
        {
            ThreadTree tree = ThreadTree.Current;
            TellFlights(ExceptionInFlightEvent.Catching, exception, tree == null ? 0 : tree.WithScopes(token));
        }

        /// <summary>
        /// At the head of a finally or fault handler of the method, which may run with an exception on its way or without.
        /// </summary>
        public static void WhenUnwinding(int token)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return;
            token = tree.WithScopes(token);
            if (token > 0 && (token < tree.Depth || (token == tree.Depth && (tree.State & TreeState.InFlight) != 0)))
                ExceptionsInFlight.Tell(tree, ExceptionInFlightEvent.Unwinding, null, token);
        }

        private static void TellFlights(ExceptionInFlightEvent what, object exception, int token)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null && token > 0 && token <= tree.Depth)
                ExceptionsInFlight.Tell(tree, what, exception, token);
        }
    }
}
