// A tracker that does nothing: what a program does with it is what it does by itself.
using System;

[assembly: System.Reflection.AssemblyVersion("1.0.0.0")]

namespace Instrumenter
{
    public sealed class MeasurePerf : IDisposable
    {
        public MeasurePerf(string text) { }
        public void Dispose() { }
    }

    public static class ProfileInfoTracker
    {
        public static int Register(RuntimeTypeHandle helper, int methodCount) { return 0; }
        public static void RegisterSwitches(int first, byte[] off) { }
        public static int WhenEnteringMethod(int id) { return 0; }
        public static int WhenEnteringSwitchedOn(int id) { return 0; }
        public static void WhenVisitingMethod(int id) { }
        public static void WhenLeavingMethod(int token) { }
        public static void WhenLeavingByException(int token) { }
        public static void WhenCatching(object exception, int token) { }
        public static void WhenFiltering(object exception, int token) { }
        public static bool WantsCommandText(int token) { return false; }
        public static void WhenCommandHasText(object command, string text, int token) { }
        public static void WhenLeavingCommand(int token) { }
        public static void Start() { }
        public static void Stop() { }
        public static void Reset() { }
        public static void Report(System.IO.TextWriter writer) { }
        public static bool Flush() { return false; }
        public static byte[] Snapshot() { return new byte[0]; }
        public static string SnapshotText() { return ""; }
        public static string Messages() { return ""; }
    }
}
