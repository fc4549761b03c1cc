// Brings what tools say about a program together with what is true (truth.sh).
//
//   Join sampled ASSEMBLY SAMPLES MAP [SAMPLES MAP…] >STACKS   of sampler.c, the runtime's map
//   Join bodies ASSEMBLY SAMPLES MAP >STACKS            the same without samples of the tracker's code
//   Join inlined NETTRACE >INLINED                      the runtime's events of its compiler
//   Join report JSON >STACKS                            ilinject's report, with raw names
//   Join trace ASSEMBLY SPEEDSCOPE >STACKS              dotnet-trace's stacks
//   Join compare PROGRAM STATE WAITS TRUTH INLINED TOOL=STACKS… >ROWS   a line for each method, tool
//   Join sum ROWS                                       a table for people
//
// STACKS has a line for each stack of the program's own methods, the outermost first, parted by
// ';'. Then, parted by tabs: ns of the innermost one's own time (with what it calls of other
// assemblies), the least and the most that it may be, 1 when the tool is sure of it, calls (0: not
// known).
//
// A method counts when the truth gives it at least 5 % of the time. The time of every other one
// goes to its nearest caller that counts, in the truth and in what the tools say: so does the code
// of a small method that the just-in-time compiler puts into its callers, which the sampler sees as
// theirs and a tracker does not.
//
// INLINED is a list of pairs: the just-in-time compiler has put the second's code into the first's,
// in the run that was sampled: what it puts where differs from run to run. The sampler cannot part
// the two where both count: they are one, A & B.
//
// WAITS names the methods that wait, parted by spaces. A sampler of processor time does not see
// that, so their own time is left out everywhere: shares are of the rest.
//
// ROWS: program, state, tool, method, kind, truth, rank in truth, share, rank, least, most, sure,
// verdict, calls.
//   kind      "counts": as above. "small": its time goes to callers, and the tool gives it 5 % or
//             more by itself; "truth" is the most that it can be, which is that of those callers.
//   verdict   "within" 20 % of the truth (small: not above it by more), "unsure" (the tool says
//             that it cannot know), "wrong", "missing" (the tool does not have it).
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;

sealed class Stack
{
    public string[] Frames;
    public double Own, Low, High, Calls;
    public bool Sure = true;

    public string Inner { get { return Frames[Frames.Length - 1]; } }

    public static Stack Exact(IEnumerable<string> frames, double ns)
    {
        return new Stack { Frames = frames.ToArray(), Own = ns, Low = ns, High = ns };
    }

    public static void Write(IEnumerable<Stack> stacks)
    {
        var sums = new SortedDictionary<string, Stack>(StringComparer.Ordinal);
        foreach (Stack stack in stacks)
        {
            string key = string.Join(";", stack.Frames);
            if (!sums.TryGetValue(key, out Stack sum))
                sums.Add(key, sum = new Stack { Frames = stack.Frames, Sure = stack.Sure });
            sum.Own += stack.Own;
            sum.Low += stack.Low;
            sum.High += stack.High;
            sum.Calls += stack.Calls;
        }
        foreach (var (key, s) in sums)
            Console.WriteLine(
                $"{key}\t{s.Own:F0}\t{s.Low:F0}\t{s.High:F0}\t{(s.Sure ? 1 : 0)}\t{s.Calls:F0}");
    }

    /// <summary>Those of a file, without the own time of the class Truth and of `waits`.</summary>
    public static List<Stack> Read(string file, string[] waits)
    {
        var stacks = new List<Stack>();
        foreach (string line in File.ReadLines(file))
        {
            string[] f = line.Split('\t');
            string[] frames = f[0].Split(';').Select(Names.Plain).ToArray();
            if (frames.Any(n => n.StartsWith("Truth::") || n.StartsWith("Truth+")) || waits.Contains(frames[^1])) continue;
            stacks.Add(new Stack
            {
                Frames = frames, Own = double.Parse(f[1]), Low = double.Parse(f[2]),
                High = double.Parse(f[3]), Sure = f[4] == "1", Calls = double.Parse(f[5]),
            });
        }
        return stacks;
    }
}

