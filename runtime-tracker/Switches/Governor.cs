// Keeps the price of recording: methods whose probes cost more than they tell are switched off while the program runs.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// The price is what all calls have cost, in parts of the processor time that the program took without that. The
    /// tracker's own thread looks now and then; where a host has no threads, calls of the program's do.
    /// </summary>
    internal static class Governor
    {
        /// <summary>
        /// Milliseconds between two looks at least, and in the time between the start and when the price has to be kept, in
        /// which most of what is ever switched off is found.
        /// </summary>
        private const int Period = 50, FirstPeriod = 20, Settling = 1000;

        /// <summary>
        /// As long as the price is kept, each time between two looks is twice the last one, up to that many milliseconds. Methods that
        /// were chosen for the price need few looks.
        /// </summary>
        private const int CalmPeriod = 200;

        /// <summary>
        /// All looks together take at most this part of what the price allows recording, but for that many milliseconds; no
        /// larger part of the time than one in that many; and the longest time between two.
        /// </summary>
        private const int ShareOfPrice = 5, ShareOfTime = 100, FreeLooking = 25, MostPeriod = 60000;

        /// <summary>The processor time that has to have gone by for a look to tell anything, in ns.</summary>
        private const long LeastCpu = 15000000;

        /// <summary>So many calls are cheap, whatever they cost in parts of the rest.</summary>
        private const long FreeCalls = 20000;

        /// <summary>A method that has cost less than that many calls in a period is not worth its absence.</summary>
        private const long LeastCalls = 16;

        /// <summary>
        /// So much costs each way by which a method is come to, in ns: its node in the tree is made, mostly cold when it is
        /// come to again, read at each look and written at least at the end.
        /// </summary>
        private const double NodeCost = 1500;

        /// <summary>
        /// A call costs that much at least, in ns, with lost inlining and cold caches; and so much that calibration does not see.
        /// </summary>
        private const int LeastOnMono = 65, LeastElsewhere = 100, LeastByTicks = 20, LostInlining = 10;

        /// <summary>By ticks a folded call costs as much as three others: what it counts in is cold. csc's take 73 ns, mcs' 60.</summary>
        private const int FoldedByTicks = 3;

        /// <summary>Where probes seem to have cost nearly all of the time, this part of it counts as the program's own.</summary>
        private const int LeastShareOfProgram = 10;

        private static SpinLock looking;
        private static int lookAt, settledAt, calmPeriod;
        private static bool isAlone;

        // Sums at the last look that told anything, and room for the next ones. Processor time in ns then, at the start of
        // the generation, and when the price had to be kept from.
        private static CallSums last, spare;
        private static long lastCpu, firstCpu, settledCpu, settledCalls, settledNodes;

        // The tracker's own processor time then. It is part of what is reported; no method that is switched off would lower it.
        private static long firstOwn, settledOwn;
        private static int generation;

        // By WallTime: when the first look began, and how long all took.
        private static long beganAt, looked;
        private static bool isSettled;

        /// <summary>The session begins. Without a thread the program's calls look.</summary>
        internal static void Begin()
        {
            if (Settings.Overhead == 0)
                return;
            looking = new SpinLock();
            last = new CallSums();
            spare = new CallSums();
            // The first look, by whoever looks, is the beginning.
            generation = -1;
            lookAt = Environment.TickCount;
        }

        /// <summary>There is no thread of the tracker's here.</summary>
        internal static void BeginAlone()
        {
            isAlone = looking != null;
            if (isAlone)
                StackRoom.AlwaysCheck();
        }

        private static void BeginGeneration(int number, int now, long cpu)
        {
            generation = number;
            firstCpu = lastCpu = cpu;
            // The threads' start counts.
            firstOwn = number == 0 ? 0 : MachineFacts.TrackerTime();
            settledAt = unchecked(now + Settling);
            calmPeriod = 0;
            isSettled = false;
            last.Clear();
            // Nothing to see yet; what the next look calls is compiled now (Session.Watch).
            spare = CallSums.Now(spare);
        }

        /// <summary>Looks, if it is time, between what the tracker's thread does first.</summary>
        internal static void Look()
        {
            Look(Environment.TickCount);
        }

        /// <summary>Looks, if it is time. Returns in how many milliseconds to come again at the latest.</summary>
        internal static int Look(int now)
        {
            if (looking == null)
                return int.MaxValue;
            int left = unchecked(lookAt - now);
            if (left > 0)
                return left;
            long begun = WallTime.Now();
            using (looking.Enter())
                Look(now, MachineFacts.CpuTime());
            long end = WallTime.Now();
            looked += end - begun;
            if (beganAt == 0)
                beganAt = begun;
            // The first looks compile what they call: they may take longer.
            int share = Math.Max(ShareOfPrice * 100 / Settings.Overhead, ShareOfTime);
            long due = (WallTime.Convert(looked, 1000) - FreeLooking) * share - WallTime.Convert(end - beganAt, 1000);
            int period = (int)Math.Min(Math.Max(due, Math.Max(isSettled ? Period : FirstPeriod, calmPeriod)), MostPeriod);
            lookAt = unchecked(now + period);
            return period;
        }

        /// <summary>A call of the program's, on a host without threads: looks, if it is time. Never throws.</summary>
        internal static void LookFromCall()
        {
            if (!isAlone)
                return;
            int now = Environment.TickCount;
            if (unchecked(lookAt - now) > 0 || !Guard.Enter())
                return;
            try
            {
                Look(now);
            }
            catch (Exception)
            {
                // No memory: all stays on.
            }
            finally
            {
                Guard.Leave();
            }
        }

        private static void Look(int now, long cpu)
        {
            int number = Control.Current.Generation.Number;
            if (number != generation)
            {
                BeginGeneration(number, now, cpu);
                return;
            }
            bool settles = !isSettled && unchecked(now - settledAt) >= 0;
            if (cpu < 0 || (cpu - lastCpu < LeastCpu && !settles))
                return;
            CallSums sums = CallSums.Now(spare);
            spare = last;
            last = sums;
            long spent = cpu - lastCpu;
            lastCpu = cpu;
            if (settles)
            {
                isSettled = true;
                settledCpu = cpu;
                settledOwn = MachineFacts.TrackerTime();
                settledCalls = Weighed(sums.AllCalls, sums.AllFolded);
                settledNodes = sums.AllNodes;
            }
            if (sums.AllCalls <= FreeCalls)
            {
                BeCalm();
                return;
            }
            double cost = CallCost();
            long permille = Permille(Avoidable(Weighed(sums.AllCalls, sums.AllFolded), sums.AllNodes, cost), cpu - firstCpu);
            if (permille <= Settings.Overhead * 10L)
            {
                BeCalm();
                return;
            }
            calmPeriod = 0;
            SwitchOff(sums, spare, spent, cost);
        }

        private static void BeCalm()
        {
            calmPeriod = Math.Min(Math.Max(calmPeriod, FirstPeriod) * 2, CalmPeriod);
        }

        /// <summary>The average cost of a call, in ns.</summary>
        private static double CallCost()
        {
            double least = Clock.Kind == Clock.Ticking ? LeastByTicks : Host.IsMono ? LeastOnMono : LeastElsewhere;
            Calibration mean, high;
            if (Calibration.Since(Control.Current.Generation.StartWall, out mean, out high) == 0)
                return least;
            return Math.Max(least, (mean.InsideWork + mean.OutsideWork) / 1000.0 + LostInlining);
        }

        /// <summary>The number of calls by their price: folded ones cost more.</summary>
        private static long Weighed(long calls, long folded)
        {
            return Clock.Kind == Clock.Ticking ? calls + folded * (FoldedByTicks - 1) : calls;
        }

        private static double AvoidableSince(CallSums before, CallSums sums, int at, double cost)
        {
            long calls = Weighed(sums.Calls(at) - before.Calls(at), sums.Folded(at) - before.Folded(at));
            return Avoidable(calls, sums.Nodes(at) - before.Nodes(at), cost);
        }

        /// <summary>The cost of that many calls that made that many nodes, in ns. Threads that end take
        /// nodes away.</summary>
        private static double Price(long calls, long nodes, double cost)
        {
            return calls * cost + Math.Max(nodes, 0) * NodeCost;
        }

        /// <summary>The part of it for which a method may be switched off: nodes that a setting asks for are no reason.</summary>
        private static double Avoidable(long calls, long nodes, double cost)
        {
            return Price(calls, Registry.WereNodesAsked ? 0 : nodes, cost);
        }

        /// <summary>The processor time that the program itself took, of that much in all.</summary>
        private static double OfProgram(double price, long cpu)
        {
            return Math.Max(cpu - price, (double)cpu / LeastShareOfProgram);
        }

        private static long Permille(double price, long cpu)
        {
            return cpu <= 0 ? 0 : (long)(price * 1000 / OfProgram(price, cpu));
        }

        /// <summary>Switches off until what the last period has recorded would be cheap enough.</summary>
        private static void SwitchOff(CallSums sums, CallSums before, long spent, double cost)
        {
            double price = 0;
            List<int> ids = new List<int>();
            List<double> values = new List<double>();
            for (int at = 0; at < sums.Length; at++)
            {
                int id = Registry.FirstId + at;
                if (sums.Calls(at) <= before.Calls(at) || Switches.IsOff(id))
                    continue;
                double own = AvoidableSince(before, sums, at, cost);
                price += own;
                if (own < LeastCalls * cost || sums.IsKept(at) || Roots.Has(id) || Switches.IsPinned(id))
                    continue;
                ids.Add(id);
                values.Add(-Value(own, sums.Ticks(at) - before.Ticks(at)));
            }
            double allowed = OfProgram(price, spent) * Settings.Overhead / 100;
            if (price <= allowed)
                return;
            int[] order = ids.ToArray();
            Array.Sort(values.ToArray(), order);
            int count = 0;
            for (; count < order.Length && price > allowed; count++)
            {
                price -= AvoidableSince(before, sums, order[count] - Registry.FirstId, cost);
            }
            Switches.Set(order, count, Switches.ByGovernor, true);
        }

        /// <summary>
        /// How much is gained when it is off: what its calls have cost, less where they take long themselves and so explain
        /// where time goes. For a method that is as short as its probes it is half of the cost.
        /// </summary>
        private static double Value(double price, long ticks)
        {
            double took = Math.Max(ticks, 0) * 1e9 / Clock.TicksPerSecond;
            return price * (price / (price + took));
        }

        /// <summary>
        /// The keys and values of the section RUN (docs/profile-format.md, section 3), for the generation with that number.
        /// </summary>
        internal static void AddTo(List<string> pairs, int number)
        {
            if (looking == null)
                return;
            Add(pairs, RunKey.overhead, Settings.Overhead);
            using (looking.Enter())
            {
                long cpu = MachineFacts.CpuTime();
                if (number != generation || cpu < 0 || firstCpu < 0)
                    return;
                spare = CallSums.Now(spare);
                double cost = CallCost();
                long own = MachineFacts.TrackerTime();
                long calls = Weighed(spare.AllCalls, spare.AllFolded);
                double price = Price(calls, spare.AllNodes, cost) + own - firstOwn;
                Add(pairs, RunKey.call_ps, (long)(cost * 1000));
                Add(pairs, RunKey.overhead_permille, Permille(price, cpu - firstCpu));
                price = Price(calls - settledCalls, spare.AllNodes - settledNodes, cost) + own - settledOwn;
                if (isSettled && cpu - settledCpu >= LeastCpu)
                    Add(pairs, RunKey.overhead_settled, 1 + Permille(price, cpu - settledCpu));
            }
        }

        private static void Add(List<string> pairs, string key, long value)
        {
            pairs.Add(key);
            pairs.Add(Host.Number(value));
        }
    }
}
