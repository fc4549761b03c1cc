// Counts what is still alive of what a program has let go: suite-kept.sh holds that against the same program, not instrumented.
//   Kept COUNT     that many threads, each started with an object, each with an exception caught and one delegate
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Load
{
    internal static int finalized;
    ~Load() { Interlocked.Increment(ref finalized); }
}

static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Work(object load) { load.GetHashCode(); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fail(object load)
    {
        Exception e = new InvalidOperationException("with a load");
        e.Data["load"] = load;
        throw e;
    }

    static void Body(object load)
    {
        Work(load);
        try { Fail(new Load()); }
        catch (InvalidOperationException) { }
        Load held = new Load();
        Action call = delegate { Work(held); };
        call();
    }

    // Frames of their own: their locals are gone afterwards.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Thread thread = new Thread(Body);
            thread.Name = "worker";
            thread.Start(new Load());
            thread.Join();
        }
    }

    // A conservative collector sees what stood on the stack last: other calls go over it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Deep(int depth) { return depth == 0 ? 0 : Deep(depth - 1) + 1; }

    static int Main(string[] arguments)
    {
        int count = int.Parse(arguments[0]);
        Thread own = new Thread(delegate() { Run(count); });
        own.Start();
        own.Join();
        own = null;
        for (int i = 0; i < 50 && Load.finalized < 3 * count; i++)
        {
            Deep(200);
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(10);
        }
        Console.WriteLine((3 * count - Load.finalized) + " kept");
        return 0;
    }
}
