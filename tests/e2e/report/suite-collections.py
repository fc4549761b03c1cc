#!/usr/bin/env -S python3 -B
"""The garbage collections that come while methods run, and their pauses (the setting collections): as
often as the source says (tests/e2e/lib/cs/Collected.cs), and as the program itself reads them."""
import gzip
import re
import subprocess
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import (ILINJECT, LIB, ROOT, can, check, command, equal, fails, finish, halves, has, ilinject, like, mcs,
                 profile_agrees, program, report, runtimeconfig, skip, true, write)

if not has("mono", "mcs"):
    skip("methods have the collections that come while they run", "no mono or no mcs")
    finish()

# Calls, collections of the own code, and with all that is called, counted in the source. A collection
# on another thread is one of the thread that waits for it, too.
BY_HAND = {name: [int(number) for number in numbers] for name, *numbers in map(str.split, """\
Nothing   2 0 0
Once      5 5 5
Young     1 1 1
Twice     1 2 2
Calls     1 1 3
Grows     1 1 1
Deep      1 0 5
Down      5 5 5
Throws    1 1 1
Catches   1 1 3
Numbers   1 2 2
Iterates  1 0 2
Slices    1 3 4
OnThread  2 2 2
Waits     1 2 2
Measured  1 0 24""".splitlines())}
INSIDE, ALL = 24, 26  # of Measured; OnThread has two of its own, and Main has none
SHAPES = {"guarded-paths": "--exits=guarded", "guarded-full": "--exits=guarded --exceptions=full", "ret": "--exits=ret"}


class Report:
    """The functions of a profile's report, by their names, and its totals, which have to agree."""

    def __init__(self, profile):
        data = report(profile)
        self.functions = {f["method"].split("(")[0]: f for f in data["functions"]}
        self.totals, self.paused = data["totals"], "exclusive_pause_ns" in data["totals"]
        for kind in ("collections", "pause_ns") if self.paused else ("collections",):
            roots = sum(t["tree"][0]["inclusive_" + kind] for t in data["threads"])
            nodes = sum(n["exclusive_" + kind] for t in data["threads"] for n in t["tree"])
            own = sum(f["exclusive_" + kind] for f in data["functions"])
            true(own == roots == nodes == self.totals["exclusive_" + kind],
                 f"{kind}: functions {own}, roots {roots}, nodes {nodes}, all {self.totals}")

    def sums(self):
        """Of the whole run, and of Measured with what it calls."""
        return [self.totals["exclusive_collections"], self.functions["Measured"]["inclusive_collections"]]


def run_with(runtime, name, word="", shape="guarded-paths", **settings):
    """A run with settings; its profile."""
    env = {"ILINJECT_BEAT": "0", **{f"ILINJECT_{setting}": value for setting, value in settings.items()}}
    return program(runtime, f"after/{shape}/Collected.exe", *word.split(), name=name, status=0, env=env)


def made(shape):
    ilinject("-q before/Collected.exe -o", f"after/{shape}/", "--set collections=1".split(), SHAPES[shape].split())
    runtimeconfig(f"after/{shape}/Collected.exe")


# ---- Counts ----------------------------------------------------------------------------------------


def by_hand(profile, shape):
    """Where an exception leaves a method unseen, its frame ends with the next call of a method below."""
    found = Report(profile)
    unseen = ("Throws", "Catches") if shape == "ret" else ()
    figures = ("calls", "exclusive_collections", "inclusive_collections")
    rows = {name: [found.functions[name][figure] for figure in figures]
            for name in BY_HAND if name not in unseen}
    equal([f"{name} {row}" for name, row in rows.items()], [f"{name} {BY_HAND[name]}" for name in rows])
    equal(found.totals["exclusive_collections"], ALL)


