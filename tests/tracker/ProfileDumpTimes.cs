// The part of ProfileDump.cs that reads single calls: the shortest and the longest, histograms, the
// timeline.
using System;
using System.Collections.Generic;

class EventData
{
    public NodeData Node;
    public ulong Start, End;
}

class StreamData
{
    public List<NodeData> Nodes;
    public ulong Thread, Overwritten;
    public string Name;
    public List<EventData> Ended = new List<EventData>(), Open = new List<EventData>();
}

static partial class ProfileDump
{
    // What times by ticks may be off: five standard deviations, and ten ticks, which come late on a busy machine.
    static long ByChance(ulong ticks)
    {
        if (!run.ContainsKey("clock_ticks")) return 0;
        double step = double.Parse(run["clock_step_ns"]) * double.Parse(run["ticks_per_second"]) / 1e9;
        return (long)(5 * Math.Sqrt(step * ticks) + 10 * step);
    }

    static readonly List<StreamData> streams = new List<StreamData>();
    static readonly List<SortedDictionary<ulong, ulong[]>> histograms = new List<SortedDictionary<ulong, ulong[]>>();

    static void ReadSpans(Reader r, List<NodeData> nodes)
    {
        ulong count = r.VarUInt(), at = 0;
        Expect(count > 0, "spans of no node");
        for (; count > 0; count--)
        {
            ulong step = r.VarUInt();
            Expect(step > 0, "order of spans");
            at += step;
            NodeData n = nodes[(int)at];
            n.Min = r.VarUInt();
            n.Max = n.Min + r.VarUInt();
            n.Timed = true;
            Expect(n.Id != 1 && n.Calls + (n.Open > 0 ? 1u : 0) > n.Open, "a span of " + Name(n.Id) + ", which has not ended");
        }
    }

    static readonly SortedDictionary<string, ulong[]> folds = new SortedDictionary<string, ulong[]>(StringComparer.Ordinal);

    static void ReadFolds(Reader r, List<NodeData> nodes)
    {
        ulong count = r.VarUInt(), at = 0;
        Expect(count > 0, "folded calls of no node");
        for (; count > 0; count--)
        {
            ulong step = r.VarUInt();
            at += step;
            Expect(step > 0 && at < (ulong)nodes.Count, "order of folded calls");
            NodeData n = nodes[(int)at];
            ulong[] more = r.Column(8);
            bool folded = n.Parent.Id == 1;
            Expect(folded || (more[4] | more[5] | more[6] | more[7]) == 0, "folded frames of " + Name(n.Id) + ", which has none");
            Expect(more[5] <= more[4] && more[4] >= (folded ? n.Ticks : 0), "time of folded frames of " + Name(n.Id));
            ulong[] sum;
            string name = (folded ? "*" : "") + Name(n.Id);
            if (!folds.TryGetValue(name, out sum)) folds.Add(name, sum = new ulong[8]);
            for (int i = 0; i < 8; i++) sum[i] += more[i];
        }
    }

    static void Folds()
    {
        foreach (KeyValuePair<string, ulong[]> f in folds)
            Console.WriteLine(f.Key + " " + f.Value[0] + " " + f.Value[1] + " " + f.Value[2] + " " + f.Value[3] + (f.Key[0] == '*' ? " " + f.Value[6] + " " + f.Value[7] : ""));
    }

    static void ReadTicked(Reader r, List<NodeData> nodes)
    {
        ulong at = 0;
        for (ulong count = r.VarUInt(); count > 0; count--)
        {
            ulong step = r.VarUInt();
            Expect(step > 0, "order of entries by ticks");
            at += step;
            Expect(at < (ulong)nodes.Count, "ticks of node " + at);
            r.VarUInt();
        }
    }

    static void ReadWaits(Reader r, List<NodeData> nodes)
    {
        ulong count = r.VarUInt(), at = 0;
        Expect(count > 0, "waits of no node");
        for (; count > 0; count--)
        {
            ulong step = r.VarUInt();
            Expect(step > 0, "order of waits");
            at += step;
            Expect(at < (ulong)nodes.Count && r.VarUInt() > 0, "a wait of node " + at);
        }
    }

    static void ReadBytes(Reader r, List<NodeData> nodes)
    {
        ulong entries = 0;
        for (int part = 0; part < 2; part++)
        {
            ulong at = 0;
            for (ulong count = r.VarUInt(); count > 0; count--, entries++)
            {
                ulong step = r.VarUInt();
                Expect(step > 0, "order of bytes");
                at += step;
                Expect(at < (ulong)nodes.Count && r.VarUInt() > 0, "bytes of node " + at);
            }
        }
        Expect(entries > 0, "bytes of no node");
    }

