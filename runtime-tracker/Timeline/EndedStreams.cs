// The timelines of threads that have ended.
using System.Collections.Generic;

namespace Instrumenter
{
    internal sealed class EndedStreams : ThreadExtra
    {
        /// <summary>The streams with anything left, and how many calls were on others.</summary>
        internal readonly List<EventStream> Streams = new List<EventStream>();
        internal long Lost;

        /// <summary>They keep what ran at each tick.</summary>
        internal bool IsSampled;

        internal override ThreadSection Section(ThreadTree tree, long start, ref OpenFrames open)
        {
            return EventSection.Of(this, start);
        }

        internal override void GiveBack()
        {
            foreach (EventStream stream in Streams)
                Timeline.Drop(stream);
        }
    }
}
