// One call that is seen with its values, from its head to its end.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// It belongs to one thread at a time. Its values are text and numbers at once: nothing of the
    /// program's is held. Objects are used again, so that a call that is not kept leaves nothing to
    /// collect but what reading its fields has made.
    /// </summary>
    internal sealed partial class CapturedCall
    {
        /// <summary>Positions of values that are no parameter's; what parameter i has become stands at BecomesFirst - i.</summary>
        internal const int This = -1, Result = -2, BecomesFirst = -3;

        /// <summary>Room before the values, for what is only known when the call is over.</summary>
        private const int Before = 64;

        [ThreadStatic]
        private static CapturedCall free;

        private CapturedCall next;
        private readonly ByteWriter bytes = new ByteWriter(256);
        private readonly ByteWriter exception = new ByteWriter(16);
        private readonly ByteWriter head = new ByteWriter(64);
        internal readonly ValueWriter Values;
        private CapturedMethod method;
        private int generation, caller, thread, count, valueStart;
        private long start, begun, ended;
        private bool isOver, hasEnded;

        // True if its key has the name of a secret: then the value that it names is not shown.
        private bool hidesValue;

        // The thread's tree while a value is read: what that allocates is the tracker's. Null: it counts no bytes.
        private ThreadTree paused;

        // Its values in the call log's line; null: there is none.
        private LoggedValues logged;

        private CapturedCall()
        {
            Values = new ValueWriter(bytes);
        }

        /// <summary>
        /// Null when nothing can be recorded now. The work from here to the end of a call runs
        /// nothing but the core library's code and the tracker's, which are not instrumented, and
        /// so needs no <see cref="Guard"/>, except for objects and for some clocks.
        /// </summary>
        internal static CapturedCall Begin(CapturedMethod method)
        {
            if (Guard.IsInside || !(Session.IsReady || StartSession()))
                return null;
            try
            {
                CapturedCall call = free;
                if (call == null)
                    call = new CapturedCall();
                else
                    free = call.next;
                call.Open(method);
                return call;
            }
            catch (Exception)
            {
                return null;
            }
        }

        private static bool StartSession()
        {
            if (!Guard.Enter())
                return false;
            try
            {
                return Session.Start();
            }
            catch (Exception)
            {
                return false;
            }
            finally
            {
                Guard.Leave();
            }
        }

        private static long Now()
        {
            return Clock.IsPlain ? Clock.Precise() : GuardedNow();
        }

        private static long GuardedNow()
        {
            bool entered = Guard.Enter();
            try
            {
                return Clock.Now();
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        private void Open(CapturedMethod called)
        {
            next = null;
            method = called;
            if (called.IsAwaited)
                OpenAwaited();
            ThreadTree tree = ThreadTree.Current;
            caller = tree == null ? 0 : tree.Nodes[tree.Frames[tree.Depth].Node].Id;
            thread = Thread.CurrentThread.ManagedThreadId;
            Generation current = Control.Current.Generation;
            generation = current.Number;
            bytes.Count = Before;
            exception.Count = count = 0;
            isOver = hasEnded = hidesValue = false;
            logged = null;
            if (Settings.Log && Features.Log)
                LoggedValues.Expect(this);
            Values.Begin(called.Rule);
            begun = Time();
            start = (Clock.IsShared ? begun : Clock.Shared()) - current.StartTicks;
        }

        internal int MethodId
        {
            get { return method.Id; }
        }

        /// <summary>For the line with which it begins. Null: it is not known yet whether it is to be kept, or there is no room.</summary>
        internal LoggedValues Log()
        {
            CaptureRule rule = method.Rule;
            return rule.OnlyThrows || rule.SlowerNanoseconds != 0 ? null : logged = LoggedValues.Begin(method, bytes.Bytes, Before, bytes.Count - Before, count);
        }

        private void LogEnd(KeptCall call)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.Log == null || Control.OpenState == Control.Stopped)
                return;
            LoggedValues values = LoggedValues.End(call, logged);
            if (values != null && !values.TryEnd(tree))
                values.Release();
        }

        /// <summary>False: the value is not to be read. Else <see cref="EndValue"/> has to follow.</summary>
        internal bool BeginValue(int position)
        {
            if (isOver)
                return false;
            paused = ThreadTree.PauseFiguresOfThisThread();
            valueStart = bytes.Count;
            count++;
            bool wanted = false;
            try
            {
                if (position <= Result)
                    Stop();
                bytes.VarUInt(position >= 0 ? 2L * position : -2L * position - 1);
                wanted = !method.IsMasked(position) && !(hidesValue && method.IsNamedByKey(position));
                Values.Share(method.ValueCount - count + 1);
                if (!wanted)
                    Values.Masked();
            }
            catch (Exception)
            {
                // Out of memory: the value is left out.
                FailValue();
            }
            if (!wanted)
                EndValue(position);
            return wanted;
        }

        /// <summary>A reference, <see cref="BeginValue"/> having said that it is to be read.</summary>
        internal void Any(int position, object value)
        {
            if (position == method.KeyParameter)
                hidesValue = method.Rule.Masks.HideKey(value);
            Values.Any(value);
        }

        /// <summary>The text that was written of the value is taken back.</summary>
        internal void FailValue()
        {
            bytes.Count = valueStart;
            count--;
        }

        internal void EndValue(int position)
        {
            if (position == method.LastBefore)
                begun = Time();
            if (paused != null)
                paused.ResumeFigures();
        }

        /// <summary>Stops the call's time, once.</summary>
        private void Stop()
        {
            if (hasEnded)
                return;
            ended = Time();
            hasEnded = true;
        }

        internal void SeeException(object thrown)
        {
            try { } finally { SeeUnbroken(thrown); }
        }

        private void SeeUnbroken(object thrown)
        {
            if (isOver || !Guard.Enter())
                return;
            try
            {
                isCancelled = IsCancellation(thrown);
                exception.Count = 0;
                new ValueWriter(exception).Exception(thrown, method.Rule);
            }
            catch (Exception)
            {
                exception.Count = 0;
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>
        /// Ends the method's own code, and with it the call, unless it is an async one with a machine that goes on.
        /// </summary>
        internal void End(bool byException)
        {
            try
            {
                if (method.IsAwaited && EndFirstPart(byException))
                    return;
                if (isOver)
                    return;
                Stop();
                isOver = true;
                Finish(byException ? Thrown | CancelledBy : IsLeftToMachine ? NotFollowed : 0);
            }
            catch (Exception)
            {
                // Out of memory: the call is not kept.
            }
        }

        /// <summary>Keeps the call if it is to be kept. Unless it was suspended, nothing else refers to it.</summary>
        private void Finish(int flags)
        {
            bool wanted = IsWanted((flags & Thrown) != 0, ended);
            if (wasSuspended)
                FinishSuspended(wanted, flags);
            else if (wanted)
                Keep(flags);
            logged = null;
            if (LoggedValues.Any)
                LoggedValues.Forget(this);
            if (wasSuspended)
                return;
            next = free;
            free = this;
        }

        private bool IsWanted(bool byException, long end)
        {
            CaptureRule rule = method.Rule;
            if (rule.OnlyThrows && !byException)
                return false;
            return rule.SlowerNanoseconds == 0 ||
                   (double)(end - begun) * 1e9 > (double)rule.SlowerNanoseconds * CaptureClock.TicksPerSecond();
        }

        private void PutHead(ByteWriter output, long ticks, int flags, int values)
        {
            output.VarUInt(method.Id);
            output.VarUInt(thread);
            output.VarUInt(Math.Max(start, 0));
            output.VarUInt(Math.Max(ticks, 0));
            output.VarUInt(flags);
            output.VarUInt(caller);
            output.VarUInt(values);
        }

        private void Keep(int flags)
        {
            bool byException = (flags & Thrown) != 0;
            head.Count = 0;
            PutHead(head, ended - begun, method.IsAwaited ? flags | Awaited : flags, count);
            if (byException && exception.Count != 0)
                bytes.Raw(exception.Bytes, exception.Count);
            else if (byException)
                Values.Null();
            if (method.IsAwaited)
                bytes.VarUInt(Math.Max(isTaken || wasSuspended ? firstPart : ended - begun, 0));
            int from = Before - head.Count, size = bytes.Count - from;
            for (int i = 0; i < head.Count; i++)
                bytes.Bytes[from + i] = head.Bytes[i];
            method.Rule.Keep(bytes.Bytes, from, size, generation);
            if (!LoggedValues.Any)
                return;
            byte[] copy = new byte[size];
            Buffer.BlockCopy(bytes.Bytes, from, copy, 0, size);
            LogEnd(new KeptCall(method, copy, generation));
        }
    }

    /// <summary>How many ticks a second has, asked once: with some clocks that takes milliseconds.</summary>
    internal static class CaptureClock
    {
        private static long ticksPerSecond;

        internal static long TicksPerSecond()
        {
            if (ticksPerSecond == 0)
                ticksPerSecond = Clock.TicksPerSecond;
            return ticksPerSecond;
        }
    }
}
