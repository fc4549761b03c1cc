// The TIME section of a profile, the calls that are kept one by one, or SAMP: what ran at each tick of the clock.
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Made before the tree is written, so that the tree has the nodes of all its calls; gets each node while the tree
    /// is written; written after it.
    /// </summary>
    internal sealed class EventSection : ThreadSection
    {
        // A copy: its thread goes on. A class, and arrays below: Mono has no code of lists and dictionaries of values.
        private sealed class Stream
        {
            internal int ThreadId;
            internal string ThreadName;
            internal long Ended;
            internal List<CallEvent[]> Parts;
            internal OpenFrames Open;
            internal int OpenCount;
        }

        private readonly List<Stream> streams = new List<Stream>();
        private readonly long start;
        private readonly bool isSampled;
        private long lost;

        // By node, up to the last one that an event has: its place in what is written; 0: it has none.
        private int[] indexes = new int[0];

        /// <summary>Times count from <paramref name="start"/>, the run's.</summary>
        private EventSection(long start, bool isSampled)
        {
            this.start = start;
            this.isSampled = isSampled;
        }

        /// <summary>What a thread has kept of its ticks; null: nothing.</summary>
        internal static EventSection OfTicks(EventStream events, ThreadTree tree, long start)
        {
            EventSection section = new EventSection(start, true);
            Stream stream = section.Copy(events, tree.Owner.Id, tree.Owner.Name);
            if (events.IsMoved || stream.Parts.Count == 0)
                return null;
            section.streams.Add(stream);
            return section;
        }

        /// <summary>The section of a thread. <paramref name="open"/> are its frames right now.</summary>
        internal static EventSection Of(EventStream events, ThreadTree tree, long start, out OpenFrames open)
        {
            long before = events.Ended;
            Thread.MemoryBarrier();
            open = new OpenFrames(tree);
            EventSection section = new EventSection(start, false);
            Stream stream = section.Copy(events, tree.Owner.Id, tree.Owner.Name);
            // Its thread has ended meanwhile: they name nodes of another tree by now.
            if (events.IsMoved)
                stream.Parts.Clear();
            stream.Open = open;
            stream.OpenCount = CountAt(open, stream.Parts, stream.Ended - before);
            int nodes = section.indexes.Length;
            for (int i = 1; i <= stream.OpenCount; i++)
                nodes = System.Math.Max(nodes, open.NodeAt(i) + 1);
            section.indexes = new int[nodes];
            section.streams.Add(stream);
            return section;
        }

        /// <summary>The section of the threads that have ended.</summary>
        internal static EventSection Of(EndedStreams ended, long start)
        {
            EventSection section = new EventSection(start, ended.IsSampled);
            section.lost = ended.Lost;
            foreach (EventStream events in ended.Streams)
            {
                Stream stream = section.Copy(events, events.ThreadId, events.ThreadName);
                if (stream.Parts.Count == 0)
                    section.lost += stream.Ended;
                else
                    section.streams.Add(stream);
            }
            return section;
        }

        /// <summary>
        /// The number of frames that were still open when the events were copied, and the last <paramref name="tail"/>
        /// of these ended after the frames were copied.
        /// </summary>
        private static int CountAt(OpenFrames open, List<CallEvent[]> events, long tail)
        {
            int count = open.Count;
            for (int part = events.Count - 1; part >= 0 && tail > 0; part--)
                for (int i = events[part].Length - 1; i >= 0 && tail > 0; i--, tail--)
                    count = System.Math.Min(count, IndexOf(open, events[part][i], count) - 1);
            return count;
        }

        /// <summary>The frame, of the first <paramref name="count"/>, that ended with the event; one more than that when none did.</summary>
        private static int IndexOf(OpenFrames open, CallEvent ended, int count)
        {
            long start = ended.End - ended.Duration;
            int low = 1, high = count + 1;
            while (low < high)
            {
                int middle = low + (high - low) / 2;
                if (open.RecordedStart(middle) < start)
                    low = middle + 1;
                else
                    high = middle;
            }
            while (low <= count && open.RecordedStart(low) == start && open.NodeAt(low) != ended.Node)
                low++;
            return low <= count && open.RecordedStart(low) == start ? low : count + 1;
        }

        private Stream Copy(EventStream events, int threadId, string threadName)
        {
            Stream stream = new Stream();
            int nodes = 0;
            stream.ThreadId = threadId;
            stream.ThreadName = threadName;
            stream.Parts = new List<CallEvent[]>();
            stream.Ended = events.Copy(stream.Parts);
            foreach (CallEvent[] part in stream.Parts)
                foreach (CallEvent one in part)
                    nodes = System.Math.Max(nodes, one.Node + 1);
            if (nodes > indexes.Length)
                indexes = new int[nodes];
            return stream;
        }

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            if (node < indexes.Length)
                indexes[node] = index;
        }

        internal override void Write(ByteWriter output)
        {
            int section = output.BeginSection(isSampled ? SectionKind.SAMP : SectionKind.TIME);
            output.VarUInt(lost);
            output.VarUInt(streams.Count);
            foreach (Stream stream in streams)
            {
                output.VarUInt(stream.ThreadId);
                output.Text(stream.ThreadName);
                WriteEvents(output, stream);
                WriteOpen(output, stream);
            }
            output.EndSection(section);
        }

        private void WriteEvents(ByteWriter output, Stream stream)
        {
            ByteWriter events = new ByteWriter(16 * 1024);
            int count = 0;
            long last = 0;
            foreach (CallEvent[] part in stream.Parts)
                foreach (CallEvent one in part)
                {
                    int index = indexes[one.Node];
                    // A node that the tree does not have: its thread has ended meanwhile, and it is another one's by now.
                    if (index == 0)
                        continue;
                    // A clock that was set back may have been before the start.
                    long end = System.Math.Max(one.End - start, last);
                    events.VarUInt(index);
                    events.VarUInt(end - last);
                    events.VarUInt(System.Math.Min(one.Duration, end));
                    last = end;
                    count++;
                }
            output.VarUInt(stream.Ended - count);
            output.VarUInt(count);
            output.Raw(events.Bytes, events.Count);
        }

        private void WriteOpen(ByteWriter output, Stream stream)
        {
            int count = 0;
            while (count < stream.OpenCount && indexes[stream.Open.NodeAt(count + 1)] != 0)
                count++;
            output.VarUInt(count);
            for (int i = 1; i <= count; i++)
            {
                output.VarUInt(indexes[stream.Open.NodeAt(i)]);
                output.VarUInt(System.Math.Max(stream.Open.RecordedStart(i) - start, 0));
            }
        }
    }
}
