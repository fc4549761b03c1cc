// The page of a program in a browser: takes one last profile along when the page is left.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>By an assembly that only .NET in a browser can load (runtime-tracker/browser), where it is there.</summary>
    internal static class BrowserPage
    {
        // A page that is hidden may never get the event that it is left; one that is left gets both, at once.
        private const string Left = "pagehide", Hidden = "visibilitychange";
        private const int Together = 1000;

        /// <summary>The reason of a writing: the page is left, and may come back.</summary>
        internal const string LeaveReason = "leave";

        private static Type type;
        private static ThreadStart write;
        private static int last;
        private static bool anyBefore;

        private delegate bool Sender(string address, byte[] body);

        /// <summary>From now on <paramref name="writeLast"/> is called when the page is left. Throws where there is no page.</summary>
        internal static void Begin(ThreadStart writeLast)
        {
            write = writeLast;
            type = ReflectedTypes.OfCore("Instrumenter.BrowserPage", "ILInject.Browser");
            if (type == null)
                return;
            ThreadStart leave = Leave;
            Type[] parameters = { typeof(string), typeof(ThreadStart) };
            ReflectedTypes.Call(null, type, "Listen", parameters, Left, leave);
            ReflectedTypes.Call(null, type, "Listen", parameters, Hidden, leave);
        }

        private static void Leave()
        {
            int now = Environment.TickCount;
            if (anyBefore && unchecked(now - last) < Together)
                return;
            anyBefore = true;
            last = now;
            write();
        }

        /// <summary>Hands the browser what it is to send, be the page there or not. False when it does not take it: it takes 64 KiB at most.</summary>
        internal static bool Send(string address, byte[] body)
        {
            try
            {
                Sender sender = (Sender)Delegate.CreateDelegate(typeof(Sender), type.GetMethod("Send", new Type[] { typeof(string), typeof(byte[]) }));
                return sender(address, body);
            }
            catch (Exception)
            {
                return false;
            }
        }
    }
}
