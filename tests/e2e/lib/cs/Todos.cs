// A small service without a network: requests are handled one after another, by a router, a handler, a store and a writer.
// What is defined is the change of a build: NEW, each list loads its items one by one with a method that is new; SLOWER, the
// writer escapes texts with a string that grows by a letter; OFTEN, the store asks for an owner once an item, and no longer
// once a list.
using System;
using System.Collections.Generic;
using System.Text;

namespace Service
{
    public sealed class Item
    {
        public int Id, Owner;
        public string Title;
    }

    // Rows are found by scanning, as in a table without an index.
    public sealed class Store
    {
        private readonly List<string> rows = new List<string>();
        public Store()
        {
            for (int i = 0; i < 4000; i++)
                rows.Add(i + ";" + i % 7 + ";Buy the milk, the \"bread\" & item " + i);
        }
        private string Scan(string start)
        {
            string found = null;
            foreach (string row in rows)
                if (row.StartsWith(start, StringComparison.Ordinal))
                    found = row;
            return found;
        }
        public List<Item> LoadItems(int count)
        {
            var items = new List<Item>();
            foreach (string row in rows)
            {
                string[] parts = row.Split(';');
                if (items.Count < count && int.Parse(parts[0]) % 3 != 1)
                    items.Add(new Item { Id = int.Parse(parts[0]), Owner = int.Parse(parts[1]), Title = parts[2] });
            }
            return items;
        }
#if NEW
        public Item LoadItem(int id)
        {
            string[] parts = Scan(id + ";").Split(';');
            return new Item { Id = int.Parse(parts[0]), Owner = int.Parse(parts[1]), Title = parts[2] };
        }
#endif
        public string LoadOwner(int id)
        {
            return "owner of " + Scan(id + ";");
        }
    }

    public static class Writer
    {
        public static string Escape(string text)
        {
#if SLOWER
            string escaped = "";
            for (int round = 0; round < 20; round++)
            {
                escaped = "";
                foreach (char c in text)
                    escaped += c == '"' ? "\\\"" : c.ToString();
            }
            return escaped;
#else
            return text.Replace("\"", "\\\"");
#endif
        }
        public static string Write(List<Item> items, List<string> owners)
        {
            var text = new StringBuilder("[");
            for (int i = 0; i < items.Count; i++)
                text.Append("{\"title\": \"").Append(Escape(items[i].Title)).Append("\", \"owner\": \"").Append(Escape(owners[i])).Append("\"}");
            return text.Append("]").ToString();
        }
    }

    public sealed class Todos
    {
        private readonly Store store = new Store();
        public string List()
        {
            List<Item> items = store.LoadItems(200);
            var owners = new List<string>();
#if NEW
            for (int i = 0; i < items.Count; i++)
                items[i] = store.LoadItem(items[i].Id);
#endif
#if OFTEN
            foreach (Item item in items)
                owners.Add(store.LoadOwner(item.Owner));
#else
            string owner = store.LoadOwner(3);
            foreach (Item item in items)
                owners.Add(owner);
#endif
            return Writer.Write(items, owners);
        }
        public string Count()
        {
            return store.LoadItems(4000).Count.ToString();
        }
    }

    public static class Program
    {
        private static readonly Todos todos = new Todos();
        public static string Handle(string path)
        {
            return path == "/todos" ? todos.List() : todos.Count();
        }
        public static int Main()
        {
            int bytes = 0;
            for (int i = 0; i < 30; i++)
                bytes += Handle(i % 5 == 4 ? "/count" : "/todos").Length;
            Console.WriteLine(bytes > 0);
            return 0;
        }
    }
}
