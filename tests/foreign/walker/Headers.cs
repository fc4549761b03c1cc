// PE headers, sections, directories, entry stub, CLI header, debug directory, native resources.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection.PortableExecutable;

namespace Walker
{
    static class Headers
    {
        // `pdb`: the output's, when there is one that goes along.
        public static void Compare(Image a, Image b, byte[] pdb, Findings f)
        {
            if (Precompiled.Is(a))
            {
                Precompiled.Compare(a, b, f);
            }
            else
            {
                Coff(a.Pe.PEHeaders, b.Pe.PEHeaders, Appended.Is(a) ? Appended.Section : "", f);
                Layout(a.Pe.PEHeaders.PEHeader, b.Pe.PEHeaders.PEHeader, f);
                f.Expect("CLI flags", a.Pe.PEHeaders.CorHeader.Flags, b.Pe.PEHeaders.CorHeader.Flags);
                if (Appended.Is(a))
                    Appended.Compare(a, b, f);
            }
            f.Expect("Characteristics", a.Pe.PEHeaders.CoffHeader.Characteristics, b.Pe.PEHeaders.CoffHeader.Characteristics);
            f.Expect("TimeDateStamp", a.Pe.PEHeaders.CoffHeader.TimeDateStamp, b.Pe.PEHeaders.CoffHeader.TimeDateStamp);
            Optional(a.Pe.PEHeaders.PEHeader, b.Pe.PEHeaders.PEHeader, f);
            Cli(a.Pe.PEHeaders.CorHeader, b.Pe.PEHeaders.CorHeader, f);
            Sections(b, f);
            EntryStub(a, b, f);
            Debug(a, b, pdb, f);
            var before = NativeResources(a);
            var after = NativeResources(b);
            f.Expect("native resources", string.Join(" ", before.Keys), string.Join(" ", after.Keys));
            foreach (var pair in before)
                if (after.TryGetValue(pair.Key, out var bytes))
                    f.ExpectBytes("native resource " + pair.Key, pair.Value, bytes);
        }

        static void Coff(PEHeaders a, PEHeaders b, string added, Findings f)
        {
            f.Expect("Machine", a.CoffHeader.Machine, b.CoffHeader.Machine);
            f.Expect("sections", string.Join(" ", a.SectionHeaders.Select(Name)) + added, string.Join(" ", b.SectionHeaders.Select(Name)));
        }

        public static string Name(SectionHeader s) { return s.Name + ":" + s.SectionCharacteristics.ToString("x"); }

        static void Layout(PEHeader a, PEHeader b, Findings f)
        {
            f.Expect("Magic", a.Magic, b.Magic);
            f.Expect("ImageBase", a.ImageBase, b.ImageBase);
            f.Expect("SectionAlignment", a.SectionAlignment, b.SectionAlignment);
            f.Expect("FileAlignment", a.FileAlignment, b.FileAlignment);
            f.Expect("number of directories", a.NumberOfRvaAndSizes, b.NumberOfRvaAndSizes);
            Directory("export", a.ExportTableDirectory, b.ExportTableDirectory, f);
            Directory("import", a.ImportTableDirectory, b.ImportTableDirectory, f);
            Directory("exception", a.ExceptionTableDirectory, b.ExceptionTableDirectory, f);
            Directory("relocation", a.BaseRelocationTableDirectory, b.BaseRelocationTableDirectory, f);
            Directory("debug", a.DebugTableDirectory, b.DebugTableDirectory, f);
            Directory("TLS", a.ThreadLocalStorageTableDirectory, b.ThreadLocalStorageTableDirectory, f);
            Directory("IAT", a.ImportAddressTableDirectory, b.ImportAddressTableDirectory, f);
        }

        static void Optional(PEHeader a, PEHeader b, Findings f)
        {
            f.Expect("linker version", (a.MajorLinkerVersion, a.MinorLinkerVersion), (b.MajorLinkerVersion, b.MinorLinkerVersion));
            f.Expect("OS version", (a.MajorOperatingSystemVersion, a.MinorOperatingSystemVersion),
                (b.MajorOperatingSystemVersion, b.MinorOperatingSystemVersion));
            f.Expect("image version", (a.MajorImageVersion, a.MinorImageVersion), (b.MajorImageVersion, b.MinorImageVersion));
            f.Expect("subsystem version", (a.MajorSubsystemVersion, a.MinorSubsystemVersion), (b.MajorSubsystemVersion, b.MinorSubsystemVersion));
            f.Expect("Subsystem", a.Subsystem, b.Subsystem);
            f.Expect("DllCharacteristics", a.DllCharacteristics, b.DllCharacteristics);
            f.Expect("stack", (a.SizeOfStackReserve, a.SizeOfStackCommit), (b.SizeOfStackReserve, b.SizeOfStackCommit));
            f.Expect("heap", (a.SizeOfHeapReserve, a.SizeOfHeapCommit), (b.SizeOfHeapReserve, b.SizeOfHeapCommit));
            Directory("resource", a.ResourceTableDirectory, b.ResourceTableDirectory, f);
            Directory("CLI", a.CorHeaderTableDirectory, b.CorHeaderTableDirectory, f);
            if (b.CertificateTableDirectory.Size != 0)
                f.Add("an Authenticode signature was left, which no longer holds");
        }

