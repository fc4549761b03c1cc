// Method bodies: the output's is the original's with an enter at its head and a leave before each way out, or it is untouched.
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
        readonly Image a, b;
        readonly Findings f;
        readonly int oldMethods, oldMembers;
        readonly bool entersWithToken;

        Bodies(Image a, Image b, Findings f)
        {
            this.a = a;
            this.b = b;
            this.f = f;
            oldMethods = a.Md.GetTableRowCount(TableIndex.MethodDef);
            oldMembers = a.Md.GetTableRowCount(TableIndex.MemberRef);
            entersWithToken = EntersWithToken();
        }

        // Where each instrumented body's offsets went, by row; also of one that was found faulty.
        readonly Dictionary<int, Moves> moves = new Dictionary<int, Moves>();

        public static BodyCounts Compare(Image a, Image b, Findings f, out Dictionary<int, Moves> moves)
        {
            var counts = new BodyCounts();
            var bodies = new Bodies(a, b, f);
            moves = bodies.moves;
            // By row, as ids are given; MethodDefinitions would follow a MethodPtr table.
            for (int row = 1; row <= bodies.oldMethods; row++)
            {
                var handle = MetadataTokens.MethodDefinitionHandle(row);
                int before = a.Md.GetMethodDefinition(handle).RelativeVirtualAddress, after = b.Md.GetMethodDefinition(handle).RelativeVirtualAddress;
                var impl = a.Md.GetMethodDefinition(handle).ImplAttributes;
                if (before == 0 || after == 0 || (impl & MethodImplAttributes.CodeTypeMask) != 0)
                    continue;
                string name = $"method 0x{MetadataTokens.GetToken(handle):x8}";
                MethodBodyBlock old = null, now = null;
                try
                {
                    old = a.Pe.GetMethodBody(before);
                }
                catch (BadImageFormatException)
                {
                }
                try
                {
                    now = b.Pe.GetMethodBody(after);
                }
                catch (BadImageFormatException e)
                {
                    if (old != null)
                        f.Add($"{name}: {e.Message}");
                }
                if (old == null || now == null)
                    continue;
                if (a.At(before, old.Size).SequenceEqual(b.At(after, now.Size)))
                {
                    // The runtime has an implementation of its own, and whatever IL there is never runs.
                    if ((impl & MethodImplAttributes.InternalCall) != 0)
                        counts.InternalCalls++;
                    else
                        counts.Untouched++;
                    continue;
                }
                counts.Instrumented++;
                try
                {
                    bodies.nextId = (int)counts.Instrumented - 1;
                    bodies.row = row;
                    bodies.CompareOne(name, old, now);
                }
                catch (BadImageFormatException e)
                {
                    f.Add($"{name}: {e.Message}");
                }
            }
            return counts;
        }

        // An added method is what is called: a row of MemberRef or MethodDef that the original does not have.
        bool IsInjectedCall(Unit u)
        {
            int row = u.Token & 0xffffff;
            return u.Code == OpCodes.Call && ((u.Token >> 24) == 0x0a ? row > oldMembers : (u.Token >> 24) == 0x06 && row > oldMethods);
        }

        string Called(Unit u)
        {
            int row = u.Token & 0xffffff;
            return (u.Token >> 24) == 0x0a
                ? b.Md.GetString(b.Md.GetMemberReference(MetadataTokens.MemberReferenceHandle(row)).Name)
                : b.Md.GetString(b.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).Name);
        }

        // Passes over what was put in: what is pushed, the call, and after an enter what keeps its value.
        bool Skip(List<Unit> now, ref int at, bool enter, ref int local)
        {
            return Skip(now, ref at, enter, ref local, "WhenLeavingMethod");
        }

        // The same for a call that gets what leaving gets.
        bool SkipCall(List<Unit> now, ref int at, int local, string called)
        {
            return Skip(now, ref at, false, ref local, called);
        }

        bool Skip(List<Unit> now, ref int at, bool enter, ref int local, string leaving)
        {
            int i = at;
            int keeps = -1;
            int? id = null;
            if (enter && (machine = EntersMachine(now, i)))
            {
                id = Constant(now[i]);
                i += 2;
            }
            while (i < now.Count && !IsInjectedCall(now[i]))
            {
                var code = now[i].Code;
                int loaded = LocalOf(now[i], "ldloc");
                bool pushes = code.StackBehaviourPush == StackBehaviour.Pushi && code.StackBehaviourPop == StackBehaviour.Pop0 &&
                              (code.Name.StartsWith("ldc.i4") || code == OpCodes.Ldtoken) || code == OpCodes.Ldstr || !enter && loaded >= 0;
                if (!pushes || i - at >= 2)
                    return false;
                if (loaded >= 0)
                    keeps = loaded;
                else if (code.Name.StartsWith("ldc.i4"))
                    id = Constant(now[i]);
                i++;
            }
            if (i >= now.Count)
                return false;
            string called = Called(now[i]);
            visited = enter ? called == "Visit" : visited;
            if (enter ? !machine && !visited && called != "WhenEnteringMethod" && called != "Enter" : called != leaving)
                return false;
            i++;
            // Ids are dense and in the methods' order.
            if (id.HasValue && id != nextId)
                return false;
            if (enter)
            {
                local = i < now.Count ? LocalOf(now[i], "stloc") : -1;
                // stloc of an old local is the method's own; the kept value has a new local, the last one
                if (local >= 0 && local == newLocal)
                    i++;
                else
                    local = -1;
            }
            else if (keeps != local)
                return false;
            at = i;
            return true;
        }

        // Does the tracker's enter return something to keep?
        bool EntersWithToken()
        {
            for (int row = oldMembers + 1; row <= b.Md.GetTableRowCount(TableIndex.MemberRef); row++)
            {
                var member = b.Md.GetMemberReference(MetadataTokens.MemberReferenceHandle(row));
                if (b.Md.GetString(member.Name) is "WhenEnteringMethod" or "WhenEnteringSwitchedOn")
                    return b.Md.GetBlobBytes(member.Signature)[2] != 1;
            }
            return false;
        }

        int nextId, row; // of the body at hand
        bool visited; // nothing says that the body at hand is left

        // What a body may have that is only visited: nothing that II, III or VI says may throw when `this` is there, and no way back.
        static readonly HashSet<string> quiet = new HashSet<string>(
            "nop break dup pop ret ldnull ldstr ldftn ldtoken sizeof isinst add sub mul and or xor shl shr shr.un neg not ceq cgt cgt.un clt clt.un ".Split(' '));

        bool MayBeVisited(MethodBodyBlock old, List<Unit> code)
        {
            int first = 0, start = 0;
            if (code.Count > 2 && code[0].Code == OpCodes.Ldarg_0 && code[1].Code == OpCodes.Call && (code[1].Token >> 24) == 0x0a)
            {
                var member = a.Md.GetMemberReference((MemberReferenceHandle)MetadataTokens.Handle(code[1].Token));
                if (member.Parent.Kind == HandleKind.TypeReference && a.Md.GetString(member.Name) == ".ctor")
                {
                    var type = a.Md.GetTypeReference((TypeReferenceHandle)member.Parent);
                    if (a.Md.GetString(type.Namespace) + "." + a.Md.GetString(type.Name) == "System.Object")
                        (first, start) = (2, code[2].Offset);
                }
            }
            bool isStatic = (a.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).Attributes & MethodAttributes.Static) != 0;
            return old.ExceptionRegions.Length == 0 && old.GetILBytes().Length - start <= 16 && code.Skip(first).All(u => u.Targets != null
                ? u.Targets.All(t => t > u.Offset)
                : quiet.Contains(u.Code.Name) || u.Code.Name.StartsWith("ldc.") || u.Code.Name.StartsWith("ldarg") || u.Code.Name.StartsWith("ldloc") ||
                  u.Code.Name.StartsWith("stloc") || (u.Code.Name.StartsWith("conv.") && !u.Code.Name.StartsWith("conv.ovf")) ||
                  (!isStatic && u.Code.Name is "ldfld" or "stfld" or "ldflda"));
        }
        int newLocal; // index of the local that keeps the token in the body at hand; -1 none

        static int Constant(Unit u)
        {
            return u.Code == OpCodes.Ldc_I4 ? u.Operand : u.Code == OpCodes.Ldc_I4_S ? (sbyte)u.Operand
                : u.Code == OpCodes.Ldc_I4_M1 ? -1 : u.Code.Name[^1] - '0';
        }

        static int LocalOf(Unit u, string what)
        {
            if (!u.Code.Name.StartsWith(what) || u.Code.Name.StartsWith(what + "a"))
                return -1;
            switch (u.Code.OperandType)
            {
                case OperandType.ShortInlineVar: return u.Operand & 0xff;
                case OperandType.InlineVar: return u.Operand & 0xffff;
                default: return u.Code.Name[what.Length + 1] - '0';
            }
        }

        void CompareOne(string name, MethodBodyBlock old, MethodBodyBlock now)
        {
            var before = old.GetILContent();
            var after = now.GetILContent();
            machine = false;
            guarded = IsGuarded(old, now);
            leaves.Clear();
            var left = Il.Decode(before.AsSpan());
            var right = Il.Decode(after.AsSpan());
            machine = EntersMachine(right, 0);
            reloads = false;
            code = after.ToArray();
            FindRenamed(name, old, left, right);
            LocalSignature(name, old, now);
            int local = -1, j = 0;
            if (!Skip(right, ref j, true, ref local))
            {
                f.Add($"{name}: no enter at the head");
                return;
            }
            if (visited && !MayBeVisited(old, left))
                f.Add($"{name}: it calls, may throw, loops or is long, and is only visited");
            if (taskLocal >= 0 && !machine)
                f.Add($"{name}: a second local was added to what is no state machine's MoveNext");
            if (machine)
                SkipIdentity(right, ref j, local);
            if ((local >= 0) != (newLocal >= 0))
                f.Add($"{name}: a local was added and is not used, or used and was not added");
            if (!SkipCopies(right, ref j))
                f.Add($"{name}: the copies of arguments do not stand behind the enter");
            // reference[i]: where a branch to old unit i leads
            var reference = new Dictionary<int, int>();
            moves[row] = new Moves { Offsets = reference, OldEnd = before.Length, CodeEnd = after.Length, NewEnd = after.Length };
            var matched = new List<(Unit, Unit)>();
            var afterTail = new HashSet<int>();
            for (int i = 0; i < left.Count; i++)
            {
                var u = left[i];
                bool tail = u.Tail && u.IsCall && i + 1 < left.Count && left[i + 1].Code == OpCodes.Ret;
                bool tailRet = u.Code == OpCodes.Ret && i > 0 && left[i - 1].Tail && left[i - 1].IsCall;
                if (machine && i > 0)
                    SkipIdentity(right, ref j, local);
                reference[u.Offset] = j < right.Count ? right[j].Offset : after.Length;
                if (machine && !SkipEvent(right, ref j, local, u))
                {
                    f.Add($"{name}: the suspension at {u.Offset} is not told of");
                    return;
                }
                // A method that is not guarded has the calls as well, unless a rule wants the ret shape for it.
                if (!guarded)
                {
                    int start = j;
                    if (!SkipHandlerHeads(old, u.Offset, right, ref j, ref local))
                        j = start;
                }
                else if (!SkipHandlerHeads(old, u.Offset, right, ref j, ref local))
                {
                    f.Add($"{name}: no call at the head of the handler at {u.Offset}");
                    return;
                }
                if (guarded && u.Code == OpCodes.Ret)
                {
                    if (SkipRet(u, right, ref j))
                        continue;
                    f.Add($"{name}: no leave for the ret at {u.Offset}");
                    return;
                }
                if (tailRet)
                    afterTail.Add(u.Offset);
                else if (!visited && (tail || u.Code == OpCodes.Ret || u.Code == OpCodes.Jmp) && !SkipWayOut(u.Code == OpCodes.Ret, right, ref j, ref local))
                {
                    f.Add($"{name}: no leave before the way out at {u.Offset}");
                    return;
                }
                if (j >= right.Count || !(IsRenamed(u, right[j]) ?? SameUnit(before.AsSpan(), u, after.AsSpan(), right[j])))
                {
                    f.Add($"{name}: the instruction at {u.Offset} ({u.Code}) is not there any more");
                    return;
                }
                matched.Add((u, right[j++]));
            }
            int codeEnd = j < right.Count ? right[j].Offset : after.Length;
            // A branch to the ret after a tail call goes to a copy at the end: leave, ret.
            int apart = codeEnd;
            moves[row] = new Moves { Offsets = reference, OldEnd = before.Length, CodeEnd = guarded ? codeEnd : after.Length, NewEnd = after.Length };
            if (guarded)
                Tail(name, old, now, right, ref j, local, reference, codeEnd);
            else if (j < right.Count && !(!visited && SkipWayOut(true, right, ref j, ref local) && j == right.Count - 1 && right[j].Code == OpCodes.Ret))
                f.Add($"{name}: there is more code at {right[Math.Min(j, right.Count - 1)].Offset} than planned");
            CheckReloaded(name, left, ReturnType(out bool plain), plain);
            bool apartUsed = false;
            foreach (var (u, v) in matched)
                for (int t = 0; u.Targets != null && t < u.Targets.Length; t++)
                {
                    bool toApart = afterTail.Contains(u.Targets[t]);
                    apartUsed |= toApart;
                    int expected = toApart ? apart : reference.TryGetValue(u.Targets[t], out int r) ? r : -1;
                    if (v.Targets == null || t >= v.Targets.Length || v.Targets[t] != expected)
                        f.Add($"{name}: the branch at {u.Offset} leads to {v.Targets?[t]}, not to {expected}");
                    // How far it would have to reach if it were short.
                    int distance = expected > v.Offset ? expected - (v.Offset + 5) : expected - (v.Offset + 2);
                    if (v.Code.OperandType == OperandType.InlineBrTarget && distance >= -128 && distance <= 127)
                        f.Add($"{name}: the branch at {u.Offset} is wider than it need be");
                }
            if (!guarded && apartUsed != codeEnd < after.Length)
                f.Add($"{name}: the copy of a ret is missing, or there without need");
            Clauses(name, old, now, reference, before.Length, codeEnd);
            int needed = new StackDepth(b.Md, now, right).Highest();
            if (needed > now.MaxStack)
                f.Add($"{name}: MaxStack {now.MaxStack}, but {needed} are needed");
        }

        static bool SameUnit(ReadOnlySpan<byte> before, Unit u, ReadOnlySpan<byte> after, Unit v)
        {
            if (u.Targets == null)
                return before.Slice(u.Offset, u.Size).SequenceEqual(after.Slice(v.Offset, v.Size));
            return (u.Code == v.Code || Il.Widened(u.Code, v.Code) || Il.Widened(v.Code, u.Code)) && v.Targets != null && u.Targets.Length == v.Targets.Length &&
                   u.InstructionOffset - u.Offset == v.InstructionOffset - v.Offset;
        }

        void Clauses(string name, MethodBodyBlock old, MethodBodyBlock now, Dictionary<int, int> reference, int oldEnd, int newEnd)
        {
            if (!guarded)
                f.Expect(name + ": clauses", old.ExceptionRegions.Length, now.ExceptionRegions.Length);
            int Map(int offset) => offset == oldEnd ? newEnd : reference.TryGetValue(offset, out int r) ? r : -1;
            for (int i = 0; i < Math.Min(old.ExceptionRegions.Length, now.ExceptionRegions.Length); i++)
            {
                var x = old.ExceptionRegions[i];
                var y = now.ExceptionRegions[i];
                string clause = $"{name}: clause {i}";
                f.Expect(clause + "'s kind", x.Kind, y.Kind);
                f.Expect(clause + "'s type", x.CatchType, y.CatchType);
                f.Expect(clause + "'s try", (Map(x.TryOffset), Map(x.TryOffset + x.TryLength)), (y.TryOffset, y.TryOffset + y.TryLength));
                f.Expect(clause + "'s handler", (Map(x.HandlerOffset), Map(x.HandlerOffset + x.HandlerLength)), (y.HandlerOffset, y.HandlerOffset + y.HandlerLength));
                if (x.Kind == ExceptionRegionKind.Filter)
                    f.Expect(clause + "'s filter", Map(x.FilterOffset), y.FilterOffset);
            }
        }

        // The signature is the old one, or the old one, an int32 more for the token, and in a guarded body, or where it is
        // reloaded, one of the result's type, or in a state machine a ValueTask; after these, locals in the place of parameters.
        void LocalSignature(string name, MethodBodyBlock old, MethodBodyBlock now)
        {
            bool init = now.LocalVariablesInitialized;
            newLocal = resultLocal = taskLocal = -1;
            if (old.LocalSignature == now.LocalSignature)
            {
                f.Expect(name + ": InitLocals", old.LocalVariablesInitialized, init);
                return;
            }
            byte[] before = old.LocalSignature.IsNil ? new byte[] { 7, 0 } : a.Md.GetBlobBytes(a.Md.GetStandaloneSignature(old.LocalSignature).Signature);
            byte[] after = b.Md.GetBlobBytes(b.Md.GetStandaloneSignature(now.LocalSignature).Signature);
            int count = Count(before, out int start), grown = Count(after, out int afterStart);
            int kept = before.Length - start;
            var added = after.Skip(afterStart + kept).ToArray();
            f.ExpectBytes(name + ": local signature", before.AsSpan(start).ToArray(), after.AsSpan(afterStart).Slice(0, Math.Min(kept, after.Length - afterStart)));
            byte[] copies = renamedTypes.SelectMany(t => t).ToArray();
            if (added.Length < copies.Length || !added.TakeLast(copies.Length).SequenceEqual(copies))
                f.Add($"{name}: the locals in the place of arguments are not of their types");
            added = added.SkipLast(copies.Length).ToArray();
            grown -= renamed.Count;
            bool token = added.Length > 0 && added[0] == 8 && !(guarded && grown == count + 1 && !entersWithToken);
            var result = added.Skip(token ? 1 : 0).ToArray();
            if (token)
                newLocal = count;
            int last = count + (token ? 1 : 0);
            if (IsResult(result))
            {
                resultLocal = last;
                resultType = result;
            }
            else if (token && result.Length > 0 && (result[0] == 0x11 || result[0] == 0x15)) // ELEMENT_TYPE_VALUETYPE, _GENERICINST
                taskLocal = last;
            else if (result.Length > 0)
                f.Add($"{name}: a local was added of the type {Convert.ToHexString(result)}");
            f.Expect(name + ": locals", count + (token ? 1 : 0) + (result.Length > 0 ? 1 : 0), grown);
            if (renamed.Count > 0 && renamed.Values.Min() != grown)
                f.Add($"{name}: the locals in the place of arguments are not the last ones");
            if (resultLocal >= 0 && (result[0] == 0x10 || result[0] == 0x0F)) // ELEMENT_TYPE_BYREF, _PTR
                f.Add(name + ": a local that no verifier lets pass keeps the result");
            if (count > 0)
                f.Expect(name + ": InitLocals", old.LocalVariablesInitialized || !LoadsLocal(old) && !Il.Decode(old.GetILBytes()).Any(u => u.Code == OpCodes.Localloc), init);
            else if (!init && !Il.Decode(old.GetILBytes()).Any(u => u.Code == OpCodes.Localloc))
                f.Add(name + ": the first local is not initialised");
        }

        // A verifier asks for InitLocals where a local is loaded, or its address (ILVerification/ILImporter.Verify.cs).
        static bool LoadsLocal(MethodBodyBlock body) => Il.Decode(body.GetILBytes()).Any(u => u.Code.Name.StartsWith("ldloc"));

        static int Count(byte[] signature, out int start)
        {
            if (signature.Length < 5 && (signature.Length < 2 || signature[1] >= 0x80))
                throw new BadImageFormatException("a local signature is cut off");
            int first = signature[1];
            start = first < 0x80 ? 2 : first < 0xc0 ? 3 : 5;
            return first < 0x80 ? first : first < 0xc0 ? (first & 0x3f) << 8 | signature[2] : (first & 0x1f) << 24 | signature[2] << 16 | signature[3] << 8 | signature[4];
        }
    }
}
