// CoreCLR compiles every method of an assembly; what it refuses is a fault. Generic ones are instantiated, over what their
// constraints name or object. Methods are taken by token, so that what is done to an image's methods can be held against what
// was done before.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Security;
using System.Threading.Tasks;

namespace Walker
{
    enum Verdict { Prepared, NoBody, Left, Fault }

    static class Preparer
    {
        public static int Run(IEnumerable<string> files)
        {
            int faults = 0, prepared = 0, left = 0;
            foreach (string file in files)
            {
                foreach (var (method, verdict, why) in Prepare(file, new[] { Path.GetDirectoryName(Path.GetFullPath(file)) }))
                {
                    prepared += verdict == Verdict.Prepared ? 1 : 0;
                    left += verdict == Verdict.NoBody || verdict == Verdict.Left ? 1 : 0;
                    if (verdict == Verdict.Fault)
                    {
                        faults++;
                        Console.WriteLine($"{Path.GetFileName(file)}: {why}");
                    }
                }
            }
            Console.WriteLine($"{prepared} prepared, {left} left out, {faults} faults");
            return faults == 0 ? 0 : 1;
        }

        // Each of PAIRS, original and output: what is prepared of the one is of the other. Dependencies are looked for beside
        // them and in FOLDERS. An image that CoreCLR does not load is named, and is the same before and after, too.
        public static int RunPairs(List<string> folders, List<string[]> pairs)
        {
            int bad = 0, judged = 0, unloaded = 0, copied = 0, missing = 0;
            var before = new int[4];
            var after = new int[4];
            Parallel.ForEach(pairs, new ParallelOptions { MaxDegreeOfParallelism = 2 }, pair =>
            {
                if (File.ReadAllBytes(pair[0]).AsSpan().SequenceEqual(File.ReadAllBytes(pair[1])))
                {
                    lock (before)
                        copied++;
                    return;
                }
                var beside = new[] { Path.GetDirectoryName(Path.GetFullPath(pair[1])), Path.GetDirectoryName(Path.GetFullPath(pair[0])) }.Concat(folders).ToArray();
                string wont = null, wontNow = null;
                List<(int, Verdict, string)> old = null, now = null;
                try { old = Prepare(pair[0], beside); } catch (Exception e) when (e is BadImageFormatException || e is IOException) { wont = e.Message; }
                try { now = Prepare(pair[1], beside); } catch (Exception e) when (e is BadImageFormatException || e is IOException) { wontNow = e.Message; }
                lock (before)
                {
                    if (old == null)
                    {
                        unloaded++;
                        Console.WriteLine($"{pair[0]}: not loaded: {wont}");
                        return;
                    }
                    judged++;
                    var findings = new Findings(3);
                    if (now == null)
                        findings.Add("is not loaded any more: " + wontNow);
                    else
                        missing += Compare(old, now, findings);
                    foreach (var (_, verdict, _) in old)
                        before[(int)verdict]++;
                    // Those that were added are not counted.
                    foreach (var (_, verdict, _) in now?.Take(old.Count) ?? old.Take(0))
                        after[(int)verdict]++;
                    if (findings.Count == 0)
                        return;
                    bad++;
                    Console.WriteLine($"{pair[1]}: {findings.Count} differences");
                    foreach (string line in findings.Lines)
                        Console.WriteLine("    " + line);
                }
            });
            Console.WriteLine($"{judged} pairs, {bad} differ; {before[0]} methods compiled before, {after[0]} after; {before[3]} faults before, {after[3]} after; " +
                $"{before[1]} without a body, {before[2]} not instantiated or of what is missing; {copied} images copied, {unloaded} not loaded");
            Console.WriteLine($"{missing} methods are compiled no more for want of their result's type, whose assembly is not here");
            return bad == 0 && judged > 0 && missing * 1000 < before[0] ? 0 : 1;
        }

