// Which calls of the methods that are on are recorded: only inside of some, to a depth, from a
// length on.
using System;

namespace Instrumenter
{
    /// <summary>The methods that turn recording on inside their calls, by their ids.</summary>
    internal sealed class MethodMarks
    {
        internal readonly MethodPatterns Patterns;

        // By the distance from the first id. Replaced when it grows.
        private volatile bool[] marks = new bool[0];

        internal MethodMarks(MethodPatterns patterns)
        {
            Patterns = patterns;
        }

        internal bool Has(int id)
        {
            bool[] all = marks;
            int at = id - ModuleTable.FirstId;
            return (uint)at < (uint)all.Length && all[at];
        }

        /// <summary>
        /// Adds the methods of a module; <paramref name="firstId"/> is the first one's id. For one
        /// thread at a time.
        /// </summary>
        internal void Add(int firstId, bool[] named)
        {
            int first = firstId - ModuleTable.FirstId;
            bool[] larger = marks;
            if (larger.Length < first + named.Length)
                Array.Resize(ref larger, first + named.Length);
            Array.Copy(named, 0, larger, first, named.Length);
            marks = larger;
        }
    }

    /// <summary>Part of a phase (Control.cs). Never changed, but that modules come.</summary>
    internal sealed class Triggers
    {
        private const double MostSeconds = 86400;

        /// <summary>Null: everywhere.</summary>
        internal readonly MethodMarks Below;

        /// <summary>
        /// How many frames of a thread are recorded, with Below from its methods' frames on; 0:
        /// all.
        /// </summary>
        internal readonly int Depth;

        /// <summary>Shorter calls are taken back, in ticks of the clock; 0: none.</summary>
        internal readonly long Longer;

        internal Triggers(MethodMarks below, int depth, long longer)
        {
            Below = below;
            Depth = depth;
            Longer = longer;
        }

        /// <summary>Null when it triggers nothing.</summary>
        internal Triggers OrNone
        {
            get { return Below == null && Depth == 0 && Longer == 0 ? null : this; }
        }

        /// <summary>
        /// The nanoseconds of a time with a unit (ns, us, ms, s) and perhaps a fraction after a
        /// point, or of 0; -1 when it is none of a day at most.
        /// </summary>
        internal static long Nanoseconds(string text)
        {
            string[] units = { "ns", "us", "ms", "s" };
            double each = 1;
            if (text == "0")
                return 0;
            foreach (string unit in units)
            {
                if (text.EndsWith(unit, StringComparison.Ordinal))
                {
                    text = text.Substring(0, text.Length - unit.Length);
                    if (text.Length == 0 || !IsDigit(text[0]) || !IsDigit(text[text.Length - 1]))
                        return -1;
                    double number = Decimal(text);
                    return number >= 0 && number * each <= MostSeconds * 1e9 ? (long)(number * each) : -1;
                }
                each *= 1000;
            }
            return -1;
        }

        /// <summary>
        /// A number of digits, with a point before fractions; -1: it is none. By hand: the way of the core library has tables of
        /// 10 KB, which programs that are compiled ahead of time then carry.
        /// </summary>
        internal static double Decimal(string text)
        {
            double digits = 0, scale = 1;
            bool behindPoint = false;
            for (int i = 0; i < text.Length; i++)
            {
                if (text[i] == '.' && !behindPoint && text.Length > 1)
                {
                    behindPoint = true;
                    continue;
                }
                if (!IsDigit(text[i]))
                    return -1;
                digits = digits * 10 + (text[i] - '0');
                if (behindPoint)
                    scale *= 10;
            }
            return text.Length == 0 || double.IsInfinity(scale) ? -1 : digits / scale;
        }

        private static bool IsDigit(char c)
        {
            return c >= '0' && c <= '9';
        }

        /// <summary>The ticks of the clock in that many nanoseconds, at least one of any.</summary>
        internal static long Ticks(long nanoseconds)
        {
            return nanoseconds == 0 ? 0 : Math.Max((long)(nanoseconds / 1e9 * Clock.TicksPerSecond), 1);
        }
    }
}
