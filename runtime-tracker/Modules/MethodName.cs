// A method's name as people write it in a setting, and whether a method has it.
using System;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// Space.Outer.Inner.Method, as the report shows it, without parameters; type parameters may be left out. Constructors are
    /// .ctor or have their type's name, accessors are get_Name or Name.get. Nested types may stand after / or +, methods
    /// after ::, as in the metadata.
    /// </summary>
    internal sealed class MethodName
    {
        private readonly string wanted;

        internal MethodName(string written)
        {
            wanted = Plain(written);
        }

        /// <summary>Without type parameters and parameters, with one dot between all parts.</summary>
        private static string Plain(string written)
        {
            StringBuilder text = new StringBuilder();
            int depth = 0;
            foreach (char c in written)
            {
                // A part that begins with < is a name that a compiler made up.
                if (c == '<' && (depth > 0 || (text.Length > 0 && text[text.Length - 1] != '.')))
                    depth++;
                else if (c == '>' && depth > 0)
                    depth--;
                else if (depth == 0 && c == '(')
                    break;
                else if (depth == 0)
                {
                    bool separates = c == '/' || c == '+' || c == ':' || c == '.';
                    if (!separates)
                        text.Append(c);
                    else if (text.Length > 0 && text[text.Length - 1] != '.')
                        text.Append('.');
                }
            }
            string[] parts = text.ToString().Split('.');
            for (int i = 0; i < parts.Length; i++)
                parts[i] = NamesResource.WithoutArity(parts[i]);
            return string.Join(".", parts);
        }

        internal bool Matches(NamesResource names, int method)
        {
            if ((names.Flags(method) & NameFlag.SCOPE) != 0)
                return false;
            string name = names.MethodName(method);
            return Is(names, method, Plain(name)) || (name == ".ctor" && Is(names, method, names.TypeName(method))) ||
                   (IsAccessor(name) && Is(names, method, name.Substring(name.IndexOf('_') + 1) + "." + name.Substring(0, name.IndexOf('_'))));
        }

        private bool Is(NamesResource names, int method, string name)
        {
            return wanted.EndsWith(name, StringComparison.Ordinal) && wanted == Plain(names.TypeFullName(method)) + "." + name;
        }

        private static bool IsAccessor(string name)
        {
            return name.StartsWith("get_", StringComparison.Ordinal) || name.StartsWith("set_", StringComparison.Ordinal) ||
                   name.StartsWith("add_", StringComparison.Ordinal) || name.StartsWith("remove_", StringComparison.Ordinal);
        }
    }
}
