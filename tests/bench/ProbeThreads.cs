// The job of a probe's benchmark (Probe.cs) with several threads: each computes the same numbers
// for itself. Parts that threads share in a tracker, a lock or a line of the cache, show as dearer
// calls.
using System;
using System.Diagnostics;
using System.Threading;

namespace Bench
{
    sealed class Together
    {
        private const double ShortestWindow = 2e5; // ns
        private const int Stride = 16;            // so that two threads' counts do not share a line

        private readonly long[] done;
        private readonly double[] least;
        private readonly int alongside;
        private readonly long milliseconds;
        private int next;

        private Together(int threads, long milliseconds)
        {
            done = new long[(threads + 1) * Stride];
            least = new double[threads];
            alongside = Math.Min(threads, Environment.ProcessorCount) - 1;
            this.milliseconds = milliseconds;
        }

        private long ByOthers(int mine)
        {
            long sum = 0;
            for (int i = Stride; i < done.Length; i += Stride)
                if (i != mine)
                    sum += Volatile.Read(ref done[i]);
            return sum;
        }

        // A window counts if others worked all the while, as many as the machine has processors for.
        private void Work()
        {
            int number = Interlocked.Increment(ref next), mine = number * Stride, times = 1;
            double shortest = double.PositiveInfinity;
            Stopwatch all = Stopwatch.StartNew();
            while (all.ElapsedMilliseconds < milliseconds)
            {
                long before = ByOthers(mine), start = Stopwatch.GetTimestamp();
                for (int i = 0; i < times; i++)
                {
                    Fib.Run();
                    Volatile.Write(ref done[mine], done[mine] + 1);
                }
                double elapsed = (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency;
                if (elapsed < ShortestWindow || times == 1)
                    times *= 2;
                else if (ByOthers(mine) - before >= times * alongside * 3L / 4)
                    shortest = Math.Min(shortest, elapsed / times);
            }
            least[number - 1] = shortest;
        }

        /// <summary>ns that Fib.Run takes on one of that many threads at the least. Infinite when no two ever ran together.</summary>
        public static double Least(int threads, long milliseconds)
        {
            Together together = new Together(threads, milliseconds);
            Thread[] all = new Thread[threads];
            for (int i = 0; i < threads; i++)
                (all[i] = new Thread(together.Work)).Start();
            foreach (Thread thread in all)
                thread.Join();
            double shortest = double.PositiveInfinity;
            foreach (double own in together.least)
                shortest = Math.Min(shortest, own);
            return shortest;
        }
    }
}
