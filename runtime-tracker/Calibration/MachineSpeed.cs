// How fast this machine runs code like a program's and its probes', beside others: docs/profile-format.md, section 3.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// Times steps of the tracker's own: a call that is not inlined, a load and a store in more memory than the first cache holds, and a
    /// branch that cannot be guessed. Costs of probes and compilers on one machine are by that known for others.
    /// </summary>
    internal static class MachineSpeed
    {
        /// <summary>The least of that many rounds at each moment: some 100 us in all. Other programs disturb a few of them.</summary>
        private const int Rounds = 12, StepsPerRound = 1024;

        /// <summary>64 KB.</summary>
        private const int Places = 1 << 14;

        private static int[] places;
        private static int at, least;

        /// <summary>As the rounds so far have it; 0: there were none, or this clock cannot measure it.</summary>
        internal static int Known
        {
            get { return least; }
        }

        /// <summary>Picoseconds that a step takes, by all rounds so far; this makes the first ones, or more. 0: this clock cannot measure it.</summary>
        [MethodImpl(HotCode.Hot)]
        internal static int StepPicoseconds(bool again)
        {
            if (least < 0)
                return HotCode.Never((int)(long)least);
            if (!WallTime.UsesStopwatch || (least != 0 && !again))
                return least;
            int[] used = places;
            int last = at;
            if (used == null)
                places = used = new int[Places];
            for (int round = 0; round < Rounds; round++)
            {
                long start = StopwatchClock.Now();
                for (int i = 0; i < StepsPerRound; i++)
                    last = Step(used, last);
                double took = (StopwatchClock.Now() - start) * (1e12 / StepsPerRound) / StopwatchClock.TicksPerSecond();
                // A round of no time: the clock goes by longer steps.
                if (!(took >= 1))
                    return least = 0;
                if (least == 0 || took < least)
                    least = took < int.MaxValue ? (int)took : int.MaxValue;
            }
            at = last;
            return least;
        }

        /// <summary>Each needs the one before: so the processor cannot take several at once.</summary>
        [MethodImpl(HotCode.Hot)]
        private static int Step(int[] places, int at)
        {
            if (places == null)
                return HotCode.Never((int)(long)at);
            int place = (at >> 8) & (places.Length - 1), seen = places[place];
            at = unchecked(at * 1664525 + 1013904223 + seen);
            if ((at & 0x40000000) != 0)
                places[place] = unchecked(seen + at);
            return at;
        }
    }
}
