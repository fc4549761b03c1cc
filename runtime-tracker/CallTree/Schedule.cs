// When recording starts and stops by itself: after a time, or at a call of a method; and when a method's end writes the profile.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal static class Schedule
    {
        /// <summary>
        /// Milliseconds between two looks of the tracker's thread at what others may have changed: who asks from outside has an answer
        /// within half a second.
        /// </summary>
        internal const int Period = 400;

        /// <summary>Environment.TickCount at the start of the session, and when recording was seen to have begun.</summary>
        private static int begun, recordingSince;

        private static bool records;

        /// <summary>The start and the stop that are still to come; null: none. Each comes once.</summary>
        private static volatile StartStopTrigger start, stop;

        /// <summary>Null when recording starts, or stops, at no method's call, or has done so.</summary>
        private static volatile MethodWatch startMethod, stopMethod;

        /// <summary>Null when the end of no method's call writes the profile.</summary>
        private static volatile MethodWatch flushMethod;

        /// <summary>Begins with what the settings say.</summary>
        internal static void Begin()
        {
            begun = Environment.TickCount;
            start = Settings.Start;
            stop = Settings.Stop;
            if (start != null)
            {
                if (start.Method != null && Features.Control)
                    startMethod = new MethodWatch("start", start.Method, false);
                Control.Set(false);
            }
            if (stop != null && stop.Method != null && Features.Control)
                stopMethod = new MethodWatch("stop", stop.Method, true);
            if (Settings.Flush != null && Features.Control)
                flushMethod = new MethodWatch("flush", Settings.Flush, true);
        }

        /// <summary>Does the tracker's thread have to look at the clock?</summary>
        internal static bool NeedsThread
        {
            get { return (start != null && start.Milliseconds >= 0) || (stop != null && stop.Milliseconds >= 0); }
        }

        /// <summary>There is no thread: what it would have to do is said, and starting is done at once.</summary>
        internal static void GiveUp()
        {
            if (!NeedsThread)
                return;
            Host.Say("there are no threads here: recording starts at once, and stops at no time");
            if (start != null && start.Milliseconds >= 0)
                Control.Set(true);
            start = stop = null;
        }

        /// <summary>
        /// Starts or stops what is due at <paramref name="now"/>. Returns in how many milliseconds to come again at the latest.
        /// </summary>
        internal static int Look(int now)
        {
            if (start != null && start.Milliseconds >= 0)
            {
                int left = start.Milliseconds - unchecked(now - begun);
                if (left > 0)
                    return left;
                start = null;
                Control.Set(true);
            }
            if (stop == null || stop.Milliseconds < 0)
                return int.MaxValue;
            if (!records)
            {
                if (!Control.Current.Running)
                    return Period;
                records = true;
                recordingSince = Settings.Start == null ? begun : now;
            }
            int rest = stop.Milliseconds - unchecked(now - recordingSince);
            if (rest > 0)
                return rest;
            stop = null;
            Control.Set(false);
            return int.MaxValue;
        }

        /// <summary>
        /// Nothing is recorded, and a method with this id is called: does recording start with it? Then it has.
        /// <paramref name="guarded"/>: the caller holds the guard.
        /// </summary>
        internal static bool StartsWith(int id, bool guarded)
        {
            MethodWatch watch = startMethod;
            if (watch == null || !watch.Is(id, guarded))
                return false;
            startMethod = null;
            bool entered = !guarded && Guard.Enter();
            try
            {
                Control.Set(true);
                return true;
            }
            catch (Exception)
            {
                // Out of memory: all stays as it is.
                return false;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>Does something happen when the outermost call of this method ends? The caller holds the guard.</summary>
        internal static bool Watches(int id)
        {
            MethodWatch last = stopMethod, flush = flushMethod;
            return (last != null && last.Is(id, true)) || (flush != null && flush.Is(id, true));
        }

        /// <summary>The top frame of the calling thread, a call of such a method, is about to close, or its call to end.</summary>
        internal static void WhenClosing(ThreadTree tree)
        {
            MethodWatch watch = stopMethod;
            if (watch == null || tree == null || !Control.Current.Running || !watch.IsOver(tree))
                return;
            stopMethod = null;
            bool entered = Guard.Enter();
            try
            {
                Control.Set(false);
            }
            catch (Exception)
            {
                // Out of memory: recording goes on.
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>
        /// The async call whose slice has this token is about to set its result. A method that
        /// waits for it goes on from there, be it before the slice's frame closes: recording stops
        /// here.
        /// </summary>
        internal static void WhenCallEnds(ThreadTree tree, int token)
        {
            if (token != tree.Depth || (tree.Nodes[tree.Frames[token].Node].Flags & Node.Watched) == 0)
                return;
            if (stopMethod != null)
                WhenClosing(tree);
            if (!FlushesBehind(tree))
                return;
            tree.FlushedDepth = token;
            Flush();
        }

        /// <summary>
        /// The top frame, which is watched, is about to close: is the profile to be written after
        /// that? Not when its async call has ended, and the profile was written then.
        /// </summary>
        internal static bool FlushesBehind(ThreadTree tree)
        {
            MethodWatch watch = flushMethod;
            if (watch == null)
                return false;
            int flushed = tree.FlushedDepth;
            if (flushed >= tree.Depth)
                tree.FlushedDepth = 0;
            return flushed != tree.Depth && watch.IsOver(tree);
        }

        /// <summary>
        /// Writes the profile, and waits until it has arrived where it is posted to, for a bounded time. Never throws. No part of its
        /// callers, since Mono makes the text's object when it compiles the code that holds it.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Flush()
        {
            Session.Write(Session.FlushReason);
        }

        /// <summary>The program ends: a method that no module has is named.</summary>
        internal static void End()
        {
            MethodWatch first = startMethod, last = stopMethod, flush = flushMethod;
            startMethod = stopMethod = flushMethod = null;
            if (first != null)
                first.SayIfAbsent();
            if (last != null)
                last.SayIfAbsent();
            if (flush != null)
                flush.SayIfAbsent();
        }
    }
}
