// As much of Unity as docs/places/examples asks for: a build that hands a folder of assemblies over, and a player that begins, is paused and quits.
//   unity build FOLDER      unity play FOLDER     (where the player keeps its data)
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;

namespace UnityEditor.Build
{
    public interface IPostBuildPlayerScriptDLLs
    {
        int callbackOrder { get; }
        void OnPostBuildPlayerScriptDLLs(Reporting.BuildReport report);
    }
    public class BuildFailedException : Exception { public BuildFailedException(string message) : base(message) { } }
}
namespace UnityEditor.Build.Reporting
{
    public struct BuildFile { public string path { get; set; } }
    public class BuildReport
    {
        internal string Folder;
        public BuildFile[] GetFiles() { return Array.ConvertAll(Directory.GetFiles(Folder), path => new BuildFile { path = path }); }
    }
}
namespace UnityEngine
{
    public class Object { public static void DontDestroyOnLoad(Object what) { } }
    public class MonoBehaviour : Object { }
    public class GameObject : Object
    {
        public static readonly List<object> All = new List<object>();
        public GameObject(string name) { }
        public T AddComponent<T>() where T : new() { T made = new T(); All.Add(made); return made; }
    }
    public class RuntimeInitializeOnLoadMethodAttribute : Attribute { }
    public static class Application
    {
        public static string persistentDataPath { get; set; }
        public static string productName { get { return "Orchard"; } }
    }
    public static class Debug { public static void Log(object what) { Console.WriteLine(what); } }
}
static class StandIn
{
    const BindingFlags Any = BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance;

    static void Main(string[] args)
    {
        if (args[0] == "build")
        {
            new ILInjectBuild().OnPostBuildPlayerScriptDLLs(new UnityEditor.Build.Reporting.BuildReport { Folder = args[1] });
            return;
        }
        UnityEngine.Application.persistentDataPath = args[1];
        foreach (Type type in Assembly.GetExecutingAssembly().GetTypes())
            foreach (MethodInfo method in type.GetMethods(Any))
                if (method.IsDefined(typeof(UnityEngine.RuntimeInitializeOnLoadMethodAttribute), false)) method.Invoke(null, null);
        object level = Activator.CreateInstance(Assembly.Load("Assembly-CSharp").GetType("Level"));
        for (int frame = 0; frame < 60; frame++) level.GetType().GetMethod("Update").Invoke(level, new object[] { frame });
        Tell("OnApplicationFocus", true);
        Tell("OnApplicationPause", true);
        Tell("OnApplicationQuit");
    }
    static void Tell(string what, params object[] with)
    {
        foreach (object one in UnityEngine.GameObject.All) one.GetType().GetMethod(what, Any).Invoke(one, with);
    }
}
