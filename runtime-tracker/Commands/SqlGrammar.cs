// Which words and quoted names of a command's text may stay, as one dialect reads it.

namespace Instrumenter
{
    /// <summary>
    /// Statements that query and change rows, calls of procedures, and a few others are understood: there a word is one of SQL's, or a name
    /// where a name can stand. Anything else is masked up to the statement's end, so that a password that SQL writes as a name is no more
    /// shown than a string is.
    /// </summary>
    internal struct SqlGrammar
    {
        private enum Mode : byte
        {
            /// <summary>Nothing of the statement came yet.</summary>
            Begin,

            /// <summary>Rows are queried or changed: words of SQL, names, at most one after an operand.</summary>
            Query,

            /// <summary>EXEC, and the name that comes; its arguments: a word there is a value.</summary>
            Call,
            Arguments,

            /// <summary>CREATE, DROP, TRUNCATE of a table, view or index, up to its name; that is there.</summary>
            Define,
            Defined,

            /// <summary>SET of the session; the name for which IDENTITY_INSERT is set.</summary>
            Set,
            SetName,

            /// <summary>DECLARE: a variable has to come.</summary>
            Declare,

            /// <summary>The text is the name of a procedure, as far as it goes.</summary>
            Procedure,
            Lost
        }

        private Mode mode;

        // That which may come after the last token, and after the name after the dot that came last: SqlWords' Opener, Operand or Tail.
        private byte prev, behindDot;
        private bool afterDot, isVariable, isFurther, hasObject, expectsSet, afterTop;
        private int depth, topDepth;

        // Variables are declared or set: after a comma there is another one, or something that is not understood.
        private bool listsVariables;

        // Nothing after it is understood, not even where a statement ends.
        private bool forever;

        internal bool IsLost
        {
            get { return mode == Mode.Lost; }
        }

        /// <summary>True for a statement with names where <see cref="SqlNames"/> wants them.</summary>
        internal bool HasNames
        {
            get { return mode == Mode.Query || mode == Mode.Define || mode == Mode.SetName; }
        }

        /// <summary>True if what came so far of the statement goes, too.</summary>
        internal bool LosesHead { get; private set; }

        internal void Lose()
        {
            mode = Mode.Lost;
            forever = true;
        }

        private bool Fail()
        {
            LosesHead |= mode == Mode.Procedure;
            mode = Mode.Lost;
            return false;
        }

        // ---- Words ----

        /// <summary>False: it is not to be shown.</summary>
        internal bool Word(string text, int at, int behind, char next, bool hasBareCalls)
        {
            bool isPart = afterDot;
            afterDot = false;
            byte kind = isPart ? SqlWords.None : SqlWords.KindOf(text, at, behind);
            switch (mode)
            {
                case Mode.Begin:
                    return BeginWith(kind, text, at, behind);
                case Mode.Query:
                    return isPart ? Part() : QueryWord(kind, text, at, behind, next);
                case Mode.Call:
                    return CallName(isPart, kind, text, at, behind);
                case Mode.Arguments:
                    return Argument(kind, text, at, behind);
                case Mode.Define:
                    return DefineWord(text, at, behind);
                case Mode.Defined:
                    return isPart || (kind == SqlWords.Head ? Start(kind, text, at, behind) : Fail());
                case Mode.Set:
                    return SetWord(kind, text, at, behind);
                case Mode.SetName:
                    return NameOfSet(isPart, kind, text, at, behind);
                case Mode.Procedure:
                    return isPart || (hasBareCalls ? BareArgument(kind, text, at, behind) : Fail());
                default:
                    return Fail();
            }
        }

        /// <summary>In quotes, which a word of SQL is not.</summary>
        internal bool Name(bool hasBareCalls)
        {
            bool isPart = afterDot;
            afterDot = false;
            switch (mode)
            {
                case Mode.Begin:
                    return BeginProcedure();
                case Mode.Query:
                    return isPart ? Part() : Identifier();
                case Mode.Call:
                    return CallName(isPart, SqlWords.None, "", 0, 0);
                case Mode.Arguments:
                    prev = SqlWords.Operand;
                    return false;
                case Mode.Define:
                    return DefineName();
                case Mode.Defined:
                    return isPart || Fail();
                case Mode.SetName:
                    return NameOfSet(isPart, SqlWords.None, "", 0, 0);
                case Mode.Procedure:
                    return isPart || (hasBareCalls ? BareArgument(SqlWords.None, "", 0, 0) : Fail());
                default:
                    return Fail();
            }
        }

