// Methods that the program itself may call, to say what is recorded and to get at it.
using System;
using System.IO;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Goes on with recording, after <see cref="Stop"/> or where the setting <c>start=off</c> began without. Calls that are
        /// under way and were not recorded at their start stay unrecorded.
        /// </summary>
        public static void Start()
        {
            SetRunning(true);
        }

        /// <summary>
        /// Records nothing until <see cref="Start"/>, in all threads. Calls under way that were recorded at their start go on to
        /// be, but the time between is not theirs.
        /// </summary>
        public static void Stop()
        {
            SetRunning(false);
        }

        /// <summary>
        /// Forgets all that was recorded, in all threads: what follows is a run that begins now. Calls under way count as entered
        /// at this moment.
        /// </summary>
        public static void Reset()
        {
            try { } finally { ResetUnbroken(); }
        }

        private static void ResetUnbroken()
        {
            bool entered = Guard.Enter();
            try
            {
                if (Session.Start())
                    Registry.Reset();
            }
            catch (Exception)
            {
                // Out of memory: all stays as it is.
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>Writes the profile's file now. False when it could not be written.</summary>
        public static bool Flush()
        {
            bool written = false;
            try { } finally { written = FlushUnbroken(); }
            return written;
        }

        private static bool FlushUnbroken()
        {
            try
            {
                return Session.Start() && Session.Write("request");
            }
            catch (Exception)
            {
                return false;
            }
        }

        /// <summary>The profile as it stands, as it would stand in its file. Empty when there is no memory for it.</summary>
        public static byte[] Snapshot()
        {
            byte[] profile = null;
            try { } finally { profile = SnapshotUnbroken(); }
            return profile;
        }

        private static byte[] SnapshotUnbroken()
        {
            bool entered = Guard.Enter();
            try
            {
                return Session.Start() ? Session.Snapshot() : new byte[0];
            }
            catch (Exception)
            {
                return new byte[0];
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>
        /// The record so far, for reading: head, function table, call tree, times as recorded, the same in every culture. Empty
        /// when there is no memory for it.
        /// </summary>
        public static string SnapshotText()
        {
            string text = null;
            try { } finally { text = SnapshotTextUnbroken(); }
            return text;
        }

        private static string SnapshotTextUnbroken()
        {
            bool entered = Guard.Enter();
            try
            {
                return Session.Start() ? ReportText.Of(Session.Snapshot()) : "";
            }
            catch (Exception)
            {
                return "";
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>
        /// The tracker's messages (a setting that can't be used, a profile that did not arrive),
        /// line by line, where there is no standard error to say it on. Empty elsewhere.
        /// </summary>
        public static string Messages()
        {
            return Host.Unheard;
        }

        /// <summary>Prints <see cref="SnapshotText"/>. A writer that throws, or none, prints nothing.</summary>
        public static void Report(TextWriter writer)
        {
            try
            {
                if (writer != null)
                    writer.Write(SnapshotText());
            }
            catch (Exception)
            {
                // The program's writer failed: the report is dropped.
            }
        }

        private static void SetRunning(bool running)
        {
            try { } finally { SetRunningUnbroken(running); }
        }

        private static void SetRunningUnbroken(bool running)
        {
            bool entered = Guard.Enter();
            try
            {
                if (Session.Start())
                    Control.Set(running);
            }
            catch (Exception)
            {
                // Out of memory: all stays as it is.
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }
    }
}
