// The start of this program runs every method but those with "Never" in their names, by way of all that compilers make of C#: async methods,
// iterators, lambdas, local functions, generic types and methods over classes and structs, closures, initializers, interfaces.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Shop
{
    public struct Money
    {
        public int Cents;
        public Money(int cents) { Cents = cents; }
        public int Twice() { return Cents * 2; }
    }

    public class Repo<T>
    {
        readonly T item;
        public Repo(T item) { this.item = item; }
        public T Get() { return item; }
        public virtual string Kind() { return "repo"; }
        public U As<U>(Func<T, U> how) { return how(item); }
        public void Never() { Console.WriteLine(item); }
        public class Inner { public U Keep<U>(U value, T other) { return value; } }
        public IEnumerable<T> Both() { yield return item; yield return item; }
    }

    public struct Pair<A, B>
    {
        readonly A first;
        readonly B second;
        public Pair(A first, B second) { this.first = first; this.second = second; }
        public A First() { return first; }
        public B Second() { return second; }
    }

    public class Order
    {
        static readonly List<string> all;
        static Order() { all = new List<string>(); }
        public int Id { get; private set; }
        public Order(int id) { Id = id; all.Add("order"); }
        public virtual int Cost() { return Id; }
    }

    public sealed class Special : Order
    {
        public Special(int id) : base(id) { }
        public override int Cost() { return base.Cost() + 1; }
        public static Special operator +(Special one, int more) { return new Special(one.Id + more); }
    }

    interface IShape { int Area(int[,] of, ref long scale); }
    class Square : IShape { int IShape.Area(int[,] of, ref long scale) { return of.Length * (int)scale; } }

    static class Program
    {
        static int Never() { return 3; }
        static int NeverCalled(Repo<int> one) { return new Repo<Guid>(default(Guid)).Get().GetHashCode(); }
        static int Hot(int by) { return by * 3; }
        static async Task<int> LoadAsync(int by) { await Task.Delay(1); return by + Hot(by); }
        static async Task<T> Later<T>(T value) { await Task.Yield(); return value; }
        static IEnumerable<int> Count(int to) { for (int i = 0; i < to; i++) yield return i; }
        static int Sum(IEnumerable<int> of) { int sum = 0; foreach (int one in of) sum += one; return sum; }
        static T Same<T>(T value) { return new Repo<T>(value).Get(); }

        static int Main(string[] args)
        {
            int total = 0;
            for (int i = 0; i < 5; i++)
                total += Hot(i);
#if !OTHER
            total += Gone(2) + GoneAsync(3).Result;
#endif
            total += LoadAsync(2).Result + Later(3).Result + Later("x").Result.Length + Sum(Count(3));
            total += new Repo<int>(3).Get() + new Repo<string>("abc").Get().Length + new Repo<Money>(new Money(4)).Get().Twice();
            total += new Repo<Pair<int, string>>(new Pair<int, string>(2, "x")).Get().First() + new Pair<long, Order>(3, null).Second()?.Id ?? 1;
            total += new Repo<string>("q").As(s => s.Length) + new Repo<int>(4).As(i => new Order(i)).Id + new Repo<Order>(null).Kind().Length;
            total += new Repo<int>.Inner().Keep("in", 1).Length + Sum(new Repo<int>(3).Both()) + (int)Same(2.5);
            int Local(int by) { return by + total; }
            total += Local(3);
            Func<int, int> closure = by => by + total;
            total += closure(2) + new Special(3).Cost() + (new Special(1) + 4).Cost();
            long scale = 2;
            IShape shape = new Square();
            total += shape.Area(new int[2, 3], ref scale);
            if (args.Length > 0)
                total += Only(args);
            Console.WriteLine(total);
            return 0;
        }

        static int Only(string[] args) { return args.Length; }
#if !OTHER
        static int Gone(int by) { return by; }
        static async Task<int> GoneAsync(int by) { await Task.Yield(); return by; }
#endif
    }
}
