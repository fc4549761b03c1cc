// The output for an image with native code: every old byte keeps its RVA and its value, and one
// section comes after them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection.PortableExecutable;

namespace Walker
{
    static class Appended
    {
        public const string Section = " .ilj:60000020";

        public static bool Is(Image i)
        {
            var cli = i.Pe.PEHeaders.CorHeader;
            return !Precompiled.Is(i) && ((cli.Flags & CorFlags.ILOnly) == 0 || cli.VtableFixupsDirectory.Size != 0);
        }

        public static void Compare(Image a, Image b, Findings f)
        {
            PEHeader old = a.Pe.PEHeaders.PEHeader, now = b.Pe.PEHeaders.PEHeader;
            CorHeader before = a.Pe.PEHeaders.CorHeader, after = b.Pe.PEHeaders.CorHeader;
            f.Expect("AddressOfEntryPoint", old.AddressOfEntryPoint, now.AddressOfEntryPoint);
            f.Expect("directories", string.Join(" ", Directories(old)), string.Join(" ", Directories(now)));
            f.Expect("vtable fixups", Text(before.VtableFixupsDirectory), Text(after.VtableFixupsDirectory));
            f.Expect("strong name", Text(before.StrongNameSignatureDirectory), Text(after.StrongNameSignatureDirectory));
            // The CLI header names the new metadata; debug entries have file offsets, and may have new data.
            var changes = new List<(int Rva, int Size)> { (old.CorHeaderTableDirectory.RelativeVirtualAddress, 72), (old.DebugTableDirectory.RelativeVirtualAddress, old.DebugTableDirectory.Size) };
            for (int i = 0; i < a.Pe.PEHeaders.SectionHeaders.Length && i < b.Pe.PEHeaders.SectionHeaders.Length; i++)
            {
                SectionHeader s = a.Pe.PEHeaders.SectionHeaders[i], t = b.Pe.PEHeaders.SectionHeaders[i];
                f.Expect($"section {s.Name}", (s.VirtualAddress, s.VirtualSize, s.SizeOfRawData), (t.VirtualAddress, t.VirtualSize, t.SizeOfRawData));
                if (s.SizeOfRawData != t.SizeOfRawData)
                    continue;
                byte[] left = a.File.AsSpan(s.PointerToRawData, s.SizeOfRawData).ToArray(), right = b.File.AsSpan(t.PointerToRawData, t.SizeOfRawData).ToArray();
                foreach (var (rva, size) in changes)
                    for (int at = Math.Max(rva, s.VirtualAddress); at < Math.Min(rva + size, s.VirtualAddress + s.SizeOfRawData); at++)
                        left[at - s.VirtualAddress] = right[at - s.VirtualAddress] = 0;
                f.ExpectBytes($"section {s.Name}", left, right);
            }
        }

        static string Text(DirectoryEntry d) { return $"{d.RelativeVirtualAddress:x}+{d.Size:x}"; }

        static IEnumerable<string> Directories(PEHeader h)
        {
            return new[] { h.ExportTableDirectory, h.ImportTableDirectory, h.ResourceTableDirectory, h.ExceptionTableDirectory, h.BaseRelocationTableDirectory, h.DebugTableDirectory,
                h.ThreadLocalStorageTableDirectory, h.LoadConfigTableDirectory, h.ImportAddressTableDirectory, h.DelayImportTableDirectory, h.CorHeaderTableDirectory }.Select(Text);
        }
    }
}
