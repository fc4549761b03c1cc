// The call log: every call as it happens, with the number of that method's calls so far, and at the end each method's number.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Threads put their calls into chunks of their own (LogStream.cs); a thread of the log's own, apart from the one
    /// that writes profiles, as a log can be a pipe without a reader, brings them to the file in the order of their
    /// starts. Lines that find no room are counted.
    /// </summary>
    internal static class CallLog
    {
        /// <summary>As many calls may wait for being written, of all threads together.</summary>
        private const int MostHeld = 1 << 20;

        /// <summary>Milliseconds between two looks for calls, and how long the end waits for a writing that is under way.</summary>
        private const int Period = 20, LongestWait = 5000;

        // Linked by Older, which only who drains changes.
        private static volatile LogStream newest;

        private static volatile int held;
        private static volatile bool closed;
        private static bool timed;
        private static long calls;
        private static SpinLock draining;
        private static CallLogText text;
        private static Thread thread;

        /// <summary>Called once, when the settings are there and the clock is chosen.</summary>
        internal static void Begin()
        {
            // By other clocks threads have no time in common, or too much happens in one tick.
            timed = Clock.Kind == Clock.Stopwatch || Clock.Kind == Clock.Fenced || Clock.Kind == Clock.Unfenced || Clock.Kind == Clock.Internal;
            draining = new SpinLock();
            try
            {
                thread = new Thread(Run);
                thread.IsBackground = true;
                thread.Name = "ilinject log";
                thread.Start();
            }
            catch (Exception)
            {
                // A runtime without threads: all is written at the end.
                thread = null;
            }
        }

        /// <summary>The number that orders a call that began then among those of all
        /// threads.</summary>
        internal static long Now(long start)
        {
            return timed ? start : Interlocked.Increment(ref calls);
        }

        /// <summary>The log of a new thread. Null when there is none.</summary>
        internal static ThreadExtra AddStream(ThreadTree tree)
        {
            if (!Settings.Log)
                return null;
            LogStream stream = new LogStream(tree.Owner, tree.Generation.Number);
            LogStream first;
#pragma warning disable 420 // Interlocked needs no volatile
            do
                stream.Older = first = newest;
            while (Interlocked.CompareExchange(ref newest, stream, first) != first);
#pragma warning restore 420
            return stream;
        }

        // ---- The budget -------------------------------------------------------------------------------------------------

        /// <summary>Once calls are missed there has to be much room: few long gaps are better than many short ones.</summary>
        internal static bool HasRoom(bool much)
        {
            return !closed && held < (much ? MostHeld / 2 : MostHeld);
        }

        internal static bool TryTake(int size)
        {
            if (Add(size) <= MostHeld)
                return true;
            Return(size);
            return false;
        }

        internal static void Return(int size)
        {
            Add(-size);
        }

        private static int Add(int size)
        {
#pragma warning disable 420 // Interlocked needs no volatile
            return Interlocked.Add(ref held, size);
#pragma warning restore 420
        }

        /// <summary>From now on calls are only counted.</summary>
        internal static void Close()
        {
            closed = true;
        }

        // ---- Draining ---------------------------------------------------------------------------------------------------

        private static void Run()
        {
            if (!Guard.Enter())
                return;
            try
            {
                while (!Session.EndsWithin(Drain(false, int.MaxValue) ? 0 : Period))
                {
                }
            }
            catch (Exception)
            {
                // The end of the domain, or of memory: what is written at the end has to do.
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>Brings to the file what has been called so far.</summary>
        internal static void Flush()
        {
            if (draining != null)
                Drain(false, LongestWait);
        }

        /// <summary>The run ends, as far as can be known: the summary is written, too.</summary>
        internal static void End(bool last)
        {
            if (draining == null)
                return;
            // As the session's own thread: it has been reported, and is not left to be stopped in the midst of something.
            if (last && thread != null && thread != Thread.CurrentThread)
                Pauses.Join(thread, LongestWait);
            Drain(true, LongestWait);
        }

        /// <summary>True when there may be more at once.</summary>
        private static bool Drain(bool ends, int patience)
        {
            if (!draining.TryEnter(patience))
                return false;
            try
            {
                if (text == null)
                    text = new CallLogText();
                // Calls that began later wait: one that began before them may not be seen yet.
                int generation = Control.Current.Generation.Number;
                long until = ends ? long.MaxValue : timed ? Clock.Shared() : Interlocked.CompareExchange(ref calls, 0, 0);
                LogStream[] streams = Streams();
                bool wrote = Merge(streams, until);
                text.BeginGeneration(generation);
                if (ends)
                    text.End(streams);
                text.Flush();
                return wrote;
            }
            finally
            {
                draining.Leave();
            }
        }

        /// <summary>The oldest first. Those that have ended and are drained leave the list.</summary>
        private static LogStream[] Streams()
        {
            List<LogStream> streams = new List<LogStream>();
            LogStream younger = null;
            for (LogStream stream = newest; stream != null; stream = stream.Older)
            {
                // The newest stays: another thread may be putting one before it.
                if (younger != null && stream.HasEnded && !stream.TryAdvance())
                {
                    text.TakeMissed(stream);
                    stream.Release();
                    younger.Older = stream.Older;
                    continue;
                }
                younger = stream;
                streams.Add(stream);
            }
            streams.Reverse();
            return streams.ToArray();
        }

        /// <summary>Brings the calls of all streams into one order, up to that moment.</summary>
        private static bool Merge(LogStream[] streams, long until)
        {
            // A heap: each stream's next call is not before that of the stream above it, at half its place.
            LogStream[] heap = new LogStream[streams.Length];
            int count = 0;
            foreach (LogStream stream in streams)
                if (IsDue(stream, until))
                    heap[count++] = stream;
            for (int i = count / 2; i-- > 0;)
                Sink(heap, i, count);
            bool any = count > 0;
            while (count > 0)
            {
                LogStream first = heap[0];
                text.Add(first);
                first.Drained++;
                if (!IsDue(first, until))
                    heap[0] = heap[--count];
                Sink(heap, 0, count);
            }
            return any;
        }

        private static bool IsDue(LogStream stream, long until)
        {
            return stream.TryAdvance() && stream.Draining.Calls[stream.Drained].When <= until;
        }

        private static void Sink(LogStream[] heap, int at, int count)
        {
            for (int next = 2 * at + 1; next < count; at = next, next = 2 * at + 1)
            {
                if (next + 1 < count && IsBefore(heap[next + 1], heap[next]))
                    next++;
                if (!IsBefore(heap[next], heap[at]))
                    return;
                LogStream stream = heap[at];
                heap[at] = heap[next];
                heap[next] = stream;
            }
        }

        private static bool IsBefore(LogStream a, LogStream b)
        {
            if (a.Draining.Generation != b.Draining.Generation)
                return a.Draining.Generation < b.Draining.Generation;
            return a.Draining.Calls[a.Drained].When < b.Draining.Calls[b.Drained].When;
        }
    }
}
