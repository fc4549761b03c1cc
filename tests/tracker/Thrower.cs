// A program "instrumented" by hand, in the shape that sees exceptions: each scenario throws and catches. Usage: thrower SCENARIO [NUMBER] [full]
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using Instrumenter;

static class Helper
{
    static readonly int Base;
    static Helper() { Base = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 8); }
    internal static int Enter(int id) { return ProfileInfoTracker.WhenEnteringMethod(Base + id); }
}

class X : Exception { public X(string message) : base(message) { } }
class Y : Exception { public Y() : base("why") { } }
class Talking : Exception { public override string Message { get { throw new InvalidOperationException("the tracker runs the program's code"); } } }

class Initialized
{
    internal static int Value;
    static Initialized() { Thrower.Guarded(Thrower.B, delegate { throw new X("no type"); }); }
}

static class Thrower
{
    // Ids, in the order of the names resource.
    internal const int Main_ = 0, A = 1, B = 2, C = 3, D = 4, E = 5, F = 6, Recurse_ = 7;

    internal static bool Full;

    static int Main(string[] args)
    {
        int number = args.Length > 1 && args[1] != "full" ? int.Parse(args[1]) : 0;
        Full = args[args.Length - 1] == "full";
        int status = 0;
        Guarded(Main_, delegate(int token) { status = Run(args[0], number, token); });
        return status;
    }

    // A method in the guarded shape: C# has no fault clause, but a finally block that knows whether the body came to its end.
    internal static void Guarded(int id, Action<int> body) { Guarded(Helper.Enter(id), body, Full); }

