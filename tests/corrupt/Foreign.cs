// Another reader of what mutants.c keeps: Foreign FOLDER reads each N.in and N.out with System.Reflection.Metadata, row by row, with
// names, signatures, custom attributes, bodies and their regions. An output may hold nothing that this reader cannot read,
// but what it cannot read in the input either. Prints what is new, and how many pairs there were. Exits with 1 for any.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

static class Foreign
{
    static MetadataReader reader;
    static HashSet<string> faults;
    static long items;

    static int Main(string[] arguments)
    {
        int pairs = 0, whole = 0, broken = 0;
        foreach (string output in Directory.GetFiles(arguments[0], "*.out"))
        {
            HashSet<string> before = Read(Path.ChangeExtension(output, ".in")), after = Read(output);
            pairs++;
            if (before.Count == 0)
                whole++;
            // A reader that refuses the input as a whole has no say about the output.
            if (before.Contains("image"))
                continue;
            after.ExceptWith(before);
            // A method's own types go along as they are, into the signature of its locals.
            after.RemoveWhere(delegate(string fault) { return before.Contains(fault.Replace("body ", "MethodDef ")); });
            foreach (string fault in after)
                Console.WriteLine("{0}: {1}", output, fault);
            broken += after.Count == 0 ? 0 : 1;
        }
        Console.WriteLine("{0} pairs, {1} items read, {2} inputs without a fault, {3} outputs with a new one", pairs, items, whole, broken);
        return pairs > 0 && broken == 0 ? 0 : 1;
    }

    static void Try(string what, Action part)
    {
        items++;
        try
        {
            part();
        }
        catch (Exception e) when (e is BadImageFormatException || e is InvalidOperationException || e is ArgumentException || e is OverflowException || e is IndexOutOfRangeException || e is InvalidCastException || e is NotSupportedException)
        {
            faults.Add(what);
        }
    }

    static HashSet<string> Read(string path)
    {
        faults = new HashSet<string>();
        Try("image", delegate
        {
            using (PEReader image = new PEReader(ImmutableArray.Create(File.ReadAllBytes(path))))
            {
                reader = image.GetMetadataReader();
                ReadRows(image);
            }
        });
        return faults;
    }

