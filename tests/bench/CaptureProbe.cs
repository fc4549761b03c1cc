// The program of capture.sh: one method with an int, a string and an object, called many times; prints nanoseconds per call, the least of
// many windows. With ASPECT, AspectInjector's advice logs each call: its arguments and its result as text, the last 1,000 kept.
using System;
using System.Diagnostics;
using System.Globalization;
#if ASPECT
using AspectInjector.Broker;

[Aspect(Scope.Global)]
[Injection(typeof(LoggedAttribute))]
[AttributeUsage(AttributeTargets.Method)]
public sealed class LoggedAttribute : Attribute
{
    private static readonly string[] last = new string[1000];
    private static int count;

    private static void Log(string text)
    {
        last[count++ % last.Length] = text;
    }

    [Advice(Kind.Before, Targets = Target.Method)]
    public void Enter([Argument(Source.Name)] string name, [Argument(Source.Arguments)] object[] arguments)
    {
        Log(name + "(" + string.Join(", ", arguments) + ")");
    }

    [Advice(Kind.After, Targets = Target.Method)]
    public void Leave([Argument(Source.Name)] string name, [Argument(Source.ReturnValue)] object result)
    {
        Log(name + " returned " + result);
    }
}
#endif

public sealed class Order
{
    public int Id = 7;
    public string Name = "an order";

    public override string ToString()
    {
        return "Order { Id = " + Id + ", Name = " + Name + " }";
    }
}

public static class CaptureProbe
{
#if ASPECT
    [Logged]
#endif
    public static int Work(int number, string text, Order order)
    {
        return number + text.Length + order.Id;
    }

    public static void Main(string[] arguments)
    {
        int windows = int.Parse(arguments[0]), calls = int.Parse(arguments[1]);
        Order order = new Order();
        double least = double.MaxValue;
        long sum = 0;
        for (int i = 0; i < windows; i++)
        {
            long start = Stopwatch.GetTimestamp();
            for (int k = 0; k < calls; k++)
                sum += Work(k, "some text", order);
            least = Math.Min(least, (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / calls);
        }
        Console.WriteLine(least.ToString("0.0", CultureInfo.InvariantCulture) + (sum == 1 ? "!" : ""));
    }
}
