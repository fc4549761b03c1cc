// The figures of open frames, while their calls may be taken back.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>What is counted for each node beside its calls and its time.</summary>
    internal static class Figure
    {
        internal const int Bytes = 0, Objects = 1, Collections = 2, Pause = 3, Kinds = 4;
    }

    /// <summary>Written by the frames' own thread, read by any.</summary>
    internal sealed class HeldFigures
    {
        /// <summary>Frames that there is room for at least.</summary>
        internal const int Least = 64;

        // By kind; null: that one is not counted.
        private readonly long[][] figures = new long[Figure.Kinds][];

        /// <summary>For that many frames.</summary>
        internal HeldFigures(int frames)
        {
            for (int kind = 0; kind < Figure.Kinds; kind++)
                if (IsCounted(kind))
                    figures[kind] = new long[frames];
        }

        private static bool IsCounted(int kind)
        {
            switch (kind)
            {
                case Figure.Bytes:
                    return AllocatedBytes.IsCounted;
                case Figure.Objects:
                    return AllocationSites.Any;
                case Figure.Collections:
                    return CollectionCount.IsCounted;
                default:
                    return CollectionCount.HasPause;
            }
        }

        /// <summary>False: there is no room for this frame, or for figures that nobody counted when this was made.</summary>
        internal bool Add(int kind, int depth, long more)
        {
            long[] frames = figures[kind];
            if (frames == null || depth >= frames.Length)
                return false;
            Counter.Add(ref frames[depth], more);
            return true;
        }

        internal long Read(int kind, int depth)
        {
            long[] frames = figures[kind];
            return frames == null || depth >= frames.Length ? 0 : Counter.Read(ref frames[depth]);
        }

        /// <summary>What the frame holds, and from now on no longer.</summary>
        internal long Take(int kind, int depth)
        {
            long held = Read(kind, depth);
            if (held != 0)
                Counter.Set(ref figures[kind][depth], 0);
            return held;
        }
    }

    internal sealed partial class ThreadTree
    {
        // Null: no call may be taken back, and all stands at the nodes.
        private volatile HeldFigures held;

        /// <summary>More of a figure, in the frame at this place. True: it stands at the node.</summary>
        private bool Give(int kind, int depth, long more)
        {
            HeldFigures frames = held;
            if (frames != null && frames.Add(kind, depth, more))
                return false;
            GiveNode(kind, depth, more);
            return true;
        }

        private void GiveNode(int kind, int depth, long more)
        {
            AddFigure(kind, Frames[depth].Node, more);
            if (depth >= FoldedFrom)
                AddFoldedFigure(kind, Frames[FoldedFrom - 1].Node, more);
        }

        /// <summary>The top frame closes, and is kept.</summary>
        private void GiveHeld()
        {
            HeldFigures frames = held;
            if (frames != null)
                GiveHeld(frames, Depth);
        }

        private void GiveHeld(HeldFigures frames, int depth)
        {
            for (int kind = 0; kind < Figure.Kinds; kind++)
            {
                long figure = frames.Take(kind, depth);
                if (figure != 0)
                    GiveNode(kind, depth, figure);
            }
        }

        /// <summary>The top frame is taken back: what it has is its caller's.</summary>
        private void HandDownHeld()
        {
            HeldFigures frames = held;
            int depth = Depth;
            for (int kind = 0; frames != null && kind < Figure.Kinds; kind++)
            {
                long figure = frames.Take(kind, depth);
                if (figure != 0)
                    frames.Add(kind, depth - 1, figure);
            }
        }

        /// <summary>From now on calls may be taken back, or none is.</summary>
        private void Hold(bool wanted)
        {
            HeldFigures frames = held;
            held = null;
            for (int depth = 1; frames != null && depth <= Depth; depth++)
                GiveHeld(frames, depth);
            if (wanted)
                held = new HeldFigures(Math.Max(Frames.Length, HeldFigures.Least));
        }

        /// <summary>For another thread: what the frame at this place holds.</summary>
        internal long Held(int kind, int depth)
        {
            HeldFigures frames = held;
            return frames == null ? 0 : frames.Read(kind, depth);
        }
    }
}
