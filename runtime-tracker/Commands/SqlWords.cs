// The words of SQL that may stay wherever they stand, since no value can be one of them, and what may follow each.

namespace Instrumenter
{
    internal static class SqlWords
    {
        /// <summary>
        /// None: it is no word of these, so a name or a value. Opener: a name or an operand may follow. Operand: it is
        /// one. Tail: no name follows. Head: an Opener with which a statement begins. Verb: begins a statement that is
        /// reduced to this word.
        /// </summary>
        internal const byte None = 0, Opener = 1, Operand = 2, Tail = 3, Head = 4, Verb = 5;

        /// <summary>Statements of other forms.</summary>
        internal const byte Execute = 6, Define = 7, Declare = 8, Set = 9;

        private const string Openers =
            "FROM WHERE AND OR NOT ON IN LIKE ILIKE BETWEEN BY AS INTO JOIN INNER LEFT RIGHT FULL OUTER CROSS NATURAL APPLY STRAIGHT_JOIN LATERAL USING HAVING " +
            "GROUP ORDER UNION INTERSECT EXCEPT MINUS ALL DISTINCT TOP LIMIT OFFSET FETCH NEXT FIRST SKIP CASE WHEN THEN ELSE IS EXISTS ANY SOME ESCAPE COLLATE " +
            "OVER PARTITION ROWS RANGE GROUPS FILTER WITHIN RETURNING OUTPUT MATCHED DUPLICATE KEY CONFLICT DO NOTHING CONSTRAINT FOR OF OPTION FORCE IGNORE USE " +
            "INDEX WINDOW QUALIFY RECURSIVE MATERIALIZED CONNECT START PRIOR SIMILAR TO REGEXP RLIKE GLOB MATCH AGAINST DIV XOR VALUE TABLE ONLY INTERVAL BINARY " +
            "HIGH_PRIORITY LOW_PRIORITY DELAYED QUICK SQL_CALC_FOUND_ROWS SQL_NO_CACHE LEADING TRAILING BOTH PIVOT UNPIVOT TABLESAMPLE ARRAY WHILE RETURN ANALYZE " +
            "PLAN VERBOSE JSON XML BEGIN CALL MODE SHARE OVERLAPS TRANSACTIONS";

        private const string Operands =
            "NULL DEFAULT END CURRENT_TIMESTAMP CURRENT_DATE CURRENT_TIME CURRENT_USER SESSION_USER SYSDATE LOCALTIME LOCALTIMESTAMP YEAR MONTH DAY HOUR MINUTE " +
            "SECOND UNBOUNDED UNKNOWN";

        private const string Tails =
            "ASC DESC NULLS LAST PRECEDING FOLLOWING CURRENT ROW PERCENT TIES NOWAIT LOCKED LOCK WAIT PRECISION VARYING UNSIGNED SIGNED ZONE TIME AT PATH AUTO COMMIT " +
            "ROLLBACK TRAN TRANSACTION WORK READ WRITE OFF BREAK CONTINUE SERIALIZABLE ISOLATION LEVEL COMMITTED UNCOMMITTED REPEATABLE SNAPSHOT IDENTITY_INSERT " +
            "NOCOUNT XACT_ABORT IMPLICIT_TRANSACTIONS ARITHABORT ANSI_NULLS ANSI_WARNINGS ANSI_PADDING QUOTED_IDENTIFIER NUMERIC_ROUNDABORT";

        private const string Heads = "SELECT INSERT UPDATE DELETE MERGE WITH VALUES REPLACE IF EXPLAIN";

        private const string Verbs =
            "ALTER GRANT REVOKE PREPARE DEALLOCATE PRAGMA ATTACH DETACH COPY LISTEN NOTIFY UNLISTEN SHOW DESCRIBE VACUUM REINDEX SAVEPOINT RELEASE SAVE RENAME " +
            "COMMENT LOAD HANDLER FLUSH RESET DISCARD CLUSTER DENY BACKUP RESTORE PRINT RAISERROR THROW OPEN CLOSE WAITFOR KILL SIGNAL CHECKPOINT";

        private struct Entry
        {
            internal string Word;
            internal byte Kind;
        }

        private const int Slots = 1024;
        private static Entry[] table;

        /// <summary>In any case.</summary>
        internal static byte KindOf(string text, int from, int to)
        {
            // Made where it is first asked for: no type initializer runs.
            Entry[] all = table ?? (table = Make());
            for (int slot = SlotOf(text, from, to); all[slot].Word != null; slot = (slot + 1) & (Slots - 1))
                if (SqlMask.Is(text, from, to, all[slot].Word))
                    return all[slot].Kind;
            return None;
        }

        private static int SlotOf(string text, int from, int to)
        {
            int hash = to - from;
            for (int i = from; i < to; i++)
                hash = unchecked(hash * 31 + (text[i] & ~32));
            return (hash ^ (hash >> 10)) & (Slots - 1);
        }

        private static Entry[] Make()
        {
            Entry[] made = new Entry[Slots];
            Add(made, Openers, Opener);
            Add(made, Operands, Operand);
            Add(made, Tails, Tail);
            Add(made, Heads, Head);
            Add(made, Verbs, Verb);
            Add(made, "EXEC EXECUTE", Execute);
            Add(made, "CREATE DROP TRUNCATE", Define);
            Add(made, "DECLARE", Declare);
            Add(made, "SET", Set);
            return made;
        }

        private static void Add(Entry[] to, string words, byte kind)
        {
            foreach (string word in words.Split(' '))
            {
                int slot = SlotOf(word, 0, word.Length);
                while (to[slot].Word != null)
                    slot = (slot + 1) & (Slots - 1);
                to[slot].Word = word;
                to[slot].Kind = kind;
            }
        }
    }
}
