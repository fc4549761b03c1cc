// Texts of commands and what is left of them without their values: a table by hand, and texts that are made around secrets.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using Instrumenter;

static partial class CommandMasks
{
    const int Any = SqlDialect.Any, Pg = SqlDialect.Postgres | SqlDialect.PostgresEscapes, My = SqlDialect.MySql | SqlDialect.MySqlPlain,
              Ms = SqlDialect.SqlServer, Lite = SqlDialect.Sqlite, Ora = SqlDialect.Oracle;

    static int failed, checks;

    static int Main(string[] arguments)
    {
        Console.OutputEncoding = new UTF8Encoding(false);
        if (arguments[0] == "time")
            return Time();
        if (arguments[0] == "table")
        {
            Table();
            Statements();
            Tricks();
        }
        else
            Secrets(int.Parse(arguments[1]), int.Parse(arguments[2]));
        Console.WriteLine(checks + " texts");
        return failed == 0 && checks > 60 ? 0 : 1;
    }

    static void Is(int dialects, string text, string expected)
    {
        checks++;
        string found = SqlMask.Of(text, dialects);
        if (found == expected)
            return;
        failed++;
        Console.WriteLine("FAILED: " + (text.Length > 200 ? text.Substring(0, 200) : text) + "\n  found    " + found + "\n  expected " + expected);
    }

