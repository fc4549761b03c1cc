// Small files that Linux makes when they are read, as numbers.
using System;
using System.IO;

namespace Instrumenter
{
    /// <summary>
    /// Reads into one buffer, again and again; one thread at a time. A file that is not there, or
    /// that a host does not let read, is an exception, as everywhere: whoever asks takes it for
    /// "not known".
    /// </summary>
    internal sealed class SystemFile
    {
        private readonly byte[] bytes = new byte[1024];
        private int size, at;

        /// <summary>Is there anything of the kind here? Without an exception.</summary>
        internal static bool IsThere(string path)
        {
            return !Host.IsWindows && File.Exists(path);
        }

        /// <summary>
        /// As much of the file as the buffer has room for, from its beginning. Mono's FileStream
        /// prints an error that it does not know, such as that of a thread which has ended
        /// meanwhile (ESRCH): there the file is read without it, and has nothing in that case.
        /// </summary>
        internal void Read(string path)
        {
            size = at = 0;
            if (Host.IsMono)
            {
                size = NativeFile.ReadStart(path, bytes);
                return;
            }
            // One byte of a buffer of its own, which is none: each reading is the system's.
            using (FileStream stream = new FileStream(path, FileMode.Open, FileAccess.Read,
                                                      FileShare.ReadWrite, 1))
                size = stream.Read(bytes, 0, bytes.Length);
        }

        /// <summary>Goes on behind the last such byte; false when there is none.</summary>
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

        /// <summary>Goes on behind so many words.</summary>
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
        /// The decimal number that comes next in the line; false when there is none.
        /// </summary>
        internal bool TryNumber(out long value)
        {
            value = 0;
            while (at < size && bytes[at] == ' ')
                at++;
            int first = at;
            for (; at < size && bytes[at] >= '0' && bytes[at] <= '9'; at++)
                value = unchecked(value * 10 + (bytes[at] - '0'));
            return at > first;
        }
    }
}
