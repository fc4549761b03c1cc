// The cost of calls that have no node of their own: those that are folded, taken back, or not recorded.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Picoseconds per call, the least of all calibrations; 0: not measured. These calls go a slow way; its cost has
    /// little to do with that of the fast one. It is measured in a program that has such calls.
    /// </summary>
    internal static class FoldedCosts
    {
        private const int Rounds = 12, WarmUps = 2, Calls = 96;

        /// <summary>Of a folded call, within its frame and in its caller's; of the others altogether, in their caller's.</summary>
        internal static long Inside, Outside, TakenBack, Skipped;

        /// <summary>True if the program has any such calls.</summary>
        internal static bool AreWanted
        {
            get { return ThreadTree.AnyFolded || Control.Current.Triggers != null; }
        }

        /// <summary>On a tree of calibration's own, after its rounds.</summary>
        internal static void Measure(ThreadTree tree)
        {
            if (Control.OpenState == Control.Stopped)
                return;
            TreeState state = tree.State;
            double[] inside = new double[Rounds], whole = new double[Rounds];
            Triggers triggers = Control.Current.Triggers;
            if (ThreadTree.AnyFolded)
            {
                tree.FoldAll(CalibrationCalls.FirstId);
                if (MeasureBelow(tree, inside, whole))
                {
                    long least = Least(inside);
                    Take(ref Outside, Math.Max(Least(whole) - least, 0));
                    Take(ref Inside, least);
                }
                tree.FoldsAll = false;
            }
            if (triggers != null && triggers.Longer != 0)
            {
                tree.Trigger(new Triggers(null, 0, long.MaxValue));
                if (Measure(tree, null, whole))
                    Take(ref TakenBack, Least(whole));
            }
            if (triggers != null && (triggers.Below != null || triggers.Depth != 0))
            {
                tree.Trigger(new Triggers(null, 1, 0));
                if (MeasureBelow(tree, null, whole))
                    Take(ref Skipped, Least(whole));
            }
            tree.Trigger(null);
            tree.State = state;
        }

        private static void Take(ref long cost, long measured)
        {
            if (measured > 0)
                cost = cost == 0 ? measured : Math.Min(cost, measured);
        }

        /// <summary>Measures in a frame of a method that does not call the one without a body otherwise.</summary>
        private static bool MeasureBelow(ThreadTree tree, double[] inside, double[] whole)
        {
            int token = CalibrationCalls.Enter(2);
            bool done = token != 0 && Measure(tree, inside, whole);
            CalibrationCalls.Leave(token);
            return done;
        }

        /// <summary>False: recording was stopped or started meanwhile, or a call went another way.</summary>
        private static bool Measure(ThreadTree tree, double[] inside, double[] whole)
        {
            double wall = 1e12 / StopwatchClock.TicksPerSecond() / Calls, recorded = 1e12 / Clock.TicksPerSecond / Calls;
            int depth = tree.Depth;
            for (int round = -WarmUps; round < Rounds; round++)
            {
                long before = tree.FoldedTicks(CalibrationCalls.FirstId), folded = tree.FoldedCalls;
                long t0 = StopwatchClock.Now();
                CalibrationCalls.CallBareEmpty(Calls, 1);
                long t1 = StopwatchClock.Now();
                CalibrationCalls.CallEmpty(Calls, 1);
                long t2 = StopwatchClock.Now();
                if (tree.Depth != depth || (tree.State & TreeState.Epoch) != Control.OpenState || (inside != null && tree.FoldedCalls != folded + Calls))
                    return false;
                if (round < 0)
                    continue;
                whole[round] = (t2 - t1 - (t1 - t0)) * wall;
                if (inside != null && Clock.Kind == Clock.Ticking)
                    inside[round] = whole[round] / Calibration.TickingInside;
                else if (inside != null)
                    inside[round] = (tree.FoldedTicks(CalibrationCalls.FirstId) - before) * recorded;
            }
            return true;
        }

        /// <summary>What a quarter of the rounds did not exceed.</summary>
        private static long Least(double[] rounds)
        {
            Ascending.Sort(rounds, rounds.Length);
            return (long)Math.Max(rounds[rounds.Length / 4], 0);
        }
    }
}
