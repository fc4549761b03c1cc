// Exceptions through frames, recursion, and sorting with a comparison that the program has written.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace ExceptionsWork
{
    sealed class Refused : Exception
    {
        public readonly int Code;
        public Refused(int code) { Code = code; }
    }

    static class Program
    {
        static int Deep(int depth, int code)
        {
            if (depth == 0)
            {
                if (code % 3 == 0) throw new Refused(code);
                return code;
            }
            return Deep(depth - 1, code) + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Guarded(int code)
        {
            try
            {
                return Deep(6, code);
            }
            catch (Refused refused)
            {
                return refused.Code * 2;
            }
        }

        static bool Safe(int[] queens, int row, int column)
        {
            for (int r = 0; r < row; r++)
                if (queens[r] == column || Math.Abs(queens[r] - column) == row - r) return false;
            return true;
        }

        static int Queens(int[] queens, int row)
        {
            if (row == queens.Length) return 1;
            int sum = 0;
            for (int column = 0; column < queens.Length; column++)
                if (Safe(queens, row, column))
                {
                    queens[row] = column;
                    sum += Queens(queens, row + 1);
                }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Sort(List<string> words)
        {
            words.Sort((a, b) => string.CompareOrdinal(a, 1, b, 1, 6));
            return words[words.Count / 2].Length;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static uint Digits(int count)
        {
            uint sum = 0;
            for (int i = 1; i < count; i++)
                for (uint n = (uint)i * 7919; n > 0; n /= 10)
                    sum += n % 10;
            return sum;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 300);
            var words = new string[800];
            uint x = 3, sum = 0;
            for (int i = 0; i < words.Length; i++)
            {
                x = x * 1664525 + 1013904223;
                words[i] = "w" + (x >> 7);
            }
            for (int i = 0; i < size; i++)
            {
                for (int k = 0; k < 600; k++) sum += (uint)Guarded(k);
                sum += (uint)Queens(new int[7], 0);
                for (int k = 0; k < 4; k++) sum += (uint)Sort(new List<string>(words));
                sum += Digits(60000);
            }
            Console.WriteLine(sum);
        }
    }
}
