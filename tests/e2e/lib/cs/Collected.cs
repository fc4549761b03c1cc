// Methods that make the garbage collector run as often as their source says, each called once in
// Measured; nothing else collects. The last line that is printed is how many collections there were
// in Measured, and for how many nanoseconds they held up the program, as the program reads it; -1
// where the runtime does not know it. "more" collects once more in one method, "quiet" never.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

// An await that does nothing but keep what comes after it.
class Gate : INotifyCompletion
{
    internal static Action Pending;
    internal static readonly Gate Only = new Gate();

    public Gate GetAwaiter() { return this; }
    public bool IsCompleted { get { return false; } }
    public void GetResult() { }
    public void OnCompleted(Action continuation) { Pending = continuation; }
}

static class Collected
{
    static int more;
    static int number;
    internal static object sink;

    static void Nothing() { number++; }
    static void Once() { GC.Collect(); }
    static void Young() { GC.Collect(0); }
    static void Twice()
    {
        GC.Collect();
        Nothing();
        GC.Collect();
    }
    static void Calls()
    {
        Once();
        GC.Collect();
        Once();
    }
    static void Grows()
    {
        for (int i = 0; i <= more; i++)
            GC.Collect();
    }
    static void Deep() { Down(5); }
    static void Down(int depth)
    {
        GC.Collect();
        if (depth > 1)
            Down(depth - 1);
    }
    static void Throws()
    {
        GC.Collect();
        throw new InvalidOperationException("none left");
    }
    static void Catches()
    {
        try
        {
            Throws();
        }
        catch (InvalidOperationException)
        {
            GC.Collect();
        }
        finally
        {
            Once();
        }
    }
    static IEnumerable<int> Numbers()
    {
        GC.Collect();
        yield return number;
        GC.Collect();
        yield return 2;
    }
    static void Iterates()
    {
        foreach (int one in Numbers())
            number += one;
    }
    static async Task Slices()
    {
        GC.Collect();
        await Gate.Only;
        GC.Collect();
        Once();
        await Gate.Only;
        GC.Collect();
    }
    static void RunSlices()
    {
        sink = Slices();
        for (Action next = Gate.Pending; next != null; next = Gate.Pending)
        {
            Gate.Pending = null;
            next();
        }
    }
    static void OnThread() { GC.Collect(); }

    // It waits meanwhile, so each of the two is its own, too.
    static void Waits()
    {
        for (int i = 0; i < 2; i++)
        {
            Thread thread = new Thread(OnThread);
            thread.Start();
            thread.Join();
        }
    }
    static void Measured()
    {
        Nothing();
        Once();
        Young();
        Twice();
        Calls();
        Grows();
        Deep();
        Catches();
        Iterates();
        RunSlices();
        Waits();
    }

    static int Idle(int depth) { return depth == 0 ? number : Idle(depth - 1) + 1; }

    static long Count() { return Type.GetType("Mono.Runtime") == null ? GC.CollectionCount(0) : GC.CollectionCount(0) + GC.CollectionCount(1); }

    static long Pause(MethodInfo total) { return total == null ? -1 : ((TimeSpan)total.Invoke(null, null)).Ticks * 100; }

    static int Main(string[] args)
    {
        if (args.Length != 0 && args[0] == "quiet")
            return Idle(500) == 0 ? 1 : 0;
        more = args.Length;
        MethodInfo total = typeof(GC).GetMethod("GetTotalPauseDuration", Type.EmptyTypes);
        long count = Count(), pause = Pause(total);
        Measured();
        pause = total == null ? -1 : Pause(total) - pause;
        Console.WriteLine((Count() - count) + " " + pause);
        return 0;
    }
}
