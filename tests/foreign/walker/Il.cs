// IL as units: an instruction with its prefixes. The opcode table is the framework's own, System.Reflection.Emit.OpCodes.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;

namespace Walker
{
    struct Unit
    {
        public int Offset, Size; // with prefixes
        public int InstructionOffset; // without
        public OpCode Code;
        public bool Tail; // one of the prefixes is tail.
        public int Operand; // the first four bytes, or fewer, of the operand
        public int[] Targets; // of a branch, offsets; else null

        public int Token { get { return Operand; } }
        public bool IsCall { get { return Code == OpCodes.Call || Code == OpCodes.Callvirt || Code == OpCodes.Calli; } }
    }

    static class Il
    {
        static readonly OpCode?[] one = new OpCode?[256], two = new OpCode?[256];

        static Il()
        {
            foreach (var field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
                if (field.GetValue(null) is OpCode code && code.OpCodeType != OpCodeType.Nternal)
                    (code.Size == 1 ? one : two)[(byte)code.Value] = code;
        }

        public static List<Unit> Decode(ReadOnlySpan<byte> il)
        {
            var units = new List<Unit>();
            for (int at = 0; at < il.Length;)
            {
                var unit = new Unit { Offset = at };
                for (;;)
                {
                    unit.InstructionOffset = at;
                    if (il[at] == 0xfe && at + 1 < il.Length && il[at + 1] == 0x19) // no., which OpCodes does not have
                    {
                        at += 3;
                        continue;
                    }
                    var code = (il[at] == 0xfe && at + 1 < il.Length ? two[il[at + 1]] : one[il[at]])
                        ?? throw new BadImageFormatException($"undefined opcode at {at}");
                    at += code.Size;
                    unit.Code = code;
                    int size = OperandSize(code, il, at);
                    if (size > il.Length - at)
                        throw new BadImageFormatException($"operand past the end at {at}");
                    for (int i = 0; i < Math.Min(size, 4); i++)
                        unit.Operand |= il[at + i] << (8 * i);
                    Targets(ref unit, il, at, size);
                    at += size;
                    if (code.OpCodeType != OpCodeType.Prefix)
                        break;
                    unit.Tail |= code == OpCodes.Tailcall;
                    unit.Operand = 0;
                    if (at >= il.Length)
                        throw new BadImageFormatException("a prefix at the end");
                }
                unit.Size = at - unit.Offset;
                units.Add(unit);
            }
            return units;
        }

        static int OperandSize(OpCode code, ReadOnlySpan<byte> il, int at)
        {
            switch (code.OperandType)
            {
                case OperandType.InlineNone: return 0;
                case OperandType.ShortInlineBrTarget: case OperandType.ShortInlineI: case OperandType.ShortInlineVar: return 1;
                case OperandType.InlineVar: return 2;
                case OperandType.InlineI8: case OperandType.InlineR: return 8;
                case OperandType.InlineSwitch:
                    if (il.Length - at < 4)
                        throw new BadImageFormatException("switch past the end");
                    uint arms = BitConverter.ToUInt32(il.Slice(at));
                    return arms > il.Length / 4 ? throw new BadImageFormatException("switch past the end") : 4 + 4 * (int)arms;
                default: return 4;
            }
        }

        static void Targets(ref Unit unit, ReadOnlySpan<byte> il, int at, int size)
        {
            if (unit.Code.OperandType == OperandType.ShortInlineBrTarget)
                unit.Targets = new[] { at + 1 + (sbyte)il[at] };
            else if (unit.Code.OperandType == OperandType.InlineBrTarget)
                unit.Targets = new[] { at + 4 + unit.Operand };
            else if (unit.Code.OperandType == OperandType.InlineSwitch)
            {
                unit.Targets = new int[size / 4 - 1];
                for (int i = 0; i < unit.Targets.Length; i++)
                    unit.Targets[i] = at + size + BitConverter.ToInt32(il.Slice(at + 4 + 4 * i));
            }
        }

        // Is `wide` the long form of the branch `narrow`?
        public static bool Widened(OpCode narrow, OpCode wide)
        {
            if (narrow.OperandType != OperandType.ShortInlineBrTarget || wide.OperandType != OperandType.InlineBrTarget)
                return false;
            return narrow == OpCodes.Leave_S ? wide == OpCodes.Leave : (byte)narrow.Value + 13 == (byte)wide.Value;
        }
    }
}
