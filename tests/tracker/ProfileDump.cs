// An independent reader of profiles, written from docs/profile-format.md alone. Exits with 1 and says why when a file breaks the format.
//   ProfileDump names OUT NAME…        makes a names resource with these methods (of the type T)
//   ProfileDump tree FILE              every section and node as text
//   ProfileDump sums FILE              per method: calls, resynchronised, open, over all threads
//   ProfileDump switches FILE          per method that was switched off: reasons, calls till it was last switched
//   ProfileDump spans FILE             per path of each thread's tree: closed frames, ticks, least and most ticks of one
//   ProfileDump folds FILE             per method ("*" before those of folded ones), by name: folded calls, all of them below, calls that were taken back, not recorded; of folded methods outermost frames, folded calls below these
//   ProfileDump events FILE            per stream and event, in order of ends: thread, path, start, end in ticks
//   ProfileDump nested FILE            events that are not nested
//   ProfileDump recorded FILE          that, and what of a profile's histograms and least and most ticks its timeline contradicts
//   ProfileDump run FILE KEY           one value of the RUN section
//   ProfileDump ways FILE              per method: calls, normal leaves, left by exception, resynchronised, open
//   ProfileDump paths FILE             per exception path: type, outcome, count, frames searched and unwound, methods, messages
//   ProfileDump async FILE             per path of async methods in the logical call tree: calls, suspensions, completed, failed, cancelled, unlinked, over all threads
//   ProfileDump asynctime FILE         the same: running, awaiting, wall in microseconds
//   ProfileDump asyncsum FILE          the paths where running and awaiting do not make up wall to the tick; all their calls must have ended
//   ProfileDump time FILE              own time of all nodes, time of all roots, whole run: nanoseconds
//   ProfileDump series FILE…           snapshots of one run, in order: each is right in itself, and no count is lower than in the one before
//   ProfileDump check FILE TIMES FLAGS SOURCE…     what sources say was counted by hand (ProfileDumpCheck.cs)
//   ProfileDump serve                  answers such questions from standard input (ProfileDumpServe.cs)
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Text;

class Reader
{
    readonly byte[] bytes;
    public int At, End;
    public Reader(byte[] bytes, int at, int end) { this.bytes = bytes; At = at; End = end; }

    public byte Byte()
    {
        if (At >= End) throw new InvalidDataException("a value runs past its end at " + At);
        return bytes[At++];
    }
    public ulong Fixed(int size)
    {
        ulong value = 0;
        for (int i = 0; i < size; i++) value |= (ulong)Byte() << (8 * i);
        return value;
    }
    public ulong VarUInt()
    {
        ulong value = 0;
        for (int i = 0; ; i++)
        {
            if (i == 10) throw new InvalidDataException("a varuint of more than ten bytes at " + At);
            byte b = Byte();
            value |= (ulong)(b & 0x7f) << (7 * i);
            if (b < 0x80) return value;
        }
    }
    public byte[] Bytes(ulong count)
    {
        if (count > (ulong)(End - At)) throw new InvalidDataException("a blob runs past its end at " + At);
        byte[] part = new byte[count];
        Array.Copy(bytes, At, part, 0, part.Length);
        At += part.Length;
        return part;
    }
    public string ZeroEnded()
    {
        int start = At;
        while (Byte() != 0) { }
        return new UTF8Encoding(false, true).GetString(bytes, start, At - start - 1);
    }
    public ulong[] Column(ulong count) { return Runs(count, false); }
    public ulong[] Runs(ulong count, bool runs)
    {
        List<ulong> values = new List<ulong>();
        while ((ulong)values.Count < count)
            for (ulong value = VarUInt(), left = runs ? VarUInt() : 1; left > 0; left--) values.Add(value);
        return values.ToArray();
    }
    public string[] Texts(ulong count, bool once = false)
    {
        List<string> texts = new List<string>();
        ulong[] numbers = once ? Column(count) : new ulong[count];
        return Array.ConvertAll(numbers, n => { if (n == 0) texts.Add(ZeroEnded()); return texts[n == 0 ? texts.Count - 1 : (int)n - 1]; });
    }
    public string Text() { return new UTF8Encoding(false, true).GetString(Bytes(VarUInt())); }
}

