// Shapes of programs that a tracker may find dear (shapes.sh): each does something else than a loop over
// one small method.
//
//   Shapes.exe [MILLISECONDS [SHAPE...]]
//
// With a tracker that counts (it has a static long Calls): "calls SHAPE N", the calls of one of its times.
// Else "SHAPE NS", the CPU time of all threads that one of its times takes, the least of several windows. A
// further shape is a row in Main. The methods of Wide.cs and the shapes of Shapes.il are made by shapes.sh.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Bench
{
    delegate int Job();

    static class Leaf
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Of(int n)
        {
            return n + 1;
        }

        public static int Run()
        {
            int x = 0;
            for (int i = 0; i < 1000; i++)
                x = Of(x);
            return x;
        }
    }

    struct Cell<T>
    {
        public T Value;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public Cell(T value)
        {
            Value = value;
        }
    }

    static class Filler<T>
    {
        public static int Fill(int times, Func<int, T> make)
        {
            Cell<T>[] cells = new Cell<T>[100];
            for (int i = 0; i < times; i++)
                for (int j = 0; j < cells.Length; j++)
                    cells[j] = new Cell<T>(make(j));
            return cells.Length;
        }
    }

    static class Generics
    {
        public static int References()
        {
            return Filler<object>.Fill(10, k => k);
        }

        public static int Values()
        {
            return Filler<Guid>.Fill(5, k => new Guid()) + Filler<KeyValuePair<int, long>>.Fill(5, k => new KeyValuePair<int, long>(k, k));
        }
    }

    interface IShape
    {
        int Next(int n);
        int Generic<T>(int n);
    }

    sealed class Square : IShape
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Next(int n)
        {
            return n + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Generic<T>(int n)
        {
            return n + 1;
        }
    }

    sealed class Circle : IShape
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Next(int n)
        {
            return n + 2;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Generic<T>(int n)
        {
            return n + 2;
        }
    }

    static class Dispatch
    {
        private static readonly IShape[] shapes = { new Square(), new Circle() };
        private static readonly Func<int, int>[] delegates = { shapes[0].Next, shapes[1].Next };

        public static int Interfaces()
        {
            int x = 0;
            for (int i = 0; i < 1000; i++)
                x = shapes[i & 1].Next(x);
            return x;
        }

        public static int GenericVirtual()
        {
            int x = 0;
            for (int i = 0; i < 500; i++)
                x = shapes[i & 1].Generic<Guid>(shapes[i & 1].Generic<string>(x));
            return x;
        }

        public static int Delegates()
        {
            int x = 0;
            for (int i = 0; i < 1000; i++)
                x = delegates[i & 1](x);
            return x;
        }
    }

    static class Recursion
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Down(int n)
        {
            return n == 0 ? 0 : Down(n - 1) + 1;
        }

        public static int Deep()
        {
            return Down(5000);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Even(int n)
        {
            return n == 0 ? 0 : Odd(n - 1) + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Odd(int n)
        {
            return n == 0 ? 0 : Even(n - 1) + 1;
        }

        public static int Mutual()
        {
            return Even(5000);
        }
    }

    // Every second call goes another way: nearly as many places of the tree as 20 levels give.
    static class Paths
    {
        private static uint state = 1;

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Left(int n)
        {
            return n == 0 ? 0 : Choose(n - 1) + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Right(int n)
        {
            return n == 0 ? 0 : Choose(n - 1) + 2;
        }

        private static int Choose(int n)
        {
            state = state * 1664525 + 1013904223;
            return (state & 0x10000) == 0 ? Left(n) : Right(n);
        }

        public static int Run()
        {
            return Choose(15);
        }
    }

    static class Initialised
    {
        private static readonly int[] table = Make();

        private static int[] Make()
        {
            return new int[16];
        }

        static Initialised()
        {
            table[0] = 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Of(int n)
        {
            return table[n & 15] + n;
        }

        public static int Run()
        {
            int x = 0;
            for (int i = 0; i < 1000; i++)
                x = Of(x);
            return x;
        }
    }

    static class Thrown
    {
        private static readonly Exception exception = new InvalidOperationException();

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Down(int n)
        {
            if (n == 0)
                throw exception;
            return Down(n - 1) + 1;
        }

        private static int Catch(int n)
        {
            try
            {
                return Down(n);
            }
            catch (InvalidOperationException)
            {
                return 1;
            }
        }

        public static int Shallow()
        {
            int x = 0;
            for (int i = 0; i < 20; i++)
                x += Catch(0);
            return x;
        }

        public static int Deep()
        {
            int x = 0;
            for (int i = 0; i < 2; i++)
                x += Catch(100);
            return x;
        }

        public static int Deeper()
        {
            return Catch(1000);
        }
    }

    static class Asynchronous
    {
        private static async Task<int> Completed(int n)
        {
            if (n < 0)
                await Task.Yield();
            return n + 1;
        }

        public static int Completes()
        {
            int x = 0;
            for (int i = 0; i < 100; i++)
                x = Completed(x).Result;
            return x;
        }

        private static async Task<int> Waits(Task<int> before)
        {
            return await before + 1;
        }

        // Many at once: all wait, and end one after the other.
        public static int Storm()
        {
            TaskCompletionSource<int> source = new TaskCompletionSource<int>();
            List<Task<int>> tasks = new List<Task<int>>();
            for (int i = 0; i < 500; i++)
                tasks.Add(Waits(source.Task));
            source.SetResult(1);
            int x = 0;
            foreach (Task<int> task in tasks)
                x += task.Result;
            return x;
        }
    }

    static class Iterated
    {
        private static IEnumerable<int> Upto(int n)
        {
            for (int i = 0; i < n; i++)
                yield return i;
        }

        public static int Run()
        {
            int x = 0;
            foreach (int i in Upto(500))
                x += i;
            return x;
        }
    }

    static class Threads
    {
        public static int Many()
        {
            for (int i = 0; i < 20; i++)
            {
                Thread thread = new Thread(() => Leaf.Run());
                thread.Start();
                thread.Join();
            }
            return 0;
        }
    }

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

    static class Program
    {
        private const double ShortestWindow = 1e8; // ns: CPU time is counted in steps

        private static double Window(Row row)
        {
            TimeSpan start = Process.GetCurrentProcess().TotalProcessorTime;
            for (int i = 0; i < row.Times; i++)
                row.Run();
            return (Process.GetCurrentProcess().TotalProcessorTime - start).Ticks * 100.0;
        }

        private static void Main(string[] args)
        {
            long milliseconds = args.Length > 0 ? long.Parse(args[0]) : 1000;
            Row[] rows =
            {
                new Row("leaf", Leaf.Run),
                new Row("generic-references", Generics.References),
                new Row("generic-values", Generics.Values),
                new Row("interfaces", Dispatch.Interfaces),
                new Row("generic-virtual", Dispatch.GenericVirtual),
                new Row("delegates", Dispatch.Delegates),
                new Row("static-constructor", Initialised.Run),
                new Row("tail-calls", Tail.Apart),
                new Row("tail-calls-one-slot", Tail.OneSlot),
                new Row("calli", Pointer.Run),
                new Row("siblings-8", Wide.Few),
                new Row("siblings-64", Wide.Some),
                new Row("siblings-1024", Wide.Many),
                new Row("one-slot-2", Wide.Two),
                new Row("one-slot-3", Wide.Three),
                new Row("recursion", Recursion.Deep),
                new Row("recursion-of-two", Recursion.Mutual),
                new Row("cycle-of-100", Wide.Cycle),
                new Row("paths", Paths.Run),
                new Row("iterators", Iterated.Run),
                new Row("exceptions", Thrown.Shallow),
                new Row("exceptions-100-deep", Thrown.Deep),
                new Row("exceptions-1000-deep", Thrown.Deeper),
                new Row("async-completes", Asynchronous.Completes),
                new Row("async-500-wait", Asynchronous.Storm),
                new Row("threads", Threads.Many),
            };
            Type tracker = Type.GetType("Instrumenter.ProfileInfoTracker, ProbeTracker", false);
            FieldInfo counter = tracker == null ? null : tracker.GetField("Calls");
            foreach (Row row in rows)
            {
                if (args.Length > 1 && Array.IndexOf(args, row.Name, 1) < 0)
                    continue;
                row.Run();
                if (counter != null)
                {
                    long before = (long)counter.GetValue(null);
                    row.Run();
                    Console.WriteLine("calls " + row.Name + " " + ((long)counter.GetValue(null) - before));
                    continue;
                }
                Stopwatch all = Stopwatch.StartNew();
                int windows = 0;
                while (all.ElapsedMilliseconds < milliseconds || windows < 3)
                {
                    double elapsed = Window(row);
                    if (elapsed < ShortestWindow && windows == 0)
                    {
                        row.Times *= elapsed < ShortestWindow / 16 ? 8 : 2;
                        continue;
                    }
                    windows++;
                    row.Least = Math.Min(row.Least, elapsed / row.Times);
                }
                Console.WriteLine(row.Name + " " + row.Least.ToString("F1", CultureInfo.InvariantCulture));
            }
        }
    }
}
