// Locals in the place of parameters: after the enter each is a copy of its argument, and the code names it instead.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Walker
{
    sealed partial class Bodies
    {
        const int MostRenamed = 16;

        readonly Dictionary<int, int> renamed = new Dictionary<int, int>(); // argument → local, in the body at hand
        readonly List<byte[]> renamedTypes = new List<byte[]>();

        // Finds the copies after the first call that was put in: loads of arguments and stores to locals that the old
        // body does not have, both in rising order.
        void FindRenamed(string name, MethodBodyBlock old, List<Unit> left, List<Unit> right)
        {
            renamed.Clear();
            renamedTypes.Clear();
            int count = old.LocalSignature.IsNil ? 0 : Count(a.Md.GetBlobBytes(a.Md.GetStandaloneSignature(old.LocalSignature).Signature), out _);
            int i = right.FindIndex(IsInjectedCall) + 1;
            if (i > 0 && i < right.Count && LocalOf(right[i], "stloc") >= count)
                i++;
            int lastArgument = -1, lastLocal = -1;
            var types = ParameterTypes(out bool plain);
            for (; i > 0 && i + 1 < right.Count; i += 2)
            {
                int argument = LocalOf(right[i], "ldarg"), local = LocalOf(right[i + 1], "stloc");
                if (argument < 0 || local < count)
                    break;
                if (argument <= lastArgument || lastLocal >= 0 && local != lastLocal + 1 || !types.TryGetValue(argument, out var type))
                {
                    f.Add($"{name}: a copy of argument {argument} is not planned");
                    break;
                }
                renamed[argument] = local;
                renamedTypes.Add(type);
                lastArgument = argument;
                lastLocal = local;
            }
            CheckRenamed(name, left, types, plain);
        }

        // A method with a loop and no jmp has such copies: of what its loops name and floating-point registers may hold.
        // Nothing here looks into value types.
        void CheckRenamed(string name, List<Unit> left, Dictionary<int, byte[]> types, bool plain)
        {
            var backward = left.Where(u => u.Targets != null && u.Targets.Any(t => t <= u.Offset)).ToList();
            bool may = plain && backward.Count > 0 && !left.Any(u => u.Code == OpCodes.Jmp);
            if (!may && renamed.Count > 0)
                f.Add($"{name}: arguments were renamed without need");
            if (!may)
                return;
            int start = backward.Min(u => u.Targets.Min()), end = backward.Max(u => u.Offset);
            var named = new HashSet<int>(left.Where(u => u.Offset >= start && u.Offset < end).Select(ArgumentOf));
            foreach (var (argument, type) in types)
            {
                bool certain = type[0] == 0x0c || type[0] == 0x0d || type[0] == 0x13 || type[0] == 0x1e; // R4, R8, VAR, MVAR
                bool possible = certain || type[0] == 0x11 || type[0] == 0x15 && type[1] == 0x11; // VALUETYPE, an instance of one
                if (renamed.ContainsKey(argument) && !(possible && named.Contains(argument)))
                    f.Add($"{name}: argument {argument} was renamed without need");
                else if (!renamed.ContainsKey(argument) && certain && named.Contains(argument) && renamed.Count < MostRenamed)
                    f.Add($"{name}: argument {argument} still lives across the enter");
            }
        }

        // Passes over the copies.
        bool SkipCopies(List<Unit> now, ref int j)
        {
            foreach (var (argument, local) in renamed)
                if (j + 1 >= now.Count || LocalOf(now[j++], "ldarg") != argument || LocalOf(now[j++], "stloc") != local)
                    return false;
            return true;
        }

        // The argument that an instruction names, or -1.
        static int ArgumentOf(Unit u)
        {
            return Math.Max(LocalOf(u, "ldarg"), Math.Max(LocalOf(u, "ldarga"), LocalOf(u, "starg")));
        }

        // Does `v` do with the local what `u` does with the argument? null: `u` names none that was renamed.
        bool? IsRenamed(Unit u, Unit v)
        {
            if (!renamed.TryGetValue(ArgumentOf(u), out int local))
                return null;
            string does = u.Code.Name.Split('.')[0].Replace("arg", "loc");
            return u.Size == u.Code.Size + (u.Code.OperandType == OperandType.InlineVar ? 2 : u.Code.OperandType == OperandType.ShortInlineVar ? 1 : 0) &&
                v.Code.Name.Split('.')[0] == does && LocalOf(v, does) == local && v.InstructionOffset == v.Offset;
        }

        // The method's parameters' types by argument, without modifiers. `plain`: no machine, nothing that the runtime
        // suspends, and a fixed number of parameters.
        Dictionary<int, byte[]> ParameterTypes(out bool plain)
        {
            return SignatureTypes(out plain, out _);
        }

        byte[] ReturnType(out bool plain)
        {
            SignatureTypes(out plain, out byte[] returned);
            return returned;
        }

        Dictionary<int, byte[]> SignatureTypes(out bool plain, out byte[] returned)
        {
            var method = a.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row));
            var types = new Dictionary<int, byte[]>();
            plain = !machine && ((int)method.ImplAttributes & 0x2000) == 0;
            byte[] blob = a.Md.GetBlobBytes(method.Signature);
            var r = a.Md.GetBlobReader(method.Signature);
            var header = r.ReadSignatureHeader();
            plain &= header.CallingConvention == SignatureCallingConvention.Default;
            if (header.IsGeneric)
                r.ReadCompressedInteger();
            int count = r.ReadCompressedInteger(), argument = header.IsInstance && !header.HasExplicitThis ? 1 : 0;
            SkipType(ref r, out int start);
            returned = blob.Skip(start).Take(r.Offset - start).ToArray();
            for (; count > 0; count--, argument++)
            {
                SkipType(ref r, out start);
                types[argument] = blob.Skip(start).Take(r.Offset - start).ToArray();
            }
            return types;
        }

        // `start` is after the modifiers.
        static void SkipType(ref BlobReader r, out int start)
        {
            for (start = r.Offset;; start = r.Offset)
            {
                int element = r.ReadCompressedInteger();
                if (element != 0x1f && element != 0x20) // CMOD_REQD, CMOD_OPT
                {
                    SkipRest(ref r, element);
                    return;
                }
                r.ReadCompressedInteger();
            }
        }

        static void SkipRest(ref BlobReader r, int element)
        {
            switch (element)
            {
                case 0x0f: case 0x10: case 0x1d: case 0x45: case 0x41: // PTR, BYREF, SZARRAY, PINNED, SENTINEL
                    SkipType(ref r, out _);
                    break;
                case 0x11: case 0x12: case 0x13: case 0x1e: // VALUETYPE, CLASS, VAR, MVAR
                    r.ReadCompressedInteger();
                    break;
                case 0x14: // ARRAY
                    SkipType(ref r, out _);
                    r.ReadCompressedInteger();
                    for (int lists = 0; lists < 2; lists++)
                        for (int n = r.ReadCompressedInteger(); n > 0; n--)
                            r.ReadCompressedInteger();
                    break;
                case 0x15: // GENERICINST
                    r.ReadCompressedInteger();
                    r.ReadCompressedInteger();
                    for (int n = r.ReadCompressedInteger(); n > 0; n--)
                        SkipType(ref r, out _);
                    break;
                case 0x1b: // FNPTR
                    if (r.ReadSignatureHeader().IsGeneric)
                        r.ReadCompressedInteger();
                    for (int n = r.ReadCompressedInteger(); n >= 0; n--)
                        SkipType(ref r, out _);
                    break;
            }
        }
    }
}
