using System;
using System.Collections.Generic;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;

namespace ILInject
{
    /// <summary>Writes NAME-calls.csv beside BenchmarkDotNet's own results: all rows of all benchmarks.</summary>
    sealed class CallsExporter : ExporterBase
    {
        readonly Func<Summary, IEnumerable<ExtraRun>> counted;

        internal CallsExporter(Func<Summary, IEnumerable<ExtraRun>> counted)
        {
            this.counted = counted;
        }

        protected override string FileExtension { get { return "csv"; } }
        protected override string FileCaption { get { return "calls"; } }

        public override void ExportToLog(Summary summary, ILogger logger)
        {
            logger.WriteLine("benchmark,method,operations,calls,bytes,calls_per_operation,bytes_per_operation");
            foreach (ExtraRun run in counted(summary))
                foreach (OperationCounts.Row row in run.Counts.Rows)
                    logger.WriteLine(string.Join(",", Quoted(run.Title), Quoted(row.Method), run.Counts.Operations, row.Calls, row.Bytes,
                                                 run.Counts.OfOperation(row.Calls), run.Counts.OfOperation(row.Bytes)));
        }

        static string Quoted(string text)
        {
            return "\"" + text.Replace("\"", "\"\"") + "\"";
        }
    }
}
