// walker: reads assemblies with System.Reflection.Metadata, a reader that is not ours, and judges what the instrumenter wrote.
//
//   walker compare [-n N] ORIGINAL OUTPUT      is OUTPUT the ORIGINAL but for what was planned? And the PDBs, if any
//   walker compare [-n N] --list FILE          the same for many pairs: one "ORIGINAL<tab>OUTPUT" a line
//   walker prepare DLL...                      CoreCLR's JIT over every method; prints the faults
//   walker prepare-pairs [--beside FOLDER]... FILE   for pairs listed as above: is what is compiled before compiled after, and what
//                                              is refused refused for the same reason?
//   walker prove ORIGINAL OUTPUT               spoils one thing of OUTPUT after another: does compare see each?
//   walker share IN OUT FROM TO                the method named TO gets the body of the one named FROM: one RVA, two methods
//   walker precompiled FOLDER...               lists the images with a managed native header, in a fixed order
//   walker each FILE                           such commands one after another, one "ANSWER<tab>COMMAND<tab>ARGUMENT…" a line: what each
//                                              prints goes to the file ANSWER, and its exit value to ANSWER.status
//   walker cli-flags IN OUT FLAGS              a copy with other flags in its CLI header
//   walker rtr-flags IN OUT FLAGS              a copy with other flags in its ReadyToRun header
//
// compare prints at most N (20) differences a pair and one closing line; exit 1 when there was any.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Walker
{
    static class Program
    {
        static int Main(string[] args)
        {
            switch (args.FirstOrDefault())
            {
                case "compare": return Compare(args.Skip(1).ToList());
                case "prepare": return Preparer.Run(args.Skip(1));
                case "prepare-pairs": return PreparePairs(args.Skip(1).ToList());
                case "share": return Damage.Share(args[1], args[2], args[3], args[4]);
                case "precompiled": return Precompiled.List(args.Skip(1));
                case "cli-flags": return Precompiled.SetFlags(args[1], args[2], i => i.Pe.PEHeaders.PEHeader.CorHeaderTableDirectory.RelativeVirtualAddress + 16, Convert.ToUInt32(args[3], 16));
                case "rtr-flags": return Precompiled.SetFlags(args[1], args[2], i => i.Pe.PEHeaders.CorHeader.ManagedNativeHeaderDirectory.RelativeVirtualAddress + 8, Convert.ToUInt32(args[3], 16));
                case "each": return Each(args[1]);
                case "prove": return Damage.Prove(args[1], args[2]);
            }
            Console.Error.WriteLine("usage: walker compare|prepare|prepare-pairs|prove|each|share|precompiled|cli-flags|rtr-flags ...");
            return 2;
        }

        static int Each(string list)
        {
            foreach (string[] words in ReadPairs(list))
            {
                int status = 134;
                using (var answer = new StreamWriter(words[0]))
                {
                    Console.SetOut(answer);
                    try
                    {
                        status = Main(words.Skip(2).Prepend(words[1]).ToArray());
                    }
                    catch (Exception e)
                    {
                        answer.WriteLine(e);
                    }
                }
                File.WriteAllText(words[0] + ".status", status.ToString());
            }
            return 0;
        }

        static List<string[]> ReadPairs(string file)
        {
            return File.ReadLines(file).Where(line => line.Length > 0).Select(line => line.Split('\t')).ToList();
        }

        static int PreparePairs(List<string> args)
        {
            var folders = new List<string>();
            for (; args.Count > 1 && args[0] == "--beside"; args.RemoveRange(0, 2))
                folders.Add(Path.GetFullPath(args[1]));
            return Preparer.RunPairs(folders, ReadPairs(args[0]));
        }

        static int Compare(List<string> args)
        {
            int limit = 20;
            if (args.Count > 1 && args[0] == "-n")
            {
                limit = int.Parse(args[1]);
                args.RemoveRange(0, 2);
            }
            var pairs = args[0] == "--list"
                ? ReadPairs(args[1])
                : new List<string[]> { args.ToArray() };
            if (pairs.Any(pair => pair.Length != 2))
            {
                Console.Error.WriteLine("a pair is two files");
                return 2;
            }
            int bad = 0;
            long instrumented = 0, untouched = 0, internalCalls = 0, pdbs = 0;
            Parallel.ForEach(pairs, new ParallelOptions { MaxDegreeOfParallelism = 2 }, pair =>
            {
                var findings = new Findings(limit);
                var bodies = ComparePair(pair[0], pair[1], () => File.ReadAllBytes(pair[0]), () => File.ReadAllBytes(pair[1]), findings);
                lock (pairs)
                {
                    instrumented += bodies.Instrumented;
                    untouched += bodies.Untouched;
                    internalCalls += bodies.InternalCalls;
                    pdbs += bodies.Pdbs;
                    if (findings.Count == 0)
                        return;
                    bad++;
                    Console.WriteLine(pair[1] + ": " + findings.Count + " differences");
                    foreach (string line in findings.Lines)
                        Console.WriteLine("    " + line);
                }
            });
            Console.WriteLine($"{pairs.Count} pairs, {bad} differ; {instrumented} bodies instrumented, {untouched} as they were, {internalCalls} of internal calls; {pdbs} PDBs");
            return bad == 0 ? 0 : 1;
        }

        // The paths are only for the PDBs beside them.
        public static BodyCounts ComparePair(string originalPath, string outputPath, Func<byte[]> before, Func<byte[]> after, Findings findings)
        {
            try
            {
                using var original = new Image(before());
                using var output = new Image(after());
                if (original.File.AsSpan().SequenceEqual(output.File)) // copied through
                    return new BodyCounts();
                byte[] oldPdb = Symbols.Find(original, Path.ChangeExtension(originalPath, ".pdb"));
                byte[] newPdb = Symbols.Find(output, Path.ChangeExtension(outputPath, ".pdb"));
                Headers.Compare(original, output, oldPdb != null ? newPdb : null, findings);
                Streams.Compare(original, output, findings);
                Tables.Compare(original, output, findings);
                Data.Compare(original, output, findings);
                var counts = Bodies.Compare(original, output, findings, out var moves);
                if (oldPdb != null && newPdb == null)
                    findings.Add("the PDB did not come along");
                if (oldPdb != null && newPdb != null)
                {
                    Symbols.Compare(output, oldPdb, newPdb, moves, findings);
                    counts.Pdbs = 1;
                }
                return counts;
            }
            catch (Exception e) when (e is BadImageFormatException || e is IOException || e is ArgumentException)
            {
                findings.Add("cannot be read: " + e.Message);
                return new BodyCounts();
            }
        }
    }

    sealed class Findings
    {
        readonly int limit;
        public readonly List<string> Lines = new List<string>();
        public int Count;

        public Findings(int limit) { this.limit = limit; }

        public void Add(string line)
        {
            if (Count++ < limit)
                Lines.Add(line);
        }

        public void Expect(string what, object expected, object found)
        {
            if (!Equals(expected, found))
                Add($"{what}: {expected} became {found}");
        }

        public void ExpectBytes(string what, ReadOnlySpan<byte> expected, ReadOnlySpan<byte> found)
        {
            if (expected.Length != found.Length)
                Add($"{what}: {expected.Length} bytes became {found.Length}");
            else if (expected.CommonPrefixLength(found) is int same && same < expected.Length)
                Add($"{what}: byte {same} of {expected.Length} differs");
        }
    }

    struct BodyCounts
    {
        public long Instrumented, Untouched, InternalCalls, Pdbs;
    }
}
