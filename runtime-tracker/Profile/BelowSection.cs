// The BELO section of a profile: the methods that were folded below nodes, mostly those of tests.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    internal sealed class BelowSection : ThreadSection
    {
        private const int BitsPerWord = 64;

        private readonly Dictionary<int, long[]> methods = new Dictionary<int, long[]>();

        // The nodes that have some, in order, and the number of each in the tree.
        private readonly List<int> nodes = new List<int>(), indexes = new List<int>();

        // Their folded calls.
        private readonly List<long> calls = new List<long>();

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            long[] known = tree.Below(node);
            if (index > 0 && (known != null || IsOwner(tree.Nodes, node)))
            {
                nodes.Add(node);
                indexes.Add(index);
                calls.Add(tree.BelowCalls(node));
                methods[node] = known == null ? null : (long[])known.Clone();
            }
            // Readers take nodes of methods that are off out of the trees.
            int id = tree.Nodes[node].Id;
            if (!Switches.IsOff(id))
                return;
            int owner = node;
            while (owner > NodeTree.FoldedRoot && !methods.ContainsKey(owner))
                owner = tree.Nodes[owner].Caller;
            if (owner > NodeTree.FoldedRoot)
                methods[owner] = With(methods[owner], id - Registry.FirstId);
        }

        private static bool IsOwner(Node[] nodes, int node)
        {
            return nodes[node].Caller == NodeTree.Root || (nodes[node].Flags & Node.Owner) != 0;
        }

        private static long[] With(long[] of, int at)
        {
            if (of == null || at / BitsPerWord >= of.Length)
                Array.Resize(ref of, at / BitsPerWord + 1);
            of[at / BitsPerWord] |= 1L << at;
            return of;
        }

        internal override void Write(ByteWriter output)
        {
            int count = 0, last = 0;
            foreach (int node in nodes)
                count += methods[node] == null ? 0 : 1;
            if (count == 0)
                return;
            int section = output.BeginSection(SectionKind.BELO);
            output.VarUInt(count);
            for (int i = 0; i < nodes.Count; i++)
            {
                if (methods[nodes[i]] == null)
                    continue;
                output.VarUInt(indexes[i] - last);
                last = indexes[i];
                output.VarUInt(calls[i]);
                WriteMethods(output, methods[nodes[i]]);
            }
            output.EndSection(section);
        }

        private static void WriteMethods(ByteWriter output, long[] of)
        {
            int before = 0, count = 0;
            foreach (long word in of)
                for (long bits = word; bits != 0; bits &= bits - 1)
                    count++;
            output.VarUInt(count);
            for (int at = 0; count > 0; at++)
            {
                if ((of[at / BitsPerWord] & 1L << at) == 0)
                    continue;
                output.VarUInt(Registry.FirstId + at - before);
                before = Registry.FirstId + at;
                count--;
            }
        }
    }
}
