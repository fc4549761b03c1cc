// One call that is seen with its values, from its head to its end.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Of one thread at a time. Its values are text and numbers at once: nothing of the program's is held. Objects are used
    /// again, so that a call that is not kept leaves nothing to collect but what reading its fields has made.
    /// </summary>
    internal sealed class CapturedCall
    {
        /// <summary>Positions of values that are no parameter's; what parameter i has become stands at BecomesFirst - i.</summary>
        internal const int This = -1, Result = -2, BecomesFirst = -3;

        private const int Thrown = 1;

        [ThreadStatic]
        private static CapturedCall free;

        private CapturedCall next;
        private readonly ByteWriter bytes = new ByteWriter(256);
        private readonly ByteWriter exception = new ByteWriter(16);
        internal readonly ValueWriter Values;
        private CapturedMethod method;
        private int generation, caller, thread, count, valueStart;
        private long start, begun, ended;
        private bool isOver, hasEnded;

        // What the call log's line of it has; null: there is none.
        private LoggedValues logged;

        private CapturedCall()
        {
            Values = new ValueWriter(bytes);
        }

        /// <summary>Null when nothing can be recorded now.</summary>
        internal static CapturedCall Begin(CapturedMethod method)
        {
            if (!Guard.Enter())
                return null;
            try
            {
                if (!Session.Start())
                    return null;
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
            finally
            {
                Guard.Leave();
            }
        }

        private void Open(CapturedMethod called)
        {
            next = null;
            method = called;
            ThreadTree tree = ThreadTree.Current;
            caller = tree == null ? 0 : tree.Nodes[tree.Frames[tree.Depth].Node].Id;
            thread = Thread.CurrentThread.ManagedThreadId;
            Generation current = Control.Current.Generation;
            generation = current.Number;
            bytes.Count = exception.Count = count = 0;
            isOver = hasEnded = false;
            logged = null;
            if (Settings.Log)
                LoggedValues.Expect(this);
            Values.Begin(called.Rule);
            start = Clock.Shared() - current.StartTicks;
            begun = Clock.Now();
        }

        internal int MethodId
        {
            get { return method.Id; }
        }

        /// <summary>For the line with which it begins. Null: it is not known yet whether it is to be kept, or there is no room.</summary>
        internal LoggedValues Log()
        {
            CaptureRule rule = method.Rule;
            return rule.OnlyThrows || rule.SlowerNanoseconds != 0 ? null : logged = LoggedValues.Begin(method, bytes.Bytes, bytes.Count, count);
        }

        private void LogEnd(KeptCall call)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.Log == null || Control.OpenState == Control.Stopped)
                return;
            LoggedValues values = LoggedValues.End(call, logged);
            if (values != null && !tree.Log.TryAddEnd(values, tree.Depth))
                values.Release();
        }

        internal string NameOf(int position)
        {
            return method.NameOf(position);
        }

        /// <summary>False: the value is not to be read. Else <see cref="EndValue"/> has to follow.</summary>
        internal bool BeginValue(int position)
        {
            if (isOver || !Guard.Enter())
                return false;
            valueStart = bytes.Count;
            count++;
            bool wanted = false;
            try
            {
                if (position <= Result)
                    Stop();
                bytes.VarUInt(position >= 0 ? 2L * position : -2L * position - 1);
                wanted = !method.IsMasked(position);
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

        /// <summary>What was written of the value is taken back.</summary>
        internal void FailValue()
        {
            bytes.Count = valueStart;
            count--;
        }

        internal void EndValue(int position)
        {
            if (position == method.LastBefore)
                begun = Clock.Now();
            Guard.Leave();
        }

        /// <summary>Stops the call's time, once.</summary>
        private void Stop()
        {
            if (hasEnded)
                return;
            ended = Clock.Now();
            hasEnded = true;
        }

        internal void SeeException(object thrown)
        {
            if (isOver || !Guard.Enter())
                return;
            try
            {
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

        internal void End(bool byException)
        {
            if (isOver || !Guard.Enter())
                return;
            try
            {
                Stop();
                isOver = true;
                if (IsWanted(byException))
                {
                    KeptCall call = new KeptCall(method, Whole(byException), generation);
                    method.Rule.Keep(call);
                    if (LoggedValues.Any)
                        LogEnd(call);
                }
                logged = null;
                LoggedValues.Forget(this);
                next = free;
                free = this;
            }
            catch (Exception)
            {
                // Out of memory: the call is not kept.
            }
            finally
            {
                Guard.Leave();
            }
        }

        private bool IsWanted(bool byException)
        {
            CaptureRule rule = method.Rule;
            if (rule.OnlyThrows && !byException)
                return false;
            return rule.SlowerNanoseconds == 0 ||
                   (double)(ended - begun) * 1e9 > (double)rule.SlowerNanoseconds * CaptureClock.TicksPerSecond();
        }

        private byte[] Whole(bool byException)
        {
            ByteWriter whole = new ByteWriter(bytes.Count + exception.Count + 48);
            whole.VarUInt(method.Id);
            whole.VarUInt(thread);
            whole.VarUInt(Math.Max(start, 0));
            whole.VarUInt(Math.Max(ended - begun, 0));
            whole.VarUInt(byException ? Thrown : 0);
            whole.VarUInt(caller);
            whole.VarUInt(count);
            whole.Raw(bytes.Bytes, bytes.Count);
            if (byException)
                if (exception.Count != 0)
                    whole.Raw(exception.Bytes, exception.Count);
                else
                    new ValueWriter(whole).Null();
            byte[] exact = new byte[whole.Count];
            Buffer.BlockCopy(whole.Bytes, 0, exact, 0, whole.Count);
            return exact;
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
