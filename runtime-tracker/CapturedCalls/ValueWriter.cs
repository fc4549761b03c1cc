// Values as the section CALL has them (docs/profile-format.md). Fields are read; no code of the program's runs.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Text;

namespace Instrumenter
{
    internal sealed class ValueWriter
    {
        private const int MostFields = 32, MostStackCharacters = 2000, MostInner = 4, DeepestPath = 16, LeastPiece = 16;

        private readonly ByteWriter output;
        private CaptureRule rule;

        // Where the call's values end, and where the present one ends.
        private int lastEnd, end;

        // The references that are being read, from the outside to the inside: what leads back to one of them is a cycle.
        private readonly object[] path = new object[DeepestPath];
        private int pathLength;

        internal ValueWriter(ByteWriter output)
        {
            this.output = output;
        }

        internal void Begin(CaptureRule limits)
        {
            rule = limits;
            end = lastEnd = output.Count + limits.MostCallBytes;
            pathLength = 0;
        }

        /// <summary>
        /// The next value gets its part of what is left, <paramref name="values"/> being still to come, this one too. What it leaves is for those
        /// after it, so numbers are always whole.
        /// </summary>
        internal void Share(int values)
        {
            end = output.Count + Math.Max((lastEnd - output.Count) / Math.Max(values, 1), LeastPiece);
        }

        private void Tag(char tag)
        {
            output.Byte(tag);
        }

        // The types that were seen last, by their hash codes; of those that stay alone.
        private readonly TypeFacts[] recent = new TypeFacts[8];

        private TypeFacts FactsOf(Type type)
        {
            int place = (type.GetHashCode() >> 3) & 7;
            TypeFacts facts = recent[place];
            if (facts != null && ReferenceEquals(facts.Type, type))
                return facts;
            facts = TypeFacts.Of(type);
            if (facts.Stays)
                recent[place] = facts;
            return facts;
        }

        private void Name(byte[] encoded)
        {
            output.Raw(encoded, encoded.Length);
        }

        private void Number(long value)
        {
            Tag('v');
            output.Digits(value < 0 ? (ulong)-value : (ulong)value, value < 0);
        }

        private void Number(ulong value)
        {
            Tag('v');
            output.Digits(value, false);
        }

        internal void Null()
        {
            Tag('n');
        }

        internal void Masked()
        {
            Tag('m');
        }

        private void Literal(string text)
        {
            Tag('v');
            output.Text(text);
        }

        private void OnlyType(Type type)
        {
            Tag('t');
            Name(FactsOf(type).EncodedName);
        }

        internal void Integer(long value, int element)
        {
            const int Boolean = 2, Char = 3, UInt64 = 0x0B, UIntPtr = 0x19;
            if (element == Boolean)
                Literal(value != 0 ? "true" : "false");
            else if (element == Char)
                Character((char)value);
            else if (element == UInt64 || element == UIntPtr)
                Number((ulong)value);
            else
                Number(value);
        }

        internal void Real(double value, int element)
        {
            const int Single = 0x0C;
            Literal(element == Single ? ((float)value).ToString("R", CultureInfo.InvariantCulture)
                                      : value.ToString("R", CultureInfo.InvariantCulture));
        }

        private void Character(char value)
        {
            Literal("'" + (char.IsSurrogate(value) || char.IsControl(value) ? "\\u" + ((int)value).ToString("x4", CultureInfo.InvariantCulture)
                                                                            : value.ToString()) + "'");
        }

        private void Characters(string text)
        {
            Tag('s');
            output.VarUInt(text.Length);
            output.Text(text, HeadLength(text, Math.Min(rule.StringLength, Math.Max(end - output.Count, LeastPiece))));
        }

        /// <summary>Not cut between the two halves of one character.</summary>
        private static int HeadLength(string text, int most)
        {
            if (text.Length <= most)
                return text.Length;
            return most > 0 && char.IsHighSurrogate(text[most - 1]) ? most - 1 : most;
        }

        /// <summary>Reading an object may set off initializers of the program's.</summary>
        internal void Any(object value)
        {
            string text = value as string;
            if (value == null)
            {
                Null();
            }
            else if (text != null)
            {
                if (output.Count < end)
                    Characters(text);
                else
                    Tag('.');
            }
            else
            {
                bool entered = Guard.Enter();
                try
                {
                    Write(value, 0);
                }
                finally
                {
                    if (entered)
                        Guard.Leave();
                }
            }
        }

