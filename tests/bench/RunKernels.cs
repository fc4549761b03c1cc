// Calls the kernels (Kernels.cs) once each and prints for each "NAME MILLISECONDS RESULT".
//   RunKernels wall|cpu [KERNEL...]     all of them, or those that are named
// wall: by the stopwatch; cpu: the time that this thread ran, which does not grow while other
// programs have their turns (Linux). This is another assembly than the kernels', so no instrumented
// code reads the clock.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Text;
#if CORE
using System.Runtime.Intrinsics;
#endif

namespace Bench
{
    static class RunKernels
    {
        struct TimeSpec
        {
            public IntPtr Seconds, Nanoseconds;
        }

        const int OfThread = 3; // CLOCK_THREAD_CPUTIME_ID

        [DllImport("libc")]
        static extern int clock_gettime(int clock, out TimeSpec time);

        // How much work: Mono makes slower code, and each kernel is to take 50 to 200 ms.
        static int Size(int core, int mono)
        {
#if CORE
            return core;
#else
            return mono;
#endif
        }

        static readonly double ticksInMilliseconds = 1000.0 / Stopwatch.Frequency;
        static bool cpu;
        static string[] wanted;
        static int ran;

        static double Now()
        {
            TimeSpec time;
            if (!cpu)
                return Stopwatch.GetTimestamp() * ticksInMilliseconds;
            if (clock_gettime(OfThread, out time) != 0)
                throw new NotSupportedException("the system has no clock of a thread");
            return time.Seconds.ToInt64() * 1e3 + time.Nanoseconds.ToInt64() * 1e-6;
        }

        static void Run<T>(string name, Func<T> kernel, Func<T, string> text)
        {
            if (wanted.Length > 0 && Array.IndexOf(wanted, name) < 0)
                return;
            ran++;
            double began = Now();
            T result = kernel();
            double took = Now() - began;
            string milliseconds = took.ToString("F3", CultureInfo.InvariantCulture);
            Console.WriteLine(name + " " + milliseconds + " " + text(result));
        }

        static string Exact(IFormattable value)
        {
            return value.ToString("R", CultureInfo.InvariantCulture);
        }

        static string Text(int words)
        {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < words; i++)
                text.Append(i % 5 == 0 ? "/* " + i + " */ " : i % 3 == 0 ? i + ".5 " :
                    "word" + (char)('a' + i % 26) + " ");
            return text.ToString();
        }

        static double[][] Matrix(int size, int step)
        {
            double[][] rows = new double[size][];
            for (int i = 0; i < size; i++)
            {
                rows[i] = new double[size];
                for (int j = 0; j < size; j++)
                    rows[i][j] = (i * step + j) % 17 * 0.25;
            }
            return rows;
        }

