// The names of a run: its program, its process, when and where it began.
using System;

namespace Instrumenter
{
    internal static class RunName
    {
        /// <summary>The program's name and process id; null and 0 until <see cref="Identify"/> was called.</summary>
        internal static string Program;
        internal static int ProcessId;

        /// <summary>The current directory at the start.</summary>
        internal static string Directory;

        /// <summary>When the tracker began, in UTC.</summary>
        internal static DateTime StartTime;

        /// <summary>Finds out what the start need not wait for. One thread at a time.</summary>
        internal static void Identify()
        {
            if (Program != null)
                return;
            ProcessId = Host.ProcessId();
            Program = Host.ProgramName(FirstModuleName);
        }

        /// <summary>Silverlight's domains have one name for all programs.</summary>
        private static string FirstModuleName()
        {
            ModuleInfo[] modules = ModuleTable.All();
            if (!Host.IsSilverlight || modules.Length == 0)
                return null;
            string full = modules[0].AssemblyName;
            int comma = full.IndexOf(',');
            return comma < 0 ? full : full.Substring(0, comma);
        }

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

        /// <summary>What a letter after % stands for in the pattern of a path.</summary>
        internal static string Value(char letter)
        {
            switch (letter)
            {
                case 'n':
                    return Program;
                case 'p':
                    return Host.Number(ProcessId);
                case 'h':
                    return Host.MachineName();
                case 't':
                    return Time(StartTime);
                default:
                    return "%";
            }
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
    }
}
