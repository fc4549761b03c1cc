// One exception on its way through the frames of a thread.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal enum ExceptionInFlightState
    {
        /// <summary>The runtime looks for a handler; nothing is unwound yet.</summary>
        Searching,

        /// <summary>Frames are being unwound; the frame at <see cref="ExceptionInFlight.Depth"/> is on top.</summary>
        Unwinding,

        /// <summary>A finally block runs on behalf of the exception, in the frame at <see cref="ExceptionInFlight.Depth"/> or in code that it called.</summary>
        Suspended
    }

    /// <summary>Written by its thread only; a writer of profiles reads it meanwhile.</summary>
    internal sealed class ExceptionInFlight
    {
        /// <summary>The innermost recorded frame when the exception was first seen, and when that was.</summary>
        internal readonly int Thrower;
        internal readonly long Start;

        /// <summary>Full name of the exception's type; null when it is not known (yet).</summary>
        internal string Type;

        internal ExceptionInFlightState State;

        /// <summary>The frame down to which it has unwound; while searching, the one that threw.</summary>
        internal int Depth;

        /// <summary>The recorded node of that frame.</summary>
        internal volatile int At;

        /// <summary>The mark of that frame, while the exception waits or a handler is looked for.</summary>
        internal FrameStamp Frame;

        /// <summary>When it was last seen.</summary>
        internal long Last;

        internal int FramesUnwound;
        internal int FramesSearched;
        internal long SearchTicks;

        /// <summary>When the search under way began.</summary>
        internal long SearchStart;

        /// <summary>The lowest frame that the search has passed: the exception will leave it.</summary>
        internal int SearchedTo = int.MaxValue;

        /// <summary>
        /// The frame with the finally block that this one waits in caught another exception, which may have taken its
        /// place.
        /// </summary>
        internal bool Contested;

        /// <summary>
        /// It waits because a method was entered while it unwound: called by a finally block that is not instrumented, or after
        /// the exception was caught there.
        /// </summary>
        internal bool Doubtful;

        /// <summary>Its message, where that was asked for before the exception was let go.</summary>
        internal string Message;

        // Identifies the exception; 0 when it is not known. The exception itself is kept only while the runtime holds
        // it, too: during the search. (A weak reference would do, but for Mono: making one ends the program when its
        // thread is aborted meanwhile.)
        private readonly int identity;
        private volatile object exception;

        /// <summary><paramref name="exception"/> is null when it is not known.</summary>
        internal ExceptionInFlight(int thrower, int depth, long now, object exception)
        {
            Thrower = thrower;
            At = thrower;
            Depth = depth;
            Start = now;
            Last = now;
            State = ExceptionInFlightState.Unwinding;
            if (exception == null)
                return;
            this.exception = exception;
            identity = IdentityOf(exception);
            Type = ExceptionText.TypeName(exception);
        }

        private static int IdentityOf(object exception)
        {
            int hash = RuntimeHelpers.GetHashCode(exception);
            return hash == 0 ? 1 : hash;
        }

        /// <summary>The exception, until it is let go; null when it is not known.</summary>
        internal object Exception
        {
            get { return exception; }
        }

        /// <summary>The search is over: from now on only text is kept.</summary>
        internal void LetGo(bool wantsMessage)
        {
            object known = exception;
            if (known != null && wantsMessage)
                Message = ExceptionText.Message(known);
            exception = null;
        }

        /// <summary>True if it is known which exception it is.</summary>
        internal bool IsKnown
        {
            get { return identity != 0; }
        }

        /// <summary>True if it can be this exception.</summary>
        internal bool CanBe(object other)
        {
            return identity == 0 || other == null || identity == IdentityOf(other);
        }

        /// <summary>True if it is known to be this exception.</summary>
        internal bool Is(object other)
        {
            return identity != 0 && other != null && identity == IdentityOf(other);
        }

        /// <summary>True if the search has passed this frame, so that the exception leaves it.</summary>
        internal bool WillLeave(int token)
        {
            return SearchedTo <= token;
        }

        /// <summary>True if the frame it is at is still the same.</summary>
        internal bool IsCurrent(ThreadTree tree)
        {
            return Depth == 0 || Frame.IsOpen(tree, Depth);
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