        static void Directory(string name, DirectoryEntry a, DirectoryEntry b, Findings f)
        {
            f.Expect($"{name} directory is in use", a.RelativeVirtualAddress != 0, b.RelativeVirtualAddress != 0);
            if (name != "relocation") // one more page may need one more block
                f.Expect($"{name} directory's size", a.Size, b.Size);
        }

        static void Cli(CorHeader a, CorHeader b, Findings f)
        {
            f.Expect("runtime version", (a.MajorRuntimeVersion, a.MinorRuntimeVersion), (b.MajorRuntimeVersion, b.MinorRuntimeVersion));
            f.Expect("entry point", a.EntryPointTokenOrRelativeVirtualAddress, b.EntryPointTokenOrRelativeVirtualAddress);
            f.Expect("strong name's size", a.StrongNameSignatureDirectory.Size, b.StrongNameSignatureDirectory.Size);
            f.Expect("vtable fixups", a.VtableFixupsDirectory.Size, b.VtableFixupsDirectory.Size);
        }

        // Sections ascend without overlap, in memory and in the file.
        static void Sections(Image b, Findings f)
        {
            var sections = b.Pe.PEHeaders.SectionHeaders;
            int alignment = b.Pe.PEHeaders.PEHeader.SectionAlignment, memory = 0, file = 0;
            foreach (var s in sections)
            {
                if (s.VirtualAddress < memory || s.VirtualAddress % alignment != 0)
                    f.Add($"section {s.Name} begins at 0x{s.VirtualAddress:x}, before the end of the one in front");
                if (s.SizeOfRawData != 0 && (s.PointerToRawData < file || s.PointerToRawData + s.SizeOfRawData > b.File.Length))
                    f.Add($"section {s.Name} does not lie in the file");
                memory = (s.VirtualAddress + Math.Max(s.VirtualSize, 1) + alignment - 1) / alignment * alignment;
                file = Math.Max(file, s.PointerToRawData + s.SizeOfRawData);
            }
            f.Expect("SizeOfImage against the sections", memory, b.Pe.PEHeaders.PEHeader.SizeOfImage);
        }

        // The x86 stub jumps through the import address table, by an absolute address that a relocation names.
        static void EntryStub(Image a, Image b, Findings f)
        {
            int before = a.Pe.PEHeaders.PEHeader.AddressOfEntryPoint, after = b.Pe.PEHeaders.PEHeader.AddressOfEntryPoint;
            if (!Precompiled.Is(a))
                f.Expect("an entry stub", before != 0, after != 0);
            if (before == 0 || after == 0 || !Jumps(a, before, out _))
                return;
            if (!Jumps(b, after, out uint slot))
                f.Add("the entry stub is no jump any more");
            else if (!InAddressTable(b, slot))
                f.Add($"the entry stub jumps through 0x{slot:x}, which is not the import address table");
        }

        // An IL-only image imports one function, by the first slot; one with native code has more of them.
        static bool InAddressTable(Image i, uint slot)
        {
            var table = i.Pe.PEHeaders.PEHeader.ImportAddressTableDirectory;
            ulong start = i.Pe.PEHeaders.PEHeader.ImageBase + (ulong)table.RelativeVirtualAddress;
            if ((i.Pe.PEHeaders.CorHeader.Flags & CorFlags.ILOnly) != 0)
                return slot == start;
            return slot >= start && slot - start < (ulong)table.Size;
        }

        public static bool Jumps(Image i, int rva, out uint slot)
        {
            var code = i.At(rva);
            slot = code.Length >= 6 ? BitConverter.ToUInt32(code.Slice(2, 4)) : 0;
            return code.Length >= 6 && code[0] == 0xff && code[1] == 0x25;
        }

