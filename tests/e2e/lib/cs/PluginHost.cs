// Loads a plug-in into load contexts that can be unloaded, and waits until each is collected: PluginHost PLUGIN.dll TIMES unload|drop.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

class PluginContext : AssemblyLoadContext
{
    readonly AssemblyDependencyResolver resolver;
    public PluginContext(string path) : base(isCollectible: true) { resolver = new AssemblyDependencyResolver(path); }
    protected override Assembly Load(AssemblyName name)
    {
        string file = resolver.ResolveAssemblyToPath(name);
        return file == null ? null : LoadFromAssemblyPath(file);
    }
}

static class PluginHost
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference Once(string path, bool unload)
    {
        var context = new PluginContext(path);
        Type type = context.LoadFromAssemblyPath(path).GetType("Plugin");
        type.GetMethod("Run").Invoke(Activator.CreateInstance(type), null);
        if (unload)
            context.Unload();
        return new WeakReference(context, true);
    }

    static int Main(string[] args)
    {
        string path = Path.GetFullPath(args[0]);
        int alive = 0;
        for (int times = int.Parse(args[1]); times > 0; times--)
        {
            WeakReference context = Once(path, args[2] == "unload");
            for (int looks = 0; looks < 2000 && context.IsAlive; looks++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Thread.Sleep(5);
            }
            if (context.IsAlive)
                alive++;
        }
        Console.WriteLine("contexts that were not collected: " + alive);
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
            if (File.ReadAllText(task + "/comm").StartsWith("ilinject"))
                Console.WriteLine("a thread of the tracker's is left");
        return alive;
    }
}
