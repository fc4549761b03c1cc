// A program to be timed by one clock or another, with clocks of its own; instrumented by ilinject, the clocks too.
//   Clocked work      Sleeps 60 ms, computes in Spins, calls Small 1,000 times, on one thread
//   Clocked threads   calls Small 1,000 times on each of 8 threads, then 200,010 times: exit code 0 when that allocates nothing
//   Clocked async     awaits 100 ms
//   Clocked ticks     calls Long and Short, of 30 and 10 us each, and prints how many ns each took in all, within and around it
//   Clocked later     Small, stops recording, prints how many ms the process has run by then, and sleeps for 600 ms
//   Clocked quiet     sleeps for 2.5 s, and prints how often the thread that ticks got a processor in the last one
//   Clocked open      ends while Sleeps is open on another thread
using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Threading;
using Instrumenter;

namespace Clocks
{
    public class Good : IHighResolution
    {
        public long Ticks { get { return Read(); } }
        public long Avg { get { return 0; } }
        static long Read() { return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency)); }
    }

    // Milliseconds, as it says.
    public class Slow : IHighResolution
    {
        public long TicksPerSecond { get { return 1000; } }
        public long Ticks { get { return Environment.TickCount; } }
        public long Avg { get { return 1; } }
    }

    public static class Static
    {
        public const long Unit = 1;
        public static long TicksPerSecond = 1000;
        public static long Ticks { get { return Environment.TickCount; } }
    }

    public class Backwards : IHighResolution
    {
        private long ticks = 1000000000000;
        public long Ticks { get { return Interlocked.Add(ref ticks, -1000); } }
        public long Avg { get { return 0; } }
    }

    // Goes an hour back and an hour forward, in turns.
    public class Jumps : IHighResolution
    {
        private int readings;
        public long Ticks { get { return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency)) + Interlocked.Increment(ref readings) / 7 % 2 * 3600000000000; } }
        public long Avg { get { return 0; } }
    }

    // Throws inside, and catches it.
    public class Catches : IHighResolution
    {
        public long Ticks { get { try { return Fails(); } catch (InvalidOperationException) { return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency)); } } }
        public long Avg { get { return 0; } }
        static long Fails() { throw new InvalidOperationException(); }
    }

    public class ThrowsLater : IHighResolution
    {
        private int readings;
        public long Ticks { get { if (++readings > 100) throw new NotSupportedException(); return readings; } }
        public long Avg { get { return 0; } }
    }

    public class ThrowsAtOnce : IHighResolution
    {
        public long Ticks { get { throw new NotSupportedException(); } }
        public long Avg { get { return 0; } }
    }

    public class FailsToBegin : IHighResolution
    {
        public FailsToBegin() { throw new NotSupportedException(); }
        public long Ticks { get { return 0; } }
        public long Avg { get { return 0; } }
    }

    public class NeedsMore : IHighResolution
    {
        public NeedsMore(int more) { }
        public long Ticks { get { return 0; } }
        public long Avg { get { return 0; } }
    }

    public class StandsStill : IHighResolution
    {
        public long TicksPerSecond { get { return 0; } }
        public long Ticks { get { return 0; } }
        public long Avg { get { return 0; } }
    }

    public class Nothing
    {
    }
}

static class Program
{
    private static int sink;

    static void Sleeps() { Thread.Sleep(60); }

    static void Spins()
    {
        int x = 1;
        for (int i = 0; i < 60000000; i++)
            x = x * 31 + i;
        sink = x;
    }

    static void Small() { sink++; }

    static void Calls(int times)
    {
        for (int i = 0; i < times; i++)
            Small();
    }

    static void Threads()
    {
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.Length; i++)
            (threads[i] = new Thread(delegate() { Calls(1000); })).Start();
        foreach (Thread thread in threads)
            thread.Join();
    }

    static int Alloc()
    {
        MethodInfo allocated = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", Type.EmptyTypes);
        Calls(10);
        long before = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(true);
        int collections = GC.CollectionCount(0);
        long first = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(false);
        Calls(200000);
        long after = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(false);
        collections = GC.CollectionCount(0) - collections;
        Console.WriteLine((after - first) + " bytes, measuring takes " + (first - before) + ", collections " + collections);
        // Mono counts in blocks of a thread's own buffer, and the tracker's own thread may work meanwhile.
        return allocated != null ? (after - first <= first - before ? 0 : 1) : (collections == 0 && after - first < 100000 ? 0 : 1);
    }

    static void Open()
    {
        Thread thread = new Thread(delegate() { Spins(); Thread.Sleep(60000); });
        thread.IsBackground = true;
        thread.Start();
        Thread.Sleep(1000);
    }

    static async System.Threading.Tasks.Task Waits()
    {
        await System.Threading.Tasks.Task.Delay(100);
        Small();
    }

    // Works for that many ticks of the program's own clock, and returns how many it took.
    static long Work(long ticks)
    {
        long start = Stopwatch.GetTimestamp(), now = start;
        while (now - start < ticks)
            now = Stopwatch.GetTimestamp();
        return now - start;
    }

    // The first one sees ticks, most others none.
    static long Long()
    {
        long microseconds = began ? 30 : 20000;
        began = true;
        return Work(Stopwatch.Frequency / 1000000 * microseconds);
    }

    static bool began;
    static long Short() { return Work(Stopwatch.Frequency / 1000000 * 10); }

    // What each of the two takes by a reading within it, and by one around it: what the tracker does on this thread, and what
    // other programs take from it meanwhile, lies between.
    static void Ticks()
    {
        long inLong = 0, inShort = 0, withLong = 0, withShort = 0;
        long before = Stopwatch.GetTimestamp();
        for (int i = 0; i < 20000; i++)
        {
            inLong += Long();
            long between = Stopwatch.GetTimestamp();
            inShort += Short();
            long after = Stopwatch.GetTimestamp();
            withLong += between - before;
            withShort += after - between;
            before = after;
        }
        foreach (long ticks in new long[] { inLong, withLong, inShort, withShort })
            Console.Write((long)(ticks * (1e9 / Stopwatch.Frequency)) + " ");
        Console.WriteLine();
    }

    static void Later()
    {
        Small();
        ProfileInfoTracker.Stop();
        Console.WriteLine((long)(DateTime.Now - Process.GetCurrentProcess().StartTime).TotalMilliseconds);
        Thread.Sleep(600);
    }

    // /proc/self/task/*/schedstat: the third number.
    static long Ticked()
    {
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
            if (File.ReadAllText(task + "/comm").TrimEnd() == "ilinject clock")
                return long.Parse(File.ReadAllText(task + "/schedstat").Split(' ')[2]);
        return -1;
    }

    static void Quiet()
    {
        Thread.Sleep(1500);
        long before = Ticked();
        Thread.Sleep(1000);
        Console.WriteLine(before < 0 ? before : Ticked() - before);
    }

    static int Main(string[] args)
    {
        switch (args[0])
        {
            case "work": Sleeps(); Spins(); Calls(1000); return 0;
            case "threads": Threads(); return Alloc();
            case "ticks": Ticks(); return 0;
            case "later": Later(); return 0;
            case "quiet": Quiet(); Spins(); return 0;
            case "open": Open(); return 0;
            case "async": Waits().Wait(); return 0;
            default: return 2;
        }
    }
}
