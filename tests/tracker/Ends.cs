// A program that ends in the way of its argument: ends WAY [MILLISECONDS]. Prints what it does, so that it can be
// compared with itself uninstrumented.
using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

static class Ends
{
    static readonly object gate = new object();
    static int ends;

    [DllImport("libc")] static extern void abort();
    [DllImport("libc")] static extern uint sleep(uint seconds);
    [DllImport("libc")] static extern int kill(int pid, int signal);
    [DllImport("libc")] static extern int getpid();

    static int Main(string[] args)
    {
        if (args[0] != "own-console") Work();
        Console.WriteLine("worked");
        return End(args[0], args.Length > 1 ? int.Parse(args[1]) : 0);
    }

    // The counts: three calls of Leaf below Work, wherever the program ends.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Work() { for (int i = 0; i < 3; i++) Leaf(); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Leaf() { Thread.MemoryBarrier(); }

    /// <summary>Does the tracker's clock still tick?</summary>
    static bool HasClock()
    {
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
            if (File.ReadAllText(task + "/comm").Trim() == "ilinject clock") return true;
        return false;
    }

    static int End(string way, int milliseconds)
    {
        switch (way)
        {
            case "return": return 3;
            case "exit": Environment.Exit(4); break;
            case "exit-elsewhere": Elsewhere(delegate { Environment.Exit(5); }); Thread.Sleep(Timeout.Infinite); break;
            case "exit-finalizer": Finalize(); for (;;) { GC.Collect(); GC.WaitForPendingFinalizers(); Thread.Sleep(10); }
            case "handler": AppDomain.CurrentDomain.ProcessExit += delegate { Leaf(); Console.WriteLine("handled"); }; return 7;
            case "handler-alone": AppDomain.CurrentDomain.ProcessExit += delegate { Console.WriteLine(HasClock() ? "ticks" : "alone"); }; return 7;
            case "exit-finally": try { throw new InvalidOperationException(); } catch (InvalidOperationException) { } finally { Environment.Exit(8); } break;
            case "exit-initializer": return Initialized.Value;
            case "exit-locked": Locked(); break;
            case "exit-hammered": Hammered(); break;
            case "exit-twice": for (int i = 0; i < 4; i++) Elsewhere(delegate { Leaf(); Environment.Exit(11); }); Thread.Sleep(Timeout.Infinite); break;
            case "throw": Throw(); break;
            case "throw-elsewhere": Elsewhere(Throw); Thread.Sleep(Timeout.Infinite); break;
            case "throw-task": Task.Factory.StartNew(Throw).ContinueWith(delegate { }).Wait(); GC.Collect(); GC.WaitForPendingFinalizers(); return 12;
            case "throw-initializer": return Broken.Value;
            case "throw-handler": AppDomain.CurrentDomain.ProcessExit += delegate { throw new InvalidOperationException("thrown at the end"); }; return 13;
            case "fail-fast": AwaitFile(); Environment.FailFast("failed on purpose"); break;
            case "abort": AwaitFile(); abort(); break;
            case "kill": AwaitFile(); kill(getpid(), 9); Thread.Sleep(Timeout.Infinite); break;
            case "foreground": Elsewhere(delegate { Thread.Sleep(200); Leaf(); Console.WriteLine("last"); }); return 14;
            case "native": Background(delegate { sleep(1000); }); Thread.Sleep(50); return 15;
            case "native-exit": Background(delegate { sleep(1000); }); Thread.Sleep(50); Environment.Exit(16); break;
            case "overflow": AwaitFile(); return Overflow(0);
            case "wait": Console.WriteLine("ready"); Wait(milliseconds); return 17;
            case "until": Console.WriteLine("ready"); AwaitFile(); return 17;
            case "cancel": return Cancels(milliseconds);
            case "errors": Console.Error.WriteLine("said"); return 18;
            case "own-console": return OwnConsole();
            case "rewritten": return Rewritten(-1);
            case "rewritten-thrice": return Rewritten(3);
            case "room": return Room();
            case "holding": return Holding();
            case "messages": return Messages();
            case "slow-writing": return WhileWriting(14, true);
            case "stuck-writing": return WhileWriting(int.MaxValue, false);
        }
        return 1;
    }

    // Lines that others print on standard error are not in the program's own writer.
    static int OwnConsole()
    {
        System.IO.StringWriter own = new System.IO.StringWriter();
        Console.SetError(own);
        Work();
        Console.WriteLine("own: " + own);
        return 22;
    }

    // Writes the profile, if there is a tracker.
    static Func<bool> Flush()
    {
        Type tracker = Type.GetType("Instrumenter.ProfileInfoTracker, ProfileInfoTracker");
        return tracker == null ? (Func<bool>)(() => true) : (Func<bool>)Delegate.CreateDelegate(typeof(Func<bool>), tracker.GetMethod("Flush"));
    }

    // The program asks for what the tracker could not say on standard error.
    static int Messages()
    {
        Flush()();
        Type tracker = Type.GetType("Instrumenter.ProfileInfoTracker, ProfileInfoTracker");
        if (tracker != null) Console.Write(tracker.GetMethod("Messages").Invoke(null, null));
        return 26;
    }

