// A command's text without the values in it.
using System;
using System.Collections.Generic;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// Values become ?, lists of values shrink, comments go, spaces fold. Whatever one of the dialects takes for a part of a value is
    /// one, so a text may lose more than it must. Words stay: the names of tables, columns, parameters.
    /// </summary>
    internal sealed class SqlMask
    {
        /// <summary>No more is read of a text, and no more of it is kept.</summary>
        internal const int MostRead = 16384, MostKept = 1000;

        private const char OfWord = 'w', OfName = 'n', OfValue = 'v', OfParameter = 'p';

        private struct SqlToken
        {
            /// <summary>One of the above, or the character that it is.</summary>
            internal char Kind;
            internal int From, To;
            internal bool Spaced;
        }

        private readonly string text;
        private readonly int end;
        private readonly byte[] labels;
        private readonly List<SqlToken> tokens = new List<SqlToken>();

        private SqlMask(string text, int dialects)
        {
            this.text = text;
            end = Math.Min(text.Length, MostRead);
            labels = new byte[end];
            for (int one = 1; one <= SqlDialect.Any; one <<= 1)
                if ((dialects & one) != 0)
                    new SqlLabels(text, end, labels, one).Read();
        }

        /// <summary>The masked text; empty when nothing is left. <paramref name="dialects"/>: those that it may be in.</summary>
        internal static string Of(string text, int dialects)
        {
            SqlMask mask = new SqlMask(text, dialects);
            mask.Split();
            mask.ShrinkLists();
            return mask.Join();
        }

        /// <summary>True if the part of the text is this word, in any case of its letters.</summary>
        internal static bool Is(string text, int from, int to, string word)
        {
            if (to - from != word.Length)
                return false;
            for (int i = 0; i < word.Length; i++)
                if ((text[from + i] & ~32) != word[i])
                    return false;
            return true;
        }

        private bool IsWord(int token, string word)
        {
            return token >= 0 && token < tokens.Count && tokens[token].Kind == OfWord && Is(text, tokens[token].From, tokens[token].To, word);
        }

        private bool IsKind(int token, char kind)
        {
            return token >= 0 && token < tokens.Count && tokens[token].Kind == kind;
        }

        // ---- Tokens ----

        private void Split()
        {
            bool spaced = false;
            for (int at = 0; at < end;)
            {
                int from = at;
                byte label = labels[at];
                if (label == SqlLabels.Comment || label == SqlLabels.Code && SqlLabels.IsSpace(text[at]))
                {
                    spaced = true;
                    at++;
                    continue;
                }
                char kind = label == SqlLabels.Value ? OfValue : OfName;
                if (label == SqlLabels.Code)
                    at = BehindCode(at, out kind);
                else
                    while (at < end && labels[at] == label)
                        at++;
                SqlToken token = new SqlToken();
                token.Kind = kind;
                token.From = from;
                token.To = at;
                token.Spaced = spaced;
                if (kind != OfValue || TakesValue(ref token))
                    tokens.Add(token);
                spaced = false;
            }
        }

        private int BehindCode(int at, out char kind)
        {
            char c = text[at];
            bool isParameter = c == '@' || c == '$' || c == ':' && (at == 0 || text[at - 1] != ':') && IsPart(at + 1);
            kind = isParameter || c == '?' ? OfParameter : IsPart(at) ? OfWord : c;
            at++;
            while ((kind == OfWord || kind == OfParameter) && IsPart(at))
                at++;
            return at;
        }

        private bool IsPart(int at)
        {
            return at < end && labels[at] == SqlLabels.Code &&
                   (SqlLabels.IsLetter(text[at]) || SqlLabels.IsDigit(text[at]) || text[at] == '$' || text[at] == '#' || text[at] == '@');
        }

        /// <summary>Strings in a row are one value, and a sign that is no operator is a part of it.</summary>
        private bool TakesValue(ref SqlToken value)
        {
            while ((IsKind(tokens.Count - 1, '-') || IsKind(tokens.Count - 1, '+')) && !EndsOperand(tokens.Count - 2))
            {
                value.Spaced = tokens[tokens.Count - 1].Spaced;
                tokens.RemoveAt(tokens.Count - 1);
            }
            return !IsKind(tokens.Count - 1, OfValue);
        }

        /// <summary>Words of SQL, after which a value begins.</summary>
        private const string Openers = " SELECT THEN ELSE BETWEEN AND OR NOT LIMIT OFFSET WHEN RETURN VALUES VALUE DEFAULT IN LIKE BY SET WHERE ON " +
                                       "HAVING CASE TOP RETURNING IS DISTINCT ALL INTERVAL FETCH NEXT FIRST SKIP FROM FOR TO USING EXEC CALL IF ";

        private bool EndsOperand(int token)
        {
            if (token < 0)
                return false;
            SqlToken t = tokens[token];
            if (t.Kind == OfWord)
                return Openers.IndexOf(" " + text.Substring(t.From, t.To - t.From).ToUpperInvariant() + " ", StringComparison.Ordinal) < 0;
            return t.Kind == OfName || t.Kind == OfValue || t.Kind == OfParameter || t.Kind == ')' || t.Kind == ']' || t.Kind == '*';
        }

        // ---- Lists ----

        private void ShrinkLists()
        {
            for (int i = 0; i + 1 < tokens.Count; i++)
            {
                if (IsWord(i, "IN") && IsKind(i + 1, '(') || IsWord(i, "ARRAY") && IsKind(i + 1, '['))
                    ShrinkItems(i + 2, tokens[i + 1].Kind == '(' ? ')' : ']');
                else if (IsWord(i, "VALUES") || IsWord(i, "VALUE"))
                    ShrinkRows(i + 1);
            }
        }

        /// <summary>Leaves the first item of a list of plain ones.</summary>
        private void ShrinkItems(int from, char close)
        {
            int first = BehindItem(from), behind = BehindItems(from);
            if (behind < 0 || !(IsKind(behind, close) || behind == tokens.Count && end < text.Length))
                return;
            if (IsKind(from, OfParameter))
            {
                SqlToken value = tokens[from];
                value.Kind = OfValue;
                tokens[from] = value;
            }
            tokens.RemoveRange(first, behind - first);
        }

        /// <summary>Leaves the first of rows in a row.</summary>
        private void ShrinkRows(int from)
        {
            int behind = BehindRow(from), next = behind;
            while (next > 0 && next < tokens.Count && IsKind(next, ','))
            {
                int row = BehindRow(next + 1);
                if (row < 0 && !IsCutRow(next + 1))
                    break;
                next = row < 0 ? tokens.Count : row;
            }
            if (next > behind && behind > 0)
                tokens.RemoveRange(behind, next - behind);
        }

        /// <summary>Ends in the midst of it what is read of the text?</summary>
        private bool IsCutRow(int at)
        {
            return end < text.Length && (at >= tokens.Count || IsKind(at, '(') && (at + 1 == tokens.Count || BehindItems(at + 1) == tokens.Count));
        }

        /// <summary>-1: there is none.</summary>
        private int BehindRow(int at)
        {
            int behind = IsKind(at, '(') ? BehindItems(at + 1) : -1;
            return behind > 0 && IsKind(behind, ')') ? behind + 1 : -1;
        }

        private int BehindItems(int at)
        {
            int behind = BehindItem(at);
            while (behind > 0 && IsKind(behind, ','))
            {
                int next = BehindItem(behind + 1);
                if (next < 0)
                    return behind + 1 >= tokens.Count ? tokens.Count : -1;
                behind = next;
            }
            return behind;
        }

        /// <summary>A value, a parameter, NULL, or a row of them; a function of such.</summary>
        private int BehindItem(int at)
        {
            // Not deeper than a text has any sense.
            return BehindItem(at, 8);
        }

        private int BehindItem(int at, int depth)
        {
            if (IsKind(at, OfValue) || IsKind(at, OfParameter) || IsWord(at, "NULL") || IsWord(at, "DEFAULT"))
                return at + 1;
            if (depth == 0)
                return -1;
            int open = IsKind(at, OfWord) ? at + 1 : at;
            if (!IsKind(open, '('))
                return -1;
            if (open > at && IsKind(open + 1, ')'))
                return open + 2;
            int behind = BehindItem(open + 1, depth - 1);
            while (behind > 0 && IsKind(behind, ','))
                behind = BehindItem(behind + 1, depth - 1);
            return behind > 0 && IsKind(behind, ')') ? behind + 1 : -1;
        }

        // ---- The text ----

        private string Join()
        {
            StringBuilder made = new StringBuilder();
            int count = tokens.Count;
            while (count > 0 && tokens[count - 1].Kind == ';')
                count--;
            bool cut = end < text.Length;
            for (int i = 0; i < count; i++)
            {
                if (made.Length >= MostKept)
                {
                    cut = true;
                    break;
                }
                SqlToken token = tokens[i];
                if (token.Spaced && made.Length > 0)
                    made.Append(' ');
                if (token.Kind == OfValue)
                    made.Append('?');
                else
                    made.Append(text, token.From, token.To - token.From);
            }
            if (made.Length > MostKept)
                made.Length = MostKept;
            return cut || made.Length == MostKept ? made.Append('\u2026').ToString() : made.ToString();
        }
    }
}
