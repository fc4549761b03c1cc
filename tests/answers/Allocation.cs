// A line of a file grows by one cell at a time, each time as a new text. Planted: CsvExport.AppendCell.
using System;
using System.Collections.Generic;
using System.Text;

namespace Shop
{
    class Sale
    {
        public int Day, Amount;
        public string Shop;
    }

    class SalesStore
    {
        public List<Sale> Load(int count)
        {
            List<Sale> sales = new List<Sale>();
            for (int i = 0; i < count; i++)
                sales.Add(ReadSale(i));
            return sales;
        }

        static Sale ReadSale(int i)
        {
            return new Sale { Day = i % 365, Amount = i * 31 % 1000, Shop = "Shop " + i % 12 };
        }
    }

    class CsvExport
    {
        string text = "";

        public string Write(List<Sale> sales)
        {
            foreach (Sale sale in sales)
                WriteSale(sale);
            return text;
        }

        void WriteSale(Sale sale)
        {
            AppendCell(FormatDay(sale.Day));
            AppendCell(Quote(sale.Shop));
            AppendCell(sale.Amount.ToString());
        }

        void AppendCell(string cell)
        {
            text += cell + ";";
        }

        static string FormatDay(int day)
        {
            StringBuilder made = new StringBuilder(10);
            return made.Append(2026).Append('-').Append(day / 31 + 1).Append('-').Append(day % 31 + 1).ToString();
        }

        static string Quote(string cell)
        {
            return "\"" + cell.Replace("\"", "\"\"") + "\"";
        }
    }

    static class Program
    {
        static void Main()
        {
            string text = new CsvExport().Write(new SalesStore().Load(5000));
            Console.WriteLine(text.Length + " characters");
        }
    }
}
