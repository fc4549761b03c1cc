// From the setting `out` to the path of the profile.
using System;
using System.IO;
using System.Text;

namespace Instrumenter
{
    internal static class OutputName
    {
        internal const string Extension = ".ilprof";

        /// <summary>The fault of a pattern; null: none.</summary>
        internal static string Problem(string pattern)
        {
            if (pattern.IndexOf('\0') >= 0)
                return "a path can't hold a zero character";
            for (int i = 0; i < pattern.Length; i++)
                if (pattern[i] == '%' && (++i == pattern.Length || "npht%".IndexOf(pattern[i]) < 0))
                    return "after % expected n, p, h, t or %, found \"" + pattern + "\"";
            return null;
        }

        /// <summary>
        /// The path that a pattern stands for, relative ones under <paramref name="directory"/>; a path that ends in a
        /// separator or is a directory gets the usual name in it.
        /// </summary>
        internal static string Expand(string pattern, string directory)
        {
            string usual = Session.Name + Extension;
            if (pattern == null)
                return Path.Combine(directory, usual);
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < pattern.Length; i++)
                if (pattern[i] == '%' && i + 1 < pattern.Length)
                    path.Append(Value(pattern[++i]));
                else
                    path.Append(pattern[i]);
            if (OutputFile.IsDevice(path.ToString()))
                return path.ToString();
            string full = Path.Combine(directory, path.ToString());
            if (Host.IsWindows)
                full = WindowsFile.FullPath(full);
            char last = full[full.Length - 1];
            bool isDirectory = last == Path.DirectorySeparatorChar || last == Path.AltDirectorySeparatorChar || Directory.Exists(full);
            return isDirectory ? Path.Combine(full, usual) : OfDomain(full);
        }

        private static string Value(char letter)
        {
            switch (letter)
            {
                case 'n':
                    return Session.Name;
                case 'p':
                    return Host.Number(Session.ProcessId);
                case 'h':
                    return Host.MachineName();
                case 't':
                    return Time(Session.StartTime);
                default:
                    return "%";
            }
        }

        /// <summary>The locks by which a run has its name do not hold against other domains of the process.</summary>
        internal static string OfDomain(string path)
        {
            return Host.IsFurtherDomain() ? Insert(path, "d" + Host.Number(AppDomain.CurrentDomain.Id)) : path;
        }

        /// <summary>As 20261231T235959Z. By hand: with DateTime's own way the time zones come into a program that is compiled
        /// ahead of time.</summary>
        private static string Time(DateTime at)
        {
            return Padded(at.Year, 4) + Padded(at.Month, 2) + Padded(at.Day, 2) + "T" + Padded(at.Hour, 2) + Padded(at.Minute, 2) + Padded(at.Second, 2) + "Z";
        }

        private static string Padded(int number, int digits)
        {
            return Host.Number(number).PadLeft(digits, '0');
        }

        /// <summary>The path with something put in before its extension.</summary>
        internal static string Insert(string path, string text)
        {
            string extension = Path.GetExtension(path);
            return path.Substring(0, path.Length - extension.Length) + "." + text + extension;
        }
    }
}
