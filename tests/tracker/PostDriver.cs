// A program that is instrumented and asks the tracker for its profile. Usage: post SCENARIO [FILE]; those with a FILE wait for it, at most half a minute.
// With AT_ONCE in the environment the process ends without the runtime's part of it: Mono, when it has used its thread pool, now and then waits there for
// up to a minute for a thread of the pool that sleeps.
using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using Instrumenter;

static class App
{
    static int Main(string[] args)
    {
        switch (args[0])
        {
            case "nested": for (int i = 0; i < 10; i++) Outer(); break;
            case "throws": Outer(); throw new InvalidOperationException("on purpose");
            case "text": return Text();
            case "flush": return Flush(args[1]);
            case "twice": Console.WriteLine(ProfileInfoTracker.Flush() + " " + ProfileInfoTracker.Flush()); break;
            case "beat": Outer(); if (!Await(args[1])) return 1; break;
            case "messages": Outer(); ProfileInfoTracker.Flush(); for (int i = 0; i < 3000 && ProfileInfoTracker.Messages().Length == 0; i++) Thread.Sleep(10); Console.Write(ProfileInfoTracker.Messages()); break;
            default: return 2;
        }
        if (Environment.GetEnvironmentVariable("AT_ONCE") != null) { Console.Out.Flush(); _exit(0); }
        return 0;
    }

    [DllImport("libc")]
    static extern void _exit(int value);

    static void Outer() { for (int i = 0; i < 3; i++) Inner(); }
    static void Inner() { }

    static bool Await(string file)
    {
        for (int waited = 0; waited < 30000 && !File.Exists(file); waited += 10) Thread.Sleep(10);
        return File.Exists(file);
    }

    static int Flush(string file)
    {
        Outer();
        Console.WriteLine(ProfileInfoTracker.Flush());
        if (!Await(file)) return 1;
        Outer();
        return 0;
    }

    // With clock=none two texts do not differ in their times.
    static int Text()
    {
        Outer();
        StringWriter writer = new StringWriter();
        ProfileInfoTracker.Report(writer);
        string text = ProfileInfoTracker.SnapshotText();
        if (text != writer.ToString()) { Console.WriteLine(text + "is not" + writer); return 1; }
        Console.Write(text);
        byte[] bytes = ProfileInfoTracker.Snapshot();
        Console.WriteLine(bytes.Length > 8 && bytes[0] == 'I' && bytes[1] == 'L');
        return 0;
    }
}
