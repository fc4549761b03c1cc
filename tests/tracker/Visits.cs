// Methods that are only visited, and their neighbours that are not. Says how often each was called, as it counts itself.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

interface IShape
{
    int Sides { get; }
}

class Square : IShape
{
    private int side, set;
    private int[] parts = { 1, 2, 3 };
    internal Square() { }
    internal Square(int side) : base() { this.side = side; }
    public int Sides { get { return 4; } }
    internal int Side { get { return side; } set { side = value; } }
    internal bool IsSet { get { return set != 0; } }
    internal void Nothing() { }
    internal Square Self() { return this; }
    internal int Part(int i) { return parts[i]; }
    internal int Of(Square other) { return other.side; }
    internal int Twice() { return Side + Side; }
    internal int Divided(int by) { return side / by; }
    internal int Loop(int n) { while (--n > 0) { } return n; }
}

struct Pair
{
    internal int A, B;
    internal Pair(int a, int b) { A = a; B = b; }
    internal int Sum { get { return A + B; } }
}

static class Visits
{
    static readonly object made = new object();
    static object Made() { return made; }
    static T Same<T>(T value) { return value; }

    // Each call below is one of these many, by its own hand.
    static int Round(int n)
    {
        Square square = new Square(3), other = new Square();
        IShape shape = square;
        int sum = 0;
        for (int i = 0; i < n; i++)
        {
            square.Side = i;
            sum += square.Side + shape.Sides + (square.IsSet ? 1 : 0) + square.Self().Part(i % 3) + square.Of(other) + square.Twice() +
                   square.Divided(2) + square.Loop(3) + Same(i) + new Pair(i, 1).Sum + (Made() == null ? 1 : 0);
            square.Nothing();
        }
        return sum;
    }

    // So deep that the calls of each level are folded where few nodes may be made.
    static int Down(int depth, int n)
    {
        return depth == 0 ? Round(n) : Down(depth - 1, n) + Other(depth, n);
    }

    static int Other(int depth, int n)
    {
        return depth % 2 == 0 ? Round(n) : Same(depth);
    }

    static int Main(string[] args)
    {
        int threads = int.Parse(args[0]), depth = int.Parse(args[1]), n = int.Parse(args[2]), sum = 0;
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            all[i] = new Thread(delegate() { Interlocked.Add(ref sum, Down(depth, n)); });
            all[i].Start();
        }
        foreach (Thread thread in all)
            thread.Join();
        Console.WriteLine(sum);
        return 0;
    }
}
