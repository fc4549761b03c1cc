// Works for about so many milliseconds, measured on the first of its calls, in methods of about 0.1 ms: what a program
// costs that calls too little for its calls to cost anything. Its argument says how much work: calls of Work.
using System;
using System.Runtime.CompilerServices;

public static class Fixed
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Work(int steps)
    {
        long sum = 0;
        for (int i = 0; i < steps; i++)
            sum += i ^ (sum >> 3);
        return sum;
    }

    public static int Main(string[] arguments)
    {
        long sum = 0;
        for (int i = int.Parse(arguments[0]); i > 0; i--)
            sum += Work(100000);
        return sum == 0 ? 1 : 0;
    }
}
