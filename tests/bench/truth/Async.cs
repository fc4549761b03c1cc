// Async methods with continuations on threads of the pool: chunks are made, packed and checked.
// waits: AsyncWork.Program::Main
using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace AsyncWork
{
    sealed class Chunk
    {
        public byte[] Data;
        public uint Sum;
    }

    static class Program
    {
        static byte Mix(uint x) { return (byte)(x >> 13 ^ x >> 7); }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static byte[] Make(int seed, int length)
        {
            var data = new byte[length];
            uint x = (uint)seed;
            for (int i = 0; i < data.Length; i++)
            {
                x = x * 1664525 + 1013904223;
                data[i] = i % 7 < 4 ? (byte)(i >> 5) : Mix(x);
            }
            return data;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static byte[] Pack(byte[] data)
        {
            var packed = new byte[data.Length * 2];
            int at = 0;
            for (int i = 0; i < data.Length;)
            {
                int run = 1;
                while (i + run < data.Length && run < 255 && data[i + run] == data[i])
                    run++;
                packed[at++] = (byte)run;
                packed[at++] = data[i];
                i += run;
            }
            Array.Resize(ref packed, at);
            return packed;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static uint Check(byte[] data)
        {
            uint a = 1, b = 0;
            foreach (byte value in data)
            {
                a = (a + value) % 65521;
                b = (b + a) % 65521;
            }
            return b << 16 | a;
        }

        static async Task<Chunk> Load(int seed)
        {
            await Task.Yield();
            return new Chunk { Data = Make(seed, 2000) };
        }

        static async Task<Chunk> Store(Chunk chunk)
        {
            chunk.Data = await Task.Run(() => Pack(chunk.Data));
            chunk.Sum = Check(chunk.Data);
            return chunk;
        }

        static async Task<uint> Line(int first, int count)
        {
            uint sum = 0;
            for (int i = 0; i < count; i++)
            {
                Chunk chunk = await Load(first + i);
                chunk = await Store(chunk);
                sum = sum * 31 + chunk.Sum;
            }
            return sum;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 20000);
            Task<uint>[] lines = { Line(1, size), Line(1000001, size) };
            Task.WaitAll(lines);
            Console.WriteLine(lines[0].Result ^ lines[1].Result);
        }
    }
}
