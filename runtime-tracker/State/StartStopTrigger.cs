// When recording starts or stops: what the settings `start` and `stop` say.
using System;

namespace Instrumenter
{
    internal sealed class StartStopTrigger
    {
        private const double MostSeconds = 86400;

        /// <summary>After that many milliseconds; -1: not after a time.</summary>
        internal readonly int Milliseconds;

        /// <summary>At a call of this method, Namespace.Type.Method; null: not at one.</summary>
        internal readonly string Method;

        private StartStopTrigger(int milliseconds, string method)
        {
            Milliseconds = milliseconds;
            Method = method;
        }

        /// <summary>Never by itself.</summary>
        internal static StartStopTrigger Never()
        {
            return new StartStopTrigger(-1, null);
        }

        /// <summary>
        /// A number of seconds, with a point before fractions, or a method's name, which has a dot and starts with no digit.
        /// Null when it is neither.
        /// </summary>
        internal static StartStopTrigger Parse(string text)
        {
            if (text.Length == 0)
                return null;
            if (text[0] < '0' || text[0] > '9')
                return text.IndexOf('.') > 0 ? new StartStopTrigger(-1, text) : null;
            double seconds = Triggers.Decimal(text);
            if (seconds < 0 || seconds > MostSeconds)
                return null;
            return new StartStopTrigger((int)(seconds * 1000), null);
        }
    }
}
