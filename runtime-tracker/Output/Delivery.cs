// One profile on its way to the address, by whatever the host has for that.
using System;
using System.Threading;

namespace Instrumenter
{
    internal abstract class Delivery
    {
        protected readonly string Url;
        protected readonly byte[] Body;
        private int begun = Environment.TickCount;
        private bool again;
        private volatile string putOff;
        private int pause = FirstPause;

        /// <summary>Milliseconds until a server that has put it off is asked once more; each time twice as many.</summary>
        internal const int FirstPause = 500, LongestPause = 32000;

        private const int TooMany = 429, Busy = 503, Full = 507;

        protected const string ContentType = "application/octet-stream";

        protected Delivery(string url, byte[] body)
        {
            Url = url;
            Body = body;
        }

        /// <summary>Null when the host has nothing to send with.</summary>
        internal static Delivery Make(string url, byte[] body)
        {
            bool isSilverlight = Host.IsSilverlight;
            Type type = null;
            if (Environment.Version.Major > 4 && !isSilverlight)
            {
                type = ReflectedTypes.OfCore("System.Net.Http.HttpClient", "System.Net.Http");
                if (type != null)
                    return new ClientDelivery(type, url, body);
                type = ReflectedTypes.OfCore(RequestDelivery.TypeName, "System.Net.Requests");
            }
            if (Host.IsMono && !isSilverlight && url.StartsWith("http://", StringComparison.Ordinal))
            {
                type = ReflectedTypes.OfFramework(SocketDelivery.TypeName);
                if (type != null)
                    return new SocketDelivery(type, url, body);
            }
            if (type == null)
                type = isSilverlight ? ReflectedTypes.OfSilverlight(RequestDelivery.TypeName, "System.Net") : ReflectedTypes.OfFramework(RequestDelivery.TypeName);
            return type == null ? null : new RequestDelivery(type, url, body);
        }

        /// <summary>What an answer that is none of 200 to 299 is reported as.</summary>
        protected static string Refused(string status)
        {
            return "the server answers " + status + (status.Length == 3 && status[0] == '3' && Post.KeepsValues ? ", and captured values follow no redirect" : "");
        }

        /// <summary>What the server has put it off with; null while it is not.</summary>
        internal string PutOff
        {
            get { return putOff; }
        }

        /// <summary>The end of sending by an answer's status.</summary>
        protected void EndBy(string status)
        {
            if (status.Length == 3 && status[0] == '2')
                End(null, true);
            else if (status == Host.Number(TooMany) || status == Host.Number(Busy) || status == Host.Number(Full))
                WaitToAskAgain(Refused(status));
            else
                End(Refused(status), true);
        }

        /// <summary>It is not lost: it waits, and a newer one takes its place.</summary>
        private void WaitToAskAgain(string problem)
        {
            int length = pause;
            pause = Math.Min(2 * length, LongestPause);
            putOff = problem;
            if (!Post.TryPause(this, length))
                End(problem, true);
        }

        /// <summary>Milliseconds since it began.</summary>
        internal int Age
        {
            get { return unchecked(Environment.TickCount - begun); }
        }

        /// <summary>Sends, which may take its time. The outcome comes to
        /// <see cref="Post.Over"/>.</summary>
        internal void Begin()
        {
            putOff = null;
            again = false;
            begun = Environment.TickCount;
            Step(Send);
        }

        /// <summary>On a thread of the host's: nothing that is called from here is recorded, and nothing thrown.</summary>
        protected void Step(ThreadStart part)
        {
            bool entered = Guard.Enter();
            try
            {
                part();
            }
            catch (Exception e)
            {
                End(ReflectedTypes.Reason(e), IsAnswer(e));
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>True if an answer says that sending has failed. Else it is not known what became of the
        /// profile.</summary>
        protected virtual bool IsAnswer(Exception e)
        {
            return false;
        }

        /// <summary>
        /// The end of sending. Without an answer the profile is sent once more, as a server in a crowd ends connections, and the second takes the place
        /// of the first if both have arrived.
        /// </summary>
        protected void End(string problem, bool answered)
        {
            try
            {
                if (answered || again || !Post.WantsAgain(this))
                {
                    Post.Over(this, problem);
                    return;
                }
                again = true;
                Step(Send);
            }
            catch (Exception)
            {
                // Out of memory.
            }
        }

        protected abstract void Send();

        /// <summary>Drops it: no caller waits for it any more.</summary>
        internal abstract void Abandon();
    }
}
