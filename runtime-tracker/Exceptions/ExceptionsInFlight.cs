// The exceptions on their way through one thread, from events that are incomplete one by one: a fault clause does not
// know its exception, code that is not instrumented throws, catches and throws again unseen.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    internal enum ExceptionInFlightEvent
    {
        Passing,
        Filtering,
        Leaving,
        Unwinding,
        Catching,
        Storing,
        Holding,
        Unhandled,
        Entering,
        Returning
    }

    /// <summary>
    /// A stack of flights: a finally block or a filter that runs on behalf of one exception may throw and catch others. Only the
    /// topmost is unwinding or searching; while it is, every event of the thread is reported (<see cref="ThreadTree.InFlight"/>). A
    /// suspended one needs none: whether its frame has left meanwhile is seen when the next exception comes.
    /// Used by its own thread, inside the guard; a writer of profiles reads <see cref="Count"/>, the stack and the paths.
    /// </summary>
    internal sealed class ExceptionsInFlight : ThreadExtra
    {
        internal readonly ExceptionPaths Paths = new ExceptionPaths();

        internal volatile ExceptionInFlight[] Stack = new ExceptionInFlight[4];
        internal volatile int Count;

        private readonly ThreadTree tree;
        private readonly CaughtPath lastCaught = new CaughtPath();

        // The exception that has left the thread's outermost frame last, and where it was counted.
        private ExceptionInFlight lastLeft;
        private ExceptionPath lastLeftPath;

        private ExceptionsInFlight(ThreadTree tree)
        {
            this.tree = tree;
        }

        /// <summary>Those of the thread; null when there never was any.</summary>
        internal static ExceptionsInFlight Of(ThreadTree tree)
        {
            return (ExceptionsInFlight)tree.ExceptionsInFlight;
        }

        /// <summary>
        /// Takes an event of the calling thread; <paramref name="token"/> is that of an open frame, except for Entering. Never
        /// throws; when memory runs out the flights are forgotten, but no frame.
        /// </summary>
        internal static void Tell(ThreadTree tree, ExceptionInFlightEvent what, object exception, int token)
        {
            try { } finally { TellUnbroken(tree, what, exception, token); }
        }

        private static void TellUnbroken(ThreadTree tree, ExceptionInFlightEvent what, object exception, int token)
        {
            if (!Guard.Enter())
                return;
            try
            {
                long now = tree.Follow().Moment();
                tree.KeepOpen();
                try
                {
                    ExceptionsInFlight flights = Of(tree);
                    if (flights == null)
                        tree.ExceptionsInFlight = flights = new ExceptionsInFlight(tree);
                    flights.Take(what, exception, token, now);
                }
                catch (Exception)
                {
                    tree.ForgetExceptions();
                    int top = what == ExceptionInFlightEvent.Leaving ? token - 1 : what == ExceptionInFlightEvent.Catching || what == ExceptionInFlightEvent.Holding || what == ExceptionInFlightEvent.Unwinding ? token : tree.Depth;
                    while (tree.Depth > top)
                        tree.CloseByException(now);
                }
            }
            finally
            {
                Guard.Leave();
            }
        }

        internal override void Enter(ThreadTree tree)
        {
            Tell(tree, ExceptionInFlightEvent.Entering, null, 0);
        }

        internal override void Return(ThreadTree tree, int token)
        {
            Tell(tree, ExceptionInFlightEvent.Returning, null, token);
        }

        internal override void Forget()
        {
            Count = 0;
        }

        private void Take(ExceptionInFlightEvent what, object exception, int token, long now)
        {
            DropSilent();
            switch (what)
            {
                case ExceptionInFlightEvent.Passing:
                    Passing(exception, token, now);
                    break;
                case ExceptionInFlightEvent.Filtering:
                    Filtering(exception, token, now);
                    break;
                case ExceptionInFlightEvent.Leaving:
                    Leaving(token, now);
                    break;
                case ExceptionInFlightEvent.Unwinding:
                    Unwinding(token, now);
                    break;
                case ExceptionInFlightEvent.Catching:
                    Catching(exception, token, now, ExceptionPath.CaughtHere);
                    break;
                case ExceptionInFlightEvent.Storing:
                    if (!lastCaught.Store(Paths, tree, exception, token))
                        Catching(exception, token, now, ExceptionPath.Stored);
                    StoredExceptions.Keep(exception);
                    break;
                case ExceptionInFlightEvent.Holding:
                    Catching(exception, token, now, ExceptionPath.Held);
                    StoredExceptions.Keep(exception);
                    break;
                case ExceptionInFlightEvent.Unhandled:
                    Unhandled(exception, now);
                    break;
                case ExceptionInFlightEvent.Entering:
                    Entering();
                    break;
                case ExceptionInFlightEvent.Returning:
                    Returning(token);
                    break;
            }
            ExceptionInFlight top = Top;
            if (top != null && top.State != ExceptionInFlightState.Suspended)
                tree.State |= TreeState.InFlight;
            else
                tree.State &= ~TreeState.InFlight;
        }

        private ExceptionInFlight Top
        {
            get { return Count == 0 ? null : Stack[Count - 1]; }
        }

        private ExceptionInFlight BelowTop
        {
            get { return Count < 2 ? null : Stack[Count - 2]; }
        }

        /// <summary>The thread has ended: what is left has left its outermost frame, or its frame has gone on.</summary>
        internal override void End()
        {
            DropSilent();
            for (ExceptionInFlight top = Top; top != null; top = Top)
            {
                Remove(Count - 1);
                top.LetGo(false);
                Paths.Add(top, ExceptionPath.LeftThread, NodeTree.Root, null);
            }
        }

        /// <summary>Adds the thread's paths, from node to node of the other tree.</summary>
        internal override ThreadExtra AddTo(ThreadExtra sum, ThreadTree tree)
        {
            ExceptionPaths all = (ExceptionPaths)sum ?? new ExceptionPaths();
            List<ExceptionPath> paths = new List<ExceptionPath>();
            for (ExceptionPath path = Paths.Newest; path != null; path = path.Older)
                paths.Add(path);
            for (int i = paths.Count - 1; i >= 0; i--)
                all.Find(paths[i].Type, tree.Nodes[paths[i].Thrower].Chain, tree.Nodes[paths[i].Catcher].Chain, paths[i].Outcome).Add(paths[i]);
            return all;
        }

        internal override ThreadSection Section(ThreadTree tree, long start, ref OpenFrames open)
        {
            return new ExceptionSection(this, tree);
        }

        /// <summary>A scope's frame is about to close: what waits or unwinds there does so one frame lower, which must not be the root's.</summary>
        internal override void Lower(int token)
        {
            for (int i = Count - 1; i >= 0 && Stack[i].Depth == token; i--)
            {
                Stack[i].Depth = token - 1;
                Stack[i].Frame = new FrameStamp(tree, token - 1);
                Stack[i].At = tree.Recorded(token - 1);
            }
        }

        // ---- Events

        private void Passing(object exception, int token, long now)
        {
            ExceptionInFlight flight = Search(FlightThatPasses(exception, token), exception, now);
            flight.FramesSearched++;
            flight.SearchedTo = token;
        }

        /// <summary>A flight that is not known may be the exception's, which other code has caught and thrown again.</summary>
        private void Filtering(object exception, int token, long now)
        {
            CutOffFilters(token);
            ExceptionInFlight top = Top;
            bool comesFromOthers = top != null && !top.IsKnown && top.State == ExceptionInFlightState.Unwinding && top.Depth == tree.Depth;
            Search(comesFromOthers ? top : FlightThatPasses(exception, token), exception, now);
        }

        /// <summary>The flight, or a new one, looks for its handler.</summary>
        private ExceptionInFlight Search(ExceptionInFlight flight, object exception, long now)
        {
            if (flight == null)
            {
                flight = new ExceptionInFlight(tree.Recorded(tree.Depth), tree.Depth, now, exception);
                Push(flight);
            }
            if (flight.State != ExceptionInFlightState.Searching)
            {
                flight.State = ExceptionInFlightState.Searching;
                flight.SearchStart = now;
                flight.Frame = new FrameStamp(tree, flight.Depth);
            }
            flight.Last = now;
            return flight;
        }

        /// <summary>
        /// The runtime has found no handler. .NET reports this before it unwinds: if no search was seen it is the first
        /// sign of the exception. Mono reports it after it has unwound.
        /// </summary>
        private void Unhandled(object exception, long now)
        {
            if (tree.Depth == 0)
            {
                NameLastLeft(exception);
                return;
            }
            ExceptionInFlight top = Top;
            if (top != null && (top.State == ExceptionInFlightState.Unwinding || top.Is(exception)))
                return;
            ExceptionInFlight flight = new ExceptionInFlight(tree.Recorded(tree.Depth), tree.Depth, now, exception);
            flight.State = ExceptionInFlightState.Searching;
            flight.Frame = new FrameStamp(tree, tree.Depth);
            Push(flight);
        }

        private void NameLastLeft(object exception)
        {
            if (lastLeft == null || lastLeft.Type != null)
                return;
            lastLeftPath.Add(lastLeft, -1);
            lastLeft.Type = ExceptionText.TypeName(exception);
            int outcome = StoredExceptions.Has(exception) ? ExceptionPath.LeftAgain : ExceptionPath.LeftThread;
            lastLeftPath = Paths.Add(lastLeft, outcome, NodeTree.Root, exception);
        }

        private ExceptionInFlight FlightThatPasses(object exception, int token)
        {
            for (ExceptionInFlight top = Top; top != null; top = Top)
            {
                bool comesBack = top.Depth == tree.Depth && top.Is(exception);
                if ((top.State == ExceptionInFlightState.Suspended && !comesBack) || (top.State == ExceptionInFlightState.Searching && token > top.Depth && !top.Is(exception)))
                    return null;
                // Searched for again after it has unwound: code that is not instrumented has caught it and thrown it again.
                if (top.Is(exception) || (!top.IsKnown && top.State == ExceptionInFlightState.Searching))
                    return top;
                End(top, top.State == ExceptionInFlightState.Searching || top.WillLeave(top.Depth) ? ExceptionPath.Replaced : ExceptionPath.CaughtOutside, top.At);
            }
            return null;
        }

        private void Leaving(int token, long now)
        {
            CutOffFilters(token);
            ExceptionInFlight top = Top, below = BelowTop;
            // Code that is not instrumented caught it, in the finally block that the older one waits in.
            if (below != null && below.Depth >= token && below.WillLeave(token) && top.IsKnown && !top.WillLeave(token))
            {
                End(top, ExceptionPath.CaughtOutside, top.At);
                top = below;
            }
            if (top == null || (top.State != ExceptionInFlightState.Unwinding && token > top.Depth))
                top = Begin(now);
            ReplaceBelow(token);
            Unwind(top, token - 1, now);
            if (token > 1)
                return;
            Remove(Count - 1);
            lastLeft = top;
            lastLeftPath = Paths.Add(top, ExceptionPath.LeftThread, NodeTree.Root, null);
        }

        private void Unwinding(int token, long now)
        {
            CutOffFilters(token);
            ExceptionInFlight top = Top;
            if (top == null || (top.State != ExceptionInFlightState.Unwinding && token >= top.Depth && !(top.State == ExceptionInFlightState.Searching && token == top.Depth)))
            {
                // The normal course of things, or the older exception's next finally block in this frame.
                if (token == tree.Depth)
                    return;
                // Frames above were left without a word: by an exception that was not seen yet.
                top = Begin(now);
            }
            ReplaceBelow(token + 1);
            Unwind(top, token, now);
            ExceptionInFlight below = BelowTop;
            // Twice in the same frame, as in a loop: more likely the older one was caught unseen than that finally blocks are nested.
            if (below != null && below.Depth == token && !below.WillLeave(token))
                EndBelow(ExceptionPath.CaughtOutside);
            Suspend(top);
        }

        private void Catching(object exception, int token, long now, int outcome)
        {
            CutOffFilters(token);
            ExceptionInFlight flight = FlightThatIsCaught(exception, token) ?? Begin(now);
            ReplaceBelow(token + 1);
            ExceptionInFlight below = BelowTop;
            if (below != null && below.Depth == token)
                below.Contested = true;
            Unwind(flight, token, now);
            if (exception != null)
                flight.Type = ExceptionText.TypeName(exception);
            Remove(Count - 1);
            bool again = StoredExceptions.Has(exception);
            // It is counted where it was first seen, and again where it comes to.
            if (again && outcome == ExceptionPath.Held)
                return;
            if (again)
                outcome = outcome == ExceptionPath.Stored ? ExceptionPath.StoredAgain : ExceptionPath.CaughtAgain;
            lastCaught.Set(flight, tree, exception, Paths.Add(flight, outcome, tree.Recorded(token), exception));
        }

        private ExceptionInFlight FlightThatIsCaught(object exception, int token)
        {
            for (ExceptionInFlight top = Top; top != null; top = Top)
            {
                if (top.State != ExceptionInFlightState.Unwinding && token > top.Depth)
                    return null;
                if (top.CanBe(exception))
                    return top;
                if (top.State == ExceptionInFlightState.Suspended && top.Depth == token)
                    return null;
                End(top, top.State == ExceptionInFlightState.Unwinding && !top.WillLeave(top.Depth) ? ExceptionPath.CaughtOutside : top.ReplacedOutcome, top.At);
            }
            return null;
        }

        /// <summary>A method is entered while frames are being unwound, or a handler is looked for.</summary>
        private void Entering()
        {
            ExceptionInFlight top = Top;
            if (top == null || top.State != ExceptionInFlightState.Unwinding)
                return;
            // Called by a finally block that is not instrumented, when it is known that the frame will be left; else
            // the exception may have been caught: if it comes back, and can be recognised, that was not so.
            top.Doubtful = !top.WillLeave(top.Depth);
            if (top.IsKnown)
                Suspend(top);
            else
                End(top, ExceptionPath.CaughtOutside, top.At);
        }

        /// <summary>A method returns by itself: no exception has left it.</summary>
        private void Returning(int token)
        {
            for (ExceptionInFlight top = Top; top != null && top.Depth >= token; top = Top)
                End(top, top.SilentOutcome, tree.Recorded(token));
        }

        // ---- The stack of flights

        /// <summary>An exception that was not seen before; the frame on top has thrown it, or called who did.</summary>
        private ExceptionInFlight Begin(long now)
        {
            ExceptionInFlight flight = new ExceptionInFlight(tree.Recorded(tree.Depth), tree.Depth, now, null);
            Push(flight);
            return flight;
        }

        private void Push(ExceptionInFlight flight)
        {
            int count = Count;
            if (count == Stack.Length)
            {
                ExceptionInFlight[] larger = new ExceptionInFlight[count * 2];
                Array.Copy(Stack, larger, count);
                Stack = larger;
            }
            Stack[count] = flight;
            Count = count + 1;
        }

        private void Remove(int index)
        {
            ExceptionInFlight[] stack = Stack;
            int count = Count - 1;
            for (int i = index; i < count; i++)
                stack[i] = stack[i + 1];
            stack[count] = null;
            Count = count;
        }

        private void End(ExceptionInFlight flight, int outcome, int catcher)
        {
            Remove(Count - 1);
            Paths.Add(flight, outcome, catcher, null);
        }

        private void EndBelow(int outcome)
        {
            ExceptionInFlight below = BelowTop;
            Remove(Count - 2);
            Paths.Add(below, outcome, below.At, null);
        }

        /// <summary>Ends the flights with a frame that has gone on without an event.</summary>
        private void DropSilent()
        {
            for (ExceptionInFlight top = Top; top != null; top = Top)
            {
                if (top.State == ExceptionInFlightState.Unwinding ? top.Depth == tree.Depth : top.IsCurrent(tree))
                    return;
                End(top, top.SilentOutcome, top.At);
            }
        }

        /// <summary>No exception leaves a filter: one that was thrown there is gone when a frame below the search is unwound.</summary>
        private void CutOffFilters(int token)
        {
            for (ExceptionInFlight below = BelowTop; below != null && below.State == ExceptionInFlightState.Searching && token <= below.Depth; below = BelowTop)
                End(Top, ExceptionPath.CaughtOutside, Top.At);
        }

        /// <summary>Ends the flights below the top that wait in frames which the top one leaves: those from <paramref name="token"/> on.</summary>
        private void ReplaceBelow(int token)
        {
            while (Count > 1 && BelowTop.Depth >= token)
                EndBelow(BelowTop.ReplacedOutcome);
        }

        /// <summary>Closes the frames above <paramref name="depth"/>, which the flight has left.</summary>
        private void Unwind(ExceptionInFlight flight, int depth, long now)
        {
            if (flight.State == ExceptionInFlightState.Searching && flight.FramesSearched > 0)
                Counter.Add(ref flight.SearchTicks, Math.Max(now - flight.SearchStart, 0));
            if (flight.Exception != null)
                flight.LetGo(Paths.WantMessage(flight.Type, flight.Thrower));
            flight.State = ExceptionInFlightState.Unwinding;
            flight.Doubtful = false;
            flight.FramesUnwound += Math.Max(flight.Depth - depth, 0);
            while (tree.Depth > depth)
                tree.CloseByException(now);
            flight.Depth = depth;
            flight.At = tree.Recorded(depth);
            Counter.Set(ref flight.Last, now);
            // One after the other comes to this frame: the older one has not come back.
            ExceptionInFlight below = BelowTop;
            if (below != null && below.Doubtful && below.Depth >= depth)
                EndBelow(ExceptionPath.CaughtOutside);
        }

        private void Suspend(ExceptionInFlight flight)
        {
            flight.Frame = new FrameStamp(tree, flight.Depth);
            flight.State = ExceptionInFlightState.Suspended;
        }
    }
}
