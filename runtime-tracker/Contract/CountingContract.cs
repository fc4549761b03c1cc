// Calls that are only counted: no frame, no clock, no tree (docs/decisions/04-injected-code.md).

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Counts a call of the method with the global id <paramref name="id"/>. The head of each method calls it
        /// in modules that are instrumented to count; nothing is called when the method is left.
        /// </summary>
        public static void WhenCounting(int id)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.State != Control.OpenState)
            {
                ThreadTree.CountSlowly(id);
                return;
            }
            long[] counts = tree.Counts;
            int at = id - Registry.FirstId;
            if ((uint)at < (uint)counts.Length)
                counts[at]++;
            else
                ThreadTree.CountSlowly(id);
        }
    }
}
