// Types of other assemblies than the core library, found while the program runs.
using System;
using System.Reflection;

namespace Instrumenter
{
    /// <summary>
    /// The tracker refers to nothing that a host may lack. A name comes as a parameter, never written into Type.GetType: trimming
    /// would see it, and keep what it names in every program.
    /// </summary>
    internal static class ReflectedTypes
    {
        /// <summary>The ends of assembly names on .NET Framework and Mono, and on Silverlight.</summary>
        private const string Framework4 = ", Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
                             Framework2 = ", Version=2.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
                             Silverlight5 = ", Version=5.0.5.0, Culture=neutral, PublicKeyToken=7cec85d7bea7798e",
                             Silverlight4 = ", Version=2.0.5.0, Culture=neutral, PublicKeyToken=7cec85d7bea7798e";

        /// <summary>A type of .NET Framework's System.dll.</summary>
        internal static Type OfFramework(string type)
        {
            return Find(type, "System", Framework4) ?? Find(type, "System", Framework2);
        }

        internal static Type OfSilverlight(string type, string assembly)
        {
            return Find(type, assembly, Silverlight5) ?? Find(type, assembly, Silverlight4);
        }

        /// <summary>A type of .NET (Core), where assemblies are found by their simple names.</summary>
        internal static Type OfCore(string type, string assembly)
        {
            return Find(type, assembly, "");
        }

        internal static Type OfCoreLibrary(string type)
        {
            return typeof(object).Assembly.GetType(type);
        }

        /// <summary>
        /// .NET's type of load contexts. The first name that .NET looks up takes it 10 ms, in code of its own that it compiles; a
        /// parameter of a method of its own says it in half of one.
        /// </summary>
        internal static Type OfLoadContexts()
        {
            const string Name = "AssemblyLoadContext";
            try
            {
                foreach (MethodInfo method in typeof(object).Assembly.GetType().GetMember("InternalLoad", MemberTypes.Method, BindingFlags.NonPublic | BindingFlags.Static))
                    foreach (ParameterInfo parameter in method.GetParameters())
                        if (parameter.ParameterType.Name == Name)
                            return parameter.ParameterType;
            }
            catch (Exception)
            {
                // Another .NET.
            }
            return OfCoreLibrary("System.Runtime.Loader." + Name);
        }

        private static Type Find(string type, string assembly, string identity)
        {
            try
            {
                return Type.GetType(type + ", " + assembly + identity);
            }
            catch (Exception)
            {
                return null;
            }
        }

        /// <summary>
        /// MemberInfo.IsCollectible, which younger core libraries have; older ones unload nothing but whole domains. Mono's says so of
        /// every type, the core library's too: there the types of assemblies that are built at run time may go.
        /// </summary>
        internal static bool IsCollectible(Type type)
        {
            PropertyInfo property = typeof(Type).GetProperty("IsCollectible");
            if (property == null)
                return false;
            return (bool)property.GetValue(typeof(object), null) ? IsBuilt(type) : (bool)property.GetValue(type, null);
        }

        private static bool IsBuilt(Type type)
        {
            bool built = type.Assembly.GetType().Name.EndsWith("Builder", StringComparison.Ordinal);
            if (type.HasElementType)
                built |= IsBuilt(type.GetElementType());
            if (type.IsGenericType)
                foreach (Type argument in type.GetGenericArguments())
                    built |= IsBuilt(argument);
            return built;
        }

        /// <summary>A property that some hosts have.</summary>
        internal static void TrySet(object target, string property, object value)
        {
            try
            {
                Set(target, target.GetType(), property, value);
            }
            catch (Exception)
            {
            }
        }

        /// <summary><paramref name="type"/>: the public one that has the property.</summary>
        internal static void Set(object target, Type type, string property, object value)
        {
            Property(type, property).SetValue(target, value, null);
        }

        internal static object Get(object target, Type type, string property)
        {
            return Property(type, property).GetValue(target, null);
        }

        /// <summary>Trimming removes from a type what no other code uses.</summary>
        private static PropertyInfo Property(Type type, string name)
        {
            PropertyInfo property = type.GetProperty(name);
            if (property == null)
                throw new MissingMethodException("this host has no " + type.Name + "." + name);
            return property;
        }

        internal static object Call(object target, Type type, string method, Type[] parameters, params object[] arguments)
        {
            MethodInfo found = type.GetMethod(method, parameters);
            if (found == null)
                throw new MissingMethodException("this host has no " + type.Name + "." + method);
            return found.Invoke(target, arguments);
        }

        /// <summary>The exception itself, without the wrappings of reflection and tasks.</summary>
        internal static string Reason(Exception e)
        {
            while (e.InnerException != null && (e is TargetInvocationException || e.InnerException.InnerException != null || e.GetType().Name == "AggregateException"))
                e = e.InnerException;
            string message = e.Message;
            int line = message.IndexOf('\n');
            return line < 0 ? message : message.Substring(0, line).Trim();
        }
    }
}