        static void Debug(Image a, Image b, byte[] pdb, Findings f)
        {
            if (a.Pe.PEHeaders.PEHeader.DebugTableDirectory.Size == 0 || b.Pe.PEHeaders.PEHeader.DebugTableDirectory.Size == 0)
                return;
            var before = a.Pe.ReadDebugDirectory().Where(e => !Precompiled.Is(a) || e.Type != Precompiled.PerfMap).ToArray();
            var after = b.Pe.ReadDebugDirectory();
            f.Expect("debug entries", before.Length, after.Length);
            for (int i = 0; i < Math.Min(before.Length, after.Length); i++)
            {
                if (pdb != null && Follows(before[i], after[i]))
                {
                    Symbols.Entry(b, after[i], pdb, f);
                    if (after[i].Type == DebugDirectoryEntryType.CodeView)
                        f.Expect("the PDB's path", a.Pe.ReadCodeViewDebugDirectoryData(before[i]).Path, b.Pe.ReadCodeViewDebugDirectoryData(after[i]).Path);
                    f.ExpectBytes($"debug entry {i} by its RVA", b.File.AsSpan(after[i].DataPointer, after[i].DataSize), b.At(after[i].DataRelativeVirtualAddress, after[i].DataSize));
                    continue;
                }
                var type = pdb == null && SpeaksOfPdb(before[i].Type) && !Appended.Is(a) ? DebugDirectoryEntryType.Unknown : before[i].Type;
                f.Expect($"debug entry {i}", (type, before[i].Stamp, before[i].DataSize), (after[i].Type, after[i].Stamp, after[i].DataSize));
                if (before[i].DataSize != after[i].DataSize)
                    continue;
                var data = b.File.AsSpan(after[i].DataPointer, after[i].DataSize);
                f.ExpectBytes($"debug entry {i}", a.File.AsSpan(before[i].DataPointer, before[i].DataSize), data);
                if (after[i].DataRelativeVirtualAddress != 0)
                    f.ExpectBytes($"debug entry {i} by its RVA", data, b.At(after[i].DataRelativeVirtualAddress, after[i].DataSize));
            }
        }

        // An entry that speaks of the PDB: its data are new.
        static bool Follows(DebugDirectoryEntry before, DebugDirectoryEntry after)
        {
            return before.Type == after.Type && (after.Type == DebugDirectoryEntryType.CodeView || after.Stamp == before.Stamp) && SpeaksOfPdb(after.Type);
        }

        // Where no PDB goes along, such entries have no known type any more: what they say fits the original alone.
        static bool SpeaksOfPdb(DebugDirectoryEntryType type)
        {
            return type == DebugDirectoryEntryType.CodeView || type == DebugDirectoryEntryType.PdbChecksum || type == DebugDirectoryEntryType.EmbeddedPortablePdb;
        }

        // path → code page and bytes
        static SortedDictionary<string, byte[]> NativeResources(Image i)
        {
            var found = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
            int root = i.Pe.PEHeaders.PEHeader.ResourceTableDirectory.RelativeVirtualAddress;
            if (root != 0)
                ResourceLevel(i, root, 0, "", 0, found);
            return found;
        }

        static void ResourceLevel(Image i, int root, int offset, string path, int depth, SortedDictionary<string, byte[]> found)
        {
            var directory = i.At(root + offset);
            if (directory.Length < 16 || depth > 3)
                return;
            int count = BitConverter.ToUInt16(directory.Slice(12)) + BitConverter.ToUInt16(directory.Slice(14));
            for (int e = 0; e < count && 16 + e * 8 + 8 <= directory.Length; e++)
            {
                uint id = BitConverter.ToUInt32(directory.Slice(16 + e * 8)), to = BitConverter.ToUInt32(directory.Slice(20 + e * 8));
                string name = path + "/" + (id < 0x80000000 ? id.ToString() : "\"" + ResourceName(i, root + (int)(id & 0x7fffffff)) + "\"");
                if (to >= 0x80000000)
                {
                    ResourceLevel(i, root, (int)(to & 0x7fffffff), name, depth + 1, found);
                    continue;
                }
                var leaf = i.At(root + (int)to, 16);
                int size = BitConverter.ToInt32(leaf.Slice(4));
                found[name + "," + BitConverter.ToInt32(leaf.Slice(8))] = i.At(BitConverter.ToInt32(leaf), size).ToArray();
            }
        }

        static string ResourceName(Image i, int rva)
        {
            int length = BitConverter.ToUInt16(i.At(rva, 2));
            return System.Text.Encoding.Unicode.GetString(i.At(rva + 2, length * 2));
        }
    }
}
