// Small files that Linux makes when they are read, as numbers.
using System;
using System.IO;

namespace Instrumenter
{
    /// <summary>
    /// Reads into one buffer, again and again; one thread at a time. A file that is not there, or
    /// that a host does not let read, has nothing in it, or is an exception: the caller takes
    /// either for "not known".
    /// </summary>
    internal sealed class SystemFile
    {
        private readonly byte[] bytes = new byte[1024];
        private int size, at;

        /// <summary>True if there is anything of the kind here. Never throws.</summary>
        internal static bool IsThere(string path)
        {
            return !Host.IsWindows && Exists(path);
        }

        /// <summary>
        /// File.Exists, and true for a folder, without what Mono does for the first such question: it makes a file to try upper case.
        /// .NET takes 2 ms for the first one.
        /// </summary>
        internal static bool Exists(string path)
        {
            try
            {
                if (IsNative)
                    return NativeFile.Exists(path);
            }
            catch (Exception)
            {
                isManaged = true;
            }
            return File.Exists(path);
        }

        /// <summary>Directory.Exists in the same way.</summary>
        internal static bool IsFolder(string path)
        {
            try
            {
                if (IsNative)
                    return NativeFile.Exists(path + "/.");
            }
            catch (Exception)
            {
                isManaged = true;
            }
            return Directory.Exists(path);
        }

        // No native call reads files here.
        private static bool isManaged;

        private static bool IsNative
        {
            get { return !isManaged && IntPtr.Size == 8 && !Host.IsWindows; }
        }

        /// <summary>
        /// As much of the file as the buffer has room for, from its beginning; nothing where it
        /// can't be read. Mono's FileStream prints an error that it does not know, such as that of
        /// a thread which has ended meanwhile (ESRCH); on .NET it takes longer than all else here.
        /// </summary>
        internal void Read(string path)
        {
            size = at = 0;
            try
            {
                if (!isManaged)
                {
                    size = NativeFile.ReadStart(path, bytes);
                    return;
                }
            }
            catch (Exception)
            {
                isManaged = true;
            }
            ReadManaged(path);
        }

        /// <summary>The same, where native calls are known to be; the path ends with a zero.</summary>
        internal void ReadNatively(byte[] path)
        {
            at = 0;
            size = NativeFile.ReadStart(path, bytes);
        }

        private void ReadManaged(string path)
        {
            if (!Features.OldHosts)
                return;
            // One byte of a buffer of its own, which is none: each reading is the system's.
            using (FileStream stream = new FileStream(path, FileMode.Open, FileAccess.Read,
                                                      FileShare.ReadWrite, 1))
                size = stream.Read(bytes, 0, bytes.Length);
        }

        /// <summary>Goes on after the last such byte; false when there is none.</summary>
        internal bool SkipToLast(char mark)
        {
            for (int i = size - 1; i >= 0; i--)
                if (bytes[i] == mark)
                {
                    at = i + 1;
                    return true;
                }
            return false;
        }

        /// <summary>Goes on after that many words.</summary>
        internal void SkipWords(int words)
        {
            for (; words > 0; words--)
            {
                while (at < size && bytes[at] == ' ')
                    at++;
                while (at < size && bytes[at] > ' ')
                    at++;
            }
        }

        /// <summary>
        /// As many decimal numbers as there is room for, which come next in the line, one after
        /// another; false when there are fewer.
        /// </summary>
        internal bool TryNumbers(long[] values)
        {
            return TryNumbers(values, values.Length);
        }

        /// <summary>The same, that many.</summary>
        internal bool TryNumbers(long[] values, int count)
        {
            for (int i = 0; i < count; i++)
            {
                while (at < size && bytes[at] == ' ')
                    at++;
                int first = at;
                long value = 0;
                for (; at < size && bytes[at] >= '0' && bytes[at] <= '9'; at++)
                    value = unchecked(value * 10 + (bytes[at] - '0'));
                if (at == first)
                    return false;
                values[i] = value;
            }
            return true;
        }
    }
}