def by_itself(said, runtime):
    """The program's own readings of the run that is reported: none of it is lost, nothing comes from elsewhere."""
    count, pause = map(int, said.out.split())
    found = Report(said.profile)
    equal(found.functions["Measured"]["inclusive_collections"], count)
    equal([pause >= 0, found.paused], [runtime == "dotnet"] * 2)
    if found.paused:  # the runtime counts tenths of microseconds
        true(abs(found.functions["Measured"]["inclusive_pause_ns"] - pause) <= 100, f"the program says {pause}")
        true(0 < found.functions["Once"]["exclusive_pause_ns"] < pause, f"of {pause}")


def quiet(runtime):
    found = Report(run_with(runtime, "quiet", "quiet").profile)
    equal([found.totals["exclusive_collections"], found.functions["Idle"]["calls"]], [0, 501])


def however(runtime):
    """Folded calls stand in the sums of their callers."""
    for way in ("HISTOGRAM=1", "TIMELINE=1", "CLOCK=none", "CLOCK=coarse", "RECURSION=3", "NODES=9", "ALLOC=bytes"):
        found = Report(run_with(runtime, "however", **dict([way.split("=")])).profile)
        equal([way, *found.sums()], [way, ALL, INSIDE])


def beside_bytes(runtime):
    """With both figures, bytes are what they are alone: every method's own. Main, Throws and Count are left
    out: in one run of ten, with either figure, Mono itself allocates 48 bytes more at the program's start,
    or at its first exception; Count, which asks for a type by name, had 80 bytes more in 5 of 200 runs on
    .NET, perhaps where the tracker's thread asks at the same time."""
    def bytes_of(functions):
        return {name: f["exclusive_bytes"] for name, f in functions.items() if name not in ("Throws", "Main", "Count")}
    alone = {f["method"].split("(")[0]: f for f in report(
        run_with(runtime, "bytes", ALLOC="bytes", COLLECTIONS="0").profile)["functions"]}
    both = Report(run_with(runtime, "both", ALLOC="bytes").profile)
    equal(both.totals["exclusive_collections"], ALL)
    equal(bytes_of(both.functions), bytes_of(alone))
    true(sum(bytes_of(alone).values()) >= 1000 and both.functions["Down"]["exclusive_bytes"] == 0, str(alone))
    true(min(functions["Throws"]["exclusive_bytes"] for functions in (both.functions, alone)) >= 100, str(alone))


def taken_back(runtime):
    """The calls that are left have what came in all of them, but for those of other threads. Those that an
    exception left, and slices, are kept."""
    found = Report(run_with(runtime, "longer", LONGER="3600s").profile)
    true("Once" not in found.functions, "Once is there")
    equal(found.sums(), [INSIDE, INSIDE])
    own = found.functions["Measured"]["exclusive_collections"]
    true(own >= 15, f"{own} of Measured's own")


def not_while_stopped(runtime):
    found = Report(run_with(runtime, "stopped", START="Collected.Twice", STOP="Collected.Twice").profile)
    equal([sorted(found.functions), found.totals["exclusive_collections"]], [["Nothing", "Twice"], 2])


def unasked(runtime):
    """Nothing is in the profile, and nothing is said."""
    profile = run_with(runtime, "unasked", COLLECTIONS="0").profile
    data = profile.read_bytes()
    equal([word for word in (b"COLL", b"PAUS", b"collections_", b"pauses_") if word in data], [])
    ilinject("report --format=json", profile).lacks("_collections", "_pause")
    ilinject("report -v --color=never", profile).lacks(like("^Garbage"), "Incl. coll")
    true(ilinject("report --format=csv", profile).out.splitlines()[0].endswith(",waiting_ns,file,line"))


# ---- Reports ---------------------------------------------------------------------------------------


def in_the_text(profile, runtime):
    pauses, columns = (r", [0-9.]* .s of pauses", r"Collections  Incl. pause  *Pause") if runtime == "dotnet" \
        else ("", "Collections")
    ilinject("report -v --color=never --width=200 --sort=collections --top=3", profile).shows(
        like(rf"^Garbage  26 collections while calls ran{pauses}: [0-9.]* % in Collected\."),
        like(rf"Incl. collections  {columns} .*Function\n(.*\n)?"
             r" *5  .* 5  *5 .*Collected.(Once\(\)|Down\(int\))$"))
    ilinject("report --format=calltree", profile).shows(
        like(rf"^ *Calls  Incl. collections  {columns} .*Call tree$"),
        like(r"^ *1  *3  *1 .*  Collected.Calls\(\)\n(.*\n)? *2  *2  *2 .*  Collected.Once\(\)$"))
    ilinject("report --view=functions --columns=inclusive-collections,collections --sort=name", profile).shows(
        like(r"^ *3  *1  Collected.Calls\(\)$"))


