#!/usr/bin/env -S python3 -B
"""Methods have the file and line of their first statement, as other readers of the symbols say
(tests/e2e/lib/cs/Lines.cs, MdbLines.cs), and so have the formats with sources."""
import csv
import json
import sys
sys.path[0] += "/../.."
from kit import (BUILD, LIB, ROOT, check, command, csc, equal, finish, fresh, has, ilinject, mcs, program, read, report,
                 runtimeconfig, scratch, skip, tracker_sources, true, write)

SOURCE = """\
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
class P
{
    int x = 3;
    static int G(int i)
    {
        return i * 2;
    }
    int Q => x;
    static IEnumerable<int> It()
    {
        yield return 1;
    }
    static async Task<int> A()
    {
        await Task.Delay(1);
        return 3;
    }
    static void Main()
    {
        foreach (var i in It()) G(i);
        Func<int, int> f = k =>
            k + new P().Q;
        Console.WriteLine(f(3) + A().Result);
#line 200 "made.txt"
        H();
    }
    static void H() { }
}
"""
# By hand: where each body begins, in code that is optimised or not.
LINES = {"P.G(int)": {8, 9}, "P.Q.get": {11}, "P.It()": {13, 14}, "P.A()": {17, 18}, "P.Main.lambda#1(int)": {25},
         "P.H()": {202}, "P.P()": {6}}


def ours(assembly):
    """Token, line and file, by the names in what was made of it."""
    fresh("made")
    ilinject("-q", assembly, "-o", f"made/{assembly}")
    return command(BUILD / "tests/shown_names", f"made/{assembly}", "--lines").out.splitlines()


def agree(assembly, oracle, minimum):
    found, theirs = ours(assembly), command("dotnet", "Lines.dll", assembly).out.splitlines() if not oracle else oracle
    true(len(found) >= minimum, f"{len(found)} lines")
    equal(found, theirs)


def by_mono(assembly):
    """Mono's reader knows nothing of who starts a machine: the rest has to be the same."""
    theirs = command("mono", "MdbLines.exe", f"{assembly}.mdb").out.splitlines()
    return sorted(set(ours(assembly)) - set(theirs)), sorted(set(theirs) - set(ours(assembly)))


def known(functions, without):
    lines = {f["name"]: f.get("line") for f in functions if f["name"] in LINES}
    true(set(lines) == set(LINES) and all(lines[name] in LINES[name] or name in without for name in LINES), str(lines))
    equal({f["file"].rsplit("/", 1)[-1] for f in functions if "file" in f}, {"a.cs", "made.txt"})


def places_by_hand(runtime, file):
    ran = program(runtime, file, status=0)
    # mcs says no line of an accessor that is an expression.
    known(report(ran.profile)["functions"], {"P.Q.get"} if runtime == "mono" else set())
    for there in ("/there", "/there/"):
        said = ilinject("report --format=json --source", f"{scratch()}={there}", ran.profile).out
        true('"file": "/there/a.cs"' in said, said)
    # A part of a folder's name is no folder.
    true("there" not in ilinject("report --format=json --source", f"{str(scratch())[:-1]}=/there", ran.profile).out)
    said = ilinject("report --view=functions --lines", ran.profile).out
    true("P.H()  made.txt:202" in said, said)
    ilinject("report --json --lines", ran.profile, status=2).says("--lines is for the text format")
    ilinject("report --source nowhere", ran.profile, status=2).says("--source is FROM=DIR, found 'nowhere'")
    return ran.profile


def no_symbols():
    ilinject("-q", "plain.exe", "-o", "made/plain.exe")
    functions = report(program("mono", "made/plain.exe").profile)["functions"]
    true(all("file" not in f and "line" not in f for f in functions))


def annotated(profile):
    """callgrind_annotate puts what a method costs beside its first statement."""
    ilinject("report --format=callgrind -o l.callgrind", profile)
    said = command("callgrind_annotate --auto=yes --threshold=100 l.callgrind").out
    line = next(line for line in said.splitlines() if "k + new P().Q;" in line)
    true(line.split()[0].replace(",", "").isdigit(), line)


