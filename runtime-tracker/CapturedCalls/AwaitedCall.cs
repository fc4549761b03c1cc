// Captured calls of async methods, which end when what they give back is complete.
using System;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Such a call has two parts that may run on two threads at a time: that of the method which starts the machine, up
    /// to its return, and that of the machine. The one that ends last keeps the call. Values are written by the
    /// machine's present slice alone: slices follow one another. A slice that goes on before the first one's thread has
    /// named the call's machine writes into a stand-in.
    /// </summary>
    internal sealed partial class CapturedCall
    {
        /// <summary>The memory that a call takes beside its values.</summary>
        private const int ObjectBytes = 1024;

        /// <summary>
        /// The newest call of this thread that waits for its machine to run; outer: that of a caller.
        /// </summary>
        [ThreadStatic]
        private static CapturedCall starting;

        private CapturedCall outer;
        private int parts, endFlags, counted;

        /// <summary>From the call to the return to its caller.</summary>
        private long firstPart;
        private bool isTaken, isUnnamed, isStandIn, isCancelled;
        private volatile bool wasSuspended, isDropped;

        /// <summary>In the first slice: the machine, where it is an object.</summary>
        private object machine;

        /// <summary>In a stand-in: the call that it stands for, once that is known.</summary>
        private CapturedCall original;

        // In the list of calls that go on, under the rule's lock.
        internal CapturedCall Earlier, Later;
        internal bool IsOpen;
        private int openCount, openEnd;

        // In the table of machines, under its lock.
        internal WeakReference Key;
        internal int Hash;
        internal CapturedCall NextOfTable;

        /// <summary>Async calls go from thread to thread: their times are on the line that all threads share.</summary>
        private long Time()
        {
            return Clock.IsShared || !method.IsAwaited ? Now() : Clock.Shared();
        }

        private static bool IsCancellation(object thrown)
        {
            return thrown is OperationCanceledException;
        }

        private int CancelledBy
        {
            get { return method.IsAwaited && isCancelled ? Cancelled : 0; }
        }

        /// <summary>True if only a machine would have had the result, and none was seen.</summary>
        private bool IsLeftToMachine
        {
            get { return (method.Flags & CapturedMethod.AwaitedByMachine) != 0; }
        }

        internal CapturedMethod Method
        {
            get { return method; }
        }

        /// <summary>True if it stands for a call that is not known yet.</summary>
        internal bool IsStandIn
        {
            get { return isStandIn; }
        }

        private void OpenAwaited()
        {
            parts = endFlags = counted = 0;
            firstPart = 0;
            isTaken = isUnnamed = isStandIn = isCancelled = false;
            wasSuspended = isDropped = false;
            machine = null;
            outer = null;
            if ((method.Flags & CapturedMethod.AwaitedByMachine) == 0)
                return;
            outer = starting;
            starting = this;
        }

        // ---- The machine -------------------------------------------------------------------------------------------

        /// <summary>
        /// Returns the call with its first slice beginning on this thread, the one that its starter has begun; else
        /// null.
        /// </summary>
        internal static CapturedCall Take(CapturedMethod method, object machine)
        {
            CapturedCall call = starting;
            if (call == null || call.method != method)
                return null;
            starting = call.outer;
            call.outer = null;
            call.isTaken = true;
            call.machine = machine;
            call.counted = 1;
            Interlocked.Increment(ref method.Running);
            if (machine == null)
            {
                call.isUnnamed = true;
                Interlocked.Increment(ref method.Unnamed);
            }
            return call;
        }

        /// <summary>Makes the stand-in for a call that only a later slice is known of.</summary>
        internal static CapturedCall StandInFor(CapturedMethod method)
        {
            CapturedCall call = new CapturedCall();
            call.method = method;
            call.OpenAwaited();
            starting = call.outer;
            call.outer = null;
            call.isStandIn = call.isTaken = call.wasSuspended = true;
            // Its key was not read.
            call.hidesValue = method.KeyParameter >= 0;
            call.bytes.Count = Before;
            call.Values.Begin(method.Rule);
            return call;
        }

        /// <summary>True in the first slice of a call without a known machine.</summary>
        internal bool IsUnnamed
        {
            get { return isUnnamed && !isOver; }
        }

        /// <summary>The slice is about to be suspended. It may go on elsewhere at once.</summary>
        internal void Suspend()
        {
            if (isOver || wasSuspended)
                return;
            object known = machine;
            if (known != null)
            {
                machine = null;
                AwaitedCalls.Name(this, known);
            }
            else if ((method.Flags & CapturedMethod.AwaitedByRuntime) != 0)
            {
                firstPart = Time() - begun;
                Named();
                method.Rule.AddOpen(this);
            }
        }

        /// <summary>It is known by its machine from now on, and goes on on any thread.</summary>
        internal void Named()
        {
            openCount = count;
            openEnd = bytes.Count;
            wasSuspended = true;
            if (!isUnnamed)
                return;
            isUnnamed = false;
            Interlocked.Add(ref method.Unnamed, -1);
        }

        /// <summary>
        /// The machine is about to set its result or its exception, which has been handed over.
        /// </summary>
        internal void Complete(bool byException)
        {
            if (isOver)
                return;
            Stop();
            int flags = byException ? Thrown | CancelledBy : 0;
            if (isStandIn)
            {
                AwaitedCalls.EndStandIn(this, flags);
                return;
            }
            EndBy(flags);
            AwaitedCalls.Forget(this);
            EndMachine();
        }

        /// <summary>The exception with which the machine ends.</summary>
        internal void Fail(object thrown)
        {
            if (isOver)
                return;
            Stop();
            if ((method.Flags & CapturedMethod.Exceptions) != 0)
                SeeException(thrown);
            isCancelled = IsCancellation(thrown);
            Complete(true);
        }

        /// <summary>It is over, and how it ended is known. For stand-ins under the table's lock.</summary>
        internal void EndBy(int flags)
        {
            endFlags = flags;
            isOver = true;
        }

        private void EndMachine()
        {
            machine = null;
            CountOut();
            if (isUnnamed)
            {
                isUnnamed = false;
                Interlocked.Add(ref method.Unnamed, -1);
            }
            EndPart();
        }

        private void CountOut()
        {
            if (Interlocked.Exchange(ref counted, 0) != 0)
                Interlocked.Add(ref method.Running, -1);
        }

        private void EndPart()
        {
            if (Interlocked.Increment(ref parts) == 2)
                Finish(endFlags);
        }

        /// <summary>A stand-in has turned out to be this call. Under the table's lock.</summary>
        internal void Adopt(CapturedCall standIn)
        {
            standIn.original = this;
            Named();
        }

        /// <summary>The call that a stand-in stands for; null: not known yet.</summary>
        internal CapturedCall Original
        {
            get { return original; }
        }

        internal bool IsOver
        {
            get { return isOver; }
        }

        /// <summary>The stand-in has ended, and so has the call.</summary>
        internal void TakeEnd(CapturedCall standIn)
        {
            if (isOver)
                return;
            hasEnded = true;
            ended = standIn.ended;
            EndBy(standIn.endFlags);
            int size = standIn.bytes.Count - Before;
            byte[] values = new byte[size];
            Buffer.BlockCopy(standIn.bytes.Bytes, Before, values, 0, size);
            bytes.Raw(values);
            count += standIn.count;
            exception.Count = 0;
            exception.Raw(standIn.exception.Bytes, standIn.exception.Count);
            EndMachine();
        }

        // ---- The method that starts it -----------------------------------------------------------------------------

        /// <summary>The method that starts the machine is over. False: there was no machine, and the call is over, too.</summary>
        private bool EndFirstPart(bool byException)
        {
            if ((method.Flags & CapturedMethod.AwaitedByMachine) == 0)
                return false;
            for (CapturedCall call = starting; call != null; call = call.outer)
                if (call == this)
                    starting = outer;
            outer = null;
            if (!isTaken)
                return false;
            firstPart = Time() - begun;
            if (!isOver && byException)
                Complete(true);
            else if (!isOver && isUnnamed && !wasSuspended)
            {
                // It was suspended, and its builder does not say by what it would be known again.
                ended = begun + firstPart;
                hasEnded = true;
                EndBy(NotFollowed);
                EndMachine();
            }
            else if (!isOver)
                method.Rule.AddOpen(this);
            EndPart();
            return true;
        }

        internal int OpenBytes
        {
            get { return openEnd + ObjectBytes; }
        }

        /// <summary>There is no room for it any more. Under the rule's lock.</summary>
        internal void Drop()
        {
            isDropped = true;
            CountOut();
            AwaitedCalls.Forget(this);
        }

        private void FinishSuspended(bool wanted, int flags)
        {
            using (method.Rule.Hold())
            {
                method.Rule.RemoveOpen(this);
                if (wanted && !isDropped)
                    Keep(flags);
            }
        }

        // ---- While it goes on --------------------------------------------------------------------------------------

        /// <summary>True if it would be kept if it ended now, by itself.</summary>
        internal bool WouldBeKept
        {
            get { return IsWanted(false, Time()); }
        }

        /// <summary>The call as far as it is known while it goes on.</summary>
        internal KeptCall Unended()
        {
            ByteWriter output = new ByteWriter(openEnd);
            PutHead(output, Time() - begun, Awaited | NotEnded, openCount);
            byte[] values = new byte[openEnd - Before];
            Buffer.BlockCopy(bytes.Bytes, Before, values, 0, values.Length);
            output.Raw(values);
            output.VarUInt(Math.Max(firstPart, 0));
            return new KeptCall(method, output.Copy(), generation);
        }
    }
}
