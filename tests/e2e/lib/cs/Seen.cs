// Everything that reflection says of this program's types and of their members' attributes, a line each.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace App
{
    [AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
    class MarkAttribute : Attribute { public MarkAttribute(int n) { N = n; } public readonly int N; }

    [Mark(1)] interface IOne<[Mark(2)] T> { [Mark(3)] event Action Event; [Mark(4)] T Property { get; } }
    [Mark(5), Mark(6)] class Two { [Mark(7)] public int Field; [Mark(8)] public void Method([Mark(9)] int parameter) { } public int Auto { get; set; } }
    [Mark(10)] struct Three { [Mark(11)] enum Nested { [Mark(12)] None } [return: Mark(13)] public Func<int> Lambda(int i) { return () => i + Field; } public static int Field; }
    [Mark(14)] delegate void Four([Mark(15)] int n);
    [Mark(16)] class Last { IEnumerable<int> Numbers() { yield return 1; } }

    static class Seen
    {
        const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

        static string Of(IEnumerable<CustomAttributeData> attributes)
        {
            return string.Join(" ", attributes.Select(a => a.ToString()).OrderBy(s => s, StringComparer.Ordinal));
        }

        static void Main(string[] args)
        {
            Assembly assembly = args.Length > 0 ? Assembly.LoadFrom(args[0]) : typeof(Seen).Assembly;
            // As tests of conventions and scanners have it.
            Console.WriteLine("scanned: " + assembly.GetTypes().Count(t => !t.IsDefined(typeof(CompilerGeneratedAttribute), false) && t.Namespace.StartsWith("App")));
            foreach (Type type in assembly.GetTypes())
            {
                bool added = type.Name.StartsWith("<ilinject>");
                if (added)
                {
                    Console.Error.WriteLine(type.Namespace + " " + type.Name + " " + type.IsDefined(typeof(CompilerGeneratedAttribute), false) + " " + type.IsVisible);
                    continue;
                }
                Console.WriteLine(type + ": " + Of(type.GetCustomAttributesData()));
                foreach (MemberInfo member in type.GetMembers(All))
                {
                    Console.WriteLine("  " + member + ": " + Of(member.GetCustomAttributesData()));
                    MethodBase method = member as MethodBase;
                    if (method != null)
                        foreach (ParameterInfo parameter in method.GetParameters())
                            Console.WriteLine("    " + parameter + ": " + Of(parameter.GetCustomAttributesData()));
                }
                foreach (Type parameter in type.GetGenericArguments())
                    Console.WriteLine("  <" + parameter + ">: " + Of(parameter.GetCustomAttributesData()));
            }
            Console.WriteLine("assembly: " + Of(assembly.GetCustomAttributesData()) + "; module: " + Of(assembly.ManifestModule.GetCustomAttributesData()));
        }
    }
}
