// The labels of a run: section LABL of a profile. A program without any compiles nothing of it.
using System;
using System.Text;

namespace Instrumenter
{
    internal static class Labels
    {
        /// <summary>Of a setting that sets one label.</summary>
        internal const string Prefix = "label.";

        private const int Most = 32, MostName = 64, MostValue = 256;

        // By name, in the order of their bytes.
        private static string[] names, values;
        private static int count;

        /// <summary>Several, as a=b,c=d.</summary>
        internal static void Parse(string where, string text)
        {
            foreach (string pair in text.Split(','))
                if (pair.Length != 0)
                    SetPair(where, pair, false);
        }

        /// <summary>The same, with %2C for a comma in a value and so on: what OpenTelemetry's variables hold.</summary>
        internal static void ParseEscaped(string where, string text)
        {
            foreach (string pair in text.Split(','))
                if (pair.Length != 0)
                    SetPair(where, pair, true);
        }

        private static void SetPair(string where, string pair, bool escaped)
        {
            int equals = pair.IndexOf('=');
            if (equals < 0)
            {
                Host.Say(where + ": expected name=value, found \"" + pair + "\"");
                return;
            }
            string value = pair.Substring(equals + 1).Trim();
            Set(where, pair.Substring(0, equals).Trim(), escaped ? Unescaped(value) : value);
        }

        /// <summary>An empty value takes the label away.</summary>
        internal static void Set(string where, string name, string value)
        {
            if (!IsName(name) || !IsValue(value))
            {
                Host.Say(where + ": label \"" + (IsName(name) ? name : "?") + "\": expected a name of at most " + Host.Number(MostName) +
                         " letters, digits, '.', '_', '-' and '/', and a value of one line of at most " + Host.Number(MostValue) + " bytes");
                return;
            }
            int at = 0;
            while (at < count && string.CompareOrdinal(names[at], name) < 0)
                at++;
            bool known = at < count && names[at] == name;
            if (value.Length == 0)
            {
                if (known)
                    Remove(at);
                return;
            }
            if (!known && count == Most)
            {
                Host.Say(where + ": label \"" + name + "\": a profile has at most " + Host.Number(Most) + "; it is left out");
                return;
            }
            if (!known)
                Insert(at, name);
            values[at] = value;
        }

        private static void Insert(int at, string name)
        {
            if (names == null)
            {
                names = new string[Most];
                values = new string[Most];
                RunSections.LABL = Write;
            }
            Array.Copy(names, at, names, at + 1, count - at);
            Array.Copy(values, at, values, at + 1, count - at);
            names[at] = name;
            count++;
        }

        private static void Remove(int at)
        {
            count--;
            Array.Copy(names, at + 1, names, at, count - at);
            Array.Copy(values, at + 1, values, at, count - at);
        }

        private static bool IsName(string name)
        {
            foreach (char c in name)
                if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-' || c == '/'))
                    return false;
            return name.Length != 0 && name.Length <= MostName;
        }

        private static bool IsValue(string value)
        {
            foreach (char c in value)
                if (c < ' ' || c == 0x7F)
                    return false;
            return value.Length <= MostValue && Encoding.UTF8.GetByteCount(value) <= MostValue;
        }

        private static string Unescaped(string value)
        {
            if (value.IndexOf('%') < 0)
                return value;
            byte[] text = Encoding.UTF8.GetBytes(value);
            int size = 0;
            for (int i = 0; i < text.Length; i++, size++)
            {
                int high = i + 2 < text.Length && text[i] == '%' ? Digit(text[i + 1]) : -1, low = high < 0 ? -1 : Digit(text[i + 2]);
                text[size] = low < 0 ? text[i] : (byte)(high * 16 + low);
                i += low < 0 ? 0 : 2;
            }
            return Encoding.UTF8.GetString(text, 0, size);
        }

        private static int Digit(byte c)
        {
            return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
        }

        private static void Write(ByteWriter output, Generation generation, long[] sites)
        {
            if (count == 0)
                return;
            int section = output.BeginSection(SectionKind.LABL);
            output.VarUInt(0);
            output.VarUInt(count);
            for (int i = 0; i < count; i++)
            {
                output.Text(names[i]);
                output.VarUInt(1);
                output.Text(values[i]);
                output.VarUInt(1);
                output.VarUInt(0);
            }
            output.EndSection(section);
        }
    }
}
