// The methods with the most inclusive time: by Stopwatch in a copy of the program, and by profiles
// (price.sh).
//
//   Top candidates CALLS CSV… >METHODS
//   Top most METHODS TIMES >METHODS
//   Top ten CANDIDATES METHODS TOOL=TIMES,CSV-OR-TIMES… >ROWS
//
// CSV: `ilinject report --format=csv --raw-names`. METHODS, parted by tabs: assembly, token, calls,
// name; of each CSV the 30 methods with the most inclusive time, no state machines, and no method
// with more than CALLS calls, for which Stopwatch would be most of what it measures. TIMES: what
// Outermost.cs has written; its positions are those of METHODS' lines of the same assembly. `most`
// leaves the ten with the most time, of those with calls of 1 µs or more, so that Stopwatch costs the next runs less.
//
// The other figures of a pair may be TIMES as well: of another run with Stopwatch, which says how
// far such runs differ. A TOOL may come several times: each pair is one run with Stopwatch and one of the tool's, one
// after the other. The ten are those with the most by TIMES, if it is a hundredth of the first
// one's at least. ROWS, parted by tabs: tool, rank,
// method, ms, ms by the tool (-1: not in the profile), error of the share (-1: not in the profile), error of the
// time, 1 when it is one of the ten of CANDIDATES with the most in the profile. Methods within
// a twentieth of the tenth are of the ten, too: where each calls the next one, nearly all have the
// same time, and their order is not known. A share is of the time of those of the ten that
// the profile has; an error is the tool's figure / Stopwatch's of a pair - 1. Each is the middle
// one of all pairs.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

static class Top
{
    const int Ten = 10, Candidates = 30;
    const double Near = 0.05, Least = 0.01, LeastCallMs = 0.001;

    struct Method
    {
        public string Key, Name; // assembly, a tab, token
        public long Calls;
        public double Ms;
        public bool Machine;
    }

