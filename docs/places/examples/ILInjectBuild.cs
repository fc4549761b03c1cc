// Assets/Editor/ILInjectBuild.cs: instruments the scripts of a player while Unity builds it, before IL2CPP reads them.
using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using UnityEditor.Build;
using UnityEditor.Build.Reporting;

public class ILInjectBuild : IPostBuildPlayerScriptDLLs
{
    // The game's own assemblies; those of assembly definitions go here, too.
    private static readonly string[] Own = { "Assembly-CSharp.dll" };

    private const string Settings = "--set=beat=10 --set=overhead=10%";

    public int callbackOrder
    {
        get { return 0; }
    }

    public void OnPostBuildPlayerScriptDLLs(BuildReport report)
    {
        // Only when it is asked for: ILINJECT=/path/to/ilinject in the environment of the editor.
        string tool = Environment.GetEnvironmentVariable("ILINJECT");
        if (string.IsNullOrEmpty(tool))
            return;
        foreach (string path in report.GetFiles().Select(file => file.path).Where(path => Own.Contains(Path.GetFileName(path))))
            Run(tool, "\"" + path + "\" --in-place --quiet " + Settings);
    }

    private static void Run(string tool, string arguments)
    {
        ProcessStartInfo start = new ProcessStartInfo(tool, arguments);
        start.UseShellExecute = false;
        start.RedirectStandardError = true;
        using (Process process = Process.Start(start))
        {
            string said = process.StandardError.ReadToEnd();
            process.WaitForExit();
            if (process.ExitCode != 0)
                throw new BuildFailedException("ilinject: " + said);
        }
    }
}
