// Methods with allocations that are known to the byte, each called once before anything is measured and once in Measured.
// "measure" has the program read the runtime's count around each of them by itself, and say "NAME BYTES"; without a
// word it does nothing but call them. "idle" calls methods that allocate nothing, "grow" is a second build of the
// program, where one method allocates 3.1 % more.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

class Empty
{
}

class Small
{
    internal byte A = 1;
}

class Fields
{
    internal int A = 1;
    internal long B = 2;
}

class References
{
    internal object A = null, B = null, C = null, D = null, E = null;
}

struct Pair
{
    internal long A;
    internal int B;
}

// An await that does nothing but keep what comes after it.
class Gate : INotifyCompletion
{
    internal static Action Pending;
    internal static readonly Gate Only = new Gate();

    public Gate GetAwaiter() { return this; }
    public bool IsCompleted { get { return false; } }
    public void GetResult() { }
    public void OnCompleted(Action continuation) { Pending = continuation; }
}

static class Allocs
{
    static object sink;
    static int number = 7;
    static int grown;
    static string left = "apple", right = "orchard";
    static readonly List<object> kept = new List<object>(64);

    static void Nothing() { number++; }
    static void PlainObject() { sink = new object(); }
    static void EmptyClass() { sink = new Empty(); }
    static void OneByte() { sink = new Small(); }
    static void TwoFields() { sink = new Fields(); }
    static void FiveReferences() { sink = new References(); }
    static void NoBytes() { sink = new byte[0]; }
    static void OneByteArray() { sink = new byte[1]; }
    static void HundredBytes() { sink = new byte[100]; }
    static void TenInts() { sink = new int[10]; }
    static void ThreeObjects() { sink = new object[3]; }
    static void FivePairs() { sink = new Pair[5]; }
    static void Matrix() { sink = new int[2, 3]; }
    static void Text() { sink = new string('x', 11); }
    static void Joined() { sink = string.Concat(left, right); }
    static void BoxedInt() { sink = number; }
    static void BoxedPair() { sink = new Pair(); }
    static void Closure()
    {
        int x = number;
        Func<int> f = delegate { return x; };
        sink = f;
    }
    static void Params() { Take(number, left); }
    static void Take(params object[] values) { sink = values; }
    static void Generic() { Make<long>(); }
    static void Make<T>() { sink = new T[4]; }
    static void InFinally()
    {
        try
        {
            number++;
        }
        finally
        {
            sink = new byte[8];
        }
    }
    static void Growing()
    {
        List<int> list = new List<int>();
        for (int i = 0; i < 5; i++)
            list.Add(i);
        sink = list;
    }
    static void Loop()
    {
        for (int i = 0; i < 1000; i++)
            TwoFields();
    }
    static void Deep() { Down(10); }
    static void Down(int depth)
    {
        sink = new byte[8];
        if (depth > 1)
            Down(depth - 1);
    }
    static void Large() { sink = new byte[100000]; }
    static IEnumerable<int> Numbers()
    {
        yield return number;
        yield return 2;
    }
    static void Iterates()
    {
        int sum = 0;
        IEnumerator<int> numbers = Numbers().GetEnumerator();
        while (numbers.MoveNext())
            sum += numbers.Current;
        sink = numbers;
    }
    static void Throws() { throw new InvalidOperationException("none left"); }
    static void ThrowsDeep(int depth)
    {
        if (depth == 0)
            Throws();
        ThrowsDeep(depth - 1);
    }
    static void Catches()
    {
        try
        {
            ThrowsDeep(4);
        }
        catch (InvalidOperationException e)
        {
            sink = e;
        }
    }
    static void OnThread()
    {
        sink = new byte[100];
        PlainObject();
    }
    static void ThreeThreads()
    {
        for (int i = 0; i < 3; i++)
        {
            Thread thread = new Thread(OnThread);
            thread.Start();
            thread.Join();
        }
    }
    static async Task Slices()
    {
        sink = new byte[100];
        await Gate.Only;
        sink = new byte[200];
        await Gate.Only;
        sink = new byte[300];
    }
    static async Task BareSlices()
    {
        number++;
        await Gate.Only;
        number++;
        await Gate.Only;
        number++;
    }
    static async Task Outer()
    {
        kept.Add(null);
        await Slices();
        sink = new byte[400];
    }
    static async Task Fails()
    {
        await Gate.Only;
        Throws();
    }
    static void Pump()
    {
        for (Action next = Gate.Pending; next != null; next = Gate.Pending)
        {
            Gate.Pending = null;
            next();
        }
    }
    static void RunSlices()
    {
        sink = Slices();
        Pump();
    }
    static void RunBareSlices()
    {
        sink = BareSlices();
        Pump();
    }
    static void RunOuter()
    {
        sink = Outer();
        Pump();
    }
    static void RunFails()
    {
        sink = Fails();
        Pump();
    }
    static void Grows() { sink = new byte[1000 + grown]; }

    static readonly string[] names = { "Nothing", "PlainObject", "EmptyClass", "OneByte", "TwoFields", "FiveReferences", "NoBytes", "OneByteArray", "HundredBytes",
        "TenInts", "ThreeObjects", "FivePairs", "Matrix", "Text", "Joined", "BoxedInt", "BoxedPair", "Closure", "Params", "Generic", "InFinally", "Growing", "Loop",
        "Deep", "Large", "Iterates", "Catches", "ThreeThreads", "RunSlices", "RunBareSlices", "RunOuter", "RunFails", "Grows" };
    static readonly Action[] all = { Nothing, PlainObject, EmptyClass, OneByte, TwoFields, FiveReferences, NoBytes, OneByteArray, HundredBytes,
        TenInts, ThreeObjects, FivePairs, Matrix, Text, Joined, BoxedInt, BoxedPair, Closure, Params, Generic, InFinally, Growing, Loop,
        Deep, Large, Iterates, Catches, ThreeThreads, RunSlices, RunBareSlices, RunOuter, RunFails, Grows };

    static void Measured()
    {
        foreach (Action one in all)
            one();
    }

    // CoreCLR keeps the results of casts in a table. A cast that finds no room doubles it, on its thread, the program's or the
    // tracker's: 6,192 bytes for 256 results (.NET 10). Here it gets all the room that it can have, for 4,096.
    static void FillCasts()
    {
        Type[] types = typeof(object).Assembly.GetTypes();
        for (int from = 0; from < 100; from++)
            for (int to = 100; to < 200; to++)
                types[from].IsAssignableFrom(types[to]);
    }

    internal static int Run(string what)
    {
        if (Type.GetType("Mono.Runtime") == null)
            FillCasts();
        if (what == "grow")
            grown = 32;
        foreach (Action one in all)
            one();
        if (what != "measure")
        {
            Measured();
            return 0;
        }
        long[] bytes = new long[all.Length];
        for (int i = 0; i < all.Length; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            all[i]();
            bytes[i] = GC.GetAllocatedBytesForCurrentThread() - before;
        }
        for (int i = 0; i < all.Length; i++)
            Console.WriteLine(names[i] + " " + bytes[i]);
        return 0;
    }
}

// Apart from fields that a type initializer makes something for.
static class Program
{
    static int Idle(int depth)
    {
        int sum = 0;
        for (int i = 0; i < 200; i++)
            sum += Add(i, depth);
        return depth == 0 ? sum : sum + Idle(depth - 1);
    }

    static int Add(int a, int b) { return a + b; }

    static int Main(string[] args)
    {
        if (args.Length == 0)
            return Allocs.Run("");
        return args[0] == "idle" ? Idle(60) & 0 : Allocs.Run(args[0]);
    }
}
