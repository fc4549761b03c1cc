// The output for a ReadyToRun image: an image for IL only, as a compiler would have written it.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.PortableExecutable;

namespace Walker
{
    static class Precompiled
    {
        public const DebugDirectoryEntryType PerfMap = (DebugDirectoryEntryType)21; // names a map of the native code

        public static bool Is(Image i) { return i.Pe.PEHeaders.CorHeader.ManagedNativeHeaderDirectory.Size != 0; }

        public static void Compare(Image a, Image b, Findings f)
        {
            PEHeader old = a.Pe.PEHeaders.PEHeader, now = b.Pe.PEHeaders.PEHeader;
            bool neutral = (BitConverter.ToUInt32(a.At(a.Pe.PEHeaders.CorHeader.ManagedNativeHeaderDirectory.RelativeVirtualAddress + 8, 4)) & 1) != 0;
            bool wide = !neutral && old.Magic == PEMagic.PE32Plus;
            if (neutral)
                f.Expect("Machine", Machine.I386, b.Pe.PEHeaders.CoffHeader.Machine);
            else if (!Enum.IsDefined(b.Pe.PEHeaders.CoffHeader.Machine))
                f.Add($"Machine: {b.Pe.PEHeaders.CoffHeader.Machine} is none");
            f.Expect("Magic", wide ? PEMagic.PE32Plus : PEMagic.PE32, now.Magic);
            f.Expect("SectionAlignment", 0x2000, now.SectionAlignment);
            f.Expect("FileAlignment", 0x200, now.FileAlignment);
            f.Expect("number of directories", 16, now.NumberOfRvaAndSizes);
            if (!wide && now.ImageBase > int.MaxValue)
                f.Add($"ImageBase: 0x{now.ImageBase:x}");
            bool starts = b.Pe.PEHeaders.CoffHeader.Machine == Machine.I386;
            f.Expect("sections", starts ? ".text:60000020 .reloc:42000040" : ".text:60000020",
                string.Join(" ", b.Pe.PEHeaders.SectionHeaders.Select(s => s.Name + ":" + ((uint)s.SectionCharacteristics).ToString("x"))));
            f.Expect("import, IAT and relocation directories", (starts, starts, starts),
                (now.ImportTableDirectory.Size != 0, now.ImportAddressTableDirectory.Size != 0, now.BaseRelocationTableDirectory.Size != 0));
            f.Expect("directories of native code", 0,
                now.ExceptionTableDirectory.Size + now.ExportTableDirectory.Size + now.LoadConfigTableDirectory.Size + now.ThreadLocalStorageTableDirectory.Size + now.DelayImportTableDirectory.Size);
            f.Expect("an entry stub", starts, now.AddressOfEntryPoint != 0 && Headers.Jumps(b, now.AddressOfEntryPoint, out uint slot) &&
                slot == now.ImageBase + (ulong)now.ImportAddressTableDirectory.RelativeVirtualAddress);
            f.Expect("CLI flags", (a.Pe.PEHeaders.CorHeader.Flags | CorFlags.ILOnly) & ~CorFlags.ILLibrary, b.Pe.PEHeaders.CorHeader.Flags);
            f.Expect("managed native header", 0, b.Pe.PEHeaders.CorHeader.ManagedNativeHeaderDirectory.Size);
            f.Expect("debug entries of native code", 0, now.DebugTableDirectory.Size == 0 ? 0 : b.Pe.ReadDebugDirectory().Count(e => e.Type == PerfMap));
        }

        public static int List(IEnumerable<string> folders)
        {
            var files = folders.SelectMany(f => Directory.EnumerateFiles(f, "*", SearchOption.AllDirectories))
                .Where(f => f.EndsWith(".dll") || f.EndsWith(".exe")).OrderBy(f => f, StringComparer.Ordinal);
            foreach (string file in files)
            {
                try
                {
                    using var image = new Image(file);
                    if (Is(image))
                        Console.WriteLine(file);
                }
                catch (BadImageFormatException)
                {
                }
            }
            return 0;
        }

        public static int SetFlags(string input, string output, Func<Image, int> rva, uint flags)
        {
            using var image = new Image(input);
            int at = image.FileOffset(rva(image), out _);
            byte[] file = (byte[])image.File.Clone();
            BitConverter.TryWriteBytes(file.AsSpan(at, 4), flags);
            File.WriteAllBytes(output, file);
            return 0;
        }
    }
}
