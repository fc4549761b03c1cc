// Calls the tracker as injected code would, so that what it records of single calls can be worked out by hand.
using System;
using System.Threading;
using Instrumenter;

static class Holder
{
    static readonly int Base = ProfileInfoTracker.Register(typeof(Holder).TypeHandle, 8);
    internal static int Enter(int id) { return ProfileInfoTracker.WhenEnteringMethod(Base + id); }
}

static class RecordDriver
{
    const int Main_ = 0, Outer_ = 1, Inner_ = 2, Leaf_ = 3, Throws_ = 4, Left_ = 5;

    static int Main(string[] args)
    {
        int token = Holder.Enter(Main_);
        int number = args.Length > 1 ? int.Parse(args[1]) : 0;
        switch (args[0])
        {
            case "two": Two(); break;
            case "endedthreads": EndedThreads(number); break;
            case "throws": for (int i = 0; i < 2; i++) Throws(10 + 30 * i); break;
            case "unclosed": Unclosed(); break;
            default: return 2;
        }
        ProfileInfoTracker.WhenLeavingMethod(token);
        return 0;
    }

    static void Call(int id, int milliseconds)
    {
        int token = Holder.Enter(id);
        Thread.Sleep(milliseconds);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Two calls of each method, a short and a long one.
    static void Two()
    {
        for (int i = 0; i < 2; i++)
        {
            int token = Holder.Enter(Outer_);
            Call(Inner_, i == 0 ? 40 : 10);
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
        Call(Leaf_, 10);
    }

    // Threads of which each leaves its first call open when it ends.
    static void EndedThreads(int count)
    {
        for (int i = 0; i < count; i++)
        {
            int milliseconds = i == 0 ? 40 : 5;
            Thread thread = new Thread(delegate() { Holder.Enter(Left_); Call(Leaf_, milliseconds); });
            thread.Name = "thread " + i;
            thread.Start();
            thread.Join();
        }
    }

    static void Throws(int milliseconds)
    {
        int outer = Holder.Enter(Outer_);
        try
        {
            int token = Holder.Enter(Throws_);
            try { Thread.Sleep(milliseconds); throw new InvalidOperationException(); }
            catch { ProfileInfoTracker.WhenLeavingByException(token); throw; }
        }
        catch (InvalidOperationException e) { ProfileInfoTracker.WhenCatching(e, outer); }
        // Nobody says that this one has ended: the outer one's leave does.
        Holder.Enter(Left_);
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    static void Unclosed()
    {
        Call(Leaf_, 10);
        Holder.Enter(Left_);
        Environment.Exit(0);
    }
}
