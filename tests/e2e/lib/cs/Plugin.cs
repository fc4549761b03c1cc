// A plug-in for PluginHost.cs: calls, an exception, objects of its own, a thread and an async method.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

public class Order
{
    public string Name;
    public List<Order> Parts = new List<Order>();
}

public class Plugin
{
    static int calls;

    public void Run()
    {
        for (int i = 0; i < 3; i++)
            Count(new Order { Name = "n" + i });
        try { Fail(); } catch (InvalidOperationException) { }
        var thread = new Thread(() => Count(new Order()));
        thread.Start();
        thread.Join();
        Later(new Order()).Wait();
    }

    Order Count(Order order)
    {
        order.Parts.Add(new Order());
        calls++;
        return order;
    }

    void Fail() { throw new InvalidOperationException("failed"); }

    async Task<Order> Later(Order order)
    {
        await Task.Delay(1);
        return Count(order);
    }
}
