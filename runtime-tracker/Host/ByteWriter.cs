// The bytes of a profile while they are being made.
using System;
using System.Text;

namespace Instrumenter
{
    internal sealed class ByteWriter
    {
        private const int LongestShortText = 127 / 3;

        /// <summary>Goes up while anything is written, by whomever: a profile is coming forward.</summary>
        internal static volatile int Steps;

        internal byte[] Bytes;
        internal int Count;

        /// <summary>True if something in it is for its owner alone: a message of an exception.</summary>
        internal bool HoldsValues;

        // Threads that make it at once make the same.
        private static uint[] crcTable;

        internal ByteWriter(int capacity)
        {
            Bytes = new byte[capacity];
        }

        private void Reserve(int more)
        {
            Steps++;
            if (more <= Bytes.Length - Count)
                return;
            byte[] larger = new byte[Math.Max(checked(Count + more), Math.Min(Bytes.Length, int.MaxValue / 4) * 2)];
            Buffer.BlockCopy(Bytes, 0, larger, 0, Count);
            Bytes = larger;
        }

        internal void VarUInt(long value)
        {
            Reserve(10);
            byte[] bytes = Bytes;
            int at = Count;
            ulong rest = (ulong)value;
            while (rest >= 0x80)
            {
                bytes[at++] = (byte)(rest | 0x80);
                rest >>= 7;
            }
            bytes[at++] = (byte)rest;
            Count = at;
        }

        internal void Raw(byte[] bytes, int count)
        {
            Reserve(count);
            Buffer.BlockCopy(bytes, 0, Bytes, Count, count);
            Count += count;
        }

        internal void Raw(byte[] bytes)
        {
            Raw(bytes, bytes.Length);
        }

        internal byte[] Copy()
        {
            byte[] exact = new byte[Count];
            Buffer.BlockCopy(Bytes, 0, exact, 0, Count);
            return exact;
        }

        internal void Blob(byte[] bytes)
        {
            VarUInt(bytes.Length);
            Raw(bytes);
        }

        internal void Text(string text)
        {
            Text(text ?? "", text == null ? 0 : text.Length);
        }

        /// <summary>Its first characters.</summary>
        internal void Text(string text, int length)
        {
            if (TryAscii(text, length))
                return;
            // A text with a length that surely fits one byte needs no array of its own.
            if (length <= LongestShortText)
            {
                Reserve(1 + 3 * length);
                int size = Encoding.UTF8.GetBytes(text, 0, length, Bytes, Count + 1);
                Bytes[Count] = (byte)size;
                Count += 1 + size;
                return;
            }
            Blob(Encoding.UTF8.GetBytes(text.Substring(0, length)));
        }

        /// <summary>Nearly all text has a byte for each character, which an encoder takes longer for. False: this one has not.</summary>
        private bool TryAscii(string text, int length)
        {
            int start = Count;
            VarUInt(length);
            Reserve(length);
            byte[] bytes = Bytes;
            int at = Count;
            for (int i = 0; i < length; i++)
            {
                char character = text[i];
                if (character >= 0x80)
                {
                    Count = start;
                    return false;
                }
                bytes[at + i] = (byte)character;
            }
            Count = at + length;
            return true;
        }

        internal void Byte(int value)
        {
            Reserve(1);
            Bytes[Count++] = (byte)value;
        }

        /// <summary>A number as <see cref="Text(string)"/> has it.</summary>
        internal void Digits(ulong magnitude, bool isNegative)
        {
            Reserve(22);
            int size = isNegative ? 2 : 1;
            for (ulong rest = magnitude; rest >= 10; rest /= 10)
                size++;
            byte[] bytes = Bytes;
            bytes[Count++] = (byte)size;
            if (isNegative)
                bytes[Count] = (byte)'-';
            int at = Count + size;
            do
            {
                ulong tenth = magnitude / 10;
                bytes[--at] = (byte)('0' + (int)(magnitude - 10 * tenth));
                magnitude = tenth;
            } while (magnitude != 0);
            Count += size;
        }

        /// <summary>A little-endian integer of <paramref name="size"/> bytes.</summary>
        internal void Fixed(ulong value, int size)
        {
            Reserve(size);
            Put(Count, value, size);
            Count += size;
        }

        private void Put(int at, ulong value, int size)
        {
            for (int i = 0; i < size; i++)
                Bytes[at + i] = (byte)(value >> (8 * i));
        }

        /// <summary>Opens a section of this four-letter kind; returns what <see cref="EndSection"/> wants.</summary>
        internal int BeginSection(string kind)
        {
            for (int i = 0; i < 4; i++)
                Fixed(kind[i], 1);
            Fixed(0, 4);
            Fixed(0, 8);
            return Count;
        }

        /// <summary>
        /// Fills in the checksum and the size of the section that has its payload from <paramref name="start"/> on.
        /// </summary>
        internal void EndSection(int start)
        {
            Put(start - 12, Crc(start, Count), 4);
            Put(start - 8, (ulong)(Count - start), 8);
        }

        private uint Crc(int from, int to)
        {
            if (crcTable == null)
                crcTable = MakeCrcTable();
            uint[] table = crcTable;
            uint crc = 0xFFFFFFFF;
            for (int i = from; i < to; i++)
                crc = table[(crc ^ Bytes[i]) & 0xFF] ^ (crc >> 8);
            return ~crc;
        }

        private static uint[] MakeCrcTable()
        {
            // The entry of a sum is the sum of the entries.
            uint[] table = new uint[256];
            uint value = 1;
            for (int bit = 128; bit > 0; bit /= 2)
            {
                value = (value & 1) != 0 ? (value >> 1) ^ 0xEDB88320 : value >> 1;
                for (int i = 0; i < 256; i += 2 * bit)
                    table[bit + i] = value ^ table[i];
            }
            return table;
        }
    }
}
