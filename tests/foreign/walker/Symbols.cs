// The portable PDB of the output, beside it or in it: it belongs to the output, and says of each old instruction what the
// original's PDB said of it.
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Security.Cryptography;

namespace Walker
{
    // Where an instrumented body's old offsets went: the place of the instruction, with what was put in front of it.
    struct Moves
    {
        public Dictionary<int, int> Offsets;
        public int OldEnd, CodeEnd, NewEnd; // the guard's code stands between the last two

        public int At(int old)
        {
            if (old == OldEnd)
                return NewEnd;
            // F#'s compiler cuts offsets at 65,534, which may be amid an instruction: such a point moves along with it.
            for (int inside = 0; inside <= old; inside++)
                if (Offsets.TryGetValue(old - inside, out int now))
                    return now + inside;
            return -1;
        }
    }

    sealed class Symbols
    {
        static readonly Guid hoistedScopes = new Guid("6DA9A61E-F8C7-4874-BE62-68BC5630DF71");
        static readonly Guid stepping = new Guid("54FD2AC5-E925-401A-9C2A-F94F171072F8");

        readonly Image output;
        readonly MetadataReader a, b;
        readonly Dictionary<int, Moves> moves; // by MethodDef row
        readonly Findings f;

        Symbols(Image output, MetadataReader a, MetadataReader b, Dictionary<int, Moves> moves, Findings f)
        {
            this.output = output;
            this.a = a;
            this.b = b;
            this.moves = moves;
            this.f = f;
        }

        // The bytes of the portable PDB that an image names: embedded, or in the file at `beside`. null: none that fits.
        public static byte[] Find(Image image, string beside)
        {
            if (image.Pe.PEHeaders.PEHeader.DebugTableDirectory.Size == 0)
                return null;
            foreach (var entry in image.Pe.ReadDebugDirectory().Where(e => e.Type == DebugDirectoryEntryType.EmbeddedPortablePdb))
                return Inflate(image.File, entry);
            if (beside == null || !File.Exists(beside))
                return null;
            byte[] pdb = File.ReadAllBytes(beside);
            return pdb.Length >= 4 && pdb[0] == 'B' && pdb[1] == 'S' && IdFits(image, pdb) ? pdb : null;
        }

        static byte[] Inflate(byte[] file, DebugDirectoryEntry entry)
        {
            try
            {
                byte[] pdb = new byte[BitConverter.ToInt32(file, entry.DataPointer + 4)];
                using var deflate = new DeflateStream(new MemoryStream(file, entry.DataPointer + 8, entry.DataSize - 8), CompressionMode.Decompress);
                deflate.ReadExactly(pdb);
                return deflate.ReadByte() < 0 ? pdb : throw new BadImageFormatException("the embedded PDB is longer than it says");
            }
            catch (InvalidDataException e)
            {
                throw new BadImageFormatException(e.Message);
            }
        }

        static int PdbStream(byte[] pdb) // the offset of #Pdb, which begins with the id
        {
            for (int at = 32; at < pdb.Length && at < 400; at += 4)
                if (System.Text.Encoding.ASCII.GetString(pdb, at, 4) == "#Pdb")
                    return BitConverter.ToInt32(pdb, at - 8);
            throw new BadImageFormatException("no #Pdb stream");
        }

        static bool IdFits(Image image, byte[] pdb)
        {
            var id = new BlobContentId(pdb.AsSpan(PdbStream(pdb), 20).ToArray());
            return image.Pe.ReadDebugDirectory().Any(e => e.Type == DebugDirectoryEntryType.CodeView &&
                image.Pe.ReadCodeViewDebugDirectoryData(e).Guid == id.Guid && e.Stamp == id.Stamp);
        }

        // The output's debug directory about its new PDB. `what` is one of its entries.
        public static void Entry(Image output, DebugDirectoryEntry what, byte[] pdb, Findings f)
        {
            if (!IdFits(output, pdb))
                f.Add("the CodeView entry does not name the PDB");
            if (what.Type == DebugDirectoryEntryType.CodeView)
                f.Expect("the CodeView entry's age", 1, output.Pe.ReadCodeViewDebugDirectoryData(what).Age);
            if (what.Type != DebugDirectoryEntryType.PdbChecksum)
                return;
            var checksum = output.Pe.ReadPdbChecksumDebugDirectoryData(what);
            byte[] zeroed = (byte[])pdb.Clone();
            zeroed.AsSpan(PdbStream(pdb), 20).Clear();
            f.Expect("the checksum's algorithm", "SHA256", checksum.AlgorithmName);
            f.ExpectBytes("the PDB's checksum", SHA256.HashData(zeroed), checksum.Checksum.AsSpan());
        }

