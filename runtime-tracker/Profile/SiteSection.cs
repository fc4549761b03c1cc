// The SITE section of a profile: how many objects each place in modules' IL has allocated.
namespace Instrumenter
{
    internal static class SiteSection
    {
        internal static void Write(ByteWriter output, Generation generation, long[] sums)
        {
            ByteWriter modules = new ByteWriter(1024);
            int written = 0;
            foreach (AllocationSites.Range range in AllocationSites.InOrder())
                written += WriteModule(modules, range, sums) ? 1 : 0;
            if (written == 0)
                return;
            int section = output.BeginSection(SectionKind.SITE);
            output.VarUInt(written);
            output.Raw(modules.Bytes, modules.Count);
            output.EndSection(section);
        }

        /// <summary>False where none of its places has allocated anything.</summary>
        private static bool WriteModule(ByteWriter output, AllocationSites.Range range, long[] sums)
        {
            ByteWriter entries = new ByteWriter(256);
            int count = 0, last = 0;
            for (int i = 0; i < range.Count && range.Start + i < sums.Length; i++)
            {
                long objects = sums[range.Start + i];
                if (objects == 0)
                    continue;
                entries.VarUInt(i - last);
                entries.VarUInt(objects);
                last = i;
                count++;
            }
            if (count == 0)
                return false;
            output.VarUInt(range.Module);
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            return true;
        }
    }
}