static class Names
{
    /// <summary>
    /// Type::Method without parameters, instantiations and return types, however a tool writes it.
    /// </summary>
    public static string Plain(string name)
    {
        name = name.Replace('/', '+');
        int end = name.IndexOf('(');
        if (end >= 0) name = name.Substring(0, end);
        int at = name.IndexOf("::");
        string type = at < 0 ? "" : name.Substring(0, at);
        string method = at < 0 ? name : name.Substring(at + 2);
        type = Before(type, type.IndexOf('['));
        method = Before(method, method.IndexOf('['));
        // Order<T>, and not <Order>b__0.
        if (method.EndsWith(">")) method = Before(method, method.IndexOf('<', 1));
        return type + "::" + method;
    }

    static string Before(string text, int at) { return at < 0 ? text : text.Substring(0, at); }

    /// <summary>
    /// "App!Space.Type.Method(int32)", as dotnet-trace writes it, as Space.Type::Method; null for
    /// what is not of the assembly.
    /// </summary>
    public static string OfTrace(string name, string assembly)
    {
        if (!name.StartsWith(assembly + "!")) return null;
        name = name.Substring(assembly.Length + 1);
        name = Before(name, name.IndexOf('('));
        int depth = 0, at = -1;
        for (int i = 0; i < name.Length; i++)
        {
            if (name[i] == '[') depth++;
            else if (name[i] == ']') depth--;
            else if (name[i] == '.' && depth == 0 && !(i > 0 && name[i - 1] == '.')) at = i;
        }
        return at < 0 ? Plain(name) : Plain(name.Substring(0, at) + "::" + name.Substring(at + 1));
    }

    /// <summary>Between the names of methods that are taken for one.</summary>
    public const string And = " & ";

    /// <summary>For people: without the namespace.</summary>
    public static string Short(string name, int width)
    {
        name = string.Join(And, name.Split(And).Select(Last));
        return name.Length > width ? name.Substring(0, width - 1) + "…" : name;
    }

    static string Last(string name)
    {
        int type = name.LastIndexOf('.', name.IndexOf("::")) + 1;
        return name.Substring(type).Replace("::", ".");
    }
}

static class Sampled
{
    struct Code
    {
        public ulong Start, End;
        public string Method; // null: of another assembly
        public bool IsTrackers; // or its helper's, in the program
    }

    /// <summary>Those of sampler.c; `trackers`: also with the tracker's code on top.</summary>
    public static IEnumerable<Stack> Stacks(string assembly, string[] files, bool trackers)
    {
        for (int i = 0; i + 1 < files.Length; i += 2)
            foreach (Stack stack in OfSamples(files[i], Map(files[i + 1], assembly), trackers))
                yield return stack;
    }

    /// <summary>
    /// A line is "start size name", both hexadecimal. Several assemblies are parted by commas.
    /// </summary>
    static Code[] Map(string file, string assembly)
    {
        var all = new List<Code>();
        string[] marks = assembly.Split(',').Select(a => "[" + a + "] ").ToArray();
        foreach (string[] f in File.ReadLines(file).Select(l => l.Split(' ', 3)))
        {
            if (f.Length < 3) continue;
            ulong start = Hex(f[0]);
            string mark = marks.FirstOrDefault(f[2].Contains);
            string method = mark == null ? null
                : Names.Plain(f[2].Substring(f[2].IndexOf(mark) + mark.Length));
            all.Add(new Code
            {
                Start = start, End = start + Hex(f[1]), Method = method,
                IsTrackers = f[2].Contains("[ProfileInfoTracker] ") || f[2].Contains("Instrumenter.<ilinject>"),
            });
        }
        return all.OrderBy(c => c.Start).ToArray();
    }

    static ulong Hex(string text)
    {
        if (text.StartsWith("0x")) text = text.Substring(2);
        return ulong.Parse(text, NumberStyles.HexNumber);
    }

    struct Frame
    {
        public ulong Address;
        public ulong[] Ways; // words that may lead back to a caller without which it stands there
    }

    static ulong PeriodOf(string line) { return Hex(line.Substring(0, line.IndexOf(' '))); }

    /// <summary>A line of the sampler's (sampler.c).</summary>
    static Frame[] Parse(string line)
    {
        return line.Split(' ').Skip(1).Select(text => text.Split(':').Select(Hex).ToArray())
            .Select(n => new Frame { Address = n[0], Ways = n[1..] }).ToArray();
    }

