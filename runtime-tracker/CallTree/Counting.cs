// Calls that are only counted: how many, by the id of the method (docs/decisions/04-injected-code.md).
using System;

namespace Instrumenter
{
    internal static class Counting
    {
        /// <summary>As many counts as a thread gets at least.</summary>
        private const int Least = 256;

        private static volatile bool begun;

        /// <summary>A call is to be counted that no thread has room for yet. The caller holds the guard.</summary>
        internal static void Begin()
        {
            begun = true;
        }

        /// <summary>The session knows its settings: what they ask for that counting cannot do is said.</summary>
        internal static void CheckSettings()
        {
            if (begun && !Registry.UsesNodes && Settings.Alloc)
                Host.Say("alloc=bytes: calls are only counted: what they allocate is not seen");
            if (begun && Settings.Stop != null && Settings.Stop.Method != null)
                Host.Say("stop: calls are only counted, which does not see how a method ends: recording goes on");
            if (begun && Settings.Flush != null)
                Host.Say("flush: calls are only counted, which does not see how a method ends: nothing is written then");
        }

        /// <summary>
        /// Is all that there is counted calls? Then what the probes of calls with times cost is not needed.
        /// </summary>
        internal static bool IsAlone
        {
            get { return begun && !Registry.UsesNodes; }
        }

        /// <summary>
        /// Null where all calls have times; "counts" where none has; "mixed" where those of some modules have.
        /// </summary>
        internal static string Mode
        {
            get { return !begun ? null : Registry.UsesNodes ? "mixed" : "counts"; }
        }

        /// <summary>Longer counts with room for this place, of at most that many ids as there are now.</summary>
        internal static long[] Grow(long[] counts, int at, int ids)
        {
            int length = Math.Max(counts.Length, Least);
            while (length <= at && length < 1 << 30)
                length *= 2;
            long[] longer = new long[Math.Max(Math.Min(length, ids), at + 1)];
            for (int i = 0; i < counts.Length; i++)
                longer[i] = counts[i];
            return longer;
        }

        /// <summary>Adds a thread that has ended, which is not written to any more. Without memory all stays as it is.</summary>
        internal static void Fold(NodeTree into, NodeTree ended)
        {
            long[] counts = ended.Counts;
            if (counts.Length == 0)
                return;
            if (into.Counts.Length < counts.Length)
                into.Counts = Grow(into.Counts, counts.Length - 1, counts.Length);
            for (int i = 0; i < counts.Length; i++)
                into.Counts[i] += counts[i];
        }

        /// <summary>A copy of what a thread has counted, which goes on meanwhile.</summary>
        internal static long[] Copy(long[] counts, out int called)
        {
            long[] copy = new long[counts.Length];
            called = 0;
            for (int i = 0; i < copy.Length; i++)
            {
                copy[i] = Counter.Read(ref counts[i]);
                if (copy[i] != 0)
                    called++;
            }
            return copy;
        }
    }
}
