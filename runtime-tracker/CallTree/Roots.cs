// Which methods a framework calls, as tests: the end of the names resource (docs/profile-format.md, section 2).
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>Known where <see cref="Settings.Covers"/> asks for it.</summary>
    internal static class Roots
    {
        private const int HeaderBytes = 36, FlagsAt = 6, DeflatedAt = 16;

        private static SpinLock gate;
        private static volatile bool begun;

        // By id less Registry.FirstId; null: there are none. Replaced when it grows.
        private static bool[] known;

        /// <summary>Is the method with this id one of them?</summary>
        internal static bool Has(int id)
        {
            bool[] all = known;
            int at = id - Registry.FirstId;
            return all != null && (uint)at < (uint)all.Length && all[at];
        }

        /// <summary>The session begins, with the modules that are there.</summary>
        internal static void Begin()
        {
            begun = true;
            Thread.MemoryBarrier();
            foreach (ModuleInfo module in ModuleTable.All())
                Add(module);
        }

        /// <summary>A module has come that has these ids.</summary>
        internal static void ModuleCame(int firstId)
        {
            if (!begun)
                return;
            foreach (ModuleInfo module in ModuleTable.All())
                if (module.FirstId == firstId)
                    Add(module);
        }

        private static void Add(ModuleInfo module)
        {
            byte[] names = module.Names;
            int at = EndOfData(names);
            if (at == 0 || (names[FlagsAt + 1] & FileFlag.ROOT_IDS >> 8) == 0)
                return;
            while ((names[FlagsAt] & FileFlag.RELEASE) != 0 && names[at++] != 0)
            {
            }
            using (SpinLock.Of(ref gate).Enter())
            {
                int first = module.FirstId - Registry.FirstId, method = 0;
                bool[] all = known;
                Array.Resize(ref all, Math.Max(all == null ? 0 : all.Length, first + module.MethodCount));
                for (int left = Number(names, ref at); left > 0; left--)
                {
                    method += Number(names, ref at);
                    if ((uint)method < (uint)module.MethodCount)
                        all[first + method] = true;
                }
                known = all;
            }
        }

        private static int EndOfData(byte[] names)
        {
            if (names.Length < HeaderBytes)
                return 0;
            long end = HeaderBytes;
            for (int i = 0; i < 4; i++)
                end += (long)names[DeflatedAt + i] << 8 * i;
            return end < names.Length ? (int)end : 0;
        }

        /// <summary>Throws where the bytes end.</summary>
        private static int Number(byte[] names, ref int at)
        {
            int value = 0;
            for (int shift = 0;; shift += 7)
            {
                byte b = names[at++];
                value |= (b & 0x7F) << shift;
                if (b < 0x80)
                    return value;
            }
        }
    }
}
