// How long the threads of the process ran, and waited for a processor, by the system's scheduler
// (Linux).
using System;
using System.Collections.Generic;
using System.IO;

namespace Instrumenter
{
    /// <summary>
    /// /proc/self/task/*/schedstat: time on a processor, time ready to run, in ns, and how often
    /// the thread was put onto one; sums since the thread's start. They are gone when it ends, so
    /// they are read again and again, and the last reading of an ended thread counts. Where there are very many
    /// threads some are read each time, the others the next times. One thread at a time.
    /// </summary>
    internal sealed class ThreadTimes
    {
        /// <summary>
        /// At most so many are read at a time; where there are more than so many, none any more:
        /// even their list takes too long.
        /// </summary>
        private const int MostRead = 256, MostThreads = 8192;

        private const string Tasks = "/proc/self/task";

        /// <summary>A thread's last reading.</summary>
        private sealed class Times
        {
            internal long Ran, Ready, Slices;
            internal int SeenAt;
        }

        private readonly SystemFile file = new SystemFile();
        private readonly Dictionary<string, Times> threads = new Dictionary<string, Times>();
        private readonly List<string> gone = new List<string>();
        private long endedRan, endedReady, endedSlices;
        private int readings, next;
        private bool isKnown = true;

        // As the list has it; null: not known.
        private string own;

        /// <summary>
        /// The calling thread, the tracker's own, does not count: of a program that waits it would
        /// be all there is, and it tells nothing of the program's. Where it can't be told, in old
        /// kernels, it does.
        /// </summary>
        internal void LeaveOutThis()
        {
            try
            {
                long number;
                file.Read("/proc/thread-self/stat");
                if (file.TryNumber(out number))
                    own = Tasks + "/" + Host.Number(number);
            }
            catch (Exception)
            {
            }
        }

        /// <summary>
        /// Sums over all other threads so far, ended ones too. False when they are not known.
        /// </summary>
        internal bool TryGet(out long ran, out long ready, out long slices)
        {
            ran = endedRan;
            ready = endedReady;
            slices = endedSlices;
            foreach (KeyValuePair<string, Times> thread in threads)
            {
                ran += thread.Value.Ran;
                ready += thread.Value.Ready;
                slices += thread.Value.Slices;
            }
            // A kernel that does not count gives noughts.
            return isKnown && ran > 0;
        }

        /// <summary>
        /// Reads the threads that there are. Where that is not possible it is never tried again.
        /// </summary>
        internal void Read()
        {
            if (!isKnown)
                return;
            string[] tasks;
            try
            {
                tasks = List();
            }
            catch (Exception)
            {
                isKnown = false;
                return;
            }
            if (tasks == null || tasks.Length > MostThreads)
            {
                isKnown = false;
                return;
            }
            readings++;
            foreach (string task in tasks)
            {
                Times times;
                if (threads.TryGetValue(task, out times))
                    times.SeenAt = readings;
            }
            int count = Math.Min(tasks.Length, MostRead);
            for (int i = 0; i < count; i++)
                TryRead(tasks[(int)((uint)next++ % (uint)tasks.Length)]);
            DropEnded();
        }

        private static string[] List()
        {
            bool isThere = SystemFile.IsThere("/proc/self/schedstat");
            return isThere ? Directory.GetDirectories(Tasks) : null;
        }

        private void TryRead(string task)
        {
            if (task == own)
                return;
            long ran, ready, slices;
            try
            {
                file.Read(task + "/schedstat");
                if (!file.TryNumber(out ran) || !file.TryNumber(out ready) ||
                    !file.TryNumber(out slices))
                    return;
            }
            catch (Exception)
            {
                // It has ended meanwhile.
                return;
            }
            Times times;
            if (!threads.TryGetValue(task, out times))
                threads.Add(task, times = new Times());
            else if (ran < times.Ran)
                // Another thread with the same number.
                End(times);
            times.Ran = ran;
            times.Ready = ready;
            times.Slices = slices;
            times.SeenAt = readings;
        }

        private void DropEnded()
        {
            foreach (KeyValuePair<string, Times> thread in threads)
                if (thread.Value.SeenAt != readings)
                {
                    End(thread.Value);
                    gone.Add(thread.Key);
                }
            foreach (string task in gone)
                threads.Remove(task);
            gone.Clear();
        }

        private void End(Times times)
        {
            endedRan += times.Ran;
            endedReady += times.Ready;
            endedSlices += times.Slices;
        }
    }
}
