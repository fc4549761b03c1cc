// The timeline of one thread: its calls in order of their ends, or what ran at each tick of the clock; the newest are kept.
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>Written by its own thread; what it consists of is changed under the timeline's lock.</summary>
    internal sealed class EventStream : ThreadExtra
    {
        /// <summary>The first and the last of its chunks; the last one is being filled.</summary>
        internal EventChunk Oldest;
        internal volatile EventChunk Newest;

        /// <summary>How large the newest chunk is, or was.</summary>
        internal int ChunkSize;

        /// <summary>How many calls had ended up to the last one that was taken.</summary>
        internal long TakenUpTo;

        /// <summary>The facts that are left of a thread that has ended.</summary>
        internal int ThreadId;
        internal string ThreadName;

        /// <summary>Its calls are those of the threads that have ended: set before the first of them is.</summary>
        internal volatile bool IsMoved;

        /// <summary>It keeps what ran at each tick, and no calls.</summary>
        internal readonly bool IsSampled;

        // How many calls had ended when there was last no room for one, with that one.
        private long refused;

        // Only the thread's own: the newest chunk as long as there is room in it, and the last end.
        private EventChunk open;
        private bool detached;
        private long lastEnd;

        // The room of the stream that measures. Kept, since a large object can begin a collection, and
        // one that comes while another thread is at the end of its stack ends Mono
        // (docs/decisions/09-recording.md).
        private static CallEvent[] detachedRoom;

        /// <summary>
        /// From now on calls are kept in room of its own, over and over: for measuring what that costs. One stream at a time.
        /// </summary>
        internal void Detach()
        {
            detached = true;
            open = new EventChunk(this, detachedRoom ?? (detachedRoom = new CallEvent[Timeline.MostChunk]), 0);
        }

        /// <summary>That of the thread; null when it has none.</summary>
        internal static EventStream Of(ThreadTree tree)
        {
            return (EventStream)tree.Events;
        }

        internal static ThreadExtra Make(ThreadTree tree)
        {
            return new EventStream(false);
        }

        internal static ThreadExtra MakeSampled(ThreadTree tree)
        {
            return new EventStream(true);
        }

        private EventStream(bool isSampled)
        {
            IsSampled = isSampled;
        }

        /// <summary>A call has ended. In ticks of recorded time; ends never go back. Never throws.</summary>
        internal override void Close(int node, long end, long duration)
        {
            if (!IsSampled)
                Add(node, end, duration);
        }

        internal override void Tick(int node, long now, long since)
        {
            if (IsSampled && now > lastEnd)
                Add(node, now, System.Math.Min(since, now - lastEnd));
        }

        private void Add(int node, long end, long duration)
        {
            if (end < lastEnd)
                end = lastEnd;
            lastEnd = end;
            EventChunk chunk = open;
            int count = chunk == null ? 0 : chunk.Count;
            if (chunk == null || count == chunk.Events.Length)
            {
                long ended = chunk == null ? refused : chunk.First + count;
                open = chunk = detached ? chunk.Empty() : IsSampled ? Timeline.NextSpare(this, ended) : Timeline.NextChunk(this, ended);
                if (chunk == null)
                {
                    Counter.Set(ref refused, ended + 1);
                    return;
                }
                count = 0;
            }
            CallEvent[] events = chunk.Events;
            events[count].Node = node;
            events[count].End = end;
            events[count].Duration = duration;
            chunk.Count = count + 1;
        }

        /// <summary>A call that was still open when its thread ended: it lasted at least until then.</summary>
        internal override void CloseUnended(int node, long start, long end)
        {
            end = System.Math.Max(end, lastEnd);
            Close(node, end, System.Math.Max(end - start, 0));
        }

        /// <summary>Copies what is kept, oldest first; returns how many calls have ended up to the last of them.</summary>
        internal long Copy(List<CallEvent[]> parts)
        {
            long ended = Ended;
            foreach (EventChunk chunk in Timeline.ChunksOf(this))
            {
                CallEvent[] events = chunk.Events;
                int count = chunk.Count;
                ended = System.Math.Max(ended, chunk.First + count);
                CallEvent[] copy = new CallEvent[count];
                System.Array.Copy(events, copy, count);
                Thread.MemoryBarrier();
                // The oldest are taken first, so those before are gone, too.
                if (chunk.Taken)
                    parts.Clear();
                else
                    parts.Add(copy);
            }
            return ended;
        }

        /// <summary>The thread has ended, and its nodes were added to others: its calls are those' now. No chunk may be taken meanwhile.</summary>
        internal void Move(Node[] nodes)
        {
            IsMoved = true;
            Thread.MemoryBarrier();
            for (EventChunk chunk = Oldest; chunk != null; chunk = chunk.Next)
                for (int i = 0; i < chunk.Count; i++)
                    chunk.Events[i].Node = nodes[chunk.Events[i].Node].Chain;
        }

        internal override ThreadExtra AddTo(ThreadExtra sum, ThreadTree tree)
        {
            EndedStreams all = (EndedStreams)sum ?? new EndedStreams();
            all.IsSampled = IsSampled;
            ThreadId = tree.Owner.Id;
            ThreadName = tree.Owner.Name;
            Timeline.End(this, tree.Nodes, all.Streams, ref all.Lost);
            return all;
        }

        internal override ThreadSection Section(ThreadTree tree, long start, ref OpenFrames open)
        {
            return IsSampled ? EventSection.OfTicks(this, tree, start) : EventSection.Of(this, tree, start, out open);
        }

        internal override void GiveBack()
        {
            Timeline.Drop(this);
        }

        /// <summary>How many calls have ended.</summary>
        internal long Ended
        {
            get
            {
                EventChunk chunk = Newest;
                long least = System.Math.Max(Counter.Read(ref refused), Counter.Read(ref TakenUpTo));
                return chunk == null ? least : System.Math.Max(least, chunk.First + chunk.Count);
            }
        }
    }
}
