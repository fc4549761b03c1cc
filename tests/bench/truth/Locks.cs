// Threads with a queue between them: one makes jobs and waits while it is full, two do them and
// wait while it is empty.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace LocksWork
{
    sealed class Jobs
    {
        readonly Queue<int> queue = new Queue<int>();
        bool ended;

        public void Put(int job)
        {
            Truth.Waits();
            lock (queue)
            {
                while (queue.Count >= 8)
                    Monitor.Wait(queue);
                queue.Enqueue(job);
                Monitor.PulseAll(queue);
            }
            Truth.Waited("LocksWork.Jobs.Put");
        }

        public bool Get(out int job)
        {
            Truth.Waits();
            job = 0;
            bool any;
            lock (queue)
            {
                while (queue.Count == 0 && !ended)
                    Monitor.Wait(queue);
                any = queue.Count > 0;
                if (any) job = queue.Dequeue();
                Monitor.PulseAll(queue);
            }
            Truth.Waited("LocksWork.Jobs.Get");
            return any;
        }

        public void End()
        {
            lock (queue)
            {
                ended = true;
                Monitor.PulseAll(queue);
            }
        }
    }

    static class Program
    {
        static readonly Jobs jobs = new Jobs();
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
            for (long n = from; n < from + 500; n++)
                for (long x = n; x > 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1)
                    sum++;
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Prepare(int job)
        {
            uint x = (uint)job;
            for (int i = 0; i < 30000; i++)
                x = (x ^ x >> 15) * 2246822519;
            return job + (int)(x & 1);
        }

        static void Work()
        {
            while (jobs.Get(out int job))
            {
                Add(Primes(2500 + job % 50));
                Add(Steps(1 + job % 1000));
            }
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 5000);
            var workers = new Thread[2];
            for (int i = 0; i < workers.Length; i++)
            {
                workers[i] = new Thread(Work);
                workers[i].Start();
            }
            for (int i = 0; i < size; i++)
                jobs.Put(Prepare(i));
            jobs.End();
            Truth.Waits();
            foreach (Thread worker in workers)
                worker.Join();
            Truth.Waited("LocksWork.Program.Main");
            Console.WriteLine(total);
            Truth.Ends();
        }
    }
}
