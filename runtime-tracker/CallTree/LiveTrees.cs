// The trees of the threads that live, as a profile is to show them.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>
    /// A thread that has not noticed the last reset has nothing to show but the frames that are open: these are copied. Each
    /// thread goes on meanwhile; <see cref="HaveBegunAnew"/> says whether one has begun again, so that it may have been read half
    /// before and half behind.
    /// </summary>
    internal sealed class LiveTrees : IDisposable
    {
        internal readonly List<ThreadTree> All = new List<ThreadTree>();

        private readonly ThreadTree[] threads;
        private readonly Phase phase;
        private readonly Generation[] generations;
        private readonly List<ThreadTree> copies = new List<ThreadTree>();

        internal LiveTrees(ThreadTree[] threads, Phase phase)
        {
            this.threads = threads;
            this.phase = phase;
            generations = new Generation[threads.Length];
            for (int i = 0; i < threads.Length; i++)
            {
                generations[i] = threads[i].Generation;
                if (generations[i] == phase.Generation)
                    All.Add(threads[i]);
                else if (threads[i].Depth > 0)
                    Copy(threads[i]);
            }
        }

        private void Copy(ThreadTree thread)
        {
            ThreadTree copy = thread.AsAfterReset(phase);
            copies.Add(copy);
            All.Add(copy);
        }

        internal bool HaveBegunAnew()
        {
            for (int i = 0; i < threads.Length; i++)
                if (threads[i].Generation != generations[i] || (generations[i] != phase.Generation && (threads[i].Moves & 1) != 0))
                    return true;
            return Control.Current.Generation != phase.Generation;
        }

        /// <summary>The copies are no longer used.</summary>
        public void Dispose()
        {
            foreach (ThreadTree copy in copies)
                copy.Release();
        }
    }
}
