// The sections ASYN and SLIC of a thread: its async calls, and the nodes of their later slices.
namespace Instrumenter
{
    internal sealed class AsyncSection : ThreadSection
    {
        private readonly AsyncThread thread;
        private readonly AsyncFigures[] ends;
        private readonly SliceSection slices = new SliceSection();

        /// <summary><paramref name="ends"/>: what <see cref="AsyncWriter.EndsOf"/> gave before.</summary>
        internal AsyncSection(AsyncThread thread, AsyncFigures[] ends)
        {
            this.thread = thread;
            this.ends = ends;
        }

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            slices.Note(tree, node, index);
        }

        internal override void Write(ByteWriter output)
        {
            AsyncWriter.Write(output, thread, ends, slices);
        }
    }
}
