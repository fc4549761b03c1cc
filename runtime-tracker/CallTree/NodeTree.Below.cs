// What is known of the methods that were folded below some nodes (ThreadTree.Below.cs).
using System;
using System.Threading;

namespace Instrumenter
{
    internal partial class NodeTree
    {
        /// <summary>The methods that were folded below a node, a bit each by id less <see cref="Registry.FirstId"/>; nothing is at 0. Null: there are none.</summary>
        internal volatile long[][] Below;

        /// <summary>How many folded calls each of these has below it; as long.</summary>
        internal volatile long[] BelowCalls;

        /// <summary>The methods that were folded below the node; empty: none.</summary>
        protected long[] BelowOf(int node)
        {
            int extra = Nodes[node].Extra, at = extra == 0 ? 0 : Extras[extra].Below;
            return at == 0 ? noCounts : Below[at];
        }

        /// <summary>They are these from now on. False when there is no memory for it. May throw.</summary>
        protected bool KeepBelow(int node, long[] methods)
        {
            int extra = ExtraOf(node), at = extra == 0 ? 0 : Extras[extra].Below;
            if (extra == 0)
                return false;
            if (at != 0)
            {
                Below[at] = methods;
                return true;
            }
            long[][] all = Below ?? new long[LeastExtras][];
            long[] calls = BelowCalls ?? new long[LeastExtras];
            if (belowCount + 1 == all.Length)
            {
                Array.Resize(ref all, belowCount * 2 + 2);
                Array.Resize(ref calls, all.Length);
            }
            all[++belowCount] = methods;
            BelowCalls = calls;
            Below = all;
            Thread.MemoryBarrier();
            Extras[extra].Below = belowCount;
            return true;
        }

        /// <summary>Adds to the number of their calls.</summary>
        protected void AddBelowCalls(int node, long more)
        {
            int extra = Nodes[node].Extra, at = extra == 0 ? 0 : Extras[extra].Below;
            if (at != 0)
                Counter.Add(ref BelowCalls[at], more);
        }

        /// <summary>More of both. May throw.</summary>
        internal void AddBelow(int node, long[] more, long calls)
        {
            long[] sum = BelowOf(node);
            if (sum.Length < more.Length)
            {
                Array.Resize(ref sum, more.Length);
                KeepBelow(node, sum);
            }
            for (int i = 0; i < more.Length; i++)
                sum[i] |= more[i];
            AddBelowCalls(node, calls);
        }
    }
}
