// Methods that work for a known time. accuracy.sh makes a second copy of the class Bare, named Probed, and as many rounds as it wants;
// all but Bare and Program is instrumented. Prints how long each method of Bare takes by itself, without its callees, in nanoseconds.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

public static class Bare
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int None(int seed, int steps) { return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Tiny(int seed, int steps) { for (int i = 0; i < steps; i++) seed = seed * 31 + i; return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Short(int seed, int steps) { for (int i = 0; i < steps; i++) seed = seed * 31 + i; return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int seed, int steps) { for (int i = 0; i < steps; i++) seed = seed * 31 + i; return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Middle(int seed, int steps) { for (int i = 0; i < steps; i++) seed = seed * 31 + i; return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Long(int seed, int steps) { for (int i = 0; i < steps; i++) seed = seed * 31 + i; return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Microsecond(int seed, int steps) { for (int i = 0; i < steps; i++) seed = seed * 31 + i; return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int OneChild(int seed, int steps) { for (int i = 0; i < steps; i++) seed = seed * 31 + i; return Leaf(seed, steps); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int ChildBetween(int seed, int steps)
    {
        for (int i = 0; i < steps / 2; i++) seed = seed * 31 + i;
        seed = Leaf(seed, steps);
        for (int i = steps / 2; i < steps; i++) seed = seed * 31 + i;
        return seed;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int ChildFirst(int seed, int steps) { seed = Leaf(seed, steps); for (int i = 0; i < steps; i++) seed = seed * 31 + i; return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int TenTiny(int seed, int steps) { for (int i = 0; i < 10; i++) seed = Tiny(seed, steps); return seed; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int TenLeaves(int seed, int steps)
    {
        for (int i = 0; i < 10; i++) { for (int k = 0; k < steps; k++) seed = seed * 31 + k; seed = Leaf(seed, steps); }
        return seed;
    }

    public static int CallNone(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = None(x, steps); return x; }
    public static int CallTiny(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = Tiny(x, steps); return x; }
    public static int CallShort(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = Short(x, steps); return x; }
    public static int CallLeaf(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = Leaf(x, steps); return x; }
    public static int CallMiddle(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = Middle(x, steps); return x; }
    public static int CallLong(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = Long(x, steps); return x; }
    public static int CallMicrosecond(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = Microsecond(x, steps); return x; }
    public static int CallOneChild(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = OneChild(x, steps); return x; }
    public static int CallChildFirst(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = ChildFirst(x, steps); return x; }
    public static int CallChildBetween(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = ChildBetween(x, steps); return x; }
    public static int CallTenTiny(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = TenTiny(x, steps); return x; }
    public static int CallTenLeaves(int calls, int steps) { int x = 0; for (int i = 0; i < calls; i++) x = TenLeaves(x, steps); return x; }
}

public static class Program
{
    delegate int Caller(int calls, int steps);

    sealed class Job
    {
        public string Name;
        public Caller Bare, Probed;
        public int Nanoseconds, Steps, Calls;
        public readonly List<double> BareWindows = new List<double>(), ProbedWindows = new List<double>();
    }

    const double WindowNanoseconds = 300000;
    static int sink;

    static Job[] jobs = {
        new Job { Name = "None", Bare = Bare.CallNone, Probed = Probed.CallNone, Nanoseconds = 1 },
        new Job { Name = "Tiny", Bare = Bare.CallTiny, Probed = Probed.CallTiny, Nanoseconds = 5 },
        new Job { Name = "Short", Bare = Bare.CallShort, Probed = Probed.CallShort, Nanoseconds = 25 },
        new Job { Name = "Leaf", Bare = Bare.CallLeaf, Probed = Probed.CallLeaf, Nanoseconds = 60 },
        new Job { Name = "Middle", Bare = Bare.CallMiddle, Probed = Probed.CallMiddle, Nanoseconds = 150 },
        new Job { Name = "Long", Bare = Bare.CallLong, Probed = Probed.CallLong, Nanoseconds = 630 },
        new Job { Name = "Microsecond", Bare = Bare.CallMicrosecond, Probed = Probed.CallMicrosecond, Nanoseconds = 1000 },
        new Job { Name = "OneChild", Bare = Bare.CallOneChild, Probed = Probed.CallOneChild, Nanoseconds = 60 },
        new Job { Name = "ChildFirst", Bare = Bare.CallChildFirst, Probed = Probed.CallChildFirst, Nanoseconds = 60 },
        new Job { Name = "ChildBetween", Bare = Bare.CallChildBetween, Probed = Probed.CallChildBetween, Nanoseconds = 60 },
        new Job { Name = "TenTiny", Bare = Bare.CallTenTiny, Probed = Probed.CallTenTiny, Nanoseconds = 5 },
        new Job { Name = "TenLeaves", Bare = Bare.CallTenLeaves, Probed = Probed.CallTenLeaves, Nanoseconds = 60 },
    };

    static double Time(Caller caller, int calls, int steps)
    {
        long start = Stopwatch.GetTimestamp();
        sink += caller(calls, steps);
        return (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency;
    }

    static readonly List<double> gauge = new List<double>();
    static long between;

    /// <summary>Two readings of the clock around work, of no tracker's: what they take says how quiet the machine is.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Gauged(int seed, int steps)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < steps; i++) seed = seed * 31 + i;
        between += Stopwatch.GetTimestamp() - start;
        return seed;
    }

    static int CallGauged(int calls, int steps)
    {
        int x = 0;
        for (int i = 0; i < calls; i++) { for (int k = 0; k < steps; k++) x = x * 31 + k; x = Gauged(x, steps); }
        return x;
    }

    /// <summary>Called by each round.</summary>
    public static void Round()
    {
        Job leaf = Named("Leaf");
        gauge.Add(Time(CallGauged, leaf.Calls, leaf.Steps) / leaf.Calls);
        foreach (Job job in jobs)
        {
            job.BareWindows.Add(Time(job.Bare, job.Calls, job.Steps) / job.Calls);
            job.ProbedWindows.Add(Time(job.Probed, job.Calls, job.Steps) / job.Calls);
        }
    }

    static Job Named(string name)
    {
        return Array.Find(jobs, delegate(Job job) { return job.Name == name; });
    }

    /// <summary>The mean of the lowest quarter, without its quarter that took least: of rounds that nothing has disturbed.</summary>
    static double Quiet(List<double> windows)
    {
        windows.Sort();
        double sum = 0;
        int first = windows.Count / 16, end = windows.Count / 4;
        for (int i = first; i < end; i++)
            sum += windows[i];
        return sum / (end - first);
    }

    static double Bared(string name)
    {
        return Quiet(Named(name).BareWindows) - Quiet(Named("None").BareWindows);
    }

    static void Print(string name, double nanoseconds)
    {
        Console.WriteLine("{0} {1:0.0}", name, nanoseconds);
    }

    public static void Main()
    {
        // Compiled in steps, methods are hot after a while only.
        for (int i = 0; i < 12; i++)
        {
            foreach (Job job in jobs)
                for (int k = 0; k < 100; k++)
                    sink += job.Bare(20, 10) + job.Probed(20, 10) + CallGauged(20, 10);
            Thread.Sleep(120);
        }
        double step = double.MaxValue;
        for (int i = 0; i < 50; i++)
            step = Math.Min(step, Time(Bare.CallLong, 20, 2000) / 20 / 2000);
        foreach (Job job in jobs)
        {
            job.Steps = (int)Math.Max(Math.Round(job.Nanoseconds / step), 1);
            Time(job.Probed, 100, job.Steps);
            job.Calls = (int)Math.Max(Math.Min(WindowNanoseconds * 100 / Time(job.Probed, 100, job.Steps), 3000), 10);
        }
        Rounds.All();
        foreach (string name in new string[] { "Tiny", "Short", "Leaf", "Middle", "Long", "Microsecond" })
            Print(name, Bared(name));
        foreach (string name in new string[] { "OneChild", "ChildFirst", "ChildBetween" })
            Print(name, Bared(name) - Bared("Leaf"));
        Print("TenTiny", Bared("TenTiny") - 10 * Bared("Tiny"));
        Print("TenLeaves", Bared("TenLeaves") - 10 * Bared("Leaf"));
        Print("gauge", Quiet(gauge) - 2 * Bared("Leaf"));
        Job whole = Named("Microsecond");
        Print("overhead", (Quiet(whole.ProbedWindows) / Quiet(whole.BareWindows) - 1) * 100);
    }
}
