// The ways that exceptions have taken: from which node of the call tree down to which other, how often, and for how long.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Counters are written by the owner only; a writer of profiles reads them meanwhile. How the flight ended: ExceptionOutcomes.cs.in.
    /// </summary>
    internal sealed partial class ExceptionPath
    {
        internal const int MostMessages = 3;

        internal readonly string Type;
        internal readonly int Thrower, Catcher;
        internal readonly int Outcome;

        internal long Count, Ticks, SearchTicks, FramesSearched, FramesUnwound;

        /// <summary>The first messages, as many as are not null.</summary>
        internal readonly string[] Messages = new string[MostMessages];

        /// <summary>The next older path of the table, and of its slot.</summary>
        internal ExceptionPath Older, Chain;

        internal ExceptionPath(string type, int thrower, int catcher, int outcome)
        {
            Type = type;
            Thrower = thrower;
            Catcher = catcher;
            Outcome = outcome;
        }

        internal bool Matches(string type, int thrower, int catcher, int outcome)
        {
            return Thrower == thrower && Catcher == catcher && Outcome == outcome && Type == type;
        }

        /// <summary>Adds a flight (sign 1) or takes it back (-1).</summary>
        internal void Add(ExceptionInFlight flight, int sign)
        {
            Counter.Add(ref Ticks, sign * Math.Max(flight.Last - flight.Start, 0));
            Counter.Add(ref SearchTicks, sign * flight.SearchTicks);
            Counter.Add(ref FramesSearched, sign * flight.FramesSearched);
            Counter.Add(ref FramesUnwound, sign * flight.FramesUnwound);
            Counter.Add(ref Count, sign);
        }

        /// <summary>Adds another path's figures and its messages, as far as there is room.</summary>
        internal void Add(ExceptionPath other)
        {
            Count += other.Count;
            Ticks += other.Ticks;
            SearchTicks += other.SearchTicks;
            FramesSearched += other.FramesSearched;
            FramesUnwound += other.FramesUnwound;
            foreach (string message in other.Messages)
                if (message != null)
                    AddMessage(message);
        }

        /// <summary>Exceptions of this type have no message that can be had.</summary>
        internal bool Mute;

        internal bool WantsMessage
        {
            get { return !Mute && Messages[MostMessages - 1] == null; }
        }

        internal void AddMessage(string message)
        {
            int free = 0;
            while (free < MostMessages && Messages[free] != null)
                free++;
            if (free < MostMessages)
                Messages[free] = message;
        }

        internal void TakeBackMessage()
        {
            for (int i = MostMessages - 1; i >= 0; i--)
                if (Messages[i] != null)
                {
                    Messages[i] = null;
                    return;
                }
        }
    }
}
