// The profile by HTTP, to the address that the setting `post` names.
using System;
using System.Globalization;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// One delivery at a time; of the profiles that come meanwhile the last one waits, since each is the whole run's. Nothing here
    /// holds a thread of the program's up, but the end of the process and Flush, for a bounded time. The wire: docs/serve.md.
    /// </summary>
    internal static class Post
    {
        /// <summary>Milliseconds that a delivery may take.</summary>
        internal const int LongestDelivery = 30000;
        private const int PauseStep = 100;

        private static SpinLock gate;
        private static volatile Delivery current;
        private static volatile byte[] waiting;
        private static volatile bool arrived, isAwaited;
        private static Thread thread;
        private static bool told, toldValues, holdsValues;
        private static string run;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>A random number that distinguishes this run for a receiver of profiles of many hosts: programs in
        /// browsers can agree in process, machine and time (in milliseconds).</summary>
        internal static string Run
        {
            get
            {
                if (run == null)
                    Interlocked.CompareExchange(ref run, Guid.NewGuid().ToString("N"), null);
                return run;
            }
        }

        /// <summary>
        /// True if there are captured values that may go to the address that was named, and nowhere else.
        /// </summary>
        internal static bool KeepsValues
        {
            get { return !Settings.PostPlainValues && (holdsValues || CapturedMethods.Rules() != null); }
        }

        /// <summary>
        /// True if values of the profile would go through a network as they are. They stay here then, which is reported
        /// once; `post_values` allows it.
        /// </summary>
        internal static bool WouldShowValues(ByteWriter profile)
        {
            holdsValues |= profile.HoldsValues;
            if (!KeepsValues || PostAddress.IsEncryptedOrLocal(Settings.Post))
                return false;
            if (!toldValues || Settings.Verbose)
                Host.Say("post=" + Address + ": captured values are not sent unencrypted to another machine; use https://, or post_values=plain");
            toldValues = true;
            return true;
        }

        /// <summary>Hands a profile over. False when there is no address, or no way to it. Never throws.</summary>
        internal static bool Send(byte[] profile)
        {
            if (Settings.Post == null)
                return false;
            using (Gate.Enter())
            {
                Delivery before = current;
                if (before != null && (before.PutOff != null || before.Age < LongestDelivery))
                {
                    waiting = profile;
                    return true;
                }
                if (before != null)
                {
                    Tell("no answer within " + Host.Number(LongestDelivery / 1000) + " seconds");
                    before.Abandon();
                }
                return Start(profile);
            }
        }

        /// <summary>
        /// The page is left: what is on its way already may end with it, and this one goes past it. Browsers take 64 KiB at most in all
        /// that outlives a page (Fetch, "inflight keepalive bytes"), so parts would not get further than the whole.
        /// </summary>
        internal static bool SendLast(byte[] profile)
        {
            byte[] body = Gzip.Of(profile) ?? profile;
            if (BrowserPage.Send(Settings.Post, body))
            {
                if (Settings.Verbose)
                    Host.Say("handed to the browser for " + Address);
                return true;
            }
            Tell("the page is left, and the browser does not take " + Host.Number(body.Length) + " bytes to send after it (64 KiB at most); they go as on the beat, and may be lost");
            return Send(profile);
        }

        /// <summary>The gate must be held.</summary>
        private static bool Start(byte[] profile)
        {
            waiting = null;
            arrived = false;
            try
            {
                current = Delivery.Make(Settings.Post, profile);
                if (current == null)
                {
                    Tell("this host has no way to send it");
                    return false;
                }
                Begin(current);
                return true;
            }
            catch (Exception e)
            {
                current = null;
                Tell(ReflectedTypes.Reason(e));
                return false;
            }
        }

        /// <summary>On a thread of its own, as looking an address up can wait in the system.</summary>
        private static void Begin(Delivery delivery)
        {
            try
            {
                thread = new Thread(delivery.Begin);
                thread.IsBackground = true;
                thread.Name = "ilinject post";
                thread.Start();
            }
            catch (Exception)
            {
                // A runtime without threads: nothing there can wait.
                thread = null;
                delivery.Begin();
            }
        }

        /// <summary>Has a server that takes nothing now asked once more after that many milliseconds, by a thread of its own.
        /// False: it cannot be, or the profile was dropped.</summary>
        internal static bool TryPause(Delivery delivery, int milliseconds)
        {
            ThreadStart pause = delegate
            {
                try
                {
                    Guard.Enter();
                    // The end of the program asks sooner: it waits for a bounded time.
                    for (int slept = 0; slept < milliseconds && !(isAwaited && slept >= Delivery.FirstPause); slept += PauseStep)
                        Thread.Sleep(PauseStep);
                    AskAgain(delivery);
                }
                catch (Exception)
                {
                    // Nothing waits for this thread.
                }
            };
            try
            {
                using (Gate.Enter())
                {
                    if (delivery != current)
                        return false;
                    Thread made = new Thread(pause);
                    made.IsBackground = true;
                    made.Name = "ilinject post";
                    made.Start();
                    thread = made;
                    return true;
                }
            }
            catch (Exception)
            {
                // A runtime without threads. The next beat sends again.
                return false;
            }
        }

        private static void AskAgain(Delivery delivery)
        {
            using (Gate.Enter())
            {
                if (delivery != current)
                    return;
                byte[] newer = waiting;
                if (newer != null)
                {
                    Start(newer);
                    return;
                }
            }
            delivery.Begin();
        }

        /// <summary>True if nothing newer waits for this one's end, and it was not dropped.</summary>
        internal static bool WantsAgain(Delivery delivery)
        {
            using (Gate.Enter())
                return delivery == current && waiting == null;
        }

        /// <summary>A delivery has come to its end, on whatever thread. <paramref name="problem"/>: null when it arrived.</summary>
        internal static void Over(Delivery delivery, string problem)
        {
            using (Gate.Enter())
            {
                if (delivery != current)
                    return;
                if (problem != null)
                    Tell(problem);
                else if (Settings.Verbose)
                    Host.Say("posted to " + Address);
                arrived = problem == null;
                byte[] next = waiting;
                // A thread that waits for it goes on at once, and the process may end.
                if (next == null)
                    current = null;
                else
                    Start(next);
            }
        }

        /// <summary>Waits until all that was handed over has arrived, at most <see cref="Settings.PostWait"/>. False: it has not.</summary>
        internal static bool Await()
        {
            int start = Environment.TickCount;
            Pauses pauses = new Pauses();
            isAwaited = true;
            while (current != null && unchecked(Environment.TickCount - start) < Settings.PostWait)
                pauses.Sleep(1);
            pauses.End();
            isAwaited = false;
            Delivery last = current;
            if (last != null)
            {
                Tell(last.PutOff ?? "no answer within " + (Settings.PostWait / 1000.0).ToString(CultureInfo.InvariantCulture) + " seconds");
                return false;
            }
            // Mono stops the threads that are left when a program ends; this one is about to end by itself.
            Thread sender = thread;
            if (sender != null && sender != Thread.CurrentThread)
                Pauses.Join(sender, Settings.PostWait);
            return arrived;
        }

        /// <summary>The first failure is named in one line; with `verbose` each.</summary>
        private static void Tell(string problem)
        {
            if (!told || Settings.Verbose)
                Host.Say("post=" + Address + ": " + problem);
            told = true;
        }

        /// <summary>Without its path, which may have a token in it.</summary>
        private static string Address
        {
            get
            {
                string url = Settings.Post;
                int path = url.IndexOf('/', url.IndexOf("://", StringComparison.Ordinal) + 3);
                return path < 0 ? url : url.Substring(0, path + 1) + (path + 1 < url.Length ? "..." : "");
            }
        }
    }
}
