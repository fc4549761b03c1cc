// A scope's frame in the call tree of its thread.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Knows its frame by more than the token: methods around it may have left, and others entered, before the scope ends, for
    /// instance behind an await.
    /// </summary>
    internal struct ScopeFrame
    {
        private ThreadTree tree;
        private Node node;
        private int token;
        private long start;

        internal static ScopeFrame Enter(string text)
        {
            ScopeFrame frame = new ScopeFrame();
            int token = ProfileInfoTracker.WhenEnteringMethod(ScopeNames.IdOf(text));
            if (token > 0)
            {
                frame.tree = ThreadTree.Current;
                frame.token = token;
                frame.node = frame.tree.Frames[token].Node;
                frame.node.IsScope = true;
                frame.start = frame.tree.UnmovedStart(token);
            }
            return frame;
        }

        /// <summary>Closes the frame if it is this thread's and still open.</summary>
        internal void Leave()
        {
            if (token <= 0 || tree != ThreadTree.Current || token > tree.Depth || tree.Frames[token].Node != node || tree.UnmovedStart(token) != start)
                return;
            if (!Guard.Enter())
                return;
            try
            {
                tree.LeaveScope(token);
            }
            finally
            {
                Guard.Leave();
            }
        }
    }
}
