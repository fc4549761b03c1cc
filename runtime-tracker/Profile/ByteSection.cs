// The BYTE section of a profile: how much was allocated in each node's own code.
namespace Instrumenter
{
    /// <summary>Told of each node while the tree is written; written behind it.</summary>
    internal sealed class ByteSection
    {
        private readonly ByteWriter own = new ByteWriter(1024), folded = new ByteWriter(16);
        private int ownCount, lastOwn, foldedCount, lastFolded;

        /// <summary>
        /// The node is being written, as number <paramref name="index"/> of the tree; <paramref name="open"/>: null without open frames.
        /// </summary>
        internal void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            // The bytes at the root were allocated outside of all calls.
            if (index == 0)
                return;
            Add(own, tree.Bytes(node) + (open == null ? 0 : open.HeldBytes(node)), index, ref ownCount, ref lastOwn);
            if (tree.HasExtras)
                Add(folded, tree.FoldedBytes(node), index, ref foldedCount, ref lastFolded);
        }

        private static void Add(ByteWriter entries, long bytes, int index, ref int count, ref int last)
        {
            if (bytes <= 0)
                return;
            entries.VarUInt(index - last);
            entries.VarUInt(bytes);
            last = index;
            count++;
        }

        /// <summary>Writes the section, unless it would be empty.</summary>
        internal void Write(ByteWriter output)
        {
            if (ownCount == 0 && foldedCount == 0)
                return;
            int section = output.BeginSection("BYTE");
            output.VarUInt(ownCount);
            output.Raw(own.Bytes, own.Count);
            output.VarUInt(foldedCount);
            output.Raw(folded.Bytes, folded.Count);
            output.EndSection(section);
        }
    }
}
