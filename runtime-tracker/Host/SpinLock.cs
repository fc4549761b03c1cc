// A lock that is none of the runtime's monitors.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Mono ends a program by suspending its threads, and hangs when one of them just then begins to wait for a monitor: so no thread
    /// of the program's ever waits for one of the tracker's. Held for short times; can be entered again by the thread that holds it.
    /// </summary>
    internal class SpinLock
    {
        /// <summary>Disposing of this leaves the lock: using (latch.Enter()) { … }.</summary>
        internal struct Held : IDisposable
        {
            private readonly SpinLock latch;

            internal Held(SpinLock latch)
            {
                this.latch = latch;
            }

            public void Dispose()
            {
                latch.Leave();
            }
        }

        /// <summary>How often a thread looks again at once, and how often it lets others run first, before it sleeps.</summary>
        private const int Spins = 20, Yields = 40;

        // The managed id of the thread that holds it, 0: none.
        private volatile int owner;
        private int depth;

        /// <summary>The lock in a static field, made by the first caller: no class has a type initializer for it.</summary>
        internal static SpinLock Of(ref SpinLock latch)
        {
            if (latch == null)
                Interlocked.CompareExchange(ref latch, new SpinLock(), null);
            return latch;
        }

        internal Held Enter()
        {
            TryEnter(int.MaxValue);
            return new Held(this);
        }

        /// <summary>False when others have held it for about so many milliseconds.</summary>
        internal bool TryEnter(int milliseconds)
        {
            int self = Thread.CurrentThread.ManagedThreadId;
            if (owner != self)
            {
#pragma warning disable 420 // Interlocked needs no volatile
                for (int tries = 0; Interlocked.CompareExchange(ref owner, self, 0) != 0; tries++)
                {
                    if (tries < Spins)
                        Thread.SpinWait(10);
                    else if (tries < Yields)
                        Thread.Sleep(0);
                    else if (milliseconds-- > 0)
                        Thread.Sleep(1);
                    else
                        return false;
                }
#pragma warning restore 420
            }
            depth++;
            return true;
        }

        internal void Leave()
        {
            if (--depth == 0)
                owner = 0;
        }
    }
}
