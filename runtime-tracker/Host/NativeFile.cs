// Calls of the C library, where managed interfaces lack something or cost far more.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// Touched only on systems that have this library: a call may find that there is no such
    /// library, no such function, or no native call at all, which is an exception. .NET compiles a
    /// method for each of these once, and dozens of the core library's, in up to three steps, for
    /// the same by its own files and folders.
    /// </summary>
    internal static class NativeFile
    {
        /// <summary>Linux: for reading, a folder, too, and no child process has it.</summary>
        internal const int CloseOnExec = 0x80000;

        private const int MostOfName = 1024;

        /// <summary>An array that does not move while the system has its address.</summary>
        private struct Pinned : IDisposable
        {
            private GCHandle handle;

            internal Pinned(object array)
            {
                handle = GCHandle.Alloc(array, GCHandleType.Pinned);
            }

            internal IntPtr Address
            {
                get { return handle.AddrOfPinnedObject(); }
            }

            public void Dispose()
            {
                handle.Free();
            }
        }

        /// <summary>POSIX calls it RLIMIT_FSIZE.</summary>
        private const int FileSizeLimit = 1;

        /// <summary>POSIX calls them F_TEST and F_TLOCK.</summary>
        private const int Test = 3, TestAndLock = 2;

        /// <summary>CLOCK_THREAD_CPUTIME_ID of Linux.</summary>
        private const int ThreadClock = 3;

        /// <summary>RUSAGE_THREAD of Linux.</summary>
        private const int ThisThread = 1;

        [StructLayout(LayoutKind.Sequential)]
        private struct Time
        {
            internal long Seconds, Nanoseconds;
        }

        /// <summary>Of struct rusage what is asked for; with the room that the largest one has.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 272)]
        private struct Usage
        {
            [FieldOffset(128)]
            internal long Given;

            [FieldOffset(136)]
            internal long Lost;
        }

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int mkstemp([In, Out] byte[] template);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        internal static extern int close(int file);

        /// <summary>The path ends with a zero.</summary>
        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        internal static extern int open(byte[] path, int flags);

        // Addresses (Pinned), where a short program makes the call: for an array .NET makes code that passes it.
        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int open(IntPtr path, int flags, int mode);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern long write(int file, IntPtr from, long size);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int rename(IntPtr from, IntPtr to);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int unlink(IntPtr path);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int access(IntPtr path, int how);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern IntPtr getcwd(IntPtr path, long size);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int gethostname(IntPtr name, long size);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int getrlimit(int resource, IntPtr limits);

        // The size is a size_t. Where that has 32 bits the upper half comes after it and is not
        // looked at. Silverlight has no conversion to IntPtr.
        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int read(int file, IntPtr to, long size);

        /// <summary>Linux: entries of a folder as the kernel has them; 0 after the last.</summary>
        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        internal static extern int getdents64(int folder, [Out] byte[] to, long size);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int getpid();

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern long clock();

        [DllImport("libc"), SuppressUnmanagedCodeSecurity, SuppressGCTransition]
        private static extern int clock_gettime(int clock, out Time time);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity, SuppressGCTransition]
        private static extern int getrusage(int whose, out Usage usage);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity, SuppressGCTransition]
        private static extern int gettid();

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int lockf(IntPtr file, int what, long size);

        // Seconds and nanoseconds, of 64 bits each; the second pointer may be null.
        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int nanosleep([In] long[] time, IntPtr left);

        [DllImport("libc"), SuppressUnmanagedCodeSecurity]
        private static extern int setpriority(int which, int who, int nice);

        /// <summary>Pauses for that time at least, unless a signal comes. False where a pointer has not 64 bits: it can't.</summary>
        internal static bool Sleep(long[] secondsAndNanoseconds)
        {
            if (IntPtr.Size == 8)
                nanosleep(secondsAndNanoseconds, IntPtr.Zero);
            return IntPtr.Size == 8;
        }

        /// <summary>Linux: the calling thread's alone, where the system allows it.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void RaisePriorityOfThread()
        {
            const int Process = 0, Own = 0, Nice = -10;
            setpriority(Process, Own, Nice);
        }

        /// <summary>True if another process has locked the byte that this file is at.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static bool IsLocked(FileStream stream)
        {
            return IntPtr.Size == 8 && lockf(stream.SafeFileHandle.DangerousGetHandle(), Test, 1) != 0;
        }

        /// <summary>Locks the byte that this file is at, unless another process has.</summary>
        internal static bool TryLock(int file)
        {
            return lockf(new IntPtr(file), TestAndLock, 1) == 0;
        }

        /// <summary>As the system's calls take it. ASCII by hand: for the first text that it encodes .NET takes 2 ms.</summary>
        internal static byte[] PathOf(string path)
        {
            byte[] bytes = new byte[path.Length + 1];
            for (int i = 0; i < path.Length; i++)
                if (path[i] < 0x80)
                    bytes[i] = (byte)path[i];
                else
                    return Encoding.UTF8.GetBytes(path + "\0");
            return bytes;
        }

        /// <summary>Null: it is not ASCII, or longer than any that is usual.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static string CurrentDirectory()
        {
            byte[] path = new byte[MostOfName];
            using (Pinned bytes = new Pinned(path))
                return getcwd(bytes.Address, MostOfName) == IntPtr.Zero ? null : TextOf(path);
        }

        /// <summary>The machine's, up to a dot. Null as above.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static string HostName()
        {
            byte[] name = new byte[MostOfName];
            using (Pinned bytes = new Pinned(name))
                if (gethostname(bytes.Address, MostOfName) != 0)
                    return null;
            for (int i = 0; i < name.Length; i++)
                if (name[i] == '.')
                    name[i] = 0;
            return TextOf(name);
        }

        private static string TextOf(byte[] bytes)
        {
            char[] letters = new char[bytes.Length];
            for (int i = 0; i < bytes.Length && bytes[i] < 0x80; i++)
                if (bytes[i] == 0)
                    return new string(letters, 0, i);
                else
                    letters[i] = (char)bytes[i];
            return null;
        }

        /// <summary>The mode is that of a file that is made, which takes Linux.</summary>
        internal static int Open(byte[] path, int flags, int mode)
        {
            using (Pinned name = new Pinned(path))
                return open(name.Address, flags, mode);
        }

        /// <summary>Linux: was the process started with a variable that has a name with this start? True where that is not known.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static bool MayHaveVariable(string start)
        {
            byte[] bytes = new byte[4096];
            int file = Open(PathOf("/proc/self/environ"), CloseOnExec, 0), size, at = 0;
            if (file < 0)
                return true;
            bool found = false;
            while (!found && (size = Read(file, bytes)) > 0)
                for (int i = 0; i < size && !found; i++)
                {
                    at = bytes[i] == 0 ? 0 : at >= 0 && bytes[i] == start[at] ? at + 1 : -1;
                    found = at == start.Length;
                }
            close(file);
            return found;
        }

        /// <summary>How many bytes; below 0: none can be read.</summary>
        internal static int Read(int file, byte[] to)
        {
            using (Pinned bytes = new Pinned(to))
                return read(file, bytes.Address, to.Length);
        }

        internal static long Write(int file, byte[] bytes, int size)
        {
            using (Pinned from = new Pinned(bytes))
                return write(file, from.Address, size);
        }

        internal static bool Rename(byte[] from, byte[] to)
        {
            using (Pinned before = new Pinned(from))
            using (Pinned now = new Pinned(to))
                return rename(before.Address, now.Address) == 0;
        }

        internal static void Unlink(byte[] path)
        {
            using (Pinned name = new Pinned(path))
                unlink(name.Address);
        }

        /// <summary>True if anything has that name.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static bool Exists(string path)
        {
            using (Pinned name = new Pinned(PathOf(path)))
                return access(name.Address, 0) == 0;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static bool Make(byte[] template)
        {
            int file = mkstemp(template);
            if (file < 0)
                return false;
            close(file);
            return true;
        }

        /// <summary>
        /// The beginning of a file of Linux, as far as there is room; its size. 0: it can't be read.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int ReadStart(string path, byte[] to)
        {
            return ReadStart(PathOf(path), to);
        }

        /// <summary>The same; the path ends with a zero.</summary>
        internal static int ReadStart(byte[] path, byte[] to)
        {
            int file = Open(path, CloseOnExec, 0);
            if (file < 0)
                return 0;
            int size = Read(file, to);
            close(file);
            return Math.Max(size, 0);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int ProcessId()
        {
            return getpid();
        }

        /// <summary>
        /// Processor time of the process in ns, of all its threads, in steps of 1 µs (POSIX). Below
        /// 0: not known; so where the library's own number has 32 bits, which is full after half an
        /// hour.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long ProcessorTime()
        {
            long microseconds = IntPtr.Size == 8 ? clock() : -1;
            return microseconds < 0 ? -1 : microseconds * 1000;
        }

        /// <summary>
        /// How long the calling thread has run, in ns. Below 0: not known. Only where a pointer has
        /// 64 bits.
        /// </summary>
        internal static long ThreadTime()
        {
            Time time;
            return clock_gettime(ThreadClock, out time) != 0
                       ? -1
                       : time.Seconds * 1000000000 + time.Nanoseconds;
        }

        /// <summary>
        /// Linux: how often the calling thread lost its processor, or gave it back by itself, which
        /// <paramref name="given"/> counts. Only where a pointer has 64 bits.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long ThreadSwitches(out long given)
        {
            Usage usage;
            getrusage(ThisThread, out usage);
            given = usage.Given;
            return usage.Given + usage.Lost;
        }

        /// <summary>Linux: the system's number of the calling thread.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int ThreadNumber()
        {
            return gettid();
        }

        /// <summary>
        /// How many bytes a file may have that the process writes; below 0: not known.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long MostBytes()
        {
            long[] limits = new long[2];
            using (Pinned numbers = new Pinned(limits))
                if (IntPtr.Size != 8 || getrlimit(FileSizeLimit, numbers.Address) != 0)
                    return -1;
            // An unsigned number; the largest one means no limit.
            return limits[0] < 0 ? long.MaxValue : limits[0];
        }
    }
}
