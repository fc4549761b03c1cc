// A thread of the program's, as a call tree or a log knows it.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Holds the thread weakly: a Thread holds what it was started with, which shall live no longer than without the tracker. The
    /// runtime holds the Thread of each thread that runs, so one that is gone has ended.
    /// </summary>
    internal sealed class KnownThread
    {
        internal readonly int Id;

        private readonly WeakReference thread;
        private volatile string name;

        /// <summary>The thread has not ended.</summary>
        internal KnownThread(Thread thread)
        {
            Id = thread.ManagedThreadId;
            try
            {
            }
            finally
            {
                // An abort of the thread waits for the end of this block: Mono dies of a half-made weak reference.
                this.thread = new WeakReference(thread);
            }
            name = thread.Name;
        }

        internal bool HasEnded
        {
            get
            {
                Thread there = (Thread)thread.Target;
                return there == null || !there.IsAlive;
            }
        }

        /// <summary>Its present name, or the last one that was seen. Null: none.</summary>
        internal string Name
        {
            get
            {
                Thread there = ProcessEnd.AreThreadsStopped ? null : (Thread)thread.Target;
                if (there != null)
                    name = there.Name;
                return name;
            }
        }

        /// <summary>
        /// For one whose name is told when it has ended: sees a name that the thread was given since. Called by the thread itself.
        /// </summary>
        internal void SeeName()
        {
            if (name == null)
                name = Thread.CurrentThread.Name;
        }
    }
}
