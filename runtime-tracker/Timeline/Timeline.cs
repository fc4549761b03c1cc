// The calls that are kept one by one: those that ended last, over all threads.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Streams get their room in chunks from one budget. When it is used up, the oldest full chunk of all goes, whosever it is. Only
    /// that takes the latch: a thread needs it once in a chunk.
    /// </summary>
    internal static class Timeline
    {
        internal const int MostChunk = 1024;
        private const int LeastChunk = 16, ChunksInBudget = 64;

        /// <summary>
        /// The ticks that are kept while a clock ticks: a minute of one thread. A call allocates nothing, so the clock's thread makes their
        /// chunks; this many are ready.
        /// </summary>
        private const int MostTicks = 65536, MostChunkOfTicks = 128, SparesWanted = 4;

        /// <summary>As many threads that have ended keep their calls.</summary>
        private const int MostEnded = 4096;

        private static SpinLock gate;

        private static int budget, chunkOfTicks;

        // Linked by `Next`.
        private static EventChunk spare;
        private static volatile int spares;

        /// <summary>From now on threads keep their calls, or what runs at each tick of the clock.</summary>
        internal static void Begin(bool isSampled)
        {
            budget = Settings.EventBudget;
            if (isSampled)
                ThreadTree.TickKeeper = Sample;
            else
                ThreadTree.EventMaker = EventStream.Make;
        }

        private static void Sample()
        {
            if (chunkOfTicks > 0)
                MakeSpare();
            else
                BeginSamples();
        }

        private static void BeginSamples()
        {
            budget = Math.Min(budget, MostTicks);
            chunkOfTicks = Math.Max(1, Math.Min(MostChunkOfTicks, budget / ChunksInBudget));
            for (int i = 0; i < SparesWanted; i++)
                MakeSpare();
            ThreadTree.EventMaker = EventStream.MakeSampled;
            try
            {
                foreach (ThreadTree tree in Registry.LiveTrees(delegate { }))
                    if (tree.Events == null)
                        tree.Events = EventStream.MakeSampled(tree);
            }
            catch (Exception)
            {
                // Out of memory: threads that are there keep none.
            }
        }

        /// <summary>Makes one more spare chunk where they are fewer than are wanted, from the oldest full one when the budget is used up.</summary>
        private static void MakeSpare()
        {
            if (spares >= SparesWanted || (held + chunkOfTicks > budget && oldest == null))
                return;
            try
            {
                EventChunk chunk = new EventChunk(null, new CallEvent[chunkOfTicks], 0);
                using (Gate.Enter())
                {
                    while (held + chunkOfTicks > budget && oldest != null)
                        Take(oldest);
                    if (held + chunkOfTicks > budget)
                        return;
                    held += chunkOfTicks;
                    chunk.Next = spare;
                    spare = chunk;
                    spares++;
                }
            }
            catch (Exception)
            {
                // Out of memory: there is none.
            }
        }

        /// <summary>The same as <see cref="NextChunk"/>, from the spares.</summary>
        internal static EventChunk NextSpare(EventStream stream, long first)
        {
            try
            {
                using (Gate.Enter())
                {
                    EventChunk chunk = spare;
                    if (chunk == null)
                        return null;
                    Fill(stream.Newest);
                    spare = chunk.Next;
                    spares--;
                    chunk.Next = null;
                    chunk.Stream = stream;
                    chunk.First = first;
                    Link(stream, chunk);
                    return chunk;
                }
            }
            catch (Exception)
            {
                // The program ends, and the latch is held.
                return null;
            }
        }

        private static void Link(EventStream stream, EventChunk chunk)
        {
            if (stream.Newest == null)
                stream.Oldest = chunk;
            else
                stream.Newest.Next = chunk;
            stream.Newest = chunk;
        }

        // Events that all chunks together have room for.
        private static int held;

        // Chunks that are full.
        private static EventChunk oldest, newest;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>
        /// Room for more of the stream's events, from number <paramref name="first"/> on. Null when there is none to be
        /// had.
        /// </summary>
        internal static EventChunk NextChunk(EventStream stream, long first)
        {
            try
            {
                using (Gate.Enter())
                {
                    int size = SizeAfter(stream.ChunkSize);
                    CallEvent[] room = null;
                    Fill(stream.Newest);
                    while (held + size > budget && oldest != null)
                    {
                        CallEvent[] taken = oldest.Events;
                        Take(oldest);
                        if (taken.Length == size)
                            room = taken;
                    }
                    if (held + size > budget)
                        return null;
                    EventChunk chunk = new EventChunk(stream, room ?? new CallEvent[size], first);
                    held += size;
                    stream.ChunkSize = size;
                    Link(stream, chunk);
                    return chunk;
                }
            }
            catch (Exception)
            {
                // Out of memory: the call is not kept.
                return null;
            }
        }

        /// <summary>Small ones first, so that many threads that do little leave room for others.</summary>
        private static int SizeAfter(int size)
        {
            int most = Math.Max(1, Math.Min(MostChunk, budget / ChunksInBudget));
            return Math.Min(most, size == 0 ? LeastChunk : size * 2);
        }

        /// <summary>Puts a stream's last chunk after those that are full, if it is not there already.</summary>
        private static void Fill(EventChunk chunk)
        {
            if (chunk == null || chunk.IsFull)
                return;
            chunk.IsFull = true;
            chunk.Older = newest;
            if (newest == null)
                oldest = chunk;
            else
                newest.Newer = chunk;
            newest = chunk;
        }

        /// <summary>Takes a full chunk, its stream's oldest, from its stream.</summary>
        private static void Take(EventChunk chunk)
        {
            EventStream stream = chunk.Stream;
            stream.Oldest = chunk.Next;
            Counter.Set(ref stream.TakenUpTo, chunk.First + chunk.Count);
            if (stream.Newest == chunk)
                stream.Newest = null;
            if (chunk.Older == null)
                oldest = chunk.Newer;
            else
                chunk.Older.Newer = chunk.Newer;
            if (chunk.Newer == null)
                newest = chunk.Older;
            else
                chunk.Newer.Older = chunk.Older;
            held -= chunk.Events.Length;
            chunk.Taken = true;
            // Makes a thread that reads the events right now see this before it can see new ones.
            Thread.MemoryBarrier();
        }

        /// <summary>The stream's chunks, oldest first. Any of them may be taken, and the last one filled, meanwhile.</summary>
        internal static List<EventChunk> ChunksOf(EventStream stream)
        {
            List<EventChunk> chunks = new List<EventChunk>();
            using (Gate.Enter())
                for (EventChunk chunk = stream.Oldest; chunk != null; chunk = chunk.Next)
                    chunks.Add(chunk);
            return chunks;
        }

        /// <summary>
        /// The stream's thread has ended, and its nodes were added to others: adds it to the others of that kind, which are
        /// the registry's. The part that it does not need goes back to the budget. The calls of
        /// streams without a rest are added to <paramref name="lost"/>.
        /// </summary>
        internal static void End(EventStream stream, Node[] nodes, List<EventStream> others, ref long lost)
        {
            using (Gate.Enter())
            {
                EventChunk last = stream.Newest;
                if (last != null && last.Count < last.Events.Length)
                {
                    held -= last.Events.Length - last.Count;
                    Array.Resize(ref last.Events, last.Count);
                }
                Fill(last);
                stream.Move(nodes);
                others.Add(stream);
                if (others.Count > MostEnded)
                    Drop(others[0]);
                int kept = 0;
                for (int i = 0; i < others.Count; i++)
                    if (others[i].Oldest != null)
                        others[kept++] = others[i];
                    else
                        lost += others[i].Ended;
                others.RemoveRange(kept, others.Count - kept);
            }
        }

        /// <summary>Drops the events that the stream has kept.</summary>
        internal static void Drop(EventStream stream)
        {
            using (Gate.Enter())
            {
                Fill(stream.Newest);
                while (stream.Oldest != null)
                    Take(stream.Oldest);
            }
        }
    }
}
