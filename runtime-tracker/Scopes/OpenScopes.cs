// The frames of a thread that are scopes of the program's.
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>Used by its own thread. Frames leave the stack without a word to this one; what has left goes with the next one that comes.</summary>
    internal sealed class OpenScopes
    {
        private readonly List<ScopeFrame> scopes = new List<ScopeFrame>();

        /// <summary>Takes a scope whose frame has just been opened.</summary>
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

        internal void DropClosed(ThreadTree tree)
        {
            for (int i = scopes.Count; i-- > 0;)
                if (!scopes[i].IsOpen(tree))
                    scopes.RemoveAt(i);
        }

        /// <summary>The frames were opened anew.</summary>
        internal void StartAnew(ThreadTree tree)
        {
            foreach (ScopeFrame scope in scopes)
                scope.Is(tree);
        }
    }
}
