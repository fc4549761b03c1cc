// The profile's file where the program ends before the tracker has looked for its name.
using System;

namespace Instrumenter
{
    /// <summary>
    /// A few calls of the system, on Linux: with the runtime's own files .NET compiles a dozen methods, and Mono takes 13 ms, since it loads the
    /// libraries of Kerberos and tries whether the system knows upper case. What is unusual is left to <see cref="OutputFile"/>, as it was found.
    /// </summary>
    internal static class ShortRunFile
    {
        private const int ReadAndWrite = 2, Create = 0x40, New = 0x80, AllMayRead = 0x1B6;

        /// <summary>
        /// Writes the profile and holds its name, as <see cref="OutputFile"/> does: the lock goes with the process. False: there is nothing that
        /// was not there before. The name must be reserved, and be no device's. Throws where there are no such calls.
        /// </summary>
        internal static bool TryWrite(string name, ByteWriter profile)
        {
            if (IntPtr.Size != 8 || profile.HoldsValues || CapturedMethods.Rules() != null || PrivateFile.IsShared(name) || !FileLimit.Allows(profile.Count))
                return false;
            byte[] path = NativeFile.PathOf(name), made = path;
            int old = -1, file = NativeFile.Open(path, ReadAndWrite | Create | New | NativeFile.CloseOnExec, AllMayRead);
            if (file < 0)
            {
                old = NativeFile.Open(path, ReadAndWrite | NativeFile.CloseOnExec, AllMayRead);
                if (old < 0)
                    return false;
                made = NativeFile.PathOf(name + ".tmp");
                if (NativeFile.TryLock(old))
                    file = NativeFile.Open(made, ReadAndWrite | Create | New | NativeFile.CloseOnExec, AllMayRead);
            }
            // Both stay open, and locked.
            if (file >= 0 && NativeFile.TryLock(file) && NativeFile.Write(file, profile.Bytes, profile.Count) == profile.Count &&
                (old < 0 || NativeFile.Rename(made, path)))
                return true;
            if (file >= 0)
            {
                NativeFile.Unlink(made);
                NativeFile.close(file);
            }
            if (old >= 0)
                NativeFile.close(old);
            return false;
        }
    }
}
