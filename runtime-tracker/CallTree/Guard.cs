// Re-entry: code below the tracker may be instrumented too, and type initializers that it sets off may call it again.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Brackets every slow path. While the calling thread is inside, its enters return 0 at once.
    /// Mono and .NET Framework put an abort of the thread off while it is in a finally block: so each way from the program into the
    /// tracker that takes a lock, writes, or would leave something half-done runs in one, as a method …Unbroken.
    /// </summary>
    internal static class Guard
    {
        [ThreadStatic]
        private static bool inside;

        internal static bool IsInside
        {
            get { return inside; }
        }

        /// <summary>False when this thread is inside already; then <see cref="Leave"/> must not be called.</summary>
        internal static bool Enter()
        {
            if (inside)
                return false;
            inside = true;
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return true;
            tree.State |= TreeState.Busy;
            if ((tree.State & TreeState.CountingFigures) != 0)
                tree.IsPausedByGuard = tree.PauseFigures();
            return true;
        }

        internal static void Leave()
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null)
            {
                if (tree.IsPausedByGuard)
                {
                    tree.IsPausedByGuard = false;
                    tree.ResumeFigures();
                }
                tree.State &= ~TreeState.Busy;
            }
            inside = false;
        }
    }
}
