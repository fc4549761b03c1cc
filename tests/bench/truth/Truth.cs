// What each program of truth.sh has besides its own code, and what is never instrumented. The symbol
// TRUTH makes the marks count; without it the compiler leaves their calls out, so the plain and the
// instrumented program have none.
//
// A sampler of processor time does not see a method that waits. Such a method stands between
// Truth.Waits and Truth.Waited: the time between them, less what the thread itself ran, is what the
// method waited. From Waited to the next Waits of the thread, and between Truth.Runs and
// Truth.Stops, it runs; that time, by its processor time there, is how much longer things took
// since the system did not let it run all the time. Truth.Ends writes what came of it to $TRUTH_OUT.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

static class Truth
{
    static readonly Dictionary<string, long> waited = new Dictionary<string, long>();
    static long wall, ran;
    [ThreadStatic] static long start, startRan, runs, runsRan;

    struct Moment
    {
        public long Seconds, Nanoseconds;
    }

    [DllImport("libc")]
    static extern int clock_gettime(int clock, out Moment moment);

    /// <summary>The first argument is the size in percent; 100 is half a second or more of processor time.</summary>
    public static int Size(string[] args, int whole)
    {
        return (int)Math.Max(1, whole * (args.Length > 0 ? long.Parse(args[0]) : 100) / 100);
    }

    /// <summary>Processor time of the thread in ns.</summary>
    static long Ran()
    {
        clock_gettime(3, out Moment moment); // CLOCK_THREAD_CPUTIME_ID of Linux
        return moment.Seconds * 1000000000 + moment.Nanoseconds;
    }

    static long Now() { return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency)); }

    [Conditional("TRUTH")]
    public static void Runs()
    {
        runsRan = Ran();
        runs = Now();
    }

    [Conditional("TRUTH")]
    public static void Stops()
    {
        if (runs == 0) return;
        Interlocked.Add(ref wall, Now() - runs);
        Interlocked.Add(ref ran, Ran() - runsRan);
        runs = 0;
    }

    [Conditional("TRUTH")]
    public static void Waits()
    {
        Stops();
        startRan = Ran();
        start = Now();
    }

    [Conditional("TRUTH")]
    public static void Waited(string method)
    {
        long ns = Now() - start - (Ran() - startRan);
        lock (waited)
        {
            waited.TryGetValue(method, out long before);
            waited[method] = before + Math.Max(0, ns);
        }
        Runs();
    }

    [Conditional("TRUTH")]
    public static void Ends()
    {
        string file = Environment.GetEnvironmentVariable("TRUTH_OUT");
        if (file == null) return;
        var text = new StringBuilder($"wall\t{wall}\nran\t{ran}\n");
        lock (waited)
            foreach (var pair in waited)
                text.Append($"waited\t{pair.Key}\t{pair.Value}\n");
        File.WriteAllText(file, text.ToString());
    }
}
