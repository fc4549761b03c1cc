// Objects of type parameters: `new T()` makes one where T is a class, eleven times here.
using System;

class Plain { }
class Filled { internal object Held = new object(); }
struct Point { internal int X; internal Point(int x) { X = x; } }
class Cell<T> where T : new() { internal readonly T Value = new T(); }

static class Created
{
    static T Make<T>() where T : new() { return new T(); }
    static T Kept<T>() where T : class, new() { T made = new T(); if (made == null) throw new Exception(); return made; }
    static T Chosen<T>(bool makes) where T : new() { return makes ? new T() : default(T); }
    static int Many<T>(int n) where T : new() { int made = 0; for (int i = 0; i < n; i++) { try { new T(); } finally { made++; } } return made; }
    static object ByName<T>() { return Activator.CreateInstance(typeof(T)); }

    static void Main()
    {
        object a = Make<Plain>(), b = Make<Filled>(), c = Kept<Plain>(), d = Chosen<Plain>(true), e = Chosen<Plain>(false);
        Point p = Make<Point>(), q = Chosen<Point>(true);
        int number = Make<int>(), n = Many<Plain>(5) + Many<Point>(5);
        int? none = Make<int?>();
        var cells = new object[] { new Cell<Plain>(), new Cell<Filled>(), new Cell<Point>(), new Cell<int>() };
        Console.WriteLine(a + " " + b + " " + c + " " + d + " " + (e == null) + (p.X + q.X + number + n) + none + cells.Length + (ByName<Plain>() != null));
    }
}
