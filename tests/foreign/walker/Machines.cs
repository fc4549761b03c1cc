// The additions to the MoveNext of an async state machine beside those to every method: who it is,
// and how its slices end.
using System.Collections.Generic;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Walker
{
    sealed partial class Bodies
    {
        bool machine; // is the body at hand a state machine's, by what its head calls?
        int taskLocal; // index of the second local that was added to it; -1 none

        string MemberName(Unit u)
        {
            int token = u.Token;
            if (token >> 24 == 0x2b)
                token = MetadataTokens.GetToken(b.Md.GetMethodSpecification(MetadataTokens.MethodSpecificationHandle(token & 0xffffff)).Method);
            return token >> 24 == 0x0a ? b.Md.GetString(b.Md.GetMemberReference(MetadataTokens.MemberReferenceHandle(token & 0xffffff)).Name)
                : token >> 24 == 0x06 ? b.Md.GetString(b.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(token & 0xffffff)).Name)
                : "";
        }

        bool IsCallOf(List<Unit> now, int at, string name)
        {
            return at < now.Count && IsInjectedCall(now[at]) && Called(now[at]) == name;
        }

        // ldc.i4 id; ldc.i4 starter; call EnterStateMachine: the starter has to be a method that is instrumented.
        bool EntersMachine(List<Unit> now, int at)
        {
            return at + 2 < now.Count && now[at].Code == OpCodes.Ldc_I4 && now[at + 1].Code == OpCodes.Ldc_I4 &&
                   (IsCallOf(now, at + 2, "EnterStateMachine") || IsCallOf(now, at + 2, "WhenEnteringStateMachine"));
        }

        // ldarg.0 of a class. Of a struct, when it is asked for (ldloc token; call WantsIdentity; brfalse.s): its builder's task (address;
        // call get_Task; with a ValueTask stloc, ldloca, call AsTask), or the builder itself (address; ldobj; box; of a class its value).
        // Then ldloc token; call WhenIdentified, of builders WhenBuilderIdentifies.
        void SkipIdentity(List<Unit> now, ref int at, int token)
        {
            int i = at;
            Unit? branch = null;
            if (i + 2 < now.Count && LocalOf(now[i], "ldloc") == token && IsCallOf(now, i + 1, "WantsIdentity"))
            {
                if (now[i + 2].Code != OpCodes.Brfalse_S)
                    return;
                branch = now[i + 2];
                i += 3;
            }
            if (i >= now.Count || now[i++].Code != OpCodes.Ldarg_0)
                return;
            string says = "WhenIdentified";
            if (branch != null)
            {
                while (i < now.Count && (now[i].Code == OpCodes.Ldflda || now[i].Code == OpCodes.Ldfld))
                    i++;
                if (i < now.Count && now[i].Code == OpCodes.Call && MemberName(now[i]) == "get_Task")
                {
                    i++;
                    if (taskLocal >= 0)
                    {
                        if (i + 2 >= now.Count || LocalOf(now[i], "stloc") != taskLocal || !now[i + 1].Code.Name.StartsWith("ldloca") ||
                            (now[i + 1].Operand & 0xffff) != taskLocal || now[i + 2].Code != OpCodes.Call || MemberName(now[i + 2]) != "AsTask")
                            return;
                        i += 3;
                    }
                }
                else
                {
                    says = "WhenBuilderIdentifies";
                    if (i + 1 < now.Count && now[i].Code == OpCodes.Ldobj && now[i + 1].Code == OpCodes.Box && now[i].Token == now[i + 1].Token)
                        i += 2;
                }
            }
            if (i + 2 >= now.Count || LocalOf(now[i], "ldloc") != token || !IsCallOf(now, i + 1, says))
                return;
            i += 2;
            if (branch == null || branch.Value.Targets[0] == now[i].Offset)
                at = i;
        }

        // Before a call that suspends or ends the machine, the call that says so. Whether each has one is asked of suspensions alone:
        // SetResult may be anyone's.
        bool SkipEvent(List<Unit> now, ref int at, int token, Unit old)
        {
            string called = old.IsCall ? MemberName(old) : "";
            string said = called == "AwaitOnCompleted" || called == "AwaitUnsafeOnCompleted" ? "WhenSuspending"
                : called == "SetResult" ? "WhenCompleting" : called == "SetException" ? "WhenFailing" : null;
            if (said == null)
                return true;
            int i = at;
            if (said == "WhenFailing" && i < now.Count && now[i].Code == OpCodes.Dup)
                i++;
            if (i + 1 < now.Count && LocalOf(now[i], "ldloc") == token && IsCallOf(now, i + 1, said))
                at = i + 2;
            return at != i || said != "WhenSuspending";
        }
    }
}
