// Calls the tracker as injected code would, so that what it records of single calls can be worked out by hand.
using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using Instrumenter;

static class Helper
{
    static readonly int Base = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 8);
    internal static int Enter(int id) { return ProfileInfoTracker.WhenEnteringMethod(Base + id); }
}

static class RecordDriver
{
    const int Main_ = 0, Outer_ = 1, Inner_ = 2, Leaf_ = 3, Throws_ = 4, Left_ = 5;

    static int Main(string[] args)
    {
        int token = Helper.Enter(Main_);
        int number = args.Length > 1 ? int.Parse(args[1]) : 0;
        switch (args[0])
        {
            case "two": Two(); break;
            case "endedthreads": EndedThreads(number); break;
            case "quickthreads":
                for (int i = 0; i < number; i++)
                {
                    Thread thread = new Thread(delegate() { Call(Leaf_); Call(Inner_); });
                    thread.Start();
                    thread.Join();
                }
                break;
            case "throws": for (int i = 0; i < 2; i++) Throws(10 + 30 * i); break;
            case "unclosed": Unclosed(); break;
            case "domain": Domain(); break;
            case "waits": Call(Leaf_); Thread.Sleep(60000); break;
            case "sequence": for (int i = 0; i < number; i++) Call(Outer_ + i % 3); break;
            case "unread": Unread(number); break;
            case "threads": Threads(number); break;
            case "brackets": Brackets(number); break;
            case "stops": Stops(); break;
            case "resets": Resets(); break;
            case "snapshots": Snapshots(number); break;
            default: return 2;
        }
        ProfileInfoTracker.WhenLeavingMethod(token);
        return 0;
    }

    static void Call(int id, int milliseconds)
    {
        int token = Helper.Enter(id);
        Thread.Sleep(milliseconds);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Call(int id) { ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(id)); }

    // Says by a file when half of the calls have been made.
    static void Unread(int number)
    {
        for (int i = 0; i < number; i++)
        {
            if (i == number / 2) System.IO.File.WriteAllText("half", "");
            Call(Outer_ + i % 3);
        }
    }

    // Two calls of each method, a short and a long one.
    static void Two()
    {
        for (int i = 0; i < 2; i++)
        {
            int token = Helper.Enter(Outer_);
            Call(Inner_, i == 0 ? 40 : 10);
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
        Call(Leaf_, 10);
    }

    // Threads that each leave their first call open at their end.
    static void EndedThreads(int count)
    {
        for (int i = 0; i < count; i++)
        {
            int milliseconds = i == 0 ? 40 : 5;
            Thread thread = new Thread(delegate() { Helper.Enter(Left_); Call(Leaf_, milliseconds); });
            thread.Name = "thread " + i;
            thread.Start();
            thread.Join();
        }
    }

    static void Threads(int calls)
    {
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(delegate() { for (int call = 0; call < calls; call++) Nested(); });
            threads[i].Start();
        }
        foreach (Thread thread in threads) thread.Join();
    }

    static void Nested()
    {
        int token = Helper.Enter(Outer_);
        Call(Inner_);
        Call(Leaf_);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Calls of different lengths, and on standard output, in order of their ends, how many ticks each can have taken at least and at most.
    static void Brackets(int calls)
    {
        long[] least = new long[calls], most = new long[calls];
        for (int i = 0; i < calls; i++)
        {
            long before = Stopwatch.GetTimestamp();
            int token = Helper.Enter(Leaf_);
            long inside = Stopwatch.GetTimestamp();
            for (long end = inside + Stopwatch.Frequency / 1000000 * (i % 37); Stopwatch.GetTimestamp() < end; ) { }
            long last = Stopwatch.GetTimestamp();
            ProfileInfoTracker.WhenLeavingMethod(token);
            most[i] = Stopwatch.GetTimestamp() - before;
            least[i] = last - inside;
        }
        for (int i = 0; i < calls; i++) Console.WriteLine(least[i] + " " + most[i]);
    }

    // A call over a stop and a start, with one before and one after, and one that ends while nothing is recorded.
    static void Stops()
    {
        int outer = Helper.Enter(Outer_);
        Call(Inner_, 10);
        int left = Helper.Enter(Left_);
        Thread.Sleep(10);
        ProfileInfoTracker.Stop();
        Call(Throws_, 100);
        Thread.Sleep(200);
        ProfileInfoTracker.WhenLeavingMethod(left);
        Thread.Sleep(200);
        ProfileInfoTracker.Start();
        Call(Leaf_, 10);
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    // The calls before the reset are gone, of this thread, of one that has ended and of one that
    // notices nothing; but calls that are open are not.
    static void Resets()
    {
        EndedThreads(1);
        Call(Leaf_);
        ManualResetEvent inside = new ManualResetEvent(false);
        Thread thread = new Thread(delegate() { Call(Leaf_); Helper.Enter(Throws_); inside.Set(); Thread.Sleep(60000); });
        thread.IsBackground = true;
        thread.Start();
        inside.WaitOne();
        int outer = Helper.Enter(Outer_);
        Call(Inner_);
        ProfileInfoTracker.Reset();
        Call(Inner_);
        ProfileInfoTracker.WhenLeavingMethod(outer);
        Call(Leaf_);
    }

    // Snapshots while threads call on.
    static void Snapshots(int count)
    {
        bool ends = false;
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(delegate() { while (!Volatile(ref ends)) { int token = Helper.Enter(Inner_); Nested(); Nested(); ProfileInfoTracker.WhenLeavingMethod(token); } });
            threads[i].Start();
        }
        for (int i = 0; i < count; i++) File.WriteAllBytes(i + ".snapshot", ProfileInfoTracker.Snapshot());
        ends = true;
        Thread.MemoryBarrier();
        foreach (Thread thread in threads) thread.Join();
    }
    static bool Volatile(ref bool value) { Thread.MemoryBarrier(); return value; }

    static void Throws(int milliseconds)
    {
        int outer = Helper.Enter(Outer_);
        try
        {
            int token = Helper.Enter(Throws_);
            try { Thread.Sleep(milliseconds); throw new InvalidOperationException(); }
            catch { ProfileInfoTracker.WhenLeavingByException(token); throw; }
        }
        catch (InvalidOperationException e) { ProfileInfoTracker.WhenCatching(e, outer); }
        // No event ends this one: the outer one's leave does.
        Helper.Enter(Left_);
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    // Calls in a further domain, too. A method of its own: .NET has no domains.
    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    static void Domain()
    {
        AppDomain domain = AppDomain.CreateDomain("further");
        domain.ExecuteAssembly(typeof(RecordDriver).Assembly.Location, new string[] { "throws" });
        AppDomain.Unload(domain);
        Two();
    }

    static void Unclosed()
    {
        Call(Leaf_, 10);
        Helper.Enter(Left_);
        Environment.Exit(0);
    }
}
