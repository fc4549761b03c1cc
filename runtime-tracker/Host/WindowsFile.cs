// Files on Windows: the lock file that holds a name, the replacing of a profile, devices.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// ReplaceFile opens the new file without sharing it, so the tracker must close that file before, and would lose a
    /// lock on it. On Windows a run therefore holds the name by a file beside the profile. No other program can open
    /// that file, and the system deletes it when the process ends in whatever way.
    /// </summary>
    internal static class WindowsFile
    {
        private const string Extension = ".lock", DevicePrefix = @"\\.\", NullDevice = "NUL";

        /// <summary>
        /// Attempts, and the milliseconds between them. A virus scanner may have the new file open, a reader
        /// the old one.
        /// </summary>
        private const int HoldAttempts = 5, ReplaceAttempts = 20, Pause = 25;

        /// <summary>Holds the name until the stream is closed; null when another run has it.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static FileStream TryHold(string name)
        {
            string file = name + Extension;
            Pauses pauses = new Pauses();
            try
            {
                for (int attempt = 1;; attempt++)
                {
                    try
                    {
                        return new FileStream(file, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
                    }
                    catch (IOException)
                    {
                        if (File.Exists(file))
                            return null;
                        if (attempt == HoldAttempts)
                            throw;
                    }
                    catch (UnauthorizedAccessException)
                    {
                        // So Windows refuses a file that is just being deleted, too.
                        if (attempt == HoldAttempts)
                            throw;
                    }
                    pauses.Sleep(Pause);
                }
            }
            finally
            {
                pauses.End();
            }
        }

        /// <summary>Renames a closed file to a name that may be in use.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Replace(string temporary, string path)
        {
            Pauses pauses = new Pauses();
            try
            {
                for (int attempt = 1;; attempt++)
                {
                    try
                    {
                        if (File.Exists(path))
                            File.Replace(temporary, path, null, true);
                        else
                            File.Move(temporary, path);
                        return;
                    }
                    catch (IOException)
                    {
                        if (attempt == ReplaceAttempts)
                            throw;
                    }
                    catch (UnauthorizedAccessException)
                    {
                        if (attempt == ReplaceAttempts)
                            throw;
                    }
                    pauses.Sleep(Pause);
                }
            }
            finally
            {
                pauses.End();
            }
        }

        /// <summary>
        /// The path without a relative part. "C:a" is relative to the drive's current folder, which the program
        /// may change.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static string FullPath(string path)
        {
            return Path.GetFullPath(path);
        }

        [DllImport("kernel32.dll")]
        private static extern int GetCurrentProcessId();

        [DllImport("kernel32.dll")]
        private static extern IntPtr GetCurrentProcess();

        [DllImport("kernel32.dll")]
        private static extern int GetProcessTimes(IntPtr process, out long created, out long ended, out long kernel, out long user);

        /// <summary>Where reflection would be needed to ask .NET for it.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int ProcessId()
        {
            return GetCurrentProcessId();
        }

        /// <summary>Processor time of the process in ns; below 0: not known.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long ProcessorTime()
        {
            long created, ended, kernel, user;
            return GetProcessTimes(GetCurrentProcess(), out created, out ended, out kernel, out user) == 0 ? -1 : (kernel + user) * 100;
        }

        internal static bool IsDevice(string name)
        {
            return name.StartsWith(DevicePrefix, StringComparison.Ordinal) || string.Equals(name, NullDevice, StringComparison.OrdinalIgnoreCase);
        }
    }
}
