// Files as Windows has them: a name that is held by a lock file, a profile that takes its place there, and devices.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// ReplaceFile opens the new file without sharing it, so nobody may have it open at that moment, and the lock on a profile
    /// would be lost in between. On Windows a run therefore holds the name by a file beside the profile. Nobody else can open
    /// that file, and the system deletes it when the process ends in whatever way.
    /// </summary>
    internal static class WindowsFile
    {
        private const string Extension = ".lock", DevicePrefix = @"\\.\", NullDevice = "NUL";

        /// <summary>Attempts, and the milliseconds between them: a scanner may have a file that is new, a reader one that is there.</summary>
        private const int HoldAttempts = 5, ReplaceAttempts = 20, Pause = 25;

        /// <summary>Holds the name until the stream is closed, or the process ends; null when another run has it.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static FileStream TryHold(string name)
        {
            string file = name + Extension;
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
                Thread.Sleep(Pause);
            }
        }

        /// <summary>Puts a file that is closed in the place of another one, which may be there.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Replace(string temporary, string path)
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
                Thread.Sleep(Pause);
            }
        }

        /// <summary>A path may be relative to a drive, whose current folder the program changes as it likes.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static string FullPath(string path)
        {
            return Path.GetFullPath(path);
        }

        internal static bool IsDevice(string name)
        {
            return name.StartsWith(DevicePrefix, StringComparison.Ordinal) || string.Equals(name, NullDevice, StringComparison.OrdinalIgnoreCase);
        }
    }
}
