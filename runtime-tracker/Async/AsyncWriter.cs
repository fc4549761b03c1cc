// A thread's counts of async methods, as an ASYN section: docs/profile-format.md, section 3.
using System;
using System.Threading;

namespace Instrumenter
{
    internal static class AsyncWriter
    {
        /// <summary>
        /// Before the starts of any call of these threads are read, and before a further thread starts some: what has ended is then
        /// never more than what has begun.
        /// </summary>
        internal static void ReadEnds(ThreadTree[] threads)
        {
            foreach (ThreadTree tree in threads)
            {
                AsyncThread async = AsyncThread.Of(tree);
                if (async != null)
                    async.Ends = EndsOf(async);
            }
            Thread.MemoryBarrier();
        }

        /// <summary>The ends of calls that the thread knows at this moment, by path; null for a
        /// thread that ran no async method.</summary>
        internal static AsyncFigures[] EndsOf(AsyncThread thread)
        {
            if (thread == null)
                return null;
            AsyncFigures[] figures = thread.Figures;
            AsyncFigures[] ends = new AsyncFigures[figures.Length];
            for (int i = 0; i < figures.Length; i++)
            {
                if (figures[i] == null)
                    continue;
                ends[i] = new AsyncFigures();
                ends[i].Completed = Counter.Read(ref figures[i].Completed);
                ends[i].Failed = Counter.Read(ref figures[i].Failed);
                ends[i].Cancelled = Counter.Read(ref figures[i].Cancelled);
                ends[i].WallTicks = Counter.Read(ref figures[i].WallTicks);
            }
            return ends;
        }

        /// <summary>
        /// Writes the section; nothing for a thread that ran no async method (<paramref name="thread"/> may be null).
        /// <paramref name="ends"/> are what <see cref="EndsOf"/> gave before. Which nodes are slices follows in a section of its own.
        /// </summary>
        internal static void Write(ByteWriter output, AsyncThread thread, AsyncFigures[] ends, SliceSection slices)
        {
            if (thread == null || ends == null)
                return;
            AsyncFigures[] figures = thread.Figures;
            AsyncPath[] paths = AsyncPath.All();
            int last = 0, nodeCount = 0;
            bool[] written = new bool[paths.Length];
            for (int i = 0; i < paths.Length && i < figures.Length; i++)
            {
                if (figures[i] == null)
                    continue;
                last = i;
                for (AsyncPath path = paths[i]; path != null && !written[path.Index]; path = path.Parent, nodeCount++)
                    written[path.Index] = true;
            }
            foreach (int place in slices.Places)
            {
                last = Math.Max(last, place);
                for (AsyncPath path = paths[place]; path != null && !written[path.Index]; path = path.Parent, nodeCount++)
                    written[path.Index] = true;
            }
            if (nodeCount == 0)
                return;
            // A parent's index is below its children's, so going down the indexes each list of children comes out oldest first.
            int[] children = new int[last + 1], oldest = new int[last + 1], younger = new int[last + 1];
            for (int i = last; i > 0; i--)
            {
                if (!written[i])
                    continue;
                int parent = paths[i].Parent.Index;
                younger[i] = oldest[parent];
                oldest[parent] = i;
                children[parent]++;
            }
            int section = output.BeginSection(SectionKind.ASYN);
            output.VarUInt(nodeCount);
            // Index 0 is the root, which is no node's child, so it ends the lists.
            int[] pending = new int[nodeCount + 1], positions = new int[last + 1];
            int count = 1, position = 0;
            while (count > 0)
            {
                int i = pending[--count];
                positions[i] = position++;
                WriteNode(output, children[i], paths[i].Id, i < figures.Length ? figures[i] : null, i < ends.Length ? ends[i] : null);
                if (younger[i] != 0)
                    pending[count++] = younger[i];
                if (oldest[i] != 0)
                    pending[count++] = oldest[i];
            }
            output.EndSection(section);
            slices.Write(output, positions);
        }

        private static void WriteNode(ByteWriter output, int children, int id, AsyncFigures figures, AsyncFigures ends)
        {
            output.VarUInt(children);
            output.VarUInt(id);
            if (figures == null)
                figures = new AsyncFigures();
            if (ends == null)
                ends = new AsyncFigures();
            output.VarUInt(Counter.Read(ref figures.Calls));
            output.VarUInt(Counter.Read(ref figures.Suspensions));
            output.VarUInt(ends.Completed);
            output.VarUInt(ends.Failed);
            output.VarUInt(ends.Cancelled);
            output.VarUInt(Counter.Read(ref figures.RunningTicks));
            output.VarUInt(Counter.Read(ref figures.AwaitingTicks));
            output.VarUInt(ends.WallTicks);
            output.VarUInt(Counter.Read(ref figures.Unlinked));
        }
    }
}
