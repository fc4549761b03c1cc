#!/usr/bin/env -S python3 -B
"""The page's timeline: its calls are those of the trace for Chrome, and what ran in a range adds up."""
import json
import sys
sys.path[0] += "/../.."
from kit import ROOT, check, command, equal, finish, has, ilinject, mcs, program, report, skip, true, write

SOURCE = """\
using System;
using System.Threading;
class T
{
    static int Leaf(int n) { return n * 3; }
    static int Twice(int n) { return Leaf(n) + Leaf(n + 1); }
    static int Deep(int n) { return n == 0 ? Twice(1) : Deep(n - 1); }
    static void Work()
    {
        for (int i = 0; i < Calls; i++) Twice(i);
        if (Calls == 0) Spins();
        Deep(9);
    }
    static void Spin(int ms)
    {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        while (watch.ElapsedMilliseconds < ms) Leaf(1);
    }
    static void Spins() { Spin(60); Thread.Sleep(20); Spin(40); }
    static int Calls;
    static void Main(string[] arguments)
    {
        Calls = int.Parse(arguments[0]);
        if (Calls == 0) Spins();
        var other = new Thread(Work) { Name = "</script>other" };
        other.Start();
        Work();
        other.Join();
    }
}
"""
ASYNC = """\
using System.Threading.Tasks;
class A
{
    static TaskCompletionSource<int> gate = new TaskCompletionSource<int>();
    static async Task<int> Later(int n) { await gate.Task; return n; }
    static void Main() { var all = Task.WhenAll(Later(1), Later(2)); gate.SetResult(0); all.Wait(); }
}
"""
# The page's own code, in node.
NODE = """
const fs = require('fs'), [file, ...scripts] = process.argv.slice(2), text = fs.readFileSync(file, 'utf8');
const { dataOf, makeLanes, rowsWithin, rulerMarks, makeSpans, makeFunctions, makeRange } =
  new Function(scripts.map(s => fs.readFileSync(s, 'utf8')).join('\\n') +
    '; return { dataOf, makeLanes, rowsWithin, rulerMarks, makeSpans, makeFunctions, makeRange };')();
const [, type, textContent] = /<script type="([^"]*)" id="profile">([^<]*)<.script>/.exec(text);
dataOf({ type, textContent }).then(({ profile, calls }) => {
const lanes = makeLanes(profile.timeline), end = profile.timeline.end;
const name = p => p < 0 ? '' : profile.functions.name[p];
const rows = (from, to) => rowsWithin(lanes, from, to).map(r => [name(r.position), r.calls, r.own, r.total]);
const { functions } = makeFunctions(profile, null), spans = makeSpans(calls, profile.runs, functions);
const half = makeRange(lanes, functions, [profile.threads, []], 0, end / 2, false, '');
const places = new Map(lanes.flatMap(l => l.calls.map((c, i) => [c, i])));
console.log(JSON.stringify({
  lanes: lanes.map(l => [l.name, l.calls.map(c =>
    [name(c.position), c.start, c.end, c.depth, places.get(c.parent) ?? -1])]),
  sampled: profile.timeline.sampled || false, overwritten: profile.timeline.overwritten,
  left_out: profile.timeline.left_out, least: profile.timeline.least, end,
  whole: rows(0, end), halves: [rows(0, end / 2), rows(end / 2, end)],
  spans: spans && spans.calls.map(c => [name(c.position), c.start, c.end, c.depth]),
  ranged: half.functions.map(f => [f.name, f.calls, f.exclusive, f.inclusive]),
  graph: [half.whole, half.tree().root.total],
  threads: half.threads(profile.threads).reduce((sum, t) => sum + t.ns, 0),
  around: functions.map(f => [f.name, ['callers', 'callees'].map(side =>
    half.neighbours(f, false)[side].map(n => [n.name, n.calls]))]),
  marks: [[0, 1000, 900], [950, 1234567, 400], [5, 6, 90]].map(m => rulerMarks(...m)),
}));
});
"""
SCRIPTS = [ROOT / f"src/report/page/{name}.js" for name in ("model", "lanes", "range")]


