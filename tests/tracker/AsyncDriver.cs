// A program with async methods, "instrumented" by hand: what the injected code calls, in its order. Usage: async SCENARIO
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Instrumenter;

static class Helper
{
    static readonly int Base;
    static Helper() { Base = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 10); }
    internal static int Id(int id) { return Base + id; }
    internal static int Enter(int id) { return ProfileInfoTracker.WhenEnteringMethod(Base + id); }
}

static class AsyncDriver
{
    // Ids, in the order of the names resource. After each starter stands its machine's MoveNext.
    const int Main_ = 0, A = 1, B = 3, C = 5, Work_ = 7;

    internal static readonly Task Done = Task.FromResult(0);

    static int Main(string[] args)
    {
        int token = Helper.Enter(Main_);
        int result = Run(args[0], args.Length > 1 ? int.Parse(args[1]) : 0);
        ProfileInfoTracker.WhenLeavingMethod(token);
        return result;
    }

    static int Run(string scenario, int number)
    {
        switch (scenario)
        {
            case "sync": for (int i = 0; i < 5; i++) TaskMachine.Run(A, delegate { return null; }).Wait(); break;
            case "once": for (int i = 0; i < 3; i++) TaskMachine.Run(A, Suspends(1)).Wait(); break;
            case "often": TaskMachine.Run(A, Suspends(7)).Wait(); break;
            case "object": for (int i = 0; i < 3; i++) ClassMachine.Run(A, Suspends(4)).Wait(); break;
            case "void": Void(); break;
            case "fails": Fails(); break;
            case "nested": Nested(); break;
            case "many": Many(number); break;
            case "forgotten": Forgotten(number); break;
            case "times": Times(); break;
            case "race": Race(number); break;
            case "reset": Reset(); break;
            case "resetinside": ResetInside(number); break;
            case "resetrace": ResetRace(number); break;
            case "resetended": ResetEnded(); break;
            case "deep": Deep(number); break;
            case "order": Order(); break;
            case "orderdeep": OrderDeep(); break;
            case "orderfails": OrderFails(); break;
            case "unseen": Unseen(number); break;
            case "iterator": Iterator(); break;
            case "unbalanced": Unbalanced(); break;
            case "inline": Inline(); break;
            case "starters": Starters(); break;
            case "ended": Ended(); break;
            case "collected": return Collected();
            case "alloc": return Alloc();
            case "bench": Bench(); break;
            default: return 2;
        }
        return 0;
    }

    // Is suspended that many times.
    static Step Suspends(int times)
    {
        return delegate(int step) { return step < times ? Task.Delay(5) : null; };
    }

    // Gets the end of an async void method, which comes after the builder's SetResult.
    class Told : SynchronizationContext
    {
        internal readonly ManualResetEvent Ended = new ManualResetEvent(false);
        public override void OperationCompleted() { Ended.Set(); }
    }

    static void Void()
    {
        Told told = new Told();
        SynchronizationContext.SetSynchronizationContext(told);
        VoidMachine.Run(A, delegate(int step) { return step < 3 ? Task.Delay(5) : null; });
        SynchronizationContext.SetSynchronizationContext(null);
        told.Ended.WaitOne();
    }

    static void Fails()
    {
        // Failed and cancelled, each before and after a suspension.
        Outcome(TaskMachine.Run(A, delegate { throw new InvalidOperationException(); }));
        Outcome(TaskMachine.Run(A, delegate(int step) { if (step == 0) return Task.Delay(5); throw new InvalidOperationException(); }));
        Outcome(TaskMachine.Run(A, delegate { throw new OperationCanceledException(); }));
        CancellationTokenSource source = new CancellationTokenSource(20);
        Outcome(TaskMachine.Run(A, delegate { return Task.Delay(60000, source.Token); }));
    }

    static void Outcome(Task task)
    {
        try { task.Wait(); } catch (AggregateException) { }
    }

    // A awaits B twice, B awaits C once: C both before and after B's first suspension; C is awaited by A, too.
    static void Nested()
    {
        TaskMachine.Run(A, delegate(int a)
        {
            if (a == 2) return TaskMachine.Run(C, Suspends(1));
            return a == 3 ? null : TaskMachine.Run(B, delegate(int b)
            {
                return b == 0 ? AtOnce(TaskMachine.Run(C, Suspends(0))) : b == 1 ? Task.Delay(5) : b == 2 ? ClassMachine.Run(C, Suspends(2)) : null;
            });
        }).Wait();
    }

