// Files for the user alone: what was captured belongs to its owner.
using System;
using System.IO;
using System.Runtime.CompilerServices;
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

        /// <summary>The attributes of a name that nothing has.</summary>
        private const FileAttributes Absent = (FileAttributes)(-1);

        /// <summary>
        /// Makes a file; its path begins with <paramref name="start"/>. Null where the system offers no way.
        /// </summary>
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
            return Prepare(name, true);
        }

        /// <summary>
        /// How to open a profile, or the file that becomes one: a new one that holds captured values or messages of
        /// exceptions, or stands in a shared folder, is made here; another new one by the caller that opens it.
        /// </summary>
        internal static FileMode PrepareProfile(string name, bool holdsValues)
        {
            return Prepare(name, holdsValues || CapturedMethods.Rules() != null || IsShared(name));
        }

        /// <summary>
        /// A file that is not there yet is made as a new one (POSIX: O_EXCL), so that no link is followed. A link that
        /// stands there is deleted; another user's, in a folder of all users, can't be, and is an exception.
        /// </summary>
        private static FileMode Prepare(string name, bool privately)
        {
            if (Host.IsWindows || OutputFile.IsDevice(name))
                return FileMode.OpenOrCreate;
            if (IsLink(name))
                File.Delete(name);
            if (File.Exists(name))
                return FileMode.Open;
            string made = privately ? TryMake(name + ".") : null;
            if (made == null)
                return FileMode.CreateNew;
            try
            {
                File.Move(made, name);
                return FileMode.Open;
            }
            catch (Exception)
            {
                // Another program was faster.
                File.Delete(made);
                return FileMode.CreateNew;
            }
        }

        /// <summary>True for a symbolic link, wherever that leads.</summary>
        internal static bool IsLink(string name)
        {
            try
            {
                return !Host.IsWindows && HasLink(name);
            }
            catch (Exception)
            {
                // The host does not say.
                return false;
            }
        }

        /// <summary>Not by File.GetAttributes, which throws where nothing has the name.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static bool HasLink(string name)
        {
            FileAttributes attributes = new FileInfo(name).Attributes;
            return attributes != Absent && (attributes & FileAttributes.ReparsePoint) != 0;
        }

        /// <summary>True in a shared folder, where it may be another user's.</summary>
        internal static bool MayBeForeign(string name)
        {
            return !Host.IsWindows && IsShared(name) && (File.Exists(name) || IsLink(name));
        }

        /// <summary>True in a folder that all users write to.</summary>
        internal static bool IsShared(string name)
        {
            string folder = Path.GetDirectoryName(name);
            return folder == "/tmp" || folder == "/var/tmp" || folder == "/dev/shm" ||
                folder == Path.GetDirectoryName(Path.Combine(Path.GetTempPath(), "file"));
        }
    }
}
