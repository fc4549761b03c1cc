using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace ILInject
{
    /// <summary>The instrumented run of one benchmark.</summary>
    sealed class ExtraRun
    {
        const int LongestName = 150;
        const int TriesToReach = 100, MillisecondsBetweenTries = 50;
        readonly BenchmarkCase benchmark;

        internal readonly string Title;
        /// <summary>The absolute path of the profile, in the folder of artifacts.</summary>
        internal readonly string Profile;
        /// <summary>What went wrong, or null.</summary>
        internal string Problem { get; private set; }
        /// <summary>Null before Read, and where something went wrong.</summary>
        internal OperationCounts Counts { get; private set; }

        internal ExtraRun(BenchmarkCase benchmark)
        {
            this.benchmark = benchmark;
            Title = FullNameProvider.GetBenchmarkName(benchmark);
            if (benchmark.Config.GetJobs().Count() > 1)
                Title += " " + benchmark.Job.ResolvedId;
            Profile = Path.Combine(Path.GetFullPath(benchmark.Config.ArtifactsPath), FileNameOf(Title) + ".ilprof");
        }

        /// <summary>A name that every system and the setting `out` take, the same in each run.</summary>
        static string FileNameOf(string title)
        {
            var name = new StringBuilder();
            foreach (char c in title.Replace(": ", "=").Replace(", ", ","))
                name.Append(char.IsLetterOrDigit(c) || "._=,()-+".IndexOf(c) >= 0 ? c : '_');
            if (name.Length <= LongestName)
                return name.ToString();
            uint hash = 2166136261; // FNV-1a
            foreach (char c in title)
                hash = unchecked((hash ^ c) * 16777619);
            return name.ToString(0, LongestName) + "-" + hash.ToString("x8", CultureInfo.InvariantCulture);
        }

        /// <summary>Makes the process that is about to start one of the instrumented copy.</summary>
        internal void Redirect(ProcessStartInfo start, Func<string, InstrumentedCopy> copyOf)
        {
            string folder = FolderOf(start);
            if (folder == null)
            {
                Problem = "ILInjectDiagnoser found no assembly in '" + start.FileName + " " + start.Arguments + "'";
                return;
            }
            InstrumentedCopy copy = copyOf(folder);
            Problem = copy.Problem;
            if (Problem != null)
                return;
            start.FileName = Moved(start.FileName, folder, copy.Folder);
            start.Arguments = Moved(start.Arguments, folder, copy.Folder);
            if (!string.IsNullOrEmpty(start.WorkingDirectory))
                start.WorkingDirectory = Moved(start.WorkingDirectory, folder, copy.Folder);
            Directory.CreateDirectory(Path.GetDirectoryName(Profile));
            File.Delete(Profile);
            var environment = start.EnvironmentVariables;
            environment["ILINJECT_OUT"] = Profile;
            environment["ILINJECT_START"] = "off";
            environment["ILINJECT_BEAT"] = "0";
            if (!environment.ContainsKey("ILINJECT_ALLOC"))
                environment["ILINJECT_ALLOC"] = "bytes";
        }

        /// <summary>
        /// Returns the folder of the benchmark's program: that of a launcher, or of the assembly a host is given, which
        /// stands in the working directory where no folder is named.
        /// </summary>
        static string FolderOf(ProcessStartInfo start)
        {
            string working = string.IsNullOrEmpty(start.WorkingDirectory) ? Directory.GetCurrentDirectory()
                                                                          : start.WorkingDirectory;
            IEnumerable<string> words = start.Arguments.Split('"').SelectMany((part, i) => i % 2 == 1 ? new[] { part } : part.Split(' '));
            foreach (string word in new[] { start.FileName }.Concat(words))
            {
                if (word.Length == 0 || word.IndexOfAny(Path.GetInvalidPathChars()) >= 0)
                    continue;
                string file = Path.GetFullPath(Path.Combine(working, word));
                if (File.Exists(file) && (IsAssembly(file) || File.Exists(Path.ChangeExtension(file, ".dll"))
                                          || File.Exists(file + ".dll")))
                    return Path.GetDirectoryName(file);
            }
            return null;
        }

        static bool IsAssembly(string file)
        {
            string name = Path.GetFileNameWithoutExtension(file);
            return (file.EndsWith(".dll", StringComparison.OrdinalIgnoreCase)
                    || file.EndsWith(".exe", StringComparison.OrdinalIgnoreCase))
                   && name != "dotnet" && name != "mono";
        }

        static string Moved(string text, string from, string to)
        {
            string with = from + Path.DirectorySeparatorChar;
            if (text == from || text == with)
                return to;
            return text.Replace(with, to + Path.DirectorySeparatorChar);
        }

        internal void Control(int process, string verb)
        {
            var arguments = new[] { "ctl", process.ToString(CultureInfo.InvariantCulture), verb };
            Tool.Result result = Tool.Run(arguments);
            // A thread of the tracker, begun with the first call, listens soon after it.
            for (int i = 0; i < TriesToReach && result.Status != 0; i++)
            {
                Thread.Sleep(MillisecondsBetweenTries);
                result = Tool.Run(arguments);
            }
            if (result.Status != 0)
                Problem = "ilinject could not " + verb + " recording:" + Environment.NewLine + result.Errors.TrimEnd();
        }

        /// <summary>Reads the profile when the process has ended.</summary>
        internal void Read(IEnumerable<Measurement> measurements)
        {
            if (Problem != null)
                return;
            if (!File.Exists(Profile))
            {
                Problem = "the instrumented run wrote no profile, " + Profile;
                return;
            }
            long operations = measurements.Where(m => m.IterationMode == IterationMode.Workload && m.IterationStage == IterationStage.Actual)
                                          .Sum(m => m.Operations);
            // The calls of set-up lie between those of operations; without it all that was recorded is theirs, on each thread.
            Descriptor descriptor = benchmark.Descriptor;
            bool all = descriptor.IterationSetupMethod == null && descriptor.IterationCleanupMethod == null;
            var arguments = new List<string> { "report", "-q", "--format=csv", Profile };
            if (!all)
                arguments.Add("--test=**." + descriptor.WorkloadMethod.Name);
            Tool.Result result = Tool.Run(arguments);
            if (result.Status != 0)
                Problem = "ilinject could not read " + Profile + ":" + Environment.NewLine + result.Errors.TrimEnd();
            else if (operations == 0)
                Problem = "BenchmarkDotNet measured no operation in the instrumented run";
            else
            {
                Counts = new OperationCounts(result.Output, operations);
                if (Counts.Rows.Count > 0)
                    return;
                Counts = null;
                Problem = "no instrumented method ran in an operation";
            }
        }
    }
}
