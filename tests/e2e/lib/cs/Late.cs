// Calls after the program's end has begun: Late short|long|exit|thread|many|endless|wait. Each handler calls Leaf twice, each finalizer once.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Finalized
{
    ~Finalized() { Late.Leaf(); }
}

static class Late
{
    static int leaves;
    static Finalized kept = new Finalized();

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Leaf() { Interlocked.Increment(ref leaves); }

    static void Twice() { Leaf(); Leaf(); }
    static void Handler(object domain, EventArgs nothing) { Twice(); }
    static void Endless(object domain, EventArgs nothing) { for (int i = 0; i < 5000; i++) Leaf(); }
    static void OnThread(object domain, EventArgs nothing)
    {
        Thread thread = new Thread(Twice);
        thread.Start();
        thread.Join();
    }

    static int Main(string[] args)
    {
        Leaf();
        AppDomain.CurrentDomain.ProcessExit += Handler;
        switch (args[0])
        {
            case "long": Thread.Sleep(300); break;
            case "exit": AppDomain.CurrentDomain.ProcessExit += Handler; Environment.Exit(0); break;
            case "thread": AppDomain.CurrentDomain.ProcessExit += OnThread; break;
            case "endless": AppDomain.CurrentDomain.ProcessExit += Endless; break;
            case "wait": Thread.Sleep(Timeout.Infinite); break;
            case "many": for (int i = 0; i < 20; i++) AppDomain.CurrentDomain.ProcessExit += Handler; break;
        }
        return kept == null ? 1 : 0;
    }
}
