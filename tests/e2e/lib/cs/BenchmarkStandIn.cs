// In place of BenchmarkDotNet: what src/benchmark uses of it, so that no network is needed, and a Main that does as it does.
//   BenchmarkStandIn FOLDER PROGRAM SETUP [OPTION...]
// runs the benchmark FOLDER/PROGRAM twice, plain and with the diagnoser; with SETUP "setup" it has a method of that kind.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace BenchmarkDotNet.Analysers { public interface IAnalyser { } }
namespace BenchmarkDotNet.Columns { public enum UnitType { Dimensionless } }
namespace BenchmarkDotNet.Configs
{
    public interface IConfig { }
    public interface IConfigSource { IConfig Config { get; } }
    public class ManualConfig : IConfig
    {
        public static ManualConfig CreateEmpty() { return new ManualConfig(); }
        public ManualConfig AddDiagnoser(IDiagnoser diagnoser) { Diagnoser = diagnoser; return this; }
        public IDiagnoser Diagnoser;
    }
    public class ImmutableConfig
    {
        public string ArtifactsPath = "artifacts";
        public IEnumerable<Jobs.Job> GetJobs() { return new[] { new Jobs.Job() }; }
    }
}
namespace BenchmarkDotNet.Diagnosers
{
    public enum RunMode { None, NoOverhead, ExtraRun }
    public class DiagnoserActionParameters { public Process Process; public BenchmarkCase BenchmarkCase; }
    public class DiagnoserResults { public BenchmarkCase BenchmarkCase; public IReadOnlyList<Measurement> Measurements; }
    public interface IDiagnoser
    {
        IEnumerable<string> Ids { get; }
        IEnumerable<Exporters.IExporter> Exporters { get; }
        IEnumerable<Analysers.IAnalyser> Analysers { get; }
        RunMode GetRunMode(BenchmarkCase benchmarkCase);
        void Handle(HostSignal signal, DiagnoserActionParameters parameters);
        IEnumerable<Metric> ProcessResults(DiagnoserResults results);
        void DisplayResults(ILogger logger);
        IEnumerable<Validators.ValidationError> Validate(Validators.ValidationParameters validationParameters);
    }
}
namespace BenchmarkDotNet.Engines
{
    public enum HostSignal { BeforeAnythingElse, BeforeActualRun, AfterActualRun, AfterAll, BeforeProcessStart, AfterProcessExit }
    public enum IterationMode { Overhead, Workload }
    public enum IterationStage { Warmup, Actual }
}
namespace BenchmarkDotNet.Environments
{
    public class Runtime { public string Name; }
    public class CoreRuntime : Runtime { }
    public class ClrRuntime : Runtime { }
    public class MonoRuntime : Runtime { }
}
namespace BenchmarkDotNet.Exporters
{
    public interface IExporter { }
    public abstract class ExporterBase : IExporter
    {
        protected abstract string FileExtension { get; }
        protected abstract string FileCaption { get; }
        public abstract void ExportToLog(Summary summary, ILogger logger);
    }
    public static class FullNameProvider { public static string GetBenchmarkName(BenchmarkCase c) { return "Bench.Work(N: 3)"; } }
}
namespace BenchmarkDotNet.Jobs
{
    public class Toolchain { public bool IsInProcess; }
    public class Infrastructure { public Toolchain Toolchain; }
    public class EnvironmentMode { public Environments.Runtime Runtime; }
    public class Job
    {
        public Infrastructure Infrastructure = new Infrastructure();
        public EnvironmentMode Environment = new EnvironmentMode();
        public string ResolvedId = "Job";
    }
}
namespace BenchmarkDotNet.Loggers
{
    public enum LogKind { Default, Result }
    public interface ILogger { void WriteLine(string text); void WriteLine(); }
    public class ConsoleLogger : ILogger
    {
        public void WriteLine(string text) { Console.WriteLine(text); }
        public void WriteLine() { Console.WriteLine(); }
    }
    public static class LoggerExtensions
    {
        public static void WriteLine(this ILogger logger, LogKind kind, string text) { logger.WriteLine(text); }
        public static void WriteLineHeader(this ILogger logger, string text) { logger.WriteLine(text); }
        public static void WriteLineInfo(this ILogger logger, string text) { logger.WriteLine(text); }
        public static void WriteLineError(this ILogger logger, string text) { logger.WriteLine("ERROR " + text); }
    }
}
namespace BenchmarkDotNet.Reports
{
    public class Metric
    {
        public readonly IMetricDescriptor Descriptor;
        public readonly double Value;
        public Metric(IMetricDescriptor descriptor, double value) { Descriptor = descriptor; Value = value; }
    }
    public interface IMetricDescriptor { string DisplayName { get; } }
    public class Measurement { public IterationMode IterationMode; public IterationStage IterationStage; public long Operations; }
    public class Summary { public bool HasReport(BenchmarkCase benchmarkCase) { return true; } }
}
namespace BenchmarkDotNet.Running
{
    public class Descriptor { public MethodInfo WorkloadMethod, IterationSetupMethod, IterationCleanupMethod; }
    public class BenchmarkCase
    {
        public Descriptor Descriptor = new Descriptor();
        public Jobs.Job Job = new Jobs.Job();
        public ImmutableConfig Config = new ImmutableConfig();
    }
}
namespace BenchmarkDotNet.Validators
{
    public class ValidationError
    {
        public readonly bool IsCritical;
        public readonly string Message;
        public ValidationError(bool isCritical, string message, BenchmarkCase benchmark = null) { IsCritical = isCritical; Message = message; }
    }
    public class ValidationParameters { public IReadOnlyList<BenchmarkCase> Benchmarks; }
}