def chrome_profile(profile):
    made = json.loads(ilinject("report --format=cpuprofile", profile).out)
    nodes = {node["id"]: node for node in made["nodes"]}
    equal(len(nodes), len(made["nodes"]))
    equal(sorted(child for node in made["nodes"] for child in node["children"]), sorted(set(nodes) - {1}))
    equal((len(made["samples"]), made["samples"][-1]), (len(made["timeDeltas"]), 1))
    true(abs(sum(made["timeDeltas"]) - made["endTime"]) < 0.5)
    own = {}
    for sample, delta in zip(made["samples"], made["timeDeltas"][1:]):
        name = nodes[sample]["callFrame"]["functionName"]
        own[name] = own.get(name, 0) + delta
    for f in report(profile)["functions"]:
        if f["name"] in ("P.Main()", "P.G(int)"):
            true(abs(own.get(f["name"], 0) * 1000 - f["exclusive_ns"]) < 2, f["name"])
    frame = next(n["callFrame"] for n in nodes.values() if n["callFrame"]["functionName"] == "P.G(int)")
    true(frame["url"].endswith("/a.cs") and frame["lineNumber"] + 1 in LINES["P.G(int)"], str(frame))


def pprof_source(profile):
    ilinject("report --format=pprof -o l.pb.gz", profile)
    said = command("go tool pprof -list P.G l.pb.gz", env={"HOME": str(scratch())}).out
    true("a.cs" in said and "return i * 2" in said, said)


def places_in_tables(profile):
    """CSV has them last; a trace has them as the stack frame where a call begins."""
    functions = {f["name"]: (f.get("file", ""), str(f.get("line", ""))) for f in report(profile)["functions"]}
    head, *rows = csv.reader(ilinject("report --format=csv", profile).out.splitlines())
    equal(head[-2:], ["file", "line"])
    equal({row[head.index("name")]: tuple(row[-2:]) for row in rows}, functions)
    trace = json.loads(ilinject("report --format=chrome --source", f"{scratch()}=/there", profile).out)
    begins = [event for event in trace["traceEvents"] if event["ph"] == "B"]
    true(len(begins) > 5 and all("args" not in event for event in begins), str(begins))
    for event in begins:
        file, line = functions[event["name"].split(" [")[0]]
        there = {"category": "source", "name": f"{file.replace(str(scratch()), '/there')}:{line}"}
        equal(trace["stackFrames"][str(event["sf"])] if "sf" in event else None, there if file else None)
    true(any("sf" in event for event in begins))


# The page's own code, in node: places and their addresses, and the graphs around each method.
PAGE = """
const fs = require('fs'), [page, ...scripts] = process.argv.slice(2);
const code = scripts.map(file => fs.readFileSync(file, 'utf8')).join('\\n');
const {
  makeFunctions, makeTree, makePlaces, sourceAddress, placeText, callerTree, calleeTree, stateOf, fragmentOf, EDITORS
} =
  new Function(code + '; return { makeFunctions, makeTree, makePlaces, sourceAddress, placeText, callerTree, ' +
    'calleeTree, stateOf, fragmentOf, EDITORS };')();
const text = /<script type="application.json" id="profile">(.*?)<.script>/s.exec(fs.readFileSync(page, 'utf8'))[1];
const data = JSON.parse(text).profile;
const { functions } = makeFunctions(data, null), places = makePlaces(data.functions);
const tree = makeTree(data, null, functions, null, -1, false, 'exclusive');
const round = { view: 'callers', method: 'A.B<C>(int, ref D&)', search: '100 %' };
console.log(JSON.stringify({
  places: functions.map(f => [f.name, places.of(f), placeText(places.of(f))]),
  around: functions.filter(f => f.part === 0).map(f => [
    f.name, f.inclusive, callerTree(tree, f).root.total, calleeTree(tree, f).root.total,
    callerTree(tree, f).root.calls]),
  addresses: [...Object.values(EDITORS), 'javascript:alert({line})//{path}', ' data:text/html,{path}', 'no address']
    .map(pattern => sourceAddress(pattern, '/a b/x#1.cs', 7)),
  windows: sourceAddress(EDITORS['VS Code'], 'C:\\\\w\\\\x.cs', 7),
  waiting: data.totals.waiting,
  round: JSON.stringify(stateOf(fragmentOf({ ...round, filter: '', at: '' }))) === JSON.stringify(round),
}));
"""


