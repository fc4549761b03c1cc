// Which members of other assemblies the tracker refers to, and whether a set of reference assemblies has them all.
//   references TRACKER FOLDER…    one line for each folder: members that are missing there, then how many there are
// Uses the Mono.Cecil that comes with Mono. Exits with 1 when one is missing.
using System;
using System.Collections.Generic;
using System.IO;
using Mono.Cecil;

static class References
{
    // The assembly of a name in one folder, whatever version is asked for.
    sealed class InFolder : BaseAssemblyResolver
    {
        readonly string folder;
        readonly Dictionary<string, AssemblyDefinition> known = new Dictionary<string, AssemblyDefinition>();

        internal InFolder(string folder) { this.folder = folder; }

        public override AssemblyDefinition Resolve(AssemblyNameReference name) { return Resolve(name, new ReaderParameters()); }

        public override AssemblyDefinition Resolve(AssemblyNameReference name, ReaderParameters parameters)
        {
            AssemblyDefinition found;
            if (known.TryGetValue(name.Name, out found)) return found;
            string path = Path.Combine(folder, name.Name + ".dll");
            parameters.AssemblyResolver = this;
            found = File.Exists(path) ? AssemblyDefinition.ReadAssembly(path, parameters) : null;
            known.Add(name.Name, found);
            if (found == null) throw new AssemblyResolutionException(name);
            return found;
        }
    }

    static bool Has(MemberReference member)
    {
        try
        {
            MethodReference method = member as MethodReference;
            FieldReference field = member as FieldReference;
            TypeReference type = member as TypeReference;
            return (method != null ? (object)method.Resolve() : field != null ? (object)field.Resolve() : type.Resolve()) != null;
        }
        catch (AssemblyResolutionException)
        {
            return false;
        }
    }

    static int Main(string[] args)
    {
        int missing = 0;
        for (int i = 1; i < args.Length; i++)
        {
            ReaderParameters parameters = new ReaderParameters();
            parameters.AssemblyResolver = new InFolder(args[i]);
            ModuleDefinition tracker = ModuleDefinition.ReadModule(args[0], parameters);
            int count = 0;
            List<MemberReference> members = new List<MemberReference>(tracker.GetMemberReferences());
            foreach (TypeReference type in tracker.GetTypeReferences()) members.Add(type);
            foreach (MemberReference member in members)
            {
                count++;
                if (Has(member)) continue;
                missing++;
                Console.WriteLine(args[i] + ": no " + member.FullName);
            }
            Console.WriteLine(count + " members in " + args[i]);
        }
        return missing == 0 ? 0 : 1;
    }
}
