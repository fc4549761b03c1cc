// Requests wait for a task on the pool's threads, which the task needs to end. Planted: PriceClient.GetPrice.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Shop
{
    class PriceClient
    {
        public int GetPrice(int product)
        {
            return GetPriceAsync(product).Result;
        }

        public async Task<int> GetPriceAsync(int product)
        {
            string text = await AskAsync("/prices/" + product);
            return ParsePrice(text);
        }

        // Stands for another service.
        static async Task<string> AskAsync(string path)
        {
            await Task.Delay(20);
            return "{\"path\":\"" + path + "\",\"price\":" + path.Length * 100 + "}";
        }

        static int ParsePrice(string text)
        {
            int at = text.IndexOf("price\":", StringComparison.Ordinal) + 7;
            return int.Parse(text.Substring(at, text.Length - at - 1));
        }
    }

    class Cart
    {
        readonly PriceClient client;

        public Cart(PriceClient client)
        {
            this.client = client;
        }

        public int Checkout(int customer)
        {
            int total = 0;
            for (int product = 0; product < 12; product++)
                total += AddTax(client.GetPrice(customer * 10 + product));
            return total + Shipping(total);
        }

        static int AddTax(int price)
        {
            return price * 119 / 100;
        }

        static int Shipping(int total)
        {
            return total > 5000 ? 0 : 490;
        }
    }

    static class Program
    {
        static int total;

        static void Main()
        {
            Cart cart = new Cart(new PriceClient());
            List<Task> requests = new List<Task>();
            for (int i = 0; i < 8; i++)
            {
                int customer = i;
                requests.Add(Task.Run(() => { Interlocked.Add(ref total, cart.Checkout(customer)); }));
            }
            Task.WaitAll(requests.ToArray());
            Console.WriteLine(total + " in all");
        }
    }
}
