// Spoils one thing of an instrumented image after another and expects compare to find each: a judge that cannot say no
// is none. Each kind of damage is a place in the file (the last one found); one bit is turned over there.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Walker
{
    static class Damage
    {
        public static int Prove(string original, string output)
        {
            byte[] before = File.ReadAllBytes(original), after = File.ReadAllBytes(output);
            var clean = new Findings(20);
            Program.ComparePair(original, output, () => before, () => after, clean);
            if (clean.Count > 0)
            {
                Console.WriteLine(output + " differs as it is: " + clean.Lines[0]);
                return 1;
            }
            var kinds = new SortedDictionary<string, int>(StringComparer.Ordinal);
            using (var old = new Image(before))
            using (var image = new Image(after))
                foreach (var (kind, offset) in Heaps(image).Concat(Rows(old, image)).Concat(Header(image)).Concat(Code(image)).Concat(Payload(old, image)))
                    kinds[kind] = offset;
            int unseen = 0;
            foreach (var (kind, offset) in kinds)
            {
                var damaged = (byte[])after.Clone();
                damaged[offset] ^= 1;
                var findings = new Findings(1);
                Program.ComparePair(original, output, () => before, () => damaged, findings);
                Console.WriteLine(kind + ": " + (findings.Count > 0 ? findings.Lines[0] : "NOT SEEN"));
                if (findings.Count == 0)
                    unseen++;
            }
            Console.WriteLine($"{kinds.Count} kinds of damage, {unseen} not seen");
            return unseen == 0 && kinds.Count > 0 ? 0 : 1;
        }

        // No assembler of ours makes two methods with one body; obfuscators and linkers do.
        public static int Share(string input, string output, string from, string to)
        {
            using var image = new Image(input);
            int table = image.MetadataOffset + image.Md.GetTableMetadataOffset(TableIndex.MethodDef), size = image.Md.GetTableRowSize(TableIndex.MethodDef);
            int At(string name) => table + size * image.Md.MethodDefinitions.TakeWhile(h => image.Md.GetString(image.Md.GetMethodDefinition(h).Name) != name).Count();
            image.File.AsSpan(At(from), 4).CopyTo(image.File.AsSpan(At(to), 4));
            File.WriteAllBytes(output, image.File);
            return 0;
        }

        static IEnumerable<(string, int)> Heaps(Image i)
        {
            foreach (var stream in i.Streams)
            {
                if (stream.Name == "#GUID" || stream.Name == "#~" || stream.Name == "#-" || stream.Size < 8)
                    continue;
                yield return ("heap " + stream.Name, stream.Offset + 3);
            }
        }

        // The last cell of the first row.
        static IEnumerable<(string, int)> Rows(Image old, Image i)
        {
            for (int table = 0; table <= 0x2c; table++)
            {
                int size = i.Md.GetTableRowSize((TableIndex)table);
                bool pointsAway = table == (int)TableIndex.FieldRva;
                if (old.Md.GetTableRowCount((TableIndex)table) > 0)
                    yield return ("row of " + (TableIndex)table, i.MetadataOffset + i.Md.GetTableMetadataOffset((TableIndex)table) + (pointsAway ? size - 2 : LastCell(i, table, size)));
            }
        }

        static int LastCell(Image i, int table, int size)
        {
            return size - (size >= 4 && i.Md.GetTableRowCount(TableIndex.MethodDef) > 0xffff ? 4 : 2);
        }

        static IEnumerable<(string, int)> Header(Image i)
        {
            int optional = i.Pe.PEHeaders.PEHeaderStartOffset, cli = i.Pe.PEHeaders.CorHeaderStartOffset;
            yield return ("time stamp", i.Pe.PEHeaders.CoffHeaderStartOffset + 4);
            yield return ("characteristics", i.Pe.PEHeaders.CoffHeaderStartOffset + 18);
            yield return ("size of image", optional + 57);
            yield return ("subsystem", optional + 68);
            yield return ("dll characteristics", optional + 70);
            yield return ("stack reserve", optional + 74);
            yield return ("CLI flags", cli + 16);
            yield return ("entry point", cli + 20);
            int stub = i.Pe.PEHeaders.PEHeader.AddressOfEntryPoint;
            if (stub != 0)
                yield return ("entry stub", i.FileOffset(stub, out _) + 3);
            var resources = i.Pe.PEHeaders.PEHeader.ResourceTableDirectory;
            if (resources.Size != 0)
                yield return ("native resources", i.FileOffset(resources.RelativeVirtualAddress, out _) + resources.Size * 3 / 4);
            var debug = i.Pe.PEHeaders.PEHeader.DebugTableDirectory;
            if (debug.Size != 0)
            {
                yield return ("debug entry's type", i.FileOffset(debug.RelativeVirtualAddress, out _) + 12);
                foreach (var entry in i.Pe.ReadDebugDirectory().Where(e => e.DataSize > 0))
                    yield return ("debug entry " + entry.Type, entry.DataPointer + entry.DataSize / 2);
            }
        }

        static IEnumerable<(string, int)> Payload(Image old, Image i)
        {
            foreach (var handle in old.Md.ManifestResources.Take(1))
            {
                var resource = i.Md.GetManifestResource(handle);
                if (resource.Implementation.IsNil && Data.Resource(i, resource.Offset).Length > 4)
                    yield return ("resource", i.FileOffset(i.Pe.PEHeaders.CorHeader.ResourcesDirectory.RelativeVirtualAddress, out _) + (int)resource.Offset + 6);
            }
            foreach (var handle in i.Md.FieldDefinitions)
                if (i.Md.GetFieldDefinition(handle).GetRelativeVirtualAddress() is int rva && rva != 0)
                    yield return ("field data", i.FileOffset(rva, out _));
        }

        static IEnumerable<(string, int)> Code(Image i)
        {
            foreach (var handle in i.Md.MethodDefinitions)
            {
                if (i.Md.GetString(i.Md.GetTypeDefinition(i.Md.GetMethodDefinition(handle).GetDeclaringType()).Name).StartsWith("<ilinject>"))
                    continue;
                int rva = i.Md.GetMethodDefinition(handle).RelativeVirtualAddress;
                if (rva == 0)
                    continue;
                var body = i.Pe.GetMethodBody(rva);
                int header = i.FileOffset(rva, out _);
                bool tiny = (i.File[header] & 3) == 2;
                int code = header + (tiny ? 1 : 12);
                var units = Il.Decode(body.GetILBytes());
                yield return ("first instruction", code);
                yield return ("last instruction", code + units[^1].Offset);
                foreach (var u in units)
                {
                    if (u.Targets != null)
                        yield return ("branch " + u.Code.OperandType, code + u.Offset + u.Size - (u.Code.OperandType == OperandType.ShortInlineBrTarget ? 1 : 4));
                    if (u.Code == OpCodes.Ldstr || u.Code == OpCodes.Call)
                        yield return ("operand of " + u.Code.Name, code + u.InstructionOffset + 1);
                }
                if (units.Count > 4 && units[1].Code == OpCodes.Call)
                    yield return ("enter", code + units[1].Offset + 1);
                if (units.Count > 4 && units[^1].Code == OpCodes.Ret && units[^2].Code == OpCodes.Call)
                    yield return ("leave", code + units[^2].Offset + 1);
                if (tiny)
                    continue;
                if (!body.LocalSignature.IsNil)
                    yield return ("local signature", header + 9);
                if (new StackDepth(i.Md, body, units).Highest() is int needed && needed == body.MaxStack && (needed & 1) != 0)
                    yield return ("max stack", header + 2);
                if (body.ExceptionRegions.Length > 0)
                {
                    int section = code + (units[^1].Offset + units[^1].Size + 3) / 4 * 4;
                    bool fat = (i.File[section] & 0x40) != 0;
                    yield return ("clause kind", section + 4);
                    yield return ("clause try", section + (fat ? 8 : 6));
                    yield return ("clause handler", section + (fat ? 16 : 9));
                }
            }
        }
    }
}
