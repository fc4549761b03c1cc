// Which characters of a command's text belong to values or are not understood, and which to comments, as one dialect reads it.
using System.Globalization;

namespace Instrumenter
{
    /// <summary>
    /// Labels are only ever raised: a character of a text that several dialects may read gets the highest label of all of them. So it is
    /// known as a value's when it is one in any.
    /// </summary>
    internal struct SqlLabels
    {
        internal const byte Code = 0, Name = 1, Comment = 2, Value = 3;

        private const int AllPostgres = SqlDialect.Postgres | SqlDialect.PostgresEscapes, AllMySql = SqlDialect.MySql | SqlDialect.MySqlPlain;
        private readonly string text;
        private readonly int end, dialect;
        private readonly byte[] labels;
        private SqlNames names;
        private SqlGrammar grammar;

        // Where the statement begins.
        private int begin;

        /// <summary>One dialect's reading of the text up to <paramref name="end"/>.</summary>
        internal SqlLabels(string text, int end, byte[] labels, int dialect)
        {
            this.text = text;
            this.end = end;
            this.labels = labels;
            this.dialect = dialect;
            names = new SqlNames();
            grammar = new SqlGrammar();
            begin = 0;
        }

        internal void Read()
        {
            for (int at = 0; at < end;)
            {
                bool wasLost = grammar.IsLost;
                int from = at;
                at = Next(at);
                if (grammar.IsLost && (wasLost || !IsSpace(text[from]) && labels[from] == Code && !IsLetter(text[from])))
                    Hide(from, at);
                if (grammar.LosesHead)
                    Hide(begin, at);
            }
        }

        /// <summary>But for spaces, so that what stands before them is no part of it.</summary>
        private void Hide(int from, int to)
        {
            for (int i = from; i < to; i++)
                if (!IsSpace(text[i]))
                    labels[i] = Value;
        }

        private bool In(int dialects)
        {
            return (dialect & dialects) != 0;
        }

        private char At(int at)
        {
            return at < end ? text[at] : '\0';
        }

        internal static bool IsDigit(char c)
        {
            return c >= '0' && c <= '9';
        }

        internal static bool IsSpace(char c)
        {
            return c <= ' ' || char.IsWhiteSpace(c);
        }

        internal static bool IsLetter(char c)
        {
            return (c | 32) >= 'a' && (c | 32) <= 'z' || c == '_' || c > 127 && IsForeignLetter(c);
        }

        private static bool IsForeignLetter(char c)
        {
            return char.IsLetter(c) || char.IsSurrogate(c);
        }

        private static bool IsCurrency(char c)
        {
            return c > 127 && char.GetUnicodeCategory(c) == UnicodeCategory.CurrencySymbol;
        }

        /// <summary>Part of a word that does not begin here.</summary>
        private bool GoesOn(char c)
        {
            return IsLetter(c) || IsDigit(c) || c == '$' || (c == '#' || c == '@') && !In(AllMySql);
        }

        private int Next(int at)
        {
            char c = text[at], next = At(at + 1);
            if (IsSpace(c))
                return at + 1;
            if (c == '/' && next == '*' && In(AllMySql) && (At(at + 2) == '!' || At(at + 2) == 'M' && At(at + 3) == '!'))
            {
                // Code to some servers, a comment to others.
                grammar.Lose();
                return at + 3;
            }
            int behind = BehindComment(at, c, next);
            if (behind != 0)
                return Raise(at, behind, Comment);
            if (c == '\'')
                return TakeValue(at, BehindParts(at, In(SqlDialect.PostgresEscapes | SqlDialect.MySql)));
            if (c == '"')
                return TakeDouble(at);
            if (c == '`' && In(AllMySql | SqlDialect.Sqlite))
                return TakeName(at, BehindString(at, '`', false));
            if (c == '[' && In(SqlDialect.SqlServer | SqlDialect.Sqlite))
                return TakeName(at, BehindBrackets(at));
            if (c == '$' && In(AllPostgres) && !IsDigit(next))
                return TakeDollar(at);
            if ((c == '?' || c == '$' && !In(SqlDialect.SqlServer) || c == ':' && In(SqlDialect.Oracle | SqlDialect.Sqlite)) && IsDigit(next))
                return TakeParameter(at + 1);
            if (c == '?')
                return TakeParameter(at + 1);
            if (IsDigit(c) || (c == '.' || c == '$') && IsDigit(next) || IsCurrency(c))
                return TakeValue(at, BehindNumber(at + 1));
            if (IsLetter(c) || c == '@' || c == '#' || c == '$')
                return TakeWord(at);
            names.Punctuation(c);
            grammar.Needs(HasBareCalls || c == '.' || c == ';');
            grammar.Punctuation(c);
            if (c == ';')
                begin = at + 1;
            return at + 1;
        }