    static IEnumerable<Stack> OfSamples(string file, Code[] map, bool trackers)
    {
        ulong[] starts = map.Select(c => c.Start).ToArray();
        int At(ulong ip)
        {
            int at = Array.BinarySearch(starts, ip);
            if (at < 0) at = ~at - 1;
            return at >= 0 && ip < map[at].End ? at : -1;
        }
        // Code, and the way back from it, as frame pointers have it.
        var callers = new HashSet<(int, ulong)>();
        foreach (Frame[] s in File.ReadLines(file).Select(Parse))
            for (int i = 0; i + 1 < s.Length; i++)
                if (At(s[i].Address) is int at and >= 0) callers.Add((at, s[i + 1].Address));
        foreach (string line in File.ReadLines(file))
        {
            Frame[] s = Parse(line);
            int top = s.Select(f => At(f.Address)).FirstOrDefault(at => at >= 0, -1);
            if (!trackers && top >= 0 && map[top].IsTrackers) continue;
            var frames = new List<string>();
            for (int i = 0; i < s.Length; i++)
            {
                int at = At(s[i].Address);
                if (at >= 0) frames.Add(map[at].Method);
                // Within managed code all have frames, but for the innermost.
                if (i + 1 == s.Length || (i > 0 && at >= 0)) continue;
                ulong next = s[i + 1].Address;
                int lost = s[i].Ways.Select(At).FirstOrDefault(w => w >= 0 && callers.Contains((w, next)), -1);
                if (lost >= 0) frames.Add(map[lost].Method);
            }
            frames.RemoveAll(name => name == null);
            frames.Reverse();
            if (frames.Count > 0) yield return Stack.Exact(frames, PeriodOf(line));
        }
    }
}

/// <summary>MethodJitInliningSucceeded in a file of EventPipe's: nine texts, each of UTF-16 with a zero, and an id.</summary>
static class Inlined
{
    const int Texts = 9, Host = 0, Inlinee = 6;

    public static IEnumerable<string> Pairs(byte[] file)
    {
        for (int i = 0; i + 4 < file.Length;)
        {
            string[] texts = Read(file, i, out int end, out int second);
            // A bool and more follow where it failed, and for what is called last.
            bool succeeded = texts != null && end + 3 < file.Length && (file[end + 1] | file[end + 2] | file[end + 3]) != 0;
            if (succeeded) yield return $"{texts[Host]}::{texts[Host + 1]}\t{texts[Inlinee]}::{texts[Inlinee + 1]}";
            i = texts != null ? end : Math.Max(i + 1, second);
        }
    }

    /// <summary>Null where they are not there; `second`: where the second text begins.</summary>
    static string[] Read(byte[] file, int at, out int end, out int second)
    {
        var texts = new string[Texts];
        second = end = at;
        for (int i = 0; i < Texts; i++)
        {
            int from = end;
            while (end + 1 < file.Length && file[end + 1] == 0 && file[end] is >= 32 and < 127) end += 2;
            if (end + 1 >= file.Length || file[end] != 0 || file[end + 1] != 0) return null;
            texts[i] = System.Text.Encoding.Unicode.GetString(file, from, end - from);
            end += 2;
            if (i == 0) second = end > at + 2 ? end : at;
            // Each third one is a signature.
            if (i % 3 == 2 && !texts[i].Contains('(')) return null;
        }
        return texts;
    }
}

static class Tools
{
    public static IEnumerable<Stack> Report(string file)
    {
        JsonElement root = JsonDocument.Parse(File.ReadAllText(file)).RootElement;
        var functions = root.GetProperty("functions").EnumerateArray().ToArray();
        var names = functions.Select(f => Names.Plain(f.GetProperty("name").GetString())).ToArray();
        foreach (JsonElement thread in root.GetProperty("threads").EnumerateArray())
        {
            var path = new List<string>();
            foreach (JsonElement node in thread.GetProperty("tree").EnumerateArray())
            {
                int function = node.GetProperty("function").GetInt32();
                int depth = node.GetProperty("depth").GetInt32();
                if (depth == 0) continue;
                path.RemoveRange(depth - 1, path.Count - depth + 1);
                path.Add(function < 0 ? "?::?" : names[function]);
                if (function < 0) continue;
                double own = node.GetProperty("exclusive_ns").GetDouble();
                yield return new Stack
                {
                    Frames = path.ToArray(), Own = own, Sure = IsSure(functions[function]),
                    Low = Number(node, "exclusive_low_ns", own),
                    High = Number(node, "exclusive_high_ns", own),
                    Calls = node.GetProperty("calls").GetDouble(),
                };
            }
        }
    }

