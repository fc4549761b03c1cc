// The system's and the runtime's counts so far, at one moment.
using System;

namespace Instrumenter
{
    /// <summary>Each figure is below 0 when it is not known.</summary>
    internal sealed class MachineReading
    {
        private const long NanosecondsPerTick = 100;

        /// <summary>The unit of /proc/self/stat is 1/100 s, whatever the kernel's own is.</summary>
        private const long NanosecondsPerJiffy = 10000000;

        private const string ProcessFile = "/proc/self/stat", MachineFile = "/proc/stat";

        /// <summary>
        /// Times of the process and its threads, in ns; how often these were put onto a processor.
        /// </summary>
        internal long Cpu = -1, Ran = -1, Ready = -1, Slices = -1;

        /// <summary>Time of the tracker's own thread, in ns.</summary>
        internal long Tracker = -1;

        /// <summary>The sum over all processors, in a unit of the system's.</summary>
        internal long Busy = -1, Idle = -1, Stolen = -1;

        /// <summary>Times in ns.</summary>
        internal long JitMethods = -1, JitTime = -1, Collections = -1, CollectionTime = -1;

        private MachineSources sources;

        /// <summary>Reads all of it.</summary>
        internal MachineReading(MachineSources sources)
        {
            this.sources = sources;
            MachineSources.Try(ReadCpu);
            MachineSources.Try(ReadMachine);
            ReadRuntime();
            MachineSources.Try(ReadCollections);
            MachineSources.Try(ReadTracker);
            sources.Threads.Read();
            long ran, ready, slices;
            if (!sources.Threads.TryGet(out ran, out ready, out slices))
                return;
            Ran = ran;
            Ready = ready;
            Slices = slices;
        }

        private MachineReading()
        {
        }

        /// <summary>The process's time alone.</summary>
        internal static long CpuOf(MachineSources sources)
        {
            MachineReading made = new MachineReading();
            made.sources = sources;
            MachineSources.Try(made.ReadCpu);
            return made.Cpu;
        }

        /// <summary>The counts that are found late.</summary>
        internal void ReadRuntime()
        {
            MachineSources.Try(ReadCompiler);
            MachineSources.Try(ReadPauses);
        }

        private void ReadTracker()
        {
            Tracker = sources.Threads.TimeLeftOut();
        }

        private void ReadCpu()
        {
            if (sources.HasProcessorTime)
                Cpu = NativeFile.ProcessorTime();
            else if (!Features.DynamicCode && Host.IsWindows)
                Cpu = WindowsFile.ProcessorTime();
            else if (Features.DynamicCode && sources.CpuUsage != null)
                ReadCpuOfRuntime();
            else if (SystemFile.IsThere(ProcessFile))
                ReadCpuOfFile();
            else if (Features.OldHosts)
                ReadCpuOfProcess();
        }

        private void ReadCpuOfRuntime()
        {
            object usage = sources.CpuUsage.GetValue(null, null);
            Cpu = ((TimeSpan)sources.TotalTime.GetValue(usage, null)).Ticks * NanosecondsPerTick;
        }

        // "1234 (name) S …": the name may have anything in it. User and system time are the 14th
        // and 15th field.
        private void ReadCpuOfFile()
        {
            long[] times = new long[2];
            sources.File.Read(ProcessFile);
            if (!sources.File.SkipToLast(')'))
                return;
            sources.File.SkipWords(11);
            if (sources.File.TryNumbers(times))
                Cpu = (times[0] + times[1]) * NanosecondsPerJiffy;
        }

        // .NET Framework's, which has it in an assembly that is loaded anyway.
        private void ReadCpuOfProcess()
        {
            Type type = ReflectedTypes.OfFramework("System.Diagnostics.Process");
            if (type == null)
                return;
            object current = ReflectedTypes.Call(null, type, "GetCurrentProcess", Type.EmptyTypes);
            using (IDisposable process = (IDisposable)current)
                Cpu = ((TimeSpan)ReflectedTypes.Get(process, type, "TotalProcessorTime")).Ticks * NanosecondsPerTick;
        }

        // "cpu  user nice system idle iowait irq softirq steal …": user time has that of guests too.
        private void ReadMachine()
        {
            if (!SystemFile.IsThere(MachineFile))
                return;
            sources.File.Read(MachineFile);
            sources.File.SkipWords(1);
            long[] times = new long[8];
            if (!sources.File.TryNumbers(times))
                return;
            Busy = times[0] + times[1] + times[2] + times[5] + times[6];
            Idle = times[3] + times[4];
            Stolen = times[7];
        }

        private void ReadCompiler()
        {
            if (sources.JitMethods == null || sources.JitTime == null)
                return;
            JitMethods = sources.JitMethods(false);
            JitTime = sources.JitTime(false).Ticks * NanosecondsPerTick;
        }

        private void ReadCollections()
        {
            Collections = AllCollections(GC.CollectionCount(0), GC.CollectionCount(1));
        }

        /// <summary>
        /// The sum of the two generations' own counts: Mono counts apart what others count in both.
        /// </summary>
        internal static long AllCollections(int young, int old)
        {
            return Host.IsMono ? (long)young + old : young;
        }

        private void ReadPauses()
        {
            if (sources.CollectionPause != null)
                CollectionTime = sources.CollectionPause().Ticks * NanosecondsPerTick;
        }
    }
}