        public static void Compare(Image output, byte[] before, byte[] after, Dictionary<int, Moves> moves, Findings f)
        {
            using var left = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(before));
            using var right = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(after));
            var symbols = new Symbols(output, left.GetMetadataReader(), right.GetMetadataReader(), moves, f);
            symbols.RowCounts(after);
            symbols.Documents();
            symbols.Methods();
            symbols.Scopes();
            symbols.Custom();
        }

        void RowCounts(byte[] pdb)
        {
            int at = PdbStream(pdb);
            ulong mask = BitConverter.ToUInt64(pdb, at + 24);
            at += 32;
            for (int t = 0; t < 64; t++)
                if ((mask >> t & 1) != 0)
                {
                    f.Expect($"PDB: rows of table {t:x}", output.Md.GetTableRowCount((TableIndex)t), BitConverter.ToInt32(pdb, at));
                    at += 4;
                }
            foreach (TableIndex t in Enum.GetValues(typeof(TableIndex)))
                if (t >= TableIndex.Document && t != TableIndex.MethodDebugInformation)
                    f.Expect($"PDB: rows of {t}", a.GetTableRowCount(t), b.GetTableRowCount(t));
            if (a.GetTableRowCount(TableIndex.MethodDebugInformation) != 0)
                f.Expect("PDB: rows of MethodDebugInformation", output.Md.GetTableRowCount(TableIndex.MethodDef), b.GetTableRowCount(TableIndex.MethodDebugInformation));
            f.Expect("PDB: entry point", a.DebugMetadataHeader.EntryPoint, b.DebugMetadataHeader.EntryPoint);
        }

        void Documents()
        {
            foreach (var handle in a.Documents)
            {
                var x = a.GetDocument(handle);
                var y = b.GetDocument(handle);
                f.Expect("PDB: document", (a.GetString(x.Name), a.GetGuid(x.HashAlgorithm), a.GetGuid(x.Language)), (b.GetString(y.Name), b.GetGuid(y.HashAlgorithm), b.GetGuid(y.Language)));
                f.ExpectBytes("PDB: document's hash", a.GetBlobBytes(x.Hash), b.GetBlobBytes(y.Hash));
            }
            foreach (var handle in a.ImportScopes)
                f.ExpectBytes("PDB: imports", a.GetBlobBytes(a.GetImportScope(handle).ImportsBlob), b.GetBlobBytes(b.GetImportScope(handle).ImportsBlob));
        }

        void Methods()
        {
            foreach (var handle in b.MethodDebugInformation)
            {
                int row = MetadataTokens.GetRowNumber(handle);
                string name = $"PDB: method 0x06{row:x6}";
                var y = b.GetMethodDebugInformation(handle);
                if (row > a.MethodDebugInformation.Count)
                {
                    f.Expect(name + ", which is new, has points", true, y.SequencePointsBlob.IsNil && y.Document.IsNil);
                    continue;
                }
                var x = a.GetMethodDebugInformation(handle);
                f.Expect(name + ": document", x.Document, y.Document);
                f.Expect(name + ": kickoff method", x.GetStateMachineKickoffMethod(), y.GetStateMachineKickoffMethod());
                if (!moves.TryGetValue(row, out var map) || x.SequencePointsBlob.IsNil)
                {
                    f.ExpectBytes(name + ": points", a.GetBlobBytes(x.SequencePointsBlob), b.GetBlobBytes(y.SequencePointsBlob));
                    continue;
                }
                f.Expect(name + ": local signature", output.Pe.GetMethodBody(output.Md.GetMethodDefinition(MetadataTokens.MethodDefinitionHandle(row)).RelativeVirtualAddress).LocalSignature, y.LocalSignature);
                var old = x.GetSequencePoints().ToList();
                var now = y.GetSequencePoints().ToList();
                int added = old.Count > 0 && map.CodeEnd < map.NewEnd ? 1 : 0; // at what stands after the code
                f.Expect(name + ": number of points", old.Count + added, now.Count);
                if (old.Count == 0 || now.Count != old.Count + added)
                    continue;
                if (added == 1)
                    f.Expect(name + ": last point", (map.CodeEnd, true), (now[^1].Offset, now[^1].IsHidden));
                for (int i = 0; i < old.Count; i++)
                    f.Expect($"{name}: point at {old[i].Offset}", Place(old[i], old[i].Offset == 0 ? 0 : map.At(old[i].Offset)), Place(now[i], now[i].Offset));
            }
        }

        static object Place(SequencePoint p, int offset)
        {
            return (offset, p.Document, p.StartLine, p.StartColumn, p.EndLine, p.EndColumn);
        }

        void Scopes()
        {
            foreach (var handle in a.LocalScopes)
            {
                var x = a.GetLocalScope(handle);
                var y = b.GetLocalScope(handle);
                string name = $"PDB: scope {MetadataTokens.GetRowNumber(handle)}";
                f.Expect(name, (x.Method, x.ImportScope), (y.Method, y.ImportScope));
                f.Expect(name + ": bounds", Bounds(MetadataTokens.GetRowNumber(x.Method), x.StartOffset, x.EndOffset), (y.StartOffset, y.EndOffset));
                f.Expect(name + ": locals", string.Join(" ", x.GetLocalVariables().Select(v => Local(a, v))), string.Join(" ", y.GetLocalVariables().Select(v => Local(b, v))));
                f.Expect(name + ": constants", string.Join(" ", x.GetLocalConstants().Select(c => Constant(a, c))), string.Join(" ", y.GetLocalConstants().Select(c => Constant(b, c))));
            }
        }

        // A scope that is the whole method's stays so.
        (int, int) Bounds(int row, int start, int end)
        {
            if (!moves.TryGetValue(row, out var map))
                return (start, end);
            return start == 0 && end == map.OldEnd ? (0, map.NewEnd) : (map.At(start), map.At(end));
        }

        static string Local(MetadataReader r, LocalVariableHandle handle)
        {
            var v = r.GetLocalVariable(handle);
            return $"{v.Index}:{r.GetString(v.Name)}:{v.Attributes}";
        }

        static string Constant(MetadataReader r, LocalConstantHandle handle)
        {
            var c = r.GetLocalConstant(handle);
            return r.GetString(c.Name) + ":" + Convert.ToHexString(r.GetBlobBytes(c.Signature));
        }

        void Custom()
        {
            foreach (var handle in a.CustomDebugInformation)
            {
                var x = a.GetCustomDebugInformation(handle);
                var y = b.GetCustomDebugInformation(handle);
                string name = $"PDB: custom information {MetadataTokens.GetRowNumber(handle)}";
                var kind = a.GetGuid(x.Kind);
                f.Expect(name, (x.Parent, kind), (y.Parent, b.GetGuid(y.Kind)));
                byte[] value = a.GetBlobBytes(x.Value);
                int row = x.Parent.Kind == HandleKind.MethodDefinition ? MetadataTokens.GetRowNumber(x.Parent) : 0;
                if (moves.ContainsKey(row) && kind == hoistedScopes)
                    value = HoistedScopes(row, value);
                else if (moves.ContainsKey(row) && kind == stepping)
                    value = Steps(row, value);
                f.ExpectBytes(name, value, b.GetBlobBytes(y.Value));
            }
        }

        byte[] HoistedScopes(int row, byte[] old)
        {
            var now = new MemoryStream();
            for (int at = 0; at < old.Length; at += 8)
            {
                int start = BitConverter.ToInt32(old, at), length = BitConverter.ToInt32(old, at + 4);
                var (from, to) = start == 0 && length == 0 ? (0, 0) : Bounds(row, start, start + length);
                now.Write(BitConverter.GetBytes(from));
                now.Write(BitConverter.GetBytes(to - from));
            }
            return now.ToArray();
        }

        byte[] Steps(int row, byte[] old)
        {
            var now = new BlobBuilder();
            int handler = BitConverter.ToInt32(old, 0);
            now.WriteInt32(handler == 0 ? 0 : moves[row].At(handler - 1) + 1);
            unsafe
            {
                fixed (byte* p = old)
                {
                    var r = new BlobReader(p + 4, old.Length - 4);
                    while (r.RemainingBytes > 0)
                    {
                        int yields = r.ReadInt32(), resumes = r.ReadInt32(), method = r.ReadCompressedInteger();
                        now.WriteInt32(moves[row].At(yields));
                        now.WriteInt32(moves.TryGetValue(method, out var map) ? map.At(resumes) : resumes);
                        now.WriteCompressedInteger(method);
                    }
                }
            }
            return now.ToArray();
        }
    }
}
