// A program for a browser: asks for its profile to be written, and then lets time pass, as a page does.
using System;
using System.Threading.Tasks;
using Instrumenter;

static class App
{
    static async Task Main()
    {
        for (int i = 0; i < 10; i++) Outer();
        Console.WriteLine("flush " + ProfileInfoTracker.Flush());
        await Task.Delay(TimeSpan.FromMinutes(10));
    }

    static void Outer() { for (int i = 0; i < 3; i++) Inner(); }
    static void Inner() { }
}
