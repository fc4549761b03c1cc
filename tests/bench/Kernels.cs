// Loops that are called once: each method does its work in one call, and calls no other one of this
// assembly.
// Data comes from the caller (RunKernels.cs), which is another assembly that is not instrumented.
// CORE: compiled for .NET, with kernels of types that Mono's class libraries do not have.
using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.CompilerServices;
#if CORE
using System.Runtime.Intrinsics;
#endif

namespace Bench
{
    public struct Triple
    {
        public double X, Y, Z;
    }

    public static class Kernels
    {
        // Called first, so that no kernel's time has the start of a tracker in it.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Start(int value)
        {
            return value < 0 ? throw new ArgumentOutOfRangeException("value") : value + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Int(int[] items, int rounds)
        {
            int hash = 17;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    hash = hash * 31 + items[i];
            return hash;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Long(long seed, int steps)
        {
            long state = seed, mixed = 0;
            for (int i = 0; i < steps; i++)
            {
                state = state * 6364136223846793005L + 1442695040888963407L;
                mixed += state >> 33;
            }
            return mixed;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double Double(double[] items, int rounds)
        {
            double sum = 0;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    sum += items[i];
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double DoubleParameter(double[] items, double factor, int rounds)
        {
            double value = 0;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    value = value * factor + items[i];
            return value;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static float Float(float[] items, int rounds)
        {
            float sum = 0;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    sum = sum * 0.75f + items[i];
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Vector4 Vector4(Vector4[] items, Vector4 factor, int rounds)
        {
            Vector4 sum = new Vector4();
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    sum = sum * factor + items[i];
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Text(string text, int rounds)
        {
            int words = 0, hash = 0;
            for (int r = 0; r < rounds; r++)
            {
                bool inside = false;
                for (int i = 0; i < text.Length; i++)
                {
                    char c = text[i];
                    bool letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
                    if (letter && !inside)
                        words++;
                    inside = letter;
                    hash = (hash << 5) - hash + c;
                }
            }
            return hash ^ words;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Triple StructOfDoubles(double[] items, int rounds)
        {
            Triple sum = new Triple();
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                {
                    sum.X += items[i];
                    sum.Y -= items[i];
                    sum.Z += 0.5;
                }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double StructParameter(Triple step, double[] items, int rounds)
        {
            double sum = 0;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    sum = (sum + step.X) * step.Y + items[i] * step.Z;
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double EarlyReturns(double[] items, double least, double most, int rounds)
        {
            double sum = 0;
            for (int r = 0; r < rounds; r++)
            {
                if (sum > most)
                    return most;
                for (int i = 0; i < items.Length; i++)
                {
                    sum += items[i];
                    if (sum < least)
                        return -sum;
                    if (sum == most)
                        return sum + 1;
                }
            }
            return sum;
        }

        // Some of the places are outside of the table.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int CatchInLoop(int[] places, int[] table, int rounds)
        {
            int sum = 0, missing = 0;
            for (int r = 0; r < rounds; r++)
            {
                for (int i = 0; i < places.Length; i++)
                {
                    try
                    {
                        sum = sum * 3 + table[places[i] + (r & 63)];
                    }
                    catch (IndexOutOfRangeException)
                    {
                        missing++;
                    }
                }
            }
            return sum ^ missing;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double FinallyInLoop(double[] items, int rounds)
        {
            double sum = 0;
            int done = 0;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                {
                    try
                    {
                        sum += items[i];
                    }
                    finally
                    {
                        done++;
                    }
                }
            return sum / done;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double Parameters(double a, double b, float c, float d, int e, long f,
            int steps)
        {
            double x = 1;
            float y = 1;
            long z = 1;
            for (int i = 0; i < steps; i++)
            {
                x = x * a + b;
                y = y * c + d;
                z = z * e + f;
            }
            return x + y + (z & 1023);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static T Generic<T>(T[] items, T most, int rounds) where T : IComparable<T>
        {
            T best = items[0];
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    if (items[i].CompareTo(best) > 0 && items[i].CompareTo(most) < 0)
                        best = items[i];
            return best;
        }

        // A product of matrices: what it returns is a reference.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double[] Arrays(double[][] left, double[][] right)
        {
            int size = left.Length;
            double[] sums = new double[size];
            for (int i = 0; i < size; i++)
                for (int j = 0; j < size; j++)
                {
                    double sum = 0;
                    for (int k = 0; k < size; k++)
                        sum += left[i][k] * right[k][j];
                    sums[i] += sum;
                }
            return sums;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static decimal Decimal(decimal[] prices, decimal rate, int rounds)
        {
            decimal sum = 0;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < prices.Length; i++)
                    sum += prices[i] * rate;
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static ulong Bits(ulong seed, int steps)
        {
            ulong x = seed, ones = 0;
            for (int i = 0; i < steps; i++)
            {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                ulong v = x - ((x >> 1) & 0x5555555555555555);
                v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333);
                v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
                ones += (v * 0x0101010101010101) >> 56;
            }
            return ones;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Dictionary(int[] keys, int rounds)
        {
            Dictionary<int, int> counts = new Dictionary<int, int>();
            int last = 0;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < keys.Length; i++)
                {
                    int count;
                    counts.TryGetValue(keys[i], out count);
                    counts[keys[i]] = last = count + 1;
                }
            return counts.Count * last;
        }

        // Words, numbers and comments of a text, found by a state for each character.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int StateMachine(string text, int rounds)
        {
            int words = 0, numbers = 0, comments = 0;
            for (int r = 0; r < rounds; r++)
            {
                int state = 0;
                for (int i = 0; i < text.Length; i++)
                {
                    char c = text[i];
                    switch (state)
                    {
                        case 0:
                            if (c >= '0' && c <= '9') { state = 1; numbers++; }
                            else if (c >= 'a' && c <= 'z') { state = 2; words++; }
                            else if (c == '/') state = 3;
                            break;
                        case 1:
                            if (c < '0' || c > '9') state = c == '.' ? 1 : 0;
                            break;
                        case 2:
                            if (c < 'a' || c > 'z') state = 0;
                            break;
                        case 3:
                            if (c == '*') { state = 4; comments++; } else state = 0;
                            break;
                        case 4:
                            if (c == '*') state = 5;
                            break;
                        default:
                            if (c == '/') state = 0; else if (c != '*') state = 4;
                            break;
                    }
                }
            }
            return words * 7 + numbers * 3 + comments;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static unsafe float Pointers(float[] items, int rounds)
        {
            float sum = 0;
            fixed (float* first = items)
            {
                float* end = first + items.Length;
                for (int r = 0; r < rounds; r++)
                    for (float* at = first; at < end; at += 2)
                        sum += at[0] * at[1];
            }
            return sum;
        }

#if CORE
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double Span(ReadOnlySpan<double> items, int rounds)
        {
            double sum = 0;
            for (int r = 0; r < rounds; r++)
            {
                ReadOnlySpan<double> rest = items.Slice(r & 7);
                for (int i = 0; i < rest.Length; i++)
                    sum += rest[i];
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Vector<double> VectorOfT(Vector<double>[] items, Vector<double> factor,
            int rounds)
        {
            Vector<double> sum = Vector<double>.Zero;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    sum = sum * factor + items[i];
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Vector256<float> Vector256OfFloats(Vector256<float>[] items,
            Vector256<float> factor, int rounds)
        {
            Vector256<float> sum = Vector256<float>.Zero;
            for (int r = 0; r < rounds; r++)
                for (int i = 0; i < items.Length; i++)
                    sum = sum * factor + items[i];
            return sum;
        }
#endif
    }
}
