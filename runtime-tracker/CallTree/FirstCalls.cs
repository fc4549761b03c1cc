// Which tests call a method that the governor has switched off: such a method is off only for a test that is known to have called it.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Where tests' methods are noted (<see cref="Settings.Covers"/>), a method that the governor alone has switched off stays on for those
    /// who call it: the slow way in notes that the root has called it, and records nothing. Then it is hidden, off for all callers, until
    /// another root begins. None is hidden while roots of several threads are open, as calls of all of them look at the same byte.
    /// </summary>
    internal static class FirstCalls
    {
        private static SpinLock gate;

        // Threads that had roots open when one was opened last, and the only one of them; null: there are several.
        private static ThreadTree[] within;
        private static int withinCount;
        private static volatile ThreadTree only;

        // What is hidden.
        private static int[] hidden;
        private static int hiddenCount;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>The thread's top frame, which has just been opened, is one of a root or a later slice of an async call.</summary>
        internal static void RootOpened(ThreadTree tree, bool another)
        {
            // A root that a root calls is a part of it.
            if (!another && only == tree)
                return;
            using (Gate.Enter())
            {
                Keep(tree);
                for (int i = 0; i < hiddenCount; i++)
                    Switches.Show(hidden[i]);
                hiddenCount = 0;
                // Where no clock ticks the fast way in opens frames of roots, too.
                only = withinCount == 1 && tree.RootsOpen == 1 && Clock.Kind == Clock.Ticking ? tree : null;
            }
        }

        private static void Keep(ThreadTree tree)
        {
            int kept = 0;
            for (int i = 0; i < withinCount; i++)
                if (within[i] != tree && within[i].IsWithinRoot)
                    within[kept++] = within[i];
            if (within == null || kept == within.Length)
                Array.Resize(ref within, kept * 2 + 4);
            within[kept++] = tree;
            for (int i = kept; i < within.Length; i++)
                within[i] = null;
            withinCount = kept;
        }

        /// <summary>The root that is open on the thread is known to have called the method. May throw.</summary>
        internal static void Hide(ThreadTree tree, int id)
        {
            if (only != tree)
                return;
            using (Gate.Enter())
            {
                if (only != tree)
                    return;
                if (hidden == null || hiddenCount == hidden.Length)
                    Array.Resize(ref hidden, hiddenCount * 2 + 64);
                hidden[hiddenCount++] = id;
                Switches.Hide(id);
            }
        }

        /// <summary>What was noted is dropped: all is noted again.</summary>
        internal static void Drop()
        {
            using (Gate.Enter())
            {
                for (int i = 0; i < hiddenCount; i++)
                    Switches.Show(hidden[i]);
                hiddenCount = 0;
            }
        }
    }
}
