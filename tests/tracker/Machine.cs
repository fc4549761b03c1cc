// Works in ways that it can measure the price of itself: by the system's files and the runtime, as
// another program would. Prints NAME VALUE lines.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using Instrumenter;

public struct Around<T> { }

public static class Machine
{
    static volatile int ready, done;
    static int result;
    static readonly ManualResetEvent end = new ManualResetEvent(false);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Spin(int rounds)
    {
        int x = 1;
        for (int i = 0; i < rounds; i++)
            for (int k = 0; k < 1000000; k++)
                x = x * 31 + k;
        return x;
    }

    // Threads that begin together, work, and stay, or end.
    static void Threads(int count, int rounds, bool stay)
    {
        Thread[] threads = new Thread[count];
        ready = done = 0;
        for (int i = 0; i < count; i++)
        {
            threads[i] = new Thread(delegate()
            {
                Interlocked.Increment(ref ready);
                while (ready < count) Thread.Sleep(1);
                result += Spin(rounds);
                Interlocked.Increment(ref done);
                if (stay) end.WaitOne();
            }, 128 * 1024);
            threads[i].IsBackground = true;
            threads[i].Start();
        }
        while (done < count) Thread.Sleep(5);
        if (!stay) foreach (Thread thread in threads) thread.Join();
    }

    // Each depth is a method of its own.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Nest<T>(int depth) { return depth == 0 ? 0 : 1 + Nest<Around<T>>(depth - 1); }

    static void Say(string name, long value) { Console.WriteLine(name + " " + value); }

    // Sums over all threads that there are: ran, ready, slices.
    static void SayThreads()
    {
        long[] sums = new long[3];
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
            try
            {
                string[] words = File.ReadAllText(task + "/schedstat").Split(' ');
                for (int i = 0; i < 3; i++) sums[i] += long.Parse(words[i]);
            }
            catch (IOException) { }
        Say("ran", sums[0]);
        Say("ready", sums[1]);
        Say("slices", sums[2]);
    }

    // In ns, by the 14th and 15th field of the file.
    static long Cpu()
    {
        string text = File.ReadAllText("/proc/self/stat");
        string[] words = text.Substring(text.LastIndexOf(')') + 2).Split(' ');
        return (long.Parse(words[11]) + long.Parse(words[12])) * 10000000;
    }

    static long Compiled()
    {
        Type type = typeof(object).Assembly.GetType("System.Runtime.JitInfo");
        return type == null ? 0 : (long)type.GetMethod("GetCompiledMethodCount", new Type[] { typeof(bool) }).Invoke(null, new object[] { false });
    }

    public static void Main(string[] args)
    {
        Say("processors", Environment.ProcessorCount);
        // The tracker's thread has read what stands at the start when it takes the profile's name.
        while (args[0] != "collect" && !File.Exists(Environment.GetEnvironmentVariable("ILINJECT_OUT"))) Thread.Sleep(5);
        switch (args[0])
        {
            case "stay": // twice as many threads as processors
                Threads(2 * Environment.ProcessorCount, 300, true);
                break;
            case "end":
                Threads(2 * Environment.ProcessorCount, 300, false);
                break;
            case "many":
                Threads(300, 2, true);
                break;
            case "sleep":
                Thread.Sleep(int.Parse(args[1]));
                break;
            case "reset":
                result = Spin(800);
                Say("before", Cpu());
                ProfileInfoTracker.Reset();
                break;
            case "runtime":
                long compiled = Compiled();
                result = Nest<int>(30);
                for (int i = 0; i < 20; i++) GC.Collect();
                Say("compiled", Compiled() - compiled);
                // The tracker looks for these counts after 0.2 s.
                Thread.Sleep(600);
                break;
            case "collect": // at once
                for (int i = 0; i < 20; i++) GC.Collect();
                break;
        }
        SayThreads();
        Say("cpu", Cpu());
    }
}
