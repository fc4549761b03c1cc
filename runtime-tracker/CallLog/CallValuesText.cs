// Values of captured calls as text, the same that `ilinject report` makes of them (docs/capture.md).
using System.Globalization;
using System.Text;

namespace Instrumenter
{
    internal sealed class CallValuesText
    {
        private readonly StringBuilder text = new StringBuilder();
        private byte[] bytes;
        private int at;

        // The call that was read last; null: there is none.
        private string[] before, after;
        private string self, result, exception;
        private long flags;
        private bool thrown;

        /// <summary>The text after the name where a call begins.</summary>
        internal string Begin(LoggedValues values)
        {
            bytes = values.Bytes;
            at = 0;
            Read(values.Method, values.Count);
            return Arguments(values.Method, false);
        }

        /// <summary>The result of a call, after a space; empty when there is nothing to say. With
        /// all of it when it has no other line.</summary>
        internal string End(LoggedValues values, bool isWhole)
        {
            CapturedMethod method = values.Method;
            bytes = values.Bytes;
            at = 0;
            for (int i = 0; i < 4; i++) // id, thread, start, ticks
                VarUInt();
            flags = VarUInt();
            thrown = (flags & CapturedCall.Thrown) != 0;
            VarUInt(); // the caller
            Read(method, (int)VarUInt());
            exception = null;
            if (thrown && bytes[at] != 'n')
            {
                text.Length = 0;
                Value();
                exception = text.ToString();
            }
            return (isWhole ? Arguments(method, true) : "") + Outcome(method) + (isWhole ? "" : Changes(method));
        }

        private void Read(CapturedMethod method, int count)
        {
            before = new string[method.Names.Length];
            after = new string[method.Names.Length];
            self = result = null;
            for (; count > 0; count--)
            {
                long folded = VarUInt();
                int position = (folded & 1) != 0 ? (int)-(folded / 2) - 1 : (int)(folded / 2);
                text.Length = 0;
                Value();
                string value = text.ToString();
                if (position == CapturedCall.This)
                    self = value;
                else if (position == CapturedCall.Result)
                    result = value;
                else if (position >= 0)
                    before[position] = value;
                else
                    after[CapturedCall.BecomesFirst - position] = value;
            }
        }

        private static string NameOf(CapturedMethod method, int parameter)
        {
            string name = method.Names[parameter];
            return name.Length == 0 ? "#" + Host.Number(parameter + 1) : name;
        }

        private string Arguments(CapturedMethod method, bool withChanges)
        {
            if ((method.Flags & CapturedMethod.Arguments) == 0)
                return "";
            text.Length = 0;
            text.Append('(');
            for (int i = 0; i < method.Names.Length; i++)
            {
                int flags = method.ParameterFlags[i];
                bool isByType = (flags & CapturedMethod.ByType) != 0 || (flags & CapturedMethod.NotBefore) == 0;
                string value = before[i] ?? (isByType ? "(by type)" : null);
                text.Append(i == 0 ? "" : ", ").Append(NameOf(method, i));
                if (value != null)
                    text.Append(": ").Append(value);
                if (withChanges && after[i] != null)
                    text.Append(value == null ? ": \u21d2 " : " \u21d2 ").Append(after[i]);
            }
            return text.Append(')').ToString();
        }

        private string Outcome(CapturedMethod method)
        {
            text.Length = 0;
            if (result != null)
                text.Append(" \u2192 ").Append(result);
            else if ((flags & CapturedCall.NotFollowed) != 0)
                text.Append(" \u2192 (not known)");
            else if ((method.Flags & CapturedMethod.ResultByType) != 0 && !thrown)
                text.Append(" \u2192 (by type)");
            if (self != null)
                text.Append(" this: ").Append(self);
            if (thrown)
                text.Append((flags & CapturedCall.Cancelled) != 0 ? " was cancelled: " : " threw ").Append(exception ?? "(not known)");
            return text.ToString();
        }

        private string Changes(CapturedMethod method)
        {
            text.Length = 0;
            for (int i = 0; i < after.Length; i++)
                if (after[i] != null)
                    text.Append(' ').Append(NameOf(method, i)).Append(" \u21d2 ").Append(after[i]);
            return text.ToString();
        }

        // ---- Bytes --------------------------------------------------------------------------------------------------------

        private long VarUInt()
        {
            long value = 0;
            for (int shift = 0;; shift += 7)
            {
                byte next = bytes[at++];
                value |= (long)(next & 0x7F) << shift;
                if (next < 0x80)
                    return value;
            }
        }

