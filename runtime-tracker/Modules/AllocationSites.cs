// The places in modules' IL that allocate objects, and how many objects each has allocated.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>They have consecutive numbers for each module, in the order of the modules' registration.</summary>
    internal static class AllocationSites
    {
        /// <summary>Numbers below this one come from modules that are not registered yet.</summary>
        internal const int First = 1 << 24;

        /// <summary>The places of a module.</summary>
        internal sealed class Range
        {
            // The first id of the module's methods, which names it in a profile, and its places, from 0.
            internal int Module, Start, Count;
            internal Range Older;
        }

        private static Range newest;

        /// <summary>How many there are.</summary>
        internal static int Count
        {
            get
            {
                Range last = newest;
                return last == null ? 0 : last.Start + last.Count;
            }
        }

        internal static bool Any
        {
            get { return newest != null && Features.Alloc; }
        }

        internal static int Add(int module, int count)
        {
            if (module < ModuleTable.FirstId || count < 0 || !Features.Alloc)
                return 0;
            Range range = new Range();
            range.Module = module;
            range.Count = count;
            for (;;)
            {
                Range last = newest;
                range.Older = last;
                range.Start = last == null ? 0 : last.Start + last.Count;
                if (count > int.MaxValue - First - range.Start)
                    return 0;
                if (Interlocked.CompareExchange(ref newest, range, last) == last)
                    return First + range.Start;
            }
        }

        /// <summary>The ranges by the first ids of their modules.</summary>
        internal static Range[] InOrder()
        {
            int count = 0;
            Range last = newest;
            for (Range range = last; range != null; range = range.Older)
                count++;
            Range[] ranges = new Range[count];
            for (Range range = last; range != null; range = range.Older)
            {
                // They come nearly so: a module registers its places right after its methods.
                int at = --count;
                for (; at + 1 < ranges.Length && ranges[at + 1].Module < range.Module; at++)
                    ranges[at] = ranges[at + 1];
                ranges[at] = range;
            }
            return ranges;
        }
    }
}
