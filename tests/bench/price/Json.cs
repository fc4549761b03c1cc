// Round trips of a small object through Newtonsoft.Json: 20,000 of 100 percent.
using System;
using System.Collections.Generic;
using Newtonsoft.Json;

namespace JsonWork
{
    public class Line
    {
        public string Article { get; set; }
        public int Count { get; set; }
        public double Price { get; set; }
    }

    public class Order
    {
        public int Id { get; set; }
        public string Customer { get; set; }
        public DateTime Day { get; set; }
        public List<Line> Lines { get; set; }
        public Dictionary<string, string> Notes { get; set; }
    }

    static class Program
    {
        static Order Make(int id)
        {
            Order order = new Order
            {
                Id = id, Customer = "customer " + id % 100, Lines = new List<Line>(),
                Day = new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddDays(id % 1000),
                Notes = new Dictionary<string, string> { { "way", "post" }, { "door", "left" } },
            };
            for (int i = 0; i < 5; i++)
                order.Lines.Add(new Line
                {
                    Article = "article \"" + i + "\"", Count = i + id % 7, Price = i * 1.25,
                });
            return order;
        }

        static void Main(string[] args)
        {
            int rounds = (args.Length > 0 ? int.Parse(args[0]) : 100) * 200;
            long sum = 0;
            for (int i = 0; i < rounds; i++)
            {
                string text = JsonConvert.SerializeObject(Make(i));
                Order back = JsonConvert.DeserializeObject<Order>(text);
                sum += text.Length + back.Lines[4].Count + back.Day.Day + back.Notes.Count;
            }
            Console.WriteLine(sum);
        }
    }
}
