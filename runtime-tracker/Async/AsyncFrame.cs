// A frame of a thread's stack that belongs to an async method.
namespace Instrumenter
{
    /// <summary>A frame of an async method, or of one that has started an async method.</summary>
    internal struct AsyncFrame
    {
        /// <summary>
        /// A frame that has started its state machine; a call's first run; a later slice; a first run that was
        /// suspended, of a call without an identity so far; a slice that was suspended; one that was the last.
        /// </summary>
        internal const int Starter = 0, FirstRun = 1, Resumed = 2, Unidentified = 3, Suspended = 4, Ended = 5;

        internal int State;

        /// <summary>The frame.</summary>
        internal int Index;
        internal FrameStamp Stamp;

        /// <summary>Where its figures go. Null when that is not known yet.</summary>
        internal AsyncPath Path;

        /// <summary>Null in the first run of a call with a known place, and in a slice of an unknown call.</summary>
        internal AsyncCall Call;

        /// <summary>In the first run: what will identify the call once it is suspended.</summary>
        internal object Identity;

        internal long SuspendedAt;

        /// <summary>
        /// Id of the method outside the instrumented code that made the task the slice awaits; 0: not known.
        /// </summary>
        internal int Leaf;

        /// <summary>When the frame was opened, where its own start is CPU time: on the line that all threads share.</summary>
        internal long Began;

        /// <summary>The slice has ended: others of its call were before it.</summary>
        internal bool IsLater;

        /// <summary>Of a later slice: its call was looked for once, at its head, before it called anything.</summary>
        internal bool WasIdentified;

        /// <summary>The slice was asked for its identity (so the identity is a task, else the state machine itself).</summary>
        internal bool Asked;
    }
}
