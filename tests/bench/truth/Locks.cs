// Three threads that take turns under a lock: while one works, the others wait, however many
// processors there are. Each has work of its own.
// waits: LocksWork.Turns::Take LocksWork.Turns::Pass LocksWork.Program::Main
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace LocksWork
{
    sealed class Turns
    {
        readonly int threads;
        int turn;

        public Turns(int threads) { this.threads = threads; }

        public void Take(int thread)
        {
            lock (this)
                while (turn != thread)
                    Monitor.Wait(this);
        }

        public void Pass()
        {
            lock (this)
            {
                turn = (turn + 1) % threads;
                Monitor.PulseAll(this);
            }
        }
    }

    static class Program
    {
        static readonly Turns turns = new Turns(3);
        static readonly object guard = new object();
        static long total;

        static void Add(long value) { lock (guard) total += value; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Primes(int below)
        {
            long sum = 0;
            for (int n = 2; n < below; n++)
            {
                bool prime = true;
                for (int d = 2; d * d <= n && prime; d++)
                    prime = n % d != 0;
                if (prime) sum += n;
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Steps(int from)
        {
            long sum = 0;
            for (long n = from; n < from + 1500; n++)
                for (long x = n; x > 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1)
                    sum++;
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Prepare(int job)
        {
            uint x = (uint)job;
            for (int i = 0; i < 60000; i++)
                x = (x ^ x >> 15) * 2246822519;
            return x & 1;
        }

        static void Work(int thread, int rounds, Func<int, long> work)
        {
            for (int i = 0; i < rounds; i++)
            {
                turns.Take(thread);
                for (int k = 0; k < 15; k++)
                    Add(work(i * 15 + k));
                turns.Pass();
            }
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 120);
            var others = new Thread[]
            {
                new Thread(() => Work(1, size, i => Primes(5000 + i % 50))),
                new Thread(() => Work(2, size, i => Steps(1 + i % 1000))),
            };
            foreach (Thread other in others)
                other.Start();
            Work(0, size, Prepare);
            foreach (Thread other in others)
                other.Join();
            Console.WriteLine(total);
        }
    }
}
