// The mark by which an open frame is known.
namespace Instrumenter
{
    /// <summary>
    /// Tells the frame at a place of a thread's stack from later ones there. Not by its start: with a coarse clock many have the
    /// same, with none all. A node's calls go up with each of its frames; only the nodes of folded frames are shared.
    /// </summary>
    internal struct FrameStamp
    {
        internal readonly int Node;

        /// <summary>The method's; none when this is no frame's.</summary>
        internal readonly int Id;

        private readonly int incarnation;
        private readonly long number;

        /// <summary>Marks a frame that is open.</summary>
        internal FrameStamp(ThreadTree tree, int index)
        {
            Frame[] frames = tree.Frames;
            Node = frames[index].Node;
            Id = tree.Nodes[Node].Id;
            incarnation = tree.Incarnation;
            number = NumberOf(tree, frames, index);
        }

        /// <summary>Is it open, at this place? Other threads may ask, too.</summary>
        internal bool IsOpen(ThreadTree tree, int index)
        {
            Frame[] frames = tree.Frames;
            return Node != NodeTree.None && incarnation == tree.Incarnation && index <= tree.Depth && index < frames.Length && frames[index].Node == Node &&
                   NumberOf(tree, frames, index) == number;
        }

        private static long NumberOf(ThreadTree tree, Frame[] frames, int index)
        {
            FoldedFrame[] folded = tree.Folded;
            if (index >= tree.FoldedFrom)
                return folded != null && index < folded.Length ? Counter.Read(ref folded[index].Mark) : 0;
            Node[] nodes = tree.Nodes;
            int node = frames[index].Node;
            // The thread may begin again right now, with fewer nodes.
            return node < nodes.Length ? Counter.Read(ref nodes[node].Calls) : 0;
        }
    }
}
