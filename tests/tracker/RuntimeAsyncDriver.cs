// Async methods that the runtime itself suspends (csc's feature runtime-async), "instrumented" by hand. Suspensions
// are reported also when the task is there by then, so that their number is no matter of luck. Usage: runtimeasync
// SCENARIO
using System;
using System.Threading;
using System.Threading.Tasks;
using Instrumenter;

static class Helper
{
    static readonly int Base = ProfileInfoTracker.Register(typeof(Helper).TypeHandle, 5);
    internal static int Id(int id) { return Base + id; }
}

static class RuntimeAsyncDriver
{
    // Ids, in the order of the names resource.
    const int Main_ = 0, A_ = 1, B_ = 2, C_ = 3, Plain_ = 4;

    static int Main(string[] args)
    {
        if (((int)((Func<int, Task<int>>)A).Method.MethodImplementationFlags & 0x2000) == 0) return 3;
        int token = ProfileInfoTracker.WhenEnteringMethod(Helper.Id(Main_));
        switch (args[0])
        {
            case "sync": for (int i = 0; i < 5; i++) A(0).Wait(); break;
            case "suspends": for (int i = 0; i < 3; i++) A(2).Wait(); break;
            case "many": Many(); break;
            case "fails": try { Fails().Wait(); } catch (AggregateException) { } break;
            case "await": try { AwaitFails().Wait(); } catch (AggregateException) { } break;
            case "forgotten": Never(); Plain(); break;
            default: return 2;
        }
        ProfileInfoTracker.WhenLeavingMethod(token);
        return 0;
    }

    // Awaits B n times; B is suspended twice each time, and starts C, which is not, on both sides of its first suspension.
    static async Task<int> A(int n)
    {
        object call = ProfileInfoTracker.WhenEnteringAsync(Helper.Id(A_));
        for (int i = 0; i < n; i++)
        {
            Task<int> task = B();
            ProfileInfoTracker.WhenAwaiting(call);
            await task;
            ProfileInfoTracker.WhenResuming(call);
        }
        ProfileInfoTracker.WhenLeavingAsync(call);
        return n;
    }

    static async Task<int> B()
    {
        object call = ProfileInfoTracker.WhenEnteringAsync(Helper.Id(B_));
        C();
        for (int i = 0; i < 2; i++)
        {
            Task task = Task.Delay(5);
            ProfileInfoTracker.WhenAwaiting(call);
            await task;
            ProfileInfoTracker.WhenResuming(call);
            if (i == 0) C();
            Plain();
        }
        ProfileInfoTracker.WhenLeavingAsync(call);
        return 1;
    }

    static async Task C()
    {
        object call = ProfileInfoTracker.WhenEnteringAsync(Helper.Id(C_));
        await Task.CompletedTask;
        ProfileInfoTracker.WhenResuming(call);
        ProfileInfoTracker.WhenLeavingAsync(call);
    }

    static async Task Fails()
    {
        object call = ProfileInfoTracker.WhenEnteringAsync(Helper.Id(C_));
        try
        {
            Task task = Task.Delay(5);
            ProfileInfoTracker.WhenAwaiting(call);
            await task;
            ProfileInfoTracker.WhenResuming(call);
            throw new InvalidOperationException();
        }
        catch
        {
            ProfileInfoTracker.WhenFailingAsync(call);
            throw;
        }
    }

    // The exception comes out of the await.
    static async Task AwaitFails()
    {
        object call = ProfileInfoTracker.WhenEnteringAsync(Helper.Id(C_));
        try
        {
            Task task = Task.Run((Action)delegate { throw new InvalidOperationException(); });
            ProfileInfoTracker.WhenAwaiting(call);
            await task;
            ProfileInfoTracker.WhenResuming(call);
        }
        catch
        {
            ProfileInfoTracker.WhenFailingAsync(call);
            throw;
        }
    }

    static async Task Never()
    {
        object call = ProfileInfoTracker.WhenEnteringAsync(Helper.Id(C_));
        Task task = new TaskCompletionSource<int>().Task;
        ProfileInfoTracker.WhenAwaiting(call);
        await task;
        ProfileInfoTracker.WhenResuming(call);
        ProfileInfoTracker.WhenLeavingAsync(call);
    }

    static void Plain()
    {
        ProfileInfoTracker.WhenLeavingMethod(ProfileInfoTracker.WhenEnteringMethod(Helper.Id(Plain_)));
    }

    static void Many()
    {
        Task[] tasks = new Task[1000];
        for (int i = 0; i < tasks.Length; i++) tasks[i] = A(1);
        Plain();
        Task.WaitAll(tasks);
    }
}
