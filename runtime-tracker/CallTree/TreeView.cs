// A call tree as others than its own thread see it.
using System.Threading;

namespace Instrumenter
{
    /// <summary>The nodes that are there when it is made, and some that come later. Figures go on until the tree takes a larger array.</summary>
    internal sealed class TreeView
    {
        internal readonly Node[] Nodes;
        private readonly NodeExtra[] extras;
        private readonly NodeFold[] folds;
        private readonly long[][] below;
        private readonly long[] belowCalls;
        private readonly ThreadTree thread;
        private readonly long[] counts, blocked, credits, probed, bytes, objects;

        private static NodeExtra[] noExtras;

        /// <summary>Does any node have rarer figures? They are 0 where not.</summary>
        internal readonly bool HasExtras;

        internal TreeView(NodeTree tree)
        {
            Nodes = tree.Nodes;
            counts = tree.Counts;
            blocked = tree.Blocked;
            credits = tree.Credits;
            probed = tree.Probed;
            bytes = tree.Bytes;
            objects = tree.Objects;
            Thread.MemoryBarrier();
            NodeExtra[] rarer = tree.Extras;
            HasExtras = rarer != null;
            extras = rarer ?? NoExtras();
            Thread.MemoryBarrier();
            folds = tree.Folds;
            below = tree.Below;
            Thread.MemoryBarrier();
            belowCalls = tree.BelowCalls;
            thread = tree as ThreadTree;
        }

        private static NodeExtra[] NoExtras()
        {
            if (noExtras == null)
                noExtras = new NodeExtra[1];
            return noExtras;
        }

        /// <summary>Where its rarer figures are; at 0, where all are 0, when it got them only now.</summary>
        private int ExtraOf(int node)
        {
            int extra = Nodes[node].Extra;
            return extra < extras.Length ? extra : 0;
        }

        /// <summary>A copy of the calls that are only counted; <paramref name="called"/>: how many are not 0.</summary>
        internal long[] Counts(out int called)
        {
            return Counting.Copy(counts, out called);
        }

        internal bool HasFold(int node)
        {
            return folds != null && extras[ExtraOf(node)].Fold != 0;
        }

        /// <summary>All of its folded calls; noughts where it has none, or got them only now.</summary>
        internal NodeFold FoldOf(int node)
        {
            int fold = folds == null ? 0 : extras[ExtraOf(node)].Fold;
            return fold == 0 || fold >= folds.Length ? new NodeFold() : folds[fold];
        }

        /// <summary>The methods that were folded below it; null where it has none, or got them only now.</summary>
        internal long[] Below(int node)
        {
            int at = below == null ? 0 : extras[ExtraOf(node)].Below;
            return at == 0 || at >= below.Length ? null : below[at];
        }

        /// <summary>How many calls they had.</summary>
        internal long BelowCalls(int node)
        {
            int at = below == null ? 0 : extras[ExtraOf(node)].Below;
            return at == 0 || at >= below.Length ? 0 : Counter.Read(ref belowCalls[at]) + (thread == null ? 0 : thread.BelowCallsNow(node));
        }

        internal long FoldedTicks(int node)
        {
            return Counter.Read(ref extras[ExtraOf(node)].FoldedTicks);
        }

        /// <summary>A <see cref="Figure"/> of the node's own code.</summary>
        internal long Own(int kind, int node)
        {
            switch (kind)
            {
                case Figure.Bytes:
                    return node < bytes.Length ? Counter.Read(ref bytes[node]) : 0;
                case Figure.Objects:
                    return node < objects.Length ? Counter.Read(ref objects[node]) : 0;
                case Figure.Collections:
                    return Counter.Read(ref extras[ExtraOf(node)].Collections);
                default:
                    return Counter.Read(ref extras[ExtraOf(node)].Pause);
            }
        }

        /// <summary>Of its callees that were folded away.</summary>
        internal long Folded(int kind, int node)
        {
            switch (kind)
            {
                case Figure.Bytes:
                    return Counter.Read(ref extras[ExtraOf(node)].FoldedBytes);
                case Figure.Objects:
                    return Counter.Read(ref extras[ExtraOf(node)].FoldedObjects);
                case Figure.Collections:
                    return Counter.Read(ref extras[ExtraOf(node)].FoldedCollections);
                default:
                    return Counter.Read(ref extras[ExtraOf(node)].FoldedPause);
            }
        }

        /// <summary>Own time by ticks.</summary>
        internal long Credit(int node)
        {
            return node < credits.Length ? Counter.Read(ref credits[node]) : 0;
        }

        /// <summary>Time in probes by ticks.</summary>
        internal long Probed(int node)
        {
            return node < probed.Length ? Counter.Read(ref probed[node]) : 0;
        }

        internal long BlockedTicks(int node)
        {
            return node < blocked.Length ? Counter.Read(ref blocked[node]) : 0;
        }

        /// <summary>As <see cref="NodeTree.PlaceOf"/>.</summary>
        internal int PlaceOf(int node)
        {
            return extras[ExtraOf(node)].Place;
        }

        internal long Resynchronised(int node)
        {
            return Counter.Read(ref extras[ExtraOf(node)].Resynchronised);
        }

        internal long LeftByException(int node)
        {
            return Counter.Read(ref extras[ExtraOf(node)].LeftByException);
        }

        /// <summary>The enters that were not taken back. Never less than there are closed and open frames that count.</summary>
        internal long Calls(int node)
        {
            long takenBack = Counter.Read(ref extras[ExtraOf(node)].TakenBack);
            Thread.MemoryBarrier();
            long calls = Counter.Read(ref Nodes[node].Calls) - takenBack;
            return (Nodes[node].Flags & Node.Folded) == 0 ? calls : calls + FoldOf(node).Entered;
        }

        /// <summary>The longest inclusive time of a closed frame.</summary>
        internal long Longest(int node)
        {
            return (Nodes[node].Flags & Node.Watched) != 0 ? Counter.Read(ref extras[ExtraOf(node)].Longest) : Counter.Read(ref Nodes[node].Max);
        }
    }
}
