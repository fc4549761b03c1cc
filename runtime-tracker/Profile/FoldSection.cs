// The FOLD section of a profile: the calls that nodes have made and that have no nodes, and how long these took.
namespace Instrumenter
{
    internal sealed class FoldSection : ThreadSection
    {
        private readonly ByteWriter entries = new ByteWriter(64);
        private int count, last;

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            NodeFold of = tree.FoldOf(node);
            if (open != null)
                of.Add(open.FoldOf(node));
            if (index == 0 || (of.Calls | of.All | of.TakenBack | of.Skipped | of.Ticks | of.OuterFrames) == 0)
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

        internal override void Write(ByteWriter output)
        {
            if (count == 0)
                return;
            int section = output.BeginSection(SectionKind.FOLD);
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            output.EndSection(section);
        }
    }
}
