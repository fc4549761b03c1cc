// A part of a thread's timeline: some calls, one after another.

namespace Instrumenter
{
    /// <summary>A call that has ended; in ticks of recorded time.</summary>
    internal struct CallEvent
    {
        internal int Node;
        internal long End, Duration;
    }

    /// <summary>Filled by its stream's thread, read by any; the links are used under the timeline's lock.</summary>
    internal sealed class EventChunk
    {
        internal EventStream Stream;
        internal CallEvent[] Events;

        /// <summary>The number of its first event in the stream, from 0.</summary>
        internal long First;

        /// <summary>How many are there. Stored after the event itself.</summary>
        internal volatile int Count;

        /// <summary>Another stream has the events by now: what was read of them does not count.</summary>
        internal volatile bool Taken;

        /// <summary>The next one of the same stream.</summary>
        internal EventChunk Next;

        /// <summary>Nothing is added to it any more.</summary>
        internal bool IsFull;

        /// <summary>Neighbours among the chunks of all streams that are full.</summary>
        internal EventChunk Older, Newer;

        /// <summary>Makes room in a stream without readers.</summary>
        internal EventChunk Empty()
        {
            Count = 0;
            return this;
        }

        internal EventChunk(EventStream stream, CallEvent[] events, long first)
        {
            Stream = stream;
            Events = events;
            First = first;
        }
    }
}
