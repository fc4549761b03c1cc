// The cost of the probes themselves, so that a report can take it off: docs/profile-format.md,
// section 3.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>Picoseconds per call: within the frame's own time, and in its caller's. Never changed.</summary>
    internal sealed class Calibration
    {
        /// <summary>Calls in a window at least and at most, and how many rounds of windows there are at least and at most.</summary>
        private const int LeastCalls = 16, MostCalls = 128, LeastRounds = 8, MostRounds = 64;

        /// <summary>Rounds end after that time; the first ones of a run, which may be the only ones, later.</summary>
        private const int Milliseconds = 1, FirstMilliseconds = 2;

        /// <summary>Slow clocks have fewer calls, so that a round does not take longer.</summary>
        private const int RoundMicroseconds = 150;

        /// <summary>
        /// Rounds before the counted ones: one makes the JIT compile the code, the last measures how many calls a
        /// window gets.
        /// </summary>
        private const int WarmUps = 2, WarmUpCalls = 64;

        /// <summary>How long the method with a body works.</summary>
        private const int WorkNanoseconds = 60;

        /// <summary>From half of that to half as much again, in that many steps; any few rounds take some from all over.</summary>
        private const int WorkLengths = 16, BetweenLengths = 5;

        /// <summary>With what is written while the program runs there is a new one every that many times, and the first times each.</summary>
        private const int BeatsBetween = 8, FirstBeats = 2;

        /// <summary>
        /// Between two the process takes that many milliseconds of processor time, a hundred times what one takes, or a second goes by: where
        /// a program waits, or others have the processors, there are no more calls for it.
        /// </summary>
        private const int BetweenCpu = 100, BetweenWall = 1000, NanosecondsPerMillisecond = 1000000;

        /// <summary>
        /// What fewer calls cost together is less than a hundredth of what a runtime takes to compile the methods that measure it: a program
        /// that ends before the first calibration goes without.
        /// </summary>
        private const int LeastOfProgram = 100;

        /// <summary>
        /// Bound for the kept moments of a run. At one a second, nine minutes of them are kept one
        /// by one.
        /// </summary>
        private const int Moments = 512;

        /// <summary>
        /// By the ticking clock one part in that many of a call's cost is taken to lie between its two looks at the last tick: what follows
        /// the look in the way in, and comes before it in the way out. A clock that stands still meanwhile cannot measure it.
        /// </summary>
        internal const int TickingInside = 8;

        /// <summary>
        /// That much of a call's cost lies beside the two stores between which the clock's thread sees a probe: the calls themselves, and what
        /// finds the thread's tree. In percent.
        /// </summary>
        internal const int BesideProbes = 30;

        internal readonly long InsideEmpty, OutsideEmpty, InsideWork, OutsideWork, OutsideLast, ClockRead;

        // By its latch all that was measured so far is read and changed; null: nothing was.
        private static volatile SpinLock weighing;
        private static CalibrationRounds rounds;
        private static CalibrationMoments moments;

        // The thread's that is busy measuring.
        private static CalibrationRounds newest;
        private static int busy, beats;

        // Of the last one: the processor time in ns when it ended, that moment, and 1 + the number of its generation; 0: there was none.
        private static long lastCpu;
        private static int lastAt, lastGeneration;

        /// <summary>By a moment's quantities; noughts in the place of what is below.</summary>
        private Calibration(double[] moment, long clockRead)
        {
            long[] whole = new long[CalibrationMoments.Quantities];
            for (int i = 0; i < whole.Length; i++)
                whole[i] = moment[i] > 0 ? (long)moment[i] : 0;
            InsideEmpty = whole[CalibrationMoments.InsideEmpty];
            OutsideEmpty = whole[CalibrationMoments.OutsideEmpty];
            InsideWork = whole[CalibrationMoments.InsideWork];
            OutsideWork = whole[CalibrationMoments.OutsideWork];
            OutsideLast = whole[CalibrationMoments.OutsideLast];
            ClockRead = clockRead;
        }

        /// <summary>By all that was measured so far; null: nothing.</summary>
        internal static Calibration Latest()
        {
            if (weighing == null)
                return null;
            using (weighing.Enter())
            {
                if (rounds.Made == 0)
                    return null;
                double[] middles = rounds.Middles(rounds.Quiet());
                return new Calibration(Moment(middles), (long)middles[CalibrationRounds.ClockRead]);
            }
        }

        /// <summary>True if the last one says as much as another one would: it may have been before the program's first folded call.</summary>
        private static bool IsFresh()
        {
            if (lastGeneration != 1 + Control.Current.Generation.Number || (uint)unchecked(Environment.TickCount - lastAt) >= BetweenWall ||
                FoldedCosts.AreWanted)
                return false;
            long cpu = MachineFacts.CpuTime();
            return cpu >= 0 && cpu - lastCpu < BetweenCpu * NanosecondsPerMillisecond;
        }

        /// <summary><see cref="Refresh"/> ahead of a writing: a short program with few calls goes without.</summary>
        internal static void RefreshToWrite(bool beat)
        {
            if (Matters())
                Refresh(beat);
        }

        /// <summary>True if it may matter what calls cost. Those that were taken back have left nothing but that.</summary>
        internal static bool Matters()
        {
            return weighing != null || FoldedCosts.AreWanted || Registry.HaveCalls(LeastOfProgram);
        }

        /// <summary>
        /// Measures on the calling thread, which must be inside of the tracker; not on each beat
        /// again. A cost that a host cannot measure is left as it is.
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
                if (Counting.IsAlone || !WallTime.UsesStopwatch || Clock.Kind == Clock.None || Clock.Kind == Clock.User)
                    return;
                // The price of a call is far below such a step: it can't be measured.
                if (WallTime.Step != 0 || IsFresh())
                    return;
                // A tree of no generation, reachable from nowhere else.
                ThreadTree.Current = new ThreadTree(new KnownThread(Thread.CurrentThread), null);
                ThreadTree.Current.NextLook = long.MaxValue;
                if (weighing == null)
                {
                    moments = new CalibrationMoments(Moments);
                    newest = new CalibrationRounds(MostRounds);
                    rounds = new CalibrationRounds(CalibrationRounds.Kept);
                    weighing = new SpinLock();
                }
                newest.Made = 0;
                Measure(ThreadTree.Current, newest, rounds.Made);
                if (newest.Made != 0)
                    Take(newest);
                if (newest.Made != 0 && FoldedCosts.AreWanted)
                    FoldedCosts.Measure(ThreadTree.Current);
                if (newest.Made == 0)
                    return;
                lastCpu = MachineFacts.CpuTime();
                lastAt = Environment.TickCount;
                lastGeneration = 1 + Control.Current.Generation.Number;
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
            if (weighing == null)
                return 0;
            double[] means = new double[CalibrationMoments.Quantities];
            double[] highs = new double[CalibrationMoments.Quantities];
            int count;
            using (weighing.Enter())
                count = moments.Weigh(start, WallTime.Now(), means, highs);
            if (count == 0)
                return 0;
            mean = new Calibration(means, 0);
            high = new Calibration(highs, 0);
            return count;
        }

        // With these bits the program's calls go the slow way, too, all the time.
        private const TreeState Always = TreeState.PlainHost | TreeState.Recording | TreeState.CountingFigures | TreeState.Triggered;

        /// <summary>Adds rounds, in picoseconds; that many were made before.</summary>
        private static void Measure(ThreadTree tree, CalibrationRounds rounds, int before)
        {
            if (tree.Events != null && !EventStream.Of(tree).IsSampled)
                EventStream.Of(tree).Detach();
            else
                tree.Events = null;
            if (Settings.Log && Features.Log)
                tree.Log = LogStream.Detached();
            if (Control.Current.Triggers != null)
                tree.Trigger(new Triggers(null, int.MaxValue, 0));
            int emptyNode, workNode, callerNode;
            CalibrationCalls.Prepare(tree, out emptyNode, out workNode, out callerNode);
            int worksFor = RowsOfWork();
            double wall = 1e12 / StopwatchClock.TicksPerSecond(), recorded = 1e12 / Clock.TicksPerSecond;
            Node[] nodes = tree.Nodes;
            int child = nodes[callerNode].FirstChild;
            // This opens the fast way, also while nothing is recorded.
            TreeState state = tree.State = Control.OpenState | (tree.State & Always);
            long end = StopwatchClock.Now() + StopwatchClock.TicksPerSecond() * (before == 0 ? FirstMilliseconds : Milliseconds) / 1000;
            int calls = WarmUpCalls;
            long called = 0;
            double[] values = rounds.Values, lengths = rounds.Lengths;
            for (int round = -WarmUps; round < MostRounds && (round < LeastRounds || StopwatchClock.Now() < end); round++)
            {
                // Not the same length in each round, which may be one that the clock's own steps are in time with.
                int step = (before + rounds.Made) % WorkLengths * BetweenLengths % WorkLengths;
                int rows = worksFor / 2 + worksFor * step / (WorkLengths - 1);
                long t0 = StopwatchClock.Now();
                CalibrationCalls.CallBareEmpty(calls, rows);
                long t1 = StopwatchClock.Now(), emptyBefore = nodes[emptyNode].Ticks;
                CalibrationCalls.CallEmpty(calls, rows);
                long t2 = StopwatchClock.Now();
                CalibrationCalls.CallBareWork(calls, rows);
                long t3 = StopwatchClock.Now(), workBefore = nodes[workNode].Ticks;
                CalibrationCalls.CallWork(calls, rows);
                long t4 = StopwatchClock.Now();
                CalibrationCalls.CallSpin(calls, rows);
                long t5 = StopwatchClock.Now(), callerBefore = nodes[callerNode].Ticks - nodes[child].Ticks;
                CalibrationCalls.CallCaller(calls, rows);
                long t6 = StopwatchClock.Now();
                CalibrationCalls.ReadClock(calls);
                long t7 = StopwatchClock.Now();
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
                int at = rounds.Made * CalibrationRounds.Quantities, first = rounds.Made * CalibrationRounds.Windows;
                rounds.Made++;
                values[at + CalibrationRounds.Whole] = (t7 - t0) * wall;
                values[at + CalibrationRounds.Body] = body;
                values[at + CalibrationRounds.Rows] = rows;
                values[at + CalibrationRounds.InsideEmpty] = (nodes[emptyNode].Ticks - emptyBefore) * recorded;
                values[at + CalibrationRounds.CostEmpty] = ((t2 - t1) - (t1 - t0)) * wall;
                values[at + CalibrationRounds.InsideWork] = inside;
                values[at + CalibrationRounds.CostWork] = ((t4 - t3) - (t3 - t2)) * wall;
                values[at + CalibrationRounds.OutsideLast] = (nodes[callerNode].Ticks - nodes[child].Ticks - callerBefore) * recorded - body - inside;
                values[at + CalibrationRounds.ClockRead] = (t7 - t6) * wall;
                lengths[first] = (t1 - t0) * wall;
                lengths[first + 1] = (t2 - t1) * wall;
                lengths[first + 2] = (t3 - t2) * wall;
                lengths[first + 3] = (t4 - t3) * wall;
                lengths[first + 4] = (t5 - t4) * wall;
                lengths[first + 5] = (t6 - t5) * wall;
                lengths[first + 6] = (t7 - t6) * wall;
            }
        }

        /// <summary>The rounds of a calibration, as such and as a moment of the run.</summary>
        private static void Take(CalibrationRounds made)
        {
            int[] places = made.Undisturbed();
            using (weighing.Enter())
            {
                rounds.Take(made);
                if (places.Length != 0)
                    moments.Add(WallTime.Now(), Moment(made.Means(places)), Control.Current.Generation.StartWall);
            }
        }

        /// <summary>
        /// The quantities of <see cref="CalibrationMoments"/>, by what was measured inside, and
        /// altogether.
        /// </summary>
        private static double[] Moment(double[] measured)
        {
            double empty = measured[CalibrationRounds.InsideEmpty], work = measured[CalibrationRounds.InsideWork];
            double costEmpty = measured[CalibrationRounds.CostEmpty], costWork = measured[CalibrationRounds.CostWork];
            double outsideLast = measured[CalibrationRounds.OutsideLast];
            if (Clock.Kind == Clock.Ticking)
            {
                empty = work = costEmpty / TickingInside;
                costWork = costEmpty;
                outsideLast = costWork - work;
            }
            else if (Clock.Kind == Clock.Coarse)
            {
                // It stands still meanwhile. On average a frame's time holds what lies between its readings: one of them.
                empty = Math.Min(measured[CalibrationRounds.ClockRead], costEmpty);
                work = Math.Min(measured[CalibrationRounds.ClockRead], costWork);
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
                long start = StopwatchClock.Now();
                CalibrationCalls.CallSpin(WarmUpCalls, Tried);
                least = Math.Min(least, StopwatchClock.Now() - start);
            }
            double nanoseconds = Math.Max(least * 1e9 / StopwatchClock.TicksPerSecond() / WarmUpCalls, 1);
            return (int)Math.Max(Math.Min(Math.Round(Tried * WorkNanoseconds / nanoseconds), 10000), 2);
        }
    }
}
