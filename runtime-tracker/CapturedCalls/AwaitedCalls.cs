// Which captured call a machine runs for. The table keeps no machine alive.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>Suspended calls by what identifies them, and stand-ins for those without a known identity.</summary>
    internal static class AwaitedCalls
    {
        private static SpinLock gate;
        private static CapturedCall[] slots;
        private static int count;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>The call has this machine from now on. It may have run on, and even ended, meanwhile.</summary>
        internal static void Name(CapturedCall call, object machine)
        {
            int hash = RuntimeHelpers.GetHashCode(machine);
            CapturedCall standIn;
            bool isOver;
            using (Gate.Enter())
            {
                standIn = Find(machine, hash);
                if (standIn != null)
                    Remove(standIn);
                if (standIn != null && !standIn.IsStandIn)
                    standIn = null;
                if (standIn == null)
                    call.Named();
                else
                    call.Adopt(standIn);
                isOver = standIn != null && standIn.IsOver;
                if (!isOver)
                    Add(call, machine, hash);
            }
            if (isOver)
                call.TakeEnd(standIn);
        }

        /// <summary>The call of the method that this machine runs for. Null: none is seen.</summary>
        internal static CapturedCall Of(object machine, CapturedMethod method)
        {
            int hash = RuntimeHelpers.GetHashCode(machine);
            using (Gate.Enter())
            {
                CapturedCall call = Find(machine, hash);
                if (call == null && method.Unnamed > 0)
                    Add(call = CapturedCall.StandInFor(method), machine, hash);
                return call != null && call.Method == method ? call : null;
            }
        }

        /// <summary>This or <see cref="Name"/>, the last of the two to hold the lock, hands the end to the call.</summary>
        internal static void EndStandIn(CapturedCall standIn, int flags)
        {
            CapturedCall original;
            using (Gate.Enter())
            {
                standIn.EndBy(flags);
                original = standIn.Original;
            }
            if (original == null)
                return;
            Forget(original);
            original.TakeEnd(standIn);
        }

        internal static void Forget(CapturedCall call)
        {
            using (Gate.Enter())
                Remove(call);
        }

        // ---- Under the lock ----------------------------------------------------------------------------------------

        private static int SlotOf(int hash)
        {
            return hash & (slots.Length - 1);
        }

        private static CapturedCall Find(object machine, int hash)
        {
            CapturedCall call = slots == null ? null : slots[SlotOf(hash)];
            while (call != null && (call.Hash != hash || call.Key.Target != machine))
                call = call.NextOfTable;
            return call;
        }

        private static void Add(CapturedCall call, object machine, int hash)
        {
            if (slots == null)
                slots = new CapturedCall[64];
            else if (count >= slots.Length)
                MakeRoom();
            call.Key = new WeakReference(machine);
            call.Hash = hash;
            call.NextOfTable = slots[SlotOf(hash)];
            slots[SlotOf(hash)] = call;
            count++;
        }

        private static void Remove(CapturedCall call)
        {
            if (call.Key == null)
                return;
            CapturedCall before = null;
            for (CapturedCall at = slots[SlotOf(call.Hash)]; at != null; before = at, at = at.NextOfTable)
            {
                if (at != call)
                    continue;
                if (before == null)
                    slots[SlotOf(call.Hash)] = call.NextOfTable;
                else
                    before.NextOfTable = call.NextOfTable;
                call.Key = null;
                call.NextOfTable = null;
                count--;
                return;
            }
        }

        /// <summary>Drops the calls without a living machine; grows if these were few.</summary>
        private static void MakeRoom()
        {
            CapturedCall kept = null;
            foreach (CapturedCall slot in slots)
                for (CapturedCall call = slot, next; call != null; call = next)
                {
                    next = call.NextOfTable;
                    if (call.Key.Target == null)
                    {
                        call.Key = null;
                        call.NextOfTable = null;
                        count--;
                        continue;
                    }
                    call.NextOfTable = kept;
                    kept = call;
                }
            slots = new CapturedCall[count > slots.Length / 2 ? slots.Length * 2 : slots.Length];
            for (CapturedCall call = kept, next; call != null; call = next)
            {
                next = call.NextOfTable;
                call.NextOfTable = slots[SlotOf(call.Hash)];
                slots[SlotOf(call.Hash)] = call;
            }
        }
    }
}
