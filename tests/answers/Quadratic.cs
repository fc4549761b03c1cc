// An import looks through all products for each line that it reads. Planted: Catalog.FindBySku.
using System;
using System.Collections.Generic;

namespace Shop
{
    class Product
    {
        public string Sku, Title;
        public int Stock;
    }

    class Catalog
    {
        readonly List<Product> products = new List<Product>();

        public Product FindBySku(string sku)
        {
            foreach (Product product in products)
                if (product.Sku == sku)
                    return product;
            return null;
        }

        public void Add(Product product)
        {
            products.Add(product);
        }
    }

    class Import
    {
        readonly Catalog catalog = new Catalog();
        public int Added, Changed;

        public void Run(int lines)
        {
            for (int i = 0; i < lines; i++)
                ImportLine(MakeLine(i));
        }

        static string MakeLine(int i)
        {
            return "SKU-" + (i * 7919 % 1000003).ToString("000000") + ";Product " + i + ";" + i % 50;
        }

        void ImportLine(string line)
        {
            string[] cells = SplitCells(line);
            Product known = catalog.FindBySku(cells[0]);
            if (known == null)
                AddProduct(cells);
            else
                ChangeStock(known, cells);
        }

        static string[] SplitCells(string line)
        {
            string[] cells = line.Split(';');
            for (int i = 0; i < cells.Length; i++)
                cells[i] = cells[i].Trim();
            return cells;
        }

        void AddProduct(string[] cells)
        {
            catalog.Add(new Product { Sku = cells[0], Title = cells[1], Stock = ParseStock(cells[2]) });
            Added++;
        }

        void ChangeStock(Product product, string[] cells)
        {
            product.Stock += ParseStock(cells[2]);
            Changed++;
        }

        static int ParseStock(string cell)
        {
            return int.Parse(cell);
        }
    }

    static class Program
    {
        static void Main()
        {
            Import import = new Import();
            import.Run(8000);
            Console.WriteLine(import.Added + " added, " + import.Changed + " changed");
        }
    }
}
