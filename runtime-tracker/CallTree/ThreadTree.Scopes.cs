// Frames that are scopes of the program's, and no methods.
namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>
        /// The way out of a scope of the program's, whose frame this is. Exceptions do not see scopes: one that waits here waits
        /// in the frame below from now on.
        /// </summary>
        internal void LeaveScope(int token)
        {
            if (token > 1 && ExceptionsInFlight != null)
                ExceptionsInFlight.Lower(token);
            long now = Follow().Moment();
            while (Depth > token)
                Close(now, true);
            Close(now, false);
        }

        /// <summary>The topmost of the scopes that stand on this frame, without a method between; the frame itself when there is none.</summary>
        internal int WithScopes(int token)
        {
            while (token > 0 && token < Depth && (Nodes[Frames[token + 1].Node].Flags & Node.Scope) != 0)
                token++;
            return token;
        }
    }
}
