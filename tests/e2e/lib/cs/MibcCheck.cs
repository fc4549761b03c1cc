// What a startup profile (MIBC) names, by System.Reflection.Metadata: a line for each record, as crossgen2 --verbose has methods,
// "[shop]Shop.Repo`1<int32>.Get()"; with "-w" before the files a line with a tab after it for its weight and for each call, too. With
// "-d" the definitions alone, "Shop.Repo`1.Get"; with "-m" those of all methods with a body that are in assemblies.
// Exit value 1, with a line on standard error: it has code or rows that no reader of such files would take.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

// Names of types, with namespaces or without.
class Names : ISignatureTypeProvider<string, ImmutableArray<string>[]>
{
    public bool Full;

    static string Keyword(PrimitiveTypeCode code) => code switch {
        PrimitiveTypeCode.Void => "void", PrimitiveTypeCode.Boolean => "bool", PrimitiveTypeCode.Char => "char",
        PrimitiveTypeCode.SByte => "int8", PrimitiveTypeCode.Byte => "uint8", PrimitiveTypeCode.Int16 => "int16",
        PrimitiveTypeCode.UInt16 => "uint16", PrimitiveTypeCode.Int32 => "int32", PrimitiveTypeCode.UInt32 => "uint32",
        PrimitiveTypeCode.Int64 => "int64", PrimitiveTypeCode.UInt64 => "uint64", PrimitiveTypeCode.Single => "float32",
        PrimitiveTypeCode.Double => "float64", PrimitiveTypeCode.String => "string", PrimitiveTypeCode.Object => "object",
        PrimitiveTypeCode.IntPtr => "native int", PrimitiveTypeCode.UIntPtr => "native uint", _ => code.ToString() };

    public string GetPrimitiveType(PrimitiveTypeCode code) => Keyword(code);
    public string GetSZArrayType(string type) => type + "[]";
    public string GetArrayType(string type, ArrayShape shape) => type + "[" + new string(',', shape.Rank - 1) + "]";
    public string GetByReferenceType(string type) => type + "&";
    public string GetPointerType(string type) => type + "*";
    public string GetPinnedType(string type) => type;
    public string GetModifiedType(string modifier, string type, bool required) => type;
    public string GetGenericInstantiation(string type, ImmutableArray<string> args) => type + "<" + string.Join(",", args) + ">";
    public string GetGenericTypeParameter(ImmutableArray<string>[] of, int index) => of[0][index];
    public string GetGenericMethodParameter(ImmutableArray<string>[] of, int index) => of[1][index];
    public string GetFunctionPointerType(MethodSignature<string> s) =>
        "(*" + s.ReturnType + ")(" + string.Join(",", s.ParameterTypes) + ")";
    public string GetTypeFromDefinition(MetadataReader r, TypeDefinitionHandle h, byte kind) => throw new BadImageFormatException("a type of its own");
    public string GetTypeFromSpecification(MetadataReader r, ImmutableArray<string>[] of, TypeSpecificationHandle h, byte kind) =>
        r.GetTypeSpecification(h).DecodeSignature(this, of);

    public string GetTypeFromReference(MetadataReader r, TypeReferenceHandle h, byte kind)
    {
        TypeReference type = r.GetTypeReference(h);
        string name = r.GetString(type.Name), space = r.GetString(type.Namespace);
        if (!Full)
            return name;
        if (type.ResolutionScope.Kind == HandleKind.TypeReference)
            return GetTypeFromReference(r, (TypeReferenceHandle)type.ResolutionScope, 0) + "+" + name;
        return space.Length > 0 ? space + "." + name : name;
    }
}

static class MibcCheck
{
    static MetadataReader file;
    static bool definitions;
    static readonly Names full = new Names { Full = true }, plain = new Names();
    static readonly ImmutableArray<string>[] none = { ImmutableArray<string>.Empty, ImmutableArray<string>.Empty };

    static string AssemblyOf(EntityHandle type)
    {
        while (type.Kind == HandleKind.TypeReference)
            type = file.GetTypeReference((TypeReferenceHandle)type).ResolutionScope;
        return file.GetString(file.GetAssemblyReference((AssemblyReferenceHandle)type).Name);
    }

    // What a TypeSpec instantiates (II.23.2.14): its type, and the arguments, with namespaces or without.
    static EntityHandle Instantiated(TypeSpecificationHandle handle, Names names, List<string> args)
    {
        BlobReader spec = file.GetBlobReader(file.GetTypeSpecification(handle).Signature);
        if (spec.ReadByte() != 0x15)
            throw new BadImageFormatException("a TypeSpec that is no instantiation");
        spec.ReadByte();
        EntityHandle type = spec.ReadTypeHandle();
        var decoder = new SignatureDecoder<string, ImmutableArray<string>[]>(names, file, none);
        for (int left = spec.ReadCompressedInteger(); left > 0; left--)
            args.Add(decoder.DecodeType(ref spec));
        return type;
    }

