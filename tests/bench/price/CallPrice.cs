// Nanoseconds a call of each method of Called.cs, by the clock of a program that is not
// instrumented itself: CallPrice MILLISECONDS [wait]. Each method has as long to be compiled, then
// to be measured. With "wait" it says "ready" when every method was called, and goes on when it can
// read a line. A line for each method: its name, the least of all windows, the result.
using System;
using System.Diagnostics;
using Called;

namespace Bench
{
    static class CallPrice
    {
        const int Calls = 20000;

        static int Apart(int x)
        {
            for (int i = 0; i < Calls; i++) x = Methods.Apart(x);
            return x;
        }

        static int Small(int x)
        {
            for (int i = 0; i < Calls; i++) x = Methods.Small(x);
            return x;
        }

        static int Result(int x)
        {
            string text = "text";
            for (int i = 0; i < Calls; i++) text = Methods.Result(text, i);
            return x + text.Length;
        }

        static void Measure(string name, Func<int, int> job, int milliseconds)
        {
            Stopwatch before = Stopwatch.StartNew();
            while (before.ElapsedMilliseconds < milliseconds) job(1);
            Stopwatch all = Stopwatch.StartNew();
            double least = double.MaxValue;
            int result = 0;
            do
            {
                long began = Stopwatch.GetTimestamp();
                result = job(1);
                least = Math.Min(least, (double)(Stopwatch.GetTimestamp() - began));
            } while (all.ElapsedMilliseconds < milliseconds);
            Console.WriteLine(name + " "
                + (least * 1e9 / Stopwatch.Frequency / Calls).ToString("F2",
                    System.Globalization.CultureInfo.InvariantCulture) + " " + result);
        }

        static void Main(string[] args)
        {
            int milliseconds = int.Parse(args[0]);
            Methods.Apart(1);
            Methods.Small(1);
            Methods.Result("text", 1);
            if (args.Length > 1)
            {
                Console.WriteLine("ready");
                Console.ReadLine();
            }
            Measure("apart", Apart, milliseconds);
            Measure("small", Small, milliseconds);
            Measure("result", Result, milliseconds);
        }
    }
}
