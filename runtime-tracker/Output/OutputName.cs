// From the setting `out` to the path of the profile.
using System;
using System.IO;
using System.Text;

namespace Instrumenter
{
    internal static class OutputName
    {
        internal const string Extension = ".ilprof";

        /// <summary>
        /// The path that a pattern stands for, relative ones under <paramref name="directory"/>; a path that ends in a
        /// separator or is a directory gets the usual name in it.
        /// </summary>
        internal static string Expand(string pattern, string directory)
        {
            string usual = RunName.Program + Extension;
            if (pattern == null)
                return Path.Combine(directory, usual);
            string path = pattern.IndexOf('%') < 0 ? pattern : WithValues(pattern);
            if (OutputFile.IsDevice(path))
                return path;
            string full = Path.Combine(directory, path);
            if (Host.IsWindows)
                full = WindowsFile.FullPath(full);
            char last = full[full.Length - 1];
            bool isDirectory = last == Path.DirectorySeparatorChar || last == Path.AltDirectorySeparatorChar || SystemFile.IsFolder(full);
            return isDirectory ? Path.Combine(full, usual) : OfDomain(full);
        }

        private static string WithValues(string pattern)
        {
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < pattern.Length; i++)
                if (pattern[i] == '%' && i + 1 < pattern.Length)
                    path.Append(RunName.Value(pattern[++i]));
                else
                    path.Append(pattern[i]);
            return path.ToString();
        }

        /// <summary>The locks that hold a run's name do not hold against other domains of the process.</summary>
        internal static string OfDomain(string path)
        {
            return Host.IsFurtherDomain() ? Insert(path, "d" + Host.Number(AppDomain.CurrentDomain.Id)) : path;
        }

        /// <summary>The path with something put in before its extension.</summary>
        internal static string Insert(string path, string text)
        {
            string extension = Path.GetExtension(path);
            return path.Substring(0, path.Length - extension.Length) + "." + text + extension;
        }
    }
}
