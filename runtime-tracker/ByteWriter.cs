// The bytes of a profile while they are being made.
using System;
using System.Text;

namespace Instrumenter
{
    internal sealed class ByteWriter
    {
        private const int LongestShortText = 127 / 3;

        internal byte[] Bytes;
        internal int Count;
        private uint[] crcTable;

        internal ByteWriter(int capacity)
        {
            Bytes = new byte[capacity];
        }

        private void Reserve(int more)
        {
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

        internal void Blob(byte[] bytes)
        {
            VarUInt(bytes.Length);
            Raw(bytes);
        }

        internal void Text(string text)
        {
            // What surely has its length in one byte needs no array of its own.
            if (text != null && text.Length <= LongestShortText)
            {
                Reserve(1 + 3 * text.Length);
                int size = Encoding.UTF8.GetBytes(text, 0, text.Length, Bytes, Count + 1);
                Bytes[Count] = (byte)size;
                Count += 1 + size;
                return;
            }
            Blob(Encoding.UTF8.GetBytes(text ?? ""));
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

        /// <summary>Fills in the checksum and the size of the section whose payload began at <paramref name="start"/>.</summary>
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
            uint[] table = new uint[256];
            for (uint i = 0; i < 256; i++)
            {
                uint value = i;
                for (int bit = 0; bit < 8; bit++)
                    value = (value & 1) != 0 ? (value >> 1) ^ 0xEDB88320 : value >> 1;
                table[i] = value;
            }
            return table;
        }
    }
}