def exported(profile, runtime):
    columns, values = "exclusive_collections,inclusive_collections", ",1,3"
    if runtime == "dotnet":
        columns, values = f"{columns},exclusive_pause_ns,inclusive_pause_ns", ",1,3,[0-9]*,[0-9]*"
    ilinject("report --format=csv", profile).shows(
        like(rf"\A.*,waiting_ns,{columns},file,line\r?$"),
        like(rf'"Collected.Calls\(\)".*[0-9]{values},[^,]*,[0-9]*\r?$'))


def other_tools(profile, runtime):
    """Stacks add up to all of them; other tools read events and profiles of them beside those of time."""
    stacks = ilinject("report --format=collapsed --weight=collections", profile).out.splitlines()
    equal(sum(int(line.split()[-1]) for line in stacks), ALL)
    events = " collections pause" if runtime == "dotnet" else " collections"
    write("callgrind", ilinject("report --format=callgrind", profile).shows(
        like(f"^events: exclusive_ns exceptions{events}$"), like("^summary: [0-9]* [0-9]* 26")).out)
    if has("callgrind_annotate"):
        command("callgrind_annotate --auto=no --sort=collections --show=collections --threshold=100 --inclusive=yes "
                "callgrind").shows(like(r"^ *3 \([0-9. ]*%\) .*Collected.Calls\(\)"))
    speedscope = ilinject("report --format=speedscope", profile).json()["profiles"]
    ours = [p["endValue"] for p in speedscope if p["name"].endswith(": garbage collections meanwhile")]
    equal([len(ours), sum(ours)], [2, ALL])
    pprof = subprocess.run([ILINJECT, "report", "--format=pprof", profile], stdout=subprocess.PIPE, check=True).stdout
    true(b"collections" in gzip.decompress(pprof), "pprof has none")


PAGE = r"""
const fs = require('fs'), vm = require('vm');
const page = fs.readFileSync(process.argv[2], 'utf8');
const data = JSON.parse(page.match(/<script[^>]*id="profile"[^>]*>([^]*?)<\/script>/)[1]);
vm.runInThisContext(fs.readFileSync(process.argv[3], 'utf8') + '; this.of = { makeFunctions, makeTree };');
const now = data.profile, { functions } = of.makeFunctions(now, null);
for (const figure of ['collections', ...(now.totals.pause === undefined ? [] : ['pause'])]) {
  const { root, all } = of.makeTree(now, null, functions, [], -1, false, figure);
  const calls = all.find(frame => frame.name === 'Collected.Calls()');
  if (root.total !== now.totals[figure] || calls.total !== functions[calls.function.position]['all_' + figure])
    throw new Error(`${figure}: ${root.total} of ${now.totals[figure]}, ${calls.total}`);
  if (figure === 'collections' && (root.total !== 26 || calls.total !== 3 || calls.own !== 1))
    throw new Error(`${root.total}, ${calls.total}`);
}
"""


def in_the_page(profile):
    """The page's own code makes graphs of what stands in the page."""
    ilinject("report", profile, "--html", "page.html")
    command("node", write("page.js", PAGE), "page.html", ROOT / "src/report/page/model.js")


def merged(profile):
    for name, other, times in (("merged", profile, 2), ("again", "merged.ilprof", 3)):
        ilinject(f"merge -q -o {name}.ilprof", other, profile)
        equal(Report(f"{name}.ilprof").sums(), [ALL * times, INSIDE * times])


# ---- Gates -----------------------------------------------------------------------------------------


