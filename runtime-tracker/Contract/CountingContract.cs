// Calls that are only counted: no frame, no clock, no tree (docs/decisions/07-ways-out.md).
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Counts a call of the method with the global id <paramref name="id"/>. The head of each method calls it
        /// in modules that are instrumented to count; nothing is called when the method is left.
        /// </summary>
        public static void WhenCounting(int id)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.State != Control.OpenState)
            {
                ThreadTree.CountSlowly(id);
                return;
            }
            long[] counts = tree.Counts;
            int at = id - Registry.FirstId;
            if ((uint)at < (uint)counts.Length)
                counts[at]++;
            else
                ThreadTree.CountSlowly(id);
        }
    }

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
                Host.Say("alloc=bytes: calls are only counted: nobody sees what they allocate");
            if (begun && Settings.Stop != null && Settings.Stop.Method != null)
                Host.Say("stop: calls are only counted, which does not see how a method ends: recording goes on");
            if (begun && Settings.Flush != null)
                Host.Say("flush: calls are only counted, which does not see how a method ends: nothing is written then");
        }

        /// <summary>
        /// Is all that there is counted calls? Then nobody needs to know what the probes of calls with times cost.
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

        /// <summary>Longer counts with room for this place, of at most so many ids as there are now.</summary>
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

        /// <summary>Adds a thread that has ended, which nobody writes any more. Without memory all stays as it is.</summary>
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

    internal sealed partial class ThreadTree
    {
        /// <summary>
        /// Where the thread is new, or has no room for the method's count, or nothing is recorded, or the fast way
        /// is closed for another reason.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void CountSlowly(int id)
        {
            if (Control.OpenState == Control.Stopped && !Schedule.StartsWith(id, false))
                return;
            ThreadTree tree = Current;
            int at = id - Registry.FirstId;
            if (tree != null)
            {
                if ((tree.State & TreeState.Busy) != 0)
                    return;
                StackRoom.Ensure();
                if (!tree.Follow().Running)
                    return;
                if (at < 0)
                {
                    tree.DroppedCalls++;
                    return;
                }
                if (at < tree.Counts.Length)
                {
                    Counter.Add(ref tree.Counts[at], 1);
                    return;
                }
            }
            if (at < 0 || !Guard.Enter())
                return;
            try
            {
                Counting.Begin();
                if (tree == null)
                {
                    tree = Registry.AddThread();
                    if (tree == null)
                        return;
                    Current = tree;
                    tree.State |= TreeState.Busy;
                }
                // The session may begin without recording, or with this call.
                if (!tree.Follow().Running && !Schedule.StartsWith(id, true))
                    return;
                tree.Follow();
                if (at >= tree.Counts.Length)
                {
                    long[] longer = Counting.Grow(tree.Counts, at, Registry.IdCount);
                    Thread.MemoryBarrier();
                    tree.Counts = longer;
                }
                Counter.Add(ref tree.Counts[at], 1);
            }
            catch (Exception)
            {
                // Out of memory: the call is not counted. (An abort of the thread goes on by itself.)
                if (tree != null)
                    tree.DroppedCalls++;
            }
            finally
            {
                Guard.Leave();
            }
        }
    }
}
