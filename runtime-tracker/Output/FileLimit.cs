// How large the system lets a file of this process become: a process that writes on is killed by a signal (SIGXFSZ).
using System;
using System.Globalization;
using System.IO;

namespace Instrumenter
{
    /// <summary>Asked by the threads that write; any number of them come to the same result.</summary>
    internal static class FileLimit
    {
        private const string Limits = "/proc/self/limits", Row = "Max file size ";

        private static volatile bool asked;
        private static long limit;

        /// <summary>True if a file may have that many bytes, or if that is not known.</summary>
        internal static bool Allows(long bytes)
        {
            if (!asked)
            {
                limit = Ask();
                asked = true;
            }
            return bytes <= limit;
        }

        private static long Ask()
        {
            try
            {
                long known = Host.IsWindows ? -1 : NativeFile.MostBytes();
                if (known >= 0)
                    return known;
            }
            catch (Exception)
            {
                // No such library.
            }
            try
            {
                return OfFile();
            }
            catch (Exception)
            {
                return long.MaxValue;
            }
        }

        // "Max file size             102400               unlimited            bytes": what counts is the first, the soft one.
        private static long OfFile()
        {
            if (!Features.OldHosts || Host.IsWindows || !File.Exists(Limits))
                return long.MaxValue;
            using (StreamReader reader = new StreamReader(Limits))
                for (string line = reader.ReadLine(); line != null; line = reader.ReadLine())
                {
                    if (!line.StartsWith(Row, StringComparison.Ordinal))
                        continue;
                    string value = line.Substring(Row.Length).TrimStart(' ');
                    long number;
                    bool limited = long.TryParse(value.Substring(0, value.IndexOf(' ')), NumberStyles.None, CultureInfo.InvariantCulture, out number);
                    return limited ? number : long.MaxValue;
                }
            return long.MaxValue;
        }
    }
}
