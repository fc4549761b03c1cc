// A node of a method whose outermost call ends the recording.

namespace Instrumenter
{
    /// <summary>
    /// Its <see cref="Node.Max"/> stays below every time, so that the fast way out finds each of its frames longer than all before and
    /// tells of it: methods that nobody watches pay nothing.
    /// </summary>
    internal sealed class WatchedNode : Node
    {
        internal long Longest;

        internal WatchedNode(int id, Node parent, int recursion) : base(id, parent, recursion)
        {
            Max = -1;
        }
    }
}