    static double Number(JsonElement element, string name, double otherwise)
    {
        return element.TryGetProperty(name, out JsonElement value)
            && value.ValueKind == JsonValueKind.Number ? value.GetDouble() : otherwise;
    }

    /// <summary>As the report says; where it does not, whether its range is within 20 %.</summary>
    static bool IsSure(JsonElement function)
    {
        if (function.TryGetProperty("sure", out JsonElement sure)
            && sure.ValueKind is JsonValueKind.True or JsonValueKind.False)
            return sure.GetBoolean();
        double own = function.GetProperty("exclusive_ns").GetDouble();
        return Number(function, "exclusive_low_ns", own) >= own * (1 - Comparison.Near)
            && Number(function, "exclusive_high_ns", own) <= own * (1 + Comparison.Near);
    }

    public static IEnumerable<Stack> Trace(string assembly, string file)
    {
        JsonElement root = JsonDocument.Parse(File.ReadAllText(file)).RootElement;
        var frames = root.GetProperty("shared").GetProperty("frames").EnumerateArray()
            .Select(f => Names.OfTrace(f.GetProperty("name").GetString(), assembly)).ToArray();
        foreach (JsonElement profile in root.GetProperty("profiles").EnumerateArray())
        {
            double scale = profile.GetProperty("unit").GetString() == "milliseconds" ? 1e6 : 1;
            var path = new List<string>();
            double last = 0;
            foreach (JsonElement e in profile.GetProperty("events").EnumerateArray())
            {
                double at = e.GetProperty("at").GetDouble();
                string[] own = path.Where(f => f != null).ToArray();
                if (at > last && own.Length > 0)
                    yield return Stack.Exact(own, (at - last) * scale);
                last = at;
                if (e.GetProperty("type").GetString() == "O")
                    path.Add(frames[e.GetProperty("frame").GetInt32()]);
                else if (path.Count > 0)
                    path.RemoveAt(path.Count - 1);
            }
        }
    }
}

sealed class Row
{
    public string Program, State, Tool, Method, Kind, Verdict;
    public double Truth, Share, Low, High, Calls;
    public int TruthRank, Rank;
    public bool Sure;

    public override string ToString()
    {
        return $"{Program}\t{State}\t{Tool}\t{Method}\t{Kind}\t{Truth:F4}\t{TruthRank}\t{Share:F4}"
            + $"\t{Rank}\t{Low:F4}\t{High:F4}\t{(Sure ? 1 : 0)}\t{Verdict}\t{Calls:F0}";
    }

    public static Row Parse(string line)
    {
        string[] f = line.Split('\t');
        return new Row
        {
            Program = f[0], State = f[1], Tool = f[2], Method = f[3], Kind = f[4],
            Truth = double.Parse(f[5]), TruthRank = int.Parse(f[6]), Share = double.Parse(f[7]),
            Rank = int.Parse(f[8]), Low = double.Parse(f[9]), High = double.Parse(f[10]),
            Sure = f[11] == "1", Verdict = f[12], Calls = double.Parse(f[13]),
        };
    }
}

sealed class Comparison
{
    public const double Counts = 0.05, Near = 0.2;

    readonly Dictionary<string, string> names; // of each method that counts: its own, or A & B
    readonly Dictionary<string, double> shares; // of these
    readonly List<string> order; // the same, the largest first

    public Comparison(List<Stack> truth, IEnumerable<string[]> inlined)
    {
        double all = truth.Sum(s => s.Own);
        names = truth.GroupBy(s => s.Inner).Where(g => g.Sum(s => s.Own) >= Counts * all)
            .ToDictionary(g => g.Key, g => g.Key);
        foreach (string[] pair in inlined)
            Unite(Names.Plain(pair[0]), Names.Plain(pair[1]));
        shares = names.Values.Distinct().ToDictionary(n => n, n => 0.0);
        foreach (Stack stack in truth)
            if (Host(stack) is string host) shares[host] += stack.Own / all;
        order = shares.OrderByDescending(p => p.Value).ThenBy(p => p.Key, StringComparer.Ordinal)
            .Select(p => p.Key).ToList();
    }

