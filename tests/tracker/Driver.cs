// A program "instrumented" by hand: each scenario calls the tracker as injected code would. Usage: driver SCENARIO [NUMBER]
using System;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using Instrumenter;

// The type that ilinject adds to a module.
static class Helper
{
    static readonly int Base;
    static Helper() { Base = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 8); }
    internal static int Enter(int id) { return ProfileInfoTracker.WhenEnteringMethod(Base + id); }
}

static partial class Driver
{
    // Ids, in the order of the names resource.
    const int Main_ = 0, Outer_ = 1, Inner_ = 2, InnerInt_ = 3, Recurse_ = 4, Throws_ = 5, Work_ = 6, Sleep_ = 7;

    static int Main(string[] args)
    {
        if (args[0] == "itself")
        {
            Environment.SetEnvironmentVariable("ILINJECT_OUT", "itself.ilprof");
            args[0] = "nested";
        }
        int number = args.Length > 1 ? int.Parse(args[1]) : 0;
        int token = Helper.Enter(Main_);
        int result = Run(args[0], number);
        ProfileInfoTracker.WhenLeavingMethod(token);
        return result;
    }

    static int Run(string scenario, int number)
    {
        switch (scenario)
        {
            case "nested": for (int i = 0; i < 10; i++) Outer(); break;
            case "recursion": Recurse(number); break;
            case "deep": OnBigStack(delegate { Recurse(number); }); break;
            case "chain": OnBigStack(delegate { Chain(number); }); break;
            case "threads": Threads(number); break;
            case "shortthreads": ShortThreads(number); break;
            case "resync": for (int i = 0; i < 10; i++) Catches(); break;
            case "tokens": Tokens(); break;
            case "exit": Exits(); break;
            case "unhandled": Throws(); break;
            case "listens": AppDomain.CurrentDomain.UnhandledException += delegate { Console.WriteLine("heard"); }; Throws(); break;
            case "wait": Waits(number); break;
            case "until": Until(System.IO.Path.GetFullPath("../end")); break;
            case "reads": Reads(); break;
            case "fold": Fold(number); break;
            case "unfold": Unfold(number); break;
            case "commands": Commands(number); break;
            case "openfold": OpenFold(); break;
            case "wide": Wide(number); break;
            case "alloc": return Alloc();
            case "culture": Culture(); break;
            case "unregistered": Unregistered(); break;
            case "bench": Bench(); break;
            case "stopped": Stopped(); break;
            case "openstop": OpenStop(); break;
            case "stopthreads": StopThreads(); break;
            case "stopthrows": StopThrows(); break;
            case "startlater": Outer(); ProfileInfoTracker.Start(); Outer(); break;
            case "stopscope": using (new MeasurePerf("scope")) { ProfileInfoTracker.Stop(); Thread.Sleep(500); ProfileInfoTracker.Start(); Outer(); } Inner(); break;
            case "snapshot": Snapshot(); break;
            case "reset": Reset(); break;
            case "report": Report(); break;
            case "resetopen": ResetOpen(number); break;
            case "resetfolded": ResetFolded(); break;
            case "resetscope": Outer(); using (new MeasurePerf("outside")) using (new MeasurePerf("inside")) { ProfileInfoTracker.Reset(); Outer(); } Inner(); break;
            case "resetstale": ResetStale(); break;
            case "resetthrows": ResetThrows(); break;
            case "resetstopped": Outer(); ProfileInfoTracker.Stop(); Thread.Sleep(300); ProfileInfoTracker.Reset(); Outer(); Thread.Sleep(500); ProfileInfoTracker.Start(); Outer(); break;
            case "resetending": ResetEnding(); break;
            case "resetting": Resetting(number); break;
            case "resetmemory": return ResetMemory();
            case "flush": Outer(); Console.WriteLine(ProfileInfoTracker.Flush()); Process.GetCurrentProcess().Kill(); Thread.Sleep(60000); break;
            case "switching": Switching(number); break;
            case "switches": Switches(); break;
            case "triggers": Triggers(); break;
            case "longer": Longer(number); break;
            case "switchthreads": SwitchThreads(number); break;
            case "switchreset": SwitchReset(); break;
            case "working": Outer(); Working(Outer); break;
            case "benchstopped": BenchStopped(); break;
            case "domain": Domain(); break;
            case "contexts": Contexts(); break;
            case "collectible": return Collectible();
            default: return 2;
        }
        return 0;
    }

    static void Outer()
    {
        int token = Helper.Enter(Outer_);
        for (int i = 0; i < 3; i++) Inner();
        Inner(1);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Inner()
    {
        ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(Inner_));
    }

