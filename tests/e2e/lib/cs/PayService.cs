// A service of ASP.NET Core: every other payment is declined, three async methods deep, and no code of its own handles that.
using System;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

class Declined : Exception
{
    public Declined(string message) : base(message) { }
}

static class Bank
{
    public static async Task<string> Pay(int id) { return await Order(id); }

    static async Task<string> Order(int id)
    {
        await Task.Yield();
        return await Charge(id);
    }

    static async Task<string> Charge(int id)
    {
        await Task.Yield();
        Check(id);
        return "paid " + id;
    }

    static void Check(int id) { if (id % 2 == 1) throw new Declined("no credit"); }
}

static class Program
{
    static void Main(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.Logging.ClearProviders();
        WebApplication app = builder.Build();
        app.MapGet("/pay/{id}", (int id) => Bank.Pay(id));
        app.Start();
        Console.WriteLine("listens " + string.Join(" ", app.Urls));
        app.WaitForShutdown();
    }
}
