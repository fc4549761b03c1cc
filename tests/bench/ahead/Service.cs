// A service of ASP.NET Core with Entity Framework, which prints its address. Its argument: the database's file, made by the first request.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

public class Customer {
    public int Id { get; set; }
    public string Name { get; set; }
    public List<Order> Orders { get; set; } = new();
}
public class Order {
    public int Id { get; set; }
    public int CustomerId { get; set; }
    public decimal Price { get; set; }
}
public record Answer(string Name, int Orders, double Total);
public class Shop : DbContext {
    public Shop(DbContextOptions<Shop> options) : base(options) { }
    public DbSet<Customer> Customers => Set<Customer>();
    public DbSet<Order> Orders => Set<Order>();
}
public static class Program {
    public static void Main(string[] args) {
        var builder = WebApplication.CreateBuilder(args);
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddDbContext<Shop>(o => o.UseSqlite("Data Source=" + args[0]));
        var app = builder.Build();
        app.MapGet("/customers/{id}", async (int id, Shop shop) => {
            await shop.Database.EnsureCreatedAsync();
            if (!await shop.Customers.AnyAsync()) {
                var one = new Customer { Name = "Ada" };
                one.Orders.Add(new Order { Price = 3 });
                one.Orders.Add(new Order { Price = 4 });
                shop.Add(one);
                await shop.SaveChangesAsync();
            }
            var found = await shop.Customers.Include(c => c.Orders).Where(c => c.Id == id).SingleAsync();
            return Results.Json(new Answer(found.Name, found.Orders.Count, found.Orders.Sum(o => (double)o.Price)));
        });
        app.Start();
        var features = app.Services.GetRequiredService<IServer>().Features;
        Console.WriteLine(features.Get<IServerAddressesFeature>().Addresses.First());
        app.WaitForShutdown();
    }
}