    static void ReadRows(PEReader image)
    {
        Sink sink = new Sink();
        foreach (TypeReferenceHandle h in reader.TypeReferences)
            Try("TypeRef " + MetadataTokens.GetRowNumber(h), delegate { TypeReference r = reader.GetTypeReference(h); reader.GetString(r.Name); reader.GetString(r.Namespace); int scope = MetadataTokens.GetToken(r.ResolutionScope); });
        foreach (TypeDefinitionHandle h in reader.TypeDefinitions)
            Try("TypeDef " + MetadataTokens.GetRowNumber(h), delegate
            {
                TypeDefinition r = reader.GetTypeDefinition(h);
                reader.GetString(r.Name);
                reader.GetString(r.Namespace);
                int token = MetadataTokens.GetToken(r.BaseType);
                foreach (MethodDefinitionHandle method in r.GetMethods()) token += MetadataTokens.GetRowNumber(method);
                foreach (FieldDefinitionHandle field in r.GetFields()) token += MetadataTokens.GetRowNumber(field);
                foreach (InterfaceImplementationHandle one in r.GetInterfaceImplementations()) token += MetadataTokens.GetToken(reader.GetInterfaceImplementation(one).Interface);
                r.GetLayout();
            });
        foreach (FieldDefinitionHandle h in reader.FieldDefinitions)
            Try("Field " + MetadataTokens.GetRowNumber(h), delegate { FieldDefinition r = reader.GetFieldDefinition(h); reader.GetString(r.Name); r.DecodeSignature(sink, null); r.GetRelativeVirtualAddress(); });
        foreach (MethodDefinitionHandle h in reader.MethodDefinitions)
        {
            Try("MethodDef " + MetadataTokens.GetRowNumber(h), delegate { MethodDefinition r = reader.GetMethodDefinition(h); reader.GetString(r.Name); r.DecodeSignature(sink, null); foreach (ParameterHandle p in r.GetParameters()) reader.GetString(reader.GetParameter(p).Name); });
            Try("body " + MetadataTokens.GetRowNumber(h), delegate
            {
                MethodDefinition r = reader.GetMethodDefinition(h);
                if (r.RelativeVirtualAddress == 0)
                    return;
                MethodBodyBlock body = image.GetMethodBody(r.RelativeVirtualAddress);
                foreach (ExceptionRegion region in body.ExceptionRegions)
                    if (region.Kind == ExceptionRegionKind.Catch) MetadataTokens.GetToken(region.CatchType);
                if (!body.LocalSignature.IsNil)
                    reader.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(sink, null);
            });
        }
        foreach (MemberReferenceHandle h in reader.MemberReferences)
            Try("MemberRef " + MetadataTokens.GetRowNumber(h), delegate
            {
                MemberReference r = reader.GetMemberReference(h);
                reader.GetString(r.Name);
                MetadataTokens.GetToken(r.Parent);
                if (r.GetKind() == MemberReferenceKind.Method) r.DecodeMethodSignature(sink, null); else r.DecodeFieldSignature(sink, null);
            });
        foreach (CustomAttributeHandle h in reader.CustomAttributes)
            Try("CustomAttribute " + MetadataTokens.GetRowNumber(h), delegate { CustomAttribute r = reader.GetCustomAttribute(h); MetadataTokens.GetToken(r.Parent); MetadataTokens.GetToken(r.Constructor); reader.GetBlobBytes(r.Value); });
        foreach (AssemblyReferenceHandle h in reader.AssemblyReferences)
            Try("AssemblyRef " + MetadataTokens.GetRowNumber(h), delegate { AssemblyReference r = reader.GetAssemblyReference(h); reader.GetString(r.Name); reader.GetBlobBytes(r.PublicKeyOrToken); });
        foreach (ManifestResourceHandle h in reader.ManifestResources)
            Try("ManifestResource " + MetadataTokens.GetRowNumber(h), delegate { ManifestResource r = reader.GetManifestResource(h); reader.GetString(r.Name); MetadataTokens.GetToken(r.Implementation); });
        for (int i = 1; i <= reader.GetTableRowCount(TableIndex.TypeSpec); i++)
            Try("TypeSpec " + i, delegate { reader.GetTypeSpecification(MetadataTokens.TypeSpecificationHandle(i)).DecodeSignature(sink, null); });
        for (int i = 1; i <= reader.GetTableRowCount(TableIndex.MethodSpec); i++)
            Try("MethodSpec " + i, delegate { reader.GetMethodSpecification(MetadataTokens.MethodSpecificationHandle(i)).DecodeSignature(sink, null); });
        for (int i = 1; i <= reader.GetTableRowCount(TableIndex.GenericParam); i++)
            Try("GenericParam " + i, delegate { reader.GetString(reader.GetGenericParameter(MetadataTokens.GenericParameterHandle(i)).Name); });
        foreach (DebugDirectoryEntry entry in image.ReadDebugDirectory())
            Try("debug " + entry.Type, delegate { if (entry.Type == DebugDirectoryEntryType.CodeView) image.ReadCodeViewDebugDirectoryData(entry); });
    }

    // Types need to be readable here; their meaning is of no interest.
    class Sink : ISignatureTypeProvider<int, object>
    {
        public int GetArrayType(int element, ArrayShape shape) { return 0; }
        public int GetByReferenceType(int element) { return 0; }
        public int GetFunctionPointerType(MethodSignature<int> signature) { return 0; }
        public int GetGenericInstantiation(int type, ImmutableArray<int> arguments) { return 0; }
        public int GetGenericMethodParameter(object context, int index) { return 0; }
        public int GetGenericTypeParameter(object context, int index) { return 0; }
        public int GetModifiedType(int modifier, int type, bool required) { return 0; }
        public int GetPinnedType(int element) { return 0; }
        public int GetPointerType(int element) { return 0; }
        public int GetPrimitiveType(PrimitiveTypeCode code) { return 0; }
        public int GetSZArrayType(int element) { return 0; }
        public int GetTypeFromDefinition(MetadataReader from, TypeDefinitionHandle handle, byte kind) { return 0; }
        public int GetTypeFromReference(MetadataReader from, TypeReferenceHandle handle, byte kind) { return 0; }
        public int GetTypeFromSpecification(MetadataReader from, object context, TypeSpecificationHandle handle, byte kind) { return 0; }
    }
}
