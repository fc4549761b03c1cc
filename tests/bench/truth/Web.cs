// A service of ASP.NET Core with two handlers and a middleware, asked over the loopback interface
// by four clients at once, or by as many as the second argument says.
// waits: WebWork.Program::Main
using System;
using System.Linq;
using System.Net.Http;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace WebWork
{
    static class Program
    {
        static uint Step(uint x) { return x * 1664525 + 1013904223; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Search(int id)
        {
            uint x = (uint)id;
            int found = 0;
            for (int i = 0; i < 12000; i++)
            {
                x = Step(x);
                if (x >> 24 == 7) found++;
            }
            return found;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static string Page(int id)
        {
            var text = new StringBuilder();
            for (int i = 0; i < 120; i++)
                text.Append("<li>").Append(id * 31 + i).Append("</li>");
            return text.ToString();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static double Price(int id)
        {
            double price = id;
            for (int i = 1; i < 4000; i++)
                price += Math.Sqrt(price) / i;
            return price;
        }

        static async Task Pass(HttpContext context, Func<Task> next)
        {
            double price = Price(context.Request.Path.Value.Length);
            context.Response.Headers["X-Price"] = price.ToString("F2");
            await next();
        }

        static async Task Orders(HttpContext context)
        {
            int id = int.Parse(context.Request.Path.Value.Split('/').Last());
            string answer = Search(id) + Page(id);
            await context.Response.WriteAsync(answer);
        }

        static async Task<long> Ask(HttpClient client, string address, int first, int count)
        {
            long sum = 0;
            for (int i = 0; i < count; i++)
                sum += (await client.GetStringAsync(address + "/orders/" + (first + i))).Length;
            return sum;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 1200);
            var builder = WebApplication.CreateSlimBuilder();
            builder.Logging.ClearProviders();
            builder.WebHost.UseUrls("http://127.0.0.1:0");
            var app = builder.Build();
            app.Use(Pass);
            app.Run(Orders);
            app.StartAsync().GetAwaiter().GetResult();
            var server = app.Services.GetRequiredService<IServer>();
            string address = server.Features.Get<IServerAddressesFeature>().Addresses.First();
            using var client = new HttpClient();
            var clients = new Task<long>[args.Length > 1 ? int.Parse(args[1]) : 4];
            for (int i = 0; i < clients.Length; i++)
                clients[i] = Ask(client, address, i * 10000, size);
            Task.WaitAll(clients);
            Console.WriteLine(clients.Sum(c => c.Result));
            app.StopAsync().GetAwaiter().GetResult();
        }
    }
}
