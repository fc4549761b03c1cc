// The BYTE and OBJS sections of a profile: how much was allocated in each node's own code.
namespace Instrumenter
{
    /// <summary>Told of each node while the tree is written; written behind it.</summary>
    internal sealed class AllocationSection
    {
        /// <summary>One figure of nodes: what their own code has, and what their folded callees have.</summary>
        private sealed class Figure
        {
            private readonly ByteWriter own = new ByteWriter(1024), folded = new ByteWriter(16);
            private int ownCount, lastOwn, foldedCount, lastFolded;

            internal void Add(long figure, int index)
            {
                Add(own, figure, index, ref ownCount, ref lastOwn);
            }

            internal void AddFolded(long figure, int index)
            {
                Add(folded, figure, index, ref foldedCount, ref lastFolded);
            }

            private static void Add(ByteWriter entries, long figure, int index, ref int count, ref int last)
            {
                if (figure <= 0)
                    return;
                entries.VarUInt(index - last);
                entries.VarUInt(figure);
                last = index;
                count++;
            }

            /// <summary>Writes the section, unless it would be empty.</summary>
            internal void Write(ByteWriter output, string kind)
            {
                if (ownCount == 0 && foldedCount == 0)
                    return;
                int section = output.BeginSection(kind);
                output.VarUInt(ownCount);
                output.Raw(own.Bytes, own.Count);
                output.VarUInt(foldedCount);
                output.Raw(folded.Bytes, folded.Count);
                output.EndSection(section);
            }
        }

        private readonly Figure bytes = AllocatedBytes.IsCounted ? new Figure() : null, objects = AllocationSites.Any ? new Figure() : null;

        /// <summary>Null where nothing of it is counted.</summary>
        internal static AllocationSection New()
        {
            return AllocatedBytes.IsCounted || AllocationSites.Any ? new AllocationSection() : null;
        }

        /// <summary>
        /// The node is being written, as number <paramref name="index"/> of the tree; <paramref name="open"/>: null without open frames.
        /// </summary>
        internal void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            // The root has what was allocated outside of all calls.
            if (index == 0)
                return;
            if (bytes != null)
            {
                bytes.Add(tree.Bytes(node) + (open == null ? 0 : open.HeldBytes(node)), index);
                if (tree.HasExtras)
                    bytes.AddFolded(tree.FoldedBytes(node), index);
            }
            if (objects != null)
            {
                objects.Add(tree.Objects(node) + (open == null ? 0 : open.HeldObjects(node)), index);
                if (tree.HasExtras)
                    objects.AddFolded(tree.FoldedObjects(node), index);
            }
        }

        internal void Write(ByteWriter output)
        {
            if (bytes != null)
                bytes.Write(output, "BYTE");
            if (objects != null)
                objects.Write(output, "OBJS");
        }
    }
}