    static void Table()
    {
        // Plain values.
        Is(Any, "SELECT 1", "SELECT ?");
        Is(Any, "SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = ?");
        Is(Any, "SELECT a FROM t WHERE b='x' AND c=5", "SELECT a FROM t WHERE b=? AND c=?");
        Is(Any, "SELECT sum FROM orders WHERE customer = 25", "SELECT sum FROM orders WHERE customer = ?");
        Is(Any, "SELECT 'it''s'", "SELECT ?");
        Is(Any, "SELECT ''", "SELECT ?");
        Is(Any, "SELECT '''', ''''''", "SELECT ?, ?");
        Is(Any, "SELECT 1.5, .5, 5., 1e10, 1.5E+10, 2e-3, 0xFF, 1_000", "SELECT ?, ?, ?, ?, ?, ?, ?, ?");
        Is(Any, "SELECT -5, +5, - 5, a - 5, a-5, 3-2, (a)-1, -a", "SELECT ?, ?, ?, a - ?, a-?, ?-?, (a)-?, -a");
        Is(Any, "WHERE a BETWEEN -1 AND -2 LIMIT -1", "WHERE a BETWEEN ? AND ? LIMIT ?");
        Is(Any, "WHERE a = TRUE OR b = false OR c IS NULL", "WHERE a = ? OR b = ? OR c IS NULL");
        Is(Any, "SELECT DATE '2026-11-24', TIMESTAMP'2026-11-24 10:00'", "SELECT DATE ?, TIMESTAMP?");
        Is(Any, "INSERT INTO t VALUES (1, 'a', NULL)", "INSERT INTO t VALUES (?, ?, NULL)");
        Is(Any, "UPDATE t SET a = 'x', b = b + 1 WHERE id = 7;", "UPDATE t SET a = ?, b = b + ? WHERE id = ?");
        Is(Any, "EXEC pay 12, 'Smith'", "EXEC pay ?, ?");
        Is(Any, "GetCustomer", "GetCustomer");
        // Names that have digits stay, and so do parameters.
        Is(Any, "SELECT t1.a2 FROM t1 JOIN t2 ON t1.x = t2.x", "SELECT t1.a2 FROM t1 JOIN t2 ON t1.x = t2.x");
        Is(Any, "WHERE a = @p0 AND b = :name AND c = ?", "WHERE a = @p0 AND b = :name AND c = ?");
        Is(Pg, "WHERE a = $1 AND b = $22::int", "WHERE a = $1 AND b = $22::int");
        Is(Lite, "WHERE a = ?1 AND b = :2 AND c = $n", "WHERE a = ?1 AND b = :2 AND c = $n");
        Is(Ora, "WHERE a = :1", "WHERE a = :1");
        Is(Ms, "SELECT @@ROWCOUNT, $5.20", "SELECT @@ROWCOUNT, ?");
        Is(Ms, "SELECT * FROM #temp WHERE a = 1", "SELECT * FROM #temp WHERE a = ?");
        Is(Pg, "SELECT a[1:2], b::text", "SELECT a[?:?], b::text");
        // Spaces and comments.
        Is(Any, "  SELECT\r\n\ta ,\n b  FROM   t  ", "SELECT a , b FROM t");
        Is(Any, "SELECT a -- of 'Smith'\nFROM t", "SELECT a FROM t");
        Is(Any, "SELECT a /* user=bob */ FROM t", "SELECT a FROM t");
        Is(Any, "SELECT/**/a", "SELECT a");
        Is(Any, "/* only */ -- that", "");
        Is(Any, "", "");
        Is(Any, "SELECT 1;;  ; ", "SELECT ?");
        Is(My, "SELECT a # secret\nFROM t", "SELECT a FROM t");
        Is(My, "SELECT a#it's\n, 5#it's\n, 'Smith'", "SELECT a , ? , ?");
        Is(My, "SELECT a, /*! STRAIGHT_JOIN */ b FROM t; SELECT 1", "SELECT a, ?");
        Is(Pg, "SELECT a /* x /* y */ 5 */ FROM t", "SELECT a FROM t");
        Is(Lite, "SELECT a /* x /* y */ , 5", "SELECT a , ?");
        Is(Any, "SELECT a /* not ended 'x'", "SELECT a");
        Is(Any, "SELECT '-- no comment', 5", "SELECT ?, ?");
        Is(Any, "SELECT '/*', a, '*/'", "SELECT ?, a, ?");
        // Strings of dialects.
        Is(Pg, @"SELECT E'it\'s', e'\\', a", "SELECT ?, ?, a");
        Is(Ms, "SELECT N'x', n'y'", "SELECT ?, ?");
        Is(My, "SELECT _utf8'x', _latin1 'y', x'FF', b'01'", "SELECT ?, _latin1 ?, ?, ?");
        Is(Pg, "SELECT $$it's$$, $tag$a $$ b$tag$, c", "SELECT ?, ?, c");
        Is(Pg, "SELECT $a$ not ended $b$", "SELECT ?");
        Is(Ora, "SELECT q'[it's]', q'{a'b}', Q'!x'!', nq'<y'>', z FROM dual", "SELECT ?, ?, ?, ?, z FROM dual");
        Is(My, @"SELECT 'it\'s', a, 'b'", "SELECT ?");
        Is(SqlDialect.MySql, @"SELECT 'it\'s', a", "SELECT ?, a");
        Is(Ms, @"SELECT 'C:\', a, 'D:\'", "SELECT ?, a, ?");
        Is(Any, @"SELECT 'C:\', secret, 'D:\'", "SELECT ?");
        Is(My, "SELECT \"Smith\", \"it''s\", \"say \\\"x\\\"\"", "SELECT ?, ?, ?");
        Is(Any, "SELECT 'a' 'b'\n'c', d", "SELECT ?, d");
        Is(Any, "SELECT 'not ended", "SELECT ?");
        Is(Any, "SELECT U&'d\\0061t'", "SELECT U&?");
        // Names in quotes stay. Where double quotes may be those of a string, a name has to be wanted there.
        Is(Pg, "SELECT \"Id\", \"a \"\" b\" FROM \"Orders\" WHERE \"Id\" = 1", "SELECT \"Id\", \"a \"\" b\" FROM \"Orders\" WHERE \"Id\" = ?");
        Is(Ms, "SELECT [Id], [a]] b], [x'y] FROM [dbo].[Order 66] WHERE a = 'z'", "SELECT [Id], [a]] b], [x'y] FROM [dbo].[Order 66] WHERE a = ?");
        Is(My, "SELECT `Id`, `a``b 1` FROM `t`", "SELECT `Id`, `a``b 1` FROM `t`");
        Is(Lite, "SELECT \"o\".\"Id\" FROM \"Orders\" AS \"o\" WHERE \"o\".\"Name\" = \"Smith\"",
           "SELECT \"o\".\"Id\" FROM \"Orders\" AS \"o\" WHERE \"o\".\"Name\" = ?");
        Is(Lite, "INSERT INTO \"Orders\" (\"Customer\", \"Total\") VALUES (@p0, @p1)", "INSERT INTO \"Orders\" (\"Customer\", \"Total\") VALUES (@p0, @p1)");
        Is(Lite, "INSERT INTO t VALUES (\"Smith\", \"Jones\")", "INSERT INTO t VALUES (?, ?)");
        Is(Any, "INSERT INTO t VALUE (\"Smith\")", "INSERT INTO t VALUE (?)");
        Is(Any, "UPDATE \"Orders\" SET \"Total\" = \"Smith\", \"Name\" = @p WHERE \"x\" = 1", "UPDATE \"Orders\" SET \"Total\" = ?, \"Name\" = @p WHERE ? = ?");
        Is(Any, "SELECT TRIM(LEADING \"Smith\" FROM \"Jones\")", "SELECT TRIM(LEADING ? FROM ?)");
        Is(Any, "SELECT a FROM t WHERE b IS DISTINCT FROM \"Smith\"", "SELECT a FROM t WHERE b IS DISTINCT FROM ?");
        Is(Any, "SELECT [it's] FROM t WHERE a = 'secret'", "SELECT [it?");
        Is(Pg, "SELECT ARRAY[1, 2, 'x'], a[3]", "SELECT ARRAY[?], a[?]");
        Is(Any, "SELECT \"not ended", "SELECT ?");
        // Lists.
        Is(Any, "WHERE a IN (1, 2, 3)", "WHERE a IN (?)");
        Is(Any, "WHERE a IN ('x')", "WHERE a IN (?)");
        Is(Any, "WHERE a in(@p0,@p1 , @p2) AND b = 5", "WHERE a in(?) AND b = ?");
        Is(Any, "WHERE a IN (-1, 'x', NULL, :b)", "WHERE a IN (?)");
        Is(Any, "WHERE (a, b) IN ((1, 2), (3, 4))", "WHERE (a, b) IN ((?, ?))");
        Is(Any, "WHERE a IN (SELECT b FROM t WHERE c = 1)", "WHERE a IN (SELECT b FROM t WHERE c = ?)");
        Is(Any, "WHERE a IN (1, b, 3)", "WHERE a IN (?, b, ?)");
        Is(Any, "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y'), (3, NULL)", "INSERT INTO t (a, b) VALUES (?, ?)");
        Is(Any, "INSERT INTO t VALUES (@a, NOW()), (@b, NOW()) RETURNING id", "INSERT INTO t VALUES (@a, NOW()) RETURNING id");
        Is(Any, "INSERT INTO t VALUES (a + 1), (2)", "INSERT INTO t VALUES (a + ?), (?)");
        // Long ones.
        StringBuilder rows = new StringBuilder("INSERT INTO t VALUES (0, 'x')");
        for (int i = 1; i < 5000; i++)
            rows.Append(", (").Append(i).Append(", 'x')");
        Is(Any, rows.ToString(), "INSERT INTO t VALUES (?, ?)\u2026");
        Is(Any, "SELECT " + new string('a', 2000), "SELECT " + new string('a', SqlMask.MostKept - 7) + "\u2026");
        Is(Any, "SELECT '" + new string('x', 100000) + "', b", "SELECT ?\u2026");
    }

