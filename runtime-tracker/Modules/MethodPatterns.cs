// Which methods of a module some patterns name.
using System;

namespace Instrumenter
{
    /// <summary>
    /// A method is named by one of them at least. For an async method or an iterator the method
    /// that runs its steps is named with it. Scopes of the program's are no methods.
    /// </summary>
    internal sealed class MethodPatterns
    {
        internal readonly NamePattern[] All;

        /// <summary>
        /// How many methods each has named, in all the modules that were looked at.
        /// </summary>
        internal readonly int[] Found;

        private MethodPatterns(NamePattern[] all)
        {
            All = all;
            Found = new int[all.Length];
        }

        /// <summary>
        /// Null when one of the texts is no pattern, which <paramref name="fault"/> says.
        /// </summary>
        internal static MethodPatterns Parse(string[] texts, out string fault)
        {
            NamePattern[] all = new NamePattern[texts.Length];
            fault = null;
            for (int i = 0; i < all.Length; i++)
            {
                string wrong;
                all[i] = NamePattern.Parse(texts[i], out wrong);
                if (all[i] == null)
                {
                    fault = "'" + texts[i] + "': " + wrong;
                    return null;
                }
            }
            return new MethodPatterns(all);
        }

        /// <summary>For each method of the module: is it named?</summary>
        internal bool[] Named(NamesResource names, string assembly)
        {
            bool[] named = new bool[names.MethodCount];
            for (int i = 0; i < All.Length; i++)
                if (All[i].IsOfAssembly(assembly))
                    Found[i] += Mark(All[i], names, named);
            for (int method = 0; method < named.Length; method++)
                named[method] |= named[names.Owner(method)] && !names.IsScope(method);
            return named;
        }

        private static int Mark(NamePattern pattern, NamesResource names, bool[] named)
        {
            ulong[] types = new ulong[names.TypeCount];
            for (int type = 0; type < types.Length; type++)
            {
                int around = names.Enclosing(type);
                ulong outside = around < 0 ? pattern.Start : types[around];
                types[type] = pattern.Feed(pattern.Feed(outside, names.Space(type)), names.PlainTypeName(type));
            }
            int found = 0;
            for (int method = 0; method < named.Length; method++)
            {
                ulong state = types[names.TypeOf(method)];
                if (state == 0 || names.IsScope(method))
                    continue;
                string parameters = pattern.NeedsParameters ? names.Parameters(method) : "";
                if (!pattern.Accepts(pattern.Feed(state, names.MethodName(method)), parameters))
                    continue;
                named[method] = true;
                found++;
            }
            return found;
        }
    }
}
