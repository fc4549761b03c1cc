// The rounds of windows that a run's calibrations have measured, and what the least disturbed of them say.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Rounds of all calibrations of a run are kept together, since what disturbs comes and goes in milliseconds or seconds: a whole calibration
    /// may be out, and a quiet one has few rounds for a clock of long ticks. Which were quiet is told by the time of the whole round but for the
    /// work done in it, which is of another length in each. Not by what came out: that is a difference, and may be too small because something
    /// disturbed what is taken off. Nor by calls and readings without work alone: what else uses the processor's core for seconds does not slow
    /// those, nor the work, but both of them together by a fifth and more.
    /// </summary>
    internal sealed class CalibrationRounds
    {
        /// <summary>Quantities, in picoseconds per call: the whole round, the work of a method that works, and in how many rows; and what came out.</summary>
        internal const int Whole = 0, Body = 1, Rows = 2, InsideEmpty = 3, CostEmpty = 4, InsideWork = 5, CostWork = 6, OutsideLast = 7, ClockRead = 8,
                           Quantities = 9;

        /// <summary>
        /// So many are kept of a run; of them one in so many is quiet, of few so many.
        /// </summary>
        internal const int Kept = 512;
        private const int OneIn = 8, MostOfFew = 16;

        /// <summary>
        /// But only while they take a part in so many more than those so many that took least: a run may have had a few quiet rounds alone.
        /// </summary>
        private const int Near = 16, Surely = 4;

        /// <summary>The windows of a round, one behind another.</summary>
        internal const int Windows = 7;

        /// <summary>
        /// A thread that loses its processor makes a window, or a round, so many times as long as
        /// most are; a window that is longer by less than that part of a round may be so for the
        /// steps of the clock.
        /// </summary>
        private const int Interrupted = 3, PartOfRound = 64;

        /// <summary>How often a round does the work of a method that works, in its windows together.</summary>
        private const int BodiesInRound = 8;

        private readonly int capacity;
        private readonly double[] values;

        // Null while nobody has told of one.
        private double[] windows;

        private int made;
        private uint random = 1;

        internal CalibrationRounds(int capacity)
        {
            this.capacity = capacity;
            values = new double[capacity * Quantities];
        }

        internal int Count
        {
            get { return Math.Min(made, capacity); }
        }

        /// <summary>Also those that are kept no more.</summary>
        internal int Made
        {
            get { return made; }
        }

        /// <summary>
        /// The place for a new round's quantities begins at the returned index of
        /// <see cref="Values"/>. There must be room.
        /// </summary>
        internal int Add()
        {
            return made++ * Quantities;
        }

        /// <summary>Begins anew, with none.</summary>
        internal void Clear()
        {
            made = 0;
        }

        /// <summary>
        /// Takes those rounds in. Where there is no room for all, each round of the run so far is
        /// kept with the same probability: what was quiet once is as good later.
        /// </summary>
        internal void Take(CalibrationRounds rounds)
        {
            for (int i = 0; i < rounds.Count; i++)
            {
                int at = made++;
                if (at >= capacity)
                {
                    random = unchecked(random * 1664525 + 1013904223);
                    at = (int)(((ulong)random * (ulong)made) >> 32);
                }
                if (at < capacity)
                    Array.Copy(rounds.values, i * Quantities, values, at * Quantities, Quantities);
            }
        }

        internal double[] Values
        {
            get { return values; }
        }

        /// <summary>
        /// How long each window of the round that was added last took, in picoseconds per call.
        /// </summary>
        internal void SetWindow(int window, double length)
        {
            if (windows == null)
                windows = new double[capacity * Windows];
            windows[(made - 1) * Windows + window] = length;
        }

        /// <summary>
        /// The places of the rounds, all of which have their windows told, but for those that were
        /// interrupted: in these the thread was off its processor, which is no cost of calls. What
        /// slows all that runs, for a while, leaves them in.
        /// </summary>
        internal int[] Undisturbed()
        {
            int count = made, found = 0;
            double[] most = new double[Windows], lengths = new double[count];
            for (int i = 0; i < count; i++)
                lengths[i] = values[i * Quantities + Whole];
            double whole = Median(lengths);
            for (int w = 0; w < Windows; w++)
            {
                for (int i = 0; i < count; i++)
                    lengths[i] = windows[i * Windows + w];
                most[w] = Interrupted * Median(lengths) + whole / PartOfRound;
            }
            int[] left = new int[count];
            for (int i = 0; i < count; i++)
            {
                bool ran = values[i * Quantities + Whole] <= Interrupted * whole;
                for (int w = 0; w < Windows && ran; w++)
                    ran = windows[i * Windows + w] <= most[w];
                if (ran)
                    left[found++] = i * Quantities;
            }
            int[] places = new int[found];
            Array.Copy(left, 0, places, 0, found);
            return places;
        }

        private static double Median(double[] lengths)
        {
            double[] sorted = new double[lengths.Length];
            Array.Copy(lengths, 0, sorted, 0, sorted.Length);
            Array.Sort(sorted, 0, sorted.Length);
            return sorted[sorted.Length / 2];
        }

        /// <summary>
        /// The mean over these rounds, of which there is one at least, without the eighth that has
        /// the least and the eighth that has the most: a difference of windows, one of which
        /// something short has hit, is far off, to either side. May be below 0.
        /// </summary>
        internal double Mean(int quantity, int[] places)
        {
            double[] found = Sorted(quantity, places);
            int cut = found.Length / OneIn;
            return Mean(found, cut, found.Length - cut);
        }

        private double[] Sorted(int quantity, int[] places)
        {
            double[] found = new double[places.Length];
            for (int i = 0; i < found.Length; i++)
                found[i] = values[places[i] + quantity];
            Array.Sort(found, 0, found.Length);
            return found;
        }

        private static double Mean(double[] found, int first, int end)
        {
            double sum = 0;
            for (int i = first; i < end; i++)
                sum += found[i];
            return sum / (end - first);
        }

        /// <summary>The places of the quiet rounds.</summary>
        internal int[] Quiet()
        {
            int count = Count;
            double row = Row(count);
            double[] without = new double[count], sorted = new double[count];
            for (int i = 0; i < count; i++)
                sorted[i] = without[i] = values[i * Quantities + Whole] - BodiesInRound * row * values[i * Quantities + Rows];
            // Not with their places: that sort would be compiled for this alone, which takes longer than all else here.
            Array.Sort(sorted, 0, count);
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
                rows[i] = values[i * Quantities + Body] / values[i * Quantities + Rows];
            Array.Sort(rows, 0, count);
            return rows[count / 2];
        }

        /// <summary>
        /// The mean of the middle half of the quiet rounds: a round can be disturbed in one of its windows, and a clock whose steps are
        /// larger than what is asked for needs a mean. At least 0.
        /// </summary>
        internal long Middle(int quantity, int[] quiet)
        {
            double[] found = Sorted(quantity, quiet);
            int first = found.Length / 4;
            return (long)Math.Max(Mean(found, first, found.Length - first), 0);
        }
    }
}
