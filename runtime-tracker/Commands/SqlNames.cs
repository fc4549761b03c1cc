// Where a command's text has names for certain.

namespace Instrumenter
{
    /// <summary>Where a name has to stand, so that text in double quotes can be no value in a dialect that has strings of that form.</summary>
    internal struct SqlNames
    {
        // How the token that came last is known, but for punctuation, which is itself.
        internal const char OfWord = 'w', OfName = 'n', OfValue = 'v';

        private const int MostDepth = 63, NoColumns = 0, IntoTable = -1;

        private char last;
        private bool afterNameWord, afterDistinct, afterSet, afterAs, afterIf, hasUpdate;

        // Brackets: how many are open; a bit for each, whether a SELECT or DELETE stands in it.
        private int depth;
        private ulong selects;

        // The list of columns after INSERT INTO, by the depth in it; IntoTable: it may come. The depth of UPDATE's SET, and 1.
        private int columns, sets;

        internal void Came(char kind)
        {
            if (columns == IntoTable && (kind != OfName || last != OfWord && last != '.'))
                columns = NoColumns;
            last = kind;
            afterNameWord = afterDistinct = afterSet = afterAs = afterIf = false;
        }

        internal void Punctuation(char c)
        {
            if (c == ';')
            {
                // A statement says nothing of the next one.
                this = new SqlNames();
                return;
            }
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
            else if (columns == IntoTable && c != '.')
                columns = NoColumns;
            last = c;
            afterNameWord = afterDistinct = afterSet = afterAs = afterIf = false;
        }

        private void SetSelect(bool value)
        {
            if (depth > MostDepth)
                return;
            selects = value ? selects | 1UL << depth : selects & ~(1UL << depth);
        }

        internal void Word(string text, int at, int behind)
        {
            bool distinct = afterDistinct, isIf = afterIf;
            if (sets == depth + 1 && !afterSet && IsBehindOperand() && !SqlMask.Is(text, at, behind, "AND") && !SqlMask.Is(text, at, behind, "OR"))
                sets = 0;
            // INTO, and the table's name with those before it: a second word ends that.
            if (columns == IntoTable && last == OfWord && !afterNameWord)
                columns = NoColumns;
            last = OfWord;
            afterNameWord = afterDistinct = afterSet = afterAs = afterIf = false;
            switch (behind - at)
            {
                case 2:
                    afterAs = SqlMask.Is(text, at, behind, "AS");
                    afterIf = SqlMask.Is(text, at, behind, "IF");
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
                    afterNameWord = update || isIf && SqlMask.Is(text, at, behind, "EXISTS");
                    if (SqlMask.Is(text, at, behind, "SELECT") || SqlMask.Is(text, at, behind, "DELETE"))
                        SetSelect(true);
                    break;
                case 8:
                    afterDistinct = SqlMask.Is(text, at, behind, "DISTINCT");
                    break;
            }
        }

        /// <summary>True if a word here goes on with no list of assignments.</summary>
        private bool IsBehindOperand()
        {
            return last == OfWord || last == OfName || last == OfValue || last == ')' || last == ']';
        }

        /// <summary>
        /// True if a name has to stand here when <paramref name="next"/> comes after it. <paramref name="named"/>: also
        /// after AS, where other dialects take a string for the new name.
        /// </summary>
        internal bool WantsName(char next, bool named)
        {
            if (last == '.' || last == OfWord && (afterNameWord || afterSet && next == '=' || afterAs && named))
                return true;
            if (columns > 0 && columns == depth)
                return (last == '(' || last == ',') && (next == ',' || next == ')');
            return sets == depth + 1 && last == ',' && next == '=';
        }
    }
}