    static string Method(EntityHandle handle)
    {
        var methodArgs = ImmutableArray<string>.Empty;
        if (handle.Kind == HandleKind.MethodSpecification)
        {
            MethodSpecification spec = file.GetMethodSpecification((MethodSpecificationHandle)handle);
            methodArgs = spec.DecodeSignature(plain, none);
            handle = spec.Method;
        }
        MemberReference member = file.GetMemberReference((MemberReferenceHandle)handle);
        EntityHandle type = member.Parent;
        List<string> typeArgs = new List<string>(), shown = new List<string>();
        if (type.Kind == HandleKind.TypeSpecification)
        {
            Instantiated((TypeSpecificationHandle)type, plain, typeArgs);
            type = Instantiated((TypeSpecificationHandle)type, full, shown);
        }
        string owner = full.GetTypeFromReference(file, (TypeReferenceHandle)type, 0);
        if (definitions)
            return owner + "." + file.GetString(member.Name);
        MethodSignature<string> signature = member.DecodeMethodSignature(plain, new[] { typeArgs.ToImmutableArray(), methodArgs });
        if (signature.GenericParameterCount != methodArgs.Length)
            throw new BadImageFormatException("arguments of a method that has none");
        return "[" + AssemblyOf(type) + "]" + owner + (shown.Count > 0 ? "<" + string.Join(",", shown) + ">" : "") + "." +
            file.GetString(member.Name) + (methodArgs.Length > 0 ? "<" + string.Join(",", methodArgs) + ">" : "") +
            "(" + string.Join(",", signature.ParameterTypes) + ")";
    }

    // The items of a method's code: tokens, texts and numbers, and null for each pop (III.3, III.4).
    static IEnumerable<object> Items(PEReader image, MethodDefinition method)
    {
        var items = new List<object>();
        BlobReader il = image.GetMethodBody(method.RelativeVirtualAddress).GetILReader();
        while (il.RemainingBytes > 0)
        {
            byte op = il.ReadByte();
            if (op == 0x2A && il.RemainingBytes == 0) // ret
                return items;
            items.Add(op switch {
                0xD0 => MetadataTokens.EntityHandle(il.ReadInt32()),                                     // ldtoken
                0x72 => file.GetUserString(MetadataTokens.UserStringHandle(il.ReadInt32() & 0xFFFFFF)), // ldstr
                0x26 => null,                                                                            // pop
                >= 0x15 and <= 0x1E => op - 0x16,                                                        // ldc.i4.m1 to .8
                0x1F => (int)il.ReadSByte(),
                0x20 => il.ReadInt32(),
                _ => throw new BadImageFormatException($"opcode 0x{op:x2}") });
        }
        throw new BadImageFormatException("code without a ret at its end");
    }

    // Prints the records of a group; each ends with two pops.
    static void Records(List<object> items, bool weights, string group)
    {
        for (int i = 0; i < items.Count;)
        {
            string name = Method((EntityHandle)items[i++]);
            Console.WriteLine(name);
            if (!definitions && !name.StartsWith("[" + group + "]"))
                throw new BadImageFormatException($"{name} in the group {group}");
            var said = new List<string>();
            for (; items[i] != null; i++)
            {
                string kind = (string)items[i++];
                if (kind == "ExclusiveWeight")
                {
                    said.Add($"\tweight {(int)items[i]}");
                    continue;
                }
                if (kind != "WeightedCallData")
                    throw new BadImageFormatException(kind);
                int count = (int)items[i];
                var callees = new HashSet<EntityHandle>();
                for (; count > 0; count--, i += 2)
                {
                    said.Add($"\tcalls {Method((EntityHandle)items[i + 1])} {(int)items[i + 2]}");
                    if (!callees.Add((EntityHandle)items[i + 1]))
                        throw new BadImageFormatException($"{name} has a callee twice");
                }
            }
            if (items[i + 1] != null)
                throw new BadImageFormatException($"{name} has one pop");
            i += 2;
            if (weights)
                said.ForEach(Console.WriteLine);
        }
    }

    static void Read(string path, bool weights)
    {
        using PEReader image = new PEReader(File.OpenRead(path));
        file = image.GetMetadataReader();
        if (!image.HasMetadata || image.PEHeaders.CorHeader.Flags != CorFlags.ILOnly || file.TypeDefinitions.Count != 1)
            throw new BadImageFormatException("it is no library of global methods");
        MethodDefinition dictionary = file.MethodDefinitions.Select(file.GetMethodDefinition)
            .Single(m => file.GetString(m.Name) == "AssemblyDictionary");
        List<object> groups = Items(image, dictionary).ToList();
        for (int i = 0; i < groups.Count; i += 3)
        {
            string group = (string)groups[i];
            MethodDefinition method = file.GetMethodDefinition((MethodDefinitionHandle)(EntityHandle)groups[i + 1]);
            if (groups[i + 2] != null || !group.EndsWith(";") || !file.GetString(method.Name).StartsWith("Assemblies_" + group + "_"))
                throw new BadImageFormatException($"group {group}");
            Records(Items(image, method).ToList(), weights, group.TrimEnd(';'));
        }
    }

    static string Named(MetadataReader r, TypeDefinitionHandle handle)
    {
        TypeDefinition type = r.GetTypeDefinition(handle);
        string name = r.GetString(type.Name), space = r.GetString(type.Namespace);
        return type.GetDeclaringType().IsNil ? (space.Length > 0 ? space + "." + name : name) : Named(r, type.GetDeclaringType()) + "+" + name;
    }

    static void Methods(string path)
    {
        using PEReader image = new PEReader(File.OpenRead(path));
        MetadataReader r = image.GetMetadataReader();
        foreach (MethodDefinition method in r.MethodDefinitions.Select(r.GetMethodDefinition))
            if (method.RelativeVirtualAddress != 0)
                Console.WriteLine(Named(r, method.GetDeclaringType()) + "." + r.GetString(method.Name));
    }

    static int Main(string[] args)
    {
        definitions = args.Contains("-d");
        try
        {
            foreach (string path in args.Where(a => a[0] != '-'))
                if (args.Contains("-m"))
                    Methods(path);
                else
                    Read(path, args.Contains("-w"));
            return 0;
        }
        catch (BadImageFormatException e)
        {
            Console.Error.WriteLine(e.Message);
            return 1;
        }
    }
}