        private int Raise(int from, int to, byte label)
        {
            for (int i = from; i < to; i++)
                if (labels[i] < label)
                    labels[i] = label;
            return to;
        }

        // ---- Where something ends; the end of the text when it does not. ----

        /// <summary>0: no comment begins here.</summary>
        private int BehindComment(int at, char c, char next)
        {
            if (c == '-' && next == '-' && (!In(AllMySql) || At(at + 2) <= ' ') || c == '#' && In(AllMySql))
                return BehindLine(at);
            if (c != '/' || next != '*')
                return 0;
            bool nests = In(AllPostgres | SqlDialect.SqlServer);
            int open = 1;
            for (at += 2; at < end; at++)
                if (text[at] == '*' && At(at + 1) == '/')
                {
                    at++;
                    if (--open == 0)
                        return at + 1;
                }
                else if (nests && text[at] == '/' && At(at + 1) == '*')
                {
                    at++;
                    open++;
                }
            return end;
        }

        private int BehindLine(int at)
        {
            for (; at < end && text[at] != '\n'; at++)
                if (text[at] == '\r' && At(at + 1) != '\n')
                {
                    // PostgreSQL ends a line there.
                    if (!In(AllPostgres))
                        grammar.Lose();
                    return at;
                }
            return at;
        }

        /// <summary>Of a string and those that go on with it after a line break (PostgreSQL): they are of its kind. -1: it does not end.</summary>
        private int BehindParts(int quote, bool escapes)
        {
            int behind = BehindString(quote, '\'', escapes);
            while (behind >= 0 && In(AllPostgres))
            {
                int at = behind;
                bool breaks = false;
                for (; at < end && (IsSpace(text[at]) || text[at] == '-' && At(at + 1) == '-'); at++)
                {
                    if (text[at] == '-')
                        at = BehindLine(at);
                    breaks |= At(at) == '\n' || At(at) == '\r';
                }
                if (!breaks || At(at) != '\'')
                    break;
                behind = BehindString(at, '\'', escapes);
            }
            return behind;
        }

        /// <summary>-1: it does not end. Twice the quote is one in it.</summary>
        private int BehindString(int at, char quote, bool escapes)
        {
            for (at++; at < end; at++)
                if (escapes && text[at] == '\\' || text[at] == quote && At(at + 1) == quote)
                    at++;
                else if (text[at] == quote)
                    return at + 1;
            return -1;
        }

        private int BehindBrackets(int at)
        {
            for (at++; at < end; at++)
                if (text[at] == ']' && At(at + 1) == ']' && !In(SqlDialect.Sqlite))
                    at++;
                else if (text[at] == ']')
                    return at + 1;
            return -1;
        }

        /// <summary>Letters are those of a base, an exponent, a kind of number; what is wrong is a part of it, too.</summary>
        private int BehindNumber(int at)
        {
            for (; at < end; at++)
            {
                bool exponent = (text[at] == '+' || text[at] == '-') && (text[at - 1] | 32) == 'e' && IsDigit(At(at + 1));
                if (!exponent && !IsLetter(text[at]) && !IsDigit(text[at]) && text[at] != '.')
                    break;
            }
            return at;
        }

        // ---- Tokens ----

        /// <summary>True if the name of a procedure with its arguments is a statement.</summary>
        private bool HasBareCalls
        {
            get { return In(SqlDialect.SqlServer); }
        }

