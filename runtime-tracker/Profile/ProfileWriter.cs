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
            RunFacts.Write(output, "beat", 0, 0, 0);
            WriteModules(output, new ModuleInfo[0]);
            output.EndSection(output.BeginSection(SectionKind.END));
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
            ByteWriter live = new ByteWriter(4096);
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
                    if (open == null && !IsThrough(tree, threads.Length, reason))
                        open = new OpenFrames(tree);
                    tree.AddSitesTo(ref sites);
                    WriteThread(live, tree.Owner.Id, tree.Owner.Name, 1, tree, open, tree.Histograms,
                                events, SectionOf(tree.ExceptionsInFlight, tree, phase, ref open), SectionOf(tree.Async, tree, phase, ref open));
                }
                disturbed = trees.HaveBegunAnew();
            }
            ByteWriter output = new ByteWriter(4096 + live.Count + ended.Count);
            WriteHeader(output);
            RunFacts.Write(output, reason, folded, foldedAsync, dropped);
            WriteModules(output, ModuleTable.All());
            output.Raw(live.Bytes, live.Count);
            output.Raw(ended.Bytes, ended.Count);
            output.HoldsValues = live.HoldsValues || ended.HoldsValues;
            RunSections.Write(output, phase.Generation, sites);
            output.EndSection(output.BeginSection(SectionKind.END));
            return output;
        }

        /// <summary>The program's only thread has ended its calls and, while the clock ticks, its tree is read as those of ended threads are.</summary>
        private static bool IsThrough(ThreadTree tree, int threads, string reason)
        {
            return Clock.Kind == Clock.Ticking && threads == 1 && tree.Depth == 0 && reason == "exit";
        }

        private static void WriteModules(ByteWriter output, ModuleInfo[] modules)
        {
            int section = output.BeginSection(SectionKind.MODS);
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
            if (Clock.Kind != Clock.None && (Clock.Kind != Clock.Ticking || Clock.IsMixed))
                sections.Add(new SpanSection());
            if (Clock.Kind != Clock.None && HasFolds(tree, open))
                sections.Add(new FoldSection());
            if (Settings.Covers && (tree.Below != null || Switches.Off != null))
                sections.Add(new BelowSection());
            if (Clock.Kind == Clock.Ticking)
                sections.Add(new TickSection());
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
            ByteWriter nodes = new ByteWriter(1024);
            ThreadSection[] sections = Sections(tree, open, recorded);
            int nodeCount = new TreeWriter(nodes, new TreeView(tree), tree.Count, open, sections).Write();
            int section = output.BeginSection(SectionKind.THRD);
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
