// Methods that are switched off while the program runs, and on again.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// A method is recorded while nobody has switched it off. Calls that are under way when it is switched off end as
    /// usual; a call that begins while it is off is never recorded, and what it calls stands below its caller.
    /// </summary>
    internal static class Switches
    {
        /// <summary>Why a method is off: bits.</summary>
        internal const byte ByGovernor = 1, ByUser = 2;

        /// <summary>A bit at a reason's place in the profile: it is not one now, but has been one
        /// (docs/profile-format.md).</summary>
        internal const int Before = 4;

        private const int LeastIds = 256;

        /// <summary>
        /// The reasons, of each id at its distance from <see cref="Registry.FirstId"/>; null: nothing was ever switched.
        /// Replaced when it grows. A module's calls look into its own bytes (<see cref="ModuleInfo.Off"/>), all others into
        /// <see cref="FirstSwitches"/>, and after those into this.
        /// </summary>
        internal static byte[] Off;

        /// <summary>How often methods were switched.</summary>
        internal static volatile int Changes;

        private static SpinLock gate;

        // For each id: why it ever was off, whether the governor has to leave it on, when it was
        // switched last (by WallTime) and, if that was on, the calls that it had had till then.
        private static byte[] ever;
        private static bool[] pinned;
        private static long[] switchedAt, callsTill;

        // The modules that look into bytes of their own. Replaced when there are more.
        private static ModuleInfo[] looking;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>Is the method switched off, whatever for?</summary>
        internal static bool IsOff(int id)
        {
            byte[] reasons = Off;
            int at = id - Registry.FirstId;
            return reasons != null && (uint)at < (uint)reasons.Length && reasons[at] != 0;
        }

        /// <summary>Do its callers see that it is off? Not where the first call that a test makes of it is noted (FirstCalls.cs).</summary>
        internal static bool IsHidden(int id)
        {
            return IsOff(id) && Seen(Off[id - Registry.FirstId]) != 0;
        }

        private static byte Seen(byte reasons)
        {
            return Settings.Covers && reasons == ByGovernor ? (byte)0 : reasons;
        }

        /// <summary>From now on its callers see that it is off.</summary>
        internal static void Hide(int id)
        {
            SetSeen(id, ByGovernor);
        }

        /// <summary>They no longer do, where the governor alone has switched it off.</summary>
        internal static void Show(int id)
        {
            SetSeen(id, Seen(Off[id - Registry.FirstId]));
        }

        private static void SetSeen(int id, byte seen)
        {
            int at = id - Registry.FirstId;
            if (at < FirstSwitches.Count)
                FirstSwitches.Off[at] = seen;
            ModuleInfo[] modules = looking;
            for (int i = 0; modules != null && i < modules.Length; i++)
                if ((uint)(id - modules[i].FirstId) < (uint)modules[i].MethodCount && modules[i].Off != null)
                    modules[i].Off[id - modules[i].FirstId] = seen;
        }

        /// <summary>The first of that many ids, one after another, that are on; perhaps of no method.</summary>
        internal static int FirstOn(int count)
        {
            byte[] reasons = Off;
            int first = 0;
            for (int at = 0; reasons != null && at < reasons.Length && at < first + count; at++)
                if (reasons[at] != 0)
                    first = at + 1;
            return Registry.FirstId + first;
        }

        /// <summary>Has it been switched on by hand, after the governor had switched it off?</summary>
        internal static bool IsPinned(int id)
        {
            bool[] all = pinned;
            int at = id - Registry.FirstId;
            return all != null && (uint)at < (uint)all.Length && all[at];
        }

        /// <summary>The module with this first id looks into these bytes: they say from now on what is off.</summary>
        internal static void Tell(int first, byte[] off)
        {
            using (Gate.Enter())
                foreach (ModuleInfo module in ModuleTable.All())
                    if (module.FirstId == first && module.MethodCount == off.Length)
                    {
                        int at = first - Registry.FirstId;
                        for (int i = 0; Off != null && i < off.Length && at + i < Off.Length; i++)
                            off[i] = Seen(Off[at + i]);
                        module.Off = off;
                        Array.Resize(ref looking, looking == null ? 1 : looking.Length + 1);
                        looking[looking.Length - 1] = module;
                    }
        }

        private static ModuleInfo ModuleOf(int id, ModuleInfo[] modules, ModuleInfo last)
        {
            if (last != null && (uint)(id - last.FirstId) < (uint)last.MethodCount)
                return last;
            foreach (ModuleInfo module in modules)
                if ((uint)(id - module.FirstId) < (uint)module.MethodCount)
                    return module;
            return null;
        }

        /// <summary>
        /// Switches one method off, or takes these reasons away. Any thread's; holds for calls that begin from now on.
        /// Throws nothing but OutOfMemoryException.
        /// </summary>
        internal static void Set(int id, byte reasons, bool off)
        {
            Set(new int[] { id }, 1, reasons, off);
        }

        /// <summary>The same for that many methods at once, which is cheaper when they are switched on.</summary>
        internal static void Set(int[] ids, int count, byte reasons, bool off)
        {
            using (Gate.Enter())
            {
                int largest = -1;
                for (int i = 0; i < count; i++)
                    largest = Math.Max(largest, ids[i] - Registry.FirstId);
                if (largest < 0)
                    return;
                Grow(largest);
                long now = WallTime.Now();
                CallSums sums = null;
                ModuleInfo[] modules = ModuleTable.All();
                ModuleInfo module = null;
                for (int i = 0; i < count; i++)
                {
                    int at = ids[i] - Registry.FirstId;
                    if (at < 0)
                        continue;
                    byte before = Off[at], after = (byte)(off ? before | reasons : before & ~reasons);
                    if (off)
                        ever[at] |= reasons;
                    else if ((before & reasons & ByGovernor) != 0)
                        pinned[at] = true;
                    if ((before == 0) != (after == 0))
                    {
                        if (after == 0)
                        {
                            sums = sums ?? CallSums.Now(null);
                            callsTill[at] = sums.Calls(at);
                        }
                        switchedAt[at] = now;
                    }
                    Off[at] = after;
                    if (at < FirstSwitches.Count)
                        FirstSwitches.Off[at] = Seen(after);
                    module = ModuleOf(ids[i], modules, module);
                    if (module != null && module.Off != null)
                        module.Off[ids[i] - module.FirstId] = Seen(after);
                }
                Changes++;
            }
        }

        private static void Grow(int largest)
        {
            int length = Off == null ? LeastIds : Off.Length;
            if (Off != null && largest < length)
                return;
            while (length <= largest)
                length = checked(length * 2);
            Array.Resize(ref ever, length);
            Array.Resize(ref pinned, length);
            Array.Resize(ref switchedAt, length);
            Array.Resize(ref callsTill, length);
            byte[] reasons = Off;
            Array.Resize(ref reasons, length);
            Thread.MemoryBarrier();
            Off = reasons;
            RunSections.SWCH = Write;
        }

        /// <summary>The ids that were ever switched off, and the reasons for which they were; null: none was.</summary>
        internal static int[] Ever(out byte[] reasons)
        {
            reasons = null;
            if (Off == null)
                return null;
            using (Gate.Enter())
            {
                int count = 0;
                foreach (byte one in ever)
                    count += one == 0 ? 0 : 1;
                int[] ids = new int[count];
                reasons = new byte[count];
                for (int at = 0, to = 0; to < count; at++)
                {
                    if (ever[at] == 0)
                        continue;
                    reasons[to] = Off[at];
                    ids[to++] = Registry.FirstId + at;
                }
                return count == 0 ? null : ids;
            }
        }

        /// <summary>
        /// Writes the section SWCH, unless nothing was ever switched. To be called after the reading of the threads: a
        /// method that is off then has the calls that stand in <paramref name="calls"/>.
        /// </summary>
        internal static void Write(ByteWriter output, Generation generation, long[] sites)
        {
            using (Gate.Enter())
            {
                int count = 0;
                foreach (byte reasons in ever)
                    count += reasons == 0 ? 0 : 1;
                if (count == 0)
                    return;
                CallSums sums = CallSums.Now(null);
                int section = output.BeginSection(SectionKind.SWCH);
                output.VarUInt(count);
                for (int at = 0; at < ever.Length; at++)
                {
                    if (ever[at] == 0)
                        continue;
                    output.VarUInt(Registry.FirstId + at);
                    output.VarUInt(Off[at] | (ever[at] & ~Off[at]) * Before);
                    long since = WallTime.Convert(switchedAt[at] - generation.StartWall, 1000000000);
                    output.VarUInt(Math.Max(since, 0));
                    output.VarUInt(Off[at] != 0 ? sums.Calls(at) : callsTill[at]);
                }
                output.EndSection(section);
            }
        }
    }
}
