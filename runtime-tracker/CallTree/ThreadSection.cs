// A section of a profile that belongs to one thread's call tree.
namespace Instrumenter
{
    /// <summary>Gets each node while the tree is written; written after it.</summary>
    internal abstract class ThreadSection
    {
        /// <summary>
        /// The node is being written, as number <paramref name="index"/> of the tree; <paramref name="open"/>: null without open frames.
        /// </summary>
        internal abstract void Note(TreeView tree, int node, int index, OpenFrames open);

        /// <summary>Writes the section, unless it would be empty.</summary>
        internal abstract void Write(ByteWriter output);
    }
}
