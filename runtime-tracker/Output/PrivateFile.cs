// Files for the user alone: what was captured belongs to its owner.
using System;
using System.IO;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// The framework of 2.0 makes files with the rights that the umask leaves, and gives them others only afterwards: in
    /// between anyone could open them. mkstemp makes a new file with the rights 0600 (POSIX), and takes no argument list of
    /// variable length, so it can be called on all processors. Windows needs none of it: a folder's rights hold there.
    /// </summary>
    internal static class PrivateFile
    {
        private const string Suffix = "XXXXXX";

        /// <summary>Makes a file whose path begins so. Null where the system offers no way.</summary>
        internal static string TryMake(string start)
        {
            if (Host.IsWindows)
                return null;
            try
            {
                byte[] template = Encoding.UTF8.GetBytes(start + Suffix + "\0");
                return NativeFile.Make(template) ? Encoding.UTF8.GetString(template, 0, template.Length - 1) : null;
            }
            catch (Exception)
            {
                // No such library, or a host that allows no call of one.
                return null;
            }
        }

        /// <summary>How to open the log, which has values in it: a new one is made here.</summary>
        internal static FileMode PrepareLog(string name)
        {
            return Prepare(name, FileMode.OpenOrCreate);
        }

        /// <summary>
        /// How to open a profile, or the file that becomes one: a new one that holds captured values, or stands in a shared
        /// folder, is made here; another by <paramref name="otherwise"/>.
        /// </summary>
        internal static FileMode PrepareProfile(string name, FileMode otherwise)
        {
            return CapturedMethods.Rules() != null || IsShared(name) ? Prepare(name, otherwise) : otherwise;
        }

        private static FileMode Prepare(string name, FileMode otherwise)
        {
            if (Host.IsWindows || OutputFile.IsDevice(name) || File.Exists(name))
                return otherwise;
            string made = TryMake(name + ".");
            if (made == null)
                return otherwise;
            try
            {
                File.Move(made, name);
                return FileMode.Open;
            }
            catch (Exception)
            {
                // Somebody was faster.
                File.Delete(made);
                return otherwise;
            }
        }

        /// <summary>Is it in a folder that all users write to?</summary>
        private static bool IsShared(string name)
        {
            string folder = Path.GetDirectoryName(name);
            return folder == "/tmp" || folder == "/var/tmp" || folder == "/dev/shm" ||
                folder == Path.GetDirectoryName(Path.Combine(Path.GetTempPath(), "file"));
        }
    }
}
