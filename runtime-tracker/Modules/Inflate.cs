// Deflated data made plain again: RFC 1951. The core library has no DeflateStream; System.dll, which has, is not everywhere.
using System;

namespace Instrumenter
{
    /// <summary>
    /// One use, one stream. Whatever the input, it ends, and takes no memory but the output's: that has the size which was
    /// announced, and nothing else is accepted.
    /// </summary>
    internal sealed class Inflate
    {
        private const int MostBits = 15, LiteralCodes = 288, DistanceCodes = 30, EndOfBlock = 256;

        private readonly byte[] input;
        private readonly int end;
        private int at;
        private uint bits;
        private int bitCount;

        private readonly byte[] output;
        private int written;

        private Inflate(byte[] input, int start, int count, byte[] output)
        {
            this.input = input;
            at = start;
            end = start + count;
            this.output = output;
        }

        /// <summary>
        /// Fills <paramref name="output"/> from the <paramref name="count"/> bytes at <paramref name="start"/>. False when they are
        /// no such stream, or one of another length.
        /// </summary>
        internal static bool Fill(byte[] output, byte[] input, int start, int count)
        {
            Inflate stream = new Inflate(input, start, count, output);
            bool last;
            do
            {
                int header = stream.Take(3);
                if (header < 0)
                    return false;
                last = (header & 1) != 0;
                if (!stream.TakeBlock(header >> 1))
                    return false;
            }
            while (!last);
            return stream.written == output.Length;
        }

        private bool TakeBlock(int kind)
        {
            switch (kind)
            {
                case 0:
                    return TakeStored();
                case 1:
                    return TakeCompressed(FixedLiterals(), FixedDistances());
                case 2:
                    HuffmanCode literals, distances;
                    return TakeCodes(out literals, out distances) && TakeCompressed(literals, distances);
                default:
                    return false;
            }
        }

        /// <summary>The next <paramref name="count"/> bits, at most 16; -1 at the end of the input.</summary>
        private int Take(int count)
        {
            while (bitCount < count)
            {
                if (at == end)
                    return -1;
                bits |= (uint)input[at++] << bitCount;
                bitCount += 8;
            }
            int value = (int)(bits & ((1u << count) - 1));
            bits >>= count;
            bitCount -= count;
            return value;
        }

        private bool TakeStored()
        {
            // The rest of the byte goes; whole bytes that were taken ahead stay.
            Take(bitCount & 7);
            int length = Take(16), complement = Take(16);
            if (length < 0 || complement < 0 || length != (complement ^ 0xFFFF))
                return false;
            for (; bitCount > 0 && length > 0; length--)
            {
                if (written == output.Length)
                    return false;
                output[written++] = (byte)Take(8);
            }
            if (length > end - at || length > output.Length - written)
                return false;
            Buffer.BlockCopy(input, at, output, written, length);
            at += length;
            written += length;
            return true;
        }

