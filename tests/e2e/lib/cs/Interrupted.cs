// Threads that are interrupted or aborted while they call instrumented methods: Interrupted interrupt|abort|abort-anywhere ROUNDS.
// A pending interrupt comes with the next wait of the program's, an abort with the end of the block that holds it up: neither earlier nor never.
using System;
using System.Threading;

static class Interrupted
{
    const int Threads = 16;
    static int lost, early, wrong, done;
    static int ready;
    static volatile bool stop;

    static int Work(int n) { return n < 2 ? n : Work(n - 1) + Work(n - 2); }
    static int Flushed(int n) { return Work(n); }

    static void Interrupt()
    {
        Thread.CurrentThread.Interrupt();
        try
        {
            for (int i = 0; i < 20; i++)
                if (Work(9) != 34)
                    Interlocked.Increment(ref wrong);
            Flushed(1);
        }
        catch (ThreadInterruptedException) { Interlocked.Increment(ref early); return; }
        try { Thread.Sleep(5); Interlocked.Increment(ref lost); }
        catch (ThreadInterruptedException) { }
        Interlocked.Increment(ref done);
    }

#if MONO
    // The abort comes while a block holds it up.
    static void AbortHeldUp()
    {
        try
        {
            try { }
            finally
            {
                Thread self = Thread.CurrentThread, other = new Thread(delegate() { self.Abort(); });
                other.Start();
                while ((self.ThreadState & ThreadState.AbortRequested) == 0)
                    Work(2);
                for (int i = 0; i < 20; i++)
                    if (Work(9) != 34)
                        Interlocked.Increment(ref wrong);
            }
            Flushed(1);
            Thread.Sleep(5);
            Interlocked.Increment(ref lost);
        }
        catch (ThreadAbortException) { Thread.ResetAbort(); }
        Interlocked.Increment(ref done);
    }

    // The abort comes at any moment, also while the thread waits for one of the tracker's locks.
    static void AbortAnywhere()
    {
        try
        {
            Interlocked.Increment(ref ready);
            while (!stop)
                Work(3);
            Interlocked.Increment(ref lost);
        }
        catch (ThreadAbortException) { Thread.ResetAbort(); }
        Interlocked.Increment(ref done);
    }
#endif

    static int Main(string[] args)
    {
        for (int round = int.Parse(args[1]); round > 0; round--)
        {
            Thread[] threads = new Thread[Threads];
            for (int i = 0; i < Threads; i++)
            {
                ThreadStart start = Interrupt;
#if MONO
                if (args[0] == "abort") start = AbortHeldUp;
                if (args[0] == "abort-anywhere") start = AbortAnywhere;
#endif
                threads[i] = new Thread(start);
            }
            // Some are aborted within their first call, the others in any.
            int started = ready = 0;
            foreach (Thread thread in threads)
            {
                thread.Start();
                started++;
#if MONO
                while (args[0] == "abort-anywhere" && Thread.VolatileRead(ref ready) < started)
                    Thread.SpinWait(10);
                if (args[0] == "abort-anywhere" && round % 2 == 0) thread.Abort();
#endif
            }
#if MONO
            if (args[0] == "abort-anywhere" && round % 2 != 0)
            {
                Thread.Sleep(round % 7);
                foreach (Thread thread in threads) thread.Abort();
            }
#endif
            foreach (Thread thread in threads) thread.Join();
        }
        Console.WriteLine(args[0] + ": " + lost + " lost, " + early + " early, " + wrong + " wrong, " + done + " done");
        return lost + early + wrong;
    }
}
