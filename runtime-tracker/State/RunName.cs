// What a run is called by: its program, its process, when and where it began.
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
            Program = Host.ProgramName();
        }
    }
}
