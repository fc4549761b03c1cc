// How large the system lets a file of this process become: a process that writes on is killed by a signal (SIGXFSZ).
using System;
using System.Globalization;
using System.IO;

namespace Instrumenter
{
    /// <summary>Used under the session's writing lock.</summary>
    internal static class FileLimit
    {
        private const string Limits = "/proc/self/limits", Row = "Max file size ";

        private static bool asked;
        private static long limit;

        /// <summary>May a file have so many bytes? Where there is no way to know, it may.</summary>
        internal static bool Allows(long bytes)
        {
            if (!asked)
            {
                asked = true;
                limit = long.MaxValue;
                try
                {
                    Ask();
                }
                catch (Exception)
                {
                }
            }
            return bytes <= limit;
        }

        // "Max file size             102400               unlimited            bytes": what counts is the first, the soft one.
        private static void Ask()
        {
            if (Host.IsWindows || !File.Exists(Limits))
                return;
            using (StreamReader reader = new StreamReader(Limits))
                for (string line = reader.ReadLine(); line != null; line = reader.ReadLine())
                {
                    if (!line.StartsWith(Row, StringComparison.Ordinal))
                        continue;
                    string value = line.Substring(Row.Length).TrimStart(' ');
                    long number;
                    if (long.TryParse(value.Substring(0, value.IndexOf(' ')), NumberStyles.None, CultureInfo.InvariantCulture, out number))
                        limit = number;
                    return;
                }
        }
    }
}
