// A pattern of methods' names, as --include takes it: docs/configuration.md, "Patterns".
using System;
using System.Collections.Generic;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// A name is fed to it from the outside to the inside: namespace, enclosing types, type,
    /// method. The state is a set of places in the pattern that the name can have reached, bit n:
    /// the first n parts are used up; 0: it does not match, whatever follows. As src/select/pattern.c does
    /// it.
    /// </summary>
    internal sealed class NamePattern
    {
        private const int MostParts = 60, MostCharacters = 4096;

        /// <summary>One part of a name, or one parameter.</summary>
        private struct Part
        {
            internal string Text;

            /// <summary>Any number of parts; without wildcards.</summary>
            internal bool Any, Literal;
        }

        /// <summary>As it was given.</summary>
        internal readonly string Written;

        private readonly List<Part> parts = new List<Part>();
        private string assembly;

        // Null when it names none.
        private List<Part> parameters;

        private NamePattern(string written)
        {
            Written = written;
        }

        /// <summary>
        /// Null when it is none; then <paramref name="fault"/> says what is wrong with it.
        /// </summary>
        internal static NamePattern Parse(string text, out string fault)
        {
            text = text.Trim(' ', '\t', '\r', '\n');
            NamePattern pattern = new NamePattern(text);
            fault = text.Length > MostCharacters ? "it is longer than 4096 characters" : pattern.Compile(text);
            return fault == null ? pattern : null;
        }

        private string Compile(string text)
        {
            if (text.Length > 0 && text[0] == '[')
            {
                int close = text.IndexOf(']');
                if (close < 0)
                    return "[ is not closed";
                if (close == 1)
                    return "[] names no assembly";
                assembly = text.Substring(1, close - 1);
                text = text.Substring(close + 1);
                if (text.Length == 0)
                    return null;
            }
            if (text.Length == 0)
                return "it is empty";
            if (text[0] == '@')
                return "attributes are not known while the program runs";
            int open = text.IndexOf('(');
            if (text[text.Length - 1] == ')')
            {
                if (open < 0)
                    return ") closes nothing";
                string fault = CompileParameters(Squeeze(text.Substring(open + 1, text.Length - open - 2)));
                if (fault != null)
                    return fault;
                text = text.Substring(0, open);
            }
            else if (open >= 0)
                return "( is not closed";
            // A nested type stands after a slash or a dot.
            return CompileName(text.Replace('/', '.'));
        }

        private string CompileName(string name)
        {
            for (int at = 0; at <= name.Length;)
            {
                if (parts.Count == MostParts)
                    return "it has too many parts";
                int end = at < name.Length ? PartEnd(name, at) : at;
                Part part;
                string fault = Make(name.Substring(at, end - at), true, out part);
                if (fault != null)
                    return fault;
                parts.Add(part);
                at = end + 1;
            }
            return null;
        }

        private string CompileParameters(string text)
        {
            parameters = new List<Part>();
            if (text.Length == 0)
                return null;
            for (int at = 0; at <= text.Length;)
            {
                if (parameters.Count == MostParts)
                    return "it has too many parameters";
                int end = ParameterEnd(text, at);
                Part part;
                if (Make(text.Substring(at, end - at), false, out part) != null)
                    return "a parameter is empty";
                parameters.Add(part);
                at = end + 1;
            }
            return null;
        }

        private static string Make(string text, bool ofName, out Part part)
        {
            part = new Part();
            part.Text = text;
            part.Literal = text.IndexOfAny(new char[] { '*', '?' }) < 0;
            if (text.Length == 0 || text == ".")
                return "a name is empty";
            if (text.IndexOf("**", StringComparison.Ordinal) >= 0)
            {
                if (ofName && text.Length != 2)
                    return "** stands for whole parts; within one write *";
                // int** is a type.
                part.Any = text.Length == 2;
            }
            return null;
        }

        /// <summary>
        /// The end of the part that starts there: a dot at its start belongs to it.
        /// </summary>
        private static int PartEnd(string text, int at)
        {
            do
                at++;
            while (at < text.Length && text[at] != '.');
            return at;
        }

        /// <summary>
        /// The end of the parameter that starts there: commas between brackets belong to it.
        /// </summary>
        private static int ParameterEnd(string text, int at)
        {
            for (int depth = 0; at < text.Length; at++)
            {
                char c = text[at];
                if (c == '<' || c == '[' || c == '(')
                    depth++;
                else if ((c == '>' || c == ']' || c == ')') && depth > 0)
                    depth--;
                else if (c == ',' && depth == 0)
                    break;
            }
            return at;
        }

        /// <summary>Without the spaces after commas.</summary>
        private static string Squeeze(string text)
        {
            StringBuilder kept = new StringBuilder();
            foreach (char c in text)
                if (c != ' ' || (kept.Length > 0 && kept[kept.Length - 1] != ','))
                    kept.Append(c);
            return kept.ToString();
        }

        /// <summary>True if it names methods of an assembly with this simple name.</summary>
        internal bool IsOfAssembly(string name)
        {
            return assembly == null || Glob(assembly, name);
        }

        /// <summary>The state before the first name is fed.</summary>
        internal ulong Start
        {
            get { return Places(parts, 0); }
        }

        internal ulong Feed(ulong state, string name)
        {
            for (int at = 0; at < name.Length && state != 0;)
            {
                int end = PartEnd(name, at);
                state = Step(state, name.Substring(at, end - at));
                at = end + 1;
            }
            return state;
        }

        /// <summary>
        /// The method's name was fed; <paramref name="list"/> are its parameters, between
        /// parentheses. Is it named?
        /// </summary>
        internal bool Accepts(ulong state, string list)
        {
            if ((state >> parts.Count & 1) == 0)
                return false;
            return parameters == null || (list.Length >= 2 && HasParameters(Squeeze(list.Substring(1, list.Length - 2))));
        }

        /// <summary>False if it can say what it names without the method's parameters.</summary>
        internal bool NeedsParameters
        {
            get { return parameters != null; }
        }

        /// <summary>
        /// The last part without wildcards, and without an arity; null when there is none.
        /// </summary>
        internal string LastLiteral
        {
            get
            {
                for (int i = parts.Count - 1; i >= 0; i--)
                    if (parts[i].Literal)
                        return NamesResource.WithoutArity(parts[i].Text);
                return null;
            }
        }

        /// <summary>
        /// How many of its parts do not stand in the name, which has dots between its own.
        /// </summary>
        internal int MissingIn(string name)
        {
            string[] there = name.Split('.');
            int missing = 0;
            foreach (Part part in parts)
            {
                bool found = !part.Literal;
                for (int i = 0; i < there.Length && !found; i++)
                    found = string.Equals(part.Text, there[i], StringComparison.OrdinalIgnoreCase);
                missing += found ? 0 : 1;
            }
            return missing;
        }

        private ulong Step(ulong state, string part)
        {
            // The pattern stands for all that is in the type or namespace that it names.
            ulong next = parameters == null ? state & 1UL << parts.Count : 0;
            for (int at = 0; at < parts.Count; at++)
            {
                if ((state >> at & 1) == 0)
                    continue;
                if (parts[at].Any)
                    next |= Places(parts, at);
                else if (IsPart(parts[at], part))
                    next |= Places(parts, at + 1);
            }
            return next;
        }

        private bool HasParameters(string all)
        {
            ulong state = Places(parameters, 0);
            for (int at = 0; at < all.Length && state != 0;)
            {
                int end = ParameterEnd(all, at);
                string one = all.Substring(at, end - at);
                ulong next = 0;
                for (int i = 0; i < parameters.Count; i++)
                {
                    if ((state >> i & 1) == 0)
                        continue;
                    if (parameters[i].Any)
                        next |= Places(parameters, i);
                    else if (Is(parameters[i], one))
                        next |= Places(parameters, i + 1);
                }
                state = next;
                at = end + 1;
            }
            return (state >> parameters.Count & 1) != 0;
        }

        /// <summary>This place, and those that follow without a part being used up.</summary>
        private static ulong Places(List<Part> list, int at)
        {
            ulong state = 1UL << at;
            while (at < list.Count && list[at].Any)
                state |= 1UL << ++at;
            return state;
        }

        /// <summary>`List` names `List`1` as well.</summary>
        private static bool IsPart(Part part, string text)
        {
            if (Is(part, text))
                return true;
            string plain = NamesResource.WithoutArity(text);
            return plain.Length != text.Length && Is(part, plain);
        }

        private static bool Is(Part part, string text)
        {
            return part.Literal ? part.Text == text : Glob(part.Text, text);
        }

        /// <summary>
        /// `*` is any run of characters, `?` one character; everything else is itself.
        /// </summary>
        private static bool Glob(string wanted, string text)
        {
            int w = 0, t = 0, star = -1, resume = 0;
            while (t < text.Length)
            {
                if (w < wanted.Length && wanted[w] == '*')
                {
                    star = ++w;
                    resume = t;
                }
                else if (w < wanted.Length && wanted[w] == '?')
                {
                    w++;
                    t += char.IsHighSurrogate(text[t]) && t + 1 < text.Length ? 2 : 1;
                }
                else if (w < wanted.Length && wanted[w] == text[t])
                {
                    w++;
                    t++;
                }
                else if (star >= 0)
                {
                    w = star;
                    t = ++resume;
                }
                else
                {
                    return false;
                }
            }
            while (w < wanted.Length && wanted[w] == '*')
                w++;
            return w == wanted.Length;
        }
    }
}
