using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using BenchmarkDotNet.Loggers;

namespace ILInject
{
    /// <summary>Calls and bytes of an operation, by method.</summary>
    sealed class OperationCounts
    {
        internal struct Row
        {
            internal string Method;
            internal long Calls, Bytes;
        }

        /// <summary>Those of all operations; the most called first.</summary>
        internal readonly List<Row> Rows = new List<Row>();
        internal readonly long Operations;

        /// <param name="csv">What `ilinject report --format=csv` prints.</param>
        internal OperationCounts(string csv, long operations)
        {
            Operations = operations;
            List<string> head = null;
            foreach (List<string> fields in Records(csv))
            {
                if (head == null)
                {
                    head = fields;
                    continue;
                }
                Rows.Add(new Row { Method = fields[head.IndexOf("name")], Calls = Number(head, fields, "calls"),
                                   Bytes = Number(head, fields, "exclusive_bytes") });
            }
            Rows = Rows.OrderByDescending(r => r.Calls).ThenByDescending(r => r.Bytes)
                       .ThenBy(r => r.Method, StringComparer.Ordinal).ToList();
        }

        static long Number(List<string> head, List<string> fields, string name)
        {
            int at = head.IndexOf(name);
            long value;
            return at >= 0 && long.TryParse(fields[at], NumberStyles.Integer, CultureInfo.InvariantCulture, out value) ? value : 0;
        }

        /// <summary>Records of RFC 4180.</summary>
        static IEnumerable<List<string>> Records(string csv)
        {
            var fields = new List<string>();
            var field = new StringBuilder();
            bool quoted = false;
            for (int i = 0; i < csv.Length; i++)
            {
                char c = csv[i];
                if (c == '"' && quoted && i + 1 < csv.Length && csv[i + 1] == '"')
                    field.Append(csv[++i]);
                else if (c == '"')
                    quoted = !quoted;
                else if (!quoted && (c == ',' || c == '\n'))
                {
                    fields.Add(field.ToString());
                    field.Clear();
                    if (c == ',')
                        continue;
                    yield return fields;
                    fields = new List<string>();
                }
                else if (quoted || c != '\r')
                    field.Append(c);
            }
        }

        internal double CallsOfOperation { get { return (double)Rows.Sum(r => r.Calls) / Operations; } }
        internal double BytesOfOperation { get { return (double)Rows.Sum(r => r.Bytes) / Operations; } }

        /// <summary>A whole number where the operations divide it, so that a reader sees what holds for each of them.</summary>
        internal string OfOperation(long sum)
        {
            if (sum % Operations == 0)
                return (sum / Operations).ToString(CultureInfo.InvariantCulture);
            double value = (double)sum / Operations;
            return value < 0.001 ? "<0.001" : value.ToString("0.000", CultureInfo.InvariantCulture);
        }

        internal void Write(ILogger logger, int rowsShown)
        {
            logger.WriteLine(LogKind.Default, string.Format(CultureInfo.InvariantCulture, "{0,12} {1,12}  {2}", "Calls/op", "Bytes/op",
                                                            "Method"));
            foreach (Row row in Rows.Take(rowsShown))
                logger.WriteLine(LogKind.Result, string.Format(CultureInfo.InvariantCulture, "{0,12} {1,12}  {2}", OfOperation(row.Calls),
                                                               OfOperation(row.Bytes), row.Method));
            if (Rows.Count > rowsShown)
                logger.WriteLine(LogKind.Default, string.Format(CultureInfo.InvariantCulture, "{0,12} {1,12}  {2} more methods",
                                                                "", "…", Rows.Count - rowsShown));
            logger.WriteLine(LogKind.Default, string.Format(CultureInfo.InvariantCulture, "{0,12} {1,12}  all, in {2} operations",
                                                            OfOperation(Rows.Sum(r => r.Calls)), OfOperation(Rows.Sum(r => r.Bytes)),
                                                            Operations));
        }
    }
}
