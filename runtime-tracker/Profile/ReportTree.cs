// The content of a profile, threads merged, for a report from inside the program.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    internal sealed class ReportNode
    {
        internal readonly int Id;
        internal readonly ReportNode Parent;

        /// <summary>Position among the parent's children: that of its first call.</summary>
        internal readonly int Order;

        internal readonly List<ReportNode> Children = new List<ReportNode>();
        internal long Calls, Ticks, FoldedTicks, Open;
        private Dictionary<int, ReportNode> byId;

        internal ReportNode(int id, ReportNode parent)
        {
            Id = id;
            Parent = parent;
            Order = parent == null ? 0 : parent.Children.Count;
        }

        internal ReportNode Child(int id)
        {
            ReportNode child;
            if (byId == null)
                byId = new Dictionary<int, ReportNode>();
            if (!byId.TryGetValue(id, out child))
            {
                child = new ReportNode(id, this);
                byId.Add(id, child);
                Children.Add(child);
            }
            return child;
        }

        /// <summary>Own time. A node that was read while it was being written may seem to have less than none.</summary>
        internal long OwnTicks
        {
            get
            {
                long own = Ticks - FoldedTicks;
                foreach (ReportNode child in Children)
                    if (child.Id != Node.FoldedRootId)
                        own -= child.Ticks;
                return Math.Max(own, 0);
            }
        }
    }

    internal sealed class ReportFunction
    {
        internal int Id;
        internal long Calls, InclusiveTicks, OwnTicks, Open;
    }

    /// <summary>
    /// Read from the bytes of a profile, so that it is what the file would hold: docs/profile-format.md, section 3. Never recursive.
    /// </summary>
    internal sealed class ReportTree
    {
        private const int HeaderBytes = 16;

        internal readonly ReportNode Root = new ReportNode(Node.RootId, null);
        internal readonly List<ReportFunction> Functions = new List<ReportFunction>();
        internal int ThreadCount, NodeCount;

        private readonly byte[] bytes;
        private int at;

        internal ReportTree(byte[] profile)
        {
            bytes = profile;
            for (int section = HeaderBytes; section < bytes.Length;)
            {
                at = section + 16;
                int size = (int)(bytes[section + 8] | bytes[section + 9] << 8 | bytes[section + 10] << 16 | bytes[section + 11] << 24);
                if (bytes[section] == 'T' && bytes[section + 1] == 'H' && bytes[section + 2] == 'R' && bytes[section + 3] == 'D')
                    ReadThread();
                section += 16 + size;
            }
            AddFunctions();
        }

        private long Number()
        {
            ulong value = 0;
            for (int shift = 0;; shift += 7)
            {
                byte b = bytes[at++];
                value |= (ulong)(b & 0x7F) << shift;
                if (b < 0x80)
                    return (long)value;
            }
        }

        private void ReadThread()
        {
            Number();
            int nameBytes = (int)Number();
            at += nameBytes;
            ThreadCount += (int)Number();
            long nodes = Number();
            // The nodes whose children are being read, and how many of these are still to come.
            List<ReportNode> open = new List<ReportNode>();
            List<long> left = new List<long>();
            for (; nodes > 0; nodes--)
            {
                long children = Number();
                int id = (int)Number();
                ReportNode node = open.Count == 0 ? Root : open[open.Count - 1].Child(id);
                node.Calls += Number();
                node.Ticks += Number();
                node.FoldedTicks += Number();
                Number();
                node.Open += Number();
                if (open.Count > 0)
                    left[left.Count - 1]--;
                if (children > 0)
                {
                    open.Add(node);
                    left.Add(children);
                }
                while (left.Count > 0 && left[left.Count - 1] == 0)
                {
                    open.RemoveAt(open.Count - 1);
                    left.RemoveAt(left.Count - 1);
                }
            }
        }

        /// <summary>Time counts as inclusive where no call of the same function stands above, and no call was folded.</summary>
        private void AddFunctions()
        {
            Dictionary<int, ReportFunction> byId = new Dictionary<int, ReportFunction>();
            Dictionary<int, int> above = new Dictionary<int, int>();
            List<ReportNode> pending = new List<ReportNode>();
            pending.Add(Root);
            while (pending.Count > 0)
            {
                ReportNode node = pending[pending.Count - 1];
                pending.RemoveAt(pending.Count - 1);
                // Null stands for the end of the node below it.
                if (node == null)
                {
                    above[pending[pending.Count - 1].Id]--;
                    pending.RemoveAt(pending.Count - 1);
                    continue;
                }
                int same;
                above.TryGetValue(node.Id, out same);
                above[node.Id] = same + 1;
                if (node.Id > Node.FoldedRootId)
                    Add(FunctionOf(byId, node.Id), node, same);
                pending.Add(node);
                pending.Add(null);
                pending.AddRange(node.Children);
            }
            foreach (ReportFunction function in Functions)
                function.InclusiveTicks = Math.Max(function.InclusiveTicks, function.OwnTicks);
        }

        private ReportFunction FunctionOf(Dictionary<int, ReportFunction> byId, int id)
        {
            ReportFunction function;
            if (!byId.TryGetValue(id, out function))
            {
                function = new ReportFunction();
                function.Id = id;
                byId.Add(id, function);
                Functions.Add(function);
            }
            return function;
        }

        private void Add(ReportFunction function, ReportNode node, int same)
        {
            NodeCount++;
            function.Calls += node.Calls;
            function.Open += node.Open;
            function.OwnTicks += node.OwnTicks;
            if (same == 0 && node.Parent.Id != Node.FoldedRootId)
                function.InclusiveTicks += node.Ticks;
        }
    }
}
