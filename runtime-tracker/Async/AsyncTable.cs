// Which call an identity belongs to. The table keeps no identity alive: a call that never ends goes when its task does.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Suspended calls by what identifies them: the state machine object or the task. Split into parts, each a lock of its own.
    /// ConditionalWeakTable would do, but the oldest core libraries lack it, and taking a call out of it costs them more.
    /// </summary>
    internal static class AsyncTable
    {
        private const int PartCount = 32;

        private static AsyncTablePart[] parts;

        private static AsyncTablePart PartOf(int hash)
        {
            if (parts == null)
            {
                AsyncTablePart[] made = new AsyncTablePart[PartCount];
                for (int i = 0; i < made.Length; i++)
                    made[i] = new AsyncTablePart();
                Interlocked.CompareExchange(ref parts, made, null);
            }
            return parts[hash & (PartCount - 1)];
        }

        /// <summary>The call with this identity; null when there is none.</summary>
        internal static AsyncCall Find(object identity)
        {
            int hash = RuntimeHelpers.GetHashCode(identity);
            AsyncTablePart part = PartOf(hash);
            using (part.Enter())
                return part.Find(identity, hash);
        }

        /// <summary>
        /// Returns the call with this identity; if there is none, adds <paramref name="call"/>. Calls without a living
        /// identity may be dropped on this occasion: those among them that wait for their place are returned in
        /// <paramref name="lost"/>, linked by <see cref="AsyncCall.Next"/>.
        /// </summary>
        internal static AsyncCall FindOrAdd(object identity, AsyncCall call, out AsyncCall lost)
        {
            int hash = RuntimeHelpers.GetHashCode(identity);
            AsyncTablePart part = PartOf(hash);
            using (part.Enter())
            {
                lost = null;
                AsyncCall known = part.Find(identity, hash);
                if (known != null)
                    return known;
                lost = part.MakeRoom();
                part.Add(identity, hash, call);
                return call;
            }
        }

        /// <summary>Takes a call out, if it is in.</summary>
        internal static void Remove(AsyncCall call)
        {
            if (call.Key == null)
                return;
            AsyncTablePart part = PartOf(call.Hash);
            using (part.Enter())
                part.Remove(call);
        }
    }

    internal sealed class AsyncTablePart : SpinLock
    {
        /// <summary>How many weak references are kept for the next calls: making one is dear, since it has a finalizer.</summary>
        private const int MostSpare = 256;

        private AsyncCall[] slots = new AsyncCall[16];
        private int count;
        private WeakReference[] spare = new WeakReference[MostSpare];
        private int spareCount;

        private int SlotOf(int hash)
        {
            return (hash >> 5) & (slots.Length - 1);
        }

        internal AsyncCall Find(object identity, int hash)
        {
            AsyncCall call = slots[SlotOf(hash)];
            while (call != null && (call.Hash != hash || call.Key.Target != identity))
                call = call.Next;
            return call;
        }

        internal void Add(object identity, int hash, AsyncCall call)
        {
            if (spareCount > 0)
            {
                call.Key = spare[--spareCount];
                call.Key.Target = identity;
            }
            else
                call.Key = new WeakReference(identity);
            call.Hash = hash;
            int slot = SlotOf(hash);
            call.Next = slots[slot];
            slots[slot] = call;
            count++;
        }

        internal void Remove(AsyncCall call)
        {
            int slot = SlotOf(call.Hash);
            AsyncCall before = null;
            for (AsyncCall at = slots[slot]; at != null; before = at, at = at.Next)
            {
                if (at != call)
                    continue;
                if (before == null)
                    slots[slot] = call.Next;
                else
                    before.Next = call.Next;
                Release(call);
                return;
            }
        }

        private void Release(AsyncCall call)
        {
            count--;
            call.Next = null;
            WeakReference key = call.Key;
            call.Key = null;
            if (spareCount < MostSpare)
                spare[spareCount++] = key;
        }

        /// <summary>
        /// When the part is full, drops the calls without a living identity, then grows if these were few.
        /// </summary>
        internal AsyncCall MakeRoom()
        {
            if (count < slots.Length)
                return null;
            AsyncCall[] old = slots;
            AsyncCall kept = null, lost = null;
            for (int i = 0; i < old.Length; i++)
            {
                for (AsyncCall call = old[i], next; call != null; call = next)
                {
                    next = call.Next;
                    if (call.Key.Target != null)
                    {
                        call.Next = kept;
                        kept = call;
                        continue;
                    }
                    Release(call);
                    if (call.Path == null)
                    {
                        call.Next = lost;
                        lost = call;
                    }
                }
            }
            slots = new AsyncCall[count > old.Length / 2 ? old.Length * 2 : old.Length];
            for (AsyncCall call = kept, next; call != null; call = next)
            {
                next = call.Next;
                int slot = SlotOf(call.Hash);
                call.Next = slots[slot];
                slots[slot] = call;
            }
            return lost;
        }
    }
}
