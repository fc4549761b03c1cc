// Makes calls on four threads while signals come: SIGUSR1, SIGUSR2, SIGWINCH, SIGURG, SIGALRM and SIGTERM have a handler that does nothing, SIGCHLD and
// SIGCONT the runtime's. Goes on until the file "enough" is there, then prints how many rounds were made in all.
using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

static class Storm
{
    [DllImport("libc.so.6")]
    static extern IntPtr signal(int number, IntPtr handler);

    [DllImport("libc.so.6")]
    static extern IntPtr dlsym(IntPtr library, string name);

    static readonly int[] handled = { 10, 12, 14, 15, 23, 28 };
    static int rounds;

    // A function of one int that does nothing but return takes a handler's part.
    static void Handle()
    {
        foreach (int number in handled)
            signal(number, dlsym(IntPtr.Zero, "abs"));
    }

    static int Leaf(int i) { return i + 1; }
    static int Throws(int i) { throw new InvalidOperationException(); }

    static int Caught(int i)
    {
        try { return Throws(i); }
        catch (InvalidOperationException) { return i; }
    }

    static int Round(int i)
    {
        for (int k = 0; k < 100; k++)
            i = Leaf(i);
        return Caught(i);
    }

    static void Work()
    {
        while (!File.Exists("enough"))
            for (int i = 0; i < 10; i++)
            {
                Round(i);
                Interlocked.Increment(ref rounds);
            }
    }

    static void Main()
    {
        // After the runtime's own and the tracker's, which are there when the profile is.
        while (!File.Exists("Storm.ilprof")) Thread.Sleep(1);
        Handle();
        File.WriteAllText("ready", "");
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.Length; i++)
            (threads[i] = new Thread(Work)).Start();
        foreach (Thread thread in threads)
            thread.Join();
        Console.WriteLine(rounds);
    }
}
