// Facts of a type that reading values needs: its name as a programmer writes it, its fields.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Text;

namespace Instrumenter
{
    internal enum TypeShape
    {
        Fields,
        Scalar,
        Text,
        Sequence,
        List,
        Map,
        Exception,
        Opaque
    }

    internal sealed class TypeFacts
    {
        internal readonly string Name;
        internal readonly TypeShape Shape;
        internal readonly Type Type;

        /// <summary>For a scalar: which number of the core library it is; Empty: another one, an
        /// enum for instance.</summary>
        internal readonly TypeCode Code;

        /// <summary>The name and the fields' names as <see cref="ByteWriter.Text(string)"/> has them.</summary>
        internal readonly byte[] EncodedName;
        internal readonly byte[][] EncodedFieldNames;

        /// <summary>True if the type cannot be unloaded, and so may be held.</summary>
        internal readonly bool Stays;

        /// <summary>Those of base types first.</summary>
        internal readonly FieldInfo[] Fields;
        internal readonly string[] FieldNames;
        private readonly FieldReader[] readers;

        /// <summary>Of a pair, the field with its name and those with its value; -1 and null: it is none.</summary>
        internal readonly int KeyField = -1;
        internal readonly bool[] ValueFields;

        // Which fields these masks hide: nearly always those that asked last.
        private Masks asked;
        private bool[] hidden;
        private string[] askedNames;
        private int[] chosen;

        private const BindingFlags Own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

        [ThreadStatic]
        private static Dictionary<Type, TypeFacts> staying;

        // Weak, so that no type is kept from being unloaded.
        [ThreadStatic]
        private static WeakReference cache;

        internal static TypeFacts Of(Type type)
        {
            TypeFacts facts;
            if (staying == null)
                staying = new Dictionary<Type, TypeFacts>();
            if (staying.TryGetValue(type, out facts))
                return facts;
            Dictionary<Type, TypeFacts> known = cache == null ? null : (Dictionary<Type, TypeFacts>)cache.Target;
            if (known != null && known.TryGetValue(type, out facts))
                return facts;
            facts = new TypeFacts(type);
            if (facts.Stays)
            {
                staying[type] = facts;
                return facts;
            }
            if (known == null)
                cache = new WeakReference(known = new Dictionary<Type, TypeFacts>());
            return known[type] = facts;
        }

        private TypeFacts(Type type)
        {
            StringBuilder name = new StringBuilder();
            AppendName(name, type, 0);
            Type = type;
            Stays = !ReflectedTypes.IsCollectible(type);
            Name = name.ToString();
            EncodedName = Encode(Name);
            Shape = ShapeOf(type);
            Code = Shape == TypeShape.Scalar && !type.IsEnum ? Type.GetTypeCode(type) : TypeCode.Empty;
            List<FieldInfo> fields = new List<FieldInfo>();
            if (Shape == TypeShape.Fields || Shape == TypeShape.Exception || Shape == TypeShape.List || Shape == TypeShape.Map)
                AddFields(fields, type, Shape == TypeShape.Exception ? typeof(Exception) : typeof(object));
            Fields = fields.ToArray();
            FieldNames = new string[Fields.Length];
            EncodedFieldNames = new byte[Fields.Length][];
            readers = new FieldReader[Fields.Length];
            for (int i = 0; i < Fields.Length; i++)
            {
                FieldNames[i] = PlainName(Fields[i].Name);
                EncodedFieldNames[i] = Encode(FieldNames[i]);
                readers[i] = FieldReaders.Of(Fields[i]);
                if (KeyField < 0 && Masks.IsKey(FieldNames[i]))
                    KeyField = i;
            }
            if (KeyField >= 0)
                ValueFields = FindValues();
        }

        private bool[] FindValues()
        {
            bool[] found = new bool[FieldNames.Length];
            for (int i = 0; i < found.Length; i++)
                found[i] = Masks.IsValue(FieldNames[i]);
            return found;
        }

        internal object Value(int index, object of)
        {
            return readers[index](of);
        }

        private static byte[] Encode(string text)
        {
            ByteWriter encoded = new ByteWriter(text.Length + 1);
            encoded.Text(text);
            return encoded.Copy();
        }

        private static void AddFields(List<FieldInfo> fields, Type type, Type end)
        {
            if (type == null || type == end || type == typeof(object) || type == typeof(ValueType))
                return;
            AddFields(fields, type.BaseType, end);
            foreach (FieldInfo field in type.GetFields(Own))
                if (!field.FieldType.IsPointer)
                    fields.Add(field);
        }

        /// <summary>Where the fields of these names stand; those that asked last are remembered.</summary>
        internal int[] ChosenBy(string[] names)
        {
            if (ReferenceEquals(askedNames, names))
                return chosen;
            List<int> found = new List<int>();
            for (int i = 0; i < FieldNames.Length; i++)
                foreach (string name in names)
                    if (FieldNames[i] == name)
                    {
                        found.Add(i);
                        break;
                    }
            chosen = found.ToArray();
            askedNames = names;
            return chosen;
        }

        internal bool[] HiddenBy(Masks masks)
        {
            if (asked == masks)
                return hidden;
            bool[] found = new bool[FieldNames.Length];
            for (int i = 0; i < found.Length; i++)
                found[i] = masks.Hide(FieldNames[i]);
            hidden = found;
            asked = masks;
            return found;
        }

