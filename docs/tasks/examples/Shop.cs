using System;
using System.Collections.Generic;
using System.Threading;

namespace Shop
{
    public sealed class Item
    {
        readonly long cents;
        public Item(long price) { cents = price; }
        public long Price { get { return cents; } }
    }

    public sealed class Orders
    {
        readonly Dictionary<int, List<Item>> orders = new Dictionary<int, List<Item>>();

        public void Load(int count)
        {
            for (int id = 1; id <= count; id++)
                orders[id] = Parse(id);
        }

        static List<Item> Parse(int id)
        {
            var items = new List<Item>();
            for (int i = 0; i < 400; i++)
                items.Add(new Item(id * 37 % 1000 + i));
            return items;
        }

        public long Total(int id)
        {
            if (!orders.ContainsKey(id))
                throw new ArgumentException("no order " + id);
            long sum = 0;
            foreach (Item item in orders[id])
                sum += item.Price;
            return sum;
        }

        public void Save(int id)
        {
            Thread.Sleep(40); // a disk, or another machine
        }
    }

    static class Program
    {
        static long Sum(Orders orders, int last)
        {
            long sum = 0;
            for (int id = 1; id <= last; id++)
            {
                try { sum += orders.Total(id); }
                catch (ArgumentException) { sum -= 1; }
            }
            return sum;
        }

        static int Main()
        {
            var orders = new Orders();
            orders.Load(250);
            Console.WriteLine(Sum(orders, 253));
            for (int id = 1; id <= 3; id++)
                orders.Save(id);
            return 0;
        }
    }
}
