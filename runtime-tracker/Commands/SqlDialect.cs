// The dialects of SQL, as far as they differ in where a value begins and ends.
using System;

namespace Instrumenter
{
    /// <summary>A set of dialects: a command for an unknown database may be in any.</summary>
    internal static class SqlDialect
    {
        /// <summary>
        /// PostgreSQL; PostgreSQL and MySQL with the settings that make a backslash an escape in each string, or in
        /// none; SQL Server; SQLite; Oracle.
        /// </summary>
        internal const int Postgres = 1, PostgresEscapes = 2, MySql = 4, MySqlPlain = 8, SqlServer = 16, Sqlite = 32, Oracle = 64;

        internal const int Any = 127;

        /// <summary>By the full name of the command's type.</summary>
        internal static int Of(string type)
        {
            if (type.StartsWith("Npgsql.", StringComparison.Ordinal))
                return Postgres | PostgresEscapes;
            if (type.StartsWith("MySql", StringComparison.Ordinal))
                return MySql | MySqlPlain;
            if (type.StartsWith("System.Data.SqlClient.", StringComparison.Ordinal) ||
                type.StartsWith("Microsoft.Data.SqlClient.", StringComparison.Ordinal))
                return SqlServer;
            if (type.StartsWith("Microsoft.Data.Sqlite.", StringComparison.Ordinal) ||
                type.StartsWith("Mono.Data.Sqlite.", StringComparison.Ordinal) ||
                type.StartsWith("System.Data.SQLite.", StringComparison.Ordinal))
                return Sqlite;
            return type.StartsWith("Oracle.", StringComparison.Ordinal) || type.StartsWith("System.Data.OracleClient.", StringComparison.Ordinal)
                       ? Oracle
                       : Any;
        }
    }
}
