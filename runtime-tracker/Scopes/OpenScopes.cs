// The frames of a thread that are scopes of the program's.
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>Used by its own thread. Frames leave the stack without a word to this one; what has left goes with the next one that comes.</summary>
    internal sealed class OpenScopes : ThreadExtra
    {
        private readonly List<ScopeFrame> scopes = new List<ScopeFrame>();

        /// <summary>Those of the thread, made if there are none.</summary>
        internal static OpenScopes Of(ThreadTree tree)
        {
            if (tree.Scopes == null)
                tree.Scopes = new OpenScopes();
            return (OpenScopes)tree.Scopes;
        }

        /// <summary>Takes a scope with a frame that has just been opened.</summary>
        internal void Add(ScopeFrame scope)
        {
            while (scopes.Count > 0 && scopes[scopes.Count - 1].Token >= scope.Token)
                scopes.RemoveAt(scopes.Count - 1);
            scopes.Add(scope);
        }

        internal void Remove(ScopeFrame scope)
        {
            int last = scopes.Count - 1;
            if (last >= 0 && scopes[last] == scope)
                scopes.RemoveAt(last);
        }

        internal override void DropClosed(ThreadTree tree)
        {
            for (int i = scopes.Count; i-- > 0;)
                if (!scopes[i].IsOpen(tree))
                    scopes.RemoveAt(i);
        }

        internal override void StartAnew(ThreadTree tree, Generation generation)
        {
            foreach (ScopeFrame scope in scopes)
                scope.Is(tree);
        }
    }
}