    /// <summary>The least of many rounds, in microseconds, of a text as object-relational mappers write it.</summary>
    static int Time()
    {
        const string Text = "SELECT \"o\".\"Id\", \"o\".\"Total\", \"o\".\"Name\", \"o\".\"City\", \"o\".\"Street\" FROM \"Orders\" AS \"o\" INNER JOIN \"Customers\" AS " +
                            "\"c\" ON \"o\".\"CustomerId\" = \"c\".\"Id\" WHERE \"o\".\"Total\" > 100.0 AND \"c\".\"Name\" LIKE 'S%' ORDER BY \"o\".\"Total\" DESC LIMIT 20";
        foreach (int dialects in new[] { Lite, Any })
        {
            double least = double.MaxValue;
            for (int round = 0; round < 200; round++)
            {
                Stopwatch watch = Stopwatch.StartNew();
                for (int i = 0; i < 100; i++)
                    SqlMask.Of(Text, dialects);
                least = Math.Min(least, watch.Elapsed.TotalMilliseconds * 10);
            }
            Console.WriteLine(Text.Length + " characters, " + (dialects == Any ? "any dialect: " : "SQLite: ") + least.ToString("F2") + " us");
        }
        return 0;
    }

    // ---- Secrets ----

    static Random random;
    static int number;
    static List<string> made;

    static string One(params string[] of)
    {
        return of[random.Next(of.Length)];
    }

    /// <summary>A piece that no text has of itself; words of it stand between what a dialect may take for the end of a string.</summary>
    static string Secret()
    {
        string secret = "zq" + (++number).ToString("x") + "jx";
        made.Add(secret);
        return secret;
    }

    static string Inner(string escape)
    {
        StringBuilder text = new StringBuilder(Secret());
        for (int i = random.Next(5); i > 0; i--)
            text.Append(One(" ", "--", "/*", "*/", "\"", "`", "[", "]", "#", "$", "$$", ";", ",", "(", ")", "\n", "?", "@", ":", "=", "E", " q", ".", escape))
                .Append(Secret());
        return text.ToString();
    }