    static void Guarded(int token, Action<int> body, bool full)
    {
        if (full)
            try { Fault(token, body); } catch (Exception e) when (ProfileInfoTracker.WhenExceptionPasses(e, token)) { }
        else
            Fault(token, body);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Fault(int token, Action<int> body)
    {
        bool ended = false;
        try { body(token); ended = true; }
        finally { if (!ended) ProfileInfoTracker.WhenLeavingByException(token); }
    }

    // A method in the shape without a clause.
    static void Plain(int id, Action body)
    {
        int token = Helper.Enter(id);
        body();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // A method that catches whatever the body throws.
    static void Catches(int id, Action body) { Guarded(id, delegate(int token) { CatchIn(token, body); }); }

    static void CatchIn(int token, Action body)
    {
        try { body(); } catch (Exception e) { ProfileInfoTracker.WhenCatching(e, token); }
    }

    static void Throws(int id) { Guarded(id, delegate { throw new X("thrown by " + id); }); }
    static void Quiet(int id) { Guarded(id, delegate { }); }

    static int Run(string scenario, int number, int token)
    {
        switch (scenario)
        {
            case "levels": for (int level = A; level <= F; level++) CatchIn(token, delegate { Chain(A, F - level); }); break;
            case "rethrow": CatchIn(token, Rethrow); break;
            case "nested": Nested(); break;
            case "finallythrows": CatchIn(token, delegate { Finally(delegate { Throws(B); }, delegate { Throws(C); }); }); break;
            case "finallythrowsout": OnThread(delegate { try { Finally(delegate { Throws(B); }, delegate { Throws(C); }); } catch (X) { } }, 1); break;
            case "finallyswallows": CatchIn(token, delegate { Finally(delegate { Throws(B); }, delegate { try { Throws(C); } catch (X) { } }); }); break;
            case "foreignfinallythrows": CatchIn(token, delegate { Guarded(A, delegate { try { Throws(B); } finally { Throws(C); } }); }); break;
            case "finallycatches": CatchIn(token, delegate { Finally(delegate { Throws(B); }, delegate { Quiet(E); Catches(C, delegate { Throws(D); }); Quiet(E); }); }); break;
            case "finallynormal": for (int i = 0; i < 10; i++) Finally(delegate { Quiet(B); }, delegate { Quiet(C); }); break;
            case "quietfinally": QuietFinally(token, delegate { Throws(B); }); break;
            case "quietfinallyplain": QuietFinally(token, delegate { Plain(B, delegate { throw new X("thrown by 2"); }); }); break;
            case "quietfinallycaught": Guarded(A, delegate(int a) { CatchIn(a, delegate { QuietlyLast(delegate { Throws(B); }); }); Quiet(C); }); break;
            case "quietfinallyloud": CatchIn(token, delegate { Finally(delegate { QuietlyLast(delegate { Throws(B); }); }, delegate { Quiet(C); }); }); break;
            case "quietfinallyloop": for (int i = 0; i < number; i++) CatchIn(token, delegate { QuietlyLast(delegate { if (i % 10 == 9) Throws(B); }); }); break;
            case "quietfinallyswallowed": Guarded(A, delegate { for (int i = 0; i < number; i++) QuietlyLast(delegate { try { Throws(B); } catch (X) { } }); Quiet(C); }); break;
            case "finallyreplacedcaught": ReplacedAndCaught(); break;
            case "filter": CatchIn(token, delegate { Filter(delegate { Quiet(F); return number == 1; }); }); break;
            case "filterforeign": FilterForeign(); break;
            case "filterthrows": CatchIn(token, delegate { Filter(delegate { Throws(F); return true; }); }); break;
            case "swallowed": Swallowed(); break;
            case "swallowedloop": SwallowedLoop(number); break;
            case "foreignfinally": CatchIn(token, delegate { Guarded(A, delegate { try { Throws(B); } finally { Quiet(C); } }); }); break;
            case "comesback": CatchIn(token, delegate { try { Throws(B); } finally { Quiet(C); } }); break;
            case "againandagain": Guarded(A, delegate { for (int i = 0; i < number; i++) { try { Throws(B); } catch (X) { } Quiet(C); } }); break;
            case "sort": Sort(); break;
            case "invoke": Invoke(); break;
            case "initializer": Catches(A, delegate { Initialized.Value = 1; }); break;
            case "stored": for (int i = 0; i < 5; i++) Stored(i != 3); break;
            case "plain": CatchIn(token, delegate { Guarded(A, delegate { Plain(B, delegate { Plain(C, delegate { throw new X("out of the plain"); }); }); }); }); break;
            case "plainfinally": CatchIn(token, delegate { Finally(delegate { Plain(B, delegate { throw new X("out of the plain"); }); }, delegate { Quiet(C); }); }); break;
            case "unrecorded": CatchIn(token, delegate { Guarded(A, delegate { Unrecorded(delegate(int none) { CatchIn(none, delegate { Throws(B); }); Throws(C); }); }); }); break;
            case "itself": CatchIn(token, delegate { throw new X("in the method itself"); }); break;
            case "messages": for (int i = 1; i <= 5; i++) CatchIn(token, delegate { throw new X(new string((char)('0' + i), i == 3 ? 300 : 3)); }); break;
            case "talking": CatchIn(token, delegate { throw new Talking(); }); break;
            case "threads": for (int i = 0; i < number; i++) OnThread(delegate { try { Catches(A, delegate { Throws(B); }); Throws(C); } catch (X) { } }, 1); break;
            case "deep": OnThread(delegate { Catches(A, delegate { Recurse(number); }); }, 1024); break;
            case "many": Words(6); break;
            case "unhandled": Throws(B); break;
            case "abort": Abort(); break;
            case "beat": Beat(number); break;
            case "alloc": return Alloc();
            case "bench": Bench(number); break;
            default: return 2;
        }
        return 0;
    }

    // A to E, where E throws; the method `levels` above E catches.
    static void Chain(int id, int levels)
    {
        Action next = delegate { if (id == E) throw new X("at the bottom"); Chain(id + 1, levels); };
        if (E - id == levels - 1 && levels > 0) Catches(id, next); else Guarded(id, delegate { next(); });
    }

    static void Rethrow()
    {
        Guarded(A, delegate(int token)
        {
            try { Throws(B); } catch (X e) { ProfileInfoTracker.WhenCatching(e, token); throw; }
        });
    }

    // While one exception is handled another is thrown and caught.
    static void Nested()
    {
        Guarded(A, delegate(int token)
        {
            try { Throws(B); }
            catch (X e)
            {
                ProfileInfoTracker.WhenCatching(e, token);
                CatchIn(token, delegate { Guarded(C, delegate { throw new Y(); }); });
            }
        });
    }

    static void Finally(Action body, Action last)
    {
        Guarded(A, delegate(int token)
        {
            try { body(); } finally { ProfileInfoTracker.WhenUnwinding(token); last(); }
        });
    }

    // Finally blocks that do nothing that could be recorded have no call.
    static int last;
    static void QuietlyLast(Action body) { try { body(); } finally { last++; } }
    static void QuietFinally(int token, Action body) { CatchIn(token, delegate { Guarded(A, delegate { QuietlyLast(body); }); }); }

    // In one method: a finally block throws, and a handler outside of it catches that.
    static void ReplacedAndCaught()
    {
        Guarded(A, delegate(int token)
        {
            CatchIn(token, delegate { try { Throws(B); } finally { ProfileInfoTracker.WhenUnwinding(token); Guarded(C, delegate { throw new Y(); }); } });
            Quiet(D);
        });
        CatchIn(1, delegate { Throws(E); });
    }

    static bool Filtered(Exception e, int token) { ProfileInfoTracker.WhenFiltering(e, token); return true; }

    // A calls B, which throws; A has a filter.
    static void Filter(Func<bool> accepts)
    {
        Guarded(A, delegate(int token)
        {
            try { Throws(B); } catch (X e) when (Filtered(e, token) && accepts()) { ProfileInfoTracker.WhenCatching(e, token); Quiet(C); }
        });
    }

    // Between B and A, which has a filter, other code catches and throws again.
    static void Again() { try { Throws(B); } catch (X) { throw; } }
    static void FilterForeign()
    {
        Guarded(A, delegate(int token)
        {
            try { Again(); } catch (X e) when (Filtered(e, token)) { ProfileInfoTracker.WhenCatching(e, token); }
        });
    }

    // Caught by code that is not instrumented: seen when a method is entered, and when one returns.
    static void Swallowed()
    {
        Guarded(A, delegate { try { Throws(B); } catch (X) { } Quiet(C); });
        Guarded(A, delegate { Guarded(D, delegate { try { Throws(B); } catch (X) { } }); });
    }

    static void SwallowedLoop(int rounds)
    {
        Guarded(A, delegate(int token)
        {
            for (int i = 0; i < rounds; i++)
                try { try { Throws(B); } catch (X) { } } finally { ProfileInfoTracker.WhenUnwinding(token); Quiet(C); }
        });
    }

    static void Sort()
    {
        Catches(A, delegate
        {
            new List<int>(new[] { 3, 1, 2 }).Sort(delegate(int a, int b) { Throws(B); return 0; });
        });
    }

    public static void Invoked() { Throws(B); }

    static void Invoke()
    {
        Catches(A, delegate { typeof(Thrower).GetMethod("Invoked").Invoke(null, null); });
    }

    // Fails as an async method with its exception; otherwise it handles one itself.
    static void Stored(bool stores)
    {
        Guarded(A, delegate(int token)
        {
            try { Throws(B); }
            catch (X e) { ProfileInfoTracker.WhenCatching(e, token); if (stores) ProfileInfoTracker.WhenFailing(e, token); }
            if (!stores) ProfileInfoTracker.WhenFailing(new Y(), token); // never thrown
        });
    }

    // A method of a module that is not registered: its token is 0.
    static void Unrecorded(Action<int> body) { Guarded(ProfileInfoTracker.WhenEnteringMethod(5), body, Full); }

    static void OnThread(ThreadStart start, int megabytes)
    {
        Thread thread = new Thread(start, megabytes << 20);
        thread.Start();
        thread.Join();
    }

    // As straight as a method is: 100,000 of them have to fit on a stack.
    static void Recurse(int depth)
    {
        int token = Helper.Enter(Recurse_);
        bool ended = false;
        if (Full)
        {
            try
            {
                try { if (depth == 1) throw new X("at the bottom"); Recurse(depth - 1); ended = true; }
                finally { if (!ended) ProfileInfoTracker.WhenLeavingByException(token); }
            }
            catch (X e) when (ProfileInfoTracker.WhenExceptionPasses(e, token)) { }
        }
        else
        {
            try { if (depth == 1) throw new X("at the bottom"); Recurse(depth - 1); ended = true; }
            finally { if (!ended) ProfileInfoTracker.WhenLeavingByException(token); }
        }
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // All words of six letters over six methods; the one before the last catches what the last one throws, which is always A.
    static void Words(int length)
    {
        for (int id = A; id <= F; id++)
            if (length == 2) Catches(id, delegate { Throws(A); });
            else Guarded(id, delegate { Words(length - 1); });
    }

    static void Abort()
    {
        ManualResetEvent ready = new ManualResetEvent(false);
        Thread thread = new Thread(delegate()
        {
            Catches(A, delegate { Guarded(B, delegate { ready.Set(); Thread.Sleep(60000); }); });
        });
        thread.Start();
        ready.WaitOne();
        Thread.Sleep(50);
        thread.Abort();
        thread.Join();
    }

    // Threads that throw and catch while profiles are written.
    static void Beat(int milliseconds)
    {
        DateTime end = DateTime.UtcNow.AddMilliseconds(milliseconds);
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(delegate()
            {
                while (DateTime.UtcNow < end)
                {
                    Catches(A, delegate { Guarded(C, delegate { Throws(B); }); });
                    Catches(D, delegate { Finally(delegate { Throws(B); }, delegate { Throws(C); }); });
                }
            });
            threads[i].Start();
        }
        foreach (Thread thread in threads) thread.Join();
    }

    // Exit code 0 when 200,000 finally blocks without an exception allocate nothing.
    static int Alloc()
    {
        MethodInfo allocated = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", Type.EmptyTypes);
        long before = Read(allocated), first = Read(allocated);
        for (int i = 0; i < 200000; i++)
        {
            int token = Helper.Enter(A);
            ProfileInfoTracker.WhenUnwinding(token);
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
long taken = Read(allocated) - first;
        Console.WriteLine(taken + " bytes, measuring takes " + (first - before));
        return taken < (allocated == null ? 100000 : 10000) ? 0 : 1;
    }

    static long Read(MethodInfo allocated) { return allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(false); }

    // Nanoseconds per exception that is thrown through two methods and caught in a third; per WhenUnwinding without one.
    static void Bench(int count)
    {
        for (int round = 0; round < 5; round++)
        {
            long start = DateTime.UtcNow.Ticks;
            for (int i = 0; i < count; i++) Catches(A, delegate { Guarded(C, delegate { Throws(B); }); });
            long thrown = DateTime.UtcNow.Ticks;
            for (int i = 0; i < count * 100; i++) ProfileInfoTracker.WhenUnwinding(1);
            Console.WriteLine("{0} ns per exception, {1} ns per finally block", (thrown - start) * 100 / count, (DateTime.UtcNow.Ticks - thrown) / (double)count);
        }
    }
}
