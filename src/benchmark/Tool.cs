using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading.Tasks;

namespace ILInject
{
    /// <summary>The program ilinject: the package's, which a build copies beside the benchmark, or the one in PATH.</summary>
    static class Tool
    {
        internal struct Result
        {
            internal int Status;
            internal string Output, Errors;
        }

        static readonly string path = Find();

        internal static bool IsFound { get { return path != null; } }

        static string Find()
        {
            bool windows = RuntimeInformation.IsOSPlatform(OSPlatform.Windows);
            string rid = (windows ? "win-" : RuntimeInformation.IsOSPlatform(OSPlatform.Linux) ? "linux-" : "osx-")
                         + RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
            var folders = new List<string>();
            foreach (string own in new[] { AppDomain.CurrentDomain.BaseDirectory,
                                           Path.GetDirectoryName(typeof(Tool).Assembly.Location) })
            {
                if (string.IsNullOrEmpty(own))
                    continue;
                folders.Add(Path.Combine(own, "runtimes", rid, "native"));
                folders.Add(own);
            }
            folders.AddRange((Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator));
            folders.Add(Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".dotnet", "tools"));
            string name = windows ? "ilinject.exe" : "ilinject";
            return folders.Where(f => f.Trim('"', ' ').Length > 0).Select(f => Path.Combine(f.Trim('"', ' '), name))
                          .FirstOrDefault(File.Exists);
        }

        internal static Result Run(IEnumerable<string> arguments)
        {
            var start = new ProcessStartInfo(path, string.Join(" ", arguments.Select(Quoted))) {
                UseShellExecute = false, CreateNoWindow = true, RedirectStandardOutput = true,
                RedirectStandardError = true, StandardOutputEncoding = Encoding.UTF8, StandardErrorEncoding = Encoding.UTF8,
            };
            try
            {
                using (Process process = Process.Start(start))
                {
                    Task<string> errors = process.StandardError.ReadToEndAsync();
                    string output = process.StandardOutput.ReadToEnd();
                    process.WaitForExit();
                    return new Result { Status = process.ExitCode, Output = output, Errors = errors.Result };
                }
            }
            catch (System.ComponentModel.Win32Exception e)
            {
                return new Result { Status = -1, Output = "", Errors = path + ": " + e.Message };
            }
        }

        /// <summary>Quotes as the C runtimes of Windows read it; .NET does the same elsewhere.</summary>
        static string Quoted(string argument)
        {
            if (argument.Length > 0 && argument.IndexOfAny(new[] { ' ', '\t', '"' }) < 0)
                return argument;
            var text = new StringBuilder("\"");
            int backslashes = 0;
            foreach (char c in argument)
            {
                if (c == '"')
                    text.Append('\\', backslashes + 1);
                backslashes = c == '\\' ? backslashes + 1 : 0;
                text.Append(c);
            }
            return text.Append('\\', backslashes).Append('"').ToString();
        }
    }
}