        private bool BeginWith(byte kind, string text, int at, int behind)
        {
            if (kind == SqlWords.Opener && IsOne(text, at, behind, "BEGIN START CALL WHILE RETURN ELSE WHERE ANALYZE") ||
                kind == SqlWords.Tail && IsOne(text, at, behind, "COMMIT ROLLBACK") || kind == SqlWords.Operand && SqlMask.Is(text, at, behind, "END"))
            {
                mode = Mode.Query;
                prev = kind;
                return true;
            }
            return kind == SqlWords.Opener ? Fail() : kind >= SqlWords.Head ? Start(kind, text, at, behind) : BeginProcedure();
        }

        private bool BeginProcedure()
        {
            if (isFurther)
                return Fail();
            mode = Mode.Procedure;
            return true;
        }

        private bool Start(byte kind, string text, int at, int behind)
        {
            prev = SqlWords.Opener;
            switch (kind)
            {
                case SqlWords.Execute:
                    mode = Mode.Call;
                    isVariable = false;
                    return true;
                case SqlWords.Define:
                    mode = Mode.Define;
                    hasObject = false;
                    return true;
                case SqlWords.Declare:
                    mode = Mode.Declare;
                    return true;
                case SqlWords.Set:
                    mode = Mode.Set;
                    return true;
                case SqlWords.Verb:
                    mode = Mode.Lost;
                    return true;
                default:
                    mode = Mode.Query;
                    listsVariables &= depth > 0;
                    expectsSet |= IsOne(text, at, behind, "UPDATE INSERT MERGE REPLACE");
                    return true;
            }
        }

        private bool QueryWord(byte kind, string text, int at, int behind, char next)
        {
            switch (kind)
            {
                case SqlWords.Opener:
                    prev = kind;
                    afterTop = SqlMask.Is(text, at, behind, "TOP");
                    return true;
                case SqlWords.Operand:
                    prev = kind;
                    return true;
                case SqlWords.Tail:
                    if (prev == SqlWords.Opener)
                        return Identifier();
                    prev = kind;
                    return true;
                case SqlWords.Set:
                    if (!expectsSet)
                        return Start(kind, text, at, behind);
                    expectsSet = false;
                    prev = SqlWords.Opener;
                    return true;
                case SqlWords.None:
                case SqlWords.Verb:
                    return Identifier();
                case SqlWords.Head:
                case SqlWords.Define:
                    // A function: REPLACE(…), IF(…), TRUNCATE(…).
                    if (next == '(' && !IsOne(text, at, behind, "SELECT VALUES WITH"))
                    {
                        prev = SqlWords.Operand;
                        return true;
                    }
                    return Start(kind, text, at, behind);
                default:
                    return Start(kind, text, at, behind);
            }
        }

        /// <summary>A name that a dot ties to the one before it.</summary>
        private bool Part()
        {
            prev = behindDot;
            return true;
        }

        /// <summary>An operand, or the new name of one; a third in a row is something else.</summary>
        private bool Identifier()
        {
            if (prev == SqlWords.Tail)
                return Fail();
            prev = prev == SqlWords.Opener ? SqlWords.Operand : SqlWords.Tail;
            return true;
        }

        private bool CallName(bool isPart, byte kind, string text, int at, int behind)
        {
            if (isPart)
                return true;
            if (prev == SqlWords.Opener)
            {
                prev = SqlWords.Operand;
                return true;
            }
            mode = Mode.Arguments;
            prev = SqlWords.Opener;
            return Argument(kind, text, at, behind);
        }

        private bool BareArgument(byte kind, string text, int at, int behind)
        {
            mode = Mode.Arguments;
            prev = SqlWords.Opener;
            return Argument(kind, text, at, behind);
        }

        private bool Argument(byte kind, string text, int at, int behind)
        {
            bool isBehind = prev == SqlWords.Operand;
            prev = SqlWords.Operand;
            if (IsOne(text, at, behind, "OUTPUT OUT READONLY DEFAULT NULL USING"))
                return true;
            if (isBehind && (kind >= SqlWords.Head && kind != SqlWords.Verb || IsOne(text, at, behind, "BEGIN ELSE WHILE RETURN")))
                return Start(kind, text, at, behind);
            if (isBehind && SqlMask.Is(text, at, behind, "END"))
            {
                mode = Mode.Query;
                return true;
            }
            return false;
        }

        private bool DefineWord(string text, int at, int behind)
        {
            if (IsOne(text, at, behind, "OR REPLACE TEMP TEMPORARY GLOBAL LOCAL UNIQUE CLUSTERED NONCLUSTERED IF NOT EXISTS CONCURRENTLY MATERIALIZED"))
                return true;
            if (!hasObject && IsOne(text, at, behind, "TABLE VIEW INDEX"))
                return hasObject = true;
            return DefineName();
        }

        private bool DefineName()
        {
            if (!hasObject)
                return Fail();
            mode = Mode.Defined;
            return true;
        }

