// The kept values of calls that are over.
using System;

namespace Instrumenter
{
    /// <summary>A call that is over, as the section CALL has it.</summary>
    internal sealed class KeptCall
    {
        internal readonly byte[] Bytes;
        internal readonly int Generation;
        internal readonly CapturedMethod Method;

        internal KeptCall(CapturedMethod method, byte[] bytes, int generation)
        {
            Method = method;
            Bytes = bytes;
            Generation = generation;
        }
    }

    /// <summary>
    /// The newest calls, in one array: a ring that has for each its size, its generation, and its bytes, which begin
    /// with its method's id. As objects of their own they were most of what a garbage collector found alive in a
    /// program that makes many calls. One thread uses them at a time.
    /// </summary>
    internal sealed class KeptCalls
    {
        internal const int HeadBytes = 8;

        private const int FirstBytes = 4096;

        private readonly int most;
        private byte[] ring;
        private int first, used;

        internal KeptCalls(int mostBytes)
        {
            most = mostBytes;
        }

        /// <summary>
        /// Adds a call, <paramref name="size"/> bytes, before which HeadBytes are free to be written; returns how many calls had to go, or could not
        /// be kept.
        /// </summary>
        internal int Add(byte[] bytes, int start, int size, int generation)
        {
            int room = size + HeadBytes, dropped = 0;
            if (room > most)
                return 1;
            if (ring == null || room > ring.Length - used)
                Grow(room);
            for (; room > ring.Length - used; dropped++)
                DropFirst();
            PutNumber(bytes, start - 8, size);
            PutNumber(bytes, start - 4, generation);
            int at = Wrapped(first + used), before = Math.Min(room, ring.Length - at);
            Buffer.BlockCopy(bytes, start - HeadBytes, ring, at, before);
            if (before < room)
                Buffer.BlockCopy(bytes, start - HeadBytes + before, ring, 0, room - before);
            used += room;
            return dropped;
        }

        private int Wrapped(int place)
        {
            return place < ring.Length ? place : place - ring.Length;
        }

        /// <summary>Doubles the ring until it has the room, or all that it may have.</summary>
        private void Grow(int room)
        {
            int now = ring == null ? 0 : ring.Length;
            long wanted = Math.Max(now, FirstBytes);
            while (wanted < (long)used + room)
                wanted *= 2;
            int length = (int)Math.Min(wanted, most);
            if (length == now)
                return;
            byte[] larger = new byte[length];
            int from = first;
            if (used != 0)
                Take(ref from, larger, used);
            ring = larger;
            first = 0;
        }

        private void DropFirst()
        {
            int at = first, room = TakeNumber(ref at) + HeadBytes;
            first = Wrapped(first + room);
            used -= room;
        }

        private void Take(ref int at, byte[] bytes, int count)
        {
            int before = Math.Min(count, ring.Length - at);
            Buffer.BlockCopy(ring, at, bytes, 0, before);
            Buffer.BlockCopy(ring, 0, bytes, before, count - before);
            at = Wrapped(at + count);
        }

        private static void PutNumber(byte[] bytes, int at, int value)
        {
            bytes[at] = (byte)value;
            bytes[at + 1] = (byte)(value >> 8);
            bytes[at + 2] = (byte)(value >> 16);
            bytes[at + 3] = (byte)(value >> 24);
        }

        private int TakeNumber(ref int at)
        {
            int value = 0;
            for (int shift = 0; shift < 32; shift += 8)
            {
                value |= ring[at] << shift;
                if (++at == ring.Length)
                    at = 0;
            }
            return value;
        }

        /// <summary>The oldest first.</summary>
        internal KeptCall[] ToArray()
        {
            int count = 0;
            for (int at = first, left = used; left > 0; count++)
            {
                int size = TakeNumber(ref at);
                at = Wrapped(at + HeadBytes - 4 + size);
                left -= HeadBytes + size;
            }
            KeptCall[] all = new KeptCall[count];
            int place = first;
            for (int i = 0; i < count; i++)
            {
                byte[] bytes = new byte[TakeNumber(ref place)];
                int generation = TakeNumber(ref place);
                Take(ref place, bytes, bytes.Length);
                all[i] = new KeptCall(CapturedMethods.Of(MethodOf(bytes)), bytes, generation);
            }
            return all;
        }

        /// <summary>The number with which a call begins.</summary>
        private static int MethodOf(byte[] bytes)
        {
            int id = 0;
            for (int i = 0, shift = 0; ; i++, shift += 7)
            {
                id |= (bytes[i] & 0x7F) << shift;
                if (bytes[i] < 0x80)
                    return id;
            }
        }
    }
}
