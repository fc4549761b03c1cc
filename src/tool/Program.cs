// The .NET tool: starts the program of this machine that lies beside it, with the same arguments, input, outputs and
// environment, and ends as it does. On Unix this process becomes the program. Where there is none, the WASI build is run in this
// process (Wasi.cs).
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

static class Program
{
    // execv(3) gives -1 and comes back when the program cannot be started.
    [DllImport("libc")]
    static extern int execv(string path, string[] arguments);

    [DllImport("libc")]
    static extern int chmod(string path, uint mode);

    // sigprocmask(2): .NET blocks some signals, and a program that it becomes would start with that.
    [DllImport("libc")]
    static extern int sigemptyset(byte[] set);

    [DllImport("libc")]
    static extern int sigprocmask(int how, byte[] set, byte[] before);

    static int Main(string[] arguments)
    {
        bool isUnix = Environment.OSVersion.Platform == PlatformID.Unix;
        string rid = Rid();
        string all = Path.Combine(AppDomain.CurrentDomain.BaseDirectory, "native");
        string program = Path.Combine(Path.Combine(all, rid), isUnix ? "ilinject" : "ilinject.exe");
        string wasi = Path.Combine(AppDomain.CurrentDomain.BaseDirectory, "wasi");
        string engine = Environment.GetEnvironmentVariable("ILINJECT_WASMTIME");
        if (string.IsNullOrEmpty(engine))
        {
            if (File.Exists(program)) return isUnix ? Become(program, arguments) : Run(program, arguments);
            engine = Path.Combine(Path.Combine(wasi, rid), "libwasmtime.dylib");
            if (!File.Exists(engine))
            {
                Console.Error.WriteLine("ilinject: error: this package has no program for " + rid + "; it has those for "
                    + string.Join(", ", Names(all, wasi)) + "; where there is Wasmtime's library, ILINJECT_WASMTIME names it");
                return 1;
            }
        }
        return Wasi.Run(engine, Path.Combine(wasi, "ilinject.wasm"), arguments);
    }

    static string[] Names(params string[] folders)
    {
        var all = new List<string>();
        foreach (string folder in folders)
            foreach (string one in Directory.Exists(folder) ? Directory.GetDirectories(folder) : new string[0])
                all.Add(Path.GetFileName(one));
        all.Sort(string.CompareOrdinal);
        return all.ToArray();
    }

    // RuntimeInformation is younger than what this is compiled against.
    static string Rid()
    {
        Type known = Type.GetType("System.Runtime.InteropServices.RuntimeInformation, System.Runtime.InteropServices.RuntimeInformation")
            ?? Type.GetType("System.Runtime.InteropServices.RuntimeInformation");
        string cpu = known == null ? "X64" : Property(known, "ProcessArchitecture");
        string system = known == null ? "" : Property(known, "OSDescription");
        string name = Environment.OSVersion.Platform != PlatformID.Unix ? "win"
            : system.StartsWith("Darwin", StringComparison.Ordinal) ? "osx" : "linux";
        // Windows for other processors runs programs for this one.
        return name == "win" ? "win-x64" : name + "-" + cpu.ToLowerInvariant();
    }

    static string Property(Type type, string name)
    {
        PropertyInfo property = type.GetProperty(name);
        return property == null ? "" : property.GetValue(null, null).ToString();
    }

    static int Become(string program, string[] arguments)
    {
        const uint executable = 0x1ED; // 0755: packages are unpacked without
        const int set = 2;             // SIG_SETMASK of Linux
        var all = new string[arguments.Length + 2]; // ended by null
        all[0] = program;
        arguments.CopyTo(all, 1);
        chmod(program, executable);
        var none = new byte[128];
        if (sigemptyset(none) == 0) sigprocmask(set, none, null);
        execv(program, all);
        Console.Error.WriteLine("ilinject: error: " + program + " cannot be started");
        return 1;
    }

    static int Run(string program, string[] arguments)
    {
        var line = new StringBuilder();
        foreach (string argument in arguments) Quote(line, argument);
        // Ctrl-C reaches the program, too, and this one waits for what it makes of it.
        Console.CancelKeyPress += delegate(object sender, ConsoleCancelEventArgs e) { e.Cancel = true; };
        using (Process process = Process.Start(new ProcessStartInfo(program, line.ToString()) { UseShellExecute = false }))
        {
            process.WaitForExit();
            return process.ExitCode;
        }
    }

    // As CommandLineToArgvW takes it apart.
    static void Quote(StringBuilder line, string argument)
    {
        if (line.Length > 0) line.Append(' ');
        line.Append('"');
        int backslashes = 0;
        foreach (char c in argument)
        {
            if (c == '"') line.Append('\\', backslashes + 1);
            backslashes = c == '\\' ? backslashes + 1 : 0;
            line.Append(c);
        }
        line.Append('\\', backslashes).Append('"');
    }
}
