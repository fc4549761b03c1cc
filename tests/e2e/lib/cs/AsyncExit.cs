// The program ends inside the last of six async calls: each has set its result, and what awaited it runs on top of it.
using System;
using System.Threading.Tasks;

class AsyncExit
{
    static readonly TaskCompletionSource<int> start = new TaskCompletionSource<int>();

    static async Task<int> First() { return await start.Task; }
    static async Task<int> Second() { return await First(); }
    static async Task<int> Third() { return await Second(); }
    static async Task<int> Fourth() { return await Third(); }
    static async Task<int> Fifth() { return await Fourth(); }
    static async Task<int> Sixth() { return await Fifth(); }
    static void End(Task<int> task) { Environment.Exit(task.Result); }

    static void Main()
    {
        Sixth().ContinueWith(End, TaskContinuationOptions.ExecuteSynchronously);
        start.SetResult(1);
    }
}
