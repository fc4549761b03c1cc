var app = WebApplication.CreateBuilder(args).Build();
var orders = new Web.Orders();
app.MapGet("/orders/{id}", (int id) => orders.Show(id));
app.Run();

namespace Web
{
    public sealed class Orders
    {
        public async Task<string> Show(int id)
        {
            string customer = await Customer(id);
            decimal sum = 0;
            foreach (int line in await Lines(id))
                sum += await Price(line);
            return customer + ": " + sum;
        }

        static async Task<string> Customer(int id)
        {
            await Task.Delay(2); // a query
            return "customer " + id % 10;
        }

        static async Task<List<int>> Lines(int id)
        {
            await Task.Delay(2); // a query
            return Enumerable.Range(1, id == 7 ? 40 : 2).ToList();
        }

        static async Task<decimal> Price(int line)
        {
            await Task.Delay(5); // a query for each line
            return line * 1.5m;
        }
    }
}
