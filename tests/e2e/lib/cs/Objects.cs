// Methods with objects that can be counted in their source: each is called once.
// tests/e2e/lib/sh/objects.sh has their numbers, by type, and by method with all that is called.
// Nothing here is left to a compiler's choice: all that compile C# make the same objects of it.
using System;
using System.Collections.Generic;
using System.Threading;

class Plain
{
    internal int A = 1;
}

class Holder
{
    internal readonly object Held;

    internal Holder(object held) { Held = held; }
}

// An object before the constructor of the base type is called.
class Derived : Holder
{
    internal Derived() : base(new Plain()) { }
}

class Failing
{
    internal Failing() { throw new InvalidOperationException("none left"); }
}

struct Point
{
    internal int X, Y;

    internal Point(int x, int y)
    {
        X = x;
        Y = y;
    }
}

class Cell<T>
{
    internal readonly T Value;

    internal Cell(T value) { Value = value; }
}

delegate int Change(int x);

static class Objects
{
    static object sink;
    static int number = 7;
    static string word = "pear";
    static Point kept;

    static void Nothing() { number++; }
    static void Plainly() { sink = new Plain(); }
    static void Three()
    {
        sink = new Plain();
        sink = new Plain();
        sink = new Cell<string>(word);
    }
    static void Arrays()
    {
        sink = new Plain[3];
        sink = new Point[2];
        sink = new int[2, 3];
        sink = new Plain[2][];
        sink = new[] { 1, 2, 3, 4, 5 };
    }
    // Values, of types of its own and of others: in locals, fields, arguments, and as a result that is dropped.
    static void Values()
    {
        Point p = new Point(1, 2);
        kept = new Point(3, 4);
        DateTime day = new DateTime(2026, 1, 2);
        TimeSpan span = new TimeSpan(1, 2, 3);
        KeyValuePair<int, string> pair = new KeyValuePair<int, string>(1, word);
        int? maybe = new int?(4);
        number += p.X + day.Day + span.Hours + pair.Key + maybe.Value + Length(new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
        new Version(1, 2);
    }
    static int Length(Guid id) { return id == new Guid() ? 0 : 1; }
    static void Boxes()
    {
        sink = number;
        sink = new Point(1, 2);
        sink = new DateTime(2026, 1, 2);
        sink = DayOfWeek.Monday;
    }
    static void Nullables()
    {
        int? none = null, some = number;
        sink = none;
        sink = some;
    }
    // A box of a type parameter is an object for values alone.
    static void Generics()
    {
        sink = Box(number);
        sink = Box(kept);
        sink = Box(word);
        sink = Box<int?>(null);
        sink = Many<int>();
        sink = Many<string>();
    }
    static object Box<T>(T value) { return value; }
    static object Many<T>() { return new T[4]; }
    // Tests that a compiler makes no object for.
    static void Tests()
    {
        if (IsThere(number) && IsThere(word) && IsPoint(kept) && !IsPoint(number))
            number++;
    }
    static bool IsThere<T>(T value)
    {
        if (value != null)
            return true;
        return false;
    }
    static bool IsPoint<T>(T value)
    {
        if (value is Point)
            return true;
        return false;
    }
    static void Delegates()
    {
        Change twice = new Change(Twice);
        Func<string> text = new Func<string>(word.ToString);
        number += twice(2) + text().Length;
    }
    static int Twice(int x) { return 2 * x; }
    static void Throws() { throw new InvalidOperationException("none left"); }
    static void Catches()
    {
        try
        {
            Throws();
        }
        catch (InvalidOperationException e)
        {
            sink = e;
        }
    }
    static void Filters()
    {
        try
        {
            Throws();
        }
        catch (Exception e) when (new Holder(e).Held != null)
        {
            sink = new Plain();
        }
        finally
        {
            sink = new Plain[1];
        }
    }
    static void Inherits() { sink = new Derived(); }
    static void Fails()
    {
        try
        {
            sink = new Failing();
        }
        catch (InvalidOperationException)
        {
        }
    }
    static void Loop()
    {
        for (int i = 0; i < 1000; i++)
            sink = new Plain();
    }
    static void Deep() { Down(10); }
    static void Down(int depth)
    {
        sink = new Plain[1];
        if (depth > 1)
            Down(depth - 1);
    }
    static IEnumerable<Plain> Plains()
    {
        yield return new Plain();
        yield return new Plain();
    }
    static void Iterates()
    {
        foreach (Plain one in Plains())
            sink = one;
    }
    // The string that is put together is the framework's.
    static void Texts()
    {
        sink = new string('x', 3);
        sink = string.Concat(word, word);
    }
    static void Chooses() { sink = number > 0 ? new Holder(new Plain()) : new Holder(null); }
    static void Nests() { Take(number, new Holder(new Cell<string>(word)), new Plain[1], new Point(1, 2)); }
    static void Take(params object[] values) { sink = values; }
    static void OnThread() { sink = new Plain(); }
    static void Threads()
    {
        for (int i = 0; i < 3; i++)
        {
            Thread thread = new Thread(new ThreadStart(OnThread));
            thread.Start();
            thread.Join();
        }
    }
    static void Idle()
    {
        int sum = 0;
        for (int i = 0; i < 1000; i++)
            sum += Twice(i);
        number = sum > 0 ? 7 : 0;
    }

    internal static void Measured(bool withThreads)
    {
        Nothing();
        Plainly();
        Three();
        Arrays();
        Values();
        Boxes();
        Nullables();
        Generics();
        Tests();
        Delegates();
        Catches();
        Filters();
        Inherits();
        Fails();
        Loop();
        Deep();
        Iterates();
        Texts();
        Chooses();
        Nests();
        Idle();
        if (withThreads)
            Threads();
    }
}

static class Program
{
    // With a word without threads, which a browser's runtime has none of.
    static int Main(string[] args)
    {
        Objects.Measured(args.Length == 0);
        return 0;
    }
}
