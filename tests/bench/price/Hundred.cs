// 100 million calls (of 100 percent) of two methods that work for about 5 ns.
using System;
using System.Runtime.CompilerServices;

namespace HundredWork
{
    static class Program
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        static uint Odd(uint x)
        {
            for (int i = 0; i < 5; i++)
                x = x * 1664525 + 1013904223;
            return x;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static uint Even(uint x)
        {
            for (int i = 0; i < 5; i++)
                x = x * 22695477 + 1;
            return x;
        }

        static void Main(string[] args)
        {
            int rounds = (args.Length > 0 ? int.Parse(args[0]) : 100) * 500000;
            uint x = 1;
            for (int i = 0; i < rounds; i++)
                x = Even(Odd(x));
            Console.WriteLine(x);
        }
    }
}
