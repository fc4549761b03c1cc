// Which characters of a command's text belong to values, and which to comments, as one dialect reads it.

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
        private const int MostDepth = 63, NoColumns = 0, IntoTable = -1;

        // How the token that came last is known, but for punctuation, which is itself.
        private const char OfWord = 'w', OfName = 'n', OfValue = 'v';

        private readonly string text;
        private readonly int end, dialect;
        private readonly byte[] labels;
        private SqlContext context;

        /// <summary>One dialect's reading of the text up to <paramref name="end"/>.</summary>
        internal SqlLabels(string text, int end, byte[] labels, int dialect)
        {
            this.text = text;
            this.end = end;
            this.labels = labels;
            this.dialect = dialect;
            context = new SqlContext();
        }

        internal void Read()
        {
            for (int at = 0; at < end;)
                at = Next(at);
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
            return (c | 32) >= 'a' && (c | 32) <= 'z' || c == '_' || c > 127 && !char.IsWhiteSpace(c);
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
            int behind = BehindComment(at, c, next);
            if (behind != 0)
                return Raise(at, behind, Comment);
            if (c == '\'')
                return TakeValue(at, BehindString(at, '\'', In(SqlDialect.PostgresEscapes | SqlDialect.MySql)));
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
            if (IsDigit(c) || (c == '.' || c == '$') && IsDigit(next))
                return TakeValue(at, BehindNumber(at + 1));
            if (IsLetter(c) || c == '@' || c == '#' || c == '$')
                return TakeWord(at);
            context.Punctuation(c);
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
            while (at < end && text[at] != '\n')
                at++;
            return at;
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

        private int TakeValue(int at, int behind)
        {
            context.Came(OfValue);
            return Raise(at, behind < 0 ? end : behind, Value);
        }

        /// <summary>One that does not end is none.</summary>
        private int TakeName(int at, int behind)
        {
            if (behind < 0)
                return TakeValue(at, end);
            context.Came(OfName);
            return Raise(at, behind, Name);
        }

        /// <summary>
        /// Text in double quotes is a name in the standard. MySQL takes it for a string, and so does SQLite when there is nothing of
        /// that name, and SQL Server when it is told to.
        /// </summary>
        private int TakeDouble(int at)
        {
            int behind = BehindString(at, '"', In(SqlDialect.MySql));
            if (behind < 0)
                return TakeValue(at, end);
            int next = behind;
            while (next < end && IsSpace(text[next]))
                next++;
            bool isName = In(AllPostgres | SqlDialect.Oracle) || At(next) == '.' || context.WantsName(At(next));
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
            context.Came(OfName);
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
            context.Word(text, at, behind);
            return behind;
        }

        /// <summary>Behind a string with a word before it: N'…', E'…' with escapes, q'[…]' of Oracle, _utf8'…'. -1: it does not end.</summary>
        private int BehindPrefixed(int at, int quote)
        {
            bool escapes = In(SqlDialect.PostgresEscapes | SqlDialect.MySql) || In(AllPostgres) && (text[at] | 32) == 'e';
            if (!In(SqlDialect.Oracle) || (text[quote - 1] | 32) != 'q' || quote + 1 >= end)
                return BehindString(quote, '\'', escapes);
            char open = text[quote + 1];
            char close = open == '[' ? ']' : open == '{' ? '}' : open == '<' ? '>' : open == '(' ? ')' : open;
            for (int i = quote + 2; i + 1 < end; i++)
                if (text[i] == close && text[i + 1] == '\'')
                    return i + 2;
            return -1;
        }

        // ---- What stands before ----

        /// <summary>Tells where a name has to stand, so that what is in double quotes can be no value.</summary>
        private struct SqlContext
        {
            private char last;
            private bool afterNameWord, afterDistinct, afterSet, hasUpdate;

            // Brackets: how many are open; a bit for each, whether a SELECT or DELETE stands in it.
            private int depth;
            private ulong selects;

            // The list of columns behind INSERT INTO, by the depth in it; IntoTable: it may come. The depth of UPDATE's SET, and 1.
            private int columns, sets;

            internal void Came(char kind)
            {
                if (columns == IntoTable && (kind != OfName || last != OfWord && last != '.'))
                    columns = NoColumns;
                last = kind;
                afterNameWord = afterDistinct = afterSet = false;
            }

            internal void Punctuation(char c)
            {
                if (c == '(')
                {
                    depth++;
                    SetSelect(false);
                    if (columns == IntoTable)
                        columns = last == OfName || last == OfWord ? depth : NoColumns;
                }
                else if (c == ')')
                {
                    if (columns == depth)
                        columns = NoColumns;
                    if (depth > 0)
                        depth--;
                }
                else if (c == ';')
                    sets = 0;
                else if (columns == IntoTable && c != '.')
                    columns = NoColumns;
                last = c;
                afterNameWord = afterDistinct = afterSet = false;
            }

            private void SetSelect(bool value)
            {
                if (depth > MostDepth)
                    return;
                selects = value ? selects | 1UL << depth : selects & ~(1UL << depth);
            }

            internal void Word(string text, int at, int behind)
            {
                bool distinct = afterDistinct;
                // INTO, and the table's name with those before it: a second word ends that.
                if (columns == IntoTable && last == OfWord && !afterNameWord)
                    columns = NoColumns;
                last = OfWord;
                afterNameWord = afterDistinct = afterSet = false;
                switch (behind - at)
                {
                    case 2:
                        afterNameWord = SqlMask.Is(text, at, behind, "AS");
                        break;
                    case 3:
                        afterSet = SqlMask.Is(text, at, behind, "SET");
                        if (afterSet && hasUpdate)
                            sets = depth + 1;
                        break;
                    case 4:
                        if (SqlMask.Is(text, at, behind, "INTO"))
                            columns = IntoTable;
                        bool from = SqlMask.Is(text, at, behind, "FROM");
                        afterNameWord = columns == IntoTable || SqlMask.Is(text, at, behind, "JOIN") ||
                                        from && !distinct && depth <= MostDepth && (selects >> depth & 1) != 0;
                        if (from)
                            sets = 0;
                        break;
                    case 5:
                        afterNameWord = SqlMask.Is(text, at, behind, "TABLE");
                        if (SqlMask.Is(text, at, behind, "WHERE"))
                            sets = 0;
                        break;
                    case 6:
                        bool update = SqlMask.Is(text, at, behind, "UPDATE");
                        hasUpdate |= update;
                        afterNameWord = update || SqlMask.Is(text, at, behind, "EXISTS");
                        if (SqlMask.Is(text, at, behind, "SELECT") || SqlMask.Is(text, at, behind, "DELETE"))
                            SetSelect(true);
                        break;
                    case 8:
                        afterDistinct = SqlMask.Is(text, at, behind, "DISTINCT");
                        break;
                }
            }

            /// <summary>Has a name to stand here, if <paramref name="next"/> comes behind it?</summary>
            internal bool WantsName(char next)
            {
                if (last == '.' || last == OfWord && (afterNameWord || afterSet && next == '='))
                    return true;
                if (columns > 0 && columns == depth)
                    return (last == '(' || last == ',') && (next == ',' || next == ')');
                return sets == depth + 1 && last == ',' && next == '=';
            }
        }
    }
}
