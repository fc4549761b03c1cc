// The values of captured calls on their way to the call log.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// The values in a line of the call log: the arguments where a call begins, the rest where it
    /// ends. Written by the call's thread, read by who drains; what waits is taken from the same
    /// budget as the calls themselves.
    /// </summary>
    internal sealed class LoggedValues
    {
        /// <summary>How many bytes the budget counts as one call, and what the object itself takes beside its bytes.</summary>
        private const int UnitBytes = 16, Overhead = 80;

        [ThreadStatic]
        private static CapturedCall entering;

        private static bool any;
        private static int left;

        /// <summary>The next one of the stream.</summary>
        internal volatile LoggedValues Next;

        internal readonly CapturedMethod Method;

        /// <summary>Where the call begins, <see cref="Count"/> values; where it ends, all of it as the section CALL has it.</summary>
        internal byte[] Bytes;
        internal readonly int Count;
        internal readonly bool IsEnd;

        /// <summary>Where it ends: what its first line had; null when it had none.</summary>
        internal readonly LoggedValues Begun;

        /// <summary>The call's number, once its line is written.</summary>
        internal long Number;

        private readonly int units;

        /// <summary>The head of a stream's list.</summary>
        internal LoggedValues()
        {
        }

        private LoggedValues(CapturedMethod method, byte[] bytes, int count, int units)
        {
            Method = method;
            Bytes = bytes;
            Count = count;
            this.units = units;
        }

        private LoggedValues(CapturedMethod method, byte[] bytes, LoggedValues begun, int units) : this(method, bytes, 0, units)
        {
            IsEnd = true;
            Begun = begun;
        }

        /// <summary>True if any call has been captured while there is a log.</summary>
        internal static bool Any
        {
            get { return any; }
        }

        /// <summary>How many lines are without their values, as there was no room.</summary>
        internal static int Left
        {
            get { return left; }
        }

        /// <summary>The call's next step is that the tracker sees its method begin.</summary>
        internal static void Expect(CapturedCall call)
        {
            any = true;
            entering = call;
        }

        /// <summary>The call is over; if its method has never begun, its values are not awaited any more.</summary>
        internal static void Forget(CapturedCall call)
        {
            if (ReferenceEquals(entering, call))
                entering = null;
        }

        /// <summary>The values of the call that begins now on this thread; null: there are none.</summary>
        internal static LoggedValues OfBeginning(int id)
        {
            CapturedCall call = entering;
            if (call == null || call.MethodId != id)
                return null;
            entering = null;
            bool entered = Guard.Enter();
            try
            {
                return call.Log();
            }
            catch (Exception)
            {
                // Out of memory.
                return null;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>Null when too much waits.</summary>
        internal static LoggedValues Begin(CapturedMethod method, byte[] bytes, int start, int size, int count)
        {
            int units = TryTake(size);
            if (units == 0)
                return null;
            byte[] copy = new byte[size];
            Buffer.BlockCopy(bytes, start, copy, 0, size);
            return new LoggedValues(method, copy, count, units);
        }

        /// <summary>Null when too much waits.</summary>
        internal static LoggedValues End(KeptCall call, LoggedValues begun)
        {
            int units = TryTake(call.Bytes.Length);
            return units == 0 ? null : new LoggedValues(call.Method, call.Bytes, begun, units);
        }

        /// <summary>The call that has begun with those values ends on this thread. False: its line has no room.</summary>
        internal bool TryEnd(ThreadTree tree)
        {
            return ((LogStream)tree.Log).TryAddEnd(this, tree.Depth);
        }

        private static int TryTake(int bytes)
        {
            int units = (bytes + Overhead) / UnitBytes;
            if (CallLog.HasRoom(false) && CallLog.TryTake(units))
                return units;
            Interlocked.Increment(ref left);
            return 0;
        }

        /// <summary>They are written, or will not be.</summary>
        internal void Release()
        {
            Bytes = null;
            CallLog.Return(units);
        }
    }
}
