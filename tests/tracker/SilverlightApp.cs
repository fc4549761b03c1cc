// Works with NLog and Newtonsoft.Json as built for Silverlight, and prints what comes of it. suite-silverlight.py counts its calls by hand.
using System;
using System.Collections.Generic;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using NLog;
using NLog.Config;
using NLog.Targets;

public class Order
{
    public int Number { get; set; }
    public string Customer { get; set; }
    public double[] Prices { get; set; }
}

public class Lines : Target
{
    public List<string> All = new List<string>();
    protected override void Write(LogEventInfo line) { All.Add(line.Level + "|" + line.LoggerName + "|" + line.FormattedMessage); }
}

static class App
{
    static int Main()
    {
        Lines lines = new Lines();
        LoggingConfiguration configuration = new LoggingConfiguration();
        configuration.AddTarget("lines", lines);
        configuration.LoggingRules.Add(new LoggingRule("*", LogLevel.Info, lines));
        LogManager.Configuration = configuration;
        Logger log = LogManager.GetLogger("shop");
        for (int i = 0; i < 50; i++) log.Info("order " + i);
        for (int i = 0; i < 30; i++) log.Debug("not written");
        for (int i = 0; i < 7; i++) log.Warn("late " + i);
        Console.WriteLine(lines.All.Count + " " + lines.All[0] + " " + lines.All[56]);
        for (int i = 0; i < 20; i++) Console.WriteLine(AndBack(i));
        Console.WriteLine(JArray.Parse("[1,2,{\"x\":[true,null]}]").ToString(Formatting.None));
        return 3;
    }

    static string AndBack(int number)
    {
        Order order = new Order();
        order.Number = number;
        order.Customer = "c" + number;
        order.Prices = new double[] { 1.5, number };
        string text = JsonConvert.SerializeObject(order);
        Order back = JsonConvert.DeserializeObject<Order>(text);
        return text + " " + back.Number + " " + back.Customer + " " + back.Prices[1];
    }
}
