// The part of each program of truth.sh that is not its own code and is never instrumented.
using System;
using System.Diagnostics.Tracing;
using System.IO;
using System.Linq;

static class Truth
{
    static Inlined inlined;

    /// <summary>
    /// The part of a whole that the first argument gives in percent (100); at least one. 100 % take
    /// a third of a second to one second of a processor.
    /// </summary>
    public static int Size(string[] args, int whole)
    {
        string file = Environment.GetEnvironmentVariable("TRUTH_INLINED");
        if (file != null) inlined = new Inlined(file);
        return (int)Math.Max(1, whole * (args.Length > 0 ? long.Parse(args[0]) : 100) / 100);
    }

    /// <summary>
    /// A line for each time that the just-in-time compiler puts a method's code into another's: the
    /// other one, a tab, the method.
    /// </summary>
    sealed class Inlined : EventListener
    {
        readonly StreamWriter lines;

        public Inlined(string file) { lines = new StreamWriter(file, true) { AutoFlush = true }; }

        protected override void OnEventSourceCreated(EventSource source)
        {
            if (source.Name == "Microsoft-Windows-DotNETRuntime")
                EnableEvents(source, EventLevel.Verbose, (EventKeywords)0x1000); // JitTracing
        }

        protected override void OnEventWritten(EventWrittenEventArgs e)
        {
            if (lines == null || !e.EventName.StartsWith("MethodJitInliningSucceeded")) return;
            // Namespace, name and signature of the method that is compiled, its inliner, the inlinee.
            string[] text = e.Payload.Take(9).Select(p => p.ToString()).ToArray();
            lock (lines) lines.WriteLine($"{text[0]}::{text[1]}\t{text[6]}::{text[7]}");
        }
    }
}
