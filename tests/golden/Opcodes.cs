// Prints what System.Reflection.Emit knows of each instruction, in the words of ecma335/il/opcodes.def.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;

static class Opcodes
{
    static string Pops(StackBehaviour b)
    {
        if (b == StackBehaviour.Varpop)
            return "VarPop";
        var parts = b.ToString().Split('_');
        for (int i = 0; i < parts.Length; i++)
            parts[i] = "Pop" + Upper(parts[i].Substring(3));
        return string.Join("_", parts);
    }

    static string Pushes(StackBehaviour b)
    {
        if (b == StackBehaviour.Varpush)
            return "VarPush";
        var parts = b.ToString().Split('_');
        for (int i = 0; i < parts.Length; i++)
            parts[i] = "Push" + Upper(parts[i].Substring(4));
        return string.Join("_", parts);
    }

    static string Upper(string s) => char.ToUpperInvariant(s[0]) + s.Substring(1);

    static string Flow(FlowControl f)
    {
        switch (f)
        {
            case FlowControl.Next: return "next";
            case FlowControl.Branch: return "branch";
            case FlowControl.Cond_Branch: return "cond_branch";
            case FlowControl.Call: return "call";
            case FlowControl.Return: return "return";
            case FlowControl.Throw: return "throw";
            case FlowControl.Meta: return "meta";
            case FlowControl.Break: return "break";
            default: return f.ToString();
        }
    }

    static void Main()
    {
        var lines = new SortedDictionary<ushort, string>();
        foreach (var field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            var op = (OpCode)field.GetValue(null);
            if (op.OpCodeType == OpCodeType.Nternal)
                continue; // prefix1 … prefixref stand for bytes, not instructions
            lines[(ushort)op.Value] = $"{(ushort)op.Value:x4} {op.Name} {op.Size} {op.OperandType} "
                + $"{Pops(op.StackBehaviourPop)} {Pushes(op.StackBehaviourPush)} {Flow(op.FlowControl)}";
        }
        foreach (var line in lines.Values)
            Console.WriteLine(line);
    }
}
