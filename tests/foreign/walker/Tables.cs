// Every row of every table, column by column. Old heap bytes keep their place (Streams), so an unchanged meaning is an unchanged
// cell. The schema is checked against SRM: the widths must add up to the row size that SRM found.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Walker
{
    static class Tables
    {
        // 1 2 4: a number of that size; S B G: a heap offset; a name with a number: a row of the table; T...: a coded index.
        static readonly string[] Schema =
        {
            "00 Module 2 S G:mvid G G", "01 TypeRef Tscope S S", "02 TypeDef 4 S S Ttypedef r04 r06", "03 FieldPtr r04", "04 Field 2 S B",
            "05 MethodPtr r06", "06 MethodDef 4:rva 2 2 S B r08", "07 ParamPtr r08", "08 Param 2 2 S", "09 InterfaceImpl r02 Ttypedef",
            "0a MemberRef Tmemberparent S B", "0b Constant 2 Tconstant B", "0c CustomAttribute Tattribute Tattributetype B",
            "0d FieldMarshal Tmarshal B", "0e DeclSecurity 2 Tsecurity B", "0f ClassLayout 2 4 r02", "10 FieldLayout 4 r04", "11 StandAloneSig B",
            "12 EventMap r02 r14", "13 EventPtr r14", "14 Event 2 S Ttypedef", "15 PropertyMap r02 r17", "16 PropertyPtr r17",
            "17 Property 2 S B", "18 MethodSemantics 2 r06 Tsemantics", "19 MethodImpl r02 Tmethod Tmethod", "1a ModuleRef S", "1b TypeSpec B",
            "1c ImplMap 2 Tforwarded S r1a", "1d FieldRVA 4:rva r04", "1e EncLog 4 4", "1f EncMap 4",
            "20 Assembly 4 2 2 2 2 4 B S S", "21 AssemblyProcessor 4", "22 AssemblyOS 4 4 4", "23 AssemblyRef 2 2 2 2 4 B S S B",
            "24 AssemblyRefProcessor 4 r23", "25 AssemblyRefOS 4 4 4 r23", "26 File 4 S B", "27 ExportedType 4 4 S S Timplementation",
            "28 ManifestResource 4:offset 4 S Timplementation", "29 NestedClass r02 r02", "2a GenericParam 2 2 Tgeneric S",
            "2b MethodSpec Tmethod B", "2c GenericParamConstraint r2a Ttypedef",
        };

        static readonly Dictionary<string, (int bits, int[] tables)> Coded = new Dictionary<string, (int, int[])>
        {
            ["Ttypedef"] = (2, new[] { 2, 1, 0x1b }),
            ["Tconstant"] = (2, new[] { 4, 8, 0x17 }),
            ["Tattribute"] = (5, new[] { 6, 4, 1, 2, 8, 9, 0xa, 0, 0xe, 0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23, 0x26, 0x27, 0x28, 0x2a, 0x2c, 0x2b }),
            ["Tmarshal"] = (1, new[] { 4, 8 }),
            ["Tsecurity"] = (2, new[] { 2, 6, 0x20 }),
            ["Tmemberparent"] = (3, new[] { 2, 1, 0x1a, 6, 0x1b }),
            ["Tsemantics"] = (1, new[] { 0x14, 0x17 }),
            ["Tmethod"] = (1, new[] { 6, 0xa }),
            ["Tforwarded"] = (1, new[] { 4, 6 }),
            ["Timplementation"] = (2, new[] { 0x26, 0x23, 0x27 }),
            ["Tattributetype"] = (3, new[] { 6, 0xa }),
            ["Tscope"] = (2, new[] { 0, 0x1a, 0x23, 1 }),
            ["Tgeneric"] = (1, new[] { 2, 6 }),
        };

        // Tables that may grow, at their ends. The rows from TypeDef on hold the one type that
        // carries the module's base id.
        static readonly string[] MayGrow =
        {
            "AssemblyRef", "TypeRef", "MemberRef", "StandAloneSig", "TypeSpec", "ManifestResource", "TypeDef", "Field", "MethodDef", "Param",
            "FieldPtr", "MethodPtr", "ParamPtr",
        };

        // The tracker's methods, and how the task of an async method's builder is asked for.
        static readonly string[] MayBeAdded =
        {
            "WhenEnteringMethod", "WhenLeavingMethod", "WhenLeavingByException", "WhenCatching", "WhenUnwinding", "WhenFiltering", "WhenExceptionPasses", "Register",
            ".ctor", "get_TypeHandle", "WhenEnteringStateMachine", "WantsIdentity",
            "WhenIdentified", "WhenBuilderIdentifies", "WhenSuspending", "WhenCompleting", "WhenFailing", "WhenHolding", "get_Task", "AsTask", "RegisterSwitches", "WhenEnteringSwitchedOn", "WhenVisitingMethod",
        };

        // In #- these may stand between a type and its members. Where they do, what is added has a row there, too.
        static readonly Dictionary<string, TableIndex> Pointed = new Dictionary<string, TableIndex>
        {
            ["FieldPtr"] = TableIndex.Field,
            ["MethodPtr"] = TableIndex.MethodDef,
            ["ParamPtr"] = TableIndex.Param,
        };

        public static void Compare(Image a, Image b, Findings f)
        {
            foreach (string line in Schema)
            {
                var words = line.Split(' ');
                var table = (TableIndex)Convert.ToInt32(words[0], 16);
                string name = words[1];
                int before = a.Md.GetTableRowCount(table), after = b.Md.GetTableRowCount(table);
                if (name == "CustomAttribute")
                {
                    CompareAttributes(a, b, f);
                    continue;
                }
                if (after < before || after > before && !MayGrow.Contains(name))
                    f.Add($"{name}: {before} rows became {after}");
                if (Pointed.TryGetValue(name, out var pointed))
                    f.Expect($"{name}: added rows", before > 0 ? b.Md.GetTableRowCount(pointed) - a.Md.GetTableRowCount(pointed) : 0, after - before);
                if (name == "TypeDef" && after > before + 2)
                    f.Add($"{name}: {after - before} types were added, not two");
                CompareRows(a, b, table, words, Math.Min(before, after), f);
            }
            Added(a, b, f);
        }

        // Those of the added types stand among the others, by their parents, unless the old ones were in no order.
        static void CompareAttributes(Image a, Image b, Findings f)
        {
            int types = a.Md.GetTableRowCount(TableIndex.TypeDef), added = b.Md.GetTableRowCount(TableIndex.TypeDef) - types;
            Func<Image, CustomAttributeHandle, (int, int, string)> row = (image, handle) =>
            {
                var attribute = image.Md.GetCustomAttribute(handle);
                string value = attribute.Value.IsNil ? "" : BitConverter.ToString(image.Md.GetBlobBytes(attribute.Value));
                return (MetadataTokens.GetToken(attribute.Parent), MetadataTokens.GetToken(attribute.Constructor), value);
            };
            Func<(int parent, int, string), bool> isOurs = r => r.parent >> 24 == 2 && (r.parent & 0xffffff) > types;
            var old = a.Md.CustomAttributes.Select(h => row(a, h)).ToList();
            var all = b.Md.CustomAttributes.Select(h => row(b, h)).ToList();
            f.Expect("the old attributes in their order", true, old.SequenceEqual(all.Where(r => !isOurs(r))));
            var ours = all.Where(isOurs).ToList();
            bool ordered = Ascends(a);
            f.Expect("attributes of added types", ordered ? added : 0, ours.Count);
            f.Expect("they are in order", ordered, Ascends(b));
            foreach (var (parent, constructor, value) in ours)
            {
                // In the core library the attribute is a type of its own.
                var handle = MetadataTokens.EntityHandle(constructor);
                string of = handle.Kind == HandleKind.MethodDefinition
                    ? b.Md.GetString(b.Md.GetTypeDefinition(b.Md.GetMethodDefinition((MethodDefinitionHandle)handle).GetDeclaringType()).Name)
                    : b.Md.GetMemberReference((MemberReferenceHandle)handle).Parent is var type && type.Kind == HandleKind.TypeReference
                    ? b.Md.GetString(b.Md.GetTypeReference((TypeReferenceHandle)type).Name) : "?";
                f.Expect("the added attribute", "CompilerGeneratedAttribute 01-00-00-00", of + " " + value);
            }
        }

        // The first cell of each row, the parent as it stands there.
        static bool Ascends(Image i)
        {
            int at = i.MetadataOffset + i.Md.GetTableMetadataOffset(TableIndex.CustomAttribute), size = i.Md.GetTableRowSize(TableIndex.CustomAttribute);
            int width = Width(i, "Tattribute");
            uint last = 0;
            for (int row = 0; row < i.Md.GetTableRowCount(TableIndex.CustomAttribute); row++)
            {
                int cell = at + row * size;
                uint parent = Cell(i.File, ref cell, width);
                if (parent < last)
                    return false;
                last = parent;
            }
            return true;
        }

        static void CompareRows(Image a, Image b, TableIndex table, string[] words, int rows, Findings f)
        {
            var left = Widths(a, words);
            var right = Widths(b, words);
            if (rows == 0)
                return;
            int leftSize = a.Md.GetTableRowSize(table), rightSize = b.Md.GetTableRowSize(table);
            if (left.Sum() != leftSize || right.Sum() != rightSize)
            {
                f.Add($"{words[1]}: row sizes {left.Sum()} and {right.Sum()}, but SRM has {leftSize} and {rightSize}");
                return;
            }
            int leftAt = a.MetadataOffset + a.Md.GetTableMetadataOffset(table), rightAt = b.MetadataOffset + b.Md.GetTableMetadataOffset(table);
            for (int row = 1; row <= rows; row++)
                for (int column = 0; column < left.Length; column++)
                {
                    uint x = Cell(a.File, ref leftAt, left[column]), y = Cell(b.File, ref rightAt, right[column]);
                    if (x != y && !words[column + 2].Contains(':'))
                        f.Add($"{words[1]} row {row} column {column}: 0x{x:x} became 0x{y:x}");
                    if (words[column + 2] == "4:rva" && (x == 0) != (y == 0))
                        f.Add($"{words[1]} row {row}: RVA 0x{x:x} became 0x{y:x}");
                }
        }

        static uint Cell(byte[] file, ref int at, int width)
        {
            uint value = width == 2 ? BitConverter.ToUInt16(file, at) : BitConverter.ToUInt32(file, at);
            at += width;
            return value;
        }

        static int[] Widths(Image i, string[] words)
        {
            return words.Skip(2).Select(word => Width(i, word.Split(':')[0])).ToArray();
        }

        static int Width(Image i, string word)
        {
            // SRM shows the heap widths only through rows that have such a cell, so they come from the table stream's
            // header.
            var tables = i.Streams.First(s => s.Name == "#~" || s.Name == "#-");
            int heaps = i.File[tables.Offset + 6];
            switch (word[0])
            {
                case '2': return 2;
                case '4': return 4;
                case 'S': return (heaps & 1) != 0 ? 4 : 2;
                case 'G': return (heaps & 2) != 0 ? 4 : 2;
                case 'B': return (heaps & 4) != 0 ? 4 : 2;
                case 'r': return i.Md.GetTableRowCount((TableIndex)Convert.ToInt32(word.Substring(1), 16)) > 0xffff ? 4 : 2;
            }
            var (bits, targets) = Coded[word];
            return targets.Max(t => i.Md.GetTableRowCount((TableIndex)t)) >= 1 << (16 - bits) ? 4 : 2;
        }

        // The rows that were added have names and places that fit together.
        static void Added(Image a, Image b, Findings f)
        {
            int types = a.Md.GetTableRowCount(TableIndex.TypeDef), methods = a.Md.GetTableRowCount(TableIndex.MethodDef);
            // A module beside its manifest carries its own name in what is added (docs/profile-format.md, section 1).
            string module = b.Md.IsAssembly ? "" : b.Md.GetString(b.Md.GetModuleDefinition().Name);
            bool helper = b.Md.GetTableRowCount(TableIndex.TypeDef) > types;
            if (!helper)
            {
                foreach (var table in new[] { TableIndex.Field, TableIndex.MethodDef, TableIndex.Param })
                    f.Expect($"{table} rows without an added type", a.Md.GetTableRowCount(table), b.Md.GetTableRowCount(table));
            }
            else
            {
                // The last one is the helper; one before it has nothing but the array of what is switched off, and makes it.
                int last = b.Md.GetTableRowCount(TableIndex.TypeDef), addedMethods = 0, addedFields = 0;
                for (int row = types + 1; row <= last; row++)
                {
                    var type = b.Md.GetTypeDefinition(MetadataTokens.TypeDefinitionHandle(row));
                    f.Expect("its namespace", "Instrumenter", b.Md.GetString(type.Namespace));
                    f.Expect("the added type", (row == last ? "<ilinject>" : "<ilinject>Off") + module, b.Md.GetString(type.Name));
                    f.Expect("an added type of added methods only", true, type.GetMethods().All(m => MetadataTokens.GetRowNumber(m) > methods));
                    if (row != last)
                        f.Expect("members of the type with the array", "Off .cctor",
                            string.Join(" ", type.GetFields().Select(h => b.Md.GetString(b.Md.GetFieldDefinition(h).Name))
                                .Concat(type.GetMethods().Select(h => b.Md.GetString(b.Md.GetMethodDefinition(h).Name)))));
                    addedMethods += type.GetMethods().Count;
                    addedFields += type.GetFields().Count;
                }
                f.Expect("methods of the added types", b.Md.GetTableRowCount(TableIndex.MethodDef) - methods, addedMethods);
                f.Expect("fields of the added types", b.Md.GetTableRowCount(TableIndex.Field) - a.Md.GetTableRowCount(TableIndex.Field), addedFields);
                // The type in front of them must not have got the added members.
                if (types > 0)
                {
                    var old = MetadataTokens.TypeDefinitionHandle(types);
                    f.Expect("methods of the last old type", a.Md.GetTypeDefinition(old).GetMethods().Count, b.Md.GetTypeDefinition(old).GetMethods().Count);
                    f.Expect("fields of the last old type", a.Md.GetTypeDefinition(old).GetFields().Count, b.Md.GetTypeDefinition(old).GetFields().Count);
                }
            }
            for (int row = a.Md.GetTableRowCount(TableIndex.MemberRef) + 1; row <= b.Md.GetTableRowCount(TableIndex.MemberRef); row++)
            {
                string name = b.Md.GetString(b.Md.GetMemberReference(MetadataTokens.MemberReferenceHandle(row)).Name);
                if (!MayBeAdded.Contains(name))
                    f.Add("an added MemberRef: " + name);
            }
            for (int row = a.Md.GetTableRowCount(TableIndex.ManifestResource) + 1; row <= b.Md.GetTableRowCount(TableIndex.ManifestResource); row++)
                f.Expect("the added resource", module == "" ? "ilinject.names" : "ilinject.names." + module, b.Md.GetString(b.Md.GetManifestResource(MetadataTokens.ManifestResourceHandle(row)).Name));
        }
    }
}
