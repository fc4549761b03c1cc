// A program that calls too little for its calls to cost anything: as many calls of a method of about
// 0.1 ms as its argument says.
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
        return sum == -1 ? 1 : 0;
    }
}
