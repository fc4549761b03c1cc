// The part of ProfileDump.cs that holds a profile against what was counted by hand. It reads the profile by docs/profile-format.md.
//   ProfileDump check FILE.ilprof TIMES FLAGS SOURCE.cs…
// FLAGS are words with commas: the runtime (mono, dotnet), the shape (guarded, ret), what is known of exceptions (paths, full), others
// that a source asks for. TIMES is what the program has measured itself (fixtures/cs/Outside.cs), or "none".
//
// The expectations are comments in the sources, `//= WHAT` or `//=[FLAG,!FLAG…] WHAT`: with flags, the line counts where these are given
// (or, with !, are not). WHAT is one of:
//   METHOD: calls N, left N, resynchronised N, open N     what is not said is 0; `*` for N: any number
//   node M > … > M: calls N                               a chain of callers, from anywhere in a tree
//   path TYPE: M > … > M: OUTCOME N[, unwound N]          an exception from thrower to catcher; `thread` is the root of a thread. OUTCOME:
//                                                         caught swallowed left replaced stored open; `*` for any TYPE, OUTCOME, N
//   async METHOD: calls N, suspended N, completed N, failed N, cancelled N, unlinked N
//   started M > … > M: calls N                            the logical calls of async methods, from the outermost one on
// METHOD is Type.Method without parameters and generic ones; what the compiler makes of a method is METHOD/MoveNext; `*` in it stands
// for anything, and all that match are summed. `M *N` in a chain is N times M. Every path, async method and method that was called has to
// be expected; but methods that a compiler has named may be called as it likes, as long as none of their frames ends badly.
// In the ret shape nothing reports exceptions but a state machine that stores one: there are no other paths, and what is left by one is
// resynchronised, but for what lines with the flag `ret` say.
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

class Call
{
    public Call Parent;
    public int Depth;
    public ulong Id;
    public string Name;
    public long Calls, Ticks, Folded, Left, Resynchronised, Open, ChildTicks;

    public IEnumerable<Call> Up() { for (Call c = this; c != null; c = c.Parent) yield return c; }
}

class Path
{
    public string Type, Outcome;
    public List<string> Chain = new List<string>();
    public long Count, Ticks, SearchTicks, Searched, Unwound;
    public bool Expected;
    public override string ToString() { return "path " + Type + ": " + Expectation.Chained(Chain) + ": " + Outcome + " " + Count + ", unwound " + Unwound; }
}

class Tree
{
    public string Thread;
    public ulong Threads;
    public readonly List<Call> Calls = new List<Call>();
    public readonly List<AsyncCall> Async = new List<AsyncCall>();
}

class AsyncCall
{
    public AsyncCall Parent;
    public string Name;
    public long[] Counts = new long[9];
    public static readonly string[] Fields = { "calls", "suspended", "completed", "failed", "cancelled", "running", "awaiting", "wall", "unlinked" };
    public long this[string field] { get { return Counts[Array.IndexOf(Fields, field)]; } }
}

// One line of a source.
class Expectation
{
    static readonly Regex form = new Regex(@"^\s*//=(\[(?<flags>[^\]]*)\])? (?<what>.*)$");
    public string Where, Kind, Type, Outcome;
    public bool Ret;
    public List<Regex> Chain;
    public Dictionary<string, long> Numbers = new Dictionary<string, long>();
    public readonly HashSet<string> Any = new HashSet<string>();

    public long this[string field] { get { long n; return Numbers.TryGetValue(field, out n) ? n : 0; } }
    public bool Allows(string field, long found) { return Any.Contains(field) || found == this[field]; }
    public string Text(string field) { return field + " " + (Any.Contains(field) ? "*" : this[field].ToString()); }

