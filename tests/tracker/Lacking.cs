// Makes a tracker for a host that lacks members of the core library.
//   lacking TRACKER OUT MEMBER…    in OUT each MEMBER, as "Type::Name", is one that is nowhere
//   lacking TRACKER OUT @LIST      so are those that silverlight.txt gives a - or ! to; and OUT takes its host for Silverlight
//   lacking TRACKER - @LIST        nothing is made: a member that LIST does not speak of is named, with a method that uses it
// Uses the Mono.Cecil that comes with Mono. Exits with 1 when the tracker does not refer to a MEMBER, or refers to what LIST does not speak of.
using System;
using System.Collections.Generic;
using System.IO;
using Mono.Cecil;
using Mono.Cecil.Cil;

static class Lacking
{
    static int Main(string[] args)
    {
        ModuleDefinition tracker = ModuleDefinition.ReadModule(args[0]);
        return args[2][0] == '@' ? AsListed(tracker, args[1], args[2].Substring(1)) : AsNamed(tracker, args);
    }

    static int AsNamed(ModuleDefinition tracker, string[] args)
    {
        int found = 0;
        foreach (MemberReference member in tracker.GetMemberReferences())
            for (int i = 2; i < args.Length; i++)
                if (member.DeclaringType.FullName + "::" + member.Name == args[i])
                {
                    member.Name += "ThatIsNowhere";
                    found |= 1 << i;
                    break;
                }
        for (int i = 2; i < args.Length; i++)
            if ((found & 1 << i) == 0) { Console.WriteLine("no " + args[i]); return 1; }
        tracker.Write(args[1]);
        return 0;
    }

    static int AsListed(ModuleDefinition tracker, string output, string list)
    {
        Dictionary<string, char> marks = new Dictionary<string, char>();
        foreach (string line in File.ReadAllLines(list))
            if (line.Length != 0 && line[0] != '#') marks.Add(line.Substring(2), line[0]);
        int missing = 0, unknown = 0;
        foreach (MemberReference member in tracker.GetMemberReferences())
        {
            TypeReference type = member.DeclaringType.GetElementType();
            // The runtime makes the members of arrays itself.
            if (type is TypeDefinition || member.DeclaringType.IsArray) continue;
            string name = type.FullName + "::" + member.Name, full = member.FullName.Substring(member.FullName.IndexOf("::"));
            int parameters = full.IndexOf('(');
            char mark;
            if ((parameters < 0 || !marks.TryGetValue(name + full.Substring(parameters), out mark)) && !marks.TryGetValue(name, out mark) && !marks.TryGetValue(type.FullName + "::*", out mark))
            {
                Console.WriteLine(Path.GetFileName(list) + " does not speak of " + name + (parameters < 0 ? "" : full.Substring(parameters)) + ", which " + UserOf(tracker, member) + " uses");
                unknown++;
            }
            else if (mark != '+')
            {
                member.Name += "ThatIsNowhere";
                missing++;
            }
        }
        if (output == "-") return unknown == 0 ? 0 : 1;
        MethodBody body = tracker.GetType("Instrumenter.Host").Methods[IndexOf(tracker.GetType("Instrumenter.Host"), "get_IsSilverlight")].Body;
        body.Instructions.Clear();
        body.Variables.Clear();
        body.ExceptionHandlers.Clear();
        body.Instructions.Add(Instruction.Create(OpCodes.Ldc_I4_1));
        body.Instructions.Add(Instruction.Create(OpCodes.Ret));
        tracker.Write(output);
        Console.WriteLine(missing + " members are nowhere");
        return 0;
    }

    static int IndexOf(TypeDefinition type, string method)
    {
        for (int i = 0; i < type.Methods.Count; i++)
            if (type.Methods[i].Name == method) return i;
        throw new MissingMethodException(type.Name, method);
    }

    static string UserOf(ModuleDefinition tracker, MemberReference member)
    {
        foreach (TypeDefinition type in tracker.GetTypes())
            foreach (MethodDefinition method in type.Methods)
                if (method.HasBody)
                    foreach (Instruction instruction in method.Body.Instructions)
                        if (instruction.Operand is MemberReference && ((MemberReference)instruction.Operand).FullName == member.FullName) return type.Name + "." + method.Name;
        return "an attribute";
    }
}