        private string String()
        {
            int size = (int)VarUInt();
            at += size;
            return Encoding.UTF8.GetString(bytes, at - size, size);
        }

        // ---- Values -------------------------------------------------------------------------------------------------------

        private void Value()
        {
            switch ((char)bytes[at++])
            {
                case 'n':
                    text.Append("null");
                    break;
                case 'm':
                    text.Append("***");
                    break;
                case '.':
                    text.Append('\u2026');
                    break;
                case 'v':
                    Shown(String());
                    break;
                case 's':
                    long length = VarUInt();
                    string head = String();
                    text.Append('"');
                    Shown(head);
                    text.Append('"');
                    if (head.Length < length)
                        text.Append("\u2026(").Append(length.ToString(CultureInfo.InvariantCulture)).Append(')');
                    break;
                case 't':
                    text.Append('{');
                    ShortName(String());
                    text.Append('}');
                    break;
                case 'r':
                    text.Append('{');
                    ShortName(String());
                    text.Append(", again}");
                    break;
                case 'o':
                    Object();
                    break;
                case 'a':
                    Items(false);
                    break;
                case 'd':
                    Items(true);
                    break;
                case 'x':
                    Exception();
                    break;
            }
        }

        private void Object()
        {
            string type = String();
            long all = VarUInt(), count = VarUInt();
            bool isTuple = type.StartsWith("System.ValueTuple<", System.StringComparison.Ordinal) ||
                           type.StartsWith("System.Tuple<", System.StringComparison.Ordinal);
            if (!isTuple)
                ShortName(type);
            text.Append(isTuple ? "(" : " {");
            Fields(count, isTuple);
            if (count < all)
                text.Append(", \u2026");
            text.Append(isTuple ? ")" : count != 0 || count < all ? " }" : "}");
        }

        private void Fields(long count, bool isTuple)
        {
            for (long i = 0; i < count; i++)
            {
                string name = String();
                text.Append(i != 0 ? ", " : isTuple ? "" : " ");
                if (!isTuple)
                {
                    Shown(name);
                    text.Append(" = ");
                }
                Value();
            }
        }

        private void Items(bool isMap)
        {
            string type = String();
            long length = VarUInt(), count = VarUInt();
            bool isArray = type.EndsWith("[]", System.StringComparison.Ordinal);
            ShortName(isArray ? type.Substring(0, type.Length - 2) : type);
            text.Append(isArray ? '[' : '(').Append(length.ToString(CultureInfo.InvariantCulture)).Append(isArray ? "] {" : ") {");
            for (long i = 0; i < count; i++)
            {
                text.Append(i != 0 ? ", " : " ");
                Value();
                if (!isMap)
                    continue;
                text.Append(" = ");
                Value();
            }
            text.Append(count < length ? (count != 0 ? ", \u2026 }" : " \u2026 }") : count != 0 ? " }" : "}");
        }

        private void Exception()
        {
            ShortName(String());
            text.Append(": ");
            Shown(String());
            String(); // the stack
            long count = VarUInt();
            if (count != 0)
                text.Append(" {");
            Fields(count, false);
            if (count != 0)
                text.Append(" }");
            if (bytes[at] == 'n')
            {
                at++;
                return;
            }
            text.Append(" \u2190 ");
            Value();
        }

        /// <summary>The name without its namespaces, those of type arguments too.</summary>
        private void ShortName(string name)
        {
            int from = 0;
            for (int i = 0; i <= name.Length; i++)
            {
                bool isPart = i < name.Length && "<>, []".IndexOf(name[i]) < 0;
                if (isPart && name[i] == '.')
                {
                    if (i > 0 && name[i - 1] == '>') // nested in a generic type
                        text.Append('.');
                    from = i + 1;
                }
                if (isPart)
                    continue;
                Shown(name.Substring(from, i - from));
                if (i < name.Length)
                    text.Append(name[i]);
                from = i + 1;
            }
        }

        /// <summary>On one line, without controls.</summary>
        private void Shown(string part)
        {
            foreach (char c in part)
                if (c == '\n' || c == '\r' || c == '\t')
                    text.Append(' ');
                else if (char.IsControl(c) || c == '\u2028' || c == '\u2029' || c == '\u061c' || c == '\u200e' || c == '\u200f' ||
                         (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069'))
                    text.Append('\uFFFD');
                else
                    text.Append(c);
        }
    }
}