    public static IEnumerable<Expectation> Read(string file, HashSet<string> flags)
    {
        int number = 0;
        foreach (string line in File.ReadAllLines(file))
        {
            number++;
            Match match = form.Match(line);
            string[] wanted = match.Groups["flags"].Value.Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries);
            if (match.Success && wanted.All(flag => flag[0] == '!' ? !flags.Contains(flag.Substring(1)) : flags.Contains(flag)))
                yield return new Expectation(System.IO.Path.GetFileName(file) + ":" + number, match.Groups["what"].Value.Trim()) { Ret = wanted.Contains("ret") };
        }
    }

    Expectation(string where, string what)
    {
        Where = where;
        string[] parts = what.Split(new[] { ": " }, StringSplitOptions.None);
        Kind = Regex.Match(parts[0], "^(node|path|async|started) ").Groups[1].Value;
        if (Kind != "") parts[0] = parts[0].Substring(Kind.Length + 1);
        if (parts.Length != (Kind == "path" ? 3 : 2)) throw new FormatException(where + ": not understood: " + what);
        if (Kind == "path") Type = parts[0];
        Chain = parts[parts.Length - 2].Split(new[] { " > " }, StringSplitOptions.None).SelectMany(Names).ToList();
        foreach (string item in parts[parts.Length - 1].Split(new[] { ", " }, StringSplitOptions.None))
        {
            string[] words = item.Split(' ');
            if (Type != null && Outcome == null) { Outcome = words[0]; words[0] = "count"; }
            if (words[1] == "*") Any.Add(words[0]);
            else Numbers.Add(words[0], long.Parse(words[1]));
        }
    }

    static IEnumerable<Regex> Names(string item)
    {
        Match times = Regex.Match(item, @"^(.*) \*(\d+)$");
        string name = times.Success ? times.Groups[1].Value : item;
        return Enumerable.Repeat(new Regex("^" + Regex.Escape(name).Replace("\\*", ".*") + "$"), times.Success ? int.Parse(times.Groups[2].Value) : 1);
    }

    public bool Matches(IList<string> names)
    {
        if (names.Count != Chain.Count) return false;
        for (int i = 0; i < names.Count; i++) if (!Chain[i].IsMatch(names[i])) return false;
        return true;
    }

    public static string Chained(IList<string> names)
    {
        List<string> parts = new List<string>();
        for (int i = 0, run; i < names.Count; i += run)
        {
            for (run = 1; i + run < names.Count && names[i + run] == names[i]; ) run++;
            parts.Add(run == 1 ? names[i] : names[i] + " *" + run);
        }
        return string.Join(" > ", parts.ToArray());
    }
}

static class ProfileCheck
{
    static readonly Dictionary<string, string> run = new Dictionary<string, string>();
    static readonly Dictionary<ulong, string> names = new Dictionary<ulong, string>();
    static readonly List<Tree> trees = new List<Tree>();
    static readonly List<Path> paths = new List<Path>();
    static readonly string[] outcomes = { "caught", "swallowed", "left", "replaced", "stored", "open", "stored", "caught", "left", "held" };
    static HashSet<string> flags;
    static int faults, held;

    public static int Answer(string[] args)
    {
        run.Clear(); names.Clear(); trees.Clear(); paths.Clear();
        faults = held = 0;
        try
        {
            flags = new HashSet<string>(args[3].Split(','));
            Read(File.ReadAllBytes(args[1]));
            List<Expectation> expected = args.Skip(4).SelectMany(source => Expectation.Read(source, flags)).ToList();
            CheckTrees();
            CheckMethods(expected.Where(e => e.Kind == "").ToList());
            foreach (Expectation e in expected.Where(e => e.Kind == "node")) CheckNode(e);
            CheckPaths(expected.Where(e => e.Kind == "path").ToList());
            LeavePlainOut();
            CheckAsync(expected.Where(e => e.Kind == "async").ToList());
            foreach (Expectation e in expected.Where(e => e.Kind == "started")) CheckStarted(e);
            if (args[2] != "none") foreach (string line in File.ReadAllLines(args[2])) CheckTime(line);
        }
        catch (Exception e)
        {
            Fault(e.ToString());
        }
        Console.WriteLine(trees.Sum(t => t.Calls.Sum(c => c.Left + c.Resynchronised)) + " frames did not return");
        Console.WriteLine(held + " expectations hold, " + faults + " do not");
        return faults == 0 && held > 0 ? 0 : 1;
    }

    static void Fault(string what) { faults++; Console.WriteLine(what); }
    static void Judge(bool holds, string where, string what) { if (holds) held++; else Fault(where + ": " + what); }

    // ---- Expectations -----------------------------------------------------------------------------------------------