    /// <summary>A value as the dialect writes it.</summary>
    static string Value(int dialect)
    {
        switch (random.Next(6))
        {
            case 0:
                string digits = (900000000 + ++number).ToString();
                made.Add(digits);
                return One("", "-", "+", "- ") + digits + One("", ".5", "e5", "E-3");
            case 1:
                if ((dialect & Pg) != 0)
                {
                    string tag = One("$$", "$a$", "$tag_1$"), inner = Inner("'");
                    while (inner.Contains("$"))
                        inner = inner.Replace("$", "");
                    return tag + inner + tag;
                }
                if (dialect == Ora)
                    return One("q", "Q", "nq") + "'[" + Inner("'").Replace("]'", "") + "]'";
                if ((dialect & My) != 0)
                    return "\"" + Inner("\"\"").Replace("\"\"", "\0").Replace("\"", "'").Replace("\0", "\"\"") + "\"";
                goto default;
            case 2:
                if ((dialect & Pg) != 0)
                    return One("E", "e") + "'" + Inner(One("\\'", "\\\\", "''", "\\n")) + "'";
                if (dialect == SqlDialect.MySql)
                    return One("", "N", "_utf8") + "'" + Inner(One("\\'", "\\\\", "''", "\\\"")) + "'";
                goto default;
            default:
                return One("", "", "N") + "'" + Inner(dialect == SqlDialect.PostgresEscapes || dialect == SqlDialect.MySql ? "\\'" : "''") + "'";
        }
    }

    static string Space()
    {
        return One(" ", " ", "  ", "\n", "\t", " /* c */ ", " -- c\n");
    }

    static string Name(int dialect)
    {
        string name = One("a", "b", "Orders", "t1", "x_y");
        switch (random.Next(3))
        {
            case 0:
                if ((dialect & (Ms | Lite)) != 0)
                    return "[" + name + One("", " ", "'", "\"", "--") + "]";
                return (dialect & My) != 0 ? "`" + name + One("", "'", "\"", "#") + "`" : "\"" + name + One("", "'", "--", "`", "/*") + "\"";
            case 1:
                return dialect == Ms ? "#" + name : name + "." + name;
            default:
                return name;
        }
    }

    static string Text(int dialect)
    {
        StringBuilder text = new StringBuilder(One("SELECT", "UPDATE t SET", "INSERT INTO t VALUES (", "EXEC p", "WITH c AS (SELECT", "/* h */ SELECT"));
        for (int i = 1 + random.Next(6); i > 0; i--)
        {
            text.Append(Space());
            switch (random.Next(6))
            {
                case 0: text.Append(Name(dialect)).Append(One(" =", "=", " LIKE ", " <> ", " || ")).Append(Value(dialect)); break;
                case 1: text.Append("IN (").Append(Value(dialect)).Append(", ").Append(Value(dialect)).Append(")"); break;
                case 2: text.Append(One("FROM ", "JOIN ", "WHERE ", "AND ", ", ", "(", ")", "CASE WHEN ")).Append(Name(dialect)); break;
                case 3: text.Append(Value(dialect)).Append(","); break;
                case 4: text.Append("f(").Append(Value(dialect)).Append(", ").Append(Name(dialect)).Append(")"); break;
                default: text.Append((dialect & My) != 0 ? One("#", "-- ") : "--").Append(Inner("'").Replace("\n", "")).Append('\n'); break;
            }
        }
        return text.ToString();
    }

    /// <summary>Each text read as its own dialect with its settings, and as that of a database which is not known.</summary>
    static void Secrets(int seed, int count)
    {
        random = new Random(seed);
        int[] dialects = { SqlDialect.Postgres, SqlDialect.PostgresEscapes, SqlDialect.MySql, SqlDialect.MySqlPlain, Ms, Lite, Ora };
        for (; checks < count; checks++)
        {
            made = new List<string>();
            int dialect = dialects[random.Next(dialects.Length)];
            int with = (dialect & Pg) != 0 ? Pg : (dialect & My) != 0 ? My : dialect;
            string text = Text(dialect);
            foreach (int read in new[] { dialect, with, Any })
            {
                string masked = SqlMask.Of(text, read);
                foreach (string secret in made)
                    if (masked.Contains(secret))
                    {
                        failed++;
                        if (failed < 5)
                            Console.WriteLine("FAILED: " + secret + " of dialect " + dialect + " read as " + read + "\n  " + text + "\n  " + masked);
                    }
            }
        }
    }
}
