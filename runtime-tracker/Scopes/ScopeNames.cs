// The texts of scopes, and the ids that stand for them in the call tree.
using System;
using System.Collections.Generic;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// In the profile each text is a module of its own, with one method (docs/profile-format.md, section 2): its MVID comes from
    /// the text, so that a report on several runs knows the scope again, whatever else they have measured.
    /// </summary>
    internal static class ScopeNames
    {
        /// <summary>Different texts; what comes later is counted as one scope.</summary>
        private const int MostTexts = 4096;

        private const int MostCharacters = 1000;
        private const string Others = "(others)";

        private static SpinLock gate;
        private static Dictionary<string, int> ids;

        // Most calls find their text here, without a lock.
        [ThreadStatic]
        private static Dictionary<string, int> known;

        internal static int IdOf(string text)
        {
            text = text ?? "";
            int id;
            if (known == null)
                known = new Dictionary<string, int>(StringComparer.Ordinal);
            if (known.TryGetValue(text, out id))
                return id;
            bool entered = Guard.Enter();
            try
            {
                id = Find(text);
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
            if (known.Count < MostTexts)
                known.Add(text, id);
            return id;
        }

        private static int Find(string text)
        {
            if (text.Length > MostCharacters)
                text = text.Substring(0, MostCharacters);
            using (SpinLock.Of(ref gate).Enter())
            {
                if (ids == null)
                    ids = new Dictionary<string, int>(StringComparer.Ordinal);
                if (ids.Count >= MostTexts && !ids.ContainsKey(text))
                    text = Others;
                int id;
                if (!ids.TryGetValue(text, out id))
                    ids.Add(text, id = ModuleTable.Add(ModuleOf(text, "ilinject scopes", NameFlag.SCOPE)));
                return id;
            }
        }

        /// <summary>The module of one text. <paramref name="flags"/>: what it is, as the names resource says it.</summary>
        internal static ModuleInfo ModuleOf(string text, string assembly, int flags)
        {
            // The character that ends a text in the names resource can't stand in it.
            byte[] name = Encoding.UTF8.GetBytes(text.Replace('\0', '\uFFFD'));
            byte[] mvid = new byte[16];
            PutHash(mvid, 0, name, 14695981039346656037);
            PutHash(mvid, 8, name, 0x9E3779B97F4A7C15 ^ (ulong)(flags ^ NameFlag.SCOPE));
            return new ModuleInfo(assembly, mvid, Resource(mvid, name, flags));
        }

        /// <summary>FNV-1a of the bytes, from this start.</summary>
        private static void PutHash(byte[] to, int at, byte[] bytes, ulong start)
        {
            ulong hash = start;
            foreach (byte b in bytes)
                hash = (hash ^ b) * 1099511628211;
            for (int i = 0; i < 8; i++)
                to[at + i] = (byte)(hash >> (8 * i));
        }

        /// <summary>The names resource of one scope, its data a single stored block.</summary>
        private static byte[] Resource(byte[] mvid, byte[] name, int flags)
        {
            ByteWriter data = new ByteWriter(64 + name.Length);
            data.Raw(Encoding.UTF8.GetBytes("scopes\0\0"));  // module, no assembly
            data.Raw(new byte[] { 1, 1, 0, 0, 0, 0 });       // a type, a method; the type: not nested, without names and generic parameters
            data.Raw(new byte[] { 0, 1, 0 });                // the method: of that type, row 1, no IL
            data.VarUInt(flags);
            data.Raw(name);
            data.Raw(new byte[] { 0, 0, 0, 0 });             // the name's end, no generic parameters, no parameters, no owner
            ByteWriter output = new ByteWriter(64 + data.Count);
            output.Raw(new byte[] { 0x49, 0x4C, 0x4A, 0x4E, 1, 0, 0, 0 });
            output.Fixed(1, 4);
            output.Fixed((ulong)data.Count, 4);
            output.Fixed((ulong)data.Count + 5, 4);
            output.Raw(mvid);
            output.Fixed(1, 1);
            output.Fixed((ulong)data.Count, 2);
            output.Fixed((ulong)(ushort)~data.Count, 2);
            output.Raw(data.Bytes, data.Count);
            byte[] bytes = new byte[output.Count];
            Buffer.BlockCopy(output.Bytes, 0, bytes, 0, bytes.Length);
            return bytes;
        }
    }
}
