// Methods that wait and methods that work, each of which reads by itself how long its thread was blocked: the time that
// passed, less the time that the thread ran or was ready to run (/proc/thread-self/schedstat). Says "NAME BLOCKED RAN",
// in nanoseconds. With "hang" it sleeps until somebody kills it; with "idle" its Main does nothing but wait.
using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

static class Waits
{
    struct Reading
    {
        internal long Wall, Ran, Ready;
    }

    const int Milliseconds = 1000000;
    static readonly object gate = new object();

    static Reading Now()
    {
        string[] fields = File.ReadAllText("/proc/thread-self/schedstat").Split(' ');
        Reading r;
        r.Ran = long.Parse(fields[0]);
        r.Ready = long.Parse(fields[1]);
        r.Wall = (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
        return r;
    }

    static void Tell(string name, Reading from)
    {
        Reading now = Now();
        long ran = now.Ran - from.Ran;
        string line = name + " " + (now.Wall - from.Wall - ran - (now.Ready - from.Ready)) + " " + ran + "\n";
        lock (gate)
            Console.Write(line);
    }

    static double Work(long milliseconds)
    {
        double x = 1;
        for (long end = Now().Ran + milliseconds * Milliseconds; Now().Ran < end;)
            for (int i = 0; i < 20000; i++)
                x = x * 1.0000001 + 1e-9;
        return x;
    }

    static void Sleeps()
    {
        Reading r = Now();
        Thread.Sleep(100);
        Tell("Sleeps", r);
    }

    static double Works()
    {
        Reading r = Now();
        double x = Work(60);
        Tell("Works", r);
        return x;
    }

    // Each is called where its caller has just waited, or waits right after it.
    static double WorksAfter()
    {
        return Work(40);
    }

    static double WorksBefore()
    {
        return Work(40);
    }

    static double SleepsThenWorks()
    {
        Reading r = Now();
        Thread.Sleep(50);
        Tell("SleepsThenWorks", r);
        return WorksAfter();
    }

    static void WorksThenSleeps()
    {
        WorksBefore();
        Reading r = Now();
        Thread.Sleep(50);
        Tell("WorksThenSleeps", r);
    }

    static void Outer()
    {
        Inner();
    }

    static void Inner()
    {
        Reading r = Now();
        Thread.Sleep(30);
        Tell("Inner", r);
    }

    static void Holds(object it, ManualResetEvent held)
    {
        lock (it)
        {
            held.Set();
            Thread.Sleep(80);
        }
    }

    static void Locks(object it)
    {
        Reading r = Now();
        lock (it)
            Tell("Locks", r);
    }

    static void Nap()
    {
        Thread.Sleep(1);
    }

    static void ManyNaps()
    {
        Reading r = Now();
        for (int i = 0; i < 100; i++)
            Nap();
        Tell("Nap", r);
    }

    static void Joins()
    {
        Thread t = new Thread(delegate() { Works(); });
        t.Start();
        Reading r = Now();
        t.Join();
        Tell("Joins", r);
    }

    static void WaitsForTask()
    {
        Task t = Delayed();
        Reading r = Now();
        t.Wait();
        Tell("WaitsForTask", r);
    }

    static async Task Delayed()
    {
        await Task.Delay(70);
    }

    static void Contend()
    {
        object it = new object();
        ManualResetEvent held = new ManualResetEvent(false);
        Thread t = new Thread(delegate() { Holds(it, held); });
        t.Start();
        held.WaitOne();
        Locks(it);
        t.Join();
    }

    static void Idle()
    {
        Thread.Sleep(400);
    }

    static int Main(string[] args)
    {
        if (args.Length == 1 && args[0] == "hang")
        {
            Console.WriteLine("hangs");
            Thread.Sleep(Timeout.Infinite);
        }
        if (args.Length == 1 && args[0] == "idle")
        {
            Works();
            Idle();
            return 0;
        }
        Tell("first", Now()); // so that what the first call loads is nobody's wait below
        Sleeps();
        Works();
        SleepsThenWorks();
        WorksThenSleeps();
        Outer();
        Contend();
        ManyNaps();
        Joins();
        WaitsForTask();
        return 0;
    }
}
