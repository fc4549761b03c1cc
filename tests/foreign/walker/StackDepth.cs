// How deep the evaluation stack gets, by following the code from its entry and from each handler (III.1.7.4).
using System;
using System.Collections.Generic;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Walker
{
    sealed class StackDepth
    {
        readonly MetadataReader md;
        readonly List<Unit> units;
        readonly MethodBodyBlock body;
        readonly Dictionary<int, int> index = new Dictionary<int, int>();
        readonly Stack<(int unit, int depth)> work = new Stack<(int, int)>();

        public StackDepth(MetadataReader md, MethodBodyBlock body, List<Unit> units)
        {
            this.md = md;
            this.body = body;
            this.units = units;
            for (int i = 0; i < units.Count; i++)
                index[units[i].Offset] = i;
        }

        public int Highest()
        {
            int highest = 0;
            var seen = new int[units.Count];
            Array.Fill(seen, -1);
            Push(0, 0);
            foreach (var region in body.ExceptionRegions)
            {
                bool thrown = region.Kind == ExceptionRegionKind.Catch || region.Kind == ExceptionRegionKind.Filter;
                Push(region.HandlerOffset, thrown ? 1 : 0);
                if (region.Kind == ExceptionRegionKind.Filter)
                    Push(region.FilterOffset, 1);
                highest = Math.Max(highest, thrown ? 1 : 0);
            }
            while (work.Count > 0)
            {
                var (i, depth) = work.Pop();
                for (; i < units.Count && seen[i] < depth; i++)
                {
                    seen[i] = depth;
                    var u = units[i];
                    Effect(u, out int pops, out int pushes);
                    depth = Math.Max(0, depth - pops) + pushes;
                    highest = Math.Max(highest, depth);
                    if (highest > 65535)
                        return highest;
                    bool leaves = u.Code == OpCodes.Leave || u.Code == OpCodes.Leave_S;
                    if (u.Targets != null)
                        foreach (int target in u.Targets)
                            Push(target, leaves ? 0 : depth);
                    if (u.Code.FlowControl == FlowControl.Branch || u.Code.FlowControl == FlowControl.Return || u.Code.FlowControl == FlowControl.Throw ||
                        u.Code == OpCodes.Jmp)
                        break;
                }
            }
            return highest;
        }

        void Push(int offset, int depth)
        {
            if (index.TryGetValue(offset, out int unit))
                work.Push((unit, depth));
        }

        void Effect(Unit u, out int pops, out int pushes)
        {
            pushes = Pushes(u.Code.StackBehaviourPush);
            pops = Pops(u.Code.StackBehaviourPop);
            if (u.IsCall || u.Code == OpCodes.Newobj)
            {
                Signature(u, out int parameters, out bool returns);
                pops = parameters + (u.Code == OpCodes.Calli ? 1 : 0);
                pushes = returns || u.Code == OpCodes.Newobj ? 1 : 0;
            }
            else if (u.Code == OpCodes.Ret)
            {
                pops = 0;
            }
        }

        static int Pushes(StackBehaviour b)
        {
            return b == StackBehaviour.Push0 || b == StackBehaviour.Varpush ? 0 : b == StackBehaviour.Push1_push1 ? 2 : 1;
        }

        static int Pops(StackBehaviour b)
        {
            if (b == StackBehaviour.Pop0 || b == StackBehaviour.Varpop)
                return 0;
            string name = b.ToString(); // Popref_popi_popr8: one a part
            return name.Split('_').Length;
        }

        void Signature(Unit u, out int parameters, out bool returns)
        {
            var handle = MetadataTokens.EntityHandle(u.Token);
            if (handle.Kind == HandleKind.MethodSpecification)
                handle = md.GetMethodSpecification((MethodSpecificationHandle)handle).Method;
            var blob = md.GetBlobReader(
                handle.Kind == HandleKind.MethodDefinition ? md.GetMethodDefinition((MethodDefinitionHandle)handle).Signature
                : handle.Kind == HandleKind.MemberReference ? md.GetMemberReference((MemberReferenceHandle)handle).Signature
                : md.GetStandaloneSignature((StandaloneSignatureHandle)handle).Signature);
            var header = blob.ReadSignatureHeader();
            if (header.IsGeneric)
                blob.ReadCompressedInteger();
            parameters = blob.ReadCompressedInteger();
            if (header.IsInstance && !header.HasExplicitThis && u.Code != OpCodes.Newobj)
                parameters++;
            var code = blob.ReadCompressedInteger();
            while (code == 0x1f || code == 0x20) // modifiers
            {
                blob.ReadCompressedInteger();
                code = blob.ReadCompressedInteger();
            }
            returns = code != 1;
        }
    }
}
