// A program "instrumented" by hand, with methods that are switched off and on while it runs. Usage: driver SCENARIO
using System;
using System.Reflection;
using System.Threading;
using Instrumenter;

// A helper type as ilinject adds it to a module.
static class Helper
{
    static readonly byte[] Off = new byte[600];
    static readonly int Base;
    static Helper()
    {
        Base = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 600);
        ProfileInfoTracker.RegisterSwitches(Base, Off);
    }
    internal static int Enter(int id) { return Off[id] != 0 ? 0 : ProfileInfoTracker.WhenEnteringSwitchedOn(Base + id); }
    internal static int EnterMachine(int id, int starter) { return ProfileInfoTracker.WhenEnteringStateMachine(Base + id, Base + starter); }
    internal static int Id(int id) { return Base + id; }
}

static class SwitchDriver
{
    // Ids, in the order of the names resource; those after have numbers for names.
    const int Main_ = 0, Outer_ = 1, Inner_ = 2, Leaf_ = 3, Recurse_ = 4, Throws_ = 5, Last_ = 599;
    const byte ByGovernor = 1, ByUser = 2;

    static readonly Type switches = typeof(ProfileInfoTracker).Assembly.GetType("Instrumenter.Switches");

    static object Call(string name, params object[] arguments)
    {
        Type[] types = Array.ConvertAll(arguments, delegate(object o) { return o.GetType(); });
        return switches.GetMethod(name, BindingFlags.Static | BindingFlags.NonPublic, null, types, null).Invoke(null, arguments);
    }

    static void Off(int id) { Call("Set", Helper.Id(id), ByUser, true); }
    static void On(int id) { Call("Set", Helper.Id(id), (byte)(ByUser | ByGovernor), false); }
    static bool IsOff(int id) { return (bool)Call("IsOff", Helper.Id(id)); }
    static void Is(bool fact, string what) { if (!fact) throw new Exception("not so: " + what); }

    static int Main(string[] args)
    {
        int token = Helper.Enter(Main_);
        switch (args[0])
        {
            case "calls": Calls(); break;
            case "underway": UnderWay(); break;
            case "recursion": Recurse(5); break;
            case "exception": Exception(); break;
            case "machine": Machine(); break;
            case "threads": Threads(); break;
            case "reset": Outer(); Off(Inner_); ProfileInfoTracker.Reset(); Outer(); Outer(); break;
            case "reasons": Reasons(); break;
            case "many": Many(); break;
            case "behind": Behind(); break;
            case "own": Own(); break;
            case "text": Outer(); Off(Inner_); Off(Leaf_); On(Leaf_); Console.Write(ProfileInfoTracker.SnapshotText()); break;
            case "governor": Govern(); break;
            case "pinned": Pinned(); break;
            default: return 2;
        }
        ProfileInfoTracker.WhenLeavingMethod(token);
        return 0;
    }

