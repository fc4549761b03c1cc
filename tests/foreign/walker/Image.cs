// An opened image: the file's bytes, SRM's readers, and the streams of the metadata root.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text;

namespace Walker
{
    sealed class Image : IDisposable
    {
        public readonly byte[] File;
        public readonly PEReader Pe;
        public readonly MetadataReader Md;
        public readonly int MetadataOffset; // in the file
        public readonly List<Stream> Streams = new List<Stream>();

        public struct Stream
        {
            public string Name;
            public int Offset, Size; // in the file; bytes
        }

        public Image(string path) : this(System.IO.File.ReadAllBytes(path)) { }

        public Image(byte[] file)
        {
            File = file;
            Pe = new PEReader(new MemoryStream(File));
            if (!Pe.HasMetadata)
                throw new BadImageFormatException("no metadata");
            Md = Pe.GetMetadataReader();
            MetadataOffset = Pe.PEHeaders.MetadataStartOffset;
            int at = MetadataOffset + 12;
            at += 4 + BitConverter.ToInt32(File, at) + 2;
            int count = BitConverter.ToUInt16(File, at);
            at += 2;
            for (int i = 0; i < count; i++)
            {
                int end = Array.IndexOf(File, (byte)0, at + 8);
                Streams.Add(new Stream
                {
                    Offset = MetadataOffset + BitConverter.ToInt32(File, at),
                    Size = BitConverter.ToInt32(File, at + 4),
                    Name = Encoding.ASCII.GetString(File, at + 8, end - at - 8),
                });
                at = at + 8 + (end - at - 8) / 4 * 4 + 4;
            }
        }

        public void Dispose() { Pe.Dispose(); }

        // The bytes from an RVA on, to the end of its section's file part; empty for RVA 0 and what no section holds.
        public ReadOnlySpan<byte> At(int rva)
        {
            int section = Pe.PEHeaders.GetContainingSectionIndex(rva);
            if (rva == 0 || section < 0)
                return default;
            int offset = FileOffset(rva, out int left);
            return offset < 0 ? default : File.AsSpan(offset, left);
        }

        public int FileOffset(int rva, out int left)
        {
            left = 0;
            int section = Pe.PEHeaders.GetContainingSectionIndex(rva);
            if (section < 0)
                return -1;
            var header = Pe.PEHeaders.SectionHeaders[section];
            int inside = rva - header.VirtualAddress;
            left = Math.Min(header.SizeOfRawData, File.Length - header.PointerToRawData) - inside;
            return left <= 0 ? -1 : header.PointerToRawData + inside;
        }

        public ReadOnlySpan<byte> At(int rva, int size)
        {
            var from = At(rva);
            if (size > from.Length)
                throw new BadImageFormatException($"{size} bytes at RVA 0x{rva:x} run past their section");
            return from.Slice(0, size);
        }
    }
}
