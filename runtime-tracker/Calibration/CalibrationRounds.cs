// The rounds of windows that a run's calibrations have measured, and what the least disturbed of them say.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Rounds of all calibrations of a run are kept together, since what disturbs comes and goes in milliseconds or
    /// seconds: a whole calibration may be out, and a quiet one has few rounds for a clock of long ticks. A round is
    /// quiet by the time of the whole round without the work done in it, which has another length in each. Not by its
    /// result: that is a difference, and may be too small because something disturbed what is taken off. Nor by calls
    /// and readings without work alone: what else uses the processor's core for seconds does not slow those, nor the
    /// work, but both of them together by a fifth and more.
    /// </summary>
    internal sealed class CalibrationRounds
    {
        /// <summary>Quantities, in picoseconds per call: the whole round, the work of a method that works, and in how many rows; and what came out.</summary>
        internal const int Whole = 0, Body = 1, Rows = 2, InsideEmpty = 3, CostEmpty = 4, InsideWork = 5, CostWork = 6, OutsideLast = 7, ClockRead = 8,
                           Quantities = 9;

        /// <summary>
        /// Kept: bound for the rounds kept of a run. One in OneIn of them is quiet; if there are
        /// few, MostOfFew are.
        /// </summary>
        internal const int Kept = 512;
        private const int OneIn = 8, MostOfFew = 16;

        /// <summary>
        /// A quiet round takes at most 1/Near more than the one in place Surely by length: a run may have had only a
        /// few quiet rounds.
        /// </summary>
        private const int Near = 16, Surely = 4;

        /// <summary>The windows of a round, one after another.</summary>
        internal const int Windows = 7;

        /// <summary>
        /// A thread that loses its processor makes a window, or a round, that many times as long as
        /// most are; a window that is longer by less than that part of a round may be so for the
        /// steps of the clock.
        /// </summary>
        private const int Interrupted = 3, PartOfRound = 64;

        /// <summary>How often a round does the work of a method that works, in its windows together.</summary>
        private const int BodiesInRound = 8;

        private readonly int capacity;

        /// <summary>
        /// The quantities of each round, one round after another. There is room for the capacity.
        /// </summary>
        internal readonly double[] Values;

        /// <summary>
        /// How long each window of each round took, in picoseconds per call, in the same order.
        /// </summary>
        internal readonly double[] Lengths;

        /// <summary>How many there were, also those that are kept no more.</summary>
        internal int Made;

        private uint random = 1;

        internal CalibrationRounds(int capacity)
        {
            this.capacity = capacity;
            Values = new double[capacity * Quantities];
            Lengths = new double[capacity * Windows];
        }

        internal int Count
        {
            get { return Math.Min(Made, capacity); }
        }

        /// <summary>
        /// Takes those rounds in. Where there is no room for all, each round of the run so far is
        /// kept with the same probability: what was quiet once is as good later.
        /// </summary>
        internal void Take(CalibrationRounds rounds)
        {
            int count = rounds.Count, fitting = Math.Min(count, Math.Max(capacity - Made, 0));
            if (fitting != 0)
                Array.Copy(rounds.Values, 0, Values, Made * Quantities, fitting * Quantities);
            Made += fitting;
            for (int i = fitting; i < count; i++)
            {
                Made++;
                random = unchecked(random * 1664525 + 1013904223);
                int at = (int)(((ulong)random * (ulong)Made) >> 32);
                for (int q = 0; q < Quantities && at < capacity; q++)
                    Values[at * Quantities + q] = rounds.Values[i * Quantities + q];
            }
        }

        /// <summary>
        /// Returns the places of the rounds (at least one is there, and all have their windows
        /// recorded) without those that were interrupted: in these the thread was off its
        /// processor, which is no cost of calls. Slowness of all that runs leaves them in.
        /// </summary>
        internal int[] Undisturbed()
        {
            int count = Made, found = 0;
            double[] most = new double[Windows], lengths = new double[count];
            for (int i = 0; i < count; i++)
                lengths[i] = Values[i * Quantities + Whole];
            Ascending.Sort(lengths, count);
            double whole = lengths[count / 2];
            for (int w = 0; w < Windows; w++)
            {
                for (int i = 0; i < count; i++)
                    lengths[i] = Lengths[i * Windows + w];
                Ascending.Sort(lengths, count);
                most[w] = Interrupted * lengths[count / 2] + whole / PartOfRound;
            }
            int[] left = new int[count];
            for (int i = 0; i < count; i++)
            {
                bool ran = Values[i * Quantities + Whole] <= Interrupted * whole;
                for (int w = 0; w < Windows && ran; w++)
                    ran = Lengths[i * Windows + w] <= most[w];
                if (ran)
                    left[found++] = i * Quantities;
            }
            int[] places = new int[found];
            Array.Copy(left, 0, places, 0, found);
            return places;
        }

        /// <summary>
        /// The mean of each quantity over these rounds, at least one, without the eighth with the
        /// least and the eighth with the most: a difference of two windows is far off, to either
        /// side, when a short disturbance hits one of them. May be below 0.
        /// </summary>
        internal double[] Means(int[] places)
        {
            double[] means = new double[Quantities], found = new double[places.Length];
            int cut = found.Length / OneIn;
            for (int quantity = InsideEmpty; quantity < Quantities; quantity++)
            {
                for (int i = 0; i < found.Length; i++)
                    found[i] = Values[places[i] + quantity];
                Ascending.Sort(found, found.Length);
                double sum = 0;
                for (int i = cut; i < found.Length - cut; i++)
                    sum += found[i];
                means[quantity] = sum / (found.Length - 2 * cut);
            }
            return means;
        }

        /// <summary>The places of the quiet rounds.</summary>
        internal int[] Quiet()
        {
            int count = Count;
            double row = Row(count);
            double[] without = new double[count], sorted = new double[count];
            for (int i = 0; i < count; i++)
                sorted[i] = without[i] = Values[i * Quantities + Whole] - BodiesInRound * row * Values[i * Quantities + Rows];
            Ascending.Sort(sorted, count);
            int found = Math.Min(Math.Max(count / OneIn, MostOfFew), count);
            while (found > Surely && (sorted[found - 1] - sorted[Surely - 1]) * Near > sorted[Surely - 1])
                found--;
            int[] quiet = new int[found];
            int taken = 0;
            for (int i = 0; i < count && taken < found; i++)
                if (without[i] <= sorted[found - 1])
                    quiet[taken++] = i * Quantities;
            return quiet;
        }

        /// <summary>How long a row of work takes, in most rounds.</summary>
        private double Row(int count)
        {
            double[] rows = new double[count];
            for (int i = 0; i < count; i++)
                rows[i] = Values[i * Quantities + Body] / Values[i * Quantities + Rows];
            Ascending.Sort(rows, count);
            return rows[count / 2];
        }

        /// <summary>
        /// The mean of each quantity over the middle half of the quiet rounds: a round can be
        /// disturbed in one of its windows, and a clock with steps larger than the result needs a
        /// mean. In whole picoseconds, at least 0.
        /// </summary>
        internal double[] Middles(int[] quiet)
        {
            double[] middles = new double[Quantities], found = new double[quiet.Length];
            int first = found.Length / 4;
            for (int quantity = InsideEmpty; quantity < Quantities; quantity++)
            {
                for (int i = 0; i < found.Length; i++)
                    found[i] = Values[quiet[i] + quantity];
                Ascending.Sort(found, found.Length);
                double sum = 0;
                for (int i = first; i < found.Length - first; i++)
                    sum += found[i];
                middles[quantity] = (long)Math.Max(sum / (found.Length - 2 * first), 0);
            }
            return middles;
        }
    }
}
