// The contract for captured calls of async methods, which end with their machines (docs/capture.md).
using System;
using System.Diagnostics.CodeAnalysis;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        private const string Builders = "System.Runtime.CompilerServices.", CoreLibrary = "System.Private.CoreLib";

        /// <summary>
        /// At the head of the MoveNext of a machine that a captured method starts; <paramref name="id"/> is that method's. The machine is
        /// null where it is a struct. Returns the call, null when none is seen or it is not known yet.
        /// </summary>
        public static object WhenCallRuns(int id, object machine)
        {
            object call = null;
            try { } finally { call = RunUnbroken(id, machine); }
            return call;
        }

        private static object RunUnbroken(int id, object machine)
        {
            CapturedMethod method = CapturedMethods.Of(id);
            if (method == null)
                return null;
            CapturedCall call = CapturedCall.Take(method, machine);
            if (call != null || machine == null || method.Running == 0)
                return call;
            return FindCall(null, method, machine);
        }

        /// <summary>True if <see cref="WhenCallHasBuilder"/> has to be called. The call is null where it is not known
        /// yet.</summary>
        public static bool WantsBuilder(int id, object call)
        {
            CapturedCall captured = call as CapturedCall;
            CapturedMethod method = captured == null ? CapturedMethods.Of(id) : null;
            if (captured == null ? method == null || method.Running == 0 : !captured.IsUnnamed)
                return false;
            // The box that the builder comes in is the tracker's.
            ThreadTree tree = ThreadTree.Current;
            if (tree != null)
                tree.MarkFigures();
            return true;
        }

        /// <summary>
        /// The builder of a machine that is a struct: at the head of MoveNext, and after its suspension. Returns the call.
        /// </summary>
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "AsyncVoidMethodBuilder", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "AsyncTaskMethodBuilder", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "AsyncTaskMethodBuilder`1", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "AsyncValueTaskMethodBuilder", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "AsyncValueTaskMethodBuilder`1", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "PoolingAsyncValueTaskMethodBuilder", CoreLibrary)]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, Builders + "PoolingAsyncValueTaskMethodBuilder`1", CoreLibrary)]
        public static object WhenCallHasBuilder(int id, object call, object builder)
        {
            CapturedMethod method = CapturedMethods.Of(id);
            object machine = method == null || builder == null ? null : MachineOf(builder);
            return machine == null ? call : FindCall(call as CapturedCall, method, machine);
        }

        private static CapturedCall FindCall(CapturedCall call, CapturedMethod method, object machine)
        {
            CapturedCall found = null;
            try { } finally { found = FindCallUnbroken(call, method, machine); }
            return found;
        }

        private static CapturedCall FindCallUnbroken(CapturedCall call, CapturedMethod method, object machine)
        {
            ThreadTree paused = ThreadTree.PauseFiguresOfThisThread();
            try
            {
                if (call == null)
                    return AwaitedCalls.Of(machine, method);
                AwaitedCalls.Name(call, machine);
            }
            catch (Exception)
            {
                // Out of memory: its end will not be known.
            }
            finally
            {
                if (paused != null)
                    paused.ResumeFigures();
            }
            return call;
        }

        /// <summary>The call is about to be suspended.</summary>
        public static void WhenCallSuspends(object call)
        {
            Tell(call, Suspends, null);
        }

        /// <summary>The machine is about to set its result, which has been handed over.</summary>
        public static void WhenCallCompletes(object call)
        {
            Tell(call, Completes, null);
        }

        /// <summary>The machine is about to set its exception.</summary>
        public static void WhenCallFailsBy(object exception, object call)
        {
            Tell(call, Fails, exception);
        }

        private const int Suspends = 0, Completes = 1, Fails = 2;

        private static void Tell(object call, int what, object exception)
        {
            try { } finally { TellUnbroken(call, what, exception); }
        }

        private static void TellUnbroken(object call, int what, object exception)
        {
            CapturedCall captured = call as CapturedCall;
            if (captured == null)
                return;
            ThreadTree paused = ThreadTree.PauseFiguresOfThisThread();
            try
            {
                if (what == Suspends)
                    captured.Suspend();
                else if (what == Completes)
                    captured.Complete(false);
                else
                    captured.Fail(exception);
            }
            catch (Exception)
            {
                // Out of memory: the call is not kept.
            }
            finally
            {
                if (paused != null)
                    paused.ResumeFigures();
            }
        }
    }
}
