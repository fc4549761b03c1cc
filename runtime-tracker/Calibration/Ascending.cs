// Figures in ascending order.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// .NET compiles Array.Sort of numbers again in each program, a dozen methods of the core
    /// library in up to three steps, which takes it far longer than sorting. This is one method,
    /// compiled once, for the last time at once (<see cref="CalibrationCalls"/> says how).
    /// </summary>
    internal static class Ascending
    {
        private static int Never(int count)
        {
            return count;
        }

        /// <summary>
        /// Puts the first that many in order, by insertion at distances that shrink; returns how
        /// many. None is a NaN.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.PreserveSig)]
        internal static int Sort(double[] values, int count)
        {
            if (count < 0)
                return Never((int)(long)count);
            int distance = 1;
            while (distance < count / 3)
                distance = distance * 3 + 1;
            for (; distance > 0; distance /= 3)
                for (int i = distance; i < count; i++)
                {
                    double value = values[i];
                    int at = i;
                    for (; at >= distance && values[at - distance] > value; at -= distance)
                        values[at] = values[at - distance];
                    values[at] = value;
                }
            return count;
        }
    }
}
