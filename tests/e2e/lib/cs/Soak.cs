// A program under full load for a given time, which counts its own calls: Soak THREADS SECONDS. Each thread calls, throws
// through frames that are instrumented, and waits for async methods that go on on other threads. At its end it prints
// how often each method was called, and each minute, oftener in a short run, a line "memory": seconds, bytes in the heap
// after a collection, bytes that the runtime holds for it (-1: it does not say), collections of the oldest generation.
// glibc keeps what has been freed for the next allocation, in up to eight places for each processor; the compiler of .NET
// takes some MiB for a long method, from whatever place its thread has, and frees them. So at these moments glibc is asked
// to give back what is free.
// Only Work is instrumented.
using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

static class Soak
{
    static volatile bool ends;
    static long tops, ones, twos, fails, sums;

    static int Main(string[] args)
    {
        // Else a busy machine gets more threads of it as time passes, and each takes memory.
        ThreadPool.SetMinThreads(16, 16);
        ThreadPool.SetMaxThreads(16, 16);
        Thread[] threads = new Thread[int.Parse(args[0])];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(delegate()
            {
                Work work = new Work();
                for (int round = 0; !ends; round++)
                {
                    work.Top(round % 5);
                    if (round % 100 == 0) work.Sum(round % 7).Wait();
                }
                Interlocked.Add(ref tops, work.Tops);
                Interlocked.Add(ref ones, work.Ones);
                Interlocked.Add(ref twos, work.Twos);
                Interlocked.Add(ref fails, work.Fails);
                Interlocked.Add(ref sums, work.Sums);
            });
            threads[i].Start();
        }
        Console.WriteLine("ready");
        int seconds = int.Parse(args[1]), step = Math.Max(2, Math.Min(60, seconds / 12));
        Stopwatch clock = Stopwatch.StartNew();
        for (long left; (left = seconds * 1000L - clock.ElapsedMilliseconds) > 0;)
        {
            Thread.Sleep((int)Math.Min(step * 1000, left));
            long heap = GC.GetTotalMemory(true);
            malloc_trim(UIntPtr.Zero);
            Console.WriteLine("memory " + clock.ElapsedMilliseconds / 1000 + " " + heap + " " + Held() + " " + GC.CollectionCount(GC.MaxGeneration));
        }
        ends = true;
        foreach (Thread thread in threads) thread.Join();
        Console.WriteLine("Work.Fail() " + fails);
        Console.WriteLine("Work.One() " + ones);
        Console.WriteLine("Work.Sum(int) " + sums);
        Console.WriteLine("Work.Top(int) " + tops);
        Console.WriteLine("Work.Two(int) " + twos);
        return 0;
    }

    [DllImport("libc")]
    static extern int malloc_trim(UIntPtr kept);

    // GC.GetGCMemoryInfo().TotalCommittedBytes, of .NET 5 and later.
    static long Held()
    {
        System.Reflection.MethodInfo ask = typeof(GC).GetMethod("GetGCMemoryInfo", Type.EmptyTypes);
        if (ask == null) return -1;
        return (long)ask.ReturnType.GetProperty("TotalCommittedBytes").GetValue(ask.Invoke(null, null), null);
    }
}

class Work
{
    internal long Tops, Ones, Twos, Fails, Sums;

    internal void Top(int depth) { Tops++; One(); try { Two(depth); Two(depth / 2); } catch (InvalidOperationException) { } }
    void One() { Ones++; }
    void Two(int depth) { Twos++; if (depth > 0) Two(depth - 1); else if (Twos % 1000 == 0) Fail(); One(); }
    void Fail() { Fails++; throw new InvalidOperationException(); }

    // One call at a time of each object, whatever thread it goes on on.
    internal async Task<int> Sum(int depth)
    {
        Sums++;
        if (depth == 0) return 0;
        await Task.Yield();
        int below = await Sum(depth - 1);
        try { await Task.Yield(); if (depth % 3 == 0) Fail(); } catch (InvalidOperationException) { }
        return below + 1;
    }
}