        private static HuffmanCode FixedLiterals()
        {
            byte[] lengths = new byte[LiteralCodes];
            for (int i = 0; i < LiteralCodes; i++)
                lengths[i] = (byte)(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
            return HuffmanCode.Make(lengths, 0, LiteralCodes, false);
        }

        private static HuffmanCode FixedDistances()
        {
            byte[] lengths = new byte[32];
            for (int i = 0; i < lengths.Length; i++)
                lengths[i] = 5;
            return HuffmanCode.Make(lengths, 0, lengths.Length, false);
        }

        /// <summary>The codes of a block that brings its own.</summary>
        private bool TakeCodes(out HuffmanCode literals, out HuffmanCode distances)
        {
            literals = distances = null;
            int literalCount = Take(5) + 257, distanceCount = Take(5) + 1, lengthCount = Take(4) + 4;
            if (literalCount < 257 || literalCount > 286 || distanceCount < 1 || distanceCount > DistanceCodes || lengthCount < 4)
                return false;
            byte[] order = new byte[] { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
            byte[] lengths = new byte[order.Length];
            for (int i = 0; i < lengthCount; i++)
            {
                int length = Take(3);
                if (length < 0)
                    return false;
                lengths[order[i]] = (byte)length;
            }
            HuffmanCode lengthCode = HuffmanCode.Make(lengths, 0, lengths.Length, false);
            byte[] all = new byte[literalCount + distanceCount];
            if (lengthCode == null || !TakeLengths(lengthCode, all) || all[EndOfBlock] == 0)
                return false;
            literals = HuffmanCode.Make(all, 0, literalCount, true);
            distances = HuffmanCode.Make(all, literalCount, distanceCount, true);
            return literals != null && distances != null;
        }

        private bool TakeLengths(HuffmanCode code, byte[] lengths)
        {
            for (int i = 0; i < lengths.Length;)
            {
                int symbol = Decode(code);
                if (symbol < 0)
                    return false;
                if (symbol < 16)
                {
                    lengths[i++] = (byte)symbol;
                    continue;
                }
                if (symbol == 16 && i == 0)
                    return false;
                byte repeated = symbol == 16 ? lengths[i - 1] : (byte)0;
                int more = Take(symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
                int times = more + (symbol == 18 ? 11 : 3);
                if (more < 0 || times > lengths.Length - i)
                    return false;
                for (; times > 0; times--)
                    lengths[i++] = repeated;
            }
            return true;
        }

        /// <summary>The next symbol, bit by bit as RFC 1951 counts codes; -1 when there is none.</summary>
        private int Decode(HuffmanCode code)
        {
            int value = 0, first = 0, index = 0;
            for (int length = 1; length <= MostBits; length++)
            {
                int bit = Take(1);
                if (bit < 0)
                    return -1;
                value |= bit;
                int count = code.Counts[length];
                if (value - count < first)
                    return code.Symbols[index + value - first];
                index += count;
                first = (first + count) << 1;
                value <<= 1;
            }
            return -1;
        }

        private bool TakeCompressed(HuffmanCode literals, HuffmanCode distances)
        {
            for (;;)
            {
                int symbol = Decode(literals);
                if (symbol < 0 || symbol > 285)
                    return false;
                if (symbol == EndOfBlock)
                    return true;
                if (symbol < EndOfBlock)
                {
                    if (written == output.Length)
                        return false;
                    output[written++] = (byte)symbol;
                }
                else if (!TakeMatch(symbol - 257, distances))
                    return false;
            }
        }

        private bool TakeMatch(int lengthSymbol, HuffmanCode distances)
        {
            // Lengths and distances grow by groups of 4 and 2 symbols, each with one bit more after it.
            int extra = lengthSymbol < 8 || lengthSymbol == 28 ? 0 : (lengthSymbol - 4) >> 2;
            int length = lengthSymbol == 28 ? 258 : lengthSymbol < 8 ? lengthSymbol + 3 : ((4 + (lengthSymbol & 3)) << extra) + 3;
            int more = Take(extra);
            if (more < 0)
                return false;
            length += more;
            int symbol = Decode(distances);
            if (symbol < 0 || symbol >= DistanceCodes)
                return false;
            extra = symbol < 4 ? 0 : (symbol - 2) >> 1;
            more = Take(extra);
            if (more < 0)
                return false;
            int distance = (symbol < 4 ? symbol : (2 + (symbol & 1)) << extra) + 1 + more;
            if (distance > written || length > output.Length - written)
                return false;
            for (; length > 0; length--, written++)
                output[written] = output[written - distance];
            return true;
        }
    }

    /// <summary>A canonical code: how many symbols have each length, and the symbols by length, then by number.</summary>
    internal sealed class HuffmanCode
    {
        internal readonly int[] Counts = new int[16];
        internal readonly int[] Symbols;

        private HuffmanCode(int symbolCount)
        {
            Symbols = new int[symbolCount];
        }

        /// <summary>
        /// Null for lengths that are no code: too many symbols, or too few. Where <paramref name="mayLack"/> is set there may also be
        /// one symbol of one bit, or none, as in a block with one distance, or without matches.
        /// </summary>
        internal static HuffmanCode Make(byte[] lengths, int start, int count, bool mayLack)
        {
            HuffmanCode code = new HuffmanCode(count);
            for (int i = 0; i < count; i++)
                code.Counts[lengths[start + i]]++;
            code.Counts[0] = 0;
            int left = 1, longest = 0;
            int[] places = new int[17];
            for (int length = 1; length < 16; length++)
            {
                left = (left << 1) - code.Counts[length];
                if (left < 0)
                    return null;
                if (code.Counts[length] != 0)
                    longest = length;
                places[length + 1] = places[length] + code.Counts[length];
            }
            if (left > 0 && (!mayLack || longest > 1))
                return null;
            for (int i = 0; i < count; i++)
                if (lengths[start + i] != 0)
                    code.Symbols[places[lengths[start + i]]++] = i;
            return code;
        }
    }
}
