// What the probes themselves cost, so that a report can take it off: docs/profile-format.md, section 3.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>Picoseconds per call: within the frame's own time, and in its caller's. Never changed.</summary>
    internal sealed class Calibration
    {
        /// <summary>Calls in a window at least and at most, and how many rounds of windows there are at least and at most.</summary>
        private const int LeastCalls = 16, MostCalls = 256, LeastRounds = 8, MostRounds = 64;

        /// <summary>Rounds end after that time; the first ones of a run, which may be the only ones, later.</summary>
        private const int Milliseconds = 2, FirstMilliseconds = 4;

        /// <summary>Slow clocks have fewer calls, so that a round does not take longer.</summary>
        private const int RoundMicroseconds = 300;

        /// <summary>So many rounds go before: one compiles what it calls, the last tells how many calls a window is to have.</summary>
        private const int WarmUps = 2, WarmUpCalls = 64;

        /// <summary>How long the method with a body works.</summary>
        private const int WorkNanoseconds = 60;

        /// <summary>From half of that to half as much again, in so many steps, of which any few rounds take some from all over.</summary>
        private const int WorkLengths = 16, BetweenLengths = 5;

        /// <summary>With what is written while the program runs there is a new one every so many times, and the first times each.</summary>
        private const int BeatsBetween = 8, FirstBeats = 2;

        /// <summary>
        /// So many moments are kept of a run: by the second, those of nine minutes each for itself.
        /// </summary>
        private const int Moments = 512;

        internal readonly long InsideEmpty, OutsideEmpty, InsideWork, OutsideWork, OutsideLast, ClockRead;

        private static Calibration latest;
        private static CalibrationRounds rounds, newest;
        private static CalibrationMoments moments;
        private static Latch weighing;
        private static int busy, beats;

        private Calibration(long insideEmpty, long outsideEmpty, long insideWork, long outsideWork, long outsideLast, long clockRead)
        {
            InsideEmpty = insideEmpty;
            OutsideEmpty = outsideEmpty;
            InsideWork = insideWork;
            OutsideWork = outsideWork;
            OutsideLast = outsideLast;
            ClockRead = clockRead;
        }

        /// <summary>By all that was measured so far; null: nothing.</summary>
        internal static Calibration Latest
        {
            get { return latest; }
        }

        /// <summary>
        /// Measures on the calling thread, which must be inside of the tracker; not on each beat again. What a host cannot measure is
        /// left as it is.
        /// </summary>
        internal static void Refresh(bool beat)
        {
            if (Interlocked.Exchange(ref busy, 1) != 0)
                return;
            ThreadTree own = ThreadTree.Current;
            try
            {
                if (beat && ++beats > FirstBeats && beats % BeatsBetween != 0)
                    return;
                if (!IsMeasurable())
                    return;
                // Of no generation, and known to nobody.
                ThreadTree.Current = new ThreadTree(new KnownThread(Thread.CurrentThread), null);
                if (rounds == null)
                {
                    moments = new CalibrationMoments(Moments);
                    weighing = new Latch();
                    newest = new CalibrationRounds(MostRounds);
                    rounds = new CalibrationRounds(CalibrationRounds.Kept);
                }
                newest.Clear();
                Measure(ThreadTree.Current, newest, rounds.Made);
                if (newest.Count != 0)
                    AddMoment(newest);
                rounds.Take(newest);
                if (rounds.Count != 0)
                    latest = Of(rounds);
            }
            catch (Exception)
            {
                // No memory, or a compiler ahead of time without tail calls: a profile without it is still one.
            }
            finally
            {
                ThreadTree.Current = own;
                busy = 0;
            }
        }

        /// <summary>
        /// The cost of calls on average since a moment of <see cref="WallTime"/>, and what they
        /// seldom exceeded. Returns of how many calibrations these are; 0 when there is none.
        /// </summary>
        internal static int Since(long start, out Calibration mean, out Calibration high)
        {
            mean = high = null;
            if (latest == null)
                return 0;
            double[] means = new double[CalibrationMoments.Quantities];
            double[] highs = new double[CalibrationMoments.Quantities];
            int count;
            using (weighing.Enter())
                count = moments.Weigh(start, WallTime.Now(), means, highs);
            if (count == 0)
                return 0;
            mean = Of(means, 0);
            high = Of(highs, 0);
            return count;
        }

        private static bool IsMeasurable()
        {
            return WallTime.UsesStopwatch && Clock.Kind != Clock.None && Clock.Kind != Clock.User;
        }

        private static long Now()
        {
            return StopwatchClock.Now();
        }

        // What the program's calls go the slow way for, too, all the time.
        private const int Always = ThreadTree.PlainHost | ThreadTree.Recording;

        /// <summary>Adds rounds, in picoseconds; so many were made before.</summary>
        private static void Measure(ThreadTree tree, CalibrationRounds rounds, int before)
        {
            if (tree.Events != null)
                tree.Events.Detach();
            if (Settings.Log)
                tree.Log = LogStream.Detached();
            int emptyNode, workNode, callerNode;
            CalibrationCalls.Prepare(tree, out emptyNode, out workNode, out callerNode);
            int worksFor = RowsOfWork();
            double wall = 1e12 / StopwatchClock.TicksPerSecond(), recorded = 1e12 / Clock.TicksPerSecond;
            Node[] nodes = tree.Nodes;
            int child = nodes[callerNode].FirstChild;
            // What opens the fast way, also while nothing is recorded.
            int state = tree.State = Control.OpenState | (tree.State & Always);
            long end = Now() + StopwatchClock.TicksPerSecond() * (before == 0 ? FirstMilliseconds : Milliseconds) / 1000;
            int calls = WarmUpCalls;
            long called = 0;
            bool inlined = CalibrationInlined.IsLikeProgram;
            for (int round = -WarmUps; round < MostRounds && (round < LeastRounds || Now() < end); round++)
            {
                // Not the same length in each round, which may be one that the clock's own steps are in time with.
                int step = (before + rounds.Made) % WorkLengths * BetweenLengths % WorkLengths;
                int rows = worksFor / 2 + worksFor * step / (WorkLengths - 1);
                long t0 = Now();
                CalibrationCalls.CallBareEmpty(calls, rows);
                long t1 = Now(), emptyBefore = nodes[emptyNode].Ticks;
                if (inlined)
                    CalibrationInlined.CallEmpty(calls, rows);
                else
                    CalibrationCalls.CallEmpty(calls, rows);
                long t2 = Now();
                CalibrationCalls.CallBareWork(calls, rows);
                long t3 = Now(), workBefore = nodes[workNode].Ticks;
                if (inlined)
                    CalibrationInlined.CallWork(calls, rows);
                else
                    CalibrationCalls.CallWork(calls, rows);
                long t4 = Now();
                CalibrationCalls.CallSpin(calls, rows);
                long t5 = Now(), callerBefore = nodes[callerNode].Ticks - nodes[child].Ticks;
                if (inlined)
                    CalibrationInlined.CallCaller(calls, rows);
                else
                    CalibrationCalls.CallCaller(calls, rows);
                long t6 = Now();
                CalibrationCalls.ReadClock(calls);
                long t7 = Now();
                called += calls;
                if (round < -1)
                    continue;
                if (round < 0)
                {
                    double picoseconds = Math.Max((t7 - t0) * wall, 1) / calls;
                    calls = (int)Math.Max(Math.Min(RoundMicroseconds * 1e6 / picoseconds, MostCalls), LeastCalls);
                    wall /= calls;
                    recorded /= calls;
                    continue;
                }
                // Stopped or started meanwhile, or stopped on a host without a fast way: other calls were measured than those of the program.
                if (state != (Control.OpenState | (tree.State & Always)) || nodes[emptyNode].Calls != called)
                    return;
                double body = ((t5 - t4) - (t1 - t0)) * wall;
                double inside = (nodes[workNode].Ticks - workBefore) * recorded - body;
                double[] values = rounds.Values;
                int at = rounds.Add();
                values[at + CalibrationRounds.Whole] = (t7 - t0) * wall;
                values[at + CalibrationRounds.Body] = body;
                values[at + CalibrationRounds.Rows] = rows;
                values[at + CalibrationRounds.InsideEmpty] = (nodes[emptyNode].Ticks - emptyBefore) * recorded;
                values[at + CalibrationRounds.CostEmpty] = ((t2 - t1) - (t1 - t0)) * wall;
                values[at + CalibrationRounds.InsideWork] = inside;
                values[at + CalibrationRounds.CostWork] = ((t4 - t3) - (t3 - t2)) * wall;
                values[at + CalibrationRounds.OutsideLast] = (nodes[callerNode].Ticks - nodes[child].Ticks - callerBefore) * recorded - body - inside;
                values[at + CalibrationRounds.ClockRead] = (t7 - t6) * wall;
                rounds.SetWindow(0, (t1 - t0) * wall);
                rounds.SetWindow(1, (t2 - t1) * wall);
                rounds.SetWindow(2, (t3 - t2) * wall);
                rounds.SetWindow(3, (t4 - t3) * wall);
                rounds.SetWindow(4, (t5 - t4) * wall);
                rounds.SetWindow(5, (t6 - t5) * wall);
                rounds.SetWindow(6, (t7 - t6) * wall);
            }
        }

        private static Calibration Of(CalibrationRounds rounds)
        {
            int[] quiet = rounds.Quiet();
            double[] values = Moment(rounds.Middle(CalibrationRounds.InsideEmpty, quiet),
                                     rounds.Middle(CalibrationRounds.CostEmpty, quiet),
                                     rounds.Middle(CalibrationRounds.InsideWork, quiet),
                                     rounds.Middle(CalibrationRounds.CostWork, quiet),
                                     rounds.Middle(CalibrationRounds.OutsideLast, quiet),
                                     rounds.Middle(CalibrationRounds.ClockRead, quiet));
            return Of(values, rounds.Middle(CalibrationRounds.ClockRead, quiet));
        }

        private static Calibration Of(double[] moment, long clockRead)
        {
            return new Calibration(Positive(moment[CalibrationMoments.InsideEmpty]),
                                   Positive(moment[CalibrationMoments.OutsideEmpty]),
                                   Positive(moment[CalibrationMoments.InsideWork]),
                                   Positive(moment[CalibrationMoments.OutsideWork]),
                                   Positive(moment[CalibrationMoments.OutsideLast]), clockRead);
        }

        private static long Positive(double value)
        {
            return (long)Math.Max(value, 0);
        }

        /// <summary>The rounds of a calibration as a moment of the run.</summary>
        private static void AddMoment(CalibrationRounds rounds)
        {
            int[] places = rounds.Undisturbed();
            if (places.Length == 0)
                return;
            double[] moment = Moment(rounds.Mean(CalibrationRounds.InsideEmpty, places),
                                     rounds.Mean(CalibrationRounds.CostEmpty, places),
                                     rounds.Mean(CalibrationRounds.InsideWork, places),
                                     rounds.Mean(CalibrationRounds.CostWork, places),
                                     rounds.Mean(CalibrationRounds.OutsideLast, places),
                                     rounds.Mean(CalibrationRounds.ClockRead, places));
            using (weighing.Enter())
                moments.Add(WallTime.Now(), moment, Control.Current.Generation.StartWall);
        }

        /// <summary>
        /// By what was measured inside, and altogether: the quantities of
        /// <see cref="CalibrationMoments"/>.
        /// </summary>
        private static double[] Moment(double empty, double costEmpty, double work, double costWork,
                                       double outsideLast, double read)
        {
            if (Clock.Kind == Clock.Coarse)
            {
                // It stands still meanwhile. On average a frame's time holds what lies between its readings: one of them.
                empty = Math.Min(read, costEmpty);
                work = Math.Min(read, costWork);
                outsideLast = Math.Max(costWork - work, 0);
            }
            return new double[] { empty, costEmpty - empty, work, costWork - work, outsideLast };
        }

        /// <summary>How many rows of steps take the time that the method with a body is to work.</summary>
        private static int RowsOfWork()
        {
            const int Tried = 8, Times = 5;
            CalibrationCalls.CallSpin(WarmUpCalls, Tried);
            long least = long.MaxValue;
            for (int i = 0; i < Times; i++)
            {
                long start = Now();
                CalibrationCalls.CallSpin(WarmUpCalls, Tried);
                least = Math.Min(least, Now() - start);
            }
            double nanoseconds = Math.Max(least * 1e9 / StopwatchClock.TicksPerSecond() / WarmUpCalls, 1);
            return (int)Math.Max(Math.Min(Math.Round(Tried * WorkNanoseconds / nanoseconds), 10000), 2);
        }
    }
}