        private void Write(object value, int depth)
        {
            if (output.Count >= end)
            {
                Tag('.');
                return;
            }
            if (value == null)
            {
                Null();
                return;
            }
            Type type = value.GetType();
            TypeFacts facts = FactsOf(type);
            switch (facts.Shape)
            {
                case TypeShape.Scalar:
                    Scalar(value, facts);
                    return;
                case TypeShape.Text:
                    Characters((string)value);
                    return;
                case TypeShape.Opaque:
                    OnlyType(type);
                    return;
            }
            for (int i = 0; i < pathLength; i++)
                if (ReferenceEquals(path[i], value))
                {
                    Tag('r');
                    Name(facts.EncodedName);
                    return;
                }
            bool deep = depth >= rule.Depth && facts.Shape == TypeShape.Fields;
            // Compiled ahead, types have lost their fields for reflection: that is not to look as if they had none.
            bool bare = facts.Fields.Length == 0 && facts.Shape != TypeShape.Sequence && facts.Shape != TypeShape.Exception;
            if (deep || bare || pathLength == DeepestPath)
            {
                OnlyType(type);
                return;
            }
            path[pathLength++] = value;
            try
            {
                if (facts.Shape == TypeShape.Sequence)
                    Sequence((Array)value, facts, depth);
                else if (facts.Shape == TypeShape.Exception)
                    ExceptionValue((Exception)value, facts, depth, 0);
                else if (!TryCollection(value, facts, depth))
                    Object(value, facts, depth);
            }
            finally
            {
                path[--pathLength] = null;
            }
        }

        private void Scalar(object value, TypeFacts facts)
        {
            switch (facts.Code)
            {
                case TypeCode.Boolean:
                    Literal((bool)value ? "true" : "false");
                    return;
                case TypeCode.Char:
                    Character((char)value);
                    return;
                case TypeCode.SByte:
                    Number((sbyte)value);
                    return;
                case TypeCode.Byte:
                    Number((long)(byte)value);
                    return;
                case TypeCode.Int16:
                    Number((short)value);
                    return;
                case TypeCode.UInt16:
                    Number((long)(ushort)value);
                    return;
                case TypeCode.Int32:
                    Number((int)value);
                    return;
                case TypeCode.UInt32:
                    Number((long)(uint)value);
                    return;
                case TypeCode.Int64:
                    Number((long)value);
                    return;
                case TypeCode.UInt64:
                    Number((ulong)value);
                    return;
                case TypeCode.Double:
                    Real((double)value, 0);
                    return;
                case TypeCode.Single:
                    Literal(((float)value).ToString("R", CultureInfo.InvariantCulture));
                    return;
            }
            Type type = facts.Type;
            if (type.IsEnum || type == typeof(TimeSpan) || !(value is IFormattable))
                Literal(value.ToString());
            else
                Literal(((IFormattable)value).ToString(type.Name.StartsWith("Date", StringComparison.Ordinal) || type.Name == "TimeOnly" ? "o" : null,
                                                       CultureInfo.InvariantCulture));
        }

        private void Object(object value, TypeFacts facts, int depth)
        {
            int[] chosen = rule.Fields == null || value is ValueType ? null : facts.ChosenBy(rule.Fields);
            int shown = Math.Min(chosen == null ? facts.Fields.Length : chosen.Length, MostFields);
            Tag('o');
            Name(facts.EncodedName);
            output.VarUInt(facts.Fields.Length);
            output.VarUInt(shown);
            bool hidesValue = HidesValue(value, facts);
            for (int i = 0; i < shown; i++)
            {
                int index = chosen == null ? i : chosen[i];
                Field(value, facts, index, depth, hidesValue && facts.ValueFields[index]);
            }
        }

        /// <summary>True for a pair with a name that looks like a secret's.</summary>
        private bool HidesValue(object value, TypeFacts facts)
        {
            try
            {
                return facts.KeyField >= 0 && rule.Masks.HideKey(facts.Value(facts.KeyField, value));
            }
            catch (Exception)
            {
                // Silverlight; the value is not read there, either.
                return true;
            }
        }

        private void Field(object value, TypeFacts facts, int index, int depth, bool hidden)
        {
            Name(facts.EncodedFieldNames[index]);
            if (hidden || facts.HiddenBy(rule.Masks)[index])
            {
                Masked();
                return;
            }
            object content;
            try
            {
                content = facts.Value(index, value);
            }
            catch (Exception)
            {
                // Silverlight reads no field that the caller could not read itself.
                OnlyType(facts.Fields[index].FieldType);
                return;
            }
            Write(content, depth + 1);
        }

        private void Sequence(Array array, TypeFacts facts, int depth)
        {
            int shown = array.Rank == 1 && HasRoom(depth) ? Math.Min(array.Length, rule.Items) : 0, first = array.Rank == 1 ? array.GetLowerBound(0) : 0;
            if (array.GetType().GetElementType().IsPointer)
                shown = 0;
            Head('a', facts, array.Length, shown);
            object before = null;
            for (int i = 0; i < shown; i++)
                before = Item(array.GetValue(first + i), before, array.Length, depth);
        }

        /// <summary>One after the name of a secret is not shown: of an option, or of a pair that is an array.</summary>
        private object Item(object item, object before, int count, int depth)
        {
            if (rule.Masks.HideAfter(before, count))
                Masked();
            else
                Write(item, depth + 1);
            return item;
        }

        /// <summary>True if the content of a collection at this depth may be shown.</summary>
        private bool HasRoom(int depth)
        {
            return depth <= rule.Depth;
        }