        private bool SetWord(byte kind, string text, int at, int behind)
        {
            if (SqlMask.Is(text, at, behind, "IDENTITY_INSERT"))
            {
                mode = Mode.SetName;
                prev = SqlWords.Opener;
                return true;
            }
            if (kind == SqlWords.Tail || IsOne(text, at, behind, "ON ONLY"))
                return true;
            return kind >= SqlWords.Head && kind != SqlWords.Verb ? Start(kind, text, at, behind) : Fail();
        }

        private bool NameOfSet(bool isPart, byte kind, string text, int at, int behind)
        {
            if (isPart)
                return true;
            if (prev == SqlWords.Opener)
            {
                prev = SqlWords.Operand;
                return true;
            }
            mode = Mode.Set;
            return SetWord(kind, text, at, behind);
        }

        private static bool IsOne(string text, int at, int behind, string words)
        {
            for (int from = 0; from < words.Length && behind > at;)
            {
                int end = words.IndexOf(' ', from);
                if (end < 0)
                    end = words.Length;
                if (end - from == behind - at)
                {
                    int i = 0;
                    while (i < end - from && (text[at + i] & ~32) == words[from + i])
                        i++;
                    if (i == end - from)
                        return true;
                }
                from = end + 1;
            }
            return false;
        }

        // ---- Values, parameters, signs ----

        internal void Value()
        {
            afterDot = false;
            if (mode == Mode.Begin || mode == Mode.Define || mode == Mode.Defined || mode == Mode.Declare || mode == Mode.SetName)
                Fail();
            else
                Take();
        }

        internal void Parameter()
        {
            afterDot = false;
            if (mode == Mode.Declare || mode == Mode.Set)
            {
                mode = Mode.Query;
                listsVariables = true;
                prev = SqlWords.Opener;
            }
            if (mode == Mode.Define || mode == Mode.Defined || mode == Mode.SetName)
                Fail();
            else if (mode == Mode.Call && prev == SqlWords.Opener)
                isVariable = true;
            if (mode != Mode.Begin)
                Take();
        }

        private void Take()
        {
            if (mode == Mode.Procedure)
                mode = Mode.Arguments;
            if (mode == Mode.Call && !(isVariable && prev == SqlWords.Opener))
                mode = Mode.Arguments;
            prev = afterTop ? SqlWords.Opener : prev == SqlWords.Tail ? SqlWords.Tail : SqlWords.Operand;
            afterTop = false;
        }

        /// <summary>
        /// A procedure with its name at the beginning of the text has arguments in one dialect alone.
        /// </summary>
        internal void Needs(bool hasBareCalls)
        {
            if (mode == Mode.Procedure && !hasBareCalls)
                Fail();
        }

        internal void Punctuation(char c)
        {
            bool wasDot = afterDot;
            afterDot = false;
            if (c == ';' && !forever)
            {
                this = new SqlGrammar();
                isFurther = true;
                return;
            }
            if (mode == Mode.Lost)
                return;
            if (c == '.')
            {
                afterDot = true;
                behindDot = prev == SqlWords.Opener ? SqlWords.Operand : prev;
                return;
            }
            if ("(),=<>!+-*/%&|^~:[]{}?@#$`".IndexOf(c) < 0)
            {
                Lose();
                return;
            }
            switch (mode)
            {
                case Mode.Begin:
                    if (c != '(' && c != '{' && c != '?' && c != '=' && c != '}')
                        Fail();
                    return;
                case Mode.Query:
                    Sign(c, wasDot);
                    return;
                case Mode.Call:
                    // EXEC @result = name.
                    if (c == '=' && isVariable)
                    {
                        prev = SqlWords.Opener;
                        isVariable = false;
                        return;
                    }
                    mode = Mode.Arguments;
                    prev = SqlWords.Opener;
                    return;
                case Mode.Arguments:
                    prev = c == ')' || c == '?' ? SqlWords.Operand : SqlWords.Opener;
                    return;
                default:
                    Fail();
                    return;
            }
        }

        private void Sign(char c, bool wasDot)
        {
            switch (c)
            {
                case '(':
                    depth++;
                    if (afterTop)
                        topDepth = depth;
                    afterTop = false;
                    prev = SqlWords.Opener;
                    break;
                case ')':
                    prev = topDepth == depth && depth > 0 ? SqlWords.Opener : SqlWords.Operand;
                    if (topDepth == depth)
                        topDepth = 0;
                    if (depth > 0)
                        depth--;
                    break;
                case ',':
                    prev = SqlWords.Opener;
                    if (listsVariables && depth == 0)
                        mode = Mode.Declare;
                    break;
                case ']':
                case '}':
                    prev = SqlWords.Operand;
                    break;
                case '?':
                    Take();
                    break;
                case '*':
                    prev = wasDot ? behindDot : prev == SqlWords.Opener ? SqlWords.Operand : SqlWords.Opener;
                    break;
                default:
                    prev = SqlWords.Opener;
                    break;
            }
        }
    }
}
