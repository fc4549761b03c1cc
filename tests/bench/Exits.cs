// The cost of seeing how methods are left: small jobs that a benchmark runs plain and instrumented,
// in one shape and another.
//
//   Exits.exe [MILLISECONDS]
//
// First all jobs a fixed number of times, and the sum of their results: it is the same however the program is instrumented. Then for
// each job its name and the nanoseconds that one of its units takes, the least of many windows of about a millisecond. The
// jobs take turns, so that what a runtime compiles again later is compiled for all of them early on.
using System;
using System.Diagnostics;

namespace Bench
{
    delegate long Job(int times);

    sealed class Link
    {
        private readonly Link next;
        private readonly int value;

        public Link(Link next, int value)
        {
            this.next = next;
            this.value = value;
        }

        public Link Next
        {
            get { return next; }
        }

        public int Value
        {
            get { return value; }
        }
    }

    sealed class Row
    {
        public readonly string Name;
        public readonly Job Run;
        public readonly int Units; // in one of its times
        public int Times = 1;
        public double Least = double.MaxValue;

        public Row(string name, Job run, int units)
        {
            Name = name;
            Run = run;
            Units = units;
        }
    }

    static class Program
    {
        private const int FibonacciOf15 = 1973; // calls that Fibonacci(15) takes

        private static readonly int[] numbers = new int[128];
        private static readonly Link chain = new Link(new Link(new Link(new Link(null, 4), 3), 2), 1);

        // A void method, with an array's element so that it may throw.
        private static void Touch(int[] cells, int index)
        {
            cells[index]++;
        }

        private static long TouchJob(int times)
        {
            for (int i = 0; i < times; i++)
                Touch(numbers, i & 127);
            return numbers[5];
        }

        private static long Value(int[] cells, int index)
        {
            return cells[index] + 1L;
        }

        private static long ValueJob(int times)
        {
            long sum = 0;
            for (int i = 0; i < times; i++)
                sum += Value(numbers, i & 127);
            return sum;
        }

        // A finally block of its own, as of a lock or a using statement.
        private static int Own(int[] cells, int index)
        {
            try
            {
                return cells[index];
            }
            finally
            {
                cells[0]++;
            }
        }

        private static long OwnJob(int times)
        {
            long sum = 0;
            for (int i = 0; i < times; i++)
                sum += Own(numbers, i & 127);
            return sum;
        }

        // Six locals and two arguments that a compiler can keep in registers, a hundred times around.
        private static int Mix(int[] cells, int seed)
        {
            int a = seed, b = 1, c = 2, d = 3;
            for (int i = 0; i < 100; i++)
            {
                int cell = cells[i];
                a += b ^ cell;
                b = c + (a >> 3);
                c ^= d + a;
                d += cell & b;
            }
            return a + b + c + d;
        }

        private static long MixJob(int times)
        {
            long sum = 0;
            for (int i = 0; i < times; i++)
                sum += Mix(numbers, i);
            return sum;
        }

        // Getters of fields cannot throw.
        private static long ChainJob(int times)
        {
            long sum = 0;
            Link first = chain;
            for (int i = 0; i < times; i++)
                sum += first.Next.Next.Next.Value;
            return sum;
        }

        private static int Fibonacci(int n)
        {
            return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
        }

        private static long FibonacciJob(int times)
        {
            long sum = 0;
            for (int i = 0; i < times; i++)
                sum += Fibonacci(15);
            return sum;
        }

        private static int Fall(int frames)
        {
            if (frames == 1)
                throw new InvalidOperationException("down");
            return Fall(frames - 1) + 1;
        }

        private static int Catch()
        {
            try
            {
                return Fall(5);
            }
            catch (InvalidOperationException)
            {
                return 1;
            }
        }

        private static long CatchJob(int times)
        {
            long sum = 0;
            for (int i = 0; i < times; i++)
                sum += Catch();
            return sum;
        }

        private static double Window(Row row)
        {
            long start = Stopwatch.GetTimestamp();
            row.Run(row.Times);
            return (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency;
        }

        private static int Main(string[] args)
        {
            long milliseconds = args.Length > 0 ? long.Parse(args[0]) : 1000;
            Row[] rows =
            {
                new Row("void", TouchJob, 1),
                new Row("value", ValueJob, 1),
                new Row("own", OwnJob, 1),
                new Row("loop", MixJob, 1),
                new Row("getters", ChainJob, 4),
                new Row("Fibonacci", FibonacciJob, FibonacciOf15),
                new Row("exception", CatchJob, 1),
            };
            long sum = 0;
            foreach (Row row in rows)
                sum = sum * 31 + row.Run(200);
            Console.WriteLine("sum " + sum);

            Stopwatch all = Stopwatch.StartNew();
            while (all.ElapsedMilliseconds < milliseconds)
                foreach (Row row in rows)
                {
                    double elapsed = Window(row);
                    if (elapsed < 5e5)
                        row.Times *= 2;
                    else
                        row.Least = Math.Min(row.Least, elapsed / row.Times / row.Units);
                    if (elapsed > 4e6 && row.Times > 1)
                        row.Times /= 2;
                }
            foreach (Row row in rows)
                Console.WriteLine(row.Name + " " + row.Least.ToString("F3", System.Globalization.CultureInfo.InvariantCulture));
            return 0;
        }
    }
}
