// Pipelines of LINQ over orders: filters, groups, joins, sorting, with lambdas of a few steps.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;

namespace LinqWork
{
    sealed class Order
    {
        public int Id { get; set; }
        public int Customer { get; set; }
        public double Price { get; set; }
        public string City { get; set; }
    }

    static class Program
    {
        static List<Order> Make(int count)
        {
            string[] cities = { "Oslo", "Rome", "Lima", "Kyiv", "Cairo", "Paris", "Quito" };
            var orders = new List<Order>();
            uint x = 12345;
            for (int i = 0; i < count; i++)
            {
                x = x * 1664525 + 1013904223;
                orders.Add(new Order
                {
                    Id = i, Customer = (int)(x >> 20) % 200, Price = (x >> 8) % 10000 / 100.0,
                    City = cities[x % 7],
                });
            }
            return orders;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static double Discount(double price)
        {
            double rest = price;
            for (int i = 0; i < 12; i++)
                rest = rest * 0.97 + Math.Sqrt(rest) * 0.01;
            return rest;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static double Totals(List<Order> orders)
        {
            return orders.Where(o => o.Price > 20).Select(o => Discount(o.Price)).Sum();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Groups(List<Order> orders)
        {
            return orders.GroupBy(o => o.Customer).Where(g => g.Count() > 3)
                .Select(g => g.Max(o => o.Id)).Sum();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Sorted(List<Order> orders)
        {
            return orders.OrderBy(o => o.Price).ThenByDescending(o => o.Id).Take(50)
                .Sum(o => o.Customer);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Joined(List<Order> orders)
        {
            return orders.Join(orders.Take(100), o => o.Customer, p => p.Customer,
                (o, p) => o.Id - p.Id).Sum();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Letters(List<Order> orders)
        {
            return orders.Select(o => o.City.ToUpperInvariant()).Distinct().SelectMany(c => c)
                .Sum(c => c);
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 1100);
            var orders = Make(2000);
            double sum = 0;
            for (int i = 0; i < size; i++)
            {
                sum += Totals(orders) + Groups(orders) + Sorted(orders);
                sum += Joined(orders) + Letters(orders);
            }
            Console.WriteLine($"{sum:F3}");
        }
    }
}
