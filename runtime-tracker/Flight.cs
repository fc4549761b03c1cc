// One exception on its way through the frames of a thread.
using System;

namespace Instrumenter
{
    internal enum FlightState
    {
        /// <summary>The runtime looks for a handler; nothing is unwound yet.</summary>
        Searching,

        /// <summary>Frames are being unwound; the frame at <see cref="Flight.Depth"/> is on top.</summary>
        Unwinding,

        /// <summary>A finally block runs on behalf of the exception, in the frame at <see cref="Flight.Depth"/> or in code that it called.</summary>
        Suspended
    }

    /// <summary>Written by its thread only; a writer of profiles reads it meanwhile.</summary>
    internal sealed class Flight
    {
        /// <summary>The innermost recorded frame when the exception was first seen, and when that was.</summary>
        internal readonly Node Thrower;
        internal readonly long Start;

        /// <summary>Full name of the exception's type; null when it is not known (yet).</summary>
        internal string Type;

        internal FlightState State;

        /// <summary>The frame down to which it has unwound; while searching, the one that threw.</summary>
        internal int Depth;

        /// <summary>The recorded node of that frame.</summary>
        internal volatile Node At;

        /// <summary>When that frame was entered, by which it is known again.</summary>
        internal long FrameStart;

        /// <summary>When it was last seen.</summary>
        internal long Last;

        internal int FramesUnwound;
        internal int FramesSearched;
        internal long SearchTicks;

        /// <summary>When the search under way began.</summary>
        internal long SearchStart;

        /// <summary>The lowest frame that the search has passed: the exception will leave it.</summary>
        internal int SearchedTo = int.MaxValue;

        /// <summary>Another exception was caught by the frame in whose finally block this one waits: it may have taken its place.</summary>
        internal bool Contested;

        /// <summary>
        /// It waits because a method was entered while it unwound: called by a finally block that is not instrumented, or after
        /// the exception was caught there.
        /// </summary>
        internal bool Doubtful;

        // Weak: what the program throws must not live longer because it is being watched.
        private readonly WeakReference exception;

        /// <summary><paramref name="exception"/> is null when it is not known.</summary>
        internal Flight(Node thrower, int depth, long now, object exception)
        {
            Thrower = thrower;
            At = thrower;
            Depth = depth;
            Start = now;
            Last = now;
            State = FlightState.Unwinding;
            if (exception == null)
                return;
            this.exception = new WeakReference(exception);
            Type = ExceptionText.TypeName(exception);
        }

        /// <summary>The exception, if it is known and still lives.</summary>
        internal object Exception
        {
            get { return exception == null ? null : exception.Target; }
        }

        /// <summary>Is it known which exception it is?</summary>
        internal bool IsKnown
        {
            get { return exception != null; }
        }

        /// <summary>Can it be this exception?</summary>
        internal bool CanBe(object other)
        {
            return exception == null || other == null || exception.Target == other;
        }

        /// <summary>Is it known to be this exception?</summary>
        internal bool Is(object other)
        {
            return exception != null && other != null && exception.Target == other;
        }

        /// <summary>Has the search passed this frame, which the exception therefore leaves?</summary>
        internal bool WillLeave(int token)
        {
            return SearchedTo <= token;
        }

        /// <summary>Is the frame it is at still the same?</summary>
        internal bool IsCurrent(ThreadTree tree)
        {
            Frame[] frames = tree.Frames;
            return tree.Depth >= Depth && Depth < frames.Length && (Depth == 0 || Counter.Read(ref frames[Depth].Start) == FrameStart);
        }

        /// <summary>How it ended when its frame has gone on without a word.</summary>
        internal int SilentOutcome
        {
            get { return Contested ? ReplacedOutcome : ExceptionPath.CaughtOutside; }
        }

        /// <summary>How it ended when another exception has left its frame.</summary>
        internal int ReplacedOutcome
        {
            get { return Doubtful ? ExceptionPath.CaughtOutside : ExceptionPath.Replaced; }
        }
    }
}
