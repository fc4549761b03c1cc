// The frames of a thread that are open while its tree is being written.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// A copy of a thread's stack, taken while the thread runs on: each frame in it was seen whole, but the frames may have
    /// been seen at slightly different times.
    /// </summary>
    internal sealed class OpenFrames
    {
        private struct Folded
        {
            internal int Count;
            internal long Ticks;
        }

        // The frames' part in the folded calls of nodes. Null: nothing.
        private Dictionary<int, NodeFold> folds;

        private readonly ThreadTree tree;
        private readonly int moves;
        private readonly int[] nodes;
        private readonly long[] starts;
        private readonly int normal;
        private readonly long now;

        // The same for frames that the Stopwatch times while a clock ticks.
        private readonly long timedNow;
        private readonly long stopped;
        private readonly Dictionary<int, Folded> folded;

        // The figures of each frame that do not stand at its node yet, by kind. Null: none.
        private readonly long[][] held;

        // The part of each frame's own time in which the thread has been blocked of late. Null: none.
        private readonly long[] blocked;

        private const int MostAttempts = 20;

        internal OpenFrames(ThreadTree tree)
        {
            this.tree = tree;
            int count = 0, foldedFrom = 0;
            Phase phase = null;
            Pauses pauses = new Pauses();
            for (int attempt = 0; attempt < MostAttempts; attempt++)
            {
                moves = tree.Moves;
                int depth = tree.Depth;
                Frame[] frames = tree.Frames;
                depth = Math.Min(depth, frames.Length - 1);
                nodes = new int[depth + 1];
                starts = new long[depth + 1];
                count = 0;
                while (count < depth && Copy(tree, frames, count + 1))
                    count++;
                foldedFrom = tree.FoldedFrom;
                phase = Control.Current;
                stopped = Counter.Read(ref tree.StoppedTicks);
                now = Clock.IsShared ? phase.Now() - (phase.StoppedTicks - stopped) : Clock.NowOf(tree.CpuClock);
                Thread.MemoryBarrier();
                if ((moves & 1) == 0 && moves == tree.Moves)
                    break;
                // The thread gives its frames other starts or other nodes right now: it is through in a moment. One that has no
                // processor is waited for; if that is not enough, the frames' time so far is left to the next writing.
                now = 0;
                pauses.Sleep(attempt < MostAttempts / 2 ? 0 : 1);
            }
            pauses.End();
            timedNow = Clock.Kind != Clock.Ticking ? 0 : now == 0 || !phase.Running ? now : now + (Clock.Timed() - Clock.Now());
            normal = Math.Min(count, foldedFrom - 1);
            // Frames are paths down the tree; where the copy is no path, the thread has moved on.
            Node[] all = tree.Nodes;
            for (int i = 1; i <= normal; i++)
                if (CallerOf(nodes[i], all) != (i == 1 ? NodeTree.Root : nodes[i - 1]))
                    normal = i - 1;
            if (normal == foldedFrom - 1 && count >= foldedFrom)
                folded = CopyFolded(tree, all, foldedFrom, count);
            // Their starts are not all of the same time.
            Count = now == 0 ? 0 : folded == null ? normal : count;
            if (Count > 0 && phase.Running && phase.StoppedTicks == stopped)
                blocked = Blocked(tree);
            FoldedTicks = folded == null ? 0 : Clock.Kind == Clock.Ticking ? Uncredited : Elapsed(foldedFrom);
            for (int i = 1; i <= Count; i++)
                AddFold(nodes[i], tree.Unrecorded(i));
            held = Held(tree);
        }

        private long[][] Held(ThreadTree tree)
        {
            long[][] figures = null;
            for (int kind = 0; kind < Figure.Kinds; kind++)
                for (int i = 1; i <= Count; i++)
                {
                    long figure = tree.Held(kind, i);
                    if (figure == 0)
                        continue;
                    figures = figures ?? new long[Figure.Kinds][];
                    figures[kind] = figures[kind] ?? new long[nodes.Length];
                    figures[kind][i] = figure;
                }
            return figures;
        }

        /// <summary>What the node's open frames have of a <see cref="Figure"/> that does not stand there yet.</summary>
        internal long Held(int kind, int node)
        {
            return held == null ? 0 : SumOf(held[kind], node);
        }

        private long[] Blocked(ThreadTree tree)
        {
            long since, left = tree.BlockedSoFar(now, new SystemFile(), out since), until = now;
            if (left <= 0)
                return null;
            long[] parts = new long[nodes.Length];
            for (int i = Count; i > 0; i--)
                parts[i] = ThreadTree.PartOf(starts[i], since, ref until, ref left);
            return parts;
        }

        /// <summary>The part of it in an open frame of the node.</summary>
        internal long BlockedTicks(int node)
        {
            return SumOf(blocked, node);
        }

        private long SumOf(long[] parts, int node)
        {
            long sum = 0;
            for (int i = 1; parts != null && i <= Count; i++)
                if (nodes[i] == node)
                    sum += parts[i];
            return sum;
        }

        /// <summary>None of a node that is not there: the thread began again meanwhile.</summary>
        private static int CallerOf(int node, Node[] all)
        {
            return node < all.Length ? all[node].Caller : NodeTree.None;
        }

        /// <summary>How many there are, folded ones too; from 1.</summary>
        internal readonly int Count;

        internal int NodeAt(int index)
        {
            return nodes[index];
        }

        /// <summary>In ticks of recorded time.</summary>
        internal long RecordedStart(int index)
        {
            return starts[index] - stopped;
        }

        /// <summary>Time so far of the lowest folded frame, as far as it does not stand at its caller: that one's folded ticks.</summary>
        internal readonly long FoldedTicks;

        private bool Copy(ThreadTree tree, Frame[] frames, int index)
        {
            for (int attempt = 0; attempt < 100; attempt++)
            {
                long start = Counter.Read(ref frames[index].Start);
                Thread.MemoryBarrier();
                int node = frames[index].Node;
                Thread.MemoryBarrier();
                if (tree.Depth < index)
                    return false;
                Thread.MemoryBarrier();
                if (start == Counter.Read(ref frames[index].Start))
                {
                    nodes[index] = node;
                    starts[index] = start;
                    return true;
                }
            }
            return false;
        }

        private Dictionary<int, Folded> CopyFolded(ThreadTree tree, Node[] all, int from, int to)
        {
            Dictionary<int, Folded> result = new Dictionary<int, Folded>();
            FoldedFrame[] frames = tree.Folded;
            for (int i = from; frames != null && i <= to && i < frames.Length; i++)
            {
                if (CallerOf(nodes[i], all) != NodeTree.FoldedRoot)
                    break;
                long own = Elapsed(i) - Counter.Read(ref frames[i].CalleeTicks) - (i < to ? Elapsed(i + 1) : 0);
                Folded sum;
                result.TryGetValue(nodes[i], out sum);
                sum.Count++;
                // Where a clock ticks it is with what stands at the node (TickedTimes).
                sum.Ticks += Clock.Kind == Clock.Ticking ? 0 : Math.Max(own, 0);
                result[nodes[i]] = sum;
                long elapsed = Clock.Kind == Clock.Ticking ? Math.Max(now - stopped - Counter.Read(ref frames[i].Begun), 0) : Elapsed(i);
                NodeFold of = tree.FiguresOf(frames, i, elapsed), callers = new NodeFold();
                callers.Calls = 1;
                callers.All = i == from ? of.All + 1 : 0;
                AddFold(nodes[i], of);
                AddFold(i == from && from == 1 ? NodeTree.Root : nodes[i - 1], callers);
            }
            return result;
        }

        internal bool HasFolds
        {
            get { return folds != null; }
        }

        private void AddFold(int node, NodeFold more)
        {
            if ((more.Calls | more.TakenBack | more.Skipped | more.Ticks | more.OuterFrames) == 0)
                return;
            if (folds == null)
                folds = new Dictionary<int, NodeFold>();
            NodeFold sum;
            folds.TryGetValue(node, out sum);
            sum.Add(more);
            folds[node] = sum;
        }

        /// <summary>What the node's open frames have of folded calls that does not stand there yet.</summary>
        internal NodeFold FoldOf(int node)
        {
            NodeFold of = new NodeFold();
            if (folds != null)
                folds.TryGetValue(node, out of);
            return of;
        }

        private long Elapsed(int index)
        {
            bool timed = Clock.Kind == Clock.Ticking && (starts[index] & Clock.TimedBit) != 0;
            return Math.Max((timed ? timedNow : now) - starts[index], 0);
        }

        /// <summary>Is the node at this depth of the tree open?</summary>
        internal bool Contains(int node, int depth)
        {
            return depth >= 1 && depth <= normal && nodes[depth] == node;
        }

        /// <summary>
        /// Is the frame at this depth, which was open, the thread's even now? Not to be told when frames have moved since, or when its
        /// time goes to other nodes than these: then it is taken as it was.
        /// </summary>
        internal bool IsStill(int depth, Node[] shown)
        {
            Thread.MemoryBarrier();
            Frame[] frames = tree.Frames;
            bool same = depth < frames.Length && frames[depth].Node == nodes[depth] && Counter.Read(ref frames[depth].Start) == starts[depth];
            Thread.MemoryBarrier();
            return (same && tree.Depth >= depth) || tree.Moves != moves || tree.Nodes != shown;
        }

        /// <summary>Notes for each of the first nodes, as many as there is room for, the depth at which it is open; 0: it is not.</summary>
        internal void NoteDepths(int[] depths)
        {
            for (int depth = normal; depth > 0; depth--)
                if (nodes[depth] < depths.Length)
                    depths[nodes[depth]] = depth;
        }

        /// <summary>The last tick that the thread has noticed by now.</summary>
        internal long LastTick
        {
            get { return tree.LastTick; }
        }

        /// <summary>The node of the top frame; whose time that is since the last tick that the thread has noticed.</summary>
        internal int TopNode
        {
            get { return Count > 0 ? nodes[Count] : NodeTree.Root; }
        }

        /// <summary>That time.</summary>
        internal long Uncredited
        {
            get { return TopNode == NodeTree.Root ? 0 : now - tree.LastTick; }
        }

        /// <summary>Time so far of the node at this depth, which is open.</summary>
        internal long Ticks(int depth)
        {
            return Elapsed(depth);
        }

        /// <summary>The node that called the lowest folded frame; none when there is no such frame.</summary>
        internal int FoldedCaller
        {
            get { return folded == null ? NodeTree.None : normal == 0 ? NodeTree.Root : nodes[normal]; }
        }

        /// <summary>Is it this node?</summary>
        internal bool CallsFolded(int node, int depth)
        {
            return folded != null && depth == normal && (depth == 0 || nodes[depth] == node);
        }

        /// <summary>Open frames of a node under the root of the folded calls, and their own time so far.</summary>
        internal int FoldedCount(int node, out long ticks)
        {
            Folded sum = default(Folded);
            if (folded != null)
                folded.TryGetValue(node, out sum);
            ticks = sum.Ticks;
            return sum.Count;
        }
    }
}
