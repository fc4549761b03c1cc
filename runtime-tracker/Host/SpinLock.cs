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

        /// <summary>Milliseconds that are waited for a thread that may have been stopped for ever.</summary>
        private const int MostLate = 200;

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
            if (!TryEnter(ProcessEnd.AreThreadsStopped ? MostLate : int.MaxValue))
                throw new InvalidOperationException();
            return new Held(this);
        }

        /// <summary>False when others have held it for about that many milliseconds.</summary>
        internal bool TryEnter(int milliseconds)
        {
            int self = Thread.CurrentThread.ManagedThreadId;
            if (owner != self && !TryTake(self) && !Await(self, milliseconds))
                return false;
            depth++;
            return true;
        }

        private bool TryTake(int self)
        {
#pragma warning disable 420 // Interlocked needs no volatile
            return Interlocked.CompareExchange(ref owner, self, 0) == 0;
#pragma warning restore 420
        }

        private bool Await(int self, int milliseconds)
        {
            Pauses pauses = new Pauses();
            bool taken = false;
            for (int tries = 0; !taken && (tries < Yields || milliseconds-- > 0); tries++)
            {
                if (tries < Spins)
                    Thread.SpinWait(10);
                else
                    pauses.Sleep(tries < Yields ? 0 : 1);
                taken = TryTake(self);
            }
            pauses.End();
            return taken;
        }

        internal void Leave()
        {
            if (--depth == 0)
                owner = 0;
        }
    }
}