    // What times by ticks may be off: five standard deviations, and ten ticks, which come late on a busy machine.
    static long ByChance(long ticks)
    {
        if (!run.ContainsKey("clock_ticks")) return 0;
        double step = double.Parse(run["clock_step_ns"]) * double.Parse(run["ticks_per_second"]) / 1e9;
        return (long)(5 * Math.Sqrt(step * ticks) + 10 * step);
    }

    // No tree contradicts itself: a frame is open only in an open caller, and no callees took more time than their caller.
    static void CheckTrees()
    {
        foreach (Tree tree in trees)
            foreach (Call c in tree.Calls)
            {
                if (c.Id < 2) continue;
                if (c.Calls < c.Left + c.Resynchronised + c.Open) Fault(c.Name + ": " + Ends(c) + " of " + c.Calls + " calls");
                if (c.Open > 0 && c.Parent.Id > 1 && c.Parent.Open == 0) Fault(c.Name + " is open, its caller is not");
                if (c.Parent.Id != 1 && c.ChildTicks + c.Folded > c.Ticks + ByChance(c.ChildTicks + c.Folded)) Fault(c.Name + ": callees " + (c.ChildTicks + c.Folded) + " of " + c.Ticks + " ticks");
            }
        if (run.ContainsKey("dropped")) Fault("dropped calls: " + run["dropped"]);
    }

    static string Ends(Call c) { return "left " + c.Left + ", resynchronised " + c.Resynchronised + ", open " + c.Open; }

    static void CheckMethods(List<Expectation> expected)
    {
        Call[] sums = new Call[expected.Count];
        for (int i = 0; i < sums.Length; i++) sums[i] = new Call();
        foreach (Call c in trees.SelectMany(t => t.Calls).Where(c => c.Id > 1))
        {
            int i = expected.FindIndex(e => e.Chain[0].IsMatch(c.Name));
            if (i >= 0)
            {
                sums[i].Calls += c.Calls; sums[i].Left += c.Left; sums[i].Resynchronised += c.Resynchronised; sums[i].Open += c.Open;
            }
            else if (c.Calls > 0 && !(c.Name.Contains("<") && c.Left + c.Resynchronised + c.Open == 0))
                Fault("not expected: " + c.Calls + " calls of " + c.Name + ", " + Ends(c));
        }
        for (int i = 0; i < sums.Length; i++)
        {
            Expectation e = expected[i];
            Call sum = sums[i];
            if (flags.Contains("ret") && !e.Ret)
            {
                e.Numbers["resynchronised"] = e["resynchronised"] + e["left"];
                e.Numbers["left"] = 0;
            }
            Judge(e.Allows("calls", sum.Calls) && e.Allows("left", sum.Left) && e.Allows("resynchronised", sum.Resynchronised) && e.Allows("open", sum.Open),
                  e.Where, Pattern(e) + " has calls " + sum.Calls + ", " + Ends(sum) + "; expected " + string.Join(", ", new[] { "calls", "left", "resynchronised", "open" }.Select(e.Text).ToArray()));
        }
    }

    static string Pattern(Expectation e) { return Regex.Unescape(Expectation.Chained(e.Chain.Select(r => r.ToString().Trim('^', '$')).ToArray())).Replace(".*", "*"); }

    static void CheckNode(Expectation e)
    {
        long calls = 0;
        foreach (Call c in trees.SelectMany(t => t.Calls))
            if (c.Depth + 1 >= e.Chain.Count && e.Matches(c.Up().Take(e.Chain.Count).Select(up => up.Name).Reverse().ToList()))
                calls += c.Calls;
        Judge(calls == e["calls"], e.Where, "node " + Pattern(e) + " has calls " + calls + ", expected " + e["calls"]);
    }

