// The sections BYTE, OBJS, COLL and PAUS of a profile: what each node's own code has allocated, and the collections meanwhile.
namespace Instrumenter
{
    internal sealed class FigureSections : ThreadSection
    {
        /// <summary>One figure of nodes: what their own code has, and what their folded callees have.</summary>
        private sealed class Section
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

            /// <summary>Writes it, unless it would be empty.</summary>
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

        // By kind; null: that one is not counted.
        private readonly Section[] sections = new Section[Figure.Kinds];

        internal FigureSections()
        {
            if (AllocatedBytes.IsCounted)
                sections[Figure.Bytes] = new Section();
            if (AllocationSites.Any)
                sections[Figure.Objects] = new Section();
            if (CollectionCount.IsCounted)
                sections[Figure.Collections] = new Section();
            if (CollectionCount.HasPause)
                sections[Figure.Pause] = new Section();
        }

        internal static bool AnyIsCounted
        {
            get { return AllocatedBytes.IsCounted || AllocationSites.Any || CollectionCount.IsCounted; }
        }

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            // The root has what came outside of all calls.
            if (index == 0)
                return;
            for (int kind = 0; kind < Figure.Kinds; kind++)
            {
                Section section = sections[kind];
                if (section == null)
                    continue;
                section.Add(tree.Own(kind, node) + (open == null ? 0 : open.Held(kind, node)), index);
                if (tree.HasExtras)
                    section.AddFolded(tree.Folded(kind, node), index);
            }
        }

        internal override void Write(ByteWriter output)
        {
            Write(output, Figure.Bytes, SectionKind.BYTE);
            Write(output, Figure.Objects, SectionKind.OBJS);
            Write(output, Figure.Collections, SectionKind.COLL);
            Write(output, Figure.Pause, SectionKind.PAUS);
        }

        private void Write(ByteWriter output, int kind, string name)
        {
            if (sections[kind] != null)
                sections[kind].Write(output, name);
        }
    }
}
