// The part of the contract for async methods without a state machine, which the runtime suspends (MethodImpl 0x2000).
using System;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Opens a frame for a call's first slice. Returns the call, which the other methods want, on whatever thread; null when
        /// nothing was recorded.
        /// </summary>
        public static object WhenEnteringAsync(int id)
        {
            int token = WhenEnteringMethod(id);
            if (token <= 0)
                return null;
            ThreadTree tree = ThreadTree.Current;
            tree.KeepStep(token);
            AsyncThread thread = AsyncThread.Of(tree);
            AsyncRun run = thread == null ? null : thread.NewRun(id, false);
            return run != null && thread.Enter(token, run, false) ? run : EnterAsyncSlowly(tree, token, id, run);
        }

        private static AsyncRun EnterAsyncSlowly(ThreadTree tree, int token, int id, AsyncRun run)
        {
            if (!Guard.Enter())
                return null;
            try
            {
                if (tree.Async == null)
                    tree.Async = new AsyncThread(tree);
                if (run == null)
                    run = AsyncThread.Of(tree).NewRun(id, true);
                AsyncThread.Of(tree).Enter(token, run, true);
                return run;
            }
            catch (Exception)
            {
                // Out of memory: the frame stays a plain one, which is closed when an outer one leaves.
                return null;
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>The call is about to await what is not there yet: ends the slice, and closes its frame.</summary>
        public static void WhenAwaiting(object call)
        {
            EndRun(call, AsyncFigures.Suspension);
        }

        /// <summary>The awaited value is there. If the call was suspended, opens a frame for its next slice, on this thread.</summary>
        public static void WhenResuming(object call)
        {
            AsyncRun run = call as AsyncRun;
            if (run == null || run.Token != 0)
                return;
            int token = WhenEnteringMethod(run.Id);
            if (token > 0)
                EnterAsyncSlowly(ThreadTree.Current, token, run.Id, run);
        }

        /// <summary>The call is about to return.</summary>
        public static void WhenLeavingAsync(object call)
        {
            EndRun(call, AsyncFigures.Completion);
        }

        /// <summary>An exception leaves the call. It may come right out of what was awaited: then this is a slice of its own.</summary>
        public static void WhenFailingAsync(object call)
        {
            AsyncRun run = call as AsyncRun;
            if (run != null && run.Call != null)
                WhenResuming(run);
            EndRun(call, AsyncFigures.Failure);
        }

        private static void EndRun(object call, int end)
        {
            AsyncRun run = call as AsyncRun;
            ThreadTree tree = ThreadTree.Current;
            if (run == null || tree == null || run.Thread == null || run.Thread != tree.Async)
                return;
            int token = run.Token;
            EndSlice(token, end);
            if (end == AsyncFigures.Suspension)
                SuspendRun(AsyncThread.Of(tree), run);
            else
                AsyncThread.Of(tree).Release(run);
            if (end == AsyncFigures.Failure)
                WhenLeavingByException(token);
            else
                WhenLeavingMethod(token);
        }

        private static void SuspendRun(AsyncThread thread, AsyncRun run)
        {
            if (!Guard.Enter())
                return;
            try
            {
                run.Call = thread.CallOfToken(run.Token);
                run.Thread = null;
                run.Token = 0;
            }
            catch (Exception)
            {
                // Out of memory: the call goes on as if it had not been suspended.
            }
            finally
            {
                Guard.Leave();
            }
        }
    }
}
