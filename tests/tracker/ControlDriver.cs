// The driver's scenarios of control: stopping, starting, beginning again, snapshots, the report from inside.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading;
using Instrumenter;

static partial class Driver
{
    // 13 calls of Outer are recorded, a half second is not.
    static void Stopped()
    {
        for (int i = 0; i < 10; i++) Outer();
        ProfileInfoTracker.Stop();
        ProfileInfoTracker.Stop();
        for (int i = 0; i < 5; i++) Outer();
        Thread.Sleep(500);
        ProfileInfoTracker.Start();
        ProfileInfoTracker.Start();
        for (int i = 0; i < 3; i++) Outer();
    }

    // Frames open across stop and start: closed while stopped, opened while stopped, open over both.
    static void OpenStop()
    {
        int over = Helper.Enter(Outer_), inner = Helper.Enter(Sleep_);
        ProfileInfoTracker.Stop();
        int unseen = Helper.Enter(Inner_);
        if (unseen != 0) throw new Exception("a call was recorded while stopped");
        Thread.Sleep(500);
        ProfileInfoTracker.WhenLeavingMethod(unseen);
        ProfileInfoTracker.WhenLeavingMethod(inner);
        int late = Helper.Enter(Inner_);
        ProfileInfoTracker.Start();
        if (Helper.Enter(Work_) != over + 1) throw new Exception("the frame that was closed while stopped is still there");
        ProfileInfoTracker.WhenLeavingMethod(over + 1);
        ProfileInfoTracker.WhenLeavingMethod(late);
        ProfileInfoTracker.WhenLeavingMethod(over);
    }

    // A thread that sleeps in a recorded call over stop and start, and notices neither.
    static void StopThreads()
    {
        ManualResetEvent inside = new ManualResetEvent(false);
        Thread thread = new Thread(delegate() { Helper.Enter(Work_); inside.Set(); Thread.Sleep(60000); });
        thread.IsBackground = true;
        thread.Start();
        inside.WaitOne();
        ProfileInfoTracker.Stop();
        Thread.Sleep(500);
        ProfileInfoTracker.Start();
    }

    // An exception leaves two recorded calls while stopped.
    static void StopThrows()
    {
        int token = Helper.Enter(Outer_);
        try
        {
            int inner = Helper.Enter(Throws_);
            try { ProfileInfoTracker.Stop(); throw new InvalidOperationException(); }
            catch { ProfileInfoTracker.WhenLeavingByException(inner); throw; }
        }
        catch (InvalidOperationException e) { ProfileInfoTracker.WhenCatching(e, token); }
        ProfileInfoTracker.Start();
        Inner();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Snapshot()
    {
        Outer();
        byte[] first = ProfileInfoTracker.Snapshot();
        Outer();
        System.IO.File.WriteAllBytes("first.snapshot", first);
        System.IO.File.WriteAllBytes("second.snapshot", ProfileInfoTracker.Snapshot());
    }

    // Threads call on while others start and stop that many times; in the end recording goes on.
    static void Switching(int switches)
    {
        bool ends = false;
        int switched = 0;
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.Length; i++)
        {
            bool isSwitching = i < 2;
            threads[i] = new Thread(delegate()
            {
                while (!Volatile(ref ends))
                    if (!isSwitching) Outer();
                    else
                    {
                        ProfileInfoTracker.Stop();
                        Thread.Sleep(1);
                        ProfileInfoTracker.Start();
                        ProfileInfoTracker.Snapshot();
                        if (Interlocked.Increment(ref switched) == switches) Volatile(ref ends, true);
                    }
            });
            threads[i].Start();
        }
        foreach (Thread thread in threads) thread.Join();
        for (int i = 0; i < 101; i++) Outer();
    }
    static bool Volatile(ref bool value) { Thread.MemoryBarrier(); return value; }
    static void Volatile(ref bool value, bool now) { value = now; Thread.MemoryBarrier(); }

    // The report while frames are open, by a writer that works, one that throws, and none.
    static void Report()
    {
        Threads(2);
        Outer();
        Recurse(3);
        using (new MeasurePerf("a scope"))
        {
            CultureInfo culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
            culture.NumberFormat.NumberDecimalSeparator = "#";
            culture.NumberFormat.NegativeSign = "minus";
            Thread.CurrentThread.CurrentCulture = culture;
            System.IO.StringWriter writer = new System.IO.StringWriter(culture);
            ProfileInfoTracker.Report(writer);
            Console.Write(writer.ToString());
            ProfileInfoTracker.Report(null);
            writer = new System.IO.StringWriter();
            writer.Close();
            ProfileInfoTracker.Report(writer);
        }
    }

    // The calls of an ended thread, of a thread that goes on and of this one before are forgotten.
    static void Reset()
    {
        AutoResetEvent next = new AutoResetEvent(false), done = new AutoResetEvent(false);
        Thread other = new Thread(delegate() { Outer(); done.Set(); next.WaitOne(); Outer(); });
        other.Start();
        done.WaitOne();
        Threads(10);
        for (int i = 0; i < 10; i++) Outer();
        Recurse(100);
        Thread.Sleep(300);
        ProfileInfoTracker.Reset();
        next.Set();
        other.Join();
        for (int i = 0; i < 3; i++) Outer();
    }

