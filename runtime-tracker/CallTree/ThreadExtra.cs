// A thread's record of something besides its calls: async methods, exceptions, single calls, scopes.
namespace Instrumenter
{
    /// <summary>
    /// The base of a record that a part of the tracker above the trees keeps for each thread. The thread itself calls these methods; when
    /// it has ended, <see cref="EndedThreads"/> does. A record overrides those that concern it.
    /// </summary>
    internal abstract class ThreadExtra
    {
        /// <summary>Makes the record of a thread. Null: there is none.</summary>
        internal delegate ThreadExtra Maker(ThreadTree tree);

        /// <summary>A frame was opened at this depth.</summary>
        internal virtual void Open(int id, int depth, long start)
        {
        }

        /// <summary>The frame of the node has closed; times are in ticks of recorded time.</summary>
        internal virtual void Close(int node, long end, long duration)
        {
        }

        /// <summary>The thread has noticed a tick: the node had the time since the one before. Times as of <see cref="Close"/>.</summary>
        internal virtual void Tick(int node, long now, long since)
        {
        }

        /// <summary>A method is about to be entered, or left with this token, while the state says <see cref="TreeState.InFlight"/>.</summary>
        internal virtual void Enter(ThreadTree tree)
        {
        }

        internal virtual void Return(ThreadTree tree, int token)
        {
        }

        /// <summary>The frame with this token leaves, and stood for no method: what waits in it waits in the one below.</summary>
        internal virtual void Lower(int token)
        {
        }

        /// <summary>Forgets what is under way.</summary>
        internal virtual void Forget()
        {
        }

        /// <summary>True if the call of the frame at this depth goes on after the frame has closed.</summary>
        internal virtual bool IsSuspended(int depth)
        {
            return false;
        }

        /// <summary>True if the call of the frame at this depth has awaited something, in this slice or in one before.</summary>
        internal virtual bool HasAwaited(int depth)
        {
            return false;
        }

        /// <summary>Before a thread begins again after a reset: forgets the frames that have left.</summary>
        internal virtual void DropClosed(ThreadTree tree)
        {
        }

        /// <summary>The generation begins in which the frames that are open are about to be opened again.</summary>
        internal virtual void Begin(Generation generation)
        {
        }

        /// <summary>The frames that are open have been opened again; the tree does not have the generation yet.</summary>
        internal virtual void StartAnew(ThreadTree tree, Generation generation)
        {
        }

        /// <summary>The thread has ended: ends what is under way, before the frames that are open close.</summary>
        internal virtual void End()
        {
        }

        /// <summary>The thread has ended while this frame was open.</summary>
        internal virtual void CloseUnended(int node, long start, long end)
        {
        }

        /// <summary>
        /// The thread has ended, and each node's chain leads to the node that it was added to. Adds this record to <paramref name="sum"/>,
        /// the one of all threads that have ended (null: there is none yet), and returns the sum.
        /// </summary>
        internal virtual ThreadExtra AddTo(ThreadExtra sum, ThreadTree tree)
        {
            return sum;
        }

        /// <summary>Calls that were counted with others, for lack of room.</summary>
        internal virtual long FoldedCalls
        {
            get { return 0; }
        }

        /// <summary>
        /// The sections that this record has in a profile whose times count from <paramref name="start"/>; null: none. For any thread.
        /// <paramref name="tree"/> is null for the sum of the threads that have ended. A record whose section has to hold as many frames as
        /// there were when it was copied sets <paramref name="open"/>.
        /// </summary>
        internal virtual ThreadSection Section(ThreadTree tree, long start, ref OpenFrames open)
        {
            return null;
        }

        /// <summary>Gives back its part of the budgets.</summary>
        internal virtual void GiveBack()
        {
        }
    }
}
