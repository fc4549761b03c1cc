// The bits that close the fast way in and out of a method, for one thread.
namespace Instrumenter
{
    /// <summary>
    /// Bits that close the fast way, each for a reason of its own, below the epoch of the phase that the thread has seen last. The fast
    /// way is open to a thread without any of them and with the epoch that holds: <see cref="Control.OpenState"/>.
    /// </summary>
    internal enum TreeState
    {
        /// <summary>The thread is inside the tracker.</summary>
        Busy = 1,

        /// <summary>The frame on top is a folded one.</summary>
        Folding = 2,

        /// <summary>The clock's own code may be instrumented, or the host stores 64 bits in two steps.</summary>
        PlainHost = 4,

        /// <summary>An exception unwinds, or a handler for it is looked for.</summary>
        InFlight = 8,

        /// <summary>Single calls are recorded.</summary>
        Recording = 16,

        /// <summary>Not every call is recorded.</summary>
        Triggered = 32,

        /// <summary>Bytes or collections are counted, which has a fast way of its own.</summary>
        CountingFigures = 64,

        /// <summary>The last profile is written already.</summary>
        Late = 128,

        /// <summary>The first phase's epoch; the next ones are its multiples.</summary>
        FirstEpoch = 256,

        /// <summary>The bits of the epoch.</summary>
        Epoch = -256
    }
}