    static Task AtOnce(Task task)
    {
        if (!task.IsCompleted) throw new Exception("the call was suspended");
        return Done;
    }

    static void Many(int count)
    {
        Task[] tasks = new Task[count];
        for (int i = 0; i < count; i++)
            tasks[i] = TaskMachine.Run(A, delegate(int a) { return a < 2 ? TaskMachine.Run(B, Suspends(2)) : null; });
        Task.WaitAll(tasks);
    }

    static void Forgotten(int count)
    {
        for (int i = 0; i < count; i++)
            TaskMachine.Run(A, delegate { return new TaskCompletionSource<int>().Task; });
    }

    // A runs 40 ms, awaits B, which runs 30 ms, awaits 100 ms and runs 20 ms; A runs 10 ms more.
    static void Times()
    {
        TaskMachine.Run(A, delegate(int a)
        {
            Thread.Sleep(a == 0 ? 40 : 10);
            return a > 0 ? null : TaskMachine.Run(B, delegate(int b)
            {
                Thread.Sleep(b == 0 ? 30 : 20);
                return b == 0 ? Task.Delay(100) : null;
            });
        }).Wait();
    }

    // Continuations that run while the thread that suspended the call is still at it.
    static void Race(int count)
    {
        Task[] tasks = new Task[100];
        for (int round = 0; round < count; round++)
        {
            for (int i = 0; i < tasks.Length; i++)
                tasks[i] = TaskMachine.Run(A, delegate(int a)
                {
                    return a < 3 ? Task.Run((Action)delegate { }) : a == 3 ? TaskMachine.Run(B, delegate(int b) { return b < 2 ? Task.Run((Action)delegate { }) : null; }) : null;
                });
            Task.WaitAll(tasks);
        }
    }

    // Calls that are suspended at a reset: A's awaits B's, C is an object, and one that had ended is gone. Each goes on after it.
    static void Reset()
    {
        TaskMachine.Run(C, Suspends(2)).Wait();
        TaskCompletionSource<int> gate = new TaskCompletionSource<int>();
        Step waits = delegate(int step) { return step == 0 ? gate.Task : step == 1 ? Task.Delay(5) : null; };
        Task a = TaskMachine.Run(A, delegate(int step) { return step == 0 ? Task.Delay(5) : step == 1 ? TaskMachine.Run(B, waits) : null; });
        Task c = ClassMachine.Run(C, waits);
        Thread.Sleep(300);
        ProfileInfoTracker.Reset();
        ThreadPool.QueueUserWorkItem(delegate { gate.SetResult(0); });
        Task.WaitAll(a, c);
    }

    // A reset in a first slice (step 0) or a later one of a call that is suspended three times; an object's when it is not below 10.
    static void ResetInside(int when)
    {
        Step step = delegate(int at) { if (at == when % 10) ProfileInfoTracker.Reset(); return at < 3 ? Task.Delay(5) : null; };
        (when < 10 ? TaskMachine.Run(A, step) : ClassMachine.Run(A, step)).Wait();
    }

    // As Race, with resets all the time.
    static void ResetRace(int count)
    {
        bool ends = false;
        Thread thread = new Thread(delegate() { while (!ends) { ProfileInfoTracker.Reset(); Thread.Sleep(1); Thread.MemoryBarrier(); } });
        thread.Start();
        Race(count);
        ends = true;
        Thread.MemoryBarrier();
        thread.Join();
    }

    // A call ends before the thread of its first slice has named the call, and a reset is between: the call was before
    // it.
    static void ResetEnded()
    {
        object one = new object(), a = new object(), b = new object();
        Start(A, one, Nothing, delegate
        {
            OnThread(delegate { Complete(Resume(A, one)); });
            ProfileInfoTracker.Reset();
        });
        // The same of a call that waits for the place of the one that has started it.
        Start(A, a, Nothing, delegate
        {
            OnThread(delegate
            {
                int slice = Resume(A, a);
                Start(B, b, Nothing, delegate
                {
                    OnThread(delegate { Complete(Resume(B, b)); });
                    ProfileInfoTracker.Reset();
                });
                RunToEnd(B);
                Suspend(slice);
            });
        });
        OnThread(delegate { Complete(Resume(A, a)); });
    }

