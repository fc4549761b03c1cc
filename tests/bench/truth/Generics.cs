// Generic collections by hand: a hash table, a heap, a sorted list, over structs and over
// references.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace GenericsWork
{
    struct Point : IEquatable<Point>, IComparable<Point>
    {
        public int X, Y;
        public Point(int x, int y) { X = x; Y = y; }
        public bool Equals(Point other) { return X == other.X && Y == other.Y; }
        public override bool Equals(object other) { return other is Point point && Equals(point); }
        public override int GetHashCode() { return X * 31 + Y; }
        public int CompareTo(Point other)
        {
            return X != other.X ? X.CompareTo(other.X) : Y.CompareTo(other.Y);
        }
    }

    sealed class Table<K, V> where K : IEquatable<K>
    {
        struct Entry { public K Key; public V Value; public int Next; }
        int[] heads = new int[1024];
        Entry[] entries = new Entry[1024];
        int count;

        int Slot(K key) { return key.GetHashCode() & heads.Length - 1; }

        public V Get(K key)
        {
            for (int i = heads[Slot(key)]; i > 0; i = entries[i - 1].Next)
                if (entries[i - 1].Key.Equals(key)) return entries[i - 1].Value;
            return default;
        }

        public void Set(K key, V value)
        {
            int slot = Slot(key);
            for (int i = heads[slot]; i > 0; i = entries[i - 1].Next)
                if (entries[i - 1].Key.Equals(key)) { entries[i - 1].Value = value; return; }
            if (count == entries.Length) return;
            entries[count] = new Entry { Key = key, Value = value, Next = heads[slot] };
            heads[slot] = ++count;
        }
    }

    sealed class Heap<T> where T : IComparable<T>
    {
        readonly List<T> all = new List<T>();
        public int Count { get { return all.Count; } }

        public void Push(T item)
        {
            all.Add(item);
            int i = all.Count - 1;
            while (i > 0 && all[i].CompareTo(all[(i - 1) / 2]) < 0)
            {
                (all[i], all[(i - 1) / 2]) = (all[(i - 1) / 2], all[i]);
                i = (i - 1) / 2;
            }
        }

        public T Pop()
        {
            T top = all[0];
            all[0] = all[all.Count - 1];
            all.RemoveAt(all.Count - 1);
            for (int i = 0; ;)
            {
                int child = 2 * i + 1;
                if (child >= all.Count) return top;
                if (child + 1 < all.Count && all[child + 1].CompareTo(all[child]) < 0) child++;
                if (all[i].CompareTo(all[child]) <= 0) return top;
                (all[i], all[child]) = (all[child], all[i]);
                i = child;
            }
        }
    }

    static class Program
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Count(Table<Point, int> table, uint x)
        {
            for (int i = 0; i < 40; i++)
            {
                x = x * 1664525 + 1013904223;
                var point = new Point((int)(x >> 10) % 30, (int)(x >> 20) % 30);
                table.Set(point, table.Get(point) + 1);
            }
            return table.Get(new Point(3, 4));
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Words(Table<string, int> table, string[] words)
        {
            int sum = 0;
            foreach (string word in words)
            {
                table.Set(word, table.Get(word) + 1);
                sum += table.Get(word);
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Order<T>(Heap<T> heap, T[] items) where T : IComparable<T>
        {
            foreach (T item in items) heap.Push(item);
            int sum = 0;
            while (heap.Count > 0) sum = sum * 31 + heap.Pop().GetHashCode() % 7;
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Insert<T>(T[] items, T[] into, Comparer<T> comparer)
        {
            for (int n = 0; n < items.Length; n++)
            {
                int i = n;
                for (; i > 0 && comparer.Compare(into[i - 1], items[n]) > 0; i--)
                    into[i] = into[i - 1];
                into[i] = items[n];
            }
            return into[items.Length / 2].GetHashCode();
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 27000);
            var points = new Point[64];
            var numbers = new long[64];
            var words = new string[24];
            uint x = 1;
            for (int i = 0; i < points.Length; i++)
            {
                x = x * 1664525 + 1013904223;
                points[i] = new Point((int)(x >> 16) % 50, i);
                numbers[i] = x >> 4;
                words[i % 24] = "word" + (char)(65 + i % 24);
            }
            var table = new Table<Point, int>();
            var counts = new Table<string, int>();
            var into = new long[64];
            long sum = 0;
            for (int i = 0; i < size; i++)
            {
                sum += Count(table, (uint)i) + Words(counts, words) % 97;
                sum += Order(new Heap<Point>(), points) % 5 + Order(new Heap<long>(), numbers) % 3;
                sum += Insert(numbers, into, Comparer<long>.Default) % 11;
            }
            Console.WriteLine(sum > 0 ? "ok" : "no");
        }
    }
}
