// The scopes of one thread that are open: MeasurePerf, Metrics.Push.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>
    /// A scope may be ended by another thread than the one that began it (an await between), so all is done under the stack's
    /// latch; what the program gave us (clock, writer) runs outside it.
    /// </summary>
    internal sealed class ScopeStack
    {
        /// <summary>A scope with its frame in the call tree.</summary>
        private struct Scope
        {
            internal PerfMeasurement Measurement;
            internal ScopeFrame Frame;
        }

        [ThreadStatic]
        private static ScopeStack current;

        private readonly SpinLock gate = new SpinLock();
        private readonly List<Scope> scopes = new List<Scope>();

        internal static ScopeStack OfThisThread()
        {
            if (current == null)
                current = new ScopeStack();
            return current;
        }

        internal PerfMeasurement Push(string name)
        {
            PerfMeasurement measurement = null;
            try { } finally { measurement = PushUnbroken(name); }
            return measurement;
        }

        private PerfMeasurement PushUnbroken(string name)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null)
                tree.PauseFigures();
            Scope scope = new Scope();
            scope.Measurement = new PerfMeasurement();
            scope.Measurement.Name = name;
            try
            {
                bool outermost;
                using (gate.Enter())
                {
                    outermost = scopes.Count == 0;
                    if (!outermost)
                        AddChild(scopes[scopes.Count - 1].Measurement, scope.Measurement);
                    scope.Frame = ScopeFrame.Enter(name);
                    scopes.Add(scope);
                }
                if (outermost)
                    Metrics.AddRoot(scope.Measurement);
            }
            catch (Exception)
            {
                // Out of memory: this one is not recorded, and pulling it does nothing.
            }
            tree = ThreadTree.Current;
            if (tree != null)
                tree.ResumeFigures();
            return scope.Measurement;
        }

        private static void AddChild(PerfMeasurement parent, PerfMeasurement child)
        {
            if (parent.Children == null)
                parent.Children = new List<PerfMeasurement>();
            parent.Children.Add(child);
        }

        /// <summary>Ends this scope, after those inside it; null: the innermost one. One that is not open does nothing.</summary>
        internal void Pull(PerfMeasurement measurement)
        {
            try { } finally { PullUnbroken(measurement); }
        }

        private void PullUnbroken(PerfMeasurement measurement)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null)
                tree.PauseFigures();
            try
            {
                PerfMeasurement root = null;
                using (gate.Enter())
                {
                    int from = scopes.Count - 1;
                    while (from >= 0 && measurement != null && scopes[from].Measurement != measurement)
                        from--;
                    if (from < 0)
                        return;
                    if (scopes[from].Frame != null)
                        scopes[from].Frame.Leave();
                    if (from == 0)
                        root = scopes[0].Measurement;
                    scopes.RemoveRange(from, scopes.Count - from);
                }
                if (root == null)
                    return;
                MeasurementTree.Offset(root, MeasureClock.Current.Average);
                Metrics.Print(root);
            }
            catch (Exception)
            {
                // Out of memory: it is not printed.
            }
            finally
            {
                if (tree != null)
                    tree.ResumeFigures();
            }
        }
    }
}
