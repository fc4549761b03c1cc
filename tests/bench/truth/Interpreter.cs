// An interpreter of a small machine's code: a loop with a switch, a stack with methods of a line,
// and native helpers.
using System;
using System.Runtime.CompilerServices;

namespace InterpreterWork
{
    enum Op { Push, Add, Mul, Mod, Load, Store, Jump, Less, If, Hash, Sort, End }

    sealed class Machine
    {
        readonly int[] code;
        readonly long[] stack = new long[64];
        readonly long[] memory = new long[16];
        readonly int[] buffer = new int[48];
        int top;

        public Machine(int[] code) { this.code = code; }

        void Push(long value) { stack[top++] = value; }

        long Pop() { return stack[--top]; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        long Hash(long value)
        {
            ulong hash = 14695981039346656037;
            for (int i = 0; i < 1200; i++)
                hash = (hash ^ (byte)(value >> i % 8)) * 1099511628211;
            return (long)(hash >> 40);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        long Sort(long seed)
        {
            uint x = (uint)seed;
            for (int i = 0; i < buffer.Length; i++)
            {
                x = x * 1664525 + 1013904223;
                buffer[i] = (int)(x >> 9);
            }
            for (int i = 1; i < buffer.Length; i++)
            {
                int value = buffer[i], k = i;
                for (; k > 0 && buffer[k - 1] > value; k--) buffer[k] = buffer[k - 1];
                buffer[k] = value;
            }
            return buffer[buffer.Length / 2];
        }

        public long Run(long limit)
        {
            memory[0] = 0;
            memory[1] = limit;
            memory[2] = 1;
            for (int at = 0; ;)
            {
                switch ((Op)code[at++])
                {
                    case Op.Push: Push(code[at++]); break;
                    case Op.Add: Push(Pop() + Pop()); break;
                    case Op.Mul: Push(Pop() * Pop()); break;
                    case Op.Mod: { long by = Pop(); Push(Pop() % by); break; }
                    case Op.Load: Push(memory[code[at++]]); break;
                    case Op.Store: memory[code[at++]] = Pop(); break;
                    case Op.Jump: at = code[at]; break;
                    case Op.Less: { long right = Pop(); Push(Pop() < right ? 1 : 0); break; }
                    case Op.If: if (Pop() == 0) at = code[at]; else at++; break;
                    case Op.Hash: Push(Hash(Pop())); break;
                    case Op.Sort: Push(Sort(Pop())); break;
                    case Op.End: return memory[2];
                }
            }
        }
    }

    static class Program
    {
        // while (m0 < m1) {
        //     ten times: m2 = (m2 * 31 + m0) % 65521;
        //     m2 = (Hash(m2) + Sort(m2)) % 65521; m0 = m0 + 1; }
        static int[] Compile()
        {
            var code = new System.Collections.Generic.List<int>();
            void Emit(params int[] more) { code.AddRange(more); }
            Emit((int)Op.Load, 0, (int)Op.Load, 1, (int)Op.Less, (int)Op.If, 0);
            int patch = code.Count - 1;
            for (int i = 0; i < 10; i++)
                Emit((int)Op.Load, 2, (int)Op.Push, 31, (int)Op.Mul, (int)Op.Load, 0,
                    (int)Op.Add, (int)Op.Push, 65521, (int)Op.Mod, (int)Op.Store, 2);
            Emit((int)Op.Load, 2, (int)Op.Hash, (int)Op.Load, 2, (int)Op.Sort, (int)Op.Add,
                (int)Op.Push, 65521, (int)Op.Mod, (int)Op.Store, 2);
            Emit((int)Op.Load, 0, (int)Op.Push, 1, (int)Op.Add, (int)Op.Store, 0, (int)Op.Jump, 0);
            code[patch] = code.Count;
            Emit((int)Op.End);
            return code.ToArray();
        }

        static void Main(string[] args)
        {
            Console.WriteLine(new Machine(Compile()).Run(Truth.Size(args, 320000)));
        }
    }
}
