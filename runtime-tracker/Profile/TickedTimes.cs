// The inclusive times of a tree's nodes while a clock ticks: their own is known by ticks, and by the Stopwatch the whole of some.
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Of one moment, while the thread goes on. The time of a node whose frames were all timed is what the Stopwatch says; of another one it is
    /// its own time by ticks, and that of its callees. Own times by ticks are sums of few steps: callees of a timed node may seem to take longer
    /// than it. Nothing is cut off that, so that sums of many nodes stay right.
    /// </summary>
    internal sealed class TickedTimes
    {
        private const int MostAttempts = 100;

        private readonly TreeView tree;
        private readonly OpenFrames open;
        private readonly long[] credits, times;

        // Null: no call was folded.
        private readonly long[] folded;

        // Where nodes are open. Null: none is.
        private readonly int[] depths;

        /// <summary>The tree of a thread, or of those that have ended (null: no frame is open).</summary>
        internal TickedTimes(TreeView tree, int count, OpenFrames open)
        {
            this.tree = tree;
            this.open = open;
            credits = new long[count];
            times = new long[count];
            folded = tree.HasExtras ? new long[count] : null;
            for (int attempt = 0; attempt < MostAttempts; attempt++)
            {
                long before = open == null ? 0 : open.LastTick;
                for (int node = 0; node < count; node++)
                {
                    credits[node] = tree.Credit(node) + tree.Probed(node);
                    if (folded != null)
                        folded[node] = tree.FoldedTicks(node);
                }
                Thread.MemoryBarrier();
                if (open == null || before == open.LastTick)
                    break;
            }
            if (open != null)
            {
                depths = new int[count];
                open.NoteDepths(depths);
                if (open.Uncredited > 0 && open.TopNode < count)
                    credits[open.TopNode] += open.Uncredited;
                if (folded != null && open.FoldedTicks > 0 && open.FoldedCaller < count)
                    folded[open.FoldedCaller] += open.FoldedTicks;
            }
            // A node is made after its caller.
            for (int node = count - 1; node > NodeTree.FoldedRoot; node--)
            {
                times[node] = IsTimed(node) ? TimeOfTimed(node) : times[node] + credits[node] + FoldedOf(node);
                int caller = tree.Nodes[node].Caller;
                if (caller != NodeTree.FoldedRoot)
                    times[caller] += times[node];
            }
        }

        private int DepthOf(int node)
        {
            return depths == null ? 0 : depths[node];
        }

        private bool IsTimed(int node)
        {
            return (tree.Nodes[node].Flags & (Node.Timed | Node.Folded)) == Node.Timed;
        }

        private long TimeOfTimed(int node)
        {
            long ticks = Counter.Read(ref tree.Nodes[node].Ticks);
            int depth = DepthOf(node);
            return depth > 0 && open.IsStill(depth, tree.Nodes) ? ticks + open.Ticks(depth) : ticks;
        }

        /// <summary>In callees that were folded away.</summary>
        internal long FoldedOf(int node)
        {
            return folded == null || node >= folded.Length ? 0 : folded[node];
        }

        internal long Of(int node)
        {
            return node < times.Length ? times[node] : 0;
        }
    }
}
