// The profile as bytes: docs/profile-format.md, section 3.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    internal static class ProfileWriter
    {
        /// <summary>How often a profile is made, at most, when resets come between.</summary>
        private const int MostAttempts = 5;

        /// <summary>A profile of a run of which nothing is known yet: what holds its file's name until the first real one.</summary>
        internal static ByteWriter WriteEmpty()
        {
            ByteWriter output = new ByteWriter(1024);
            WriteHeader(output);
            WriteRun(output, "beat", 0, 0, 0);
            WriteModules(output, new ModuleInfo[0]);
            output.EndSection(output.BeginSection("END "));
            return output;
        }

        private static void WriteHeader(ByteWriter output)
        {
            output.Raw(new byte[] { 0x49, 0x4C, 0x50, 0x52, 0x4F, 0x46, 0x0D, 0x0A, 1, 0, 0, 0, 0, 0, 0, 0 });
        }

        /// <summary>
        /// The whole profile as it stands now. No writer of what is not there is called:
        /// .NET would compile it for its answer. When a reset comes between, or a thread notices one meanwhile, it is made again: it
        /// shall not hold some of what was before and some of what comes behind.
        /// </summary>
        internal static ByteWriter Write(string reason)
        {
            Pauses pauses = new Pauses();
            for (int attempt = 1;; attempt++)
            {
                bool disturbed;
                ByteWriter profile = Write(reason, Control.Current, out disturbed);
                if (!disturbed || attempt == MostAttempts)
                {
                    pauses.End();
                    return profile;
                }
                pauses.Sleep(1);
            }
        }

        private static ByteWriter Write(string reason, Phase phase, out bool disturbed)
        {
            ThreadTree[] threads;
            long folded = 0, foldedAsync = 0, dropped = Registry.DroppedCalls;
            long[] sites = new long[0];
            ByteWriter ended = new ByteWriter(1024);
            Registry.Snapshot(out threads, AsyncWriter.ReadEnds, delegate(EndedThreads tree)
            {
                folded = tree.FoldedCalls;
                dropped += tree.DroppedCalls;
                SliceSection slices = tree.Async == null ? null : new SliceSection();
                WriteThread(ended, 0, "", tree.ThreadCount, tree.Tree, null, tree.Histograms, Settings.Timeline && Features.Timeline ? EventSection.Of(tree) : null,
                            new ExceptionSection(tree.Exceptions), slices, phase.Generation.StartTicks);
                if (tree.Async != null)
                    AsyncWriter.Write(ended, tree.Async, AsyncWriter.EndsOf(tree.Async), slices);
                foldedAsync = tree.Async == null ? 0 : tree.Async.FoldedCalls;
                AllocationSites.Sum(ref sites, tree.Tree);
            });
            ByteWriter live = new ByteWriter(64 * 1024);
            using (LiveTrees trees = new LiveTrees(threads, phase))
            {
                foreach (ThreadTree tree in trees.All)
                {
                    folded += tree.FoldedCalls;
                    foldedAsync += tree.Async == null ? 0 : tree.Async.FoldedCalls;
                    dropped += tree.DroppedCalls;
                }
                for (int i = 0; i < trees.All.Count; i++)
                {
                    ThreadTree tree = trees.All[i];
                    OpenFrames open;
                    EventSection events = null;
                    if (tree.Events == null || !Features.Timeline)
                        open = new OpenFrames(tree);
                    else
                        events = EventSection.Of(tree, out open);
                    AsyncThread async = tree.Async;
                    SliceSection slices = async == null ? null : new SliceSection();
                    AllocationSites.Sum(ref sites, tree);
                    WriteThread(live, tree.Owner.Id, tree.Owner.Name, 1, tree, open, tree.Histograms, events,
                                 tree.ExceptionsInFlight == null ? null : ExceptionSection.Of(tree), slices, phase.Generation.StartTicks);
                    if (async != null)
                        AsyncWriter.Write(live, async, async.Ends ?? new AsyncFigures[0], slices);
                }
                disturbed = trees.HaveBegunAnew();
            }
            ByteWriter output = new ByteWriter(64 * 1024 + live.Count + ended.Count);
            WriteHeader(output);
            WriteRun(output, reason, folded, foldedAsync, dropped);
            WriteModules(output, Registry.Modules());
            output.Raw(live.Bytes, live.Count);
            output.Raw(ended.Bytes, ended.Count);
            if (CapturedMethods.Rules() != null)
                CallSection.Write(output, phase.Generation);
            SiteSection.Write(output, sites);
            Switches.Write(output, phase.Generation);
            output.EndSection(output.BeginSection("END "));
            return output;
        }

        private static void WriteRun(ByteWriter output, string reason, long folded, long foldedAsync, long dropped)
        {
            Phase phase = Control.Current;
            long now = Clock.Shared(), stopped = phase.StoppedTicksAt(now);
            List<string> pairs = new List<string>();
            Add(pairs, "name", Session.Name);
            Add(pairs, "pid", Host.Number(Session.ProcessId));
            Add(pairs, "host", Host.MachineName());
            if (Settings.Post != null && Features.Http)
                Add(pairs, "run", Post.Run);
            long ticksPerSecond = Clock.TicksPerSecond;
            Add(pairs, "start", Host.Number(phase.Generation.StartUnixNanoseconds));
            Add(pairs, "wall_ticks", Host.Number(Math.Max(phase.Generation.WallTicks(now, ticksPerSecond), 0)));
            Add(pairs, "ticks_per_second", Host.Number(ticksPerSecond));
            Add(pairs, "clock", Clock.Name);
            if (Clock.Wanted != null)
                Add(pairs, "clock_wanted", Clock.Wanted);
            string mode = Counting.Mode;
            if (mode != null)
                Add(pairs, "mode", mode);
            Add(pairs, "runtime", Host.RuntimeName());
            Add(pairs, "reason", reason);
            if (LateCalls.AreLost)
                Add(pairs, "late", "1");
            Add(pairs, "tracker", AssemblyFacts.Version);
            if (stopped != 0)
                Add(pairs, "stopped_ticks", Host.Number(stopped));
            if (folded != 0)
                Add(pairs, "folded", Host.Number(folded));
            if (foldedAsync != 0)
                Add(pairs, "folded_async", Host.Number(foldedAsync));
            if (dropped != 0)
                Add(pairs, "dropped", Host.Number(dropped));
            if (WaitClock.Shortest != 0)
                Add(pairs, "shortest_wait_ns", Host.Number(WaitClock.Shortest));
            // Where calls are only counted nobody asks what they allocate.
            if (Settings.Alloc && mode != "counts")
                Add(pairs, AllocatedBytes.IsMissing ? "bytes_missing" : "bytes_counted", "1");
            if (AllocationSites.Any)
                Add(pairs, "objects_counted", "1");
            if (CollectionCount.IsCounted && mode != "counts")
                Add(pairs, "collections_counted", "1");
            if (CollectionCount.HasPause && mode != "counts")
                Add(pairs, "pauses_counted", "1");
            if (Clock.Kind == Clock.Stopwatch && WallTime.Step != 0)
                Add(pairs, "clock_step_ns", Host.Number(WallTime.Step));
            Calibration calibration = Calibration.Latest();
            if (calibration != null)
            {
                AddCosts(pairs, "_ps", calibration);
                Add(pairs, "clock_read_ps", Host.Number(calibration.ClockRead));
                Calibration mean, high;
                int calibrations = Calibration.Since(phase.Generation.StartWall, out mean, out high);
                if (calibrations != 0)
                {
                    AddCosts(pairs, "_mean_ps", mean);
                    AddCosts(pairs, "_high_ps", high);
                    Add(pairs, "calibrations", Host.Number(calibrations));
                }
            }
            else if (Clock.Kind == Clock.User && Features.UserClock && UserClock.ReadPicoseconds != 0)
                Add(pairs, "clock_read_ps", Host.Number(UserClock.ReadPicoseconds));
            MachineFacts.AddTo(pairs, phase.Generation.Number);
            if (Settings.Overhead != 0 && Features.Overhead)
                Governor.AddTo(pairs, phase.Generation.Number);
            int section = output.BeginSection("RUN ");
            output.VarUInt(pairs.Count / 2);
            foreach (string text in pairs)
                output.Text(text);
            output.EndSection(section);
        }

        private static void AddCosts(List<string> pairs, string ending, Calibration costs)
        {
            Add(pairs, "inside_empty" + ending, Host.Number(costs.InsideEmpty));
            Add(pairs, "outside_empty" + ending, Host.Number(costs.OutsideEmpty));
            Add(pairs, "inside_work" + ending, Host.Number(costs.InsideWork));
            Add(pairs, "outside_work" + ending, Host.Number(costs.OutsideWork));
            Add(pairs, "outside_last" + ending, Host.Number(costs.OutsideLast));
        }

        private static void Add(List<string> pairs, string key, string value)
        {
            pairs.Add(key);
            pairs.Add(value);
        }

        private static void WriteModules(ByteWriter output, ModuleInfo[] modules)
        {
            int section = output.BeginSection("MODS");
            output.VarUInt(modules.Length);
            foreach (ModuleInfo module in modules)
            {
                output.VarUInt(module.FirstId);
                output.VarUInt(module.MethodCount);
                output.Text(module.AssemblyName);
                output.Raw(module.Mvid);
                output.Blob(module.Names);
            }
            output.EndSection(section);
        }

        private static void WriteThread(ByteWriter output, int id, string name, int threadCount, NodeTree tree, OpenFrames open,
                                        Histograms histograms, EventSection events, ExceptionSection exceptions, SliceSection slices, long start)
        {
            ByteWriter nodes = new ByteWriter(16 * 1024);
            SpanSection spans = Clock.Kind == Clock.None ? null : new SpanSection();
            WaitSection waits = WaitClock.Shortest == 0 ? null : new WaitSection();
            FigureSections figures = FigureSections.New();
            int nodeCount = new TreeWriter(nodes, new TreeView(tree), open, spans, waits, figures, events, exceptions, slices).Write();
            int section = output.BeginSection("THRD");
            output.VarUInt(id);
            output.Text(name);
            output.VarUInt(threadCount);
            output.VarUInt(nodeCount);
            output.Raw(nodes.Bytes, nodes.Count);
            output.EndSection(section);
            if (spans != null)
                spans.Write(output);
            if (waits != null)
                waits.Write(output);
            if (figures != null)
                figures.Write(output);
            if (histograms != null)
                histograms.Write(output);
            if (events != null)
                events.Write(output, start);
            if (exceptions != null)
                exceptions.Write(output);
        }
    }
}