    static void Inner(int i)
    {
        ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(InnerInt_));
    }

    static void Recurse(int depth)
    {
        int token = Helper.Enter(Recurse_);
        if (depth > 1) Recurse(depth - 1);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Five methods in turn, to a depth.
    static void Chain(int depth)
    {
        int token = Helper.Enter(1 + depth % 5);
        if (depth > 1) Chain(depth - 1);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void OnBigStack(ThreadStart start)
    {
        Thread thread = new Thread(start, 256 << 20);
        thread.Start();
        thread.Join();
    }

    static void Threads(int calls)
    {
        Thread[] threads = new Thread[64];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(delegate()
            {
                int token = Helper.Enter(Work_);
                for (int call = 0; call < calls; call++) Outer();
                ProfileInfoTracker.WhenLeavingMethod(token);
            });
            threads[i].Name = "worker " + i;
            threads[i].Start();
        }
        foreach (Thread thread in threads) thread.Join();
    }

    static void ShortThreads(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Thread thread = new Thread(delegate()
            {
                Helper.Enter(Work_); // left open: the thread ends with it
                Outer();
            }, 128 << 10);
            thread.Start();
            thread.Join();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Throws()
    {
        Helper.Enter(Throws_);
        throw new InvalidOperationException("thrown on purpose");
    }

    static void Catches()
    {
        int token = Helper.Enter(Outer_);
        try { Recurse(2); Throws(); } catch (InvalidOperationException) { }
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Tokens()
    {
        ProfileInfoTracker.WhenLeavingMethod(0);
        ProfileInfoTracker.WhenLeavingMethod(1000);
        ProfileInfoTracker.WhenLeavingMethod(-1);
        int token = Helper.Enter(Outer_);
        if (token != 2) throw new Exception("the second frame's token is 2");
        ProfileInfoTracker.WhenLeavingMethod(token);
        ProfileInfoTracker.WhenLeavingMethod(token); // again: it is above the top now
        if (Helper.Enter(Inner_) != 2) throw new Exception("the token is used again");
        ProfileInfoTracker.WhenLeavingMethod(2);
    }

    static void Exits()
    {
        int token = Helper.Enter(Sleep_);
        Thread.Sleep(50);
        Environment.Exit(7);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Waits(int milliseconds)
    {
        int token = Helper.Enter(Sleep_);
        Outer();
        Console.WriteLine("ready");
        Thread.Sleep(milliseconds);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Until a file says so.
    static void Until(string end)
    {
        Console.WriteLine("ready");
        while (!System.IO.File.Exists(end)) Thread.Sleep(10);
    }

    // Keeps the profile of the run before open while the tracker takes its name.
    static void Reads()
    {
        using (System.IO.File.OpenRead("driver.ilprof"))
        {
            Outer();
            Thread.Sleep(100);
        }
    }

    // A tree of different paths: all words over four methods.
    static void Fold(int depth)
    {
        for (int id = 1; id <= 4; id++)
        {
            int token = Helper.Enter(id);
            if (depth > 1) Fold(depth - 1);
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
    }

    // More paths than there are nodes at once; then the last of them stays open while its callee works for that many milliseconds.
    static void Unfold(int milliseconds)
    {
        const int Depth = 9;
        Fold(Depth);
        int[] tokens = new int[Depth];
        for (int i = 0; i < Depth; i++)
            tokens[i] = Helper.Enter(4);
        Stopwatch time = Stopwatch.StartNew();
        do
        {
            int token = Helper.Enter(Sleep_);
            for (long until = time.ElapsedTicks + Stopwatch.Frequency / 50000; time.ElapsedTicks < until;)
            {
            }
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
        while (time.ElapsedMilliseconds < milliseconds);
        for (int i = Depth; i-- > 0;)
            ProfileInfoTracker.WhenLeavingMethod(tokens[i]);
    }

    // Calls of that many commands, each of a text of its own.
    static void Commands(int count)
    {
        for (int i = 0; i < count; i++)
        {
            int token = Helper.Enter(1);
            if (ProfileInfoTracker.WantsCommandText(token))
                ProfileInfoTracker.WhenCommandHasText("a command", "SELECT 'secret' FROM t" + i, token);
            ProfileInfoTracker.WhenLeavingCommand(token);
        }
    }

    // Many callees of one caller, and of the first of them, three times in turn.
    static void Wide(int callees)
    {
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < callees; i++)
                new MeasurePerf("callee" + i).Dispose();
            using (new MeasurePerf("callee0"))
                for (int i = callees; i-- > 0;)
                    new MeasurePerf("callee" + i).Dispose();
        }
    }

    // With a budget of two nodes, Main and Outer: the rest is folded and still open at the end.
    static void OpenFold()
    {
        Helper.Enter(Outer_);
        Helper.Enter(Inner_);
        Thread.Sleep(30);
        Helper.Enter(Sleep_);
        Thread.Sleep(60);
        Environment.Exit(0);
    }

    static void Culture()
    {
        foreach (string name in new[] { "ar-SA", "tr-TR", "fa-IR" })
        {
            try { Thread.CurrentThread.CurrentCulture = Thread.CurrentThread.CurrentUICulture = new CultureInfo(name); }
            catch (ArgumentException) { continue; }
            Thread other = new Thread(Outer);
            other.CurrentCulture = Thread.CurrentThread.CurrentCulture;
            other.Start();
            other.Join();
        }
        NumberFormatInfo odd = (NumberFormatInfo)CultureInfo.InvariantCulture.NumberFormat.Clone();
        odd.NegativeSign = "minus"; odd.NumberGroupSeparator = "'";
        CultureInfo culture = (CultureInfo)Thread.CurrentThread.CurrentCulture.Clone();
        culture.NumberFormat = odd;
        Thread.CurrentThread.CurrentCulture = culture;
    }

    static void Unregistered()
    {
        for (int i = 0; i < 5; i++)
            if (ProfileInfoTracker.WhenEnteringMethod(i) != 0) throw new Exception("a method without a base was recorded");
    }

    // The program once more in an AppDomain of its own, which is then unloaded.
    static void Domain()
    {
        AppDomain domain = AppDomain.CreateDomain("second");
        domain.ExecuteAssembly(typeof(Driver).Assembly.Location, new[] { "nested" });
        AppDomain.Unload(domain);
    }

    // The program once more in a collectible load context, which is then unloaded. By reflection: the compiler does not know it.
    // Exit code 0 when it is gone then.
    static int Collectible()
    {
        WeakReference second = Unloaded();
        for (int i = 0; i < 200 && second.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(10);
        }
        return second.IsAlive ? 1 : 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference Unloaded()
    {
        Type contexts = Type.GetType("System.Runtime.Loader.AssemblyLoadContext, System.Runtime.Loader");
        object context = Activator.CreateInstance(contexts, "second", true);
        Assembly again = (Assembly)contexts.GetMethod("LoadFromAssemblyPath").Invoke(context, new object[] { typeof(Driver).Assembly.Location });
        again.EntryPoint.Invoke(null, new object[] { new[] { "nested" } });
        contexts.GetMethod("Unload").Invoke(context, null);
        return new WeakReference(context);
    }

    // The program and two more of it, each in a load context with a tracker of its own.
    static void Contexts()
    {
        Type contexts = Type.GetType("System.Runtime.Loader.AssemblyLoadContext, System.Runtime.Loader");
        MethodInfo load = contexts.GetMethod("LoadFromAssemblyPath");
        for (int i = 0; i < 2; i++)
        {
            object context = Activator.CreateInstance(contexts, "further", false);
            load.Invoke(context, new object[] { typeof(ProfileInfoTracker).Assembly.Location });
            Assembly again = (Assembly)load.Invoke(context, new object[] { typeof(Driver).Assembly.Location });
            again.EntryPoint.Invoke(null, new object[] { new[] { "nested" } });
        }
        Run("nested", 0);
    }

    // Exit code 0 when a million calls allocate nothing.
    static int Alloc()
    {
        MethodInfo allocated = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", Type.EmptyTypes);
        Outer();
        long before = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(true);
        int collections = GC.CollectionCount(0);
        // The bytes that the measuring itself takes.
        long first = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(false);
        for (int i = 0; i < 200000; i++) Outer();
        long after = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(false);
        collections = GC.CollectionCount(0) - collections;
        Console.WriteLine((after - first) + " bytes, measuring takes " + (first - before) + ", collections " + collections);
        // Mono counts in blocks of a thread's own buffer, and the tracker's own thread may work meanwhile.
        return allocated != null ? (after - first <= first - before ? 0 : 1) : (collections == 0 && after - first < 100000 ? 0 : 1);
    }

    static void BenchStopped()
    {
        double off = double.MaxValue;
        ProfileInfoTracker.Stop();
        for (int round = 0; round < 60; round++)
        {
            off = Math.Min(off, Window(TreePairs));
            if (round == 20) Thread.Sleep(300);
        }
        Console.WriteLine("stopped: enter and leave {0:F1} ns", off);
    }

    // Nanoseconds per pair: Enter and Leave, beside two readings of the clock; the least of many windows.
    static void Bench()
    {
        double clock = double.MaxValue, tree = double.MaxValue, branch = double.MaxValue;
        for (int round = 0; round < 60; round++)
        {
            clock = Math.Min(clock, Window(ClockPairs));
            tree = Math.Min(tree, Window(TreePairs));
            branch = Math.Min(branch, Window(BranchPairs) / 2);
            if (round == 20) Thread.Sleep(300);
        }
        Console.WriteLine("two clock readings {0:F1} ns; enter and leave {1:F1} ns; two levels, four methods {2:F1} ns per pair", clock, tree, branch);
        Console.WriteLine("above the clock: {0:F1} % and {1:F1} %", (tree / clock - 1) * 100, (branch / clock - 1) * 100);
    }

    const int Pairs = 100000;
    static long sink;

    static double Window(Action body)
    {
        long start = Stopwatch.GetTimestamp();
        body();
        return (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / Pairs;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void ClockPairs()
    {
        long sum = 0;
        for (int i = 0; i < Pairs; i++) { long start = Stopwatch.GetTimestamp(); sum += Stopwatch.GetTimestamp() - start; }
        sink = sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void TreePairs()
    {
        for (int i = 0; i < Pairs; i++) ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(Inner_));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void BranchPairs()
    {
        for (int i = 0; i < Pairs; i++)
        {
            int token = Helper.Enter(1 + (i & 3));
            ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(4 + (i & 1)));
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
    }
}
