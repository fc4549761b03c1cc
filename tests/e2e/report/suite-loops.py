#!/usr/bin/env -S python3 -B
"""A `Main` that works and then waits for others, by what src/naming/loops.def names: its work stays in its row, its
waiting is a line of its own. Waits of methods that are called several times stay. An async `Main` waits so by itself;
its calls go on elsewhere, and the ends of their times are no sums of the ends of all that they called."""
import json
import re
import sys
sys.path[0] += "/../.."
from kit import can, check, csc, finish, fresh, ilinject, mcs, program, skip, true, write

SOURCE = """\
using System.Diagnostics;
using System.Threading;
static class Shop {
    // The thread sleeps from when Main is about to wait for it: a busy machine may leave Main no processor before.
    static ManualResetEvent waits;
    static void Work() { Stopwatch watch = Stopwatch.StartNew(); while (watch.ElapsedMilliseconds < 250) { } }
    static void Sleeps() { waits.WaitOne(); Thread.Sleep(300); }
    static Thread Begin() { Thread thread = new Thread(Sleeps); thread.Start(); return thread; }
    static void Each() { Thread thread = Begin(); waits.Set(); thread.Join(); }
    static void Finish(Thread thread) { waits.Set(); thread.Join(); }
    static void Main(string[] args) {
        if (args[0] == "only") { Thread thread = new Thread(Work); thread.Start(); thread.Join(); return; }
        Work();
        waits = new ManualResetEvent(args[0] == "sleeps");
        if (args[0] == "main") { Thread thread = Begin(); waits.Set(); thread.Join(); }
        else if (args[0] == "callee") Finish(Begin());
        else if (args[0] == "each") { Each(); Each(); }
        else Sleeps();
        Work();
    }
}
"""
# A and B call each other by 4,094 ways, and each call takes next to nothing.
ASYNC = """\
using System.Threading.Tasks;
static class Shop {
    static int A(int depth) { return depth == 0 ? 1 : A(depth - 1) + B(depth - 1); }
    static int B(int depth) { return depth == 0 ? 2 : A(depth - 1) + B(depth - 1); }
    static int Sum() { int sum = 0; for (int i = 0; i < 100; i++) sum += A(11); return sum; }
    static async Task<int> Load() { await Task.Delay(300); return Sum(); }
    static async Task<int> Main() { return await Load() == 0 ? 1 : 0; }
}
"""
LINE = r"^… \d+ ms that Shop\.{} waited for others; --idle adds them$"


def waiting(profile, method, *options):
    """What the table says that a method waited, and the table."""
    text = ilinject("report --view=functions --columns=calls,waiting", *options, profile).out
    row = re.search(rf"^ *\d+  +((?:[\d.]+ .?s)?) *Shop\.{method}\(", text, re.M)
    true(row, f"no row of {method}:\n{text}")
    return row[1], text


def leaves_out(profile, method):
    found, text = waiting(profile, method)
    true(found == "" or not re.fullmatch(r"[2-9]\d\d ms|.* s", found), f"{method} waits {found}:\n{text}")
    true(re.search(LINE.format(method), text, re.M), text)
    found, text = waiting(profile, method, "--idle")
    true(re.fullmatch(r"[2-9]\d\d ms|.* s", found), f"{method} waits {found}:\n{text}")
    true("waited for others" not in text, text)


def counts(profile, method):
    found, text = waiting(profile, method)
    true(re.fullmatch(r"[2-9]\d\d ms|.* s", found), f"{method} waits {found}:\n{text}")
    true("waited for others" not in text, text)


def of_type(profile, *options):
    """What the program's type waits in the table of types, in ms, and the table."""
    text = ilinject("report --view=functions --by=type --columns=calls,waiting", *options, profile).out
    row = re.search(r"^ *\d+  +(?:([\d.]+) (.s|s)|) +Shop$", text, re.M)
    true(row, f"no row of Shop:\n{text}")
    return float(row[1] or 0) * {None: 0, "ns": 0, "µs": 0.001, "ms": 1, "s": 1000}[row[2]], text


def by_type(profile, line, stays, goes):
    """So many ms stay at least, and so many are left out."""
    least, text = of_type(profile)
    true(re.search(line, text, re.M), text)
    most, whole = of_type(profile, "--idle")
    true(least >= stays and most - least >= goes, f"{least} and {most} ms:\n{text}{whole}")


def brief(profile):
    """The most waiting is not the one that waited for others."""
    text = ilinject("report --view=brief", profile).out
    found = re.search(r"^Waiting .*?% Shop\.(\w+)", text, re.M)
    true(found and found[1] == "Sleeps", text)


def ends(profile):
    """The ends of a sum: near it, but for a few ticks."""
    of = json.loads(ilinject("report --format=json", profile).out)
    step = of["runs"][0]["clock_step_ns"]
    sums = {f["name"].split(".")[-1]: (f["inclusive_ns"], f["inclusive_high_ns"]) for f in of["functions"]}
    for name in ("A(int)", "Load()", "Main()"):
        time, most = sums[name]
        true(0 < time <= most <= 2 * time + 10 * step, f"{name}, ticks of {step} ns: {sums}")


for runtime in ("mono", "dotnet"):
    fresh(runtime)
    write("Shop.cs", SOURCE)
    file = f"{runtime}/Shop.{'exe' if runtime == 'mono' else 'dll'}"
    if not can(runtime) or (runtime == "mono" and not mcs(file, "Shop.cs")) or \
            (runtime == "dotnet" and not csc(file, "Shop.cs")):
        skip(f"{runtime}: what Main waits for others stands apart", "there is no such runtime with a compiler")
        continue
    if runtime == "dotnet":  # mcs has no async Main
        write("Async.cs", ASYNC)
        csc("dotnet/Async.dll", "Async.cs")
        ilinject("-q dotnet/Async.dll -o dotnet/out/")
        ran = program(runtime, "dotnet/out/Async.dll", env={"ILINJECT_CLOCK": "ticking"}).profile
        check("what an async Main waits is a line", leaves_out, ran, "Main")
        check("the end of a sum of calls of an async program is no sum of ends", ends, ran)
    ilinject("-q", file, "-o", f"{runtime}/out/")
    ran = {way: program(runtime, f"{runtime}/out/{file.split('/')[1]}", way, name=way).profile
           for way in ("main", "callee", "each", "sleeps", "only")}
    check(f"{runtime}: what Main waits for its threads is a line", leaves_out, ran["main"], "Main")
    check(f"{runtime}: what a method that Main calls once waits is a line", leaves_out, ran["callee"], "Finish")
    check(f"{runtime}: what a method that is called twice waits stays its own", counts, ran["each"], "Each")
    check(f"{runtime}: a sleep of Main's is no wait for others", counts, ran["sleeps"], "Sleeps")
    check(f"{runtime}: the wait of Main counts for no type, that of its thread does", by_type, ran["main"],
          LINE.format("Main"), 250, 250)
    check(f"{runtime}: the wait of a Main that does nothing else counts for no type", by_type, ran["only"],
          r"^… .*Shop\.Main.*; --idle ", 0, 200)
    check(f"{runtime}: the brief names who waits for something else", brief, ran["main"])
finish()
