// Results that a loop computes in floating-point registers: put by for the call that leaves, and loaded from memory after it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Walker
{
    sealed partial class Bodies
    {
        byte[] resultType; // of resultLocal
        bool reloads; // the body at hand, its result
        byte[] code; // of the body at hand

        // Is a result of this type reloaded? null: the fields of a value type decide, and nothing here looks into them.
        bool? IsReloaded(byte[] type, bool loops)
        {
            if (!loops || type.Length == 0)
                return false;
            if (type[0] == 0x0c || type[0] == 0x0d || type[0] == 0x13 || type[0] == 0x1e) // R4, R8, VAR, MVAR
                return true;
            return type[0] == 0x11 || type[0] == 0x15 && type[1] == 0x11 ? null : false; // VALUETYPE, an instance of one
        }

        void CheckReloaded(string name, List<Unit> left, byte[] returned, bool plain)
        {
            bool loops = left.Any(u => u.Targets != null && u.Targets.Any(t => t <= u.Offset));
            bool? planned = IsReloaded(resultLocal >= 0 ? resultType : returned, loops);
            // A tail call has left the method before the ret after it, with another result.
            bool certain = plain && left.Where((u, i) => u.Code == OpCodes.Ret && !(i > 0 && left[i - 1].Tail && left[i - 1].IsCall)).Any();
            if (reloads ? planned == false : planned == true && certain)
                f.Add($"{name}: the result is " + (reloads ? "loaded from memory without need" : "not loaded from memory"));
        }

        // The load of the result after the call: ldloc, or ldloca and a volatile load of its type.
        bool SkipLoad(List<Unit> now, ref int j)
        {
            if (j < now.Count && LocalOf(now[j], "ldloc") == resultLocal)
            {
                j++;
                return !reloads;
            }
            if (j + 1 >= now.Count || LocalOf(now[j], "ldloca") != resultLocal || !IsVolatileLoad(now[j + 1]))
                return false;
            j += 2;
            reloads = true;
            return true;
        }

        bool IsVolatileLoad(Unit u)
        {
            if (u.InstructionOffset != u.Offset + 2 || code[u.Offset] != 0xfe || code[u.Offset + 1] != 0x13)
                return false;
            if (resultType[0] == 0x0c)
                return u.Code == OpCodes.Ldind_R4;
            if (resultType[0] == 0x0d)
                return u.Code == OpCodes.Ldind_R8;
            if (u.Code != OpCodes.Ldobj)
                return false;
            if (resultType[0] != 0x11)
                return u.Token >> 24 == 0x1b &&
                    b.Md.GetBlobBytes(b.Md.GetTypeSpecification((TypeSpecificationHandle)MetadataTokens.EntityHandle(u.Token)).Signature).SequenceEqual(resultType);
            return resultType.Skip(1).SequenceEqual(Compressed((u.Token & 0xffffff) << 2 | (u.Token >> 24 == 1 ? 1 : u.Token >> 24 == 2 ? 0 : 3)));
        }

        // II.23.2.
        static byte[] Compressed(int value)
        {
            return value < 0x80 ? new[] { (byte)value }
                : value < 0x4000 ? new[] { (byte)(value >> 8 | 0x80), (byte)value }
                : new[] { (byte)(value >> 24 | 0xc0), (byte)(value >> 16), (byte)(value >> 8), (byte)value };
        }

        // Passes over the ret shape's code before a way out; a result that is put by has to be reloaded there.
        bool SkipWayOut(bool returns, List<Unit> now, ref int j, ref int local)
        {
            bool keeps = returns && resultLocal >= 0;
            if (keeps && (j >= now.Count || LocalOf(now[j++], "stloc") != resultLocal))
                return false;
            return Skip(now, ref j, false, ref local) && (!keeps || SkipLoad(now, ref j) && reloads);
        }
    }
}
