// A scope's frame in the call tree of its thread.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Knows its frame by more than the token: methods around it may have left, and others entered, before the scope ends, for
    /// instance after an await.
    /// </summary>
    internal sealed class ScopeFrame
    {
        internal readonly int Token;
        private readonly ThreadTree tree;
        private FrameStamp stamp;

        private ScopeFrame(ThreadTree tree, int token)
        {
            this.tree = tree;
            Token = token;
            Is(tree);
        }

        /// <summary>Opens a frame; null when nothing is recorded.</summary>
        internal static ScopeFrame Enter(string text)
        {
            int id = ScopeNames.IdOf(text);
            ThreadTree known = ThreadTree.Current;
            if (known != null)
                known.ResumeFigures();
            int token = ProfileInfoTracker.WhenEnteringMethod(id);
            if (token <= 0)
                return null;
            ThreadTree tree = ThreadTree.Current;
            ScopeFrame frame = new ScopeFrame(tree, token);
            OpenScopes.Of(tree).Add(frame);
            return frame;
        }

        /// <summary>The frame at its place is the scope's.</summary>
        internal void Is(ThreadTree tree)
        {
            stamp = new FrameStamp(tree, Token);
            tree.Nodes[stamp.Node].Flags |= Node.Scope;
        }

        internal bool IsOpen(ThreadTree tree)
        {
            return stamp.IsOpen(tree, Token);
        }

        /// <summary>Closes the frame if it is this thread's and still open.</summary>
        internal void Leave()
        {
            if (tree != ThreadTree.Current || !IsOpen(tree) || !Guard.Enter())
                return;
            try
            {
                tree.LeaveScope(Token);
                OpenScopes.Of(tree).Remove(this);
            }
            finally
            {
                Guard.Leave();
            }
        }
    }
}