class NodeData
{
    public int Depth;
    public NodeData Parent;
    public ulong Children, Id, Calls, Ticks, Folded, Resynchronised, Open, ChildTicks, Left, Min, Max;
    public bool Timed;
}

static partial class ProfileDump
{
    static readonly Dictionary<string, string> run = new Dictionary<string, string>();
    static readonly SortedDictionary<ulong, string> names = new SortedDictionary<ulong, string>();
    static readonly List<List<NodeData>> threads = new List<List<NodeData>>();
    static readonly SortedDictionary<string, ulong[]> asyncPaths = new SortedDictionary<string, ulong[]>(StringComparer.Ordinal);
    static readonly List<string> switches = new List<string>();
    static readonly string[] extras = { "THRD", "SPAN", "FOLD", "TICK", "PROB", "WAIT", "BYTE", "HIST", "TIME", "SAMP", "EXCP", "ASYN", "SLIC" };
    static readonly List<ulong> asyncIds = new List<ulong>();
    static readonly List<string> lines = new List<string>();
    static readonly List<string> paths = new List<string>();

    static int Main(string[] args) { return args[0] == "serve" ? Serve() : Answer(args); }

    static int Answer(string[] args)
    {
        try
        {
            if (args[0] == "names") { MakeNames(args); return 0; }
            if (args[0] == "series") { Series(args); return 0; }
            if (args[0] == "check") return ProfileCheck.Answer(args);
            ReadAgain(File.ReadAllBytes(args[1]));
            switch (args[0])
            {
                case "tree": foreach (string line in lines) Console.WriteLine(line); break;
                case "sums": Sums(); break;
                case "switches": foreach (string line in switches) Console.WriteLine(line); break;
                case "ways": Ways(); break;
                case "spans": Spans(); break;
                case "folds": Folds(); break;
                case "events": Events(); break;
                case "nested": return Nested() ? 0 : 1;
                case "recorded": return Nested() & Recorded() ? 0 : 1;
                case "paths": paths.Sort(string.CompareOrdinal); foreach (string path in paths) Console.WriteLine(path); break;
                case "run": Console.WriteLine(run.ContainsKey(args[2]) ? run[args[2]] : "absent"); break;
                case "time": Time(); break;
                case "samples": foreach (string line in samples) Console.WriteLine(line); break;
                case "async": foreach (KeyValuePair<string, ulong[]> path in AsyncCalls()) Console.WriteLine(path.Key + AsText(path.Value, 0, 6, 1)); break;
                case "asyncsum": AsyncSums(); break;
                case "asynctime": foreach (KeyValuePair<string, ulong[]> path in AsyncCalls()) Console.WriteLine(path.Key + AsText(path.Value, 6, 3, 1e6 / double.Parse(run["ticks_per_second"]))); break;
                default: return 2;
            }
            return 0;
        }
        catch (Exception e)
        {
            Console.WriteLine("ProfileDump: " + e);
            return 1;
        }
    }

    static void Read(byte[] file)
    {
        byte[] magic = Encoding.ASCII.GetBytes("ILPROF\r\n");
        Reader header = new Reader(file, 0, file.Length);
        foreach (byte b in magic) Expect(header.Byte() == b, "magic");
        Expect(header.Fixed(2) == 1, "major version");
        header.Fixed(2);
        Expect(header.Fixed(4) == 0, "reserved");
        int order = 0, at = header.At;
        string last = "";
        for (string kind = ""; kind != "END "; )
        {
            Reader section = new Reader(file, at, file.Length);
            kind = Encoding.ASCII.GetString(section.Bytes(4));
            uint crc = (uint)section.Fixed(4);
            int size = checked((int)section.Fixed(8));
            Expect(size <= file.Length - section.At, "size of " + kind);
            Expect(Crc(file, section.At, size) == crc, "CRC of " + kind);
            int rank = Array.IndexOf(new[] { "RUN ", "MODS", "THRD", "SWCH", "END " }, kind);
            int extra = Array.IndexOf(extras, kind);
            if (extra > 0) rank = 2;
            Expect(rank >= order, "order of " + kind);
            Expect(extra <= 0 || Array.IndexOf(extras, last) >= 0 && Array.IndexOf(extras, last) < extra, kind + " behind " + last);
            order = rank;
            last = kind;
            at = section.At + size;
            section.End = at;
            if (kind == "RUN ") ReadRun(section);
            if (kind == "MODS") ReadModules(section);
            if (kind == "THRD") ReadThread(section);
            if (kind == "SPAN") ReadSpans(section, threads[threads.Count - 1]);
            if (kind == "FOLD") ReadFolds(section, threads[threads.Count - 1]);
            if (kind == "TICK" || kind == "PROB") ReadTicked(section, threads[threads.Count - 1]);
            if (kind == "WAIT") ReadWaits(section, threads[threads.Count - 1]);
            if (kind == "BYTE") ReadBytes(section, threads[threads.Count - 1]);
            if (kind == "HIST") ReadHistograms(section);
            if (kind == "TIME") ReadEvents(section, threads[threads.Count - 1]);
            if (kind == "SAMP") ReadSamples(section, threads[threads.Count - 1]);
            if (kind == "EXCP") ReadExceptions(section, threads[threads.Count - 1]);
            if (kind == "ASYN") ReadAsync(section);
            if (kind == "SLIC") ReadSlices(section, threads[threads.Count - 1]);
            if (kind == "SWCH") ReadSwitches(section);
            Expect(section.At == at, "end of " + kind);
        }
        Expect(at == file.Length, "nothing after END");
    }

