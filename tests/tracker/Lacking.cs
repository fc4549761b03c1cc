// Makes a tracker for a host that lacks members of the core library.
//   lacking TRACKER OUT MEMBER…    in OUT each MEMBER, as "Type::Name", is one that is nowhere
// Uses the Mono.Cecil that comes with Mono. Exits with 1 when the tracker does not refer to one of them.
using System;
using Mono.Cecil;

static class Lacking
{
    static int Main(string[] args)
    {
        ModuleDefinition tracker = ModuleDefinition.ReadModule(args[0]);
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
}
