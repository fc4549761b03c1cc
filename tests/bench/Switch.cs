// Calls of a small method that no compiler inlines. Usage: Switch CALLS OFF, where OFF names the method that is switched off:
// Small, which is called, Other, which is not, or none. Prints the nanoseconds of a call, the least of some windows.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

static class Switch
{
    static int sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Small(int i) { sum += i; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Other(int i) { sum ^= i; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Loop(int count)
    {
        for (int i = 0; i < count; i++) Small(i);
    }

    // Ids are those of the order of methods, and this is the only module.
    static void Off(string name)
    {
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (assembly.GetName().Name != "ProfileInfoTracker") continue;
            Type[] types = { typeof(int), typeof(byte), typeof(bool) };
            MethodInfo set = assembly.GetType("Instrumenter.Switches").GetMethod("Set", BindingFlags.Static | BindingFlags.NonPublic, null, types, null);
            set.Invoke(null, new object[] { (1 << 24) + (name == "Small" ? 0 : 1), (byte)2, true });
        }
    }

    // A runtime that compiles in steps takes the last one only where a method is called often and time goes by.
    static void Warm()
    {
        for (int i = 0; i < 400; i++)
        {
            Loop(1000);
            Other(i);
            if (i % 100 == 0) Thread.Sleep(200);
        }
    }

    static int Main(string[] args)
    {
        int calls = int.Parse(args[0], CultureInfo.InvariantCulture);
        Warm();
        if (args[1] != "none") Off(args[1]);
        Warm();
        long least = long.MaxValue;
        for (int window = 0; window < 15; window++)
        {
            Stopwatch watch = Stopwatch.StartNew();
            for (int i = 0; i < calls; i += 1000) Loop(1000);
            least = Math.Min(least, watch.ElapsedTicks);
        }
        Console.WriteLine((least * 1e9 / Stopwatch.Frequency / calls).ToString("F2", CultureInfo.InvariantCulture));
        return 0;
    }
}
