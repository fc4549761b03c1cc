// Runs a program for Silverlight on Mono: its assemblies of the versions 2.0.5.0 and 5.0.5.0 are those that there are.
//   host PROGRAM          runs it to its end
//   host PROGRAM FILE     then asks the tracker to write, as a button would, and waits for FILE, at most half a minute; prints what the tracker had to say; ends at once, as PostDriver.cs may
using System;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

static class Host
{
    static int Main(string[] args)
    {
        AppDomain.CurrentDomain.AssemblyResolve += Resolve;
        int result = AppDomain.CurrentDomain.ExecuteAssembly(args[0], new string[0]);
        if (args.Length == 1) return result;
        Type tracker = Type.GetType("Instrumenter.ProfileInfoTracker, ProfileInfoTracker", true);
        Console.Error.WriteLine(tracker.GetMethod("Flush").Invoke(null, null));
        for (int waited = 0; waited < 30000 && !File.Exists(args[1]); waited += 10) Thread.Sleep(10);
        Console.Error.Write(tracker.GetMethod("Messages").Invoke(null, null));
        Console.Out.Flush();
        _exit(result);
        return result;
    }

    [DllImport("libc")]
    static extern void _exit(int value);

    static Assembly Resolve(object sender, ResolveEventArgs e)
    {
        AssemblyName name = new AssemblyName(e.Name);
#pragma warning disable 618 // the one way to ask for whatever version there is
        return name.Version.Minor == 0 && name.Version.Build == 5 ? Assembly.LoadWithPartialName(name.Name) : null;
#pragma warning restore 618
    }
}
