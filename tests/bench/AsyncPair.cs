// The cost of a call of each kind: AsyncPair ROUNDS. Says for each kind the ns of a call, of that many short rounds the
// least, which hardly moves when the machine is busy. A call that is suspended goes on on the same thread, at once.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

// Lets its awaiter go on when the caller says so.
struct Later : ICriticalNotifyCompletion
{
    static Action next;
    public Later GetAwaiter() { return this; }
    public bool IsCompleted { get { return false; } }
    public void GetResult() { }
    public void OnCompleted(Action continuation) { next = continuation; }
    public void UnsafeOnCompleted(Action continuation) { next = continuation; }
    public static void GoOn() { next(); }
}

static class AsyncPair
{
    const int Calls = 50;

    [MethodImpl(MethodImplOptions.NoInlining)] static int Plain(int i) { return i + 1; }
    static async Task<int> AtOnce(int i) { if (i < 0) await new Later(); return i + 1; }
    static async Task<int> Once(int i) { await new Later(); return i + 1; }
    static async void Void(int i) { await new Later(); sum += i; }
    static async Task<int> Captured(int i) { await new Later(); return i + 1; }
    static int sum;

    static void Round(int kind)
    {
        for (int i = 0; i < Calls; i++)
            switch (kind)
            {
                case 0: sum += Plain(i); break;
                case 1: sum += AtOnce(i).Result; break;
                case 2: Task<int> once = Once(i); Later.GoOn(); sum += once.Result; break;
                case 3: Void(i); Later.GoOn(); break;
                default: Task<int> captured = Captured(i); Later.GoOn(); sum += captured.Result; break;
            }
    }

    static void Main(string[] args)
    {
        string[] kinds = { "plain", "at_once", "once", "void", "captured" };
        for (int kind = 0; kind < kinds.Length; kind++)
        {
            double least = double.MaxValue;
            for (int round = int.Parse(args[0]); round > 0; round--)
            {
                long start = Stopwatch.GetTimestamp();
                Round(kind);
                least = Math.Min(least, (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / Calls);
            }
            Console.WriteLine("{0} {1:F1}", kinds[kind], least);
        }
    }
}
