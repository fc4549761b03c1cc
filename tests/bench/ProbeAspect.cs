// The code that AspectInjector weaves into the program of probe.sh: the time of each call by
// Stopwatch on a stack of the thread's, calls and ticks by name in a dictionary of the thread's. No
// lock, no tree.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using AspectInjector.Broker;

[assembly: Timed]

[Aspect(Scope.Global)]
[Injection(typeof(TimedAttribute))]
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class TimedAttribute : Attribute
{
    private sealed class Figures
    {
        public long Calls, Ticks;
    }

    [ThreadStatic]
    private static Stack<long> starts;
    [ThreadStatic]
    private static Dictionary<string, Figures> all;

    [Advice(Kind.Before, Targets = Target.Any)]
    public void Enter()
    {
        if (starts == null)
        {
            starts = new Stack<long>();
            all = new Dictionary<string, Figures>();
        }
        starts.Push(Stopwatch.GetTimestamp());
    }

    [Advice(Kind.After, Targets = Target.Any)]
    public void Leave([Argument(Source.Name)] string name)
    {
        long elapsed = Stopwatch.GetTimestamp() - starts.Pop();
        Figures figures;
        if (!all.TryGetValue(name, out figures))
            all.Add(name, figures = new Figures());
        figures.Calls++;
        figures.Ticks += elapsed;
    }
}