    static int Main(string[] args)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        if (args.Length >= 3 && args[0] == "candidates")
            Choose(long.Parse(args[1]), args.Skip(2));
        else if (args.Length == 3 && args[0] == "most")
            Leave(args[1], args[2]);
        else if (args.Length >= 4 && args[0] == "ten")
            Compare(args[1], args[2], args.Skip(3));
        else
        {
            Console.Error.WriteLine("usage: Top candidates|most|ten …: see Top.cs");
            return 2;
        }
        return 0;
    }

    static List<string> Fields(string line)
    {
        var fields = new List<string>();
        var field = new StringBuilder();
        bool quoted = false;
        foreach (char c in line)
            if (c == '"')
                quoted = !quoted;
            else if (c == ',' && !quoted)
            {
                fields.Add(field.ToString());
                field.Clear();
            }
            else
                field.Append(c);
        fields.Add(field.ToString());
        return fields;
    }

    static IEnumerable<Method> Report(string file)
    {
        List<string> names = Fields(File.ReadLines(file).First());
        int Column(string name) => names.IndexOf(name);
        return File.ReadLines(file).Skip(1).Select(Fields).Select(f => new Method
        {
            Key = f[Column("assembly")].Split(',')[0] + "\t" + f[Column("token")],
            Name = f[Column("name")],
            Calls = long.Parse(f[Column("calls")]),
            Ms = double.Parse(f[Column("inclusive_ns")]) / 1e6,
            Machine = f[Column("name")].Contains("/<") && f[Column("name")].EndsWith("::MoveNext()"),
        });
    }

    static void Choose(long calls, IEnumerable<string> files)
    {
        var chosen = new SortedDictionary<string, Method>(StringComparer.Ordinal);
        foreach (string file in files)
            foreach (Method m in Report(file).Where(m => !m.Machine && m.Calls > 0 && m.Calls <= calls)
                .OrderByDescending(m => m.Ms).Take(Candidates))
                if (!chosen.TryGetValue(m.Key, out Method other) || other.Calls < m.Calls)
                    chosen[m.Key] = m;
        foreach (Method m in chosen.Values)
            Console.WriteLine($"{m.Key}\t{m.Calls}\t{m.Name}");
    }

    // The methods' lines by assembly and token.
    static Dictionary<string, string> Lines(string methods)
    {
        return File.ReadLines(methods).ToDictionary(l => l.Split('\t')[0] + "\t" + l.Split('\t')[1]);
    }

    static Dictionary<string, double> Times(string methods, string file)
    {
        return Fields(methods, file, 2).ToDictionary(p => p.Key, p => double.Parse(p.Value) / 1e6);
    }

    // A field of TIMES by assembly and token.
    static Dictionary<string, string> Fields(string methods, string file, int field)
    {
        var positions = new Dictionary<string, string>();
        foreach (var assembly in File.ReadLines(methods).Select(l => l.Split('\t')).GroupBy(f => f[0]))
        {
            int position = 0;
            foreach (string[] f in assembly)
                positions[f[0] + "\t" + position++] = f[0] + "\t" + f[1];
        }
        return File.ReadLines(file).Select(l => l.Split('\t'))
            .ToDictionary(f => positions[f[0] + "\t" + f[1]], f => f[field]);
    }

    // The two readings of Stopwatch are more than a twentieth of a shorter call.
    static IEnumerable<string> Long(string methods, string file)
    {
        Dictionary<string, string> calls = Fields(methods, file, 3);
        return Times(methods, file).Where(p => p.Value >= LeastCallMs * long.Parse(calls[p.Key])).Select(p => p.Key);
    }

    static List<string> Most(Dictionary<string, double> times)
    {
        double least = Least * times.Values.DefaultIfEmpty().Max();
        return times.Where(p => p.Value > 0 && p.Value >= least).OrderByDescending(p => p.Value)
            .ThenBy(p => p.Key, StringComparer.Ordinal).Take(Ten).Select(p => p.Key).ToList();
    }

    static void Leave(string methods, string file)
    {
        Dictionary<string, string> lines = Lines(methods);
        Dictionary<string, double> times = Times(methods, file);
        var enough = new HashSet<string>(Long(methods, file));
        foreach (string key in Most(times.Where(p => enough.Contains(p.Key)).ToDictionary(p => p.Key, p => p.Value))
            .OrderBy(k => k, StringComparer.Ordinal))
            Console.WriteLine(lines[key]);
    }

    static double Middle(IEnumerable<double> values)
    {
        List<double> sorted = values.OrderBy(v => v).ToList();
        return sorted.Count == 0 ? -1 : sorted[sorted.Count / 2];
    }

    static void Compare(string candidates, string methods, IEnumerable<string> pairs)
    {
        Dictionary<string, string> all = Lines(candidates), lines = Lines(methods);
        var tools = pairs.Select(p => p.Split('=', 2)).GroupBy(p => p[0], p => p[1].Split(',')).Select(g => new
        {
            Name = g.Key,
            Runs = g.Select(p => new
            {
                Truth = Times(methods, p[0]),
                Its = File.ReadLines(p[1]).First().StartsWith("assembly,")
                    ? Report(p[1]).Where(m => m.Calls > 0 && all.ContainsKey(m.Key)).ToDictionary(m => m.Key, m => m.Ms)
                    : Times(methods, p[1]),
            }).ToList(),
        }).ToList();
        foreach (var tool in tools)
        {
            var truth = lines.Keys.ToDictionary(k => k, k => Middle(tool.Runs.Select(r => r.Truth[k])));
            List<string> ten = Most(truth), its = Most(tool.Runs[0].Its);
            double tenth = its.Count > 0 ? tool.Runs[0].Its[its.Last()] : 0;
            List<string> both = ten.Where(k => tool.Runs.All(r => r.Its.ContainsKey(k))).ToList();
            for (int i = 0; i < ten.Count; i++)
            {
                string key = ten[i];
                var there = both.Contains(key) ? tool.Runs : tool.Runs.Take(0);
                double ms = Middle(there.Select(r => r.Its[key]));
                double error = Middle(there.Select(r => r.Its[key] / r.Truth[key] - 1));
                double share = Middle(there.Select(r => r.Its[key] / Math.Max(both.Sum(k => r.Its[k]), 1e-9) // all of it may be probes
                    / (r.Truth[key] / both.Sum(k => r.Truth[k])) - 1));
                bool one = tool.Runs[0].Its.TryGetValue(key, out double first) && first >= tenth * (1 - Near);
                Console.WriteLine($"{tool.Name}\t{i + 1}\t{lines[key].Split('\t', 4)[3]}\t{truth[key]:F3}"
                    + $"\t{ms:F3}\t{share:F4}\t{error:F4}\t{(one ? 1 : 0)}");
            }
        }
    }
}
