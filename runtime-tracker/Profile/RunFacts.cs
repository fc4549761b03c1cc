// The RUN section of a profile: facts of the run.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    internal static class RunFacts
    {
        internal static void Write(ByteWriter output, string reason, long folded, long foldedAsync, long dropped)
        {
            Phase phase = Control.Current;
            long now = Clock.Kind == Clock.Ticking ? Clock.Precise() : Clock.Shared(), stopped = phase.StoppedTicksAt(now);
            List<string> pairs = new List<string>();
            Add(pairs, RunKey.name, RunName.Program);
            Add(pairs, RunKey.pid, Host.Number(RunName.ProcessId));
            Add(pairs, RunKey.host, Host.MachineName());
            if (Settings.Post != null && Features.Http)
                Add(pairs, RunKey.run, Post.Run);
            long ticksPerSecond = Clock.TicksPerSecond;
            Add(pairs, RunKey.start, Host.Number(phase.Generation.StartUnixNanoseconds));
            Add(pairs, RunKey.wall_ticks, Host.Number(Math.Max(phase.Generation.WallTicks(now, ticksPerSecond), 0)));
            Add(pairs, RunKey.ticks_per_second, Host.Number(ticksPerSecond));
            Add(pairs, RunKey.clock, Clock.Name);
            if (Clock.Wanted != null)
                Add(pairs, RunKey.clock_wanted, Clock.Wanted);
            string mode = Counting.Mode;
            if (mode != null)
                Add(pairs, RunKey.mode, mode);
            Add(pairs, RunKey.runtime, Host.RuntimeName());
            Add(pairs, RunKey.reason, reason);
            if (ProcessEnd.CallsAreLost)
                Add(pairs, RunKey.late, "1");
            Add(pairs, RunKey.tracker, AssemblyFacts.Version);
            if (stopped != 0)
                Add(pairs, RunKey.stopped_ticks, Host.Number(stopped));
            if (folded != 0)
                Add(pairs, RunKey.folded, Host.Number(folded));
            if (foldedAsync != 0)
                Add(pairs, RunKey.folded_async, Host.Number(foldedAsync));
            if (dropped != 0)
                Add(pairs, RunKey.dropped, Host.Number(dropped));
            if (WaitClock.Shortest != 0)
                Add(pairs, RunKey.shortest_wait_ns, Host.Number(WaitClock.Shortest));
            // Calls that are only counted have no figures.
            if (Settings.Alloc && mode != "counts")
                Add(pairs, AllocatedBytes.IsMissing ? RunKey.bytes_missing : RunKey.bytes_counted, "1");
            if (AllocationSites.Any)
                Add(pairs, RunKey.objects_counted, "1");
            if (CollectionCount.IsCounted && mode != "counts")
                Add(pairs, RunKey.collections_counted, "1");
            if (CollectionCount.HasPause && mode != "counts")
                Add(pairs, RunKey.pauses_counted, "1");
            if (Clock.Kind == Clock.Stopwatch && WallTime.Step != 0)
                Add(pairs, RunKey.clock_step_ns, Host.Number(WallTime.Step));
            if (Clock.Kind == Clock.Ticking)
            {
                Add(pairs, RunKey.clock_step_ns, Host.Number(TickingClock.Step));
                Add(pairs, RunKey.clock_ticks, Host.Number(TickingClock.Ticks));
            }
            Calibration calibration = Calibration.Latest();
            if (calibration != null)
                AddCalibration(pairs, calibration, phase);
            else if (Clock.Kind == Clock.User && Features.UserClock && UserClock.ReadPicoseconds != 0)
                Add(pairs, RunKey.clock_read_ps, Host.Number(UserClock.ReadPicoseconds));
            MachineFacts.AddTo(pairs, phase.Generation.Number);
            int step = Calibration.Matters() ? MachineSpeed.StepPicoseconds(false) : MachineSpeed.Known;
            if (step != 0)
                Add(pairs, RunKey.machine_step_ps, Host.Number(step));
            if (Settings.Overhead != 0 && Features.Overhead)
                Governor.AddTo(pairs, phase.Generation.Number);
            int section = output.BeginSection(SectionKind.RUN);
            output.VarUInt(pairs.Count / 2);
            foreach (string text in pairs)
                output.Text(text);
            output.EndSection(section);
        }

        private static void AddCalibration(List<string> pairs, Calibration calibration, Phase phase)
        {
            AddCosts(pairs, calibration, RunKey.inside_empty_ps, RunKey.outside_empty_ps,
                     RunKey.inside_work_ps, RunKey.outside_work_ps, RunKey.outside_last_ps);
            Add(pairs, RunKey.clock_read_ps, Host.Number(calibration.ClockRead));
            if (Clock.Kind == Clock.Ticking)
                Add(pairs, RunKey.beside_probes_ps, Host.Number((calibration.InsideWork + calibration.OutsideWork) * Calibration.BesideProbes / 100));
            if (FoldedCosts.AreWanted)
                AddFoldedCosts(pairs);
            Calibration mean, high;
            int calibrations = Calibration.Since(phase.Generation.StartWall, out mean, out high);
            if (calibrations != 0)
            {
                AddCosts(pairs, mean, RunKey.inside_empty_mean_ps, RunKey.outside_empty_mean_ps,
                         RunKey.inside_work_mean_ps, RunKey.outside_work_mean_ps, RunKey.outside_last_mean_ps);
                AddCosts(pairs, high, RunKey.inside_empty_high_ps, RunKey.outside_empty_high_ps,
                         RunKey.inside_work_high_ps, RunKey.outside_work_high_ps, RunKey.outside_last_high_ps);
                Add(pairs, RunKey.calibrations, Host.Number(calibrations));
            }
        }

        private static void AddCosts(List<string> pairs, Calibration costs, params string[] keys)
        {
            long[] values = { costs.InsideEmpty, costs.OutsideEmpty, costs.InsideWork, costs.OutsideWork, costs.OutsideLast };
            for (int i = 0; i < keys.Length; i++)
                Add(pairs, keys[i], Host.Number(values[i]));
        }

        private static void AddFoldedCosts(List<string> pairs)
        {
            string[] keys = { RunKey.inside_folded_ps, RunKey.outside_folded_ps, RunKey.taken_back_ps, RunKey.skipped_ps };
            long[] costs = { FoldedCosts.Inside, FoldedCosts.Outside, FoldedCosts.TakenBack, FoldedCosts.Skipped };
            for (int i = 0; i < keys.Length; i++)
                if (costs[i] != 0)
                    Add(pairs, keys[i], Host.Number(costs[i]));
        }

        private static void Add(List<string> pairs, string key, string value)
        {
            pairs.Add(key);
            pairs.Add(value);
        }
    }
}
