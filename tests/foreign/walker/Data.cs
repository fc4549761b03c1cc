// Bytes that rows point to: manifest resources and the initial data of fields (RVA statics).
using System;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Walker
{
    static class Data
    {
        public static void Compare(Image a, Image b, Findings f)
        {
            Resources(a, b, f);
            FieldData(a, b, f);
        }

        static void Resources(Image a, Image b, Findings f)
        {
            foreach (var handle in a.Md.ManifestResources)
            {
                var before = a.Md.GetManifestResource(handle);
                string name = "resource " + a.Md.GetString(before.Name);
                var after = b.Md.GetManifestResource(handle);
                if (!before.Implementation.IsNil)
                {
                    f.Expect(name + "'s offset", before.Offset, after.Offset);
                    continue;
                }
                f.Expect(name + "'s offset modulo 8", before.Offset % 8, after.Offset % 8);
                f.ExpectBytes(name, Resource(a, before.Offset), Resource(b, after.Offset));
            }
            foreach (var handle in b.Md.ManifestResources)
                if (b.Md.GetManifestResource(handle) is var added && added.Implementation.IsNil)
                    Resource(b, added.Offset);
        }

        public static ReadOnlySpan<byte> Resource(Image i, long offset)
        {
            var directory = i.Pe.PEHeaders.CorHeader.ResourcesDirectory;
            if (offset < 0 || offset > directory.Size - 4)
                throw new BadImageFormatException($"a resource at {offset} lies past the resources' {directory.Size} bytes");
            var all = i.At(directory.RelativeVirtualAddress, directory.Size).Slice((int)offset);
            int size = BitConverter.ToInt32(all);
            if (size < 0 || size > all.Length - 4)
                throw new BadImageFormatException($"a resource at {offset} claims {size} bytes");
            return all.Slice(4, size);
        }

        // Rows of FieldRVA are not to be had from SRM but through their fields.
        static void FieldData(Image a, Image b, Findings f)
        {
            int firstBefore = 0, firstAfter = 0, firstSection = -1;
            foreach (var handle in a.Md.FieldDefinitions)
            {
                var field = a.Md.GetFieldDefinition(handle);
                if ((field.Attributes & System.Reflection.FieldAttributes.HasFieldRVA) == 0)
                    continue;
                int before = field.GetRelativeVirtualAddress(), after = b.Md.GetFieldDefinition(handle).GetRelativeVirtualAddress();
                if (before == 0)
                    continue;
                string name = $"data of field 0x{MetadataTokens.GetToken(handle):x8}";
                int size = Math.Min(Size(a, field), a.At(before).Length); // some stand in the zero-filled end of a section
                f.Expect(name + ": RVA modulo 16", before % 16, after % 16);
                f.ExpectBytes(name, a.At(before, size), b.At(after).Length < size ? b.At(after) : b.At(after, size));
                // Programs count on neighbours staying neighbours.
                int section = a.Pe.PEHeaders.GetContainingSectionIndex(before);
                if (section != firstSection)
                    (firstBefore, firstAfter, firstSection) = (before, after, section);
                f.Expect(name + ": distance from the section's first", before - firstBefore, after - firstAfter);
            }
        }

        static int Size(Image i, FieldDefinition field)
        {
            var blob = i.Md.GetBlobReader(field.Signature);
            blob.ReadByte();
            switch (blob.ReadSignatureTypeCode())
            {
                case SignatureTypeCode.Boolean: case SignatureTypeCode.SByte: case SignatureTypeCode.Byte: return 1;
                case SignatureTypeCode.Char: case SignatureTypeCode.Int16: case SignatureTypeCode.UInt16: return 2;
                case SignatureTypeCode.Int32: case SignatureTypeCode.UInt32: case SignatureTypeCode.Single: return 4;
                case SignatureTypeCode.TypeHandle:
                    var type = blob.ReadTypeHandle();
                    return type.Kind == HandleKind.TypeDefinition ? i.Md.GetTypeDefinition((TypeDefinitionHandle)type).GetLayout().Size : 1;
                default: return 8;
            }
        }
    }
}
