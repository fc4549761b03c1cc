// Async calls that are suspended and resumed at a rate: Resumes RATE SECONDS. Says the processor time, in ns a resume, of the seconds after
// the first one, how many resumes a second there were, and how many calls.
using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

static class Resumes
{
    const int Awaits = 10;
    static long resumed;

    // One call is suspended ten times.
    static async Task<int> Call(int seed)
    {
        for (int i = 0; i < Awaits; i++)
        {
            await Task.Yield();
            seed = seed * 31 + i;
        }
        return seed;
    }

    static async Task<int> Caller(int seed)
    {
        int result = await Call(seed);
        Interlocked.Add(ref resumed, Awaits + 1);
        return result;
    }

    // That many calls in every hundredth of a second.
    static void Run(long rate, double seconds)
    {
        Stopwatch watch = Stopwatch.StartNew();
        long begun = 0;
        for (;;)
        {
            double passed = watch.Elapsed.TotalSeconds;
            if (passed >= seconds)
                break;
            long due = (long)(passed * rate / (Awaits + 1));
            int count = (int)Math.Min(due - begun, rate / (Awaits + 1) / 20 + 1);
            if (count > 0)
            {
                Task[] tasks = new Task[count];
                for (int i = 0; i < count; i++)
                    tasks[i] = Caller(i);
                Task.WaitAll(tasks);
                begun += count;
            }
            else
                Thread.Sleep(1);
        }
    }

    static void Main(string[] args)
    {
        long rate = long.Parse(args[0]);
        double seconds = double.Parse(args[1]);
        Run(rate, 1);
        Process self = Process.GetCurrentProcess();
        long before = resumed;
        TimeSpan cpu = self.TotalProcessorTime;
        Stopwatch watch = Stopwatch.StartNew();
        Run(rate, seconds);
        double passed = watch.Elapsed.TotalSeconds;
        self.Refresh();
        double ns = (self.TotalProcessorTime - cpu).TotalMilliseconds * 1e6;
        long count = resumed - before;
        Console.WriteLine("{0:0} {1:0} {2}", ns / count, count / passed, resumed / (Awaits + 1));
    }
}
