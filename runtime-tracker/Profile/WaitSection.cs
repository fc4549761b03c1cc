// The WAIT section of a profile: how long threads were blocked in each node's own code.
namespace Instrumenter
{
    internal sealed class WaitSection : ThreadSection
    {
        private readonly ByteWriter entries = new ByteWriter(1024);
        private int count, last;

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            long ticks = tree.BlockedTicks(node) + (open == null ? 0 : open.BlockedTicks(node));
            if (ticks <= 0 || index == 0)
                return;
            entries.VarUInt(index - last);
            entries.VarUInt(ticks);
            last = index;
            count++;
        }

        internal override void Write(ByteWriter output)
        {
            if (count == 0)
                return;
            int section = output.BeginSection(SectionKind.WAIT);
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            output.EndSection(section);
        }
    }
}
