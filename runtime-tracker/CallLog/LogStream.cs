// The calls of one thread on their way to the call log: written by the thread, read by who drains them, neither waits for the other.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>A call that has begun.</summary>
    internal struct LoggedCall
    {
        /// <summary>Orders the calls of all threads: <see cref="CallLog.Now"/>.</summary>
        internal long When;

        internal int Id;

        /// <summary>How many calls of the thread are around it; and, above <see cref="DepthMask"/>, what else there is of it.</summary>
        internal int Depth;

        internal const int HasValues = 1 << 30, DepthMask = HasValues - 1;
    }

    /// <summary>
    /// Some calls of a thread, one after another. Its thread owns it until it has a next one, then the draining thread
    /// does.
    /// </summary>
    internal sealed class LogChunk
    {
        internal readonly LoggedCall[] Calls;

        /// <summary>How many are there. Stored after the call itself; final when there is a next chunk.</summary>
        internal volatile int Count;

        internal volatile LogChunk Next;

        /// <summary>The generation of all of them.</summary>
        internal int Generation;

        /// <summary>How many calls before the first one found no room; of each method, by its place among the ids. Null: none.</summary>
        internal long MissedCount;
        internal long[] Missed;

        internal LogChunk(int size)
        {
            Calls = new LoggedCall[size];
        }
    }

    internal sealed class LogStream : ThreadExtra
    {
        private const int LeastChunk = 16, MostChunk = 256, LeastMethods = 64;

        internal readonly KnownThread Owner;

        /// <summary>The next one in the log's list.</summary>
        internal LogStream Older;

        /// <summary>The thread has ended; nothing more comes.</summary>
        internal volatile bool HasEnded;

        /// <summary>Where draining stands: this chunk, and how many of its calls are done.</summary>
        internal LogChunk Draining;
        internal int Drained;

        // The thread's: the last chunk, and that same one as long as calls can be put there.
        private LogChunk newest, open;
        private int size;
        private volatile int generation;
        private bool detached;

        // The values of lines, in their order: the thread's last one, and the one that was drained
        // last.
        private LoggedValues newestValues, drainedValues;

        // Chunks that can be used again: those that come back, and those that the thread has fetched from there.
        private volatile LogChunk returned;
        private LogChunk spare;

        // Calls that have found no room since the last chunk.
        private volatile long[] missed;
        private long missedCount;

        internal LogStream(KnownThread owner, int generation)
        {
            Owner = owner;
            this.generation = generation;
            newest = Draining = new LogChunk(0);
            newestValues = drainedValues = new LoggedValues();
        }

        // Kept, as the timeline's room for measuring is (EventStream.cs).
        private static LogStream measuring;

        /// <summary>A stream that is not drained, the same each time: for measuring what logging costs.</summary>
        internal static LogStream Detached()
        {
            if (measuring != null)
                return measuring;
            LogStream stream = new LogStream(null, 0);
            stream.open = new LogChunk(MostChunk);
            stream.detached = true;
            measuring = stream;
            return stream;
        }

        internal override void End()
        {
            HasEnded = true;
        }

        /// <summary>Lines from now on belong to this generation.</summary>
        internal override void Begin(Generation next)
        {
            generation = next.Number;
            open = null;
            // Their number is still reported, but they count no more.
            missed = null;
        }

        /// <summary>A call has begun. Never throws, never waits.</summary>
        internal override void Open(int id, int depth, long start)
        {
            LogChunk chunk = open;
            int count = chunk == null ? 0 : chunk.Count;
            if (chunk == null || count == chunk.Calls.Length)
            {
                open = chunk = NextChunk();
                if (chunk == null)
                {
                    Miss(id);
                    return;
                }
                count = 0;
            }
            LoggedCall[] calls = chunk.Calls;
            calls[count].When = CallLog.Now(start);
            calls[count].Id = id;
            calls[count].Depth = LoggedValues.Any ? WithValues(id, depth - 1) : depth - 1;
            chunk.Count = count + 1;
        }

        private int WithValues(int id, int depth)
        {
            LoggedValues values = detached ? null : LoggedValues.OfBeginning(id);
            return values == null ? depth : Link(values, depth);
        }

        private int Link(LoggedValues values, int depth)
        {
            newestValues.Next = values;
            newestValues = values;
            return depth | LoggedCall.HasValues;
        }

        /// <summary>A call that was seen with its values has ended, which that many are around. False when there is no room.</summary>
        internal bool TryAddEnd(LoggedValues values, int depth)
        {
            LogChunk chunk = open;
            if (chunk == null || chunk.Count == chunk.Calls.Length)
                open = chunk = NextChunk();
            if (chunk == null)
                return false;
            int count = chunk.Count;
            LoggedCall[] calls = chunk.Calls;
            calls[count].When = CallLog.Now(Clock.Now());
            calls[count].Id = values.Method.Id;
            calls[count].Depth = Link(values, depth);
            chunk.Count = count + 1;
            return true;
        }

        /// <summary>Null when there is no room, or the log takes nothing more.</summary>
        private LogChunk NextChunk()
        {
            if (detached)
            {
                open.Count = 0;
                return open;
            }
            if (!CallLog.HasRoom(missedCount != 0))
                return null;
            bool entered = Guard.Enter();
            try
            {
                LogChunk chunk = Spare() ?? NewChunk();
                if (chunk == null)
                    return null;
                chunk.Generation = generation;
                chunk.Missed = missed;
                chunk.MissedCount = missedCount;
                missed = null;
                Counter.Set(ref missedCount, 0);
                newest.Next = chunk;
                newest = chunk;
                return chunk;
            }
            catch (Exception)
            {
                // Out of memory.
                return null;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        private LogChunk Spare()
        {
#pragma warning disable 420 // Interlocked needs no volatile
            LogChunk chunk = spare ?? Interlocked.Exchange(ref returned, null);
#pragma warning restore 420
            if (chunk == null)
                return null;
            spare = chunk.Next;
            chunk.Next = null;
            chunk.Count = 0;
            return chunk;
        }

        /// <summary>Small ones first, so that many threads that do little take little.</summary>
        private LogChunk NewChunk()
        {
            int wanted = size == 0 ? LeastChunk : Math.Min(size * 2, MostChunk);
            if (!CallLog.TryTake(wanted))
                return null;
            LogChunk chunk = new LogChunk(wanted);
            size = wanted;
            return chunk;
        }

        private void Miss(int id)
        {
            int method = id - Registry.FirstId;
            long[] counts = missed;
            if ((counts == null || method >= counts.Length) && (counts = Enlarge(counts, method)) == null)
                return;
            Counter.Add(ref counts[method], 1);
            Counter.Add(ref missedCount, 1);
        }

        private long[] Enlarge(long[] counts, int method)
        {
            bool entered = Guard.Enter();
            try
            {
                long[] larger = new long[Math.Max(LeastMethods, method + method / 2 + 1)];
                if (counts != null)
                    Array.Copy(counts, larger, counts.Length);
                return missed = larger;
            }
            catch (Exception)
            {
                // Out of memory: the call is not counted either.
                return null;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        // ---- For who drains ---------------------------------------------------------------------------------------------

        /// <summary>Goes on to a chunk with a call to drain; false when there is none.</summary>
        internal bool TryAdvance()
        {
            for (;;)
            {
                LogChunk next = Draining.Next;
                if (Drained < Draining.Count)
                    return true;
                if (next == null)
                    return false;
                GiveBack(Draining);
                Draining = next;
                Drained = 0;
            }
        }

        /// <summary>The values of the call that is being drained, which has some.</summary>
        internal LoggedValues TakeValues()
        {
            return drainedValues = drainedValues.Next;
        }

        private void GiveBack(LogChunk chunk)
        {
            chunk.Missed = null;
            chunk.MissedCount = 0;
            if (chunk.Calls.Length < MostChunk || HasEnded || !CallLog.HasRoom(true))
            {
                CallLog.Return(chunk.Calls.Length);
                return;
            }
            LogChunk first;
#pragma warning disable 420
            do
                chunk.Next = first = returned;
            while (Interlocked.CompareExchange(ref returned, chunk, first) != first);
#pragma warning restore 420
        }

        /// <summary>The thread has ended and all is drained: what it holds of the budget goes back.</summary>
        internal void Release()
        {
            CallLog.Return(Draining.Calls.Length);
            for (int i = 0; i < 2; i++)
                for (LogChunk chunk = i == 0 ? spare : returned; chunk != null; chunk = chunk.Next)
                    CallLog.Return(chunk.Calls.Length);
        }

        /// <summary>How many calls have found no room since the last chunk.</summary>
        internal long MissedCount
        {
            get { return Counter.Read(ref missedCount); }
        }

        /// <summary>The same of each method of this generation, by its place among the ids; null: of none.</summary>
        internal long[] MissedOf(int wanted)
        {
            return generation == wanted ? missed : null;
        }
    }
}
