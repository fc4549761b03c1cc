// The part of the contract for the events of async methods.
using System;
using System.Diagnostics.CodeAnalysis;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Takes the place of <see cref="WhenEnteringMethod"/> in MoveNext of an async state machine. <paramref name="starter"/>
        /// is the global id of the method that starts the machine: directly below it runs a call's first slice, elsewhere a later one.
        /// </summary>
        public static int WhenEnteringStateMachine(int id, int starter)
        {
            int token = 0;
            try { } finally { token = EnterStateMachineUnbroken(id, starter); }
            return token;
        }

        private static int EnterStateMachineUnbroken(int id, int starter)
        {
            int token = WhenEnteringMethod(id);
            if (token > 0)
            {
                ThreadTree tree = ThreadTree.Current;
                AsyncThread thread = AsyncThread.Of(tree);
                tree.KeepStep(token);
                if (thread == null || !thread.Enter(token, starter, false))
                    EnterStateMachineSlowly(tree, token, starter);
            }
            return token;
        }

        private static void EnterStateMachineSlowly(ThreadTree tree, int token, int starter)
        {
            if (!Guard.Enter())
                return;
            try
            {
                if (tree.Async == null)
                    tree.Async = new AsyncThread(tree);
                AsyncThread.Of(tree).Enter(token, starter, true);
            }
            catch (Exception)
            {
                // Out of memory: the frame stays a plain one.
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>
        /// Shall <see cref="WhenIdentified"/> be called for this frame? In a later slice, as long as its call is not known; in a first
        /// one after its suspension.
        /// </summary>
        public static bool WantsIdentity(int token)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.Async == null || !AsyncThread.Of(tree).WantsIdentity(token))
                return false;
            // To get the identity may allocate, which is the tracker's.
            tree.MarkFigures();
            return true;
        }

        /// <summary>Says which call the slice belongs to: its state machine, if that is an object, else its builder's task.</summary>
        public static void WhenIdentified(object identity, int token)
        {
            try { } finally { IdentifyUnbroken(identity, token); }
        }

        private static void IdentifyUnbroken(object identity, int token)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null)
                tree.SkipFigures();
            if (tree == null || tree.Async == null || identity == null || AsyncThread.Of(tree).KeepsIdentity(identity, token) || !Guard.Enter())
                return;
            try
            {
                AsyncThread.Of(tree).Identify(identity, token);
            }
            catch (Exception)
            {
                // Out of memory: the slice counts as one of an unknown call.
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>
        /// The same for a machine that is a struct, without a task that it can be asked for: its builder, which holds
        /// the call's object.
        /// </summary>
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "AsyncVoidMethodBuilder", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "AsyncTaskMethodBuilder", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "PoolingAsyncValueTaskMethodBuilder", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "PoolingAsyncValueTaskMethodBuilder`1", CoreLibrary)]
        public static void WhenBuilderIdentifies(object builder, int token)
        {
            object identity = builder == null ? null : MachineOf(builder);
            if (identity != null)
                WhenIdentified(identity, token);
        }

        /// <summary>The object that is one call's alone, by what its builder keeps; null when none is found.</summary>
        private static object MachineOf(object builder)
        {
            object machine = null;
            try { } finally { machine = MachineUnbroken(builder); }
            return machine;
        }

        private static object MachineUnbroken(object builder)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null)
                tree.SkipFigures();
            if (!Guard.Enter())
                return null;
            try
            {
                return BuilderMachine.Of(builder);
            }
            catch (Exception)
            {
                // A host that forbids reading private fields.
                return null;
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>The slice is about to hand over its continuation, which may run before this thread does anything else.</summary>
        public static void WhenSuspending(int token)
        {
            EndSlice(token, AsyncFigures.Suspension);
        }

        /// <summary>The call is about to set its result.</summary>
        public static void WhenCompleting(int token)
        {
            EndSlice(token, AsyncFigures.Completion);
        }

        /// <summary>The call is about to set its exception. That of a cancellation counts as such.</summary>
        public static void WhenFailing(object exception, int token)
        {
            TellFlights(ExceptionInFlightEvent.Storing, exception, token);
            EndSlice(token, exception is OperationCanceledException ? AsyncFigures.Cancellation : AsyncFigures.Failure);
        }

        /// <summary>
        /// At the head of a handler that only puts the exception by: a finally block that awaits runs after it, and then throws the
        /// exception again.
        /// </summary>
        public static void WhenHolding(object exception, int token)
        {
            ThreadTree tree = ThreadTree.Current;
            TellFlights(ExceptionInFlightEvent.Holding, exception, tree == null ? 0 : tree.WithScopes(token));
        }

        private static void EndSlice(int token, int end)
        {
            try { } finally { EndSliceUnbroken(token, end); }
        }

        private static void EndSliceUnbroken(int token, int end)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.Async == null)
                return;
            if (!AsyncThread.Of(tree).EndSlice(token, end, false))
                EndSliceSlowly(tree, token, end);
            if (end != AsyncFigures.Suspension)
                Schedule.WhenCallEnds(tree, token);
        }

        private static void EndSliceSlowly(ThreadTree tree, int token, int end)
        {
            if (!Guard.Enter())
                return;
            try
            {
                AsyncThread.Of(tree).EndSlice(token, end, true);
            }
            catch (Exception)
            {
                // Out of memory: the slice is not counted.
            }
            finally
            {
                Guard.Leave();
            }
        }
    }
}
