// Where the methods of a module stand in its sources: what the names resource has after the names (docs/profile-format.md, section 2).
using System;
using System.Text;

namespace Instrumenter
{
    internal sealed class SpanLines
    {
        private readonly byte[] data;
        private int at;
        private string[] files;
        private int[] fileOf, lineOf;

        private SpanLines(byte[] data, int at)
        {
            this.data = data;
            this.at = at;
        }

        /// <summary>Null: there are none, or the resource is damaged.</summary>
        internal static SpanLines Read(byte[] resource, NamesResource names)
        {
            try
            {
                if (((resource[6] | resource[7] << 8) & FileFlag.LINES) == 0)
                    return null;
                int at;
                byte[] data = names.Rest(out at);
                SpanLines lines = new SpanLines(data, at);
                lines.ReadAll(names);
                return lines;
            }
            catch (Exception)
            {
                // Runs past its end.
                return null;
            }
        }

        private void ReadAll(NamesResource names)
        {
            int methods = names.MethodCount, results = 0;
            for (int i = 0; i < methods; i++)
            {
                string name = names.MethodName(i);
                results += name == "op_Implicit" || name == "op_Explicit" || name == "op_CheckedExplicit" ? 1 : 0;
            }
            SkipTexts(results);
            for (int reasons = Number(); reasons > 0; reasons--)
            {
                SkipTexts(1);
                SkipNumbers(1);
            }
            SkipTexts(Number());
            SkipNumbers(4 * Number());
            for (int notes = Number(); notes > 0; notes--)
            {
                SkipNumbers(2);
                SkipTexts(1);
            }
            SkipTexts(1);
            files = new string[Number()];
            for (int i = 0; i < files.Length; i++)
                files[i] = Text();
            fileOf = new int[methods];
            lineOf = new int[methods];
            for (int i = 0; i < methods; i++)
                fileOf[i] = Number() - 1;
            for (int i = 0, line = 0; i < methods; i++)
            {
                if (fileOf[i] < 0)
                    continue;
                int folded = Number();
                line += (folded & 1) != 0 ? ~(folded >> 1) : folded >> 1;
                lineOf[i] = line;
            }
        }

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

        private void SkipNumbers(int count)
        {
            while (count-- > 0)
                Number();
        }

        private string Text()
        {
            int start = at;
            SkipTexts(1);
            return Encoding.UTF8.GetString(data, start, at - 1 - start);
        }

        private void SkipTexts(int count)
        {
            for (; count > 0; count--)
                while (data[at++] != 0)
                {
                }
        }

        /// <summary>Null: not known. The line counts from 1.</summary>
        internal string FileOf(int method, out int line)
        {
            bool known = (uint)method < (uint)fileOf.Length && (uint)fileOf[method] < (uint)files.Length;
            line = known ? lineOf[method] : 0;
            return known ? files[fileOf[method]] : null;
        }
    }
}