    static void CheckPaths(List<Expectation> expected)
    {
        foreach (Expectation e in expected)
        {
            if (flags.Contains("ret") && e.Outcome != "stored" && !e.Ret) continue;
            List<Path> found = paths.Where(p => (e.Type == "*" || p.Type == e.Type) && (e.Outcome == "*" || p.Outcome == e.Outcome) && e.Matches(p.Chain)).ToList();
            foreach (Path p in found) p.Expected = true;
            long count = found.Sum(p => p.Count), unwound = found.Sum(p => p.Unwound);
            long expectUnwound = e.Numbers.ContainsKey("unwound") ? e["unwound"] : e["count"] * (e.Chain.Count - 1);
            if (e.Any.Contains("count")) expectUnwound = count * (e.Chain.Count - 1);
            Judge(e.Allows("count", count) && (e.Any.Contains("unwound") || unwound == expectUnwound), e.Where,
                  "path " + e.Type + ": " + Pattern(e) + ": " + e.Outcome + " has count " + count + ", unwound " + unwound + "; expected " + e["count"] + ", " + expectUnwound);
        }
        foreach (Path p in paths.Where(p => !p.Expected)) Fault("not expected: " + p);
        foreach (Path p in paths.Where(p => p.SearchTicks > p.Ticks)) Fault(p + ": the search took longer than the whole");
        if (!flags.Contains("full") && paths.Any(p => p.SearchTicks + p.Searched > 0)) Fault("a search is told of without --exceptions=full");
    }

    // Methods without figures in any thread are plain ones, on the way from an async method to one that it started.
    static void LeavePlainOut()
    {
        HashSet<string> called = new HashSet<string>(trees.SelectMany(t => t.Async).Where(a => a.Counts.Any(c => c != 0)).Select(a => a.Name));
        foreach (Tree tree in trees)
        {
            foreach (AsyncCall a in tree.Async)
                while (a.Parent != null && a.Parent.Parent != null && !called.Contains(a.Parent.Name)) a.Parent = a.Parent.Parent;
            tree.Async.RemoveAll(a => a.Parent != null && !called.Contains(a.Name));
        }
    }

    static void CheckAsync(List<Expectation> expected)
    {
        string[] counts = { "calls", "suspended", "completed", "failed", "cancelled", "unlinked" };
        List<AsyncCall> all = trees.SelectMany(t => t.Async).Where(a => a.Parent != null).ToList();
        foreach (Expectation e in expected)
        {
            List<AsyncCall> found = all.Where(a => e.Chain[0].IsMatch(a.Name)).ToList();
            string wrong = string.Join(", ", counts.Where(f => !e.Allows(f, found.Sum(a => a[f]))).Select(f => f + " " + found.Sum(a => a[f]) + " instead of " + e[f]).ToArray());
            Judge(wrong == "", e.Where, "async " + Pattern(e) + " has " + wrong);
        }
        foreach (AsyncCall a in all.Where(a => !a.Name.Contains("<") && !expected.Any(e => e.Chain[0].IsMatch(a.Name)))) Fault("not expected: async " + a.Name);
    }

    static void CheckStarted(Expectation e)
    {
        long calls = 0;
        foreach (AsyncCall a in trees.SelectMany(t => t.Async))
        {
            List<string> chain = new List<string>();
            for (AsyncCall up = a; up.Parent != null; up = up.Parent) chain.Insert(0, up.Name);
            if (e.Matches(chain)) calls += a["calls"];
        }
        Judge(calls == e["calls"], e.Where, "started " + Pattern(e) + " has calls " + calls + ", expected " + e["calls"]);
    }

    // KIND NAME LEAST MOST
    static void CheckTime(string line)
    {
        string[] words = line.Split(' ');
        string name = words[1];
        long least = long.Parse(words[2]), most = long.Parse(words[3]), found = -1;
        if (words[0] == "root")
        {
            Tree tree = trees.FirstOrDefault(t => name == "main" ? t.Calls.Any(c => c.Depth == 1 && c.Name == "Program.Main") : t.Thread == name);
            if (tree != null)
            {
                found = tree.Calls[0].Ticks + tree.Calls[0].Folded;
                if (name == "main") most = long.Parse(run["wall_ticks"]);
                if (flags.Contains("ret") && tree.Calls.Any(c => c.Open > 0)) most = long.MaxValue; // no event has ended them
            }
        }
        else if (words[0] == "path" && flags.Contains("ret"))
            return;
        else if (words[0] == "path")
            found = paths.Where(p => string.Join(">", p.Chain.ToArray()) == name).Select(p => p.Ticks).DefaultIfEmpty(-1).Sum();
        else if (AsyncCall.Fields.Contains(words[0]))
            found = trees.SelectMany(t => t.Async).Where(a => a.Name == name).Select(a => a[words[0]]).DefaultIfEmpty(-1).Sum();
        Judge(found + ByChance(0) >= least && found - ByChance(0) <= most, "time", words[0] + " " + name + " is " + found + " ticks; expected " + least + " to " + most);
    }