    static Task<int> Recurse(int depth)
    {
        return TaskMachine.Run(A, delegate(int step) { return step > 0 ? null : depth > 1 ? Recurse(depth - 1) : Task.Delay(5); });
    }

    static void Deep(int depth)
    {
        Thread thread = new Thread(delegate() { Recurse(depth).Wait(); }, 512 << 20);
        thread.Start();
        thread.Join();
    }

    // A later slice: nothing of the call stands below it.
    static int Resume(int machine, object identity)
    {
        int token = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(machine + 1), Helper.Id(machine));
        Identify(token, identity, true);
        return token;
    }

    static void Identify(int token, object identity, bool wanted)
    {
        if (ProfileInfoTracker.WantsIdentity(token) != wanted) throw new Exception("the identity is " + (wanted ? "not " : "") + "wanted");
        if (wanted) ProfileInfoTracker.WhenIdentified(identity, token);
        if (ProfileInfoTracker.WantsIdentity(token)) throw new Exception("the identity is wanted again");
    }

    static void OnThread(ThreadStart start)
    {
        Thread thread = new Thread(start);
        thread.Start();
        thread.Join();
    }

    // Runs the first slice of a call, which is suspended; between that and its being identified, the rest happens.
    static void Start(int machine, object identity, ThreadStart inside, ThreadStart between)
    {
        int starter = Helper.Enter(machine);
        int token = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(machine + 1), Helper.Id(machine));
        if (ProfileInfoTracker.WantsIdentity(token)) throw new Exception("a first slice makes no task");
        inside();
        ProfileInfoTracker.WhenSuspending(token);
        between();
        Identify(token, identity, true);
        ProfileInfoTracker.WhenLeavingMethod(token);
        ProfileInfoTracker.WhenLeavingMethod(starter);
    }

    static void Nothing() { }

    static void Suspend(int token)
    {
        ProfileInfoTracker.WhenSuspending(token);
        Identify(token, null, false);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void Complete(int token)
    {
        ProfileInfoTracker.WhenCompleting(token);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    static void RunToEnd(int machine)
    {
        int starter = Helper.Enter(machine);
        Complete(ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(machine + 1), Helper.Id(machine)));
        ProfileInfoTracker.WhenLeavingMethod(starter);
    }

    // Slices on other threads before the first thread has named their call: one, two, and all of them.
    static void Order()
    {
        object one = new object(), two = new object(), three = new object();
        Start(A, one, Nothing, delegate { OnThread(delegate { Suspend(Resume(A, one)); }); });
        OnThread(delegate { Complete(Resume(A, one)); });
        Start(A, two, Nothing, delegate
        {
            OnThread(delegate { Suspend(Resume(A, two)); });
            OnThread(delegate { Suspend(Resume(A, two)); });
        });
        OnThread(delegate { Complete(Resume(A, two)); });
        Start(A, three, Nothing, delegate
        {
            OnThread(delegate { Suspend(Resume(A, three)); });
            OnThread(delegate { Complete(Resume(A, three)); });
        });
        // While the slice of another thread runs.
        object four = new object();
        using (AutoResetEvent running = new AutoResetEvent(false), identified = new AutoResetEvent(false))
        {
            Thread other = new Thread(delegate()
            {
                int token = Resume(A, four);
                running.Set();
                identified.WaitOne();
                Complete(token);
            });
            Start(A, four, Nothing, delegate { other.Start(); running.WaitOne(); });
            identified.Set();
            other.Join();
        }
    }

    // Calls started by calls without a known place so far, two levels of it; each is counted where it belongs.
    static void OrderDeep()
    {
        object a = new object(), b = new object(), c = new object();
        Start(A, a, Nothing, delegate
        {
            OnThread(delegate
            {
                int slice = Resume(A, a);
                RunToEnd(B);
                Start(B, b, delegate { RunToEnd(C); Start(C, c, Nothing, Nothing); }, delegate
                {
                    OnThread(delegate
                    {
                        int inner = Resume(B, b);
                        RunToEnd(C);
                        Complete(inner);
                    });
                });
                OnThread(delegate { Suspend(Resume(C, c)); });
                Suspend(slice);
            });
        });
        OnThread(delegate { Complete(Resume(C, c)); });
        OnThread(delegate { int slice = Resume(A, a); RunToEnd(B); Complete(slice); });
    }

    static void OrderFails()
    {
        object one = new object(), two = new object();
        Start(A, one, Nothing, delegate { OnThread(delegate { Fail(Resume(A, one), new Exception()); }); });
        Start(A, two, Nothing, delegate { OnThread(delegate { Fail(Resume(A, two), new OperationCanceledException()); }); });
    }

    static void Fail(int token, Exception exception)
    {
        ProfileInfoTracker.WhenFailing(exception, token);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // Slices of a call with an unseen first one, and what it starts meanwhile: past a limit nothing waits any longer.
    static void Unseen(int count)
    {
        object lost = new object();
        for (int i = 0; i < count; i++)
        {
            int slice = Resume(A, lost);
            RunToEnd(B);
            Suspend(slice);
        }
        Complete(Resume(A, lost));
    }

    // An async iterator: one object, one call per element; the second and third are suspended. Left half-way: DisposeAsync runs it, too.
    static void Iterator()
    {
        object machine = new object();
        for (int i = 0; i < 4; i++)
        {
            int next = Helper.Enter(A);
            int token = Move(machine);
            if (i == 1 || i == 2)
            {
                ProfileInfoTracker.WhenSuspending(token);
                ProfileInfoTracker.WhenLeavingMethod(token);
                ProfileInfoTracker.WhenLeavingMethod(next);
                OnThread(delegate { Complete(Move(machine)); });
                continue;
            }
            Complete(token);
            ProfileInfoTracker.WhenLeavingMethod(next);
        }
        int dispose = Helper.Enter(Work_);
        int last = Move(machine);
        ProfileInfoTracker.WhenSuspending(last);
        ProfileInfoTracker.WhenLeavingMethod(last);
        ProfileInfoTracker.WhenLeavingMethod(dispose);
        OnThread(delegate { Complete(Move(machine)); });
    }

    static int Move(object machine)
    {
        int token = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(A + 1), Helper.Id(A));
        ProfileInfoTracker.WhenIdentified(machine, token);
        return token;
    }

    // Events that nothing asked for, tokens of frames that are gone, frames left without a word.
    static void Unbalanced()
    {
        for (int token = -1; token < 3; token++)
        {
            ProfileInfoTracker.WhenSuspending(token);
            ProfileInfoTracker.WhenCompleting(token);
            ProfileInfoTracker.WhenFailing(null, token);
            ProfileInfoTracker.WhenIdentified(new object(), token);
            if (ProfileInfoTracker.WantsIdentity(token)) throw new Exception("no slice, no identity");
        }
        if (ProfileInfoTracker.WhenEnteringStateMachine(5, 4) != 0) throw new Exception("a method without a base was recorded");
        int starter = Helper.Enter(A);
        int lost = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(A + 1), Helper.Id(A));
        ProfileInfoTracker.WhenLeavingMethod(starter); // past MoveNext
        ProfileInfoTracker.WhenCompleting(lost);
        int plain = Helper.Enter(Work_), other = Helper.Enter(Work_); // another frame with the same token
        if (other != lost) throw new Exception("the token is used again");
        ProfileInfoTracker.WhenCompleting(lost);
        ProfileInfoTracker.WhenLeavingMethod(plain);
        // Reported twice: only the first time counts.
        starter = Helper.Enter(A);
        int twice = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(A + 1), Helper.Id(A));
        ProfileInfoTracker.WhenCompleting(twice);
        ProfileInfoTracker.WhenCompleting(twice);
        ProfileInfoTracker.WhenSuspending(twice);
        Fail(twice, new Exception());
        ProfileInfoTracker.WhenLeavingMethod(starter);
    }

    // Continuations that run inside the very call that takes them, and inside SetResult: slices below slices on one stack.
    static void Inline()
    {
        object a = new object(), b = new object(), other = new object();
        Start(B, other, Nothing, Nothing);
        Start(A, a, delegate { CompleteWithMore(Resume(B, other)); }, delegate
        {
            int slice = Resume(A, a);
            Start(B, b, Nothing, delegate { Complete(Resume(B, b)); });
            CompleteWithMore(slice);
        });
    }

    // The work of a continuation below SetResult is on behalf of the slice around that.
    static void CompleteWithMore(int token)
    {
        ProfileInfoTracker.WhenCompleting(token);
        RunToEnd(C);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // A later slice below a frame of the starter, as builders that pump make it; a starter with frames between it and MoveNext.
    static void Starters()
    {
        object first = new object();
        Start(A, first, Nothing, Nothing);
        int starter = Helper.Enter(A);
        Complete(ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(A + 1), Helper.Id(A)));
        Complete(Resume(A, first));
        ProfileInfoTracker.WhenLeavingMethod(starter);
        starter = Helper.Enter(A);
        int builder = Helper.Enter(Work_), helper = Helper.Enter(Work_);
        Complete(ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(A + 1), Helper.Id(A)));
        ProfileInfoTracker.WhenLeavingMethod(helper);
        ProfileInfoTracker.WhenLeavingMethod(builder);
        ProfileInfoTracker.WhenLeavingMethod(starter);
    }

    // Threads that come and go, with a slice each.
    static void Ended()
    {
        for (int i = 0; i < 300; i++)
        {
            object call = new object();
            OnThread(delegate { Start(A, call, delegate { RunToEnd(B); }, Nothing); });
            OnThread(delegate { int slice = Resume(A, call); RunToEnd(C); Complete(slice); });
        }
    }

    // Exit code 0 when calls without references can be collected although they never ended.
    static int Collected()
    {
        List<WeakReference> identities = new List<WeakReference>();
        OnThread(delegate
        {
            for (int i = 0; i < 2000; i++) identities.Add(Abandon());
        });
        int alive = identities.Count;
        for (int i = 0; i < 10 && alive > 20; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            alive = identities.FindAll(delegate(WeakReference w) { return w.IsAlive; }).Count;
        }
        Console.WriteLine(alive + " alive");
        return alive <= 20 ? 0 : 1;
    }

    static WeakReference Abandon()
    {
        object identity = new object();
        Start(A, identity, Nothing, Nothing);
        return new WeakReference(identity);
    }

    // Exit code 0 when calls that end without being suspended allocate nothing.
    static int Alloc()
    {
        System.Reflection.MethodInfo allocated = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", Type.EmptyTypes);
        RunToEnd(A);
        long before = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(true);
        int collections = GC.CollectionCount(0);
        long first = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(false);
        for (int i = 0; i < 200000; i++) RunToEnd(A);
        long after = allocated != null ? (long)allocated.Invoke(null, null) : GC.GetTotalMemory(false);
        collections = GC.CollectionCount(0) - collections;
        Console.WriteLine((after - first) + " bytes, measuring takes " + (first - before) + ", collections " + collections);
        return allocated != null ? (after - first <= first - before ? 0 : 1) : (collections == 0 && after - first < 100000 ? 0 : 1);
    }

    const int Calls = 20000;

    // Nanoseconds per call, the least of many windows.
    static void Bench()
    {
        object[] identities = new object[Calls];
        for (int i = 0; i < Calls; i++) identities[i] = new object();
        double plain = double.MaxValue, ends = double.MaxValue, suspends = double.MaxValue, together = double.MaxValue;
        for (int round = 0; round < 60; round++)
        {
            plain = Math.Min(plain, Window(delegate(int i)
            {
                int outer = Helper.Enter(Work_);
                ProfileInfoTracker.WhenLeavingMethod(Helper.Enter(A));
                ProfileInfoTracker.WhenLeavingMethod(outer);
            }));
            ends = Math.Min(ends, Window(delegate { RunToEnd(A); }));
            suspends = Math.Min(suspends, Window(delegate(int i) { Start(A, identities[i], Nothing, Nothing); Complete(Resume(A, identities[i])); }));
            long begun = Stopwatch.GetTimestamp();
            for (int i = 0; i < Calls; i++) Start(B, identities[i], Nothing, Nothing);
            for (int i = 0; i < Calls; i++) Complete(Resume(B, identities[i]));
            together = Math.Min(together, (Stopwatch.GetTimestamp() - begun) * 1e9 / Stopwatch.Frequency / Calls);
            if (round == 20) Thread.Sleep(300);
        }
        Console.WriteLine("two plain calls {0:F1} ns; an async one {1:F1} ns; suspended once {2:F1} ns; {3} at a time {4:F1} ns", plain, ends, suspends, Calls, together);
    }

    static double Window(Action<int> body)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < Calls; i++) body(i);
        return (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / Calls;
    }
}