    void Unite(string one, string other)
    {
        if (!names.TryGetValue(one, out string a) || !names.TryGetValue(other, out string b)) return;
        if (a == b) return;
        foreach (string name in names.Keys.Where(n => names[n] == a || names[n] == b).ToList())
            names[name] = a + Names.And + b;
    }

    /// <summary>Where the stack's time goes; null: nowhere.</summary>
    string Host(Stack stack)
    {
        string method = stack.Frames.LastOrDefault(names.ContainsKey);
        return method == null ? null : names[method];
    }

    public IEnumerable<Row> OfTruth()
    {
        return order.Select((method, i) => new Row
        {
            Tool = "truth", Method = method, Kind = "counts", Truth = shares[method],
            TruthRank = i + 1, Share = shares[method], Rank = i + 1, Low = shares[method],
            High = shares[method], Sure = true, Verdict = "within",
        });
    }

    public List<Row> Of(List<Stack> stacks)
    {
        var all = new Stack
        {
            Own = Math.Max(1, stacks.Sum(s => s.Own)), Low = stacks.Sum(s => s.Low),
            High = stacks.Sum(s => s.High),
        };
        var rows = new List<Row>();
        foreach (string method in order)
        {
            var parts = stacks.Where(s => Host(s) == method).ToList();
            var own = parts.Where(s => names.ContainsKey(s.Inner)).ToList();
            Row row = Sum(parts, all);
            row.Method = method;
            row.Kind = "counts";
            row.Truth = shares[method];
            row.TruthRank = order.IndexOf(method) + 1;
            row.Calls = own.Sum(s => s.Calls);
            // Sure when it is sure of the method, and of the rest but for a twentieth.
            double unsure = parts.Where(s => !s.Sure).Sum(s => s.Own);
            row.Sure = own.All(s => s.Sure) && unsure <= Counts * parts.Sum(s => s.Own);
            bool range = row.Low <= row.Truth && row.Truth <= row.High
                && row.High - row.Low > Near * row.Share;
            row.Verdict = parts.Count == 0 ? "missing"
                : Math.Abs(row.Share / row.Truth - 1) <= Near ? "within"
                : !row.Sure || range ? "unsure" : "wrong";
            rows.Add(row);
        }
        var ranks = rows.OrderByDescending(r => r.Share).ToList();
        foreach (Row row in rows) row.Rank = ranks.IndexOf(row) + 1;
        rows.AddRange(Small(stacks, all));
        return rows;
    }

    IEnumerable<Row> Small(List<Stack> stacks, Stack all)
    {
        foreach (var group in stacks.GroupBy(s => s.Inner).Where(g => !names.ContainsKey(g.Key)))
        {
            var hosts = group.Select(Host).Distinct().ToList();
            Row row = Sum(group, all);
            if (row.Share < Counts || hosts.Contains(null)) continue;
            row.Method = group.Key;
            row.Kind = "small";
            row.Truth = hosts.Sum(h => shares[h]);
            row.Calls = group.Sum(s => s.Calls);
            row.Sure = group.All(s => s.Sure);
            row.Verdict = row.Share <= row.Truth * (1 + Near) ? "within"
                : !row.Sure || row.Low <= row.Truth ? "unsure" : "wrong";
            yield return row;
        }
    }

    /// <summary>
    /// The share has the ends that the report shows: the least is of all others at their most, the
    /// most of all others at their least.
    /// </summary>
    static Row Sum(IEnumerable<Stack> stacks, Stack all)
    {
        double own = stacks.Sum(s => s.Own);
        double low = stacks.Sum(s => s.Low), high = stacks.Sum(s => s.High);
        return new Row
        {
            Share = own / all.Own, Low = low > 0 ? low / (low + all.High - high) : 0,
            High = high > 0 ? high / (high + all.Low - low) : 0,
        };
    }

    /// <summary>
    /// Pairs of one program's rows in the wrong order, though the tool is sure of both and their
    /// truths differ by more than 20 %.
    /// </summary>
    public static int WrongOrders(IEnumerable<Row> rows)
    {
        var sure = rows.Where(r => r.Sure && r.Verdict != "missing").ToList();
        return sure.Where(a => a.Kind == "counts").Sum(a =>
            sure.Count(b => b != a && a.Truth > b.Truth * (1 + Near) && a.Share < b.Share));
    }
}

