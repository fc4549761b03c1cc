// The TIME section of a profile: the calls that are kept one by one.
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Made before the tree is written, so that the tree has the nodes of all its calls; told of each node while it is; written
    /// behind it.
    /// </summary>
    internal sealed class EventSection
    {
        // A copy: its thread goes on.
        private struct Stream
        {
            internal int ThreadId;
            internal string ThreadName;
            internal long Ended;
            internal List<CallEvent[]> Parts;
            internal OpenFrames Open;
            internal int OpenCount;
        }

        private readonly List<Stream> streams = new List<Stream>();
        private readonly Dictionary<int, int> indexes = new Dictionary<int, int>();
        private long lost;

        /// <summary>The section of a thread; null when there is no timeline.
        /// <paramref name="open"/> are its frames right now.</summary>
        internal static EventSection Of(ThreadTree tree, out OpenFrames open)
        {
            EventStream events = tree.Events;
            long before = events == null ? 0 : events.Ended;
            Thread.MemoryBarrier();
            open = new OpenFrames(tree);
            if (events == null)
                return null;
            EventSection section = new EventSection();
            Stream stream = section.Copy(events, tree.Owner.Id, tree.Owner.Name);
            // Its thread has ended meanwhile: they name nodes of another tree by now.
            if (events.IsMoved)
                stream.Parts.Clear();
            stream.Open = open;
            stream.OpenCount = open.CountAt(stream.Parts, stream.Ended - before);
            for (int i = 1; i <= stream.OpenCount; i++)
                section.indexes[open.NodeAt(i)] = 0;
            section.streams.Add(stream);
            return section;
        }

        /// <summary>The section of the threads that have ended; null when there is no
        /// timeline.</summary>
        internal static EventSection Of(EndedThreads ended)
        {
            if (!Settings.Timeline)
                return null;
            EventSection section = new EventSection();
            section.lost = ended.LostEvents;
            foreach (EventStream events in ended.Events)
            {
                Stream stream = section.Copy(events, events.ThreadId, events.ThreadName);
                if (stream.Parts.Count == 0)
                    section.lost += stream.Ended;
                else
                    section.streams.Add(stream);
            }
            return section;
        }

        private Stream Copy(EventStream events, int threadId, string threadName)
        {
            Stream stream = new Stream();
            stream.ThreadId = threadId;
            stream.ThreadName = threadName;
            stream.Parts = new List<CallEvent[]>();
            stream.Ended = events.Copy(stream.Parts);
            foreach (CallEvent[] part in stream.Parts)
                foreach (CallEvent one in part)
                    indexes[one.Node] = 0;
            return stream;
        }

        /// <summary>The node is being written, as number <paramref name="index"/> of the tree.</summary>
        internal void Note(int node, int index)
        {
            if (indexes.ContainsKey(node))
                indexes[node] = index;
        }

        /// <summary>Writes the section. Times count from <paramref name="start"/>, the run's.</summary>
        internal void Write(ByteWriter output, long start)
        {
            int section = output.BeginSection("TIME");
            output.VarUInt(lost);
            output.VarUInt(streams.Count);
            foreach (Stream stream in streams)
            {
                output.VarUInt(stream.ThreadId);
                output.Text(stream.ThreadName);
                WriteEvents(output, stream, start);
                WriteOpen(output, stream, start);
            }
            output.EndSection(section);
        }

        private void WriteEvents(ByteWriter output, Stream stream, long start)
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

        private void WriteOpen(ByteWriter output, Stream stream, long start)
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
