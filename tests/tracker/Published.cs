// A program that is published in every way a .NET SDK knows: threads, an exception, an async method, an iterator, generics. With an argument it waits.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

static class Program
{
    static int Main(string[] args)
    {
        for (int i = 0; i < 10; i++) Outer(i);
        Thread thread = new Thread(() => Outer(1));
        thread.Start();
        thread.Join();
        try { Throws(); } catch (InvalidOperationException e) { Console.WriteLine(e.Message); }
        Console.WriteLine(Later(3).Result + " " + new Box<string>("x").Get() + " " + string.Join(",", Numbers().Select(n => n * n)));
        if (args.Length > 0) { Console.WriteLine("ready"); Thread.Sleep(20000); }
        return 7;
    }
    static int Outer(int i) { return Inner(i) + Inner(i + 1); }
    static int Inner(int i) { return i * 2; }
    static void Throws() { throw new InvalidOperationException("thrown on purpose"); }
    static async Task<int> Later(int n) { await Task.Delay(20); return n + Outer(n); }
    static IEnumerable<int> Numbers() { for (int i = 0; i < 3; i++) yield return i; }
    sealed class Box<T> { readonly T value; public Box(T value) { this.value = value; } public T Get() { return value; } }
}
