// How long the threads of the process ran, and waited for a processor, by the system's scheduler
// (Linux).
using System;
using System.Globalization;
using System.IO;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// /proc/self/task/*/schedstat: time on a processor, time ready to run, in ns, and how often
    /// the thread was put onto one; sums since the thread's start. They are gone when it ends, so
    /// they are read again and again, and the last reading of an ended thread counts. Where there
    /// are very many threads some are read each time, the others the next times. One thread at a
    /// time. Few methods, and none is called for each thread: .NET recompiles, with optimizations,
    /// a method that is called thirty times.
    /// </summary>
    internal sealed class ThreadTimes
    {
        /// <summary>
        /// At most that many are read at a time; where there are more than that many, none any more:
        /// even their list takes too long.
        /// </summary>
        private const int MostRead = 256, MostThreads = 8192;

        private const string Tasks = "/proc/self/task", Figures = "/schedstat";

        /// <summary>
        /// In an entry of a folder, as Linux has it (getdents64): where its own size stands, and
        /// its name.
        /// </summary>
        private const int SizeAt = 16, NameAt = 19;

        /// <summary>A thread's last reading.</summary>
        private struct Times
        {
            internal int Task;
            internal long Ran, Ready, Slices;
        }

        private readonly SystemFile file = new SystemFile();
        private readonly byte[] bytes = new byte[4096];

        // For the system's calls; the path of a thread's file has its number and the ending after
        // its start.
        private readonly byte[] folder = Encoding.UTF8.GetBytes(Tasks + "\0");
        private readonly byte[] ending = Encoding.UTF8.GetBytes(Figures + "\0");
        private readonly byte[] path = new byte[64];
        private long endedRan, endedReady, endedSlices;
        private int next;
        private bool isKnown = true, isManaged;

        // By ascending numbers; that many are threads.
        private Times[] threads = new Times[0];
        private int count;

        // The numbers of those that there are now.
        private int[] tasks = new int[64];
        private int taskCount;

        // 0: not known.
        private int own;

        // Below 0: not known.
        private long ownRan = -1;

        /// <summary>The number of the thread that ticks (TickingClock), left out as well; 0: there is none.</summary>
        private static volatile int clock;

        /// <summary>The calling thread's ticks are a clock.</summary>
        internal static void LeaveOutClock()
        {
            clock = NumberOfThis(new SystemFile());
        }

        /// <summary>0: it has none here.</summary>
        private static int NumberOfThis(SystemFile file)
        {
            long[] number = new long[1];
            try
            {
                file.Read("/proc/thread-self/stat");
                return file.TryNumbers(number) ? (int)number[0] : 0;
            }
            catch (Exception)
            {
                return 0;
            }
        }

        /// <summary>
        /// The calling thread, the tracker's own, does not count: in a program that waits it would be all there is, and
        /// it says nothing about the program. In old kernels, where it cannot be found, it does.
        /// </summary>
        internal void LeaveOutThis()
        {
            own = NumberOfThis(file);
        }

        /// <summary>
        /// The time that the threads which are left out ran, in ns, also when it has ended meanwhile;
        /// below 0 when it is not known.
        /// </summary>
        internal long TimeLeftOut()
        {
            long[] number = new long[1];
            if (own == 0)
                return -1;
            file.Read(Tasks + "/" + Host.Number(own) + Figures);
            if (file.TryNumbers(number))
                ownRan = number[0];
            if (clock == 0)
                return ownRan;
            file.Read(Tasks + "/" + Host.Number(clock) + Figures);
            return ownRan + (file.TryNumbers(number) ? number[0] : 0);
        }

        /// <summary>
        /// Sums over all other threads so far, ended ones too. False when they are not known.
        /// </summary>
        internal bool TryGet(out long ran, out long ready, out long slices)
        {
            ran = endedRan;
            ready = endedReady;
            slices = endedSlices;
            for (int i = 0; i < count; i++)
            {
                ran += threads[i].Ran;
                ready += threads[i].Ready;
                slices += threads[i].Slices;
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
            try
            {
                isKnown = (count != 0 || SystemFile.IsThere("/proc/self" + Figures)) && List();
            }
            catch (Exception)
            {
                isKnown = false;
            }
            if (!isKnown)
                return;
            Match();
            int reading = Math.Min(count, MostRead);
            try
            {
                if (!isManaged)
                {
                    ReadNatively(reading);
                    return;
                }
            }
            catch (Exception)
            {
                isManaged = true;
            }
            ReadManaged(reading);
        }

        /// <summary>Lists the threads' numbers. False: too many, or none is found.</summary>
        private bool List()
        {
            taskCount = 0;
            try
            {
                if (!isManaged)
                    return ListNatively();
            }
            catch (Exception)
            {
                isManaged = true;
            }
            return ListManaged();
        }

        private bool ListNatively()
        {
            int opened = NativeFile.open(folder, NativeFile.CloseOnExec);
            if (opened < 0)
                return false;
            int size = NativeFile.getdents64(opened, bytes, bytes.Length);
            for (; size > 0 && taskCount <= MostThreads;
                 size = NativeFile.getdents64(opened, bytes, bytes.Length))
            {
                int length;
                for (int entry = 0; entry < size; entry += length)
                {
                    // Below 256, as names of numbers are short: in whichever order the bytes are.
                    length = bytes[entry + SizeAt] | bytes[entry + SizeAt + 1];
                    if (length == 0)
                        length = size;
                    int task = 0;
                    for (int i = entry + NameAt; bytes[i] >= '0' && bytes[i] <= '9'; i++)
                        task = task * 10 + (bytes[i] - '0');
                    // "." and ".." have no number.
                    if (task == 0)
                        continue;
                    if (taskCount == tasks.Length)
                        Array.Resize(ref tasks, taskCount * 2);
                    tasks[taskCount++] = task;
                }
            }
            NativeFile.close(opened);
            return size == 0 && taskCount != 0 && taskCount <= MostThreads;
        }

        private bool ListManaged()
        {
            if (!Features.OldHosts)
                return false;
            string[] folders = Directory.GetDirectories(Tasks);
            if (folders.Length > MostThreads)
                return false;
            tasks = new int[Math.Max(folders.Length, 1)];
            for (taskCount = 0; taskCount < folders.Length; taskCount++)
                tasks[taskCount] = int.Parse(Path.GetFileName(folders[taskCount]),
                                             CultureInfo.InvariantCulture);
            return taskCount != 0;
        }

        /// <summary>
        /// Puts the last readings to the threads that there are now; those left have ended.
        /// </summary>
        private void Match()
        {
            // Nearly always they are in order: the system gives ascending numbers.
            for (int i = 1; i < taskCount; i++)
            {
                int task = tasks[i], at = i;
                for (; at > 0 && tasks[at - 1] > task; at--)
                    tasks[at] = tasks[at - 1];
                tasks[at] = task;
            }
            Times[] matched = new Times[taskCount];
            int old = 0;
            for (int i = 0; i < taskCount; i++)
            {
                for (; old < count && threads[old].Task < tasks[i]; old++)
                    End(old);
                matched[i].Task = tasks[i];
                if (old < count && threads[old].Task == tasks[i])
                    matched[i] = threads[old++];
            }
            for (; old < count; old++)
                End(old);
            threads = matched;
            count = taskCount;
        }

        private void End(int thread)
        {
            endedRan += threads[thread].Ran;
            endedReady += threads[thread].Ready;
            endedSlices += threads[thread].Slices;
        }

        // "ran ready slices", decimal; no more than fits into the buffer.
        private void ReadNatively(int reading)
        {
            int length = folder.Length;
            for (int i = 0; i < length; i++)
                path[i] = folder[i];
            path[length - 1] = (byte)'/';
            for (; reading > 0; reading--)
            {
                int thread = (int)((uint)next++ % (uint)count), digits = 1;
                if (threads[thread].Task == own || threads[thread].Task == clock)
                    continue;
                for (int rest = threads[thread].Task; rest >= 10; rest /= 10)
                    digits++;
                int at = length + digits;
                for (int rest = threads[thread].Task; at > length; rest /= 10)
                    path[--at] = (byte)('0' + rest % 10);
                for (int i = 0; i < ending.Length; i++)
                    path[length + digits + i] = ending[i];
                int opened = NativeFile.open(path, NativeFile.CloseOnExec), size = -1;
                if (opened >= 0)
                {
                    size = NativeFile.Read(opened, bytes);
                    NativeFile.close(opened);
                }
                long ran = 0, ready = 0, slices = 0;
                int numbers = 0;
                for (at = 0; at < size && numbers < 3; numbers++)
                {
                    ran = ready;
                    ready = slices;
                    slices = 0;
                    for (; at < size && bytes[at] >= '0' && bytes[at] <= '9'; at++)
                        slices = unchecked(slices * 10 + (bytes[at] - '0'));
                    at++;
                }
                if (numbers < 3)
                    // It has ended meanwhile.
                    continue;
                if (ran < threads[thread].Ran)
                    // Another thread with the same number.
                    End(thread);
                threads[thread].Ran = ran;
                threads[thread].Ready = ready;
                threads[thread].Slices = slices;
            }
        }

        private void ReadManaged(int reading)
        {
            long[] numbers = new long[3];
            for (; reading > 0; reading--)
            {
                int thread = (int)((uint)next++ % (uint)count);
                if (threads[thread].Task == own || threads[thread].Task == clock || !TryReadManaged(thread, numbers))
                    continue;
                if (numbers[0] < threads[thread].Ran)
                    End(thread);
                threads[thread].Ran = numbers[0];
                threads[thread].Ready = numbers[1];
                threads[thread].Slices = numbers[2];
            }
        }

        private bool TryReadManaged(int thread, long[] numbers)
        {
            try
            {
                file.Read(Tasks + "/" + Host.Number(threads[thread].Task) + Figures);
                return file.TryNumbers(numbers);
            }
            catch (Exception)
            {
                // It has ended meanwhile.
                return false;
            }
        }
    }
}
