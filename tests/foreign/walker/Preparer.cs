// CoreCLR compiles every method of an assembly; what it refuses is a fault. Generic ones are instantiated over object.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Security;

namespace Walker
{
    static class Preparer
    {
        const BindingFlags All = BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static;

        public static int Run(IEnumerable<string> files)
        {
            int faults = 0, prepared = 0, left = 0;
            foreach (string file in files)
            {
                string path = Path.GetFullPath(file), folder = Path.GetDirectoryName(path);
                var context = new AssemblyLoadContext(path, false);
                context.Resolving += (c, name) =>
                {
                    string beside = Path.Combine(folder, name.Name + ".dll");
                    return File.Exists(beside) ? c.LoadFromAssemblyPath(beside) : null;
                };
                var assembly = context.LoadFromAssemblyPath(path);
                foreach (var type in Types(assembly))
                    foreach (var method in Methods(type, ref left))
                    {
                        try
                        {
                            if (Prepare(method))
                                prepared++;
                            else
                                left++;
                        }
                        catch (Exception e) when (Refused(e, method))
                        {
                            faults++;
                            Console.WriteLine($"{Path.GetFileName(file)}: {method.DeclaringType}::{method}: {e.GetType().Name}: {e.Message}");
                        }
                        catch (Exception)
                        {
                            left++; // a type or assembly that is not there: the same before and after
                        }
                    }
            }
            Console.WriteLine($"{prepared} prepared, {left} left out, {faults} faults");
            return faults == 0 ? 0 : 1;
        }

        static MethodBase[] Methods(Type type, ref int left)
        {
            try
            {
                return type.GetMembers(All).OfType<MethodBase>().ToArray();
            }
            catch (Exception e) when (e is TypeLoadException || e is IOException)
            {
                left++;
                return Array.Empty<MethodBase>();
            }
        }

        // object does not satisfy every generic parameter's constraints, and the runtime says so with a VerificationException.
        static bool Refused(Exception e, MethodBase method)
        {
            bool generic = method.IsGenericMethodDefinition || method.DeclaringType.IsGenericTypeDefinition;
            return e is InvalidProgramException || e is BadImageFormatException || e is VerificationException && !generic;
        }

        static IEnumerable<Type> Types(Assembly assembly)
        {
            try
            {
                return assembly.GetTypes();
            }
            catch (ReflectionTypeLoadException e)
            {
                return e.Types.Where(t => t != null);
            }
        }

        static bool Prepare(MethodBase method)
        {
            if (method.IsAbstract || (method.GetMethodImplementationFlags() & MethodImplAttributes.CodeTypeMask) != 0 || method.GetMethodBody() == null)
                return false;
            int type = method.DeclaringType.IsGenericTypeDefinition ? method.DeclaringType.GetGenericArguments().Length : 0;
            int own = method.IsGenericMethodDefinition ? method.GetGenericArguments().Length : 0;
            if (type + own == 0)
                RuntimeHelpers.PrepareMethod(method.MethodHandle);
            else
                RuntimeHelpers.PrepareMethod(method.MethodHandle, Enumerable.Repeat(typeof(object).TypeHandle, type + own).ToArray());
            return true;
        }
    }
}