    // Bounds by doubling, where the tracker and the report have formulas.
    static ulong[] BucketBounds()
    {
        List<ulong> bounds = new List<ulong>();
        for (ulong i = 0; i < 8; i++) bounds.Add(i);
        for (ulong step = 2; bounds.Count < 249; step *= 2)
            for (int i = 0; i < 4 && bounds.Count < 249; i++) bounds.Add(i == 0 && bounds.Count == 8 ? 8 : bounds[bounds.Count - 1] + (i == 0 ? step / 2 : step));
        return bounds.ToArray();
    }

    static void ReadHistograms(Reader r)
    {
        SortedDictionary<ulong, ulong[]> all = new SortedDictionary<ulong, ulong[]>();
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong id = r.VarUInt(), first = r.VarUInt(), count = r.VarUInt();
            Expect(id >= 1 << 24 && count > 0 && first + count <= 248, "buckets of " + Name(id));
            ulong[] counts = new ulong[248];
            for (ulong i = 0; i < count; i++) counts[first + i] = r.VarUInt();
            Expect(counts[first] > 0 && counts[first + count - 1] > 0, "empty buckets of " + Name(id));
            all.Add(id, counts);
            lines.Add("  histogram " + Name(id) + " " + first + " +" + count);
        }
        histograms[histograms.Count - 1] = all;
    }

    static void ReadEvents(Reader r, List<NodeData> nodes)
    {
        lines.Add("  lost=" + r.VarUInt());
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            StreamData s = new StreamData();
            s.Nodes = nodes;
            s.Thread = r.VarUInt(); s.Name = r.Text(); s.Overwritten = r.VarUInt();
            ulong end = 0;
            for (ulong events = r.VarUInt(); events > 0; events--)
            {
                EventData e = new EventData();
                int at = (int)r.VarUInt();
                Expect(at > 0, "an event of the root");
                e.Node = nodes[at];
                e.End = end += r.VarUInt();
                ulong duration = r.VarUInt();
                Expect(duration <= end && e.Node.Id >= 1 << 24, "an event of " + Name(e.Node.Id));
                e.Start = end - duration;
                s.Ended.Add(e);
            }
            ulong start = 0;
            for (ulong open = r.VarUInt(); open > 0; open--)
            {
                EventData e = new EventData();
                e.Node = nodes[(int)r.VarUInt()];
                e.Start = r.VarUInt();
                Expect(e.Start >= start && e.Node.Open > 0, "an open event of " + Name(e.Node.Id));
                start = e.Start;
                s.Open.Add(e);
            }
            lines.Add("  stream " + s.Thread + " \"" + s.Name + "\" events=" + s.Ended.Count + " overwritten=" + s.Overwritten + " open=" + s.Open.Count);
            streams.Add(s);
        }
    }

    static readonly List<string> samples = new List<string>();

    static void ReadSamples(Reader r, List<NodeData> nodes)
    {
        r.VarUInt();
        for (ulong left = r.VarUInt(); left > 0; left--)
        {
            ulong thread = r.VarUInt(), end = 0, last = 0, count = 0;
            string name = r.Text();
            ulong overwritten = r.VarUInt();
            for (ulong samples = r.VarUInt(); samples > 0; samples--, last = end, count++)
            {
                int at = (int)r.VarUInt();
                Expect(at > 0 && nodes[at].Id >= 1 << 24, "a sample of a method");
                end += r.VarUInt();
                ulong since = r.VarUInt();
                Expect(since > 0 && since <= end - last, "a sample since the one before");
            }
            Expect(r.VarUInt() == 0, "no open frames among samples");
            samples.Add(thread + " \"" + name + "\" samples=" + count + " overwritten=" + overwritten);
        }
    }

    static void Spans()
    {
        foreach (List<NodeData> nodes in threads)
            foreach (NodeData n in nodes)
                if (n.Id > 1) Console.WriteLine(Path(n) + " " + (n.Calls - n.Open) + " " + n.Ticks + " " + (n.Timed ? n.Min + " " + n.Max : "-"));
    }

    static void Events()
    {
        foreach (StreamData s in streams)
        {
            foreach (EventData e in s.Ended) Console.WriteLine(s.Thread + " " + Path(e.Node) + " " + e.Start + " " + e.End);
            foreach (EventData e in s.Open) Console.WriteLine(s.Thread + " " + Path(e.Node) + " " + e.Start + " open");
        }
    }

    static bool Nested()
    {
        bool holds = true;
        foreach (StreamData s in streams)
        {
            Stack<EventData> pending = new Stack<EventData>();
            foreach (EventData e in s.Ended)
            {
                // A call within the event has ended before it, and nothing reaches into it.
                while (pending.Count > 0 && pending.Peek().Start >= e.Start) pending.Pop();
                if (pending.Count > 0 && pending.Peek().End > e.Start) holds = Wrong(s, e, "reaches into " + Path(pending.Peek().Node));
                pending.Push(e);
            }
            for (int i = 1; i < s.Open.Count; i++)
                if (s.Open[i].Node.Parent != s.Open[i - 1].Node && s.Open[i].Node.Parent.Id != 1) holds = Wrong(s, s.Open[i], "is not below what it is open in");
            foreach (EventData open in s.Open)
                foreach (EventData e in s.Ended)
                    if (e.Start < open.Start && e.End > open.Start) holds = Wrong(s, e, "reaches into " + Path(open.Node) + ", which is open");
        }
        return holds;
    }

    // The timeline says of each node and function what SPAN, HIST and the tree say, when nothing
    // was overwritten. Calls that an ended thread left open are in the timeline alone.
    static bool Recorded()
    {
        bool holds = true, whole = true;
        ulong[] bounds = BucketBounds();
        foreach (StreamData s in streams) whole &= s.Overwritten == 0;
        for (int i = 0; i < threads.Count && whole; i++)
        {
            Dictionary<NodeData, List<ulong>> times = new Dictionary<NodeData, List<ulong>>();
            SortedDictionary<ulong, ulong[]> counts = new SortedDictionary<ulong, ulong[]>();
            bool any = false;
            foreach (StreamData s in streams)
            {
                if (s.Nodes != threads[i]) continue;
                any = true;
                foreach (EventData e in s.Ended)
                {
                    if (!times.ContainsKey(e.Node)) times.Add(e.Node, new List<ulong>());
                    times[e.Node].Add(e.End - e.Start);
                    if (!counts.ContainsKey(e.Node.Id)) counts.Add(e.Node.Id, new ulong[248]);
                    int bucket = 0;
                    while (bounds[bucket + 1] <= e.End - e.Start) bucket++;
                    counts[e.Node.Id][bucket]++;
                }
            }
            if (!any) continue;
            Dictionary<ulong, bool> left = new Dictionary<ulong, bool>();
            foreach (NodeData n in threads[i])
            {
                if (n.Id < 2) continue;
                ulong closed = n.Calls - n.Open;
                List<ulong> its = times.ContainsKey(n) ? times[n] : new List<ulong>();
                if (closed != (ulong)its.Count) { Console.WriteLine(Path(n) + ": " + closed + " closed, " + its.Count + " events"); holds = false; }
                if (n.Resynchronised > 0) { left[n.Id] = true; continue; }
                its.Sort();
                ulong sum = 0;
                foreach (ulong time in its) sum += time;
                if (its.Count > 0 && (!n.Timed || n.Min != its[0] || n.Max != its[its.Count - 1])) { Console.WriteLine(Path(n) + ": " + n.Min + " to " + n.Max); holds = false; }
                if (n.Parent.Id != 1 && n.Open == 0 && sum != n.Ticks) { Console.WriteLine(Path(n) + ": " + n.Ticks + " ticks, " + sum + " in events"); holds = false; }
            }
            if (histograms[i] == null) continue;
            foreach (KeyValuePair<ulong, ulong[]> count in counts)
                for (int bucket = 0; bucket < 248 && !left.ContainsKey(count.Key); bucket++)
                {
                    ulong found = histograms[i].ContainsKey(count.Key) ? histograms[i][count.Key][bucket] : 0;
                    if (found != count.Value[bucket]) { Console.WriteLine(Name(count.Key) + ": bucket " + bucket + ": " + found + ", " + count.Value[bucket] + " in events"); holds = false; }
                }
        }
        return holds;
    }

    static void AsyncSums()
    {
        foreach (KeyValuePair<string, ulong[]> path in AsyncCalls())
            if (path.Value[6] + path.Value[7] != path.Value[8]) Console.WriteLine(path.Key + AsText(path.Value, 6, 3, 1));
    }

    static bool Wrong(StreamData s, EventData e, string what)
    {
        Console.WriteLine("thread " + s.Thread + ": " + Path(e.Node) + " " + e.Start + " to " + e.End + " " + what);
        return false;
    }
}
