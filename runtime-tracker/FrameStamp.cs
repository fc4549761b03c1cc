// What an open frame is known by.
namespace Instrumenter
{
    /// <summary>
    /// Tells the frame at a place of a thread's stack from later ones there. Not by its start: with a coarse clock many have the
    /// same, with none all. A node's calls go up with each of its frames; only the nodes of folded frames are shared.
    /// </summary>
    internal struct FrameStamp
    {
        internal readonly Node Node;
        private readonly long number;

        /// <summary>Of a frame that is open.</summary>
        internal FrameStamp(ThreadTree tree, int index)
        {
            Frame[] frames = tree.Frames;
            Node = frames[index].Node;
            number = NumberOf(tree, frames, index);
        }

        /// <summary>Is it open, at this place? Other threads may ask, too.</summary>
        internal bool IsOpen(ThreadTree tree, int index)
        {
            Frame[] frames = tree.Frames;
            return Node != null && index <= tree.Depth && index < frames.Length && frames[index].Node == Node && NumberOf(tree, frames, index) == number;
        }

        private static long NumberOf(ThreadTree tree, Frame[] frames, int index)
        {
            return index >= tree.FoldedFrom ? Counter.Read(ref frames[index].Start) - tree.StoppedTicks : Counter.Read(ref frames[index].Node.Calls);
        }
    }
}