static class BenchmarkStandIn
{
    static readonly List<Measurement> measurements = new List<Measurement>();

    static void Work() { }

    static void Main(string[] words)
    {
        var source = (IConfigSource)new ILInject.ILInjectDiagnoserAttribute(words.Skip(3).ToArray());
        IDiagnoser diagnoser = ((ManualConfig)source.Config).Diagnoser;
        var benchmark = new BenchmarkCase();
        benchmark.Descriptor.WorkloadMethod = typeof(BenchmarkStandIn).GetMethod("Work", BindingFlags.NonPublic | BindingFlags.Static);
        if (words[2] == "setup")
            benchmark.Descriptor.IterationSetupMethod = benchmark.Descriptor.WorkloadMethod;
        benchmark.Job.Infrastructure.Toolchain = new BenchmarkDotNet.Jobs.Toolchain { IsInProcess = words[2] == "inside" };
        benchmark.Job.Environment.Runtime = words[2] == "native" ? new BenchmarkDotNet.Environments.Runtime { Name = "NativeAOT 10.0" } : null;
        foreach (var error in diagnoser.Validate(new BenchmarkDotNet.Validators.ValidationParameters { Benchmarks = new[] { benchmark } }))
            Console.WriteLine((error.IsCritical ? "CRITICAL " : "") + error.Message);
        Console.WriteLine(diagnoser.GetRunMode(benchmark));
        Execute(words[0], words[1], benchmark, null);
        if (diagnoser.GetRunMode(benchmark) != RunMode.ExtraRun)
            return;
        Execute(words[0], words[1], benchmark, diagnoser);
        foreach (Metric metric in diagnoser.ProcessResults(new DiagnoserResults { BenchmarkCase = benchmark, Measurements = measurements }))
            Console.WriteLine(metric.Descriptor.DisplayName + " " + metric.Value);
        foreach (BenchmarkDotNet.Exporters.ExporterBase exporter in diagnoser.Exporters)
            exporter.ExportToLog(new Summary(), new ConsoleLogger());
        diagnoser.DisplayResults(new ConsoleLogger());
    }

    static void Execute(string folder, string program, BenchmarkCase benchmark, IDiagnoser diagnoser)
    {
        measurements.Clear();
        var start = new ProcessStartInfo("dotnet", "\"" + program + "\" --benchmarkName \"Bench.Work\"") {
            WorkingDirectory = Path.GetFullPath(folder), UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardInput = true,
        };
        using (var process = new Process { StartInfo = start })
        {
            var parameters = new DiagnoserActionParameters { Process = process, BenchmarkCase = benchmark };
            if (diagnoser != null)
                diagnoser.Handle(HostSignal.BeforeProcessStart, parameters);
            process.Start();
            for (string line; (line = process.StandardOutput.ReadLine()) != null;)
            {
                Console.WriteLine(line);
                HostSignal signal;
                if (line.StartsWith("ops "))
                    measurements.Add(new Measurement { IterationMode = IterationMode.Workload, Operations = long.Parse(line.Split(' ')[2]),
                                                       IterationStage = (IterationStage)Enum.Parse(typeof(IterationStage), line.Split(' ')[1]) });
                if (!line.StartsWith("// ") || !Enum.TryParse(line.Substring(3), out signal))
                    continue;
                if (diagnoser != null)
                    diagnoser.Handle(signal, parameters);
                process.StandardInput.WriteLine();
            }
            process.WaitForExit();
            if (diagnoser != null)
                diagnoser.Handle(HostSignal.AfterProcessExit, new DiagnoserActionParameters { BenchmarkCase = benchmark });
        }
    }
}