def gate(conditions, before, after, passes):
    """A build that is to fail, or to pass, by these limits."""
    options = [word for condition in conditions for word in ("--fail-if", condition)]
    return ilinject("diff", options, before, after) if passes else fails(Path(ILINJECT), "diff", options, before, after)


def gated(one, more):
    """One method collects twice instead of once."""
    gate(["Collected.Grows: collections > +1", "Collected.Once: collections > +0"], one, more, True)
    said = str(gate(["Collected.Grows: collections > +50%"], one, more, False))
    true("Collected.Grows(): 1 -> 2 (2.0x): Collected.Grows: collections > +50%" in said, said)
    true(re.search("^Total .*, collections 26 -> 27 ", said, re.M), said)
    gate(["Collected.Measured: inclusive-collections > 24"], one, more, False)
    methods = {m["name"]: m for m in ilinject("diff --format=json", one, more).json()["methods"]}
    grows = methods["Collected.Grows()"]["exclusive_collections"]
    measured = methods["Collected.Measured()"]["inclusive_collections"]
    equal([grows["verdict"], grows["before"], measured["after"]], ["more", 1, INSIDE + 1])


def gated_pause(profile, runtime):
    """A limit of a pause is a time."""
    def once(limit, passes):
        return str(gate([f"Collected.Once: pause > {limit}"], profile, profile, passes))
    if runtime != "dotnet":
        once("1h", False)
        said = once("1s", False)
        true("some run has not counted the pauses of collections (--set collections=1, on .NET 7 or later), "
             "so none are judged" in said, said)
        return
    once("100 s", True)
    said = once("100 ns", False)
    true(re.search(r"Collected.Once\(\): [0-9.]* .s -> [0-9.]* .s ", said), said)
    said = once("100", False)
    true("expected a time with its unit" in said, said)


def uncounted_gate(profile, without):
    said = str(gate(["Collected.**: collections > +4"], profile, without, False))
    true("some run has not counted collections (--set collections=1), so none are judged" in said, said)


check("the program compiles", lambda: runtimeconfig(
    mcs("before/Collected.exe", "-r:System.Core.dll", "-optimize+", LIB / "cs/Collected.cs")))
for shape in SHAPES:
    check(f"it is instrumented to count, {shape}", made, shape)


def of_runtime(runtime):
    if not can(runtime):
        skip(f"methods have the collections that come while they run on {runtime}", f"{runtime} is not installed")
        return

    def on(sentence, function, *arguments):
        check(f"{runtime}{sentence}", function, *arguments)

    runs = {}
    for shape in SHAPES:
        runs[shape] = run_with(runtime, shape, shape=shape)
        on(f", {shape}: collections are those of the source", by_hand, runs[shape].profile, shape)
        on(f", {shape}: collections and pauses are those that the program has read", by_itself, runs[shape], runtime)
    profile = runs["guarded-paths"].profile
    on(": the report agrees with itself", profile_agrees, profile)
    on(": a program that does not collect has none", quiet, runtime)
    on(": the same collections however calls are recorded", however, runtime)
    on(": bytes are counted beside them", beside_bytes, runtime)
    on(": collections of calls that were taken back are their callers'", taken_back, runtime)
    on(": none are counted while nothing is recorded", not_while_stopped, runtime)
    on(": the table and the tree say them", in_the_text, profile, runtime)
    on(": the table of values has them", exported, profile, runtime)
    on(": other tools' formats have them", other_tools, profile, runtime)
    if has("node"):
        on(": the page's graph has them", in_the_page, profile)
    else:
        skip(f"{runtime}: the page's graph has them", "no node")
    on(": merged runs have those of all", merged, profile)
    on(": a build can be failed on them", gated, profile, run_with(runtime, "more", "more").profile)
    on(": or on their pauses, where these are known", gated_pause, profile, runtime)
    on(": nothing is counted where nobody asks", unasked, runtime)
    on(": a gate on collections fails where they were not counted", uncounted_gate, profile,
       profile.with_name(f"unasked.{runtime}.ilprof"))


halves(of_runtime)
finish()
