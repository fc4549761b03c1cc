// The guarded shape: the code from the enter on in a try block with a fault handler, after that one exit; calls at the heads of the
// method's own handlers.
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
        bool guarded; // the body at hand
        int resultLocal; // index of the local for what it returns; -1 none

        readonly List<(Unit Leave, Unit Ret)> leaves = new List<(Unit, Unit)>();

        // A guard's clauses come after the method's own: a fault, and perhaps a filter around it.
        static bool IsGuarded(MethodBodyBlock old, MethodBodyBlock now)
        {
            int added = now.ExceptionRegions.Length - old.ExceptionRegions.Length;
            return (added == 1 || added == 2) && now.ExceptionRegions[old.ExceptionRegions.Length].Kind == ExceptionRegionKind.Fault;
        }

        bool Names(string member)
        {
            for (int row = oldMembers + 1; row <= b.Md.GetTableRowCount(TableIndex.MemberRef); row++)
                if (b.Md.GetString(b.Md.GetMemberReference(MetadataTokens.MemberReferenceHandle(row)).Name) == member)
                    return true;
            return false;
        }

        // Passes over the call at the head of a handler of the method's own, which several regions may have.
        bool SkipHandlerHeads(MethodBodyBlock old, int offset, List<Unit> now, ref int j, ref int local)
        {
            // The runtime suspends a method of 0x2000; its filters report nothing.
            bool suspends = ((int)a.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).ImplAttributes & 0x2000) != 0;
            if (Names("WhenFiltering") && !suspends && old.ExceptionRegions.Any(r => r.Kind == ExceptionRegionKind.Filter && r.FilterOffset == offset) &&
                (j >= now.Count || now[j++].Code != OpCodes.Dup || !SkipCall(now, ref j, local, "WhenFiltering")))
                return false;
            foreach (var region in old.ExceptionRegions.Where(r => r.HandlerOffset == offset).Take(1))
            {
                bool catches = region.Kind == ExceptionRegionKind.Catch || region.Kind == ExceptionRegionKind.Filter;
                // F#'s finally blocks in tasks, and those that await, are handlers of any object.
                string called = !catches || machine && IsCallOf(now, j + 1, "WhenUnwinding") ? "WhenUnwinding"
                    : machine && IsCallOf(now, j + 2, "WhenHolding") ? "WhenHolding" : "WhenCatching";
                catches = called != "WhenUnwinding";
                if (!Names(called) || !catches && guarded && IsQuiet(old, region))
                    continue;
                if (catches && (j >= now.Count || now[j++].Code != OpCodes.Dup))
                    return false;
                if (!SkipCall(now, ref j, local, called))
                    return false;
            }
            return true;
        }

        // True if the handler of a guarded method does nothing visible before the guard does. Then it reports nothing.
        bool IsQuiet(MethodBodyBlock old, ExceptionRegion region)
        {
            string[] computes = { "nop", "break", "ldnull", "ldstr", "dup", "pop", "add", "sub", "mul", "and", "or", "xor", "shl", "shr", "shr.un", "neg", "not", "ceq", "cgt",
                "cgt.un", "clt", "clt.un", "isinst", "ldftn", "ldtoken", "sizeof", "volatile.", "endfinally" };
            string[] accesses = { "ldarg", "ldarga", "starg", "ldloc", "ldloca", "stloc", "ldc" };
            var code = Il.Decode(old.GetILBytes()).Where(u => u.Offset >= region.HandlerOffset && u.Offset < region.HandlerOffset + region.HandlerLength).ToList();
            bool isStatic = (a.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).Attributes & System.Reflection.MethodAttributes.Static) != 0;
            var things = new Stack<bool>(); // is it `this`?
            bool straight = !isStatic;
            foreach (var unit in code)
            {
                string name = unit.Code.Name;
                if (unit.Code.FlowControl == FlowControl.Branch || unit.Code.FlowControl == FlowControl.Cond_Branch)
                {
                    if (name.StartsWith("leave") || name == "switch" || unit.Targets[0] <= unit.Offset)
                        return false;
                    straight = false;
                    continue;
                }
                bool ofField = name == "ldfld" || name == "ldflda" || name == "stfld";
                bool converts = name.StartsWith("conv.") && !name.StartsWith("conv.ovf");
                if (!ofField && !converts && !computes.Contains(name) && !accesses.Contains(name.Split('.')[0]))
                    return false;
                if (name.StartsWith("starg") && ArgumentOf(unit, old) == 0)
                    straight = false;
                int pops = Pops(unit.Code), pushes = Pushes(unit.Code);
                if (ofField && (!straight || things.Count < pops || !things.ElementAt(pops - 1)))
                    return false;
                bool isThis = unit.Code == OpCodes.Ldarg_0 || unit.Code == OpCodes.Dup && things.TryPeek(out bool copied) && copied;
                for (int i = 0; straight && i < pops; i++)
                    straight = things.TryPop(out _);
                for (int i = 0; i < pushes; i++)
                    things.Push(isThis);
            }
            return true;
        }

        static int ArgumentOf(Unit starg, MethodBodyBlock body)
        {
            byte[] code = body.GetILBytes();
            return starg.Code == OpCodes.Starg_S ? code[starg.Offset + 1] : BitConverter.ToUInt16(code, starg.Offset + 2);
        }

        static int Pops(OpCode code)
        {
            string behaviour = code.StackBehaviourPop.ToString();
            return behaviour == "Pop0" ? 0 : behaviour.Split('_').Length;
        }

        static int Pushes(OpCode code)
        {
            string behaviour = code.StackBehaviourPush.ToString();
            return behaviour == "Push0" ? 0 : behaviour.Split('_').Length;
        }

        // The code in the place of a ret: the result put by, a leave.
        bool SkipRet(Unit ret, List<Unit> now, ref int j)
        {
            if (resultLocal >= 0 && (j >= now.Count || LocalOf(now[j++], "stloc") != resultLocal))
                return false;
            if (j >= now.Count || now[j].Code != OpCodes.Leave && now[j].Code != OpCodes.Leave_S)
                return false;
            leaves.Add((now[j++], ret));
            return true;
        }

        // The code before the one ret: the result is loaded after the call.
        bool Exit(List<Unit> code, ref int j, int local)
        {
            return SkipCall(code, ref j, local, "WhenLeavingMethod") && (resultLocal < 0 || SkipLoad(code, ref j));
        }

        // The handlers and the exit; `j` is then after the last instruction.
        void Tail(string name, MethodBodyBlock old, MethodBodyBlock now, List<Unit> code, ref int j, int local, Dictionary<int, int> reference, int codeEnd)
        {
            int At(int i) => i < code.Count ? code[i].Offset : now.GetILBytes().Length;
            bool Is(OpCode wanted, ref int i) => i < code.Count && code[i++].Code == wanted;
            int count = old.ExceptionRegions.Length;
            bool whole = SkipCall(code, ref j, local, Names("WhenLeavingByException") ? "WhenLeavingByException" : "WhenLeavingMethod") && Is(OpCodes.Endfinally, ref j);
            int faultEnd = At(j), handler = faultEnd;
            bool filtered = now.ExceptionRegions.Length == count + 2;
            if (filtered)
            {
                whole = whole && SkipCall(code, ref j, local, "WhenExceptionPasses") && Is(OpCodes.Pop, ref j) && Is(OpCodes.Ldc_I4_0, ref j) && Is(OpCodes.Endfilter, ref j);
                handler = At(j);
                whole = whole && Is(OpCodes.Pop, ref j) && Is(OpCodes.Rethrow, ref j);
            }
            int exit = At(j);
            if (leaves.Count > 0)
                whole = whole && Exit(code, ref j, local) && Is(OpCodes.Ret, ref j);
            if (!whole || j != code.Count)
                f.Add($"{name}: what stands behind the code from {codeEnd} on is not a guard's");
            foreach (var (leave, ret) in leaves)
            {
                if (leave.Targets[0] != exit)
                    f.Add($"{name}: the leave for the ret at {ret.Offset} leads to {leave.Targets[0]}, not to {exit}");
                if (leave.Code == OpCodes.Leave && exit - (leave.Offset + 2) <= 127)
                    f.Add($"{name}: the leave for the ret at {ret.Offset} is wider than it need be");
            }
            // The region starts at the code, in a constructor after a call of another one.
            var fault = now.ExceptionRegions[count];
            if (fault.TryOffset != reference[0] && !StartsBehindConstructor(old, reference, fault.TryOffset))
                f.Add($"{name}: the guard starts at {fault.TryOffset}");
            f.Expect(name + ": the guard", (codeEnd, codeEnd, faultEnd), (fault.TryOffset + fault.TryLength, fault.HandlerOffset, fault.HandlerOffset + fault.HandlerLength));
            if (!filtered)
                return;
            var filter = now.ExceptionRegions[count + 1];
            f.Expect(name + ": the filter around the guard", (ExceptionRegionKind.Filter, fault.TryOffset, faultEnd, faultEnd, handler, exit),
                (filter.Kind, filter.TryOffset, filter.TryOffset + filter.TryLength, filter.FilterOffset, filter.HandlerOffset, filter.HandlerOffset + filter.HandlerLength));
        }

        bool StartsBehindConstructor(MethodBodyBlock old, Dictionary<int, int> reference, int offset)
        {
            var code = Il.Decode(old.GetILBytes());
            for (int i = 1; i < code.Count; i++)
                if (reference.TryGetValue(code[i].Offset, out int there) && there == offset && code[i - 1].Code == OpCodes.Call)
                {
                    var callee = MetadataTokens.EntityHandle(code[i - 1].Token);
                    return callee.Kind == HandleKind.MethodDefinition ? a.Md.GetString(a.Md.GetMethodDefinition((MethodDefinitionHandle)callee).Name) == ".ctor"
                        : callee.Kind == HandleKind.MemberReference && a.Md.GetString(a.Md.GetMemberReference((MemberReferenceHandle)callee).Name) == ".ctor";
                }
            return false;
        }

        // Is `type` what the method returns: all of its signature's return type, or what the task of a runtime-async method holds?
        bool IsResult(byte[] type)
        {
            var method = a.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row));
            byte[] blob = a.Md.GetBlobBytes(method.Signature);
            var reader = a.Md.GetBlobReader(method.Signature);
            var header = reader.ReadSignatureHeader();
            if (header.IsGeneric)
                reader.ReadCompressedInteger();
            reader.ReadCompressedInteger();
            int at = reader.Offset;
            while (reader.ReadByte() is byte element && (element == 0x1f || element == 0x20))
            {
                reader.ReadCompressedInteger();
                at = reader.Offset;
            }
            // A method that the runtime suspends returns what its task holds; the core library's own that have the mark return no task.
            if (((int)method.ImplAttributes & 0x2000) != 0 && blob[at] == 0x15)
            {
                reader.ReadByte();
                reader.ReadCompressedInteger();
                reader.ReadCompressedInteger();
                at = reader.Offset;
            }
            return type.Length > 0 && blob.Skip(at).Take(type.Length).SequenceEqual(type);
        }
    }
}
