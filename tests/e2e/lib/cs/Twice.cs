// Says in the file "runs" that it runs, and how much it has read; for tests/e2e/select/suite-price.py.
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;

static class Twice
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Tiny(int i) { return i ^ i >> 3; } // 3,000,000

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Work(int from) // 5
    {
        int sum = from;
        for (int i = 0; i < 600000; i++)
        {
            sum += Tiny(i);
            // It works for most of its time, so that it is on the hot path however long the program waits.
            for (int k = 0; k < 40; k++)
                sum = sum * 31 + k;
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Step(int from) // 5,000 the first time, then 5
    {
        for (int k = 0; k < 20000; k++)
            from = from * 31 + k;
        return from;
    }

    static int Once()
    {
        int sum = 0, steps = File.Exists("done") ? 5 : 5000;
        for (int i = 0; i < steps; i++)
            sum += Step(i);
        File.WriteAllText("done", "");
        return sum;
    }

    static int Main(string[] args)
    {
        string read = Console.In.ReadToEnd().Trim();
        File.AppendAllText("runs", read.Length + "\n");
        int sum = args.Length > 0 && args[0] == "once" ? Once() : 0;
        for (int i = 0; i < 5; i++)
            sum += Work(i);
        Console.WriteLine(sum + " " + read);
        if (args.Length > 0 && args[0] == "rests")
            System.Threading.Thread.Sleep(3000);
        if (args.Length > 0 && args[0] == "dies")
            Process.GetCurrentProcess().Kill();
        return 3;
    }
}
