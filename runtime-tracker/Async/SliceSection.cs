// The SLIC section of a profile: the nodes that are later slices of async calls, each with its call.
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>
    /// Gets each node while the tree is written. Written after the ASYN section, as it names calls by their positions
    /// there.
    /// </summary>
    internal sealed class SliceSection
    {
        private readonly List<int> nodes = new List<int>(), places = new List<int>();

        /// <summary>The node is being written, as number <paramref name="index"/> of the tree.</summary>
        internal void Note(TreeView tree, int node, int index)
        {
            int place = tree.PlaceOf(node);
            if (place != 0)
                place = AsyncPath.WrittenAs(place);
            if (place == 0)
                return;
            nodes.Add(index);
            places.Add(place);
        }

        /// <summary>The indexes of the paths that are named.</summary>
        internal List<int> Places
        {
            get { return places; }
        }

        /// <summary>Writes the section, unless it would be empty; <paramref name="positions"/>: of each path in the ASYN section.</summary>
        internal void Write(ByteWriter output, int[] positions)
        {
            if (nodes.Count == 0)
                return;
            int section = output.BeginSection(SectionKind.SLIC), last = 0;
            output.VarUInt(nodes.Count);
            for (int i = 0; i < nodes.Count; i++)
            {
                output.VarUInt(nodes[i] - last);
                output.VarUInt(positions[places[i]]);
                last = nodes[i];
            }
            output.EndSection(section);
        }
    }
}