static class Join
{
    static int Main(string[] args)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        string command = args.Length > 0 ? args[0] : "";
        if (command is "sampled" or "bodies" && args.Length >= 4)
            Stack.Write(Sampled.Stacks(args[1], args[2..], command == "sampled"));
        else if (command == "inlined" && args.Length == 2)
            foreach (string pair in Inlined.Pairs(File.ReadAllBytes(args[1])).Distinct()) Console.WriteLine(pair);
        else if (command == "report" && args.Length == 2)
            Stack.Write(Tools.Report(args[1]));
        else if (command == "trace" && args.Length == 3)
            Stack.Write(Tools.Trace(args[1], args[2]));
        else if (command == "compare" && args.Length >= 6)
            Compare(args[1], args[2], args[3].Split(' '), args[4], args[5], args.Skip(6));
        else if (command == "sum" && args.Length == 2)
            Sum(File.ReadLines(args[1]).Select(Row.Parse).ToList());
        else
        {
            Console.Error.WriteLine("usage: Join sampled|bodies|inlined|report|trace|compare|sum …: see Join.cs");
            return 2;
        }
        return 0;
    }

    static void Compare(
        string program, string state, string[] waits, string truth, string inlined,
        IEnumerable<string> tools)
    {
        var comparison = new Comparison(Stack.Read(truth, waits),
            File.ReadLines(inlined).Distinct().Select(l => l.Split('\t')));
        var rows = comparison.OfTruth().ToList();
        foreach (string[] tool in tools.Select(t => t.Split('=', 2)))
            foreach (Row row in comparison.Of(Stack.Read(tool[1], waits)))
            {
                row.Tool = tool[0];
                rows.Add(row);
            }
        foreach (Row row in rows)
        {
            row.Program = program;
            row.State = state;
            Console.WriteLine(row);
        }
    }

    static void Sum(List<Row> rows)
    {
        foreach (var state in rows.GroupBy(r => r.State))
        {
            var tools = state.Select(r => r.Tool).Distinct().ToList();
            Console.WriteLine($"\n{state.Key}: percent of the time, rank; ~: not sure; !: wrong");
            Console.Write(new string(' ', 47));
            Console.WriteLine(string.Concat(tools.Select(t => $" {t,12}")));
            foreach (var method in state.GroupBy(r => (r.Program, r.Method)))
            {
                Row first = method.First();
                string bound = first.Kind == "small" ? $"≤ {first.Truth * 100:F1}   " : "-   ";
                Console.Write($"{first.Program,-12} {Names.Short(first.Method, 34),-34}");
                foreach (string tool in tools)
                {
                    Row row = method.FirstOrDefault(r => r.Tool == tool);
                    string text = row != null ? Text(row) : tool == "truth" ? bound : "-   ";
                    Console.Write($" {text,12}");
                }
                Console.WriteLine();
            }
        }
        Console.WriteLine();
        foreach (var group in rows.Where(r => r.Tool != "truth").GroupBy(r => (r.State, r.Tool)))
        {
            var counts = group.Where(r => r.Kind == "counts").ToList();
            int Of(string verdict) { return counts.Count(r => r.Verdict == verdict); }
            int large = group.Count(r => r.Kind == "small" && r.Verdict == "wrong");
            int orders = group.GroupBy(r => r.Program).Sum(Comparison.WrongOrders);
            Console.WriteLine($"{group.Key.State} {group.Key.Tool}: methods >= 5 %: "
                + $"{counts.Count}; within 20 %: {Of("within")}; said unsure: {Of("unsure")}; "
                + $"wrong: {Of("wrong")}; missing: {Of("missing")}; small ones too large: {large}; "
                + $"wrong orders said with confidence: {orders}");
        }
    }

    static string Text(Row row)
    {
        string rank = row.Kind == "counts" ? row.Rank.ToString() : " ";
        bool wrong = row.Verdict == "wrong" || row.Verdict == "missing";
        return $"{row.Share * 100:F1} {rank,2}{(wrong ? "!" : row.Sure ? " " : "~")}";
    }
}
