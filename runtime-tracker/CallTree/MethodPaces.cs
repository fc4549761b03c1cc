// Which methods' calls are short on average, so that a clock around each would take a good part of their time.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// Each method begins as one with long calls. Once that many have been timed and took less than <see cref="ShortNanoseconds"/> on
    /// average, it is one with short calls for good. Else half of what is known counts further, so that first calls, which compile, are
    /// forgotten. Threads count without a lock: a call may be lost.
    /// </summary>
    internal static class MethodPaces
    {
        /// <summary>Two readings of the Stopwatch take a twentieth of that at most.</summary>
        private const int ShortNanoseconds = 2000;

        private const int Tried = 64, LeastMethods = 256;

        private struct Pace
        {
            internal int Calls;
            internal bool IsShort;
            internal long Ticks;
        }

        private static Pace[] paces;
        private static long shortTicks;

        internal static void Begin()
        {
            shortTicks = Math.Max(ShortNanoseconds * StopwatchClock.TicksPerSecond() / 1000000000, 1);
            paces = new Pace[LeastMethods];
        }

        internal static bool IsLong(int id)
        {
            int at = id - Registry.FirstId;
            Pace[] all = paces;
            if ((uint)at < (uint)all.Length)
                return !all[at].IsShort;
            if (at >= 0 && at < ModuleTable.IdCount)
                Grow(at);
            return true;
        }

        /// <summary>The method is known to be short. Nothing is made for it: it may be one with long calls at first.</summary>
        internal static void NoteShort(int id)
        {
            int at = id - Registry.FirstId;
            Pace[] all = paces;
            if (all != null && (uint)at < (uint)all.Length)
                all[at].IsShort = true;
        }

        /// <summary>A call took so long: is the method still one with long calls?</summary>
        [MethodImpl(HotCode.Hot)]
        internal static bool StaysLong(int id, long elapsed)
        {
            if (id < 0)
                return HotCode.NeverSo((int)(long)id);
            int at = id - Registry.FirstId;
            Pace[] all = paces;
            if ((uint)at >= (uint)all.Length)
                return true;
            ref Pace pace = ref all[at];
            if (pace.IsShort)
                return false;
            pace.Ticks += elapsed;
            if (++pace.Calls < Tried)
                return true;
            if (pace.Ticks < pace.Calls * shortTicks)
            {
                pace.IsShort = true;
                return false;
            }
            pace.Calls /= 2;
            pace.Ticks /= 2;
            return true;
        }

        private static void Grow(int at)
        {
            int length = Math.Max(paces.Length, LeastMethods);
            while (length <= at)
                length = checked(length * 2);
            Pace[] larger = new Pace[Math.Max(length, Math.Min(ModuleTable.IdCount, length * 2))];
            Array.Copy(paces, larger, paces.Length);
            paces = larger;
        }
    }
}
