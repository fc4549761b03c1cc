// What the spans' tracker uses of System.Diagnostics.DiagnosticSource, for the compiler alone: a build on a bare Debian has no .NET.
// Nothing of this goes anywhere. (https://learn.microsoft.com/dotnet/api/system.diagnostics.activity)
using System.Reflection;

[assembly: AssemblyVersion("6.0.0.0")]

namespace System.Diagnostics
{
    public enum ActivityKind { Internal }

    public enum ActivityStatusCode { Unset, Ok, Error }

    public class Activity
    {
        public static Activity Current { get; set; }
        public bool IsAllDataRequested { get; set; }
        public Activity SetTag(string key, object value) { return this; }
        public Activity SetStatus(ActivityStatusCode code, string description) { return this; }
        public void Stop() { }
    }

    public sealed class ActivitySource
    {
        public ActivitySource(string name, string version) { }
        public string Name { get { return null; } }
        public bool HasListeners() { return false; }
        public Activity StartActivity(string name, ActivityKind kind) { return null; }
    }
}
