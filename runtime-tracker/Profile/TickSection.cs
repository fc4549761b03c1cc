// The TICK section of a profile: the calls of each node whose time is known by ticks.
namespace Instrumenter
{
    internal sealed class TickSection : ThreadSection
    {
        private readonly ByteWriter entries = new ByteWriter(1024);
        private int count, last;

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            // The Stopwatch times folded calls, too.
            bool folded = node == NodeTree.FoldedRoot || tree.Nodes[node].Caller == NodeTree.FoldedRoot;
            if (index == 0 || folded || (tree.Nodes[node].Flags & Node.Timed) != 0)
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