        private int TakeValue(int at, int behind)
        {
            names.Came(SqlNames.OfValue);
            grammar.Needs(HasBareCalls);
            grammar.Value();
            if (behind < 0)
                grammar.Lose();
            return Raise(at, behind < 0 ? end : behind, Value);
        }

        /// <summary>One that does not end is none.</summary>
        private int TakeName(int at, int behind)
        {
            if (behind < 0)
                return TakeValue(at, end);
            names.Came(SqlNames.OfName);
            if (!grammar.Name(HasBareCalls))
                return Raise(at, behind, Value);
            return Raise(at, behind, Name);
        }

        /// <summary>
        /// Text in double quotes is a name in the standard. MySQL takes it for a string, and so does SQLite when there
        /// is nothing of that name, and SQL Server with the setting for it.
        /// </summary>
        private int TakeDouble(int at)
        {
            int behind = BehindString(at, '"', In(SqlDialect.MySql));
            if (behind < 0)
                return TakeValue(at, end);
            int next = behind;
            while (next < end && IsSpace(text[next]))
                next++;
            bool isName = In(AllPostgres | SqlDialect.Oracle) || At(next) == '.' && !IsDigit(At(next + 1)) ||
                          grammar.HasNames && names.WantsName(At(next), In(SqlDialect.Sqlite));
            return isName ? TakeName(at, behind) : TakeValue(at, behind);
        }

        /// <summary>$tag$…$tag$ of PostgreSQL.</summary>
        private int TakeDollar(int at)
        {
            int tagEnd = at + 1;
            while (tagEnd < end && (IsLetter(text[tagEnd]) || IsDigit(text[tagEnd])))
                tagEnd++;
            if (At(tagEnd) != '$')
                return TakeWord(at);
            int length = ++tagEnd - at;
            for (int i = tagEnd; i + length <= end; i++)
                if (string.CompareOrdinal(text, i, text, at, length) == 0)
                    return TakeValue(at, i + length);
            return TakeValue(at, end);
        }

        private int TakeParameter(int at)
        {
            while (IsDigit(At(at)))
                at++;
            names.Came(SqlNames.OfName);
            grammar.Needs(HasBareCalls);
            grammar.Parameter();
            return at;
        }

        private int TakeWord(int at)
        {
            int behind = at + 1;
            while (behind < end && GoesOn(text[behind]))
                behind++;
            if (At(behind) == '\'')
            {
                int length = behind - at, quoted = BehindPrefixed(at, behind);
                if (length == 1 || text[at] == '_' || length == 2 && (text[at] | 32) == 'n')
                    return TakeValue(at, quoted);
            }
            if (SqlMask.Is(text, at, behind, "TRUE") || SqlMask.Is(text, at, behind, "FALSE"))
                return TakeValue(at, behind);
            names.Word(text, at, behind);
            if (text[at] == '@' || text[at] == '$')
            {
                grammar.Needs(HasBareCalls);
                grammar.Parameter();
            }
            else if (!grammar.Word(text, at, behind, At(behind), HasBareCalls))
            {
                Hide(at, behind);
            }
            return behind;
        }

        /// <summary>After a string with a word before it: N'…', E'…' with escapes, q'[…]' of Oracle, _utf8'…'. -1: it does not end.</summary>
        private int BehindPrefixed(int at, int quote)
        {
            bool escapes = In(SqlDialect.PostgresEscapes | SqlDialect.MySql) || In(AllPostgres) && (text[at] | 32) == 'e';
            if (!In(SqlDialect.Oracle) || (text[quote - 1] | 32) != 'q' || quote + 1 >= end)
                return BehindParts(quote, escapes);
            char open = text[quote + 1];
            char close = open == '[' ? ']' : open == '{' ? '}' : open == '<' ? '>' : open == '(' ? ')' : open;
            for (int i = quote + 2; i + 1 < end; i++)
                if (text[i] == close && text[i + 1] == '\'')
                    return i + 2;
            return -1;
        }
    }
}
