// Statements as programs write them, and texts with values that dialects write as something else: by hand.
using System;
using Instrumenter;

static partial class CommandMasks
{
    /// <summary>Values stand between \u2039 and \u203A, and lose all but a ?; a list's further rows, and an end, between \u00AB and \u00BB.</summary>
    static void Shown(int dialects, string marked)
    {
        string text = marked, expected = marked;
        for (int at; (at = expected.IndexOfAny(new[] { '\u2039', '\u00AB' })) >= 0;)
        {
            int end = expected.IndexOfAny(new[] { '\u203A', '\u00BB' });
            expected = expected.Substring(0, at) + (expected[at] == '\u2039' ? "?" : "") + expected.Substring(end + 1);
        }
        foreach (string mark in new[] { "\u2039", "\u203A", "\u00AB", "\u00BB" })
            text = text.Replace(mark, "");
        Is(dialects, text, expected);
    }

    /// <summary>Each value holds zq7 or 777, and neither is left, as its own dialect and as any.</summary>
    static void Trick(int dialects, string text)
    {
        foreach (int read in new[] { dialects, Any })
        {
            checks++;
            string masked = SqlMask.Of(text, read);
            if (!masked.Contains("zq7") && !masked.Contains("777"))
                continue;
            failed++;
            Console.WriteLine("FAILED: " + text + "\n  found    " + masked);
        }
    }

