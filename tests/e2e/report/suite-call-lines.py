#!/usr/bin/env -S python3 -B
"""Calls of leaves and places that allocate have the lines on which they stand, with each kind of symbols; text shows
file and line of what it names, where there is room."""
import json
import sys
sys.path[0] += "/../.."
from kit import (check, csc, equal, finish, fresh, has, ilinject, mcs, program, report, runtimeconfig, scratch, skip,
                 true, write)

# A comment says what its line has: leaves by their methods' names, types of objects.
SOURCE = """\
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
class P
{
    static object Make(int i)
    {
        if (i > 2)
            return new List<int>(); // System.Collections.Generic.List<int>
        object boxed = i; // int
        return boxed.Equals(new int[i + 1]) ? null : boxed; // int[]
    }
    static void Wait(int times)
    {
        Thread.Sleep(100); // Sleep

        for (int i = 0; i < times; i++)
            Thread.Sleep(0); // Sleep
    }
    static async Task<int> Later()
    {
        await Task.Yield();
        Thread.Sleep(2); // Sleep
        return 3;
    }
    static void Fail()
    {
        throw new InvalidOperationException("x"); // System.InvalidOperationException
    }
    static int Sum(int a, int b)
    {
        return a + b;
    }
    static void Main()
    {
        for (int i = 0; i < 5; i++) Make(i);
        Wait(2);
        Later().Wait(); // Wait
        Sum(1, 2);
        try { Fail(); } catch (InvalidOperationException) { }
#line 300 "made.txt"
        Thread.Sleep(0); // Sleep
    }
}
"""


def expected():
    """(line, what) of each comment of the source."""
    lines = [(i + 1, line.split("// ")[1]) for i, line in enumerate(SOURCE.splitlines()) if "// " in line]
    return {(300 if i == len(SOURCE.splitlines()) - 2 else i, what) for i, what in lines}


def lines_are_known(profile, places=None):
    """What is called and made stands in the lines that the comments name; made.txt begins no method, and is no file."""
    of = report(profile)
    name = lambda at: of["functions"][at]["method"].split("(")[0].split(" [")[0]
    found = {(call["line"], name(call["leaf"])) for call in of["leaf_calls"]}
    found |= {(o["line"], o["type"]) for o in of["objects"] if "line" in o}
    equal(found, {place for place in expected() if place[0] != 300})
    equal({o["file"].rsplit("/", 1)[-1] for o in of["leaf_calls"] + of["objects"] if "file" in o}, {"a.cs"})
    equal({name(call["caller"]) for call in of["leaf_calls"]}, {"Wait", "Later", "Main"})
    true(places is None or found == places)
    return found


def text_shows_them(profile):
    shown = lambda arguments: ilinject(f"report {arguments}", profile).out
    tree = shown("--view=tree --width=200 --top=0")
    true("Thread.Sleep(int) [leaf]  a.cs:16, 19" in tree and "P.Wait(int)  a.cs:1" in tree, tree)
    objects = shown("--view=objects --width=80")
    true("P.Make(int)  a.cs:12" in objects and "P.Make(int) +0x" not in objects, objects)
    # With no room for the whole name it keeps what it has: the place is its offset.
    true("+0x" in shown("--view=objects --width=32") and "a.cs" not in shown("--view=objects --width=32"))
    callers = shown("--view=callers --filter=System.Threading.Thread --width=100")
    true("← P.Wait(int)  a.cs:16, 19" in callers, callers)
    failed = shown("--view=exceptions --lines --width=100")
    true("thrown in P.Fail()  a.cs:2" in failed and "caught by P.Main()  a.cs:3" in failed, failed)
    calls = shown("--view=calls --lines --width=100")
    true("P.Sum(a: 1, b: 2) → 3  a.cs:3" in calls, calls)


def room_is_needed(profile):
    """At 120 columns, as in a file, names have no places unless they are asked for; in more they have."""
    for view in ("functions", "exceptions", "calls"):
        usual, wide = (ilinject(f"report --view={view} --width={width}", profile).out for width in (120, 121))
        true("a.cs" not in usual and "a.cs" in wide, view)
    ilinject("report --json --lines", profile, status=2).says("--lines is for the text format")


def other_formats(profile):
    made = json.loads(ilinject("report --format=cpuprofile", profile).out)
    frames = {(n["callFrame"]["functionName"], n["callFrame"]["lineNumber"] + 1) for n in made["nodes"]}
    true(("System.Threading.Thread.Sleep(int) [leaf]", 16) in frames, str(frames))
    true(("System.Threading.Thread.Sleep(int) [leaf]", 24) in frames, str(frames))
    lines = ilinject("report --format=callgrind", profile).out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("calls=3 "))
    equal(lines[at + 1].split()[0], "16")


def run(runtime, file):
    fresh("made")
    ilinject(f"-q {file} --leaves --allocations --exceptions=full --capture=P.Sum -o made/{file}")
    if runtime == "dotnet":
        runtimeconfig(f"made/{file}")
    return program(runtime, f"made/{file}", status=0).profile


def merged(profile):
    ilinject("merge -o merged.ilprof", profile, profile)
    lines_are_known("merged.ilprof", lines_are_known(profile))


def nothing_unless_asked():
    """Without leaves and objects the names have no lines of them, and without symbols none are said."""
    fresh("made")
    ilinject("-q a.exe -o made/a.exe")
    true("leaf_calls" not in report(program("mono", "made/a.exe", status=0).profile))
    fresh("made")
    ilinject("-q plain.exe --leaves --allocations -o made/plain.exe")
    of = report(program("mono", "made/plain.exe", status=0).profile)
    true("leaf_calls" not in of and all("line" not in o for o in of["objects"]))


write("a.cs", SOURCE)
if not has("mono", "mcs"):
    skip("lines of calls by Mono's symbols", "mono and mcs are not installed")
else:
    mcs("a.exe", "-debug", "a.cs")
    mcs("plain.exe", "a.cs")
    check("a .mdb: each line that calls a leaf or allocates", lambda: lines_are_known(run("mono", "a.exe")))
    check("without options or symbols there are none", nothing_unless_asked)

if not csc("portable.dll", "-target:exe", "-debug:portable", "a.cs"):
    skip("lines of calls by portable PDBs", "no SDK of .NET")
    finish()
for optimised in "+-":
    csc("embedded.dll", "-target:exe", "-debug:embedded", f"-optimize{optimised}", "a.cs")
    check(f"embedded, optimize{optimised}: each line that calls a leaf or allocates",
          lambda: lines_are_known(run("dotnet", "embedded.dll")))
profile = run("dotnet", "portable.dll")
check("portable: each line that calls a leaf or allocates", lines_are_known, profile)
check("profiles that were merged have them, too", merged, profile)
check("text has them beside the names", text_shows_them, profile)
check("names come first where there is little room", room_is_needed, profile)
check("callgrind and .cpuprofile have the line of a leaf's call", other_formats, profile)
finish()
