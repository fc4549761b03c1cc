// The name that a pattern without a match probably meant.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Looks among the names of types and methods, as src/select/suggest.c does before a program runs.
    /// </summary>
    internal sealed class NearName
    {
        private const int Longest = 64, Far = 100, PerEdit = 60;

        private readonly NamePattern pattern;

        /// <summary>The last part of the pattern without wildcards; null: there is none.</summary>
        private readonly string wanted;

        private int best = int.MaxValue;

        /// <summary>The nearest that was found; null: none is near.</summary>
        internal string Name;

        internal NearName(NamePattern pattern)
        {
            this.pattern = pattern;
            wanted = pattern.LastLiteral;
        }

        internal void Look(NamesResource names)
        {
            if (wanted == null)
                return;
            for (int type = 0; type < names.TypeCount; type++)
            {
                int edits = Distance(wanted, NamesResource.WithoutArity(names.PlainTypeName(type)));
                if (IsWorth(edits))
                    Consider(names.FullNameOfType(type), edits);
            }
            for (int method = 0; method < names.MethodCount; method++)
            {
                int edits = names.IsScope(method) ? Far : Distance(wanted, names.MethodName(method));
                if (IsWorth(edits))
                    Consider(names.FullName(method, false), edits);
            }
        }

        /// <summary>True if a candidate is so near that its whole name is worth a look.</summary>
        private bool IsWorth(int edits)
        {
            return edits < Far && edits * PerEdit < best;
        }

        private void Consider(string name, int edits)
        {
            int score = edits * PerEdit + pattern.MissingIn(name);
            if (score >= best)
                return;
            best = score;
            Name = name;
        }

        /// <summary>
        /// Edits from one name to the other (insert, delete, replace), twice as dear as another
        /// case; <see cref="Far"/> when they are not alike.
        /// </summary>
        private static int Distance(string a, string b)
        {
            int longer = Math.Max(a.Length, b.Length), shorter = Math.Min(a.Length, b.Length), limit = longer < 6 ? 2 : 4;
            if (longer > Longest || (longer - shorter) * 2 > limit)
                return Far;
            if (string.Equals(a, b, StringComparison.OrdinalIgnoreCase))
                return a == b ? 0 : 1;
            int[] last = new int[b.Length + 1], row = new int[b.Length + 1];
            for (int j = 0; j <= b.Length; j++)
                last[j] = 2 * j;
            for (int i = 0; i < a.Length; i++)
            {
                row[0] = 2 * i + 2;
                for (int j = 0; j < b.Length; j++)
                {
                    int differ = a[i] == b[j] ? 0 : char.ToLowerInvariant(a[i]) == char.ToLowerInvariant(b[j]) ? 1 : 2;
                    row[j + 1] = Math.Min(last[j] + differ, Math.Min(last[j + 1], row[j]) + 2);
                }
                int[] used = last;
                last = row;
                row = used;
            }
            return last[b.Length] <= limit ? last[b.Length] : Far;
        }
    }
}
