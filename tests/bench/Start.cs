// A short program for tests/bench/start.sh, instrumented but for this class. Prints, in microseconds, how long the first call of an
// instrumented method took, and how long the tracker worked when the program ended: with NUMBER levels, over a tree with seven children
// at each node. Prints "sum" with what was computed, and the number of calls.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Start
{
    static long before, after, exit;

    static void Main(string[] args)
    {
        int levels = int.Parse(args[0]);
        // The tracker's handler, which the first call installs, stands between these two.
        AppDomain.CurrentDomain.ProcessExit += delegate { exit = Stopwatch.GetTimestamp(); };
        before = Stopwatch.GetTimestamp();
        Work.First();
        after = Stopwatch.GetTimestamp();
        Work.Grow(levels);
        AppDomain.CurrentDomain.ProcessExit += delegate
        {
            long now = Stopwatch.GetTimestamp();
            Console.WriteLine("first " + Microseconds(after - before) + " exit " + Microseconds(now - exit) + " sum " + Work.Calls);
        };
    }

    static long Microseconds(long ticks) { return ticks * 1000000 / Stopwatch.Frequency; }
}

static class Work
{
    internal static int Calls;

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void First() { Calls++; }

    internal static void Grow(int levels)
    {
        if (levels == 0) return;
        A(levels - 1); B(levels - 1); C(levels - 1); D(levels - 1); E(levels - 1); F(levels - 1); G(levels - 1);
    }

    // Grow is not instrumented: there is a node for each word over seven letters.
    [MethodImpl(MethodImplOptions.NoInlining)] static void A(int levels) { Calls++; Grow(levels); }
    [MethodImpl(MethodImplOptions.NoInlining)] static void B(int levels) { Calls++; Grow(levels); }
    [MethodImpl(MethodImplOptions.NoInlining)] static void C(int levels) { Calls++; Grow(levels); }
    [MethodImpl(MethodImplOptions.NoInlining)] static void D(int levels) { Calls++; Grow(levels); }
    [MethodImpl(MethodImplOptions.NoInlining)] static void E(int levels) { Calls++; Grow(levels); }
    [MethodImpl(MethodImplOptions.NoInlining)] static void F(int levels) { Calls++; Grow(levels); }
    [MethodImpl(MethodImplOptions.NoInlining)] static void G(int levels) { Calls++; Grow(levels); }
}
