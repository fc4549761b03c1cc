// Prints an assembly's tables in the form of `ilinject dump --tables` with System.Reflection.Metadata, another reader:
// rows, row sizes, tokens, RVAs, flags, names, blobs, what coded indexes name.
//   Tables FILE
using System;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

static class Tables
{
    // The last of the tables that ECMA-335 numbers (II.22): GenericParamConstraint.
    const int Last = 0x2C;

    static MetadataReader reader;

    static int Main(string[] arguments)
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(false);
        using (PEReader image = new PEReader(File.OpenRead(arguments[0])))
        {
            reader = image.GetMetadataReader();
            foreach (TableIndex table in Enum.GetValues(typeof(TableIndex)))
                if ((int)table <= Last && reader.GetTableRowCount(table) > 0)
                    Console.WriteLine("table {0} 0x{1:x2}, {2} rows of {3} bytes", table == TableIndex.FieldRva ? "FieldRVA" : table.ToString(), (int)table, reader.GetTableRowCount(table), reader.GetTableRowSize(table));
            foreach (TypeReferenceHandle handle in reader.TypeReferences)
            {
                TypeReference row = reader.GetTypeReference(handle);
                Row(handle, "ResolutionScope={0} TypeName={1} TypeNamespace={2}", Token(row.ResolutionScope), Name(row.Name), Name(row.Namespace));
            }
            foreach (TypeDefinitionHandle handle in reader.TypeDefinitions)
            {
                TypeDefinition row = reader.GetTypeDefinition(handle);
                // Without namespaces: the reader gives a nested type that of the type around it.
                Row(handle, "Flags=0x{0:x8} TypeName={1} Extends={2}", (int)row.Attributes, Name(row.Name), Token(row.BaseType));
            }
            foreach (FieldDefinitionHandle handle in reader.FieldDefinitions)
            {
                FieldDefinition row = reader.GetFieldDefinition(handle);
                Row(handle, "Flags=0x{0:x4} Name={1} Signature={2}", (int)row.Attributes, Name(row.Name), Blob(row.Signature));
            }
            foreach (MethodDefinitionHandle handle in reader.MethodDefinitions)
            {
                MethodDefinition row = reader.GetMethodDefinition(handle);
                Row(handle, "RVA=0x{0:x8} ImplFlags=0x{1:x4} Flags=0x{2:x4} Name={3} Signature={4}", row.RelativeVirtualAddress, (int)row.ImplAttributes,
                    (int)row.Attributes, Name(row.Name), Blob(row.Signature));
            }
            foreach (MemberReferenceHandle handle in reader.MemberReferences)
            {
                MemberReference row = reader.GetMemberReference(handle);
                Row(handle, "Class={0} Name={1} Signature={2}", Token(row.Parent), Name(row.Name), Blob(row.Signature));
            }
            foreach (CustomAttributeHandle handle in reader.CustomAttributes)
            {
                CustomAttribute row = reader.GetCustomAttribute(handle);
                Row(handle, "Parent={0} Type={1} Value={2}", Token(row.Parent), Token(row.Constructor), Blob(row.Value));
            }
        }
        return 0;
    }

    static void Row(EntityHandle handle, string format, params object[] values)
    {
        Console.WriteLine("0x{0:x8} {1}", MetadataTokens.GetToken(handle), string.Format(format, values));
    }

    static string Token(EntityHandle handle)
    {
        int token = MetadataTokens.GetToken(handle);
        return (token & 0xFFFFFF) == 0 ? "0" : "0x" + token.ToString("x8");
    }

    static string Name(StringHandle handle)
    {
        return "\"" + reader.GetString(handle) + "\"";
    }

    static string Blob(BlobHandle handle)
    {
        const int Shown = 64; // the rest is counted
        byte[] blob = reader.GetBlobBytes(handle);
        string text = BitConverter.ToString(blob, 0, Math.Min(blob.Length, Shown)).Replace('-', ' ').ToLowerInvariant();
        return "[" + text + (blob.Length > Shown ? " \u2026 +" + (blob.Length - Shown) : "") + "]";
    }
}