    static void Statements()
    {
        // By object-relational mappers and by people.
        Shown(Ms, "SELECT TOP(@__p_0) [b].[Id], [b].[Name] AS [N], CASE WHEN EXISTS (SELECT \u20391\u203A FROM [Posts] AS [p] WHERE [b].[Id] = " +
              "[p].[BlogId]) THEN CAST(\u20391\u203A AS bit) ELSE CAST(\u20390\u203A AS bit) END AS [Has] FROM [Blogs] AS [b] LEFT JOIN (SELECT [t].[Id] " +
              "FROM [T] AS [t]) AS [t0] ON [b].[Id] = [t0].[Id] WHERE [b].[Name] LIKE \u2039N'%x'\u203A ESCAPE \u2039N'\\'\u203A ORDER BY [b].[Id] OFFSET " +
              "@p ROWS FETCH NEXT @q ROWS ONLY");
        Shown(Ms, "SET IMPLICIT_TRANSACTIONS OFF; SET NOCOUNT ON; INSERT INTO [Blogs] ([Name], [Url]) OUTPUT INSERTED.[Id] VALUES (@p0, " +
              "@p1)\u00AB;\u00BB");
        Shown(Ms, "SET NOCOUNT ON; INSERT INTO [B] ([Name]) VALUES (@p0); SELECT [Id] FROM [B] WHERE @@ROWCOUNT = \u20391\u203A AND [Id] = " +
              "scope_identity()\u00AB;\u00BB");
        Shown(Ms, "MERGE [Blogs] USING ( VALUES (@p0, \u20390\u203A)\u00AB, (@p1, 1)\u00BB) AS i ([Name], _Position) ON \u20391\u203A=\u20390\u203A WHEN NOT MATCHED THEN INSERT " +
              "([Name]) VALUES (i.[Name]) OUTPUT INSERTED.[Id], i._Position\u00AB;\u00BB");
        Shown(Ms, "DECLARE @inserted0 TABLE ([Id] int, [_Position] [int]); SELECT [t].[Id] FROM [B] t INNER JOIN @inserted0 i ON ([t].[Id] " +
              "= [i].[Id]) ORDER BY [i].[_Position]\u00AB;\u00BB");
        Shown(Ms, "SELECT [b].[Id] FROM [B] AS [b] WHERE [b].[Id] IN (SELECT [i].[value] FROM OPENJSON(@__ids_0) WITH ([value] int \u2039'$'\u203A) " +
              "AS [i])");
        Shown(Ms, "SELECT [t].[Id] FROM (SELECT [p].[Id], ROW_NUMBER() OVER(PARTITION BY [p].[X] ORDER BY [p].[Y] DESC) AS [row] FROM [P] " +
              "AS [p]) AS [t] WHERE [t].[row] <= \u20391\u203A");
        Shown(Ms, "SELECT a.Id, a.Name n FROM Accounts a WITH (NOLOCK) INNER JOIN Users u ON u.Id = a.UserId AND u.Active = \u20391\u203A WHERE " +
              "a.password = @pw AND DATEADD(day, \u2039-1\u203A, GETDATE()) > a.Created GROUP BY a.Id, a.Name HAVING COUNT(*) > \u20395\u203A ORDER BY \u20392\u203A " +
              "DESC OPTION (RECOMPILE)");
        Shown(Ms, "EXEC sp_executesql \u2039N'SELECT 1'\u203A, \u2039N'@a int'\u203A, @a = \u20395\u203A");
        Shown(Ms, "EXECUTE @rc = dbo.GetOrders @id = \u20395\u203A, @name = \u2039N'x'\u203A, @out = @o OUTPUT; SELECT @rc");
        Shown(Ms, "EXEC dbo.p \u20391\u203A, \u2039'a'\u203A SELECT @@IDENTITY");
        Shown(Ms, "dbo.GetOrders");
        Shown(Ms, "[dbo].[GetOrders]");
        Shown(Ms, "dbo.GetOrders @id = \u20395\u203A");
        Shown(Ms, "IF NOT EXISTS (SELECT \u20391\u203A FROM t WHERE id = @id) BEGIN INSERT INTO t (id) VALUES (@id) END ELSE BEGIN UPDATE t SET n = " +
              "n + \u20391\u203A WHERE id = @id END");
        Shown(Ms, "BEGIN TRANSACTION; COMMIT; ROLLBACK TRAN");
        Shown(Ms, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        Shown(Ms, "SELECT TOP \u203910\u203A Id, Name FROM t ORDER BY Name");
        Shown(Ms, "SELECT TOP (\u203910\u203A) WITH TIES Id FROM t");
        Shown(Ms, "DELETE FROM [B] OUTPUT \u20391\u203A WHERE [Id] = @p0\u00AB;\u00BB");
        Shown(Ms, "UPDATE [B] SET [Name] = @p0 OUTPUT \u20391\u203A WHERE [Id] = @p1 AND [V] = @p2\u00AB;\u00BB");
        Shown(Ms, "WITH c AS (SELECT Id, ParentId, \u20390\u203A AS Level FROM t UNION ALL SELECT t.Id, t.ParentId, c.Level + \u20391\u203A FROM t JOIN c ON " +
              "c.Id = t.ParentId) SELECT * FROM c OPTION (MAXRECURSION \u2039100\u203A)");
        Shown(Ms, "SELECT CONVERT(varchar(\u203910\u203A), d, \u2039120\u203A) x, ISNULL(a, \u20390\u203A) FROM dbo.t1 t, dbo.t2 u CROSS APPLY f(t.a) v WHERE t.a IS NOT " +
              "NULL FOR JSON PATH, ROOT(\u2039'x'\u203A)");
        Shown(Ms, "DECLARE @x nvarchar(\u2039100\u203A) = \u2039N'a'\u203A, @y int SET @y = \u20395\u203A SELECT @x");
        Shown(Ms, "SET IDENTITY_INSERT [dbo].[t] ON; INSERT INTO [t] ([Id]) VALUES (\u20391\u203A)");
        Shown(Ms, "DROP TABLE IF EXISTS #t; CREATE TABLE #t \u2039(id int)\u203A");
        Shown(Ms, "TRUNCATE TABLE dbo.t");
        Shown(Ms, "SELECT * FROM t WHERE price > \u2039\u00A3777.50\u203A AND x < \u2039-\u00A5777.5\u203A");
        Shown(Pg, "SELECT p.\"Id\", p.\"Name\" FROM \"Products\" AS p WHERE p.\"Id\" = ANY (@__ids_0) AND p.\"Name\" ILIKE \u2039'%x%'\u203A LIMIT @__p_1 " +
              "OFFSET @__p_2");
        Shown(Pg, "INSERT INTO \"Products\" (\"Name\", \"Price\") VALUES (@p0, @p1) RETURNING \"Id\"\u00AB;\u00BB");
        Shown(Pg, "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b, c = \u20395\u203A WHERE t.c IS NULL RETURNING " +
              "id");
        Shown(Pg, "SELECT a::text, b::double precision, c::timestamp with time zone, now() - INTERVAL \u2039'1 day'\u203A FROM s.t AS x JOIN LATERAL " +
              "(SELECT \u20391\u203A) y ON \u2039TRUE\u203A WHERE j->>\u2039'k'\u203A = $1 FOR UPDATE SKIP LOCKED");
        Shown(Pg, "SELECT count(*)::int FROM t WHERE date_trunc(\u2039'day'\u203A, c AT TIME ZONE \u2039'UTC'\u203A) = $1");
        Shown(Pg, "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC NULLS LAST");
        Shown(Pg, "CREATE TABLE IF NOT EXISTS t \u2039(id serial primary key, name text DEFAULT 'x')\u203A; CREATE INDEX i \u2039ON t (a)\u203A");
        Shown(Pg, "CALL p($1, \u2039'x'\u203A)");
        Shown(SqlDialect.Postgres, "SELECT \u2039E'a'\n'b\\'c'\u203A, \u2039'C:\\'\u203A, a");
        Shown(My, "SELECT `o`.`Id`, COUNT(*) AS `c` FROM `Orders` AS `o` INNER JOIN `C` AS `c` ON `o`.`CId` = `c`.`Id` WHERE `o`.`Name` = " +
              "\u2039'x'\u203A GROUP BY `o`.`Id` ORDER BY `o`.`Id` DESC LIMIT \u203910\u203A, \u203920\u203A");
        Shown(My, "INSERT INTO `t` (`a`) VALUES (@p0) ON DUPLICATE KEY UPDATE `a` = VALUES(`a`), b = \u20395\u203A; SELECT LAST_INSERT_ID()\u00AB;\u00BB");
        Shown(My, "INSERT IGNORE INTO t SET a = \u20391\u203A, b = \u2039'x'\u203A");
        Shown(My, "REPLACE INTO t (a) VALUES (\u20391\u203A)");
        Shown(My, "SET @a = \u20391\u203A; SELECT @a");
        Shown(My, "SELECT REPLACE(a, \u2039'x'\u203A, \u2039'y'\u203A), IF(a > \u20395\u203A, \u2039'b'\u203A, \u2039'c'\u203A) q, LEFT(a, \u20393\u203A), DATE_SUB(NOW(), INTERVAL \u20395\u203A DAY) z FROM t");
        Shown(Lite, "SELECT \"o\".\"Id\", COUNT(*) AS \"Count\" FROM \"Orders\" AS \"o\" LEFT JOIN \"C\" AS \"c\" ON \"o\".\"CId\" = \"c\".\"Id\" WHERE \"c\".\"Name\" " +
              "= @n GROUP BY \"o\".\"Id\"");
        Shown(Lite, "INSERT INTO \"Orders\" (\"Customer\", \"Total\") VALUES (@p0, @p1)\u00AB;\u00BB");
        Shown(Ora, "SELECT \"o\".\"ID\" FROM \"ORDERS\" \"o\" WHERE \"o\".\"NAME\" = :p0 AND ROWNUM <= \u20395\u203A FETCH FIRST \u20395\u203A ROWS ONLY");
        Shown(Ora, "select * from ( select row_.*, rownum rownum_ from ( select this_.Id as Id1_0_0_ from Orders this_ inner join Customers " +
              "c1_ on this_.CustomerId=c1_.Id where this_.Name=:p0 order by this_.Id asc ) row_ where rownum <=:p1) where rownum_ >:p2");
        Shown(Ora, "BEGIN pkg.p(:a, \u2039'x'\u203A); END\u00AB;\u00BB");
        Shown(Ora, "INSERT INTO t (a) VALUES (seq.NEXTVAL) RETURNING id INTO :x");
        Shown(Any, "select order0_.Id as Id1_0_, order0_.Name as Name2_0_ from Orders order0_ where order0_.Total>@p0 and (order0_.Name like @p1)");
        Shown(Any, "SELECT [b].[Id] FROM [B] AS [b] WHERE [b].[Name] = \u2039N'x'\u203A");
        Shown(Any, "SELECT `o`.`Id` FROM `Orders` AS `o` WHERE `o`.`Name` = \u2039'x'\u203A");
        Shown(Any, "{? = call GetOrders(?, \u20395\u203A)}");
    }

    static void Tricks()
    {
        Trick(Ora, "ALTER USER scott IDENTIFIED BY zq7Secret REPLACE zq7Old");
        Trick(Ora, "CREATE USER u IDENTIFIED BY zq7 DEFAULT TABLESPACE users");
        Trick(Ora, "GRANT CONNECT TO scott IDENTIFIED BY zq7");
        Trick(Ora, "BEGIN EXECUTE IMMEDIATE 'ALTER USER x IDENTIFIED BY zq7'; END;");
        Trick(Ora, "SELECT q'[it's zq7]' FROM dual");
        Trick(Ora, "SELECT 1 FROM dual; ALTER USER x IDENTIFIED BY \"zq7\"");
        Trick(Ora, "CONNECT scott/zq7@db");
        Trick(Ms, "EXEC p @pw = zq7");
        Trick(Ms, "EXEC p zq7, [zq7], \"zq7\"");
        Trick(Ms, "SELECT 1 EXEC p zq7");
        Trick(Ms, "SELECT a AS x EXEC p @pw = zq7, @b = 777");
        Trick(Ms, "p zq7");
        Trick(Ms, "p @pw = zq7");
        Trick(Ms, "EXEC sp_addlogin zq7, zq7pw");
        Trick(Ms, "CREATE LOGIN x WITH PASSWORD = 'zq7'");
        Trick(Ms, "SELECT 1 ALTER LOGIN x WITH PASSWORD = zq7");
        Trick(Ms, "SELECT $777.50, \u00A3777, -\u00A5777, $ 777, 777e5, 0x777ABC");
        Trick(Ms, "INSERT INTO t EXEC p zq7");
        Trick(Ms, "IF 1=1 EXEC p zq7 ELSE EXEC q zq7");
        Trick(Ms, "SELECT 1 SET LANGUAGE zq7");
        Trick(Ms, "EXEC (N'zq7') AT srv");
        Trick(Ms, "SELECT \"zq7\" AS \"zq7\"");
        Trick(Ms, "SELECT a \"zq7\" FROM t");
        Trick(Ms, "OPEN SYMMETRIC KEY k DECRYPTION BY PASSWORD = 'zq7'");
        Trick(Ms, "SELECT * FROM OPENROWSET('SQLNCLI', 'srv';'user';'zq7', 'select zq7')");
        Trick(Pg, "SELECT E'a'\n'b\\'c', 'C:\\', 'zq7 x'");
        Trick(Pg, "SELECT E'a' -- c\n'b\\'c', 'C:\\', 'zq7 x'");
        Trick(Pg, "SELECT 'a'\n'b\\', 'zq7'");
        Trick(Pg, "ALTER ROLE u PASSWORD 'zq7'");
        Trick(Pg, "SET application_name TO zq7");
        Trick(Pg, "SET LOCAL x.y = zq7");
        Trick(Pg, "SELECT U&'\\0061zq7' UESCAPE '!', B'777', $zq7$zq7$zq7$");
        Trick(Pg, "SELECT 1$$zq7$$");
        Trick(Pg, "SELECT -- x\r 'a\n, zq7 b'");
        Trick(Pg, "COPY t FROM PROGRAM 'zq7'");
        Trick(Pg, "NOTIFY ch, 'zq7'");
        Trick(Pg, "EXECUTE s (zq7)");
        Trick(Pg, "PREPARE s AS SELECT 'zq7'");
        Trick(My, "SELECT 1; PREPARE s FROM \"UPDATE cards SET number = 'zq7'\"");
        Trick(My, "PREPARE s FROM 'zq7'");
        Trick(My, "SELECT /*!50000 '*/' zq7 /* ' */ 1");
        Trick(My, "SELECT /*!50000 */ zq7");
        Trick(My, "SELECT /*!99999 it's */ 'a', 'zq7'");
        Trick(My, "SELECT /*!99999 it's */ '; SELECT zq7 ', 'b'");
        Trick(My, "CREATE USER u IDENTIFIED BY \"zq7\"");
        Trick(My, "SET PASSWORD FOR u = \"zq7\"");
        Trick(My, "SET @a = \"zq7\"");
        Trick(My, "SELECT a AS \"zq7\", b \"zq7\" FROM t");
        Trick(My, "SELECT a FROM t WHERE b = \"zq7\" \"zq7\"");
        Trick(My, "INSERT INTO t VALUES (\"zq7\") ON DUPLICATE KEY UPDATE a = 1, \"zq7\" = b");
        Trick(My, "UPDATE t SET a = 1 ORDER BY b, \"zq7\" = name LIMIT 1");
        Trick(My, "UPDATE t SET a = b LIMIT 1, \"zq7\" = c");
        Trick(My, "SELECT a INTO OUTFILE \"zq7\" FROM t");
        Trick(My, "CHANGE MASTER TO MASTER_PASSWORD='zq7'");
        Trick(My, "SELECT \"a\" .5, \"zq7\" .5");
        Trick(My, "DO zq7");
        Trick(My, "SELECT N'zq7', _utf8'zq7', x'777A', 0b0111");
        Trick(Lite, "ATTACH DATABASE 'x' AS y KEY 'zq7'");
        Trick(Lite, "PRAGMA key = zq7");
        Trick(Lite, "SELECT \"zq7\" FROM t WHERE a IS \"zq7\"");
        Trick(Lite, "SELECT IFNULL(\"zq7\", 1)");
        Trick(Lite, "VALUES (\"zq7\")");
        Trick(Any, "zq7 secret");
        Trick(Any, "AUTH zq7");
        Trick(Any, "{\"password\": \"zq7\"}");
        Trick(Any, "SELECT `zq7 x' FROM t");
        Trick(Any, "SELECT 'a' \\ zq7");
        Trick(Any, "password=zq7");
        Trick(Any, "<a>zq7</a>");
        Trick(My, "SET @a = 1, character_set_results = zq7, @b = (SELECT a, b FROM t), x = zq7");
    }
}
