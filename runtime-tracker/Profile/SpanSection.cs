// The SPAN section of a profile: the shortest and the longest time of each node's closed frames.
using System.Threading;

namespace Instrumenter
{
    internal sealed class SpanSection : ThreadSection
    {
        private readonly ByteWriter entries = new ByteWriter(4 * 1024);
        private int count, last;

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            long min = Counter.Read(ref tree.Nodes[node].Min);
            // Of the calls that go by ticks the Stopwatch has timed a few.
            if (min == long.MaxValue || (Clock.Kind == Clock.Ticking && (tree.Nodes[node].Flags & Node.Timed) == 0))
                return;
            Thread.MemoryBarrier();
            entries.VarUInt(index - last);
            entries.VarUInt(min);
            // The longest of a watched node may stand where the view does not reach yet.
            entries.VarUInt(System.Math.Max(tree.Longest(node) - min, 0));
            last = index;
            count++;
        }

        internal override void Write(ByteWriter output)
        {
            if (count == 0)
                return;
            int section = output.BeginSection(SectionKind.SPAN);
            output.VarUInt(count);
            output.Raw(entries.Bytes, entries.Count);
            output.EndSection(section);
        }
    }
}
