// Selecting ASSEMBLY: says by reflection which methods each of its questions selects, a line "QUESTION 0xTOKEN" for each, for a
// comparison with `ilinject list`. Methods without a body are left out.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

static class Selecting
{
    const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    static string Bare(string name)
    {
        int tick = name.LastIndexOf('`');
        return tick < 0 ? name : name.Substring(0, tick);
    }

    static IEnumerable<Type> Around(Type type)
    {
        for (; type != null; type = type.DeclaringType)
            yield return type;
    }

    // Namespace, enclosing types, type, method; the method's own dots divide too, but for a leading one.
    static List<string> Parts(MethodBase method)
    {
        var parts = new List<string>();
        string space = Around(method.DeclaringType).Last().Namespace;
        if (!string.IsNullOrEmpty(space))
            parts.AddRange(space.Split('.'));
        parts.AddRange(Around(method.DeclaringType).Reverse().Select(t => Bare(t.Name)));
        if (method.Name.StartsWith("."))
            parts.Add(method.Name);
        else
            parts.AddRange(method.Name.Split('.'));
        return parts;
    }

    static bool Has(IEnumerable<CustomAttributeData> all, string name)
    {
        return all.Any(a => a.Constructor.DeclaringType.FullName == name);
    }

    static bool Carries(MethodBase method, string name)
    {
        if (Has(method.GetCustomAttributesData(), name) || Around(method.DeclaringType).Any(t => Has(t.GetCustomAttributesData(), name)))
            return true;
        return method.DeclaringType.GetProperties(All).Any(p => p.GetAccessors(true).Contains(method) && Has(p.GetCustomAttributesData(), name))
            || method.DeclaringType.GetEvents(All).Any(e => (e.GetAddMethod(true) == method || e.GetRemoveMethod(true) == method) && Has(e.GetCustomAttributesData(), name));
    }

    static bool Made(string name) { return name.StartsWith("<") || name.Contains("$") || name.Contains("@"); }

    static void Main(string[] arguments)
    {
        const string generated = "System.Runtime.CompilerServices.CompilerGeneratedAttribute";
        var methods = Assembly.LoadFrom(arguments[0]).GetTypes()
            .SelectMany(t => t.GetMethods(All).Cast<MethodBase>().Concat(t.GetConstructors(All)))
            .Where(m => m.GetMethodBody() != null).ToList();
        var questions = new Dictionary<string, Func<MethodBase, List<string>, bool>> {
            { "namespace", (m, p) => p[0] == "System" && p[1] == "Linq" },
            { "getters", (m, p) => p.Last().StartsWith("get_") },
            { "but", (m, p) => !(p[0] == "System" && p[1] == "Linq") || Enumerable.Range(0, p.Count - 1).Any(i => p[i] == "Enumerable" && p[i + 1].StartsWith("Select")) },
            { "attribute", (m, p) => Carries(m, generated) },
            { "size", (m, p) => m.GetMethodBody().GetILAsByteArray().Length >= 50 },
            { "source", (m, p) => !Carries(m, generated) && !Made(m.Name) && !Around(m.DeclaringType).Any(t => Made(t.Name)) },
            { "overload", (m, p) => m.Name == "Sum" && m.GetParameters().Length == 1 && m.GetParameters()[0].ParameterType == typeof(IEnumerable<int>) },
            { "constructors", (m, p) => m.Name == ".ctor" },
        };
        foreach (var question in questions)
            foreach (var method in methods)
                if (question.Value(method, Parts(method)))
                    Console.WriteLine("{0} 0x{1:x8}", question.Key, method.MetadataToken);
    }
}
