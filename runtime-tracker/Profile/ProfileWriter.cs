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
                OpenFrames none = null;
                WriteThread(ended, 0, "", tree.ThreadCount, tree.Tree, null, tree.Histograms,
                            SectionOf(tree.Events, null, phase, ref none), SectionOf(tree.Exceptions, null, phase, ref none),
                            SectionOf(tree.Async, null, phase, ref none));
                foldedAsync = tree.Async == null ? 0 : tree.Async.FoldedCalls;
                tree.Tree.AddSitesTo(ref sites);
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
                    OpenFrames open = null;
                    ThreadSection events = SectionOf(tree.Events, tree, phase, ref open);
                    if (open == null)
                        open = new OpenFrames(tree);
                    tree.AddSitesTo(ref sites);
                    WriteThread(live, tree.Owner.Id, tree.Owner.Name, 1, tree, open, tree.Histograms,
                                events, SectionOf(tree.ExceptionsInFlight, tree, phase, ref open), SectionOf(tree.Async, tree, phase, ref open));
                }
                disturbed = trees.HaveBegunAnew();
            }
            ByteWriter output = new ByteWriter(64 * 1024 + live.Count + ended.Count);
            WriteHeader(output);
            WriteRun(output, reason, folded, foldedAsync, dropped);
            WriteModules(output, ModuleTable.All());
            output.Raw(live.Bytes, live.Count);
            output.Raw(ended.Bytes, ended.Count);
            output.HoldsValues = live.HoldsValues || ended.HoldsValues;
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
            Add(pairs, "name", RunName.Program);
            Add(pairs, "pid", Host.Number(RunName.ProcessId));
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
            if (ProcessEnd.CallsAreLost)
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
            if (Clock.Kind == Clock.Ticking)
            {
                Add(pairs, "clock_step_ns", Host.Number(TickingClock.Step));
                Add(pairs, "clock_ticks", Host.Number(TickingClock.Ticks));
            }
            Calibration calibration = Calibration.Latest();
            if (calibration != null)
            {
                AddCosts(pairs, "_ps", calibration);
                Add(pairs, "clock_read_ps", Host.Number(calibration.ClockRead));
                if (FoldedCosts.AreWanted)
                    AddFoldedCosts(pairs);
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

        private static void AddFoldedCosts(List<string> pairs)
        {
            string[] keys = { "inside_folded_ps", "outside_folded_ps", "taken_back_ps", "skipped_ps" };
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

        /// <summary>Programs without such calls do not compile what tells of them.</summary>
        private static bool HasFolds(NodeTree tree, OpenFrames open)
        {
            return tree.Folds != null || (open != null && open.HasFolds);
        }

        private static ThreadSection SectionOf(ThreadExtra extra, ThreadTree tree, Phase phase, ref OpenFrames open)
        {
            return extra == null ? null : extra.Section(tree, phase.Generation.StartTicks, ref open);
        }

        /// <summary>The sections of a thread that have data, in the order in which they are written: each call of a writer makes .NET compile it.</summary>
        private static ThreadSection[] Sections(NodeTree tree, OpenFrames open, ThreadSection[] recorded)
        {
            List<ThreadSection> sections = new List<ThreadSection>();
            // By ticks it is not known how long a single call took.
            if (Clock.Kind != Clock.None && Clock.Kind != Clock.Ticking)
                sections.Add(new SpanSection());
            if (Clock.Kind != Clock.None && HasFolds(tree, open))
                sections.Add(new FoldSection());
            if (WaitClock.Shortest != 0)
                sections.Add(new WaitSection());
            if (FigureSections.AnyIsCounted)
                sections.Add(new FigureSections());
            foreach (ThreadSection section in recorded)
                if (section != null)
                    sections.Add(section);
            return sections.ToArray();
        }

        /// <summary>A thread's section THRD, and what was recorded of it besides, each null where nothing was.</summary>
        private static void WriteThread(ByteWriter output, int id, string name, int threadCount, NodeTree tree, OpenFrames open,
                                        params ThreadSection[] recorded)
        {
            ByteWriter nodes = new ByteWriter(16 * 1024);
            ThreadSection[] sections = Sections(tree, open, recorded);
            int nodeCount = new TreeWriter(nodes, new TreeView(tree), open, sections).Write();
            int section = output.BeginSection("THRD");
            output.VarUInt(id);
            output.Text(name);
            output.VarUInt(threadCount);
            output.VarUInt(nodeCount);
            output.Raw(nodes.Bytes, nodes.Count);
            output.EndSection(section);
            foreach (ThreadSection after in sections)
                after.Write(output);
        }
    }
}
