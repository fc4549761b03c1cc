// The cost of a probe: programs that a benchmark runs plain and instrumented (probe.sh).
//
//   Probe.exe [MILLISECONDS]
//
// First each job once, and "sum", which is the same however the program is instrumented; with a tracker that counts (it has a static
// long Calls) also "calls JOB N", the calls in one of its times. Then for each job its name and the ns that one of its times takes,
// the least of many short windows. The jobs take turns, so that what a runtime compiles again later is compiled for all early on; fib on
// several threads comes after them, each half as long as they take together. Last "bytes JOB N", what each allocates in a hundred times.
// A further job is a row in Main.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;

namespace Bench
{
    delegate int Job();

    sealed class Row
    {
        public readonly string Name;
        public readonly Job Run;
        public int Times = 1;
        public double Least = double.MaxValue;

        public Row(string name, Job run)
        {
            Name = name;
            Run = run;
        }
    }

    static class Fib
    {
        private static int Of(int n)
        {
            return n < 2 ? n : Of(n - 1) + Of(n - 2);
        }

        public static int Run()
        {
            return Of(16);
        }
    }

    static class Allocated
    {
        private static readonly MethodInfo ByThread = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", Type.EmptyTypes);

        public static bool IsKnown
        {
            get { return ByThread != null; }
        }

        public static long Bytes
        {
            get { return (long)ByThread.Invoke(null, null); }
        }
    }

    static class Program
    {
        private const double ShortestWindow = 3e5, LongestWindow = 2e6; // ns

        private static double Window(Row row)
        {
            long start = Stopwatch.GetTimestamp();
            for (int i = 0; i < row.Times; i++)
                row.Run();
            return (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency;
        }

        private static long Calls(FieldInfo counter)
        {
            return counter == null ? 0 : (long)counter.GetValue(null);
        }

        private static int Main(string[] args)
        {
            long milliseconds = args.Length > 0 ? long.Parse(args[0]) : 1000;
            Row[] rows =
            {
                new Row("fib", Fib.Run),
                new Row("richards", Richards.Run),
                new Row("json", Json.Run),
                new Row("exceptions", Exceptions.Run),
                new Row("async", Async.Run),
                new Row("iterators", Iterators.Run),
            };
            int[] threads = { 2, 8 };
            Type tracker = Type.GetType("Instrumenter.ProfileInfoTracker, ProbeTracker", false);
            FieldInfo counter = tracker == null ? null : tracker.GetField("Calls");
            long sum = 0;
            foreach (Row row in rows)
            {
                long before = Calls(counter);
                sum = sum * 31 + row.Run();
                if (counter != null)
                    Console.WriteLine("calls " + row.Name + " " + (Calls(counter) - before));
            }
            if (counter != null)
                foreach (int count in threads)
                {
                    long before = Calls(counter);
                    Fib.Run();
                    Console.WriteLine("calls fib-" + count + " " + (Calls(counter) - before));
                }
            Console.WriteLine("sum " + sum);

            Stopwatch all = Stopwatch.StartNew();
            while (all.ElapsedMilliseconds < milliseconds)
                foreach (Row row in rows)
                {
                    double elapsed = Window(row);
                    if (elapsed < ShortestWindow)
                        row.Times *= 2;
                    else
                        row.Least = Math.Min(row.Least, elapsed / row.Times);
                    if (elapsed > LongestWindow && row.Times > 1)
                        row.Times /= 2;
                }
            foreach (Row row in rows)
                if (row.Least < double.MaxValue)
                    Console.WriteLine(row.Name + " " + row.Least.ToString("F1", CultureInfo.InvariantCulture));
            foreach (int count in threads)
            {
                double least = milliseconds == 0 ? double.PositiveInfinity : Together.Least(count, milliseconds / 2);
                if (!double.IsInfinity(least))
                    Console.WriteLine("fib-" + count + " " + least.ToString("F1", CultureInfo.InvariantCulture));
            }
            if (Allocated.IsKnown)
                foreach (Row row in rows)
                {
                    long before = Allocated.Bytes, first = Allocated.Bytes;
                    for (int i = 0; i < 100; i++)
                        row.Run();
                    Console.WriteLine("bytes " + row.Name + " " + (Allocated.Bytes - first - (first - before)));
                }
            return 0;
        }
    }
}
