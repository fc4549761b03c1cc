// Chosen methods as spans (ilinject --spans=PATTERN): a second ready-made tracker, ILInject.Spans.dll. The contract is the one that
// the profile's tracker has (src/facts/tracker_methods.def); of its groups this one takes those for state machines and for methods
// that the runtime suspends, so nothing is injected for spans that is not injected for profiles.
//
// A call is a System.Diagnostics.Activity of the ActivitySource that bears the assembly's name. Enter starts it below
// Activity.Current, whatever has set that: a caller's span, or a server's under an incoming traceparent. Leave stops it and puts back
// what was current. Without a listener enter asks HasListeners and returns token 0, with which every other call returns at once.
//
// Of an async method, the starter's call starts the span, so that all that its machine awaits nests, and puts back its caller's
// Activity.Current when it returns. The span is over directly before SetResult or SetException. The first slice of the machine finds
// it on the stack of its thread, and leaves it in an AsyncLocal for the later ones: Activity.Current would not do, since the method
// may change it. A call's frames are one thread's, tokens are indexes from 1. Iterators get no spans: what they do happens in between
// the calls of a loop. Where a listener's own code calls a chosen method, that call is none.
//
// No exception leaves the tracker. Without System.Diagnostics.DiagnosticSource no module can register, and no call has a span.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    public static class SpanTracker
    {
        // Mono looks for the types of a method when it compiles it: those of activities stand in methods that these call.
        private static volatile bool on;

        public static int Register(RuntimeTypeHandle helper, int methodCount)
        {
            try
            {
                int first = SpanThread.Register(helper, methodCount);
                on = true;
                return first;
            }
            catch (Exception)
            {
                return 0;
            }
        }

        public static int WhenEnteringMethod(int id)
        {
            try
            {
                return on ? SpanThread.Enter(id) : 0;
            }
            catch (Exception)
            {
                return 0;
            }
        }

        public static void WhenLeavingMethod(int token)
        {
            if (token > 0)
                Leave(token, false);
        }

        public static void WhenLeavingByException(int token)
        {
            if (token > 0)
                Leave(token, true);
        }

        /// <summary>Frames above were left by the exception: methods that cannot be guarded.</summary>
        public static void WhenCatching(object exception, int token)
        {
            if (token > 0)
                Leave(token + 1, true);
        }

        /// <summary>With --exceptions=full: the span learns the type before it ends.</summary>
        public static bool WhenExceptionPasses(object exception, int token)
        {
            try
            {
                if (token > 0)
                    SpanThread.Pass(token, exception);
            }
            catch (Exception)
            {
            }
            return false;
        }

        public static int WhenEnteringStateMachine(int id, int starter)
        {
            try
            {
                return on ? SpanThread.EnterSlice(starter) : 0;
            }
            catch (Exception)
            {
                return 0;
            }
        }

        public static void WhenCompleting(int token)
        {
            if (token > 0)
                EndCall(token, null);
        }

        public static void WhenFailing(object exception, int token)
        {
            if (token > 0)
                EndCall(token, exception);
        }

        public static object WhenEnteringAsync(int id)
        {
            try
            {
                return on ? SpanThread.EnterSuspended(id) : null;
            }
            catch (Exception)
            {
                return null;
            }
        }

        public static void WhenLeavingAsync(object call)
        {
            if (call != null)
                EndSuspended(call, false);
        }

        public static void WhenFailingAsync(object call)
        {
            if (call != null)
                EndSuspended(call, true);
        }

        private static void Leave(int token, bool failed)
        {
            try
            {
                SpanThread.Leave(token, failed);
            }
            catch (Exception)
            {
            }
        }

        private static void EndCall(int token, object exception)
        {
            try
            {
                SpanThread.EndCall(token, exception);
            }
            catch (Exception)
            {
            }
        }

        private static void EndSuspended(object call, bool failed)
        {
            try
            {
                SpanThread.EndSuspended((SpanCall)call, failed);
            }
            catch (Exception)
            {
            }
        }
    }

    /// <summary>A call with a span.</summary>
    internal sealed class SpanCall
    {
        internal readonly int Id;

        // Null: a call without a span.
        private readonly Activity span;
        private readonly Activity before;
        private volatile bool ended;
        private string thrown;

        /// <summary>It has started its machine, which ends it.</summary>
        internal bool HasMachine;

        /// <summary>The async call around it, by what flows.</summary>
        internal SpanCall Outer;

        internal SpanCall(int id, Activity span, Activity before)
        {
            Id = id;
            this.span = span;
            this.before = before;
        }

        /// <summary>
        /// Null: the sampler does not want it. Within an async call of the same method there is a call without a span all the same,
        /// so that its machine takes no other's.
        /// </summary>
        internal static SpanCall Start(int id)
        {
            SpanMethod method = SpanMethods.Of(id);
            if (!method.IsCall)
                return null;
            Activity before = Activity.Current, span = null;
            try
            {
                span = method.Source.StartActivity(method.Name, ActivityKind.Internal);
                if (span != null && span.IsAllDataRequested)
                    method.Describe(span);
            }
            catch (Exception)
            {
                // A listener has thrown.
                span = null;
                Activity.Current = before;
            }
            return span != null || Running(id) != null ? new SpanCall(id, span, before) : null;
        }

        /// <summary>The innermost async call of that method that is not over; null: there is none.</summary>
        internal static SpanCall Running(int id)
        {
            SpanCall call = SpanMethods.Flowing.Value;
            while (call != null && (call.Id != id || call.ended))
                call = call.Outer;
            return call;
        }

        /// <summary>Its machine ends it, and finds it by what flows.</summary>
        internal void Flow()
        {
            SpanCall outer = SpanMethods.Flowing.Value;
            while (outer != null && outer.ended)
                outer = outer.Outer;
            HasMachine = true;
            Outer = outer;
            SpanMethods.Flowing.Value = this;
        }

        internal void Pass(object exception)
        {
            thrown = exception.GetType().FullName;
        }

        internal void End(bool failed, object exception)
        {
            bool over = ended || span == null;
            ended = true;
            if (over)
                return;
            if (failed && span.IsAllDataRequested)
            {
                if (exception != null)
                    Pass(exception);
                span.SetStatus(ActivityStatusCode.Error, null);
                if (thrown != null)
                    span.SetTag("error.type", thrown);
            }
            span.Stop();
        }

        /// <summary>What has ended since cannot be current again.</summary>
        internal void PutBack()
        {
            if (Activity.Current != before)
                Activity.Current = before;
            if (Activity.Current != before)
                Activity.Current = null;
        }
    }

    /// <summary>The open frames of a thread.</summary>
    internal sealed class SpanThread
    {
        private const int FirstFrames = 16;

        [ThreadStatic]
        private static SpanThread current;

        private SpanCall[] calls = new SpanCall[FirstFrames];
        private bool[] slices = new bool[FirstFrames];
        private int depth;
        private bool busy;

        private int Push(SpanCall call, bool slice)
        {
            if (++depth >= calls.Length)
            {
                Array.Resize(ref calls, 2 * depth);
                Array.Resize(ref slices, 2 * depth);
            }
            calls[depth] = call;
            slices[depth] = slice;
            return depth;
        }

        private static SpanThread Of()
        {
            SpanThread thread = current;
            if (thread == null)
                current = thread = new SpanThread();
            return thread;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int Register(RuntimeTypeHandle helper, int methodCount)
        {
            return SpanMethods.Add(Type.GetTypeFromHandle(helper), methodCount);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int Enter(int id)
        {
            if (!SpanMethods.Listens(id))
                return 0;
            SpanThread thread = Of();
            SpanCall call = thread.Start(id);
            return call == null ? 0 : thread.Push(call, false);
        }

        /// <summary>The runtime keeps the context of a method that it suspends, so there is nothing to flow.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static SpanCall EnterSuspended(int id)
        {
            return SpanMethods.Listens(id) ? Of().Start(id) : null;
        }

        private SpanCall Start(int id)
        {
            if (busy)
                return null;
            busy = true;
            try
            {
                return SpanCall.Start(id);
            }
            finally
            {
                busy = false;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int EnterSlice(int starter)
        {
            SpanThread thread = current;
            SpanCall call = thread != null && thread.depth > 0 ? thread.calls[thread.depth] : null;
            if (call != null && call.Id == starter && !call.HasMachine)
            {
                call.Flow();
                return thread.Push(call, true);
            }
            call = SpanCall.Running(starter);
            return call == null ? 0 : Of().Push(call, true);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Pass(int token, object exception)
        {
            SpanThread thread = current;
            if (thread != null && token <= thread.depth && exception != null)
                thread.calls[token].Pass(exception);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void Leave(int token, bool failed)
        {
            SpanThread thread = current;
            while (thread != null && token <= thread.depth)
                thread.Close(failed);
        }

        private void Close(bool failed)
        {
            SpanCall call = calls[depth];
            bool slice = slices[depth];
            calls[depth--] = null;
            if (slice)
                return;
            try
            {
                if (!call.HasMachine)
                    End(call, failed, null);
            }
            finally
            {
                call.PutBack();
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void EndCall(int token, object exception)
        {
            SpanThread thread = current;
            if (thread == null || token > thread.depth || !thread.slices[token])
                return;
            thread.End(thread.calls[token], exception != null, exception);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void EndSuspended(SpanCall call, bool failed)
        {
            Of().End(call, failed, null);
        }

        private void End(SpanCall call, bool failed, object exception)
        {
            bool was = busy;
            busy = true;
            try
            {
                call.End(failed, exception);
            }
            finally
            {
                busy = was;
            }
        }
    }
}
