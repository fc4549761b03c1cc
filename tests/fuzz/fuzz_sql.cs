// Masks of commands' texts on any statements: fuzz_sql.exe SECONDS [SEED]. Statements are made of whole lexical elements, each as its
// dialect reads it, changed, torn apart and put together; some elements are values that hold a piece that nothing else has. No text may
// keep such a piece, read as its own dialect, with the settings that are not known, or as any. Prints each text that does; exits 1 then.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using Instrumenter;

static class FuzzSql
{
    const int Pg = SqlDialect.Postgres | SqlDialect.PostgresEscapes, My = SqlDialect.MySql | SqlDialect.MySqlPlain;

    static Random random;
    static int number;
    static List<string> planted;

    static readonly string[] statements =
    {
        "SELECT a , b AS c FROM t AS x JOIN u ON x . i = u . i WHERE a = \u00A7 AND b IN ( \u00A7 , \u00A7 ) ORDER BY a LIMIT \u00A7",
        "INSERT INTO t ( a , b ) VALUES ( \u00A7 , \u00A7 ) , ( \u00A7 , NULL )", "UPDATE t SET a = \u00A7 , b = b + \u00A7 WHERE c LIKE \u00A7",
        "DELETE FROM t WHERE a = \u00A7", "EXEC p @a = \u00A7 , @b = \u00B6 , \u00B6", "EXECUTE @r = dbo . p \u00B6 , \u00A7 OUTPUT", "CALL p ( \u00A7 , f ( \u00A7 ) )",
        "ALTER USER u IDENTIFIED BY \u00B6 REPLACE \u00B6", "CREATE USER u IDENTIFIED BY \u00B6", "GRANT a TO u IDENTIFIED BY \u00B6", "SET x TO \u00B6", "SET x = \u00B6",
        "SET ROLE a IDENTIFIED BY \u00B6", "SET PASSWORD = \u00A7", "PRAGMA key = \u00B6", "PREPARE s FROM \u00A7", "DECLARE @a int = \u00A7 , @b int",
        "CREATE DATABASE LINK l CONNECT TO a IDENTIFIED BY \u00B6 USING \u00A7", "IF EXISTS ( SELECT \u00A7 FROM t ) EXEC p \u00B6 ELSE EXEC q \u00A7",
        "WITH c AS ( SELECT \u00A7 FROM t ) SELECT * FROM c", "MERGE t USING u ON a = \u00A7 WHEN MATCHED THEN UPDATE SET a = \u00A7", "CONNECT u / \u00B6",
        "SET @a = \u00A7 , sql_mode = \u00B6", "SELECT TOP \u00A7 a FROM t", "CREATE TABLE t ( a int DEFAULT \u00A7 )", "COPY t FROM \u00A7", "ATTACH \u00A7 AS a KEY \u00A7"
    };

    static readonly string[] words =
    {
        "SELECT", "FROM", "WHERE", "AND", "AS", "SET", "UPDATE", "EXEC", "BEGIN", "END", "CASE", "WHEN", "THEN", "ELSE", "BY", "ON", "IN", "INTO", "VALUES", "WITH", "TOP", "LIMIT",
        "DECLARE", "IF", "OUTPUT", "NULL", "a", "t", "x1", "@a", "(", ")", ",", ".", "=", "*", "+", "-", "[", "]", "{", "}", "?", ":", "::", "||", "<", "|", "\\", ";"
    };

    static string One(params string[] of)
    {
        return of[random.Next(of.Length)];
    }

    static string Piece()
    {
        string piece = "zq" + (++number % 4096).ToString("x") + "jx";
        planted.Add(piece);
        return piece;
    }

    /// <summary>The inside of a string: pieces, and what other dialects take for an end.</summary>
    static string Inner(params string[] quotes)
    {
        StringBuilder text = new StringBuilder(Piece());
        for (int i = random.Next(4); i > 0; i--)
            text.Append(One(" ", "--", "/*", "*/", "/*!", "\"", "`", "[", "]", "#", "$$", ";", ",", "(", ")", "\n", "\r", "?", "@", "=", "\u00A3", One(quotes))).Append(Piece());
        return text.ToString();
    }

    static string Number()
    {
        string digits = (900000000 + ++number).ToString();
        planted.Add(digits);
        return digits + One("", ".5", "e5", "E-3", ".");
    }