        /// <summary>The field of this name, with or without an underscore before it; null: there is none.</summary>
        internal FieldInfo Field(string name)
        {
            foreach (FieldInfo field in Fields)
                if (field.Name == name || (field.Name.Length == name.Length + 1 && field.Name[0] == '_' && field.Name.EndsWith(name, StringComparison.Ordinal)))
                    return field;
            return null;
        }

        /// <summary>The property's name of the field after it: &lt;Name&gt;k__BackingField, &lt;Name&gt;i__Field.</summary>
        private static string PlainName(string name)
        {
            int end = name.Length > 0 && name[0] == '<' ? name.IndexOf('>') : -1;
            return end > 1 ? name.Substring(1, end - 1) : name;
        }

        private static TypeShape ShapeOf(Type type)
        {
            if (type == typeof(string))
                return TypeShape.Text;
            if (type.IsArray)
                return TypeShape.Sequence;
            if (type.IsPrimitive || type.IsEnum || type == typeof(decimal) || type == typeof(DateTime) || type == typeof(TimeSpan) || type == typeof(Guid))
                return TypeShape.Scalar;
            if (typeof(Exception).IsAssignableFrom(type))
                return TypeShape.Exception;
            if (typeof(Delegate).IsAssignableFrom(type))
                return TypeShape.Opaque;
            string space = type.Namespace ?? "";
            bool system = space == "System" || space.StartsWith("System.", StringComparison.Ordinal);
            if (type.IsValueType)
                return system && type.Assembly == typeof(object).Assembly && typeof(IFormattable).IsAssignableFrom(type) ? TypeShape.Scalar
                                                                                                                         : TypeShape.Fields;
            if (type.IsGenericType && space == "System.Collections.Generic")
            {
                if (type.Name == "List`1")
                    return TypeShape.List;
                if (type.Name == "Dictionary`2")
                    return TypeShape.Map;
            }
            // The fields of a library's own object say little.
            return system && !type.Name.StartsWith("Tuple`", StringComparison.Ordinal) ? TypeShape.Opaque : TypeShape.Fields;
        }

        /// <summary>Type.IsByRefLike, which younger core libraries have; where it is missing nothing can be one.</summary>
        internal static bool IsByRefLike(Type type)
        {
            PropertyInfo property = typeof(Type).GetProperty("IsByRefLike");
            if (property != null)
                return (bool)property.GetValue(type, null);
            foreach (object attribute in type.GetCustomAttributes(false))
                if (attribute.GetType().FullName == "System.Runtime.CompilerServices.IsByRefLikeAttribute")
                    return true;
            return type.FullName == "System.TypedReference" || type.FullName == "System.ArgIterator" || type.FullName == "System.RuntimeArgumentHandle";
        }

        private static string Keyword(Type type)
        {
            if (type.IsEnum)
                return null;
            switch (Type.GetTypeCode(type))
            {
                case TypeCode.Boolean:
                    return "bool";
                case TypeCode.Char:
                    return "char";
                case TypeCode.SByte:
                    return "sbyte";
                case TypeCode.Byte:
                    return "byte";
                case TypeCode.Int16:
                    return "short";
                case TypeCode.UInt16:
                    return "ushort";
                case TypeCode.Int32:
                    return "int";
                case TypeCode.UInt32:
                    return "uint";
                case TypeCode.Int64:
                    return "long";
                case TypeCode.UInt64:
                    return "ulong";
                case TypeCode.Single:
                    return "float";
                case TypeCode.Double:
                    return "double";
                case TypeCode.Decimal:
                    return "decimal";
                case TypeCode.String:
                    return "string";
                default:
                    return type == typeof(object) ? "object" : null;
            }
        }

        private static void AppendName(StringBuilder to, Type type, int depth)
        {
            string keyword = Keyword(type);
            if (keyword != null)
            {
                to.Append(keyword);
            }
            else if (type.IsArray)
            {
                AppendName(to, type.GetElementType(), depth);
                to.Append('[').Append(',', type.GetArrayRank() - 1).Append(']');
            }
            else if (type.IsGenericParameter || depth > 8)
            {
                to.Append(type.Name);
            }
            else
            {
                Type[] arguments = type.IsGenericType ? type.GetGenericArguments() : Type.EmptyTypes;
                AppendParts(to, type, arguments, depth);
            }
        }

        private static void AppendParts(StringBuilder to, Type type, Type[] arguments, int depth)
        {
            if (type.DeclaringType != null)
            {
                AppendParts(to, type.DeclaringType, arguments, depth);
                to.Append('.');
            }
            else if (!string.IsNullOrEmpty(type.Namespace))
            {
                to.Append(type.Namespace).Append('.');
            }
            string name = type.Name;
            int tick = name.IndexOf('`');
            to.Append(tick < 0 ? name : name.Substring(0, tick));
            int before = type.DeclaringType == null ? 0 : type.DeclaringType.GetGenericArguments().Length;
            int count = type.GetGenericArguments().Length;
            for (int i = before; i < count && i < arguments.Length; i++)
            {
                to.Append(i == before ? "<" : ", ");
                AppendName(to, arguments[i], depth + 1);
            }
            if (count > before)
                to.Append('>');
        }
    }
}