        static int Main(string[] args)
        {
            if (args.Length == 0 || args[0] != "wall" && args[0] != "cpu")
            {
                Console.Error.WriteLine("usage: RunKernels wall|cpu [KERNEL...]");
                return 2;
            }
            cpu = args[0] == "cpu";
            wanted = new string[args.Length - 1];
            Array.Copy(args, 1, wanted, 0, wanted.Length);
            const int count = 4096;
            int[] ints = new int[count], places = new int[count], table = new int[count];
            double[] doubles = new double[count];
            float[] floats = new float[count];
            decimal[] decimals = new decimal[count];
            Vector4[] vectors = new Vector4[count];
            for (int i = 0; i < count; i++)
            {
                ints[i] = i * 7919 % 1024;
                table[i] = i ^ 5;
                places[i] = i % (count - 64);
                doubles[i] = i * 0.5;
                floats[i] = (i & 15) * 0.125f;
                decimals[i] = new decimal(i * 37 % 1000, 0, 0, false, 2);
                vectors[i] = new Vector4(i & 7, i & 3, 1, 0.5f);
            }
            places[count / 2] = count - 63; // outside of the table in one of 64 rounds
            string text = Text(60);
            int size = Size(300, 240);
            double[][] left = Matrix(size, 3), right = Matrix(size, 5);
            Triple step = new Triple { X = 0.5, Y = 0.25, Z = 2 };

            if (Kernels.Start(6) != 7)
                return 1;
            Run("Int", () => Kernels.Int(ints, Size(20000, 13000)), x => x.ToString());
            Run("Long", () => Kernels.Long(42, Size(50000000, 50000000)), x => x.ToString());
            Run("Double", () => Kernels.Double(doubles, Size(20000, 5000)), x => Exact(x));
            Run("DoubleParameter", () => Kernels.DoubleParameter(doubles, 0.75, Size(9000, 3600)),
                x => Exact(x));
            Run("Float", () => Kernels.Float(floats, Size(9000, 3600)), x => Exact(x));
            Run("Vector4", () => Kernels.Vector4(vectors, new Vector4(0.5f), Size(9000, 3600)),
                x => Exact(x.X + x.Y) + " " + Exact(x.Z + x.W));
            Run("Text", () => Kernels.Text(text, Size(140000, 80000)), x => x.ToString());
            Run("StructOfDoubles", () => Kernels.StructOfDoubles(doubles, Size(18000, 5000)),
                x => Exact(x.X) + " " + Exact(x.Y) + " " + Exact(x.Z));
            Run("StructParameter", () => Kernels.StructParameter(step, doubles, Size(6500, 3000)),
                x => Exact(x));
            Run("EarlyReturns", () => Kernels.EarlyReturns(doubles, -1, 1e18, Size(14000, 5000)),
                x => Exact(x));
            Run("CatchInLoop", () => Kernels.CatchInLoop(places, table, Size(7000, 5000)),
                x => x.ToString());
            Run("FinallyInLoop", () => Kernels.FinallyInLoop(doubles, Size(17000, 4500)),
                x => Exact(x));
            int steps = Size(36000000, 14400000);
            Run("Parameters", () => Kernels.Parameters(0.5, 1, 0.25f, 2, 3, 5, steps),
                x => Exact(x));
            Run("Generic", () => Kernels.Generic(doubles, 1e6, Size(40000, 4000)), x => Exact(x));
            Run("Arrays", () => Kernels.Arrays(left, right),
                x => Exact(x[0]) + " " + Exact(x[x.Length - 1]));
            Run("Decimal", () => Kernels.Decimal(decimals, 1.19m, Size(1200, 600)),
                x => x.ToString(CultureInfo.InvariantCulture));
            Run("Bits", () => Kernels.Bits(88172645463325252, Size(20000000, 20000000)),
                x => x.ToString());
            Run("Dictionary", () => Kernels.Dictionary(ints, Size(2400, 720)), x => x.ToString());
            Run("StateMachine", () => Kernels.StateMachine(text, Size(100000, 60000)),
                x => x.ToString());
            Run("Pointers", () => Kernels.Pointers(floats, Size(36000, 9000)), x => Exact(x));
#if CORE
            Vector<double>[] wide = new Vector<double>[count];
            Vector256<float>[] wider = new Vector256<float>[count];
            for (int i = 0; i < count; i++)
            {
                wide[i] = new Vector<double>(i & 31);
                wider[i] = Vector256.Create((i & 31) * 0.5f);
            }
            Run("Span", () => Kernels.Span(doubles, 18000), x => Exact(x));
            Run("VectorOfT", () => Kernels.VectorOfT(wide, new Vector<double>(0.5), 9000),
                x => Exact(x[0]) + " " + Exact(x[Vector<double>.Count - 1]));
            Vector256<float> half = Vector256.Create(0.5f);
            Run("Vector256OfFloats", () => Kernels.Vector256OfFloats(wider, half, 9000),
                x => Exact(x.ToScalar()) + " " + Exact(x.GetElement(7)));
#endif
            if (wanted.Length > 0 && ran != wanted.Length)
            {
                Console.Error.WriteLine("no kernel has one of these names");
                return 2;
            }
            return 0;
        }
    }
}
