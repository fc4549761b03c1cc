// Where the methods of an assembly stand in their source, by System.Reflection.Metadata: a line "0x06000001 LINE DOCUMENT" for each
// method with a line, of a state machine's starter those of its MoveNext. Arguments: assemblies, each with its symbols beside or in it;
// or a file with a path on each line: then "= PATH" stands before the lines of each that has symbols.
using System;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

static class Lines
{
    static SequencePoint? First(MetadataReader pdb, MethodDefinitionHandle method)
    {
        foreach (SequencePoint point in pdb.GetMethodDebugInformation(method.ToDebugInformationHandle()).GetSequencePoints())
            if (!point.IsHidden)
                return point;
        return null;
    }

    static int Main(string[] args)
    {
        bool isList = args.Length == 1 && args[0].EndsWith(".txt");
        foreach (string path in isList ? File.ReadAllLines(args[0]) : args)
        {
            using PEReader image = new PEReader(File.OpenRead(path));
            if (!image.TryOpenAssociatedPortablePdb(path, name => File.Exists(name) ? File.OpenRead(name) : null, out MetadataReaderProvider found, out _))
                continue;
            if (isList)
                Console.WriteLine("= " + path);
            MetadataReader pdb = found.GetMetadataReader(), assembly = image.GetMetadataReader();
            var places = assembly.MethodDefinitions.ToDictionary(method => method, method => First(pdb, method));
            foreach (MethodDefinitionHandle method in assembly.MethodDefinitions)
            {
                MethodDefinitionHandle starter = pdb.GetMethodDebugInformation(method.ToDebugInformationHandle()).GetStateMachineKickoffMethod();
                if (!starter.IsNil && places[starter] == null)
                    places[starter] = places[method];
            }
            foreach (MethodDefinitionHandle method in assembly.MethodDefinitions)
                if (places[method] is SequencePoint point)
                    Console.WriteLine($"0x{MetadataTokens.GetToken(method):x8} {point.StartLine} {pdb.GetString(pdb.GetDocument(point.Document).Name)}");
        }
        return 0;
    }
}