def recorded(name, calls, **settings):
    return program("mono", "made/T.exe", calls, name=name, status=0,
                   env={"ILINJECT_" + key: value for key, value in settings.items()}).profile


def shown(profile, page):
    ilinject("report --format=html -o", page, profile)
    return command("node", write("page.js", NODE), page, *SCRIPTS).json()


def traced(profile):
    """The calls of each thread by the trace: name, start, end, depth; in the order in which they began."""
    threads, names = {}, {}
    for event in json.loads(ilinject("report --format=chrome", profile).out)["traceEvents"]:
        calls, open_calls = threads.setdefault(event["tid"], ([], []))
        if event["ph"] == "M":
            names[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "B":
            open_calls.append(len(calls))
            calls.append([event["name"], round(event["ts"] * 1000), None, len(open_calls) - 1])
        else:
            calls[open_calls.pop()][2] = round(event["ts"] * 1000)
    return {names[tid]: calls for tid, (calls, _) in threads.items() if calls}


def lanes_are_the_trace(profile):
    found = shown(profile, "few.html")
    equal(found["left_out"], 0)
    theirs = traced(profile)
    true({name: [call[:4] for call in calls] for name, calls in found["lanes"]} == theirs, "other calls than the trace")
    for _, calls in found["lanes"]:
        for _, start, end, depth, above in calls:
            true(depth == 0 and above < 0 or
                 calls[above][3] == depth - 1 and calls[above][1] <= start and end <= calls[above][2])


def a_range_adds_up(profile):
    found = shown(profile, "few.html")
    theirs, own = traced(profile), {}
    for calls in theirs.values():
        above = []
        for name, start, end, depth in calls:
            own[name] = own.get(name, 0) + end - start
            del above[depth:]
            if above:
                own[above[-1]] -= end - start
            above.append(name)
    equal({name: ns for name, _, ns, _ in found["whole"]}, own)
    calls = [call for calls in theirs.values() for call in calls]
    equal({name: count for name, count, _, _ in found["whole"]},
          {name: sum(call[0] == name for call in calls) for name in own})
    halves = [{row[0]: row[2] for row in half} for half in found["halves"]]
    for name, ns in own.items():
        true(abs(sum(half.get(name, 0) for half in halves) - ns) < 1, name)
    # A call below others of its method counts once.
    deep = [[call for call in calls if call[0] == "T.Deep(int)"] for calls in theirs.values()]
    equal([row[1::2] for row in found["whole"] if row[0] == "T.Deep(int)"],
          [[20, sum(calls[0][2] - calls[0][1] for calls in deep)]])
    equal(found["marks"][0], list(range(0, 1001, 100)))
    true(all(2 <= len(marks) < 12 for marks in found["marks"][:2]), str(found["marks"]))


def views_of_a_range_agree(profile):
    """What the other views show of the first half: functions, graph, threads, callers and callees."""
    found = shown(profile, "few.html")
    equal({row[0]: row[1:] for row in found["ranged"]}, {row[0]: row[1:] for row in found["halves"][0]})
    whole, graph = found["graph"]
    true(whole > 0 and abs(whole - graph) < 1 and abs(whole - found["threads"]) < 1, [whole, graph, found["threads"]])
    calls = {row[0]: row[1] for row in found["ranged"]}
    for name, (callers, callees) in found["around"]:
        equal(sum(count for _, count in callers), calls.get(name, 0))
        true(all(0 < count <= calls[callee] for callee, count in callees), callees)


def captured_async_calls_are_spans():
    """From the start to the end of each, awaits included; those at the same time stand below one another."""
    write("A.cs", ASYNC)
    mcs("A.exe", "A.cs")
    ilinject("-q A.exe --capture=A.Later -o made/")
    profile = program("mono", "made/A.exe", name="spans", status=0, env={"ILINJECT_TIMELINE": "1"}).profile
    found, of = shown(profile, "spans.html"), report(profile)
    equal(sorted((start, end) for _, start, end, _ in found["spans"]),
          sorted((call["start_ns"], call["start_ns"] + call["ns"]) for call in of["calls"]))
    equal({name.split("(")[0] for name, *_ in found["spans"]}, {"A.Later"})
    equal(sorted(depth for *_, depth in found["spans"]), [0, 1])


def the_longest_stay(profile):
    """Of more calls than have room the longest are there, each below its caller."""
    found, theirs = shown(profile, "many.html"), traced(profile)
    every = sorted((end - start for calls in theirs.values() for _, start, end, _ in calls), reverse=True)
    kept = sorted((end - start for _, calls in found["lanes"] for _, start, end, _, _ in calls), reverse=True)
    equal((len(kept), found["left_out"]), (60000, len(every) - 60000))
    true(kept == every[:60000] and found["least"] == every[59999], "others are kept than the longest")
    for name, calls in found["lanes"]:
        known = {tuple(call) for call in theirs[name]}
        for call in calls:
            true(tuple(call[:4]) in known and (call[3] == 0) == (call[4] < 0) and
                 (call[3] == 0 or calls[call[4]][3] == call[3] - 1), str(call))


def sampled_paths_are_those_of_the_tree(profile):
    """Without a timeline its lanes are by what ran at each tick of the clock, and the page says so."""
    found = shown(profile, "sampled.html")
    true(found["sampled"] and len(found["lanes"]) == 2, found["lanes"])
    tree, known = report(profile), set()
    for thread in tree["threads"]:
        path = []
        for node in thread["tree"][1:]:
            path[node["depth"] - 1:] = [tree["functions"][node["function"]]["name"]]
            known.add(tuple(path))
    for _, calls in found["lanes"]:
        last, paths = 0, []
        for name, start, end, depth, above in calls:
            path = (paths[above] if depth else ()) + (name,)
            paths.append(path)
            true(path in known, path)
            true(start <= end <= found["end"] and start >= (calls[above][1] if depth else last))
            true(end <= calls[above][2] if depth else True)
            last = last if depth else end
    true("T.Spin(int)" in {name for name, _, own, _ in found["whole"] if own > 20e6}, found["whole"])


def earlier_samples_go_first(profile):
    """There is room for as many as the setting says, and the others are counted."""
    found = shown(profile, "limited.html")
    true(found["overwritten"] > 0 and found["sampled"], found)


def none_without_one(profile):
    ilinject("report --format=html -o none.html", profile)
    text = open("none.html", encoding="utf-8").read()
    true("lanes" not in text and "imeline" not in text)


write("T.cs", SOURCE)
if not has("mono", "mcs", "node"):
    skip("the page's timeline", "mono, mcs and node are not all there")
    finish()
mcs("T.exe", "T.cs")
ilinject("-q T.exe -o made/")
few = recorded("few", "20", TIMELINE="1")
check("its calls are those of the trace, each below its caller", lanes_are_the_trace, few)
check("what ran in a range adds up to the own times of the calls", a_range_adds_up, few)
check("the views of a range agree", views_of_a_range_agree, few)
check("async calls that were captured are spans", captured_async_calls_are_spans)
check("of many calls the longest are there", the_longest_stay, recorded("many", "10300", TIMELINE="1"))
check("without one it is by samples, whose paths are in the tree", sampled_paths_are_those_of_the_tree,
      recorded("sampled", "0"))
check("the latest samples are kept", earlier_samples_go_first, recorded("limited", "0", EVENTS="8"))
check("a page without a timeline has nothing of it", none_without_one, recorded("none", "20", CLOCK="stopwatch"))
finish()
