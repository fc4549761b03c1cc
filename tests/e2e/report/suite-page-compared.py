#!/usr/bin/env -S python3 -B
"""A page of two profiles has both in each view, as their own reports have them."""
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import ROOT, check, command, equal, finish, has, ilinject, mcs, program, report, skip, true, write

SOURCE = """
using System;
using System.Threading;
static class P
{
    static void Step(int i)
    {
        if (i % 3 == 0) throw new InvalidOperationException("x");
        if (i > 6) throw new FormatException("y");
    }
    static void Work(int n)
    {
        for (int i = 0; i < n; i++)
            try { Step(i); } catch (InvalidOperationException) { } catch (FormatException) { }
    }
    static void Even(int n) { Work(n); }
    static void Odd(int n) { Work(n + 1); }
    static void Main(string[] a)
    {
        int n = int.Parse(a[0]);
        if (n % 2 == 0) Even(n); else Odd(n);
        for (int i = 0; i < n % 3; i++)
        {
            int own = i;
            var t = new Thread(() => Work(own)) { Name = "worker" };
            t.Start();
            t.Join();
        }
        Console.WriteLine(n);
    }
}
"""
# The page's own code, in node: what its views are of.
NODE = """
const fs = require('fs'), [file, ...scripts] = process.argv.slice(2), text = fs.readFileSync(file, 'utf8');
const page = new Function(scripts.map(s => fs.readFileSync(s, 'utf8')).join('\\n') +
  '; return { makeFunctions, neighbours, matchRows, matchExceptions, matchThreads, makeLanes, makeTree };')();
const data = JSON.parse(/<script type="application.json" id="profile">(.*?)<.script>/s.exec(text)[1]);
const { profile: now, before } = data, { functions, beforePositions } = page.makeFunctions(now, before);
const work = functions.find(f => f.name.startsWith('P.Work('));
const edges = page.matchRows(page.neighbours(now.edges, functions, work.position).callers,
  page.neighbours(before.edges, functions, work.position, beforePositions).callers, n => n.name);
const times = row => row === null ? 0 : row.calls === undefined ? row.count : row.calls;
const pair = row => [row.name, times(row), times(row.was)];
console.log(JSON.stringify({
  functions: functions.map(f => [f.name, f.calls, f.before.calls]),
  callers: edges.map(pair),
  exceptions: page.matchExceptions(now.exceptions, before.exceptions).filter(n => n.kind === 'type').map(pair),
  threads: page.matchThreads(now.threads, before.threads).map(pair),
  names: [now.timeline && page.makeLanes(now.timeline),
    before.timeline && page.makeLanes(before.timeline, beforePositions)]
    .map(lanes => lanes && [...new Set(lanes.flatMap(lane => lane.calls.map(c => functions[c.position].name)))]),
  trees: [-1, now.threads[0].node].map(node => page.makeTree(now, before, functions, beforePositions, node, false,
    'exclusive', node < 0 ? undefined : before.threads[0].node).root)
    .map(root => [root.total > 0, root.totalBefore > 0]),
  heads: [data.head, data.earlier.head].map(head => head.find(line => line.startsWith('File'))),
}));
"""


def seen(now, before):
    ilinject("report --html both.html", now, "--before", before)
    scripts = (ROOT / f"src/report/page/{name}.js" for name in ("model", "compare", "lanes"))
    return command("node", write("both.js", NODE), "both.html", *scripts).json()


def calls_of(profile):
    return {f["name"]: f["calls"] for f in report(profile)["functions"]}


def has_both(now, before):
    found, one, other = seen(now, before), calls_of(now), calls_of(before)
    equal({name: (calls, was) for name, calls, was in found["functions"]},
          {name: (one.get(name, 0), other.get(name, 0)) for name in {*one, *other}})
    # Odd and Even call Work once each, and the threads' lambda does.
    equal({name.split("(")[0]: (calls, was) for name, calls, was in found["callers"]},
          {"P.Even": (0, 1), "P.Odd": (1, 0), "P.Main.lambda#1": (1, 2)})
    # Of 0 to 7 and of 0 to 7: 0, 3, 6 and 7; of the threads' calls with 0 and 1 also the 0 of the second one.
    equal({name: (calls, was) for name, calls, was in found["exceptions"]},
          {"System.InvalidOperationException": (3, 4), "System.FormatException": (1, 1)})
    equal(sum(calls for _, calls, _ in found["threads"]), sum(one.values()))
    equal(sum(was for _, _, was in found["threads"]), sum(other.values()))
    equal(found["trees"], [[True, True]] * 2)
    true(str(now) in found["heads"][0] and str(before) in found["heads"][1], found["heads"])


def has_timelines(now, before):
    names = [name.split("(")[0] for name in seen(now, before)["names"][1]]
    true("P.Even" in names and "P.Odd" not in names, names)
    equal(seen(before, RUNS[0])["names"][1], None)


def nothing_in_one(profile):
    ilinject("report --html one.html", profile)
    page = Path("one.html").read_text(encoding="utf-8")
    true("function matchRows" not in page and '"earlier"' not in page)
    true(not re.search(r'"before":[^n]', page))


if not has("mono", "mcs", "node"):
    skip("two profiles in a page", "mono, mcs and node are not all there")
    finish()
write("P.cs", SOURCE)
mcs("P.exe", "P.cs")
ilinject("-q P.exe -o made/")
RUNS = [program("mono", "made/P.exe", n, name=f"{kind}-{n}", env=env, status=0).profile
        for kind, env in (("plain", {"ILINJECT_CLOCK": "stopwatch"}), ("timed", {"ILINJECT_TIMELINE": "1"}))
        for n in (7, 8)]
check("functions, callers, exceptions, threads, graphs and heads are of both", has_both, *RUNS[:2])
check("so are timelines, of what has one", has_timelines, RUNS[2], RUNS[3])
check("a page of one profile has nothing of it", nothing_in_one, RUNS[0])
finish()
