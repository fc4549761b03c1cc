// The method that MethodTimer.Fody calls in the program of probe.sh: it adds up, and looks for no
// names.
using System;
using System.Reflection;

[assembly: MethodTimer.Time]

public static class MethodTimeLogger
{
    public static long Calls, Ticks;

    public static void Log(MethodBase method, TimeSpan elapsed, string message)
    {
        Calls++;
        Ticks += elapsed.Ticks;
    }
}