        private void Head(char tag, TypeFacts facts, int length, int shown)
        {
            Tag(tag);
            Name(facts.EncodedName);
            output.VarUInt(length);
            output.VarUInt(shown);
        }

        private bool TryCollection(object value, TypeFacts facts, int depth)
        {
            try
            {
                if (facts.Shape == TypeShape.List)
                    return TryList(value, facts, depth);
                if (facts.Shape != TypeShape.Map)
                    return false;
                // A library with other entries: it is not known which value stands under which key.
                if (!TryMap(value, facts, depth))
                    OnlyType(value.GetType());
                return true;
            }
            catch (FieldAccessException)
            {
                // Silverlight; nothing is written yet.
                OnlyType(value.GetType());
                return true;
            }
        }

        private bool TryList(object value, TypeFacts facts, int depth)
        {
            FieldInfo itemsField = facts.Field("items"), sizeField = facts.Field("size");
            Array items = itemsField == null ? null : itemsField.GetValue(value) as Array;
            if (items == null || sizeField == null)
                return false;
            // Another thread may change it meanwhile.
            int size = Math.Min((int)sizeField.GetValue(value), items.Length), shown = HasRoom(depth) ? Math.Min(size, rule.Items) : 0;
            Head('a', facts, size, shown);
            object before = null;
            for (int i = 0; i < shown; i++)
                before = Item(items.GetValue(i), before, size, depth);
            return true;
        }

        private bool TryMap(object value, TypeFacts facts, int depth)
        {
            FieldInfo entriesField = facts.Field("entries"), countField = facts.Field("count"), freeField = facts.Field("freeCount");
            if (entriesField == null || countField == null || freeField == null)
                return false;
            Array entries = entriesField.GetValue(value) as Array;
            int used = entries == null ? 0 : Math.Min((int)countField.GetValue(value), entries.Length);
            int length = Math.Max(used - (int)freeField.GetValue(value), 0), wanted = HasRoom(depth) ? Math.Min(length, rule.Items) : 0;
            object[] keys = new object[wanted], values = new object[wanted];
            int found = 0;
            for (int i = 0; i < used && found < wanted; i++)
            {
                object entry = entries.GetValue(i);
                TypeFacts of = FactsOf(entry.GetType());
                FieldInfo key = of.Field("key"), held = of.Field("value"), hash = of.Field("hashCode"), next = of.Field("next");
                if (key == null || held == null || hash == null || next == null)
                    return false;
                object code = hash.GetValue(entry);
                // A free entry: by its hash code in older libraries, by the link in libraries that use all bits of the
                // hash code.
                if (code is int ? (int)code < 0 : (int)next.GetValue(entry) < -1)
                    continue;
                keys[found] = key.GetValue(entry);
                values[found++] = held.GetValue(entry);
            }
            Head('d', facts, length, found);
            for (int i = 0; i < found; i++)
            {
                Write(keys[i], depth + 1);
                if (rule.Masks.HideKey(keys[i]))
                    Masked();
                else
                    Write(values[i], depth + 1);
            }
            return true;
        }

        internal void Exception(object thrown, CaptureRule limits)
        {
            Begin(limits);
            Exception exception = thrown as Exception;
            if (exception == null)
                Write(thrown, 0);
            else
                ExceptionValue(exception, FactsOf(exception.GetType()), 0, 0);
        }

        /// <summary>Type, message, stack, the fields of its own types, and what it was made of.</summary>
        private void ExceptionValue(Exception exception, TypeFacts facts, int depth, int inner)
        {
            int shown = Math.Min(facts.Fields.Length, MostFields);
            Tag('x');
            Name(facts.EncodedName);
            string message = MessageOf(exception) ?? "", stack = StackOf(exception);
            output.Text(message, HeadLength(message, Math.Max(rule.StringLength, 200)));
            output.Text(stack, HeadLength(stack, MostStackCharacters));
            output.VarUInt(shown);
            for (int i = 0; i < shown; i++)
                Field(exception, facts, i, depth, false);
            Exception cause = exception.InnerException;
            if (cause == null)
                Null();
            else if (inner == MostInner || output.Count >= end)
                OnlyType(cause.GetType());
            else
                ExceptionValue(cause, FactsOf(cause.GetType()), depth, inner + 1);
        }

        private static string MessageOf(Exception exception)
        {
            if (!Settings.ExceptionMessages)
                return null;
            FieldInfo field = typeof(Exception).GetField("_message", BindingFlags.Instance | BindingFlags.NonPublic) ??
                              typeof(Exception).GetField("message", BindingFlags.Instance | BindingFlags.NonPublic);
            string message = field == null ? null : field.GetValue(exception) as string;
            return message ?? ExceptionText.Message(exception);
        }

        private static string StackOf(Exception exception)
        {
            try
            {
                return new StackTrace(exception).ToString().Trim();
            }
            catch (Exception)
            {
                return "";
            }
        }
    }
}
