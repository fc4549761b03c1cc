// The sections TICK and PROB of a profile: the calls of each node whose time is known by ticks, and which part of its own time was in probes.
namespace Instrumenter
{
    internal sealed class TickSection : ThreadSection
    {
        private readonly ByteWriter entries = new ByteWriter(1024), probed = new ByteWriter(64);
        private int count, last, probedCount, lastProbed;

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            if (index == 0 || node == NodeTree.FoldedRoot)
                return;
            // A folded call's own time is by ticks, whatever times the whole.
            if ((tree.Nodes[node].Flags & (Node.Timed | Node.Folded)) != Node.Timed)
            {
                entries.VarUInt(index - last);
                entries.VarUInt(tree.Calls(node));
                last = index;
                count++;
            }
            long ticks = tree.Probed(node);
            if (ticks == 0)
                return;
            probed.VarUInt(index - lastProbed);
            probed.VarUInt(ticks);
            lastProbed = index;
            probedCount++;
        }

        internal override void Write(ByteWriter output)
        {
            int section = output.BeginSection(SectionKind.TICK);
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            output.EndSection(section);
            section = output.BeginSection(SectionKind.PROB);
            output.VarUInt(probedCount);
            output.Raw(probed.Bytes, probed.Count);
            output.EndSection(section);
        }
    }
}
