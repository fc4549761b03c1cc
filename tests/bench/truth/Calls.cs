// Two methods of one line, called fifteen million times each, beside a plain loop.
using System;
using System.Runtime.CompilerServices;

namespace Calls
{
    static class Program
    {
        static uint One(uint x) { return x * 1664525 + 1013904223; }

        static uint Two(uint x) { return (x >> 5 ^ x) * 2654435761; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static uint Steps(int count)
        {
            uint x = 1;
            for (int i = 0; i < count; i++)
                x = Two(One(x));
            return x;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static double Loop(int count)
        {
            double sum = 0;
            for (int i = 1; i <= count; i++)
                sum += 1.0 / ((double)i * i);
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static uint Shuffle(uint[] all, int rounds)
        {
            uint x = 7;
            for (int r = 0; r < rounds; r++)
                for (int i = all.Length - 1; i > 0; i--)
                {
                    x = x * 22695477 + 1;
                    int j = (int)(x >> 8) % (i + 1);
                    (all[i], all[j]) = (all[j], all[i]);
                }
            return all[0] ^ all[1];
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 100);
            uint x = 0;
            double sum = 0;
            var all = new uint[10000];
            for (uint i = 0; i < all.Length; i++)
                all[i] = i;
            for (int i = 0; i < size; i++)
            {
                x ^= Steps(150000);
                sum += Loop(1200000);
                x ^= Shuffle(all, 120);
            }
            Console.WriteLine($"{x} {sum:F6}");
        }
    }
}
