// Methods that wait and methods that work, that read by themselves how long their thread was
// blocked: the time that passed, less the time that the thread ran (CLOCK_THREAD_CPUTIME_ID) or was
// ready to run (/proc/thread-self/schedstat). It reads first and last, so the readings have between
// them all that the profile has of the call and of the calls below it. The program says "NAME
// BLOCKED RAN" for each call at its end, in nanoseconds. With "hang" it sleeps until a signal kills
// it; with "idle" its Main does nothing but wait.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

static class Waits
{
    struct Reading
    {
        internal long Wall, Ran, Ready;
    }

    const int Milliseconds = 1000000;
    static readonly List<string> told = new List<string>();

    [DllImport("libc")]
    static extern int clock_gettime(int clock, long[] time);

    static long Clock()
    {
        return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
    }

    // How long the thread ran. The file's figure is as old as the last tick of the system.
    static long Ran()
    {
        const int ThreadCpuTime = 3;
        long[] time = new long[2];
        if (clock_gettime(ThreadCpuTime, time) != 0)
            throw new InvalidOperationException("clock_gettime");
        return time[0] * 1000 * Milliseconds + time[1];
    }

    // The three figures have to be of one moment. A thread that is put aside while it reads them
    // reads them again.
    static Reading Now()
    {
        for (int trial = 1;; trial++)
        {
            Reading r;
            long start = Clock();
            r.Ran = Ran();
            r.Ready = long.Parse(File.ReadAllText("/proc/thread-self/schedstat").Split(' ')[1]);
            r.Wall = Clock();
            if (r.Wall - start < Milliseconds / 2 || trial == 100)
                return r;
        }
    }

    static void Tell(string name, Reading from)
    {
        Reading now = Now();
        long ran = now.Ran - from.Ran;
        string line = name + " " + (now.Wall - from.Wall - ran - (now.Ready - from.Ready)) + " " + ran;
        lock (told)
            told.Add(line);
    }

    static double Work(long milliseconds)
    {
        Reading r = Now();
        double x = 1;
        for (long end = r.Ran + milliseconds * Milliseconds; Ran() < end;)
            for (int i = 0; i < 20000; i++)
                x = x * 1.0000001 + 1e-9;
        Tell("Work", r);
        return x;
    }

    static void Sleeps()
    {
        Reading r = Now();
        Thread.Sleep(600);
        Tell("Sleeps", r);
    }

    // Works five times as long as the others: none of them comes near to that by waiting for a processor. Sleeps takes longer.
    static double Works()
    {
        Reading r = Now();
        double x = Work(200);
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
        double x = WorksAfter();
        Tell("SleepsThenWorks", r);
        return x;
    }

    static void WorksThenSleeps()
    {
        Reading r = Now();
        WorksBefore();
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
        for (int i = 0; i < 20; i++)
            Nap();
        Tell("ManyNaps", r);
    }

    static void Joins()
    {
        Reading r = Now();
        Thread t = new Thread(delegate() { Works(); });
        t.Start();
        t.Join();
        Tell("Joins", r);
    }

    static void WaitsForTask()
    {
        Reading r = Now();
        Task t = Delayed();
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
        Tell("first", Now()); // so that the loading by the first call is no wait below
        Sleeps();
        Works();
        SleepsThenWorks();
        WorksThenSleeps();
        Outer();
        Contend();
        ManyNaps();
        Joins();
        WaitsForTask();
        foreach (string line in told)
            Console.WriteLine(line);
        return 0;
    }
}