    // ---- The profile ------------------------------------------------------------------------------------------------

    static void Read(byte[] file)
    {
        Reader all = new Reader(file, 0, file.Length);
        ProfileDump.Expect(Encoding.ASCII.GetString(all.Bytes(8)) == "ILPROF\r\n" && all.Fixed(2) == 1, "header");
        all.Fixed(6);
        string kind = "", before = "";
        for (; kind != "END "; before = kind)
        {
            kind = Encoding.ASCII.GetString(all.Bytes(4));
            uint crc = (uint)all.Fixed(4);
            int size = checked((int)all.Fixed(8));
            ProfileDump.Expect(ProfileDump.Crc(file, all.At, size) == crc, "CRC of " + kind);
            Reader section = new Reader(file, all.At, all.At + size);
            all.At += size;
            // Durations and timelines: tests/tracker/suite-record.sh. Slices: ProfileDump.
            if (kind == "SPAN" || kind == "FOLD" || kind == "TICK" || kind == "PROB" || kind == "WAIT" || kind == "HIST" || kind == "TIME" || kind == "SAMP" || kind == "SLIC")
            {
                kind = before;
                continue;
            }
            switch (kind)
            {
                case "RUN ": for (ulong left = section.VarUInt(); left > 0; left--) run.Add(section.Text(), section.Text()); break;
                case "MODS": ReadModules(section); break;
                case "THRD": ReadThread(section); break;
                case "EXCP": ProfileDump.Expect(before == "THRD", "EXCP behind " + before); ReadExceptions(section); break;
                case "ASYN": ProfileDump.Expect(before == "THRD" || before == "EXCP", "ASYN behind " + before); ReadAsync(section); break;
            }
            ProfileDump.Expect(section.At == section.End, "end of " + kind);
        }
    }