        // Returns how many methods now want an assembly that is not here: a guard keeps the result in a local, and the
        // compiler loads the local's type; of a result without one it loads value types only.
        static int Compare(List<(int Token, Verdict Verdict, string Why)> old, List<(int Token, Verdict Verdict, string Why)> now, Findings findings)
        {
            int missing = 0;
            if (now.Count < old.Count)
                findings.Add($"{old.Count} methods became {now.Count}");
            for (int i = 0; i < now.Count; i++)
            {
                var was = i < old.Count ? old[i].Verdict : Verdict.Prepared; // what was added has to compile
                if (was == Verdict.Prepared && now[i].Verdict == Verdict.Left && now[i].Why.StartsWith("FileNotFoundException: "))
                    missing++;
                else if (now[i].Verdict != was && (was == Verdict.Prepared || was == Verdict.NoBody || now[i].Verdict == Verdict.Fault))
                    findings.Add($"method 0x{now[i].Token:x8}: {was} became {now[i].Verdict}: {now[i].Why}");
                else if (was == Verdict.Fault && now[i].Verdict == was && now[i].Why != old[i].Why)
                    findings.Add($"method 0x{now[i].Token:x8}: {old[i].Why} became {now[i].Why}");
            }
            return missing;
        }

        // One entry a row of MethodDef.
        static List<(int, Verdict, string)> Prepare(string file, string[] folders)
        {
            string path = Path.GetFullPath(file);
            var context = new AssemblyLoadContext(path, false);
            context.Resolving += (c, name) =>
            {
                string found = folders.Select(folder => Path.Combine(folder, name.Name + ".dll")).FirstOrDefault(File.Exists);
                return found != null ? c.LoadFromAssemblyPath(found) : null;
            };
            var module = context.LoadFromAssemblyPath(path).ManifestModule;
            int rows;
            using (var image = new Image(path))
                rows = image.Md.MethodDefinitions.Count;
            var verdicts = new List<(int, Verdict, string)>();
            for (int row = 1; row <= rows; row++)
            {
                int token = 0x06000000 | row;
                MethodBase method = null;
                try
                {
                    method = module.ResolveMethod(token);
                    verdicts.Add((token, Prepare(method) ? Verdict.Prepared : Verdict.NoBody, null));
                }
                catch (Exception e) when (method != null && Refused(e, method))
                {
                    verdicts.Add((token, Verdict.Fault, $"{method.DeclaringType}::{method}: {e.GetType().Name}: {e.Message}"));
                }
                catch (Exception e)
                {
                    verdicts.Add((token, Verdict.Left, e.GetType().Name + ": " + e.Message)); // a type or assembly that is not there
                }
            }
            return verdicts;
        }

        // Not every generic parameter's constraints can be satisfied so simply, and the runtime says so with a VerificationException.
        static bool Refused(Exception e, MethodBase method)
        {
            bool generic = method.IsGenericMethodDefinition || method.DeclaringType != null && method.DeclaringType.IsGenericTypeDefinition;
            return e is InvalidProgramException || e is BadImageFormatException || e is VerificationException && !generic;
        }

        static bool Prepare(MethodBase method)
        {
            if (method.IsAbstract || (method.GetMethodImplementationFlags() & (MethodImplAttributes.CodeTypeMask | MethodImplAttributes.InternalCall)) != 0 || method.GetMethodBody() == null)
                return false;
            var parameters = method.DeclaringType != null && method.DeclaringType.IsGenericTypeDefinition ? method.DeclaringType.GetGenericArguments() : Type.EmptyTypes;
            if (method.IsGenericMethodDefinition)
                parameters = parameters.Concat(method.GetGenericArguments()).ToArray();
            if (parameters.Length == 0)
                RuntimeHelpers.PrepareMethod(method.MethodHandle);
            else
                RuntimeHelpers.PrepareMethod(method.MethodHandle, parameters.Select(Argument).ToArray());
            return true;
        }

        static RuntimeTypeHandle Argument(Type parameter)
        {
            if ((parameter.GenericParameterAttributes & GenericParameterAttributes.NotNullableValueTypeConstraint) != 0)
                return typeof(int).TypeHandle;
            var named = parameter.GetGenericParameterConstraints().FirstOrDefault(c => !c.ContainsGenericParameters);
            return (named ?? typeof(object)).TypeHandle;
        }
    }
}
