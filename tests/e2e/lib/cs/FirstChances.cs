// A healthy program: short and long calls, threads, async methods, allocations, an exit handler. It throws nothing.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

static class FirstChances
{
    static int Work(int n) { return n < 2 ? n : Work(n - 1) + Work(n - 2); }
    static List<string> Made(string name, int count) { var made = new List<string>(); for (int i = 0; i < count; i++) made.Add(name + i); return made; }
    static async Task<int> Later(int n) { await Task.Delay(1); return Work(n); }

    static int Main(string[] args)
    {
        if (args.Length > 0)
            Thread.Sleep(Timeout.Infinite);
        AppDomain.CurrentDomain.ProcessExit += delegate { Work(3); };
        for (int i = 0; i < 15; i++)
        {
            var thread = new Thread(() => Work(12));
            thread.Start();
            thread.Join();
            Made("n", 10);
            Later(5).Wait();
            Thread.Sleep(60);
        }
        Console.WriteLine("done");
        return 0;
    }
}
