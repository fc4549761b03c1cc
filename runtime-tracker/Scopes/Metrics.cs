// The measurements that a program makes in its own code, and how they are printed.
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Scopes stand in a stack per thread. When the outermost one is pulled, it is printed with all in it. Nothing throws out of
    /// here.
    /// </summary>
    public static class Metrics
    {
        /// <summary>How many outermost scopes <see cref="RootData"/> takes; later ones are printed, but not kept.</summary>
        private const int MostRoots = 100000;

        private static List<PerfMeasurement> rootData;
        private static TextWriter writer;
        private static SpinLock printing;

        /// <summary>
        /// The outermost scopes of all threads, in the order of their starts. While other threads may begin one, lock
        /// the list to read or clear it.
        /// </summary>
        public static List<PerfMeasurement> RootData
        {
            get
            {
                if (rootData == null)
                    Interlocked.CompareExchange(ref rootData, new List<PerfMeasurement>(), null);
                return rootData;
            }
        }

        /// <summary>Where to print; null, as at first: standard error. TextWriter.Null prints nowhere.</summary>
        public static TextWriter Writer
        {
            get { return writer; }
            set { writer = value; }
        }

        /// <summary>
        /// The clock of all scopes that begin from now on: it is warmed up and, when it does not say what reading it costs
        /// (an Avg of 0 or less), that is measured. Null: the tracker's own clock, in nanoseconds, again.
        /// </summary>
        public static void Register(IHighResolution clock)
        {
            MeasureClock.Register(clock);
        }

        /// <summary>Begins a scope of this thread. Its <see cref="PerfMeasurement.Ticks"/> are the caller's to set.</summary>
        public static PerfMeasurement Push(string name)
        {
            return ScopeStack.OfThisThread().Push(name);
        }

        /// <summary>Ends this thread's innermost scope; without one it does nothing.</summary>
        public static void Pull()
        {
            ScopeStack.OfThisThread().Pull(null);
        }

        public static void Print(PerfMeasurement metric)
        {
            try { } finally { PrintUnbroken(metric); }
        }

        private static void PrintUnbroken(PerfMeasurement metric)
        {
            try
            {
                StringBuilder text = new StringBuilder();
                Print(metric, text, 0);
                TextWriter to = writer;
                if (to == null)
                    Host.Print(text.ToString());
                else
                    using (Printing.Enter())
                        to.Write(text.ToString());
            }
            catch (Exception)
            {
                // The writer fails, or is closed: the text is dropped.
            }
        }

        public static void Print(PerfMeasurement metric, StringBuilder sb, int depth)
        {
            if (metric != null && sb != null)
                MeasurementTree.Print(metric, sb, depth);
        }

        /// <summary>A measurement is printed in one piece.</summary>
        private static SpinLock Printing
        {
            get { return SpinLock.Of(ref printing); }
        }

        internal static void AddRoot(PerfMeasurement root)
        {
            List<PerfMeasurement> list = RootData;
            SharedMonitor.Enter(list);
            try
            {
                if (list.Count < MostRoots)
                    list.Add(root);
            }
            finally
            {
                Monitor.Exit(list);
            }
        }
    }
}
