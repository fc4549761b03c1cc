// Each line without a quantity throws, though such lines are usual. Planted: OrderLine.ParseQuantity.
using System;
using System.Collections.Generic;

namespace Shop
{
    static class OrderLine
    {
        public static int ParseQuantity(string cell)
        {
            if (cell.Length == 0)
                throw new FormatException("no quantity");
            return int.Parse(cell);
        }

        public static decimal ParsePrice(string cell)
        {
            return decimal.Parse(cell, System.Globalization.CultureInfo.InvariantCulture);
        }
    }

    class OrderImport
    {
        readonly Dictionary<string, decimal> totals = new Dictionary<string, decimal>();
        public int Lines, Defaults;

        public void Run(int lines)
        {
            for (int i = 0; i < lines; i++)
                ImportLine(ReadLine(i));
        }

        static string ReadLine(int i)
        {
            return "item " + i % 100 + ";" + (i % 3 == 0 ? (i % 7).ToString() : "") + ";" + i % 90 + ".50";
        }

        void ImportLine(string line)
        {
            string[] cells = line.Split(';');
            Add(cells[0], QuantityOrOne(cells[1]) * OrderLine.ParsePrice(cells[2]));
            Lines++;
        }

        int QuantityOrOne(string cell)
        {
            try
            {
                return OrderLine.ParseQuantity(cell);
            }
            catch (FormatException)
            {
                Defaults++;
                return 1;
            }
        }

        void Add(string item, decimal price)
        {
            decimal total;
            totals.TryGetValue(item, out total);
            totals[item] = total + price;
        }
    }

    static class Program
    {
        static void Main()
        {
            OrderImport import = new OrderImport();
            import.Run(240000);
            Console.WriteLine(import.Lines + " lines, " + import.Defaults + " without a quantity");
        }
    }
}
