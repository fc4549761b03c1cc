// The TICK section of a profile: the calls of each node whose time is known by ticks.
namespace Instrumenter
{
    internal sealed class TickSection : ThreadSection
    {
        private readonly ByteWriter entries = new ByteWriter(1024);
        private int count, last;

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            // A folded call's own time is by ticks, whatever times the whole.
            if (index == 0 || node == NodeTree.FoldedRoot || (tree.Nodes[node].Flags & (Node.Timed | Node.Folded)) == Node.Timed)
                return;
            entries.VarUInt(index - last);
            entries.VarUInt(tree.Calls(node));
            last = index;
            count++;
        }

        internal override void Write(ByteWriter output)
        {
            int section = output.BeginSection(SectionKind.TICK);
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            output.EndSection(section);
        }
    }
}