    static void ReadModules(Reader r)
    {
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong first = r.VarUInt();
            r.VarUInt(); r.Text(); r.Bytes(16);
            ReadNames(r.Bytes(r.VarUInt()), first);
        }
    }

    static string ZeroEnded(Reader r)
    {
        List<byte> bytes = new List<byte>();
        for (byte b; (b = r.Byte()) != 0; ) bytes.Add(b);
        return new UTF8Encoding(false, true).GetString(bytes.ToArray());
    }

    static T[] Column<T>(int count, Func<T> read)
    {
        T[] column = new T[count];
        for (int i = 0; i < count; i++) column[i] = read();
        return column;
    }

    static void ReadNames(byte[] resource, ulong first)
    {
        MemoryStream data = new MemoryStream();
        using (Stream inflate = new DeflateStream(new MemoryStream(resource, 36, resource.Length - 36), CompressionMode.Decompress))
            inflate.CopyTo(data);
        Reader r = new Reader(data.ToArray(), 0, (int)data.Length);
        ZeroEnded(r); ZeroEnded(r);
        int types = (int)r.VarUInt(), methods = (int)r.VarUInt();
        ulong[] enclosing = Column(types, r.VarUInt);
        bool v2 = resource[4] == 2;
        r.Texts((ulong)types, v2);
        string[] typeNames = Column(types, () => ZeroEnded(r));
        foreach (ulong generic in Column(types, r.VarUInt)) Column((int)generic, () => ZeroEnded(r));
        for (int i = 0; i < types; i++)
        {
            string name = Regex.Replace(typeNames[i], @"`\d+$", "");
            typeNames[i] = enclosing[i] > 0 ? typeNames[(int)enclosing[i] - 1] + "." + name : name;
        }
        long type = 0;
        long[] typeOf = Array.ConvertAll(r.Runs((ulong)methods, v2), v => { return type += (v & 1) == 0 ? (long)(v / 2) : -(long)(v / 2) - 1; });
        r.Runs((ulong)methods, v2); // rows
        r.Column(2 * (ulong)methods); // sizes, flags
        string[] methodNames = r.Texts((ulong)methods, v2);
        foreach (ulong generic in r.Runs((ulong)methods, v2)) Column((int)generic, () => ZeroEnded(r));
        r.Texts((ulong)methods, v2);
        ulong[] owners = r.Runs((ulong)methods, v2);
        for (int i = 0; i < methods; i++) methodNames[i] = typeNames[typeOf[i]] + "." + methodNames[i];
        for (int i = 0; i < methods; i++) names[first + (ulong)i] = owners[i] > 0 ? methodNames[owners[i] - 1] + "/MoveNext" : methodNames[i];
    }

    static string Name(ulong id)
    {
        string name;
        return id == 0 ? "thread" : id == 1 ? "folded" : names.TryGetValue(id, out name) ? name : "#" + id;
    }

    static void ReadThread(Reader r)
    {
        r.VarUInt();
        Tree tree = new Tree { Thread = r.Text(), Threads = r.VarUInt() };
        Stack<KeyValuePair<Call, ulong>> parents = new Stack<KeyValuePair<Call, ulong>>();
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong children = r.VarUInt();
            Call c = new Call { Id = r.VarUInt(), Calls = (long)r.VarUInt(), Ticks = (long)r.VarUInt(), Folded = (long)r.VarUInt(), Resynchronised = (long)r.VarUInt(), Open = (long)r.VarUInt() };
            c.Name = Name(c.Id);
            if (parents.Count > 0)
            {
                KeyValuePair<Call, ulong> top = parents.Pop();
                c.Parent = top.Key;
                c.Depth = c.Parent.Depth + 1;
                if (c.Id != 1) c.Parent.ChildTicks += c.Ticks;
                if (top.Value > 1) parents.Push(new KeyValuePair<Call, ulong>(top.Key, top.Value - 1));
            }
            if (children > 0) parents.Push(new KeyValuePair<Call, ulong>(c, children));
            tree.Calls.Add(c);
        }
        ProfileDump.Expect(parents.Count == 0, "missing nodes");
        trees.Add(tree);
    }

    static void ReadExceptions(Reader r)
    {
        List<Call> calls = trees.Last().Calls;
        string[] types = Column((int)r.VarUInt(), r.Text);
        for (ulong left = r.VarUInt(); left > 0; left--) { Call c = calls[(int)r.VarUInt()]; c.Left += (long)r.VarUInt(); }
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            int type = (int)r.VarUInt();
            Call thrower = calls[(int)r.VarUInt()], catcher = calls[(int)r.VarUInt()];
            Path path = new Path { Type = type == 0 ? "?" : Regex.Replace(types[type - 1], @"^.*\.", ""), Outcome = outcomes[r.VarUInt()], Count = (long)r.VarUInt(), Ticks = (long)r.VarUInt(),
                                   SearchTicks = (long)r.VarUInt(), Searched = (long)r.VarUInt(), Unwound = (long)r.VarUInt() };
            ulong messages = r.VarUInt();
            ProfileDump.Expect(messages <= 3, "messages");
            for (; messages > 0; messages--) ProfileDump.Expect(r.Text().Length <= 200, "length of a message");
            foreach (Call c in thrower.Up())
            {
                path.Chain.Add(c.Name);
                if (c == catcher) break;
                ProfileDump.Expect(c.Parent != null, "the catcher stands above the thrower");
            }
            paths.Add(path);
        }
    }

    static void ReadAsync(Reader r)
    {
        Stack<KeyValuePair<AsyncCall, ulong>> parents = new Stack<KeyValuePair<AsyncCall, ulong>>();
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong children = r.VarUInt();
            AsyncCall a = new AsyncCall { Name = Name(r.VarUInt()).Replace("/MoveNext", "") };
            for (int i = 0; i < a.Counts.Length; i++) a.Counts[i] = (long)r.VarUInt();
            if (parents.Count > 0)
            {
                KeyValuePair<AsyncCall, ulong> top = parents.Pop();
                a.Parent = top.Key;
                if (top.Value > 1) parents.Push(new KeyValuePair<AsyncCall, ulong>(top.Key, top.Value - 1));
            }
            if (children > 0) parents.Push(new KeyValuePair<AsyncCall, ulong>(a, children));
            trees.Last().Async.Add(a);
        }
        ProfileDump.Expect(parents.Count == 0, "missing async nodes");
    }
}
