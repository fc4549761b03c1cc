// A weaver for Fody that does what ilinject does, as simply as it can: a call at the head of each
// method and one before each of its returns, with the method's number.
using System.Collections.Generic;
using System.Linq;
using Fody;
using Mono.Cecil.Cil;

public class ModuleWeaver : BaseModuleWeaver
{
    public override IEnumerable<string> GetAssembliesForScanning()
    {
        yield break;
    }

    public override void Execute()
    {
        var timed = ModuleDefinition.GetType("Timed");
        var enter = timed.Methods.Single(m => m.Name == "Enter");
        var leave = timed.Methods.Single(m => m.Name == "Leave");
        int number = 0;
        foreach (var type in ModuleDefinition.GetTypes().Where(t => t != timed))
            foreach (var method in type.Methods.Where(m => m.HasBody))
                Weave(method.Body, number++, enter, leave);
    }

    private static void Weave(MethodBody body, int number, Mono.Cecil.MethodReference enter, Mono.Cecil.MethodReference leave)
    {
        var il = body.GetILProcessor();
        var returns = body.Instructions.Where(i => i.OpCode == OpCodes.Ret).ToList();
        var first = body.Instructions[0];
        il.InsertBefore(first, il.Create(OpCodes.Ldc_I4, number));
        il.InsertBefore(first, il.Create(OpCodes.Call, enter));
        foreach (var ret in returns)
        {
            // In its place, so that what jumps to it comes here.
            ret.OpCode = OpCodes.Ldc_I4;
            ret.Operand = number;
            var end = il.Create(OpCodes.Ret);
            il.InsertAfter(ret, end);
            il.InsertBefore(end, il.Create(OpCodes.Call, leave));
        }
    }
}
