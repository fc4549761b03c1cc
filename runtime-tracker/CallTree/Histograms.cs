// How often the calls of each method took how long, in one thread or in those that have ended: the section HIST.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>Written by its own thread (or under the registry's lock), read by any. Tables grow by being replaced.</summary>
    internal sealed class Histograms : ThreadSection
    {
        private const int LeastBuckets = 64, MostBuckets = 248;

        // By id, less the first one. Null: the method has not been called.
        private volatile long[][] tables = new long[64][];

        /// <summary>Four for each power of two: docs/profile-format.md, section 3.</summary>
        private static int BucketOf(long ticks)
        {
            if (ticks < 8)
                return ticks < 0 ? 0 : (int)ticks;
            int log2 = 0;
            long rest = ticks;
            if (rest >= 1L << 32)
            {
                log2 = 32;
                rest >>= 32;
            }
            for (int step = 16; step > 0; step >>= 1)
                if (rest >= 1L << step)
                {
                    log2 += step;
                    rest >>= step;
                }
            return 4 * (log2 - 1) + (int)((ticks >> (log2 - 2)) & 3);
        }

        /// <summary>Counts a call. Never throws: without memory it is not counted.</summary>
        internal void Count(int id, long ticks)
        {
            int index = id - Registry.FirstId, bucket = BucketOf(ticks);
            long[][] known = tables;
            long[] table = index < known.Length ? known[index] : null;
            if (table == null || bucket >= table.Length)
            {
                try
                {
                    table = Grow(index, bucket + 1);
                }
                catch (Exception)
                {
                    return;
                }
            }
            Counter.Add(ref table[bucket], 1);
        }

        private long[] Grow(int index, int buckets)
        {
            long[][] all = tables;
            if (index >= all.Length)
            {
                all = new long[Math.Max(index + 1, all.Length * 2)][];
                Array.Copy(tables, all, tables.Length);
            }
            long[] old = all[index], table = new long[buckets <= LeastBuckets ? LeastBuckets : MostBuckets];
            if (old != null)
                Array.Copy(old, table, old.Length);
            Thread.MemoryBarrier();
            all[index] = table;
            tables = all;
            return table;
        }

        /// <summary>Adds what a thread that has ended has counted.</summary>
        internal void Add(Histograms other)
        {
            long[][] others = other.tables;
            for (int i = 0; i < others.Length; i++)
            {
                if (others[i] == null)
                    continue;
                long[] mine = i < tables.Length ? tables[i] : null;
                if (mine == null || mine.Length < others[i].Length)
                    mine = Grow(i, others[i].Length);
                for (int bucket = 0; bucket < others[i].Length; bucket++)
                    mine[bucket] += others[i][bucket];
            }
        }

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
        }

        internal override void Write(ByteWriter output)
        {
            long[][] all = tables;
            ByteWriter entries = new ByteWriter(4 * 1024);
            int count = 0;
            for (int i = 0; i < all.Length; i++)
                if (all[i] != null && WriteOne(entries, Registry.FirstId + i, all[i]))
                    count++;
            if (count == 0)
                return;
            int section = output.BeginSection(SectionKind.HIST);
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            output.EndSection(section);
        }

        private static bool WriteOne(ByteWriter output, int id, long[] table)
        {
            int first = 0, end = table.Length;
            while (first < end && Counter.Read(ref table[first]) == 0)
                first++;
            while (end > first && Counter.Read(ref table[end - 1]) == 0)
                end--;
            if (first == end)
                return false;
            output.VarUInt(id);
            output.VarUInt(first);
            output.VarUInt(end - first);
            for (int i = first; i < end; i++)
                output.VarUInt(Counter.Read(ref table[i]));
            return true;
        }
    }
}
