// The FOLD section of a profile: the calls that nodes have made and that have no nodes, and how long these took.
namespace Instrumenter
{
    /// <summary>Told of each node while the tree is written; written behind it.</summary>
    internal sealed class FoldSection
    {
        private readonly ByteWriter entries = new ByteWriter(64);
        private int count, last;

        /// <summary>
        /// The node is being written, as number <paramref name="index"/> of the tree; <paramref name="open"/>: null without open frames.
        /// </summary>
        internal void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            NodeFold of = tree.FoldOf(node);
            if (open != null)
                of.Add(open.FoldOf(node));
            if (index == 0 || (of.Calls | of.All | of.TakenBack | of.Skipped | of.Ticks) == 0)
                return;
            entries.VarUInt(index - last);
            entries.VarUInt(of.Calls);
            entries.VarUInt(of.All);
            entries.VarUInt(of.TakenBack);
            entries.VarUInt(of.Skipped);
            entries.VarUInt(of.Ticks);
            entries.VarUInt(of.OuterTicks);
            entries.VarUInt(of.OuterFrames);
            entries.VarUInt(of.OuterBelow);
            last = index;
            count++;
        }

        /// <summary>Writes the section, unless it would be empty.</summary>
        internal void Write(ByteWriter output)
        {
            if (count == 0)
                return;
            int section = output.BeginSection("FOLD");
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            output.EndSection(section);
        }
    }
}
