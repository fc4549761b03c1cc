using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Environments;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Validators;

namespace ILInject
{
    /// <summary>
    /// Counts calls and bytes of each operation by method. After the measured runs BenchmarkDotNet starts the benchmark
    /// once more; that process runs an instrumented copy of its folder, so the measured times are those of plain code.
    /// </summary>
    public sealed class ILInjectDiagnoser : IDiagnoser
    {
        const int RowsShown = 15;
        readonly string[] options;
        readonly Dictionary<string, InstrumentedCopy> copies = new Dictionary<string, InstrumentedCopy>();
        readonly Dictionary<BenchmarkCase, ExtraRun> runs = new Dictionary<BenchmarkCase, ExtraRun>();

        /// <param name="options">Options of `ilinject instrument`, as `--leaves` or `--exclude=Shop.Log.**`.</param>
        public ILInjectDiagnoser(params string[] options)
        {
            this.options = options ?? new string[0];
        }

        public IEnumerable<string> Ids { get { return new[] { nameof(ILInjectDiagnoser) }; } }
        public IEnumerable<IExporter> Exporters { get { return new IExporter[] { new CallsExporter(Counted) }; } }
        public IEnumerable<IAnalyser> Analysers { get { return new IAnalyser[0]; } }

        public BenchmarkDotNet.Diagnosers.RunMode GetRunMode(BenchmarkCase benchmark)
        {
            return WhyNot(benchmark) == null ? BenchmarkDotNet.Diagnosers.RunMode.ExtraRun
                                             : BenchmarkDotNet.Diagnosers.RunMode.None;
        }

        public IEnumerable<ValidationError> Validate(ValidationParameters parameters)
        {
            if (!Tool.IsFound)
                yield return new ValidationError(true, "ILInjectDiagnoser: no ilinject beside the package's assembly or in PATH: "
                                                       + "'dotnet tool install -g ilinject' installs it");
            foreach (BenchmarkCase benchmark in parameters.Benchmarks)
            {
                string why = WhyNot(benchmark);
                if (why != null)
                    yield return new ValidationError(false, "ILInjectDiagnoser counts no calls here: " + why, benchmark);
            }
        }

        /// <summary>Returns why the benchmark cannot run instrumented, or null.</summary>
        static string WhyNot(BenchmarkCase benchmark)
        {
            if (benchmark.Job.Infrastructure.Toolchain != null && benchmark.Job.Infrastructure.Toolchain.IsInProcess)
                return "an in-process toolchain has the assemblies loaded already";
            Runtime runtime = benchmark.Job.Environment.Runtime;
            return runtime == null || runtime is CoreRuntime || runtime is ClrRuntime || runtime is MonoRuntime
                       ? null
                       : "a program of " + runtime.Name + " is no folder of assemblies";
        }

        public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
        {
            ExtraRun run;
            if (signal == HostSignal.BeforeProcessStart)
            {
                // A pilot run may have been tried before; the last one counts.
                run = new ExtraRun(parameters.BenchmarkCase);
                runs[parameters.BenchmarkCase] = run;
                run.Redirect(parameters.Process.StartInfo, CopyOf);
            }
            else if (!runs.TryGetValue(parameters.BenchmarkCase, out run) || run.Problem != null)
                return;
            else if (signal == HostSignal.BeforeActualRun)
                run.Control(parameters.Process.Id, "start");
            else if (signal == HostSignal.AfterActualRun)
                run.Control(parameters.Process.Id, "stop");
        }

        InstrumentedCopy CopyOf(string folder)
        {
            InstrumentedCopy copy;
            if (!copies.TryGetValue(folder, out copy))
                copies.Add(folder, copy = new InstrumentedCopy(folder, options));
            return copy;
        }

        public IEnumerable<Metric> ProcessResults(DiagnoserResults results)
        {
            ExtraRun run;
            if (!runs.TryGetValue(results.BenchmarkCase, out run))
                return new Metric[0];
            run.Read(results.Measurements);
            if (run.Counts == null)
                return new Metric[0];
            return new[] {
                new Metric(CountMetric.Calls, run.Counts.CallsOfOperation),
                new Metric(CountMetric.Bytes, run.Counts.BytesOfOperation),
            };
        }

        public void DisplayResults(ILogger logger)
        {
            foreach (InstrumentedCopy copy in copies.Values)
                copy.Remove();
            copies.Clear();
            foreach (ExtraRun run in runs.Values)
            {
                logger.WriteLine();
                logger.WriteLineHeader(run.Title);
                if (run.Counts != null)
                    run.Counts.Write(logger, RowsShown);
                if (run.Problem != null)
                    logger.WriteLineError(run.Problem);
                else
                    logger.WriteLineInfo("Profile: " + run.Profile);
            }
            // The next summary, of another class, has runs of its own.
            runs.Clear();
        }

        IEnumerable<ExtraRun> Counted(Summary summary)
        {
            return from run in runs where run.Value.Counts != null && summary.HasReport(run.Key) select run.Value;
        }
    }
}
