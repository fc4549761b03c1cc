// A call that is only counted, where the fast way is closed.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>
        /// Where the thread is new, or has no room for the method's count, or nothing is recorded, or the fast way
        /// is closed for another reason.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void CountSlowly(int id)
        {
            try { } finally { CountUnbroken(id); }
        }

        private static void CountUnbroken(int id)
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
                    long[] longer = Counting.Grow(tree.Counts, at, ModuleTable.IdCount);
                    Thread.MemoryBarrier();
                    tree.Counts = longer;
                }
                Counter.Add(ref tree.Counts[at], 1);
            }
            catch (Exception)
            {
                // Out of memory: the call is not counted.
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