    static void Leaf() { ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(Leaf_)); }

    static void Inner()
    {
        int token = Helper.Enter(Inner_);
        Leaf();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Outer()
    {
        int token = Helper.Enter(Outer_);
        Inner();
        Inner();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Inner is recorded in the first and the last call of Outer alone; the other calls of Leaf stand below Outer.
    static void Calls()
    {
        Outer();
        Off(Inner_);
        for (int i = 0; i < 5; i++) Outer();
        On(Inner_);
        Outer();
    }

    static void UnderWay()
    {
        int token = Helper.Enter(Outer_);
        Off(Outer_);
        Leaf();
        ProfileInfoTracker.WhenLeavingMethod(token);
        int unseen = Helper.Enter(Outer_);
        Is(unseen == 0, "a call that begins while it is off has no token");
        On(Outer_);
        Leaf();
        ProfileInfoTracker.WhenLeavingMethod(unseen);
        Outer();
    }

    static void Recurse(int depth)
    {
        int token = Helper.Enter(Recurse_);
        if (depth == 3) Off(Recurse_);
        if (depth > 1) Recurse(depth - 1);
        else Leaf();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // An exception passes a call that is off, between one that was recorded and one that catches.
    static void Exception()
    {
        Off(Inner_);
        int outer = Helper.Enter(Outer_);
        try
        {
            int inner = Helper.Enter(Inner_);
            try
            {
                int throws = Helper.Enter(Throws_);
                try { throw new InvalidOperationException(); }
                catch { ProfileInfoTracker.WhenLeavingByException(throws); throw; }
            }
            catch { ProfileInfoTracker.WhenLeavingByException(inner); throw; }
        }
        catch (InvalidOperationException e) { ProfileInfoTracker.WhenCatching(e, outer); }
        Leaf();
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    // A state machine with a starter that is off stands where its slice runs; one that is off itself is not there.
    static void Machine()
    {
        Off(Outer_);
        int outer = Helper.Enter(Outer_);
        int machine = Helper.EnterMachine(Inner_, Outer_);
        Is(outer == 0 && machine > 0, "the machine is recorded without its starter");
        Leaf();
        ProfileInfoTracker.WhenCompleting(machine);
        ProfileInfoTracker.WhenLeavingMethod(machine);
        ProfileInfoTracker.WhenLeavingMethod(outer);
        Off(Inner_);
        On(Outer_);
        outer = Helper.Enter(Outer_);
        machine = Helper.EnterMachine(Inner_, Outer_);
        Is(outer > 0 && machine == 0, "the starter is recorded without its machine");
        Leaf();
        ProfileInfoTracker.WhenSuspending(machine);
        ProfileInfoTracker.WhenLeavingMethod(machine);
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    // Threads call on while methods are switched; in the end each has left what it entered.
    static void Threads()
    {
        bool[] end = new bool[1];
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(delegate() { while (!Volatile(end)) Outer(); });
            threads[i].Start();
        }
        for (int i = 0; i < 300; i++)
        {
            Off(i % 4);
            On((i + 2) % 4);
            if (i % 50 == 0) Thread.Sleep(1);
        }
        end[0] = true;
        foreach (Thread thread in threads) thread.Join();
        for (int i = 0; i < 4; i++) On(i);
        Outer();
    }

    static bool Volatile(bool[] flag)
    {
        Thread.MemoryBarrier();
        return flag[0];
    }

    // Off while there is any reason.
    static void Reasons()
    {
        Call("Set", Helper.Id(Leaf_), ByGovernor, true);
        Call("Set", Helper.Id(Leaf_), ByUser, true);
        Call("Set", Helper.Id(Leaf_), ByUser, false);
        Leaf();
        Is(IsOff(Leaf_) && !(bool)Call("IsPinned", Helper.Id(Leaf_)), "the governor's reason is left");
        Call("Set", Helper.Id(Leaf_), ByGovernor, false);
        Leaf();
        Is(!IsOff(Leaf_) && (bool)Call("IsPinned", Helper.Id(Leaf_)), "no reason is left");
        Is(!IsOff(Inner_), "another method is on");
    }

    // The room for reasons grows; ids that no module has are no harm.
    static void Many()
    {
        Off(Leaf_);
        for (int i = 10; i <= Last_; i++) Off(i);
        for (int i = 10; i <= Last_; i++) Is(Helper.Enter(i) == 0, "all are off");
        Leaf();
        On(Last_);
        ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(Last_));
        Call("Set", 7, ByUser, true);
        Is(ProfileInfoTracker.WhenEnteringMethod(7) == 0, "an id of no module is not recorded");
        Outer();
    }

    // The first 65,000 ids are looked up in a way of their own: the last of them, the first after them, and one far
    // beyond.
    static void Behind()
    {
        int first = Helper.Id(0), more = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 140000);
        Is(more == first + 600, "the ids follow each other");
        foreach (int at in new int[] { 64999, 65000, 130000 })
        {
            int id = first + at;
            Is(Recorded(id), "it is on at first: " + at);
            Call("Set", id, ByUser, true);
            Is(!Recorded(id) && (bool)Call("IsOff", id), "it is off: " + at);
            Is(Recorded(id - 1) && Recorded(id + 1), "its neighbours are on: " + at);
            Call("Set", id, ByUser, false);
            Is(Recorded(id), "it is on again: " + at);
        }
    }

    // A module's own array: it gets what was switched before it was there, and its module's methods alone.
    static void Own()
    {
        const int Count = 70000;
        int first = Helper.Id(0);
        int more = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, Count), last = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 3);
        byte[] off = new byte[Count], others = new byte[3];
        Call("Set", more + 5, ByUser, true);
        Call("Set", more + Count - 1, ByUser, true);
        ProfileInfoTracker.RegisterSwitches(more, off);
        ProfileInfoTracker.RegisterSwitches(last, others);
        Is(Sum(off) == 2 * ByUser && off[5] == ByUser && off[Count - 1] == ByUser, "what was off before");
        Call("Set", more, ByGovernor, true);
        Call("Set", more + 5, ByUser, false);
        Call("Set", last + 2, ByUser, true);
        Call("Set", first + Last_, ByUser, true);
        Is(Sum(off) == ByUser + ByGovernor && off[0] == ByGovernor && off[5] == 0, "what is off now");
        Is(Sum(others) == ByUser && others[2] == ByUser, "what is off behind it");
        Is(Helper.Enter(Last_) == 0 && Helper.Enter(Last_ - 1) != 0, "what is off before it");
        ProfileInfoTracker.RegisterSwitches(more, null);
        ProfileInfoTracker.RegisterSwitches(7, off);
        ProfileInfoTracker.RegisterSwitches(last, off);
        Call("Set", last + 2, ByUser, false);
        Is(Sum(off) == ByUser + ByGovernor && Sum(others) == 0, "an array of another length is not taken");
    }

    static int Sum(byte[] all)
    {
        int sum = 0;
        foreach (byte one in all) sum += one;
        return sum;
    }

    static bool Recorded(int id)
    {
        int token = ProfileInfoTracker.WhenEnteringMethod(id);
        ProfileInfoTracker.WhenLeavingMethod(token);
        return token > 0;
    }

    // Leaf is called all the time, Outer ten times; until the governor has switched Leaf off.
    static void Govern()
    {
        for (int i = 0; i < 10; i++)
        {
            int token = Helper.Enter(Outer_);
            while (i == 9 && !IsOff(Leaf_))
                for (int k = 0; k < 1000; k++) Leaf();
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
        for (int k = 0; k < 1000; k++) Leaf();
        Is(!IsOff(Outer_) && !IsOff(Main_), "who is seldom called stays");
    }

    // A method that the user switched on again stays on: the governor then takes another one.
    static void Pinned()
    {
        while (!IsOff(Leaf_))
            for (int k = 0; k < 1000; k++) Leaf();
        On(Leaf_);
        while (!IsOff(Inner_))
            for (int k = 0; k < 1000; k++) Inner();
        Is(!IsOff(Leaf_), "it stays on");
    }
}