def on_the_page(profile):
    ilinject("report --format=html -o page.html", profile)
    found = command("node", write("page.js", PAGE), "page.html",
                    *(ROOT / f"src/report/page/{name}.js" for name in ("model", "source"))).json()
    functions = {f["name"]: f for f in report(profile)["functions"]}
    for name, place, text in found["places"]:
        f = functions[name.split(" [")[0]]
        equal(place and (place["path"], place["line"]), (f["file"], f["line"]) if "file" in f else None)
        equal(text, f"{f['file'].rsplit('/', 1)[-1]}:{f['line']}" if "file" in f else "")
    for name, inclusive, callers, callees, calls in found["around"]:
        # Recursion counts once in all of them; the tree is without waits.
        true(callers == callees and inclusive - found["waiting"] - 2 <= callers <= inclusive + 2,
             f"{name}: {inclusive}, {callers}, {callees}")
        # One of a state machine is resumed.
        true(calls == functions[name]["calls"] if name in functions else calls > 0, f"{name}: {calls} calls")
    true(len(found["around"]) > 5)
    equal(found["addresses"], ["vscode://file/a%20b/x%231.cs:7", "cursor://file/a%20b/x%231.cs:7",
                               "http://localhost:63342/api/file/a%20b/x%231.cs:7",
                               "rider://open?file=/a%20b/x%231.cs&line=7", None, None, None])
    equal(found["windows"], "vscode://file/C:/w/x.cs:7")
    true(found["round"], "a state is not what its fragment says")


def repository_links():
    """With SourceLink's JSON each place has the forge's page, where the lines are."""
    write("link.json", json.dumps({"documents": {f"{scratch()}/*": "https://raw.githubusercontent.com/u/r/c0ffee/*"}}))
    csc("linked.dll", "-target:exe", "-debug:portable", "-sourcelink:link.json", "a.cs")
    ilinject("-q linked.dll -o made/linked.dll")
    runtimeconfig("made/linked.dll")
    ilinject("report --format=html -o linked.html", program("dotnet", "made/linked.dll", status=0).profile)
    found = command("node", write("page.js", PAGE), "linked.html",
                    *(ROOT / f"src/report/page/{name}.js" for name in ("model", "source"))).json()
    pages = {name: place and place["page"] for name, place, _ in found["places"]}
    equal(pages["P.H()"], "https://github.com/u/r/blob/c0ffee/made.txt#L202")
    true(pages["P.G(int)"] in {f"https://github.com/u/r/blob/c0ffee/a.cs#L{line}" for line in LINES["P.G(int)"]},
         str(pages))


write("a.cs", SOURCE)
if not has("mono", "mcs"):
    skip("lines of methods by Mono's symbols", "mono and mcs are not installed")
else:
    mcs("a.exe", "-debug", "a.cs")
    mcs("plain.exe", "a.cs")
    mcs("MdbLines.exe", "-r:Mono.CompilerServices.SymbolWriter.dll", LIB / "cs/MdbLines.cs")
    mcs("tracker.dll", "-debug", "-target:library", "-nowarn:414", *tracker_sources())
    check("a .mdb: where each body begins, by hand", lambda: [ours("a.exe"), places_by_hand("mono", "made/a.exe")])
    check("a .mdb: all as Mono's reader says, but for who starts a machine",
          lambda: equal([[line.split()[1] for line in by_mono("a.exe")[0]], by_mono("a.exe")[1]], [["13", "17"], []]))
    check("a .mdb with 1,800 methods likewise", lambda: equal(by_mono("tracker.dll"), ([], [])))
    check("without symbols nothing is said", no_symbols)

if not csc("Lines.dll", "-optimize+", LIB / "cs/Lines.cs"):
    skip("lines of methods by portable PDBs", "no SDK of .NET")
    finish()
for kind in ("portable", "embedded"):
    for optimised in "+-":
        csc(f"{kind}.dll", "-target:exe", f"-debug:{kind}", f"-optimize{optimised}", "a.cs")
        check(f"{kind}, optimize{optimised}: as System.Reflection.Metadata says",
              lambda: agree(f"{kind}.dll", None, 10))  # pylint: disable=cell-var-from-loop
        runtimeconfig("made/embedded.dll")
        runtimeconfig("made/portable.dll")
        check(f"{kind}, optimize{optimised}: where each body begins, by hand",
              lambda: places_by_hand("dotnet", f"made/{kind}.dll"))  # pylint: disable=cell-var-from-loop
profile = program("dotnet", "made/embedded.dll", status=0).profile
check(".cpuprofile: its times are the report's, its places the source's", chrome_profile, profile)
check("CSV and traces have file and line of each function that has them", places_in_tables,
      program("dotnet", "made/embedded.dll", status=0, env={"ILINJECT_TIMELINE": "1"}).profile)
if has("node"):
    check("the page has each place, and the graphs around a method add up to its time", on_the_page, profile)
    check("SourceLink's JSON leads to the repository's page", repository_links)
else:
    skip("the page's places", "node is not installed")
if has("callgrind_annotate"):
    check("callgrind_annotate shows the source", annotated, profile)
else:
    skip("callgrind_annotate shows the source", "valgrind is not installed")
if has("go"):
    check("go tool pprof shows the source", pprof_source, profile)
else:
    skip("go tool pprof shows the source", "go is not installed")
finish()