    /// <summary>A value that the dialect cannot read as anything else, wherever it stands.</summary>
    static string Value(int dialect)
    {
        bool escapes = dialect == SqlDialect.PostgresEscapes || dialect == SqlDialect.MySql;
        switch (random.Next(7))
        {
            case 0:
                return Number();
            case 1:
                return dialect == SqlDialect.SqlServer ? One("$", "\u00A3", "\u20AC", "\u00A5") + Number() : Number();
            case 2:
                if ((dialect & Pg) == 0)
                    goto default;
                string tag = One("$$", "$a$", "$zq$");
                return tag + Inner("'").Replace("$", "") + tag;
            case 3:
                return dialect == SqlDialect.Oracle ? One("q", "Q", "nq") + "'[" + Inner("'").Replace("]'", "") + "]'" : One("x", "N", "b") + "'" + Inner("''") + "'";
            case 4:
                if ((dialect & Pg) == 0)
                    goto default;
                return One("E", "e") + "'" + Inner("\\'", "\\\\", "''") + "'" + One("", "\n'" + Inner("\\'", "''") + "'", " -- c\n '" + Inner("\\'") + "'");
            default:
                return One("", "", "N") + "'" + (escapes ? Inner("\\'", "\\\\", "''") : Inner("''", "\\")) + "'";
        }
    }

    static string Space(int dialect)
    {
        return One(" ", " ", " ", "\n", "\t", " /* it's */ ", " -- it's \"\n", (dialect & My) != 0 ? " # it's\n" : " ", (dialect & My) != 0 ? " /*!99999 it's */ " : " ");
    }

    static string Element(int dialect)
    {
        switch (random.Next(6))
        {
            case 0:
                return Value(dialect);
            case 1:
                return (dialect & My) != 0 ? "`a'`" : dialect == SqlDialect.SqlServer ? "[a'\"]" : dialect == SqlDialect.Sqlite ? "[a']" : "\"a'\"";
            default:
                string word = One(words);
                // It would begin a name.
                return word == "[" && (dialect == SqlDialect.SqlServer || dialect == SqlDialect.Sqlite) ? "(" : word;
        }
    }

    /// <summary>A statement's elements; where a bare word is a value, the statement stays as it is up to there.</summary>
    static void Add(List<string> to, int dialect, bool changes)
    {
        string statement = One(statements);
        bool isBare = statement.IndexOf('\u00B6') >= 0;
        foreach (string element in statement.Split(' '))
        {
            if (changes && !isBare)
            {
                int what = random.Next(12);
                if (what == 0)
                    continue;
                if (what == 1)
                    to.Add(Element(dialect));
                if (what == 2 && element != "\u00A7")
                {
                    to.Add(Element(dialect));
                    continue;
                }
            }
            to.Add(element == "\u00A7" ? Value(dialect) : element == "\u00B6" ? random.Next(2) == 0 ? Piece() : Value(dialect) : element);
        }
    }

    static string Text(int dialect)
    {
        List<string> elements = new List<string>();
        for (int i = 1 + random.Next(3); i > 0; i--)
        {
            if (elements.Count != 0)
                elements.Add(";");
            Add(elements, dialect, random.Next(3) != 0);
        }
        StringBuilder text = new StringBuilder();
        foreach (string element in elements)
            text.Append(element).Append(Space(dialect));
        return text.ToString();
    }

    static int Main(string[] arguments)
    {
        Console.OutputEncoding = new UTF8Encoding(false);
        int seconds = int.Parse(arguments[0]), seed = arguments.Length > 1 ? int.Parse(arguments[1]) : Environment.TickCount, failed = 0;
        int[] dialects = { SqlDialect.Postgres, SqlDialect.PostgresEscapes, SqlDialect.MySql, SqlDialect.MySqlPlain, SqlDialect.SqlServer, SqlDialect.Sqlite, SqlDialect.Oracle };
        random = new Random(seed);
        long texts = 0, kept = 0, all = 0;
        Stopwatch watch = Stopwatch.StartNew();
        for (; watch.Elapsed.TotalSeconds < seconds && failed < 5; texts++)
        {
            planted = new List<string>();
            int dialect = dialects[random.Next(dialects.Length)], with = (dialect & Pg) != 0 ? Pg : (dialect & My) != 0 ? My : dialect;
            string text = Text(dialect);
            foreach (int read in new[] { dialect, with, SqlDialect.Any })
            {
                string masked = SqlMask.Of(text, read);
                kept += masked.Length;
                all += text.Length;
                foreach (string piece in planted)
                    if (masked.IndexOf(piece, StringComparison.Ordinal) >= 0)
                    {
                        failed++;
                        Console.WriteLine("FAILED: " + piece + " of dialect " + dialect + " read as " + read + "\n  " + text + "\n  " + masked);
                        break;
                    }
            }
        }
        Console.WriteLine(texts + " texts, seed " + seed + ", " + (all == 0 ? 0 : kept * 100 / all) + " % of their characters stay");
        return failed == 0 && texts > 0 ? 0 : 1;
    }
}
