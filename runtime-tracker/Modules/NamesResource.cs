// The names resource of an instrumented module, read: docs/profile-format.md, section 2.
using System;
using System.Collections.Generic;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// Names as they stand in the metadata, nested types after a dot: Space.Outer.Inner.Method, .ctor with its own dot. Where
    /// generic parameters stand is the caller's wish.
    /// </summary>
    internal sealed class NamesResource
    {
        // From this version on columns are by runs, and texts stand there once.
        private const int Shared = 2;

        private const int HeaderBytes = 36, MostBytes = 1 << 28, MostNesting = 100, MostRatio = 1032;

        internal readonly int MethodCount;
        private readonly byte[] data;
        private int at;

        // Per type: its enclosing one, -1 for none, and where the texts stand.
        private int[] enclosing, spaces, typeNames, typeGenerics, typeGenericCounts;

        // Per method.
        private int[] types, flags, names, generics, genericCounts, parameters, owners;

        private NamesResource(byte[] data, int methodCount)
        {
            this.data = data;
            MethodCount = methodCount;
        }

        /// <summary>Null when it is damaged, or there is none.</summary>
        internal static NamesResource Read(byte[] resource)
        {
            try
            {
                if (resource.Length < HeaderBytes || resource[0] != 'I' || resource[1] != 'L' || resource[2] != 'J' || resource[3] != 'N' ||
                    resource[4] < 1 || resource[4] > Shared || resource[5] != 0)
                    return null;
                int methods = Int32(resource, 8), size = Int32(resource, 12), deflated = Int32(resource, 16);
                if (deflated < 0 || deflated > resource.Length - HeaderBytes || size < 0 || size > MostBytes || size / MostRatio > deflated ||
                    methods < 0 || methods > size)
                    return null;
                byte[] data = new byte[size];
                if (!Inflate.Fill(data, resource, HeaderBytes, deflated))
                    return null;
                NamesResource names = new NamesResource(data, methods);
                return names.ReadLists(resource[4] == Shared) ? names : null;
            }
            catch (Exception)
            {
                // Runs past its end, or out of memory.
                return null;
            }
        }

        private static int Int32(byte[] bytes, int at)
        {
            return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
        }

        private bool ReadLists(bool shared)
        {
            SkipText();
            SkipText();
            int typeCount = Number();
            if (Number() != MethodCount || typeCount > data.Length)
                return false;
            enclosing = Numbers(typeCount);
            for (int i = 0; i < typeCount; i++)
                if (--enclosing[i] >= i)
                    return false;
            spaces = Texts(typeCount, shared);
            typeNames = Texts(typeCount, false);
            typeGenericCounts = Numbers(typeCount);
            typeGenerics = Lists(typeGenericCounts);
            types = Runs(MethodCount, shared);
            int type = 0;
            for (int i = 0; i < MethodCount; i++)
            {
                type = unchecked(type + ((types[i] & 1) != 0 ? ~(types[i] >> 1) : types[i] >> 1));
                if (type < 0 || type >= typeCount)
                    return false;
                types[i] = type;
            }
            Runs(MethodCount, shared);
            Numbers(MethodCount);
            flags = Numbers(MethodCount);
            names = Texts(MethodCount, shared);
            genericCounts = Runs(MethodCount, shared);
            generics = Lists(genericCounts);
            parameters = Texts(MethodCount, shared);
            owners = at < data.Length ? Runs(MethodCount, shared) : new int[MethodCount];
            return true;
        }

        /// <summary>Whatever is above the positive integers is damage.</summary>
        private int Number()
        {
            long value = 0;
            for (int shift = 0; shift < 35; shift += 7)
            {
                byte b = data[at++];
                value |= (long)(b & 0x7F) << shift;
                if (b < 0x80)
                    return checked((int)value);
            }
            throw new OverflowException();
        }

        private int[] Numbers(int count)
        {
            int[] numbers = new int[count];
            for (int i = 0; i < count; i++)
                numbers[i] = Number();
            return numbers;
        }

        private int SkipText()
        {
            int start = at;
            while (data[at++] != 0)
            {
            }
            return start;
        }

        /// <summary>Each with how often it stands there.</summary>
        private int[] Runs(int count, bool shared)
        {
            if (!shared)
                return Numbers(count);
            int[] numbers = new int[count];
            for (int i = 0; i < count;)
            {
                int value = Number(), end = checked(i + Number());
                if (end == i)
                    throw new OverflowException();
                while (i < end)
                    numbers[i++] = value;
            }
            return numbers;
        }

        /// <summary>Shared: 0 for the next one, else the number of one before, then those that are new.</summary>
        private int[] Texts(int count, bool shared)
        {
            int[] starts = shared ? Numbers(count) : new int[count], fresh = new int[count];
            int known = 0;
            for (int i = 0; i < count; i++)
            {
                if (starts[i] > known)
                    throw new OverflowException();
                starts[i] = starts[i] == 0 ? fresh[known++] = SkipText() : fresh[starts[i] - 1];
            }
            return starts;
        }

        /// <summary>
        /// Skips as many texts for each entry as its count says; returns where those of each entry start.
        /// </summary>
        private int[] Lists(int[] counts)
        {
            int[] starts = new int[counts.Length];
            for (int i = 0; i < counts.Length; i++)
            {
                starts[i] = at;
                for (int left = counts[i]; left > 0; left--)
                    SkipText();
            }
            return starts;
        }

        private string Text(int start)
        {
            int end = start;
            while (data[end] != 0)
                end++;
            return Encoding.UTF8.GetString(data, start, end - start);
        }

        /// <summary>The inflated data, and where the owners of methods end.</summary>
        internal byte[] Rest(out int from)
        {
            from = at;
            return data;
        }

        internal int Flags(int method)
        {
            return flags[method];
        }

        internal string MethodName(int method)
        {
            return Text(names[method]);
        }

        /// <summary>
        /// The method of the source that this one runs the body of; the method itself when it is none of these.
        /// </summary>
        internal int Owner(int method)
        {
            for (int steps = 0; steps < MostNesting && owners[method] > 0 && owners[method] <= MethodCount; steps++)
                method = owners[method] - 1;
            return method;
        }

        /// <summary>Space.Outer.Inner.Method; "text" of a scope.</summary>
        internal string FullName(int method, bool withGenerics)
        {
            StringBuilder text = new StringBuilder();
            string name = Text(names[method]);
            if ((flags[method] & NameFlag.SCOPE) != 0)
                return text.Append('"').Append(name).Append('"').ToString();
            AppendType(text, types[method], withGenerics);
            if (name.Length == 0 || name[0] != '.')
                text.Append('.');
            text.Append(name);
            if (withGenerics)
                AppendGenerics(text, generics[method], genericCounts[method]);
            return text.ToString();
        }

        /// <summary>"(int, string)"; empty of a scope.</summary>
        internal string Parameters(int method)
        {
            return (flags[method] & NameFlag.SCOPE) != 0 ? "" : "(" + Text(parameters[method]) + ")";
        }

        /// <summary>The name of the type alone, without that of the types around it.</summary>
        internal string TypeName(int method)
        {
            return WithoutArity(Text(typeNames[types[method]]));
        }

        internal bool IsScope(int method)
        {
            return (flags[method] & NameFlag.SCOPE) != 0;
        }

        internal int TypeCount
        {
            get { return enclosing.Length; }
        }

        /// <summary>The type of a method, or around one: below <see cref="TypeCount"/>, a type after that around it.</summary>
        internal int TypeOf(int method)
        {
            return types[method];
        }

        /// <summary>-1 for none.</summary>
        internal int Enclosing(int type)
        {
            return enclosing[type];
        }

        internal string Space(int type)
        {
            return Text(spaces[type]);
        }

        /// <summary>As it stands in the metadata, with its arity.</summary>
        internal string PlainTypeName(int type)
        {
            return Text(typeNames[type]);
        }

        internal string FullNameOfType(int type)
        {
            StringBuilder text = new StringBuilder();
            AppendType(text, type, false);
            return text.ToString();
        }

        /// <summary>Space.Outer.Inner, without generic parameters.</summary>
        internal string TypeFullName(int method)
        {
            return FullNameOfType(types[method]);
        }

        private void AppendType(StringBuilder text, int type, bool withGenerics)
        {
            List<int> chain = new List<int>();
            for (; type >= 0 && chain.Count < MostNesting; type = enclosing[type])
                chain.Add(type);
            for (int i = chain.Count; i-- > 0;)
            {
                string space = Text(spaces[chain[i]]);
                if (space.Length != 0)
                    text.Append(space).Append('.');
                text.Append(WithoutArity(Text(typeNames[chain[i]])));
                if (withGenerics)
                    AppendGenerics(text, typeGenerics[chain[i]], typeGenericCounts[chain[i]]);
                if (i > 0)
                    text.Append('.');
            }
        }

        private void AppendGenerics(StringBuilder text, int start, int count)
        {
            for (int i = 0; i < count; i++)
            {
                string name = Text(start);
                text.Append(i == 0 ? "<" : ", ").Append(name);
                while (data[start++] != 0)
                {
                }
            }
            if (count > 0)
                text.Append('>');
        }

        /// <summary>List`1 without the arity.</summary>
        internal static string WithoutArity(string name)
        {
            int end = name.Length;
            while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
                end--;
            return end > 1 && end < name.Length && name[end - 1] == '`' ? name.Substring(0, end - 1) : name;
        }
    }
}
