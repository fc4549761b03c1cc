// The rounds of windows that a run's calibrations have measured, and what the least disturbed of them say.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Rounds of all calibrations of a run are kept together, since what disturbs comes and goes in milliseconds: a whole calibration may be
    /// out, and a quiet one has few rounds for a clock of long ticks. Which rounds were quiet is told by the time of windows that do the same in
    /// each, not by what came out: that is a difference, and may be too small because something disturbed what is taken off.
    /// </summary>
    internal sealed class CalibrationRounds
    {
        /// <summary>Quantities, in picoseconds per call; the first is what tells quiet rounds.</summary>
        internal const int Same = 0, InsideEmpty = 1, CostEmpty = 2, InsideWork = 3, CostWork = 4, OutsideLast = 5, ClockRead = 6, Quantities = 7;

        /// <summary>The newest so many are kept; of them one in so many is quiet, and at least so many are taken for it.</summary>
        private const int Kept = 512, OneIn = 8, LeastQuiet = 16;

        private readonly double[] values = new double[Kept * Quantities];
        private int made;

        internal int Count
        {
            get { return Math.Min(made, Kept); }
        }

        /// <summary>The place for a new round's quantities begins at the returned index of <see cref="Values"/>.</summary>
        internal int Add()
        {
            return made++ % Kept * Quantities;
        }

        internal double[] Values
        {
            get { return values; }
        }

        /// <summary>Up to what time of the same windows a round is quiet.</summary>
        internal double QuietUpTo()
        {
            double[] same = new double[Count];
            for (int i = 0; i < same.Length; i++)
                same[i] = values[i * Quantities + Same];
            Array.Sort(same, 0, same.Length);
            return same[Math.Min(Math.Max(same.Length / OneIn, LeastQuiet), same.Length) - 1];
        }

        /// <summary>
        /// The mean of the middle half of the quiet rounds: a round can be disturbed between its same windows, and a clock whose steps are
        /// larger than what is asked for needs a mean. At least 0.
        /// </summary>
        internal long Middle(int quantity, double quietUpTo)
        {
            double[] quiet = new double[Count];
            int count = 0;
            for (int i = 0; i < quiet.Length; i++)
                if (values[i * Quantities + Same] <= quietUpTo)
                    quiet[count++] = values[i * Quantities + quantity];
            Array.Sort(quiet, 0, count);
            int first = count / 4, end = count - first;
            double sum = 0;
            for (int i = first; i < end; i++)
                sum += quiet[i];
            return (long)Math.Max(sum / (end - first), 0);
        }
    }
}
