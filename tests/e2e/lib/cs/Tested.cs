// What the suites of five test frameworks call (tests/e2e/lib/py/frameworks.py).
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Shop
{
    public static class Prices
    {
        public static int Of(int item)
        {
            int sum = 0;
            for (int i = 0; i < 100; i++)
                sum += Part(item, i);
            return sum;
        }

        static int Part(int item, int i)
        {
            return (item * 31 + i) % 7;
        }

        public static void Wait(int milliseconds)
        {
            Thread.Sleep(milliseconds);
        }
    }

    public class Store
    {
        readonly Dictionary<int, int> items = new Dictionary<int, int>();

        public static void Open()
        {
            Prices.Of(1);
        }

        public void Close()
        {
            lock (items)
                items.Clear();
        }

        public void Put(int item, int count)
        {
            lock (items)
                items[item] = count;
        }

        public async Task<int> LoadAsync(int item, int milliseconds)
        {
            await Task.Delay(milliseconds);
            int price = Prices.Of(item);
            await Task.Yield();
            return await SaveAsync(price);
        }

        public async Task<int> SaveAsync(int value)
        {
            await Task.Delay(1);
            Put(value, 1);
            return value;
        }

        public void Fail()
        {
            throw new InvalidOperationException("no stock");
        }
    }
}
