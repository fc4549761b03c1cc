// The driver's scenarios of switches and triggers, asked for as `ilinject ctl` does it.
using System;
using System.Reflection;
using System.Text;
using System.Threading;
using Instrumenter;

static partial class Driver
{
    // The tracker's thread does this for a request; a line of the answer after its sign.
    static string Ask(string verb, params string[] arguments)
    {
        MethodInfo obey = typeof(ProfileInfoTracker).Assembly.GetType("Instrumenter.SwitchRules").GetMethod("Obey", BindingFlags.NonPublic | BindingFlags.Static);
        StringBuilder answer = new StringBuilder();
        bool done = (bool)obey.Invoke(null, new object[] { verb, arguments, answer });
        return (done ? "" : "failed ") + answer.ToString().TrimEnd('\n');
    }

    static void Say(string verb, params string[] arguments)
    {
        Console.WriteLine(Ask(verb, arguments));
    }

    static void Working(Action inside)
    {
        int token = Helper.Enter(Work_);
        inside();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Recorded in the end: Main 1, Outer 8, Inner() 13, Inner(int) 2.
    static void Switches()
    {
        Outer();
        Say("off", "N.T.Inner(int)");
        Outer();
        Say("off", "**.Inn*(**)");
        Outer();
        Say("on", "N.T.Inner()");
        Outer();
        Say("only", "[driver]N.T.Outer", "N.T.Nobody");
        Outer();
        // One call under way when it is switched off, one that begins while it is off and ends while it is on.
        int under = Helper.Enter(Outer_);
        Say("off", "N.T.Outer");
        int unseen = Helper.Enter(Outer_);
        if (unseen != 0) throw new Exception("a call of a method that is off was recorded");
        Inner();
        Say("on", "N/T.Outer", "N.T.Inner()");
        Inner();
        ProfileInfoTracker.WhenLeavingMethod(unseen);
        ProfileInfoTracker.WhenLeavingMethod(under);
        Say("all");
        Outer();
        Say("off", "N.T.Iner");
        Say("off", "[other]");
        Say("off", "@N.Attribute");
        Say("off", "N.T.Inner(");
        Say("all");
        Say("all");
        int last = Helper.Enter(Outer_);
        ProfileInfoTracker.WhenLeavingMethod(last);
    }

    // Main is open, in frame 1. Recorded in the end: Work 4, Outer 6, Inner() 6, Inner(int) 2.
    static void Triggers()
    {
        Say("below", "N.T.Work");
        Outer();
        Working(Outer);
        Outer();
        Say("depth", "2");
        Working(Outer);
        Say("below", "**");
        Outer();
        Say("depth", "x");
        Say("depth", "0");
        Outer();
        Say("all");
        Say("depth", "3");
        Working(Outer);
        Say("depth", "2");
        Working(Outer);
        Outer();
        Say("all");
    }

    // Only calls of at least a second. Recorded in the end: Work 2, Sleep 1, Outer 1, Throws 1, Inner() 1.
    static void Longer(int milliseconds)
    {
        Say("longer", "1s");
        Outer();
        Recurse(1000);
        Working(delegate
        {
            Inner();
            int token = Helper.Enter(Sleep_);
            Thread.Sleep(milliseconds);
            ProfileInfoTracker.WhenLeavingMethod(token);
            Inner(1);
        });
        // A call that an exception leaves is kept, and so is the one that catches it.
        Working(delegate
        {
            Outer();
            int outer = Helper.Enter(Outer_);
            try
            {
                int token = Helper.Enter(Throws_);
                try { throw new InvalidOperationException(); }
                catch { ProfileInfoTracker.WhenLeavingByException(token); throw; }
            }
            catch (InvalidOperationException e) { ProfileInfoTracker.WhenCatching(e, outer); }
            Inner();
            ProfileInfoTracker.WhenLeavingMethod(outer);
        });
        Say("longer", "1");
        Say("longer", "0");
        Inner();
    }

    // 64 threads call on while switches and triggers change; each has made 10 calls before, and 10 are made in the end.
    static void SwitchThreads(int rounds)
    {
        bool ends = false;
        int ready = 0;
        long called = 0;
        ManualResetEvent go = new ManualResetEvent(false);
        Thread[] threads = new Thread[64];
        for (int i = 0; i < threads.Length; i++)
        {
            int number = i;
            threads[i] = new Thread(delegate()
            {
                for (int call = 0; call < 10; call++) Outer();
                Interlocked.Increment(ref ready);
                go.WaitOne();
                int mine = 10;
                while (!Volatile(ref ends))
                {
                    Working(Outer);
                    mine++;
                    if (number % 8 == 0) Recurse(20);
                    if (number % 8 == 1) ThrowsAndCatches();
                    if (number % 8 == 2) Thread.Sleep(1);
                }
                Interlocked.Add(ref called, mine);
            });
            threads[i].Start();
        }
        while (Thread.VolatileRead(ref ready) < threads.Length) Thread.Sleep(1);
        go.Set();
        string[][] asked =
        {
            new string[] { "off", "N.T.Inner" }, new string[] { "below", "N.T.Outer" }, new string[] { "only", "N.T.Outer", "N.T.Work" },
            new string[] { "longer", "20us" }, new string[] { "on", "**" }, new string[] { "depth", "2" }, new string[] { "off", "N.T.Work" },
            new string[] { "longer", "0" }, new string[] { "below", "N.T.Throws", "N.T.Recurse" }, new string[] { "all" }
        };
        for (int round = 0; round < rounds; round++)
            foreach (string[] one in asked)
            {
                string[] arguments = new string[one.Length - 1];
                Array.Copy(one, 1, arguments, 0, arguments.Length);
                string answer = Ask(one[0], arguments);
                if (answer.StartsWith("failed")) throw new Exception(answer);
                if (round % 4 == 1) ProfileInfoTracker.Stop();
                if (round % 8 == 2) ProfileInfoTracker.Snapshot();
                Thread.Sleep(1);
                ProfileInfoTracker.Start();
            }
        Volatile(ref ends, true);
        foreach (Thread thread in threads) thread.Join();
        for (int call = 0; call < 10; call++) Outer();
        Console.WriteLine(called + 10);
    }

    static void ThrowsAndCatches()
    {
        int outer = Helper.Enter(Sleep_);
        try
        {
            int token = Helper.Enter(Throws_);
            try { throw new InvalidOperationException(); }
            catch { ProfileInfoTracker.WhenLeavingByException(token); throw; }
        }
        catch (InvalidOperationException e) { ProfileInfoTracker.WhenCatching(e, outer); }
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    // A reset while methods are off and triggers are set: they go on to hold.
    static void SwitchReset()
    {
        Outer();
        Ask("off", "N.T.Inner(int)");
        Ask("below", "N.T.Outer");
        int token = Helper.Enter(Outer_);
        ProfileInfoTracker.Reset();
        Inner();
        Inner(1);
        ProfileInfoTracker.WhenLeavingMethod(token);
        Inner();
        Outer();
    }
}