    static void ReadSwitches(Reader r)
    {
        ulong last = 0;
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong id = r.VarUInt(), reasons = r.VarUInt();
            Expect(id > last && reasons > 0 && reasons < 16 && (reasons & 3 & reasons >> 2) == 0, "a switched method");
            last = id;
            r.VarUInt();
            switches.Add(Name(id) + " " + reasons + " " + r.VarUInt());
        }
        Expect(switches.Count > 0, "methods that were switched");
    }

    static void ReadRun(Reader r)
    {
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            string key = r.Text(), value = r.Text();
            run.Add(key, value);
            lines.Add("run " + key + "=" + value);
        }
        foreach (string key in "name pid host start wall_ticks ticks_per_second clock runtime reason tracker".Split(' '))
            Expect(run.ContainsKey(key), "RUN: " + key);
    }

    static void ReadModules(Reader r)
    {
        ulong next = 1 << 24;
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong first = r.VarUInt(), count = r.VarUInt();
            Expect(first >= next, "order of bases");
            next = first + count;
            string assembly = r.Text(), mvid = new Guid(r.Bytes(16)).ToString();
            byte[] resource = r.Bytes(r.VarUInt());
            lines.Add("module " + first + " +" + count + " " + assembly + " " + mvid + " names=" + resource.Length);
            if (resource.Length > 0) ReadNames(resource, first, count);
        }
    }

    static void ReadNames(byte[] resource, ulong first, ulong count)
    {
        Reader r = new Reader(resource, 0, resource.Length);
        Expect(r.Fixed(4) == 0x4e4a4c49, "names: magic");
        bool v2 = r.Fixed(2) == 2; Expect(v2 || resource[4] == 1, "names: version");
        ulong form = r.Fixed(2); // 16: the informational version stands after the data
        Expect(r.Fixed(4) == count, "names: method count");
        int inflated = (int)r.Fixed(4);
        int size = (int)r.Fixed(4);
        Expect((form & ~16UL) == 0 && (form == 0 ? size == resource.Length - 36 : size < resource.Length - 36), "names: deflated size");
        MemoryStream data = new MemoryStream();
        using (Stream inflate = new DeflateStream(new MemoryStream(resource, 36, size), CompressionMode.Decompress))
            inflate.CopyTo(data);
        Expect(data.Length == inflated, "names: inflated size");
        r = new Reader(data.ToArray(), 0, inflated);
        r.Texts(2);
        ulong typeCount = r.VarUInt();
        Expect(r.VarUInt() == count, "names: method count");
        ulong[] enclosing = r.Column(typeCount);
        string[] spaces = r.Texts(typeCount, v2), typeNames = r.Texts(typeCount);
        List<string> types = new List<string>();
        for (ulong i = 0; i < typeCount; i++)
            types.Add(enclosing[i] > 0 ? types[(int)enclosing[i] - 1] + "/" + typeNames[i] : spaces[i] == "" ? typeNames[i] : spaces[i] + "." + typeNames[i]);
        foreach (ulong generic in r.Column(typeCount)) r.Texts(generic);
        ulong[] typeSteps = r.Runs(count, v2);
        foreach (ulong step in r.Runs(count, v2)) Expect(step > 0, "names: rows rise");
        r.Column(count);
        ulong[] flags = r.Column(count);
        string[] methods = r.Texts(count, v2);
        foreach (ulong generic in r.Runs(count, v2)) r.Texts(generic);
        string[] parameters = r.Texts(count, v2);
        long type = 0;
        for (ulong i = 0; i < count; i++)
        {
            type += (long)(typeSteps[i] >> 1) ^ -(long)(typeSteps[i] & 1);
            names[first + i] = (flags[i] & 64) != 0 ? "\"" + methods[i] + "\"" : types[(int)type] + "." + methods[i] + "(" + parameters[i] + ")";
        }
    }

    static void ReadThread(Reader r)
    {
        ulong id = r.VarUInt();
        string name = r.Text();
        ulong count = r.VarUInt();
        ulong nodeCount = r.VarUInt();
        lines.Add("thread " + id + " \"" + name + "\" x" + count + " nodes=" + nodeCount);
        Expect(id == 0 || count == 1, "number of threads");
        List<NodeData> nodes = new List<NodeData>();
        Stack<ulong> left = new Stack<ulong>();
        Stack<NodeData> parents = new Stack<NodeData>();
        for (ulong i = 0; i < nodeCount; i++)
        {
            NodeData n = new NodeData();
            while (left.Count > 0 && left.Peek() == 0) { left.Pop(); parents.Pop(); }
            Expect((left.Count == 0) == (i == 0), "pre-order");
            n.Depth = left.Count;
            if (left.Count > 0) left.Push(left.Pop() - 1);
            n.Children = r.VarUInt(); n.Id = r.VarUInt(); n.Calls = r.VarUInt(); n.Ticks = r.VarUInt();
            n.Folded = r.VarUInt(); n.Resynchronised = r.VarUInt(); n.Open = r.VarUInt();
            Expect(i == 0 ? n.Id == 0 : n.Id == 1 ? n.Depth == 1 && left.Peek() == 0 : n.Id >= 1 << 24, "id " + n.Id);
            Expect(n.Calls >= n.Resynchronised + n.Open, "calls of " + Name(n.Id));
            if (parents.Count > 0) n.Parent = parents.Peek();
            if (parents.Count > 0 && n.Id != 1) parents.Peek().ChildTicks += n.Ticks;
            left.Push(n.Children);
            parents.Push(n);
            nodes.Add(n);
            lines.Add(new string(' ', 2 * Math.Min(n.Depth + 1, 40)) + Name(n.Id) + " calls=" + n.Calls + " ticks=" + n.Ticks +
                      " folded=" + n.Folded + " resynchronised=" + n.Resynchronised + " open=" + n.Open);
        }
        foreach (ulong rest in left) Expect(rest == 0, "missing nodes");
        foreach (NodeData n in nodes)
            if (n.Id < 2) Expect(n.Ticks == n.ChildTicks, "time of a root");
        threads.Add(nodes);
        histograms.Add(null);
    }

    static void ReadExceptions(Reader r, List<NodeData> nodes)
    {
        List<string> types = new List<string>();
        types.Add("?");
        for (ulong left = r.VarUInt(); left > 0; left--) types.Add(r.Text());
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            NodeData n = nodes[(int)r.VarUInt()];
            Expect(n.Left == 0, "left by exception twice");
            n.Left = r.VarUInt();
            Expect(n.Left > 0 && n.Calls + (n.Open > 0 ? 1u : 0) >= n.Left + n.Resynchronised + n.Open, "frames left by exception of " + Name(n.Id));
        }
        Dictionary<string, bool> keys = new Dictionary<string, bool>();
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong type = r.VarUInt(), thrower = r.VarUInt(), catcher = r.VarUInt(), outcome = r.VarUInt();
            keys.Add(type + " " + thrower + " " + catcher + " " + outcome, true);
            Expect(outcome <= 9, "outcome " + outcome);
            StringBuilder line = new StringBuilder();
            line.Append(types[(int)type] + " " + outcome);
            ulong count = r.VarUInt(), ticks = r.VarUInt(), search = r.VarUInt();
            Expect(count > 0 && search <= ticks, "count and ticks of a path");
            line.Append(" x" + count + " searched=" + r.VarUInt() + " unwound=" + r.VarUInt());
            List<string> way = new List<string>();
            for (NodeData n = nodes[(int)thrower]; ; n = n.Parent)
            {
                Expect(n != null, "a catcher that is no caller of the thrower");
                string name = n.Id == 0 ? "(root)" : Name(n.Id);
                // A frame that recurs is shown once, with its number.
                int at = way.Count - 1;
                if (at >= 0 && way[at].Split('*')[0] == name) way[at] = name + "*" + (way[at].Contains("*") ? int.Parse(way[at].Split('*')[1]) + 1 : 2);
                else way.Add(name);
                if (n == nodes[(int)catcher]) break;
            }
            line.Append(" " + string.Join(" < ", way.ToArray()).Replace("N.T.", "").Replace("()", ""));
            ulong messages = r.VarUInt();
            Expect(messages <= 3 && messages <= count, "messages");
            for (; messages > 0; messages--)
            {
                string message = r.Text();
                Expect(message.Length <= 200, "length of a message");
                line.Append(" \"" + message + "\"");
            }
            paths.Add(line.ToString());
        }
        lines.AddRange(paths);
    }

    // Which nodes are later slices, and the calls of the ASYN section before that they belong to.
    static void ReadSlices(Reader r, List<NodeData> nodes)
    {
        int node = 0;
        ulong count = r.VarUInt();
        Expect(count > 0, "slices");
        for (ulong i = 0; i < count; i++)
        {
            ulong step = r.VarUInt(), place = r.VarUInt();
            Expect(step > 0 && step < (ulong)(nodes.Count - node), "slices: order");
            node += (int)step;
            Expect(place > 0 && place < (ulong)asyncIds.Count, "slices: place");
            Expect(nodes[node].Id == asyncIds[(int)place], "slices: id");
        }
    }

    // The paths of async methods alone: those without figures are plain ones on the way, and are left out of the others.
    static SortedDictionary<string, ulong[]> AsyncCalls()
    {
        SortedDictionary<string, ulong[]> calls = new SortedDictionary<string, ulong[]>(StringComparer.Ordinal);
        foreach (KeyValuePair<string, ulong[]> one in asyncPaths)
        {
            if (IsPlain(one.Key)) continue;
            string path = "";
            for (int start = 0, end; start < one.Key.Length; start = end)
            {
                end = one.Key.IndexOf('/', start + 1);
                if (end < 0) end = one.Key.Length;
                if (!IsPlain(one.Key.Substring(0, end))) path += one.Key.Substring(start, end - start);
            }
            path = path.TrimStart('/');
            ulong[] sum;
            if (!calls.TryGetValue(path, out sum)) calls.Add(path, sum = new ulong[9]);
            for (int column = 0; column < sum.Length; column++) sum[column] += one.Value[column];
        }
        return calls;
    }
    static bool IsPlain(string path)
    {
        ulong[] figures;
        return asyncPaths.TryGetValue(path, out figures) && Array.TrueForAll(figures, delegate(ulong value) { return value == 0; });
    }

    static void ReadAsync(Reader r)
    {
        ulong nodeCount = r.VarUInt();
        asyncIds.Clear();
        lines.Add("  async nodes=" + nodeCount);
        Stack<ulong> left = new Stack<ulong>();
        Stack<string> parents = new Stack<string>();
        for (ulong i = 0; i < nodeCount; i++)
        {
            while (left.Count > 0 && left.Peek() == 0) { left.Pop(); parents.Pop(); }
            Expect((left.Count == 0) == (i == 0), "async: pre-order");
            if (left.Count > 0) left.Push(left.Pop() - 1);
            ulong children = r.VarUInt(), id = r.VarUInt();
            Expect(i == 0 ? id == 0 : id >= 1 << 24, "async: id " + id);
            asyncIds.Add(id);
            string path = i == 0 ? "" : parents.Peek() == "" ? Name(id) : parents.Peek() + "/" + Name(id);
            // calls suspensions completed failed cancelled, then unlinked, then the three times
            ulong[] node = new ulong[9];
            foreach (int column in new[] { 0, 1, 2, 3, 4, 6, 7, 8, 5 }) node[column] = r.VarUInt();
            left.Push(children);
            parents.Push(path);
            lines.Add(new string(' ', 2 * Math.Min(left.Count + 1, 40)) + (i == 0 ? "root" : Name(id)) + AsText(node, 0, 6, 1));
            if (i == 0)
            {
                foreach (ulong value in node) Expect(value == 0, "async: figures of the root");
                continue;
            }
            ulong[] sum;
            if (!asyncPaths.TryGetValue(path, out sum)) asyncPaths.Add(path, sum = new ulong[9]);
            for (int column = 0; column < sum.Length; column++) sum[column] += node[column];
        }
        foreach (ulong rest in left) Expect(rest == 0, "async: missing nodes");
    }

    static string Path(NodeData n)
    {
        string path = "";
        for (; n.Id > 1; n = n.Parent) path = "/" + Name(n.Id).Replace("N.T.", "").Replace("()", "") + path;
        return n.Id == 1 ? "(folded)" + path : path.Substring(1);
    }

    static string AsText(ulong[] values, int from, int count, double unit)
    {
        string text = "";
        for (int i = from; i < from + count; i++) text += " " + (ulong)(values[i] * unit);
        return text;
    }

    static string Name(ulong id)
    {
        string name;
        return names.TryGetValue(id, out name) ? name : "#" + id;
    }

    static void Sums()
    {
        SortedDictionary<ulong, ulong[]> sums = new SortedDictionary<ulong, ulong[]>();
        foreach (List<NodeData> nodes in threads)
            foreach (NodeData n in nodes)
            {
                if (n.Id < 2) continue;
                ulong[] sum;
                if (!sums.TryGetValue(n.Id, out sum)) sums.Add(n.Id, sum = new ulong[3]);
                sum[0] += n.Calls; sum[1] += n.Resynchronised; sum[2] += n.Open;
            }
        foreach (KeyValuePair<ulong, ulong[]> sum in sums)
            Console.WriteLine(Name(sum.Key) + " " + sum.Value[0] + " " + sum.Value[1] + " " + sum.Value[2]);
    }

    static void Ways()
    {
        SortedDictionary<ulong, ulong[]> sums = new SortedDictionary<ulong, ulong[]>();
        foreach (List<NodeData> nodes in threads)
            foreach (NodeData n in nodes)
            {
                if (n.Id < 2) continue;
                ulong[] sum;
                if (!sums.TryGetValue(n.Id, out sum)) sums.Add(n.Id, sum = new ulong[4]);
                sum[0] += n.Calls; sum[1] += n.Left; sum[2] += n.Resynchronised; sum[3] += n.Open;
            }
        foreach (KeyValuePair<ulong, ulong[]> sum in sums)
            Console.WriteLine(Name(sum.Key).Replace("N.T.", "").Replace("()", "") + " " + sum.Value[0] + " = " +
                              (long)(sum.Value[0] - sum.Value[1] - sum.Value[2] - sum.Value[3]) + " " + sum.Value[1] + " " + sum.Value[2] + " " + sum.Value[3]);
    }

    static void Time()
    {
        long own = 0, roots = 0, negative = 0;
        foreach (List<NodeData> nodes in threads)
            foreach (NodeData n in nodes)
                if (n.Id == 0) roots += (long)(n.Ticks + n.Folded);
                else if (n.Id > 1)
                {
                    long mine = (long)n.Ticks - (long)n.ChildTicks - (long)n.Folded;
                    if (mine < -ByChance(n.ChildTicks + n.Folded)) negative++;
                    own += mine;
                }
        double ns = 1e9 / double.Parse(run["ticks_per_second"]);
        Console.WriteLine("own=" + (long)(own * ns) + " roots=" + (long)(roots * ns) + " wall=" + (long)(double.Parse(run["wall_ticks"]) * ns) + " negative=" + negative);
    }

    static void Series(string[] args)
    {
        Dictionary<string, ulong[]> before = new Dictionary<string, ulong[]>();
        ulong calls = 0, open = 0, everOpen = 0;
        for (int i = 1; i < args.Length; i++)
        {
            Forget();
            Read(File.ReadAllBytes(args[i]));
            Dictionary<string, ulong[]> now = new Dictionary<string, ulong[]>();
            foreach (List<NodeData> nodes in threads) CheckTree(nodes, now);
            foreach (KeyValuePair<string, ulong[]> path in before)
                for (int column = 0; column < 3; column++)
                    Expect(now.ContainsKey(path.Key) && now[path.Key][column] >= path.Value[column], args[i] + ": a count of" + path.Key + " has become lower");
            calls = open = 0;
            foreach (ulong[] path in now.Values) { calls += path[0]; open += path[3]; everOpen += path[3]; }
            before = now;
        }
        Expect(everOpen > 0 || args.Length <= 3, "nothing is open in any of many");
        Console.WriteLine((args.Length - 1) + " snapshots, " + before.Count + " paths, " + calls + " calls, " + open + " open");
    }

    // Siblings are different methods, and what is open is one chain from the root. Adds the counts of each path.
    static void CheckTree(List<NodeData> nodes, Dictionary<string, ulong[]> sums)
    {
        Dictionary<NodeData, string> path = new Dictionary<NodeData, string>();
        Dictionary<string, bool> here = new Dictionary<string, bool>();
        Dictionary<NodeData, bool> hasOpenChild = new Dictionary<NodeData, bool>();
        foreach (NodeData n in nodes)
        {
            path[n] = n.Parent == null ? "" : path[n.Parent] + "/" + n.Id;
            here.Add(path[n], true);
            bool folded = n.Id == 1 || n.Parent != null && n.Parent.Id == 1;
            Expect(!folded || n.Children == 0 || n.Id == 1, "a callee of a folded call");
            if (n.Open > 0 && !folded)
            {
                Expect(n.Open == 1, "open twice");
                Expect(n.Parent.Id == 0 || n.Parent.Open == 1, "open, and its caller is not");
                hasOpenChild.Add(n.Parent, true);
            }
            ulong[] sum;
            if (!sums.TryGetValue(path[n], out sum)) sums.Add(path[n], sum = new ulong[4]);
            sum[0] += n.Calls; sum[1] += n.Resynchronised; sum[2] += n.Left; sum[3] += n.Open;
        }
    }

    static void MakeNames(string[] args)
    {
        MemoryStream data = new MemoryStream();
        int count = args.Length - 2;
        Put(data, "driver.exe"); Put(data, "driver");
        data.WriteByte(1);
        if (count > 127) data.WriteByte((byte)(count & 127 | 128));
        data.WriteByte((byte)(count > 127 ? count >> 7 : count));
        data.WriteByte(0); Put(data, "N"); Put(data, "T"); data.WriteByte(0);
        Fill(data, count, 0);  // types, all the first
        Fill(data, count, 1);  // rows
        Fill(data, count, 10); // sizes
        Fill(data, count, 1);  // flags
        foreach (string[] parts in Methods(args)) Put(data, parts[0]);
        Fill(data, count, 0);  // generic parameters
        foreach (string[] parts in Methods(args)) Put(data, parts.Length > 1 ? parts[1] : "");
        Fill(data, count, 0);  // owners
        MemoryStream deflated = new MemoryStream();
        using (Stream deflate = new DeflateStream(deflated, CompressionMode.Compress, true))
            deflate.Write(data.ToArray(), 0, (int)data.Length);
        using (BinaryWriter file = new BinaryWriter(File.Create(args[1])))
        {
            file.Write(0x4e4a4c49); file.Write((short)1); file.Write((short)0);
            file.Write(count); file.Write((int)data.Length); file.Write((int)deflated.Length);
            file.Write(new byte[16]); file.Write(deflated.ToArray());
        }
    }

    static IEnumerable<string[]> Methods(string[] args)
    {
        for (int i = 2; i < args.Length; i++) yield return args[i].TrimEnd(')').Split('(');
    }

    static void Fill(Stream to, int count, byte value) { for (int i = 0; i < count; i++) to.WriteByte(value); }

    static void Put(Stream to, string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        to.Write(bytes, 0, bytes.Length);
        to.WriteByte(0);
    }

    internal static uint Crc(byte[] bytes, int at, int count)
    {
        uint crc = 0xffffffff;
        for (int i = at; i < at + count; i++)
        {
            crc ^= bytes[i];
            for (int bit = 0; bit < 8; bit++) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        }
        return ~crc;
    }

    internal static void Expect(bool holds, string what) { if (!holds) throw new InvalidDataException(what); }
}