    // The end comes while another thread is writing, for that many half seconds, and comes forward or not.
    static int WhileWriting(int halfSeconds, bool forward)
    {
        Type session = Type.GetType("Instrumenter.Session, ProfileInfoTracker");
        if (session == null) return 27;
        while (!System.IO.File.Exists("Ends.ilprof")) Wait(10);
        const BindingFlags hidden = BindingFlags.Static | BindingFlags.Instance | BindingFlags.NonPublic;
        object writing = session.GetField("writing", hidden).GetValue(null);
        FieldInfo steps = session.Assembly.GetType("Instrumenter.ByteWriter").GetField("Steps", hidden);
        ManualResetEvent begun = new ManualResetEvent(false);
        Background(delegate
        {
            writing.GetType().GetMethod("TryEnter", hidden).Invoke(writing, new object[] { int.MaxValue });
            begun.Set();
            for (int i = 0; i < halfSeconds; i++)
            {
                Thread.Sleep(500);
                if (forward) steps.SetValue(null, (int)steps.GetValue(null) + 1);
            }
            writing.GetType().GetMethod("Leave", hidden).Invoke(writing, null);
        });
        begun.WaitOne();
        return 27;
    }

    static int Rewritten(int times)
    {
        Func<bool> flush = Flush();
        Console.WriteLine("ready");
        for (int i = 0; i != times && !System.IO.File.Exists("end"); i++) { flush(); Thread.Yield(); }
        return 23;
    }

    // The profile can be written, then not, then again: a folder has the new file's name meanwhile.
    static int Room()
    {
        Func<bool> flush = Flush();
        string folder = Environment.GetEnvironmentVariable("ILINJECT_OUT") + ".tmp";
        bool before = flush();
        System.IO.Directory.CreateDirectory(folder);
        bool meanwhile = flush();
        System.IO.Directory.Delete(folder);
        Console.WriteLine(before + " " + meanwhile + " " + flush());
        return 25;
    }

    // Reads a file, and no other program may replace it meanwhile.
    static int Holding()
    {
        using (new System.IO.FileStream(Environment.GetEnvironmentVariable("HELD"), System.IO.FileMode.Open, System.IO.FileAccess.Read, System.IO.FileShare.Read))
        {
            Console.WriteLine("ready");
            AwaitFile();
        }
        return 24;
    }

    // Until a file says so.
    static void AwaitFile() { while (!System.IO.File.Exists("end")) Wait(10); }

    static void Wait(int milliseconds) { Thread.Sleep(milliseconds); }

    static void Elsewhere(ThreadStart what) { new Thread(what).Start(); }

    static void Background(ThreadStart what)
    {
        Thread thread = new Thread(what);
        thread.IsBackground = true;
        thread.Start();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Throw() { throw new InvalidOperationException("thrown on purpose"); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Finalize() { new Finalized(); }

    static int Overflow(int depth) { return Overflow(depth + 1) + 1; }

    // The program's handler wants the lock that is held where it ends, and that another thread waits for.
    static void Locked()
    {
        AppDomain.CurrentDomain.ProcessExit += delegate { if (Monitor.TryEnter(gate, 100)) Monitor.Exit(gate); Leaf(); };
        lock (gate)
        {
            Background(delegate { lock (gate) Leaf(); });
            Thread.Sleep(50);
            Environment.Exit(9);
        }
    }

    // Threads make calls, nodes and threads of their own until the very end.
    static void Hammered()
    {
        for (int i = 0; i < 8; i++)
        {
            int number = i;
            Background(delegate { for (int depth = 1; ; depth = depth % 50 + 1) { Hammer(number, depth); if (depth == 50 && number < 2) Short(); } });
        }
        Thread.Sleep(300);
        Environment.Exit(10);
    }

    // Mono makes no threads any more at the end.
    static void Short() { try { new Thread(Leaf).Start(); } catch (Exception) { Wait(1000); } }

    static void Hammer(int number, int depth) { if (depth > 0) { if ((number + depth) % 3 == 0) Hammer(number, depth - 1); else Hammered(number, depth - 1); } }
    static void Hammered(int number, int depth) { Hammer(number, depth); }

    // The program takes SIGINT and goes on.
    static int Cancels(int milliseconds)
    {
        Console.CancelKeyPress += delegate(object sender, ConsoleCancelEventArgs e) { e.Cancel = true; Interlocked.Increment(ref ends); };
        Console.WriteLine("ready");
        for (int waited = 0; ends == 0 && waited < milliseconds; waited += 10) Wait(10);
        Console.WriteLine("cancelled " + ends);
        return 19;
    }

    sealed class Finalized
    {
        ~Finalized() { Leaf(); Environment.Exit(20); }
    }

    static class Initialized
    {
        internal static readonly int Value;
        static Initialized() { Leaf(); Environment.Exit(21); }
    }

    static class Broken
    {
        internal static readonly int Value;
        static Broken() { Throw(); }
    }
}