    // A scope of a long gone frame ends after a reset, where the frame at its place is of the same node by number.
    static void ResetStale()
    {
        int outer = Helper.Enter(Outer_);
        MeasurePerf gone = new MeasurePerf("gone");
        ProfileInfoTracker.WhenLeavingMethod(outer);
        ProfileInfoTracker.Reset();
        outer = Helper.Enter(Outer_);
        int inner = Helper.Enter(Inner_);
        gone.Dispose();
        ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(Sleep_));
        ProfileInfoTracker.WhenLeavingMethod(inner);
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    // Frames that are open at a reset: this thread's, which are then left and entered; those of a thread that notices nothing until
    // later; and that of one that ends without noticing.
    static void ResetOpen(int resets)
    {
        AutoResetEvent inside = new AutoResetEvent(false), next = new AutoResetEvent(false), end = new AutoResetEvent(false);
        Thread thread = new Thread(delegate()
        {
            int outer = Helper.Enter(Outer_), work = Helper.Enter(Work_);
            inside.Set();
            next.WaitOne();
            ProfileInfoTracker.WhenLeavingMethod(work);
            Inner();
            inside.Set();
            next.WaitOne();
            ProfileInfoTracker.WhenLeavingMethod(outer);
        });
        thread.Start();
        inside.WaitOne();
        Thread ends = new Thread(delegate() { Helper.Enter(Throws_); inside.Set(); end.WaitOne(); });
        ends.Start();
        inside.WaitOne();
        int over = Helper.Enter(Outer_), inner = Helper.Enter(Sleep_);
        Thread.Sleep(300);
        for (int i = 0; i < resets; i++) ProfileInfoTracker.Reset();
        System.IO.File.WriteAllBytes("first.snapshot", ProfileInfoTracker.Snapshot());
        ProfileInfoTracker.WhenLeavingMethod(inner);
        if (Helper.Enter(Inner_) != over + 1) throw new Exception("the open frames have not kept their places");
        ProfileInfoTracker.WhenLeavingMethod(over + 1);
        end.Set();
        ends.Join();
        next.Set();
        inside.WaitOne();
        System.IO.File.WriteAllBytes("second.snapshot", ProfileInfoTracker.Snapshot());
        next.Set();
        thread.Join();
        ProfileInfoTracker.WhenLeavingMethod(over);
    }

    // With a budget of twenty nodes: what was folded is not any more, until the budget is used up again.
    static void ResetFolded()
    {
        Fold(3);
        int outer = Helper.Enter(Outer_), folded = Helper.Enter(Sleep_);
        ProfileInfoTracker.Reset();
        Outer();
        ProfileInfoTracker.WhenLeavingMethod(folded);
        ProfileInfoTracker.WhenLeavingMethod(outer);
        System.IO.File.WriteAllBytes("first.snapshot", ProfileInfoTracker.Snapshot());
        Fold(3);
    }

    // An exception is on its way at the reset.
    static void ResetThrows()
    {
        int token = Helper.Enter(Outer_);
        try
        {
            int inner = Helper.Enter(Throws_);
            try
            {
                int innermost = Helper.Enter(Work_);
                try { throw new InvalidOperationException(); }
                catch { ProfileInfoTracker.WhenLeavingByException(innermost); ProfileInfoTracker.Reset(); throw; }
            }
            catch { ProfileInfoTracker.WhenLeavingByException(inner); throw; }
        }
        catch (InvalidOperationException e) { ProfileInfoTracker.WhenCatching(e, token); }
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Threads that end with frames open, before and after resets.
    static void ResetEnding()
    {
        ShortThreads(100);
        ProfileInfoTracker.Reset();
        ShortThreads(7);
    }

    // Threads call on while two reset and take snapshots; then all is joined, and what comes after a last reset is counted.
    static void Resetting(int resetsWanted)
    {
        bool ends = false;
        int taken = 0;
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.Length; i++)
        {
            bool resets = i < 2;
            threads[i] = new Thread(delegate()
            {
                int token = Helper.Enter(resets ? Sleep_ : Work_);
                while (!Volatile(ref ends))
                    if (!resets) { Outer(); Recurse(5); }
                    else
                    {
                        ProfileInfoTracker.Reset();
                        byte[] snapshot = ProfileInfoTracker.Snapshot();
                        int number = Interlocked.Increment(ref taken);
                        if (number == resetsWanted) Volatile(ref ends, true);
                        if (number <= 20) System.IO.File.WriteAllBytes(number + ".snapshot", snapshot);
                    }
                ProfileInfoTracker.WhenLeavingMethod(token);
            });
            threads[i].Start();
        }
        foreach (Thread thread in threads) thread.Join();
        ProfileInfoTracker.Reset();
        for (int i = 0; i < 5; i++) Outer();
    }

    // Exit code 0 when what was recorded before a reset does not stay in memory. Mono's collector takes what looks like a reference for one
    // and may keep something at any moment, but not all of it each time.
    static int ResetMemory()
    {
        long start = GC.GetTotalMemory(true), once = 0, least = long.MaxValue;
        for (int i = 0; i < 40; i++)
        {
            Fold(7);
            if (i == 0) once = GC.GetTotalMemory(true) - start;
            ProfileInfoTracker.Reset();
            Inner();
            if (i >= 30) least = Math.Min(least, GC.GetTotalMemory(true) - start);
        }
        Console.WriteLine("recorded once " + once + " bytes, kept of 30 to 40 times " + least);
        return once > 1000000 && least < 5 * once ? 0 : 1;
    }
}
