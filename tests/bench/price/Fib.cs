// Recursion of methods that do nearly nothing: of 100 percent, 269,253,700 calls.
using System;

namespace FibWork
{
    static class Program
    {
        static int Fib(int n)
        {
            return n < 2 ? n : Fib(n - 1) + Fib(n - 2);
        }

        // 10 percent are a tenth of the calls, not a smaller number.
        static void Main(string[] args)
        {
            int rounds = args.Length > 0 ? int.Parse(args[0]) : 100;
            long sum = 0;
            for (int i = 0; i < rounds; i++)
                sum += Fib(30);
            Console.WriteLine(sum);
        }
    }
}
