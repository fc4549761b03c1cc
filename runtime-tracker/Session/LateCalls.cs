// Calls after the last profile was written: in handlers of the program's end that come later than the tracker's, in finalizers at its end,
// and in a plug-in that is being unloaded.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.ConstrainedExecution;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// The thread that wrote the last profile runs the handlers, too: at the end of each of its outermost calls the profile is written
    /// again. Finalizers that run at the end are seen by the last one of all.
    /// </summary>
    internal static class LateCalls
    {
        /// <summary>Milliseconds that all further writings may take together.</summary>
        private const int Longest = 2000;

        private static string reason;
        private static int spent;
        private static long written;
        private static object last;

        /// <summary>The last profile has been written, on this thread.</summary>
        internal static void AwaitHandlers(string why)
        {
            reason = why;
            ProcessEnd.CallEnded = WhenEnded;
            ProcessEnd.Handlers = Thread.CurrentThread;
            if (ThreadTree.Current != null)
                ThreadTree.Current.WatchEnd();
            if (Host.IsFramework && !Host.IsSilverlight)
                AwaitFinalizers(why);
        }

        /// <summary>The same where no further handler is the program's, but finalizers may be.</summary>
        internal static void AwaitFinalizers(string why)
        {
            reason = why;
            written = Sum();
            MakeLast();
        }

        /// <summary>An outermost call of a thread that is watched has ended. Never throws.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void WhenEnded()
        {
            if (ProcessEnd.CallsAreLost)
                return;
            int began = Environment.TickCount;
            ProcessEnd.CallsAreLost = spent >= Longest;
            Session.Write(reason);
            spent += Math.Max(unchecked(Environment.TickCount - began), 1);
            if (last != null)
                written = Sum();
        }

        /// <summary>Calls of all threads so far.</summary>
        private static long Sum()
        {
            long sum = 0;
            Action<NodeTree> add = delegate(NodeTree tree)
            {
                TreeView view = new TreeView(tree);
                for (int i = Math.Min(tree.Count, view.Nodes.Length) - 1; i >= 0; i--)
                    sum += Counter.Read(ref view.Nodes[i].Calls) + view.FoldOf(i).Entered;
                long[] counts = tree.Counts;
                for (int i = 0; i < counts.Length; i++)
                    sum += Counter.Read(ref counts[i]);
            };
            foreach (ThreadTree tree in Registry.LiveTrees(add))
                add(tree);
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void MakeLast()
        {
            last = new LastFinalizer();
        }

        /// <summary>Nothing of the program's runs any more, or is left.</summary>
        private static void WhenFinalized()
        {
            bool entered = Guard.Enter();
            try
            {
                ProcessEnd.AreThreadsStopped = true;
                ProcessEnd.CallsAreLost = false;
                if (Sum() != written)
                {
                    Session.Write(reason);
                    OutputFile.Close();
                }
            }
            catch (Exception)
            {
                // A thread was stopped while it held a lock: the last profile stays.
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>Finalized after all that is none of this kind.</summary>
        private sealed class LastFinalizer : CriticalFinalizerObject
        {
            ~LastFinalizer()
            {
                WhenFinalized();
            }
        }
    }
}
