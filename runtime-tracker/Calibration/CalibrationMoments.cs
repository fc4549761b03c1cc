// The calibrations of a run in the order of time, and what they say of all of it: the mean, and
// what was seldom exceeded.
using System;

namespace Instrumenter
{
    /// <summary>
    /// A moment is one calibration: when it was, and the mean of its rounds. Each stands for the
    /// time from half-way to the one before to half-way to the next; the first from the beginning
    /// on, the last to the end. The store is bounded: when it is full, the two neighbours that
    /// stand for the least time together become one, which stands for the time of both. So what it
    /// says of a long run comes from all of it, in parts of about the same length. Times are ticks
    /// of any clock. The caller keeps other threads out.
    /// </summary>
    internal sealed class CalibrationMoments
    {
        /// <summary>
        /// Quantities, in picoseconds per call; a moment's may be below 0, as each is a difference.
        /// </summary>
        internal const int InsideEmpty = 0, OutsideEmpty = 1, InsideWork = 2, OutsideWork = 3,
                           OutsideLast = 4, Quantities = 5;

        private readonly int capacity;
        private readonly double[] values;

        // Where the time begins that each stands for, and the last one's own.
        private readonly long[] from;
        private long last;
        private int count;

        // How many calibrations each is of.
        private readonly int[] parts;

        /// <summary>At least 4 are kept.</summary>
        internal CalibrationMoments(int capacity)
        {
            this.capacity = capacity;
            values = new double[capacity * Quantities];
            from = new long[capacity];
            parts = new int[capacity];
        }

        /// <summary>
        /// Adds a moment, which is not before the last one. Whatever stood only for time before
        /// <paramref name="start"/> is dropped: the beginning that the next question will be about,
        /// or an earlier one.
        /// </summary>
        internal void Add(long time, double[] moment, long start)
        {
            int old = 0;
            while (old + 1 < count && from[old + 1] <= start)
                old++;
            if (old != 0)
                Remove(0, old);
            if (count == capacity)
                Join();
            from[count] = count == 0 ? long.MinValue : last + (time - last) / 2;
            Array.Copy(moment, 0, values, count * Quantities, Quantities);
            parts[count++] = 1;
            last = time;
        }

        private void Remove(int first, int removed)
        {
            count -= removed;
            Array.Copy(from, first + removed, from, first, count - first);
            Array.Copy(parts, first + removed, parts, first, count - first);
            Array.Copy(values, (first + removed) * Quantities, values, first * Quantities,
                       (count - first) * Quantities);
        }

        /// <summary>
        /// Joins two moments, but not the first, which begins before all time, nor the last, with
        /// an end that is not known yet.
        /// </summary>
        private void Join()
        {
            int at = 1;
            for (int i = 2; i + 2 < count; i++)
                if (from[i + 2] - from[i] < from[at + 2] - from[at])
                    at = i;
            double whole = Math.Max(from[at + 2] - from[at], 1);
            double second = (from[at + 2] - from[at + 1]) / whole;
            for (int i = at * Quantities; i < (at + 1) * Quantities; i++)
                values[i + Quantities] = values[i] * (1 - second) + values[i + Quantities] * second;
            from[at + 1] = from[at];
            parts[at + 1] += parts[at];
            Remove(at, 1);
        }

        /// <summary>
        /// For the time from <paramref name="start"/> to <paramref name="end"/>: each quantity's
        /// mean, and the least value of a moment that was not exceeded in nine tenths of it.
        /// Returns of how many calibrations that is, 0 when there is none.
        /// </summary>
        internal int Weigh(long start, long end, double[] mean, double[] high)
        {
            double[] weights = new double[count];
            double whole = 0;
            int weighed = 0;
            for (int i = 0; i < count; i++)
            {
                long begins = Math.Max(from[i], start);
                long ends = i + 1 < count ? Math.Min(from[i + 1], end) : end;
                if (ends <= begins)
                    continue;
                weights[i] = ends - begins;
                whole += weights[i];
                weighed += parts[i];
            }
            if (weighed == 0 && count > 0)
            {
                // No time has passed since the start.
                weights[count - 1] = whole = 1;
                weighed = parts[count - 1];
            }
            for (int q = 0; q < Quantities && weighed > 0; q++)
            {
                mean[q] = 0;
                for (int i = 0; i < count; i++)
                    mean[q] += values[i * Quantities + q] * (weights[i] / whole);
                high[q] = NotExceeded(q, weights, whole * 0.9);
            }
            return weighed;
        }

        /// <summary>
        /// The least value such that moments with it, or less, have at least that much weight.
        /// </summary>
        private double NotExceeded(int quantity, double[] weights, double enough)
        {
            double[] sorted = new double[count];
            int found = 0;
            for (int i = 0; i < count; i++)
                if (weights[i] > 0)
                    sorted[found++] = values[i * Quantities + quantity];
            Ascending.Sort(sorted, found);
            int low = 0, high = found - 1;
            while (low < high)
            {
                int middle = (low + high) / 2;
                double weight = 0;
                for (int i = 0; i < count; i++)
                    if (values[i * Quantities + quantity] <= sorted[middle])
                        weight += weights[i];
                // Sums of parts may come out a little below the whole.
                if (weight * (1 + 1e-9) >= enough)
                    high = middle;
                else
                    low = middle + 1;
            }
            return sorted[low];
        }
    }
}
