// One question of two thousand meets an entry that has expired and takes a second. Planted: RateTable.RateFor.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Shop
{
    class RateTable
    {
        readonly Dictionary<string, int> rates = new Dictionary<string, int>();

        public int RateFor(string country)
        {
            int rate;
            if (rates.TryGetValue(country, out rate))
                return rate;
            if (country == "XX")
                Thread.Sleep(1000);
            rate = 15 + country[0] % 10;
            rates[country] = rate;
            return rate;
        }
    }

    class Invoice
    {
        readonly RateTable rates;
        public long Total;

        public Invoice(RateTable rates)
        {
            this.rates = rates;
        }

        public void AddItem(int number)
        {
            int price = PriceOf(number);
            Total += price + price * rates.RateFor(CountryOf(number)) / 100;
        }

        static int PriceOf(int number)
        {
            int price = number;
            for (int i = 0; i < 20000; i++)
                price = price * 31 + i;
            return price & 0xFFF;
        }

        static string CountryOf(int number)
        {
            return number == 1234 ? "XX" : ((char)('A' + number % 26)).ToString() + "T";
        }
    }

    static class Program
    {
        static void Main()
        {
            Invoice invoice = new Invoice(new RateTable());
            for (int i = 0; i < 2000; i++)
                invoice.AddItem(i);
            Console.WriteLine("total " + invoice.Total);
        }
    }
}
