// The part of the contract that says what an async method awaits.

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Directly before <see cref="WhenSuspending"/>: what the slice in the frame <paramref name="token"/> awaits came from a call
        /// of the method with the global id <paramref name="leaf"/>, which is not instrumented.
        /// </summary>
        public static void WhenAwaitingLeaf(int leaf, int token)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null && tree.Async != null)
                AsyncThread.Of(tree).AwaitLeaf(leaf == tree.CommandLeaf ? tree.CommandText : leaf, token);
        }
    }
}
