using System;
using System.Collections;
using System.IO;
using System.Reflection;
using System.Threading;

static class Player
{
    static readonly string Managed = Path.GetFullPath("Game_Data/Managed");

    static Assembly Find(object sender, ResolveEventArgs e)
    {
        string file = Path.Combine(Managed, new AssemblyName(e.Name).Name + ".dll");
        return File.Exists(file) ? Assembly.LoadFrom(file) : null;
    }

    static void Main()
    {
        AppDomain.CurrentDomain.AssemblyResolve += Find;
        Type type = Assembly.LoadFrom(Path.Combine(Managed, "Assembly-CSharp.dll")).GetType("Level");
        object level = Activator.CreateInstance(type);
        var update = (Action<int>)Delegate.CreateDelegate(typeof(Action<int>), level, "Update");
        var spawn = (IEnumerator)type.GetMethod("Spawn").Invoke(level, null);
        for (int frame = 0; frame < 60; frame++)
        {
            update(frame);
            spawn.MoveNext();
            Thread.Sleep(5); // the rest of a frame
        }
        Console.WriteLine("60 frames");
    }
}
