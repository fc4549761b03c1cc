#!/usr/bin/env -S python3 -B
"""ilinject test: finds what a project builds, runs an instrumented copy, and shows the tests."""
import os
import re
import shutil
import sys
sys.path[0] += "/../.."
from pathlib import Path
from kit import (check, csc, equal, finish, fresh, has, ilinject, names_in, report,
                 runtimeconfig, scratch, skip, true, write)

TESTS = """\
using System;
namespace Xunit { public class FactAttribute : Attribute { } }
namespace Suite {
    public class One {
        [Xunit.Fact] public void Adds() { Helper(); }
        [Xunit.Fact] public void Other() { }
        static void Helper() { }
    }
    static class Runner {
        static int Main(string[] arguments) {
            foreach (string name in new[] { "Adds", "Other" }) typeof(One).GetMethod(name).Invoke(new One(), null);
            foreach (string name in arguments)
                if (name.StartsWith("$"))
                    Console.WriteLine(name + "=" + Environment.GetEnvironmentVariable(name.Substring(1)));
                else if (name.StartsWith(".."))
                    Console.WriteLine(System.IO.File.ReadAllText(AppContext.BaseDirectory + name)
                        + " by " + AppContext.BaseDirectory);
            Console.WriteLine("ran " + string.Join(",", arguments) + " in " + AppContext.BaseDirectory);
            return arguments.Length > 0 && arguments[0] == "fail" ? 7 : 0;
        }
    }
}
"""
# Its calls all have different paths.
PATHS = """\
using System;
namespace Xunit { public class FactAttribute : Attribute { } }
namespace Suite {
    public class One {
        [Xunit.Fact] public void Walks() { Left(17); Right(17); Last(); }
        [Xunit.Fact] public void Steps() { Left(3); Other(); }
        static void Left(int n) { if (n > 0) { Left(n - 1); Right(n - 1); } }
        static void Right(int n) { if (n > 0) { Left(n - 1); Right(n - 1); } }
        static void Last() { Deep(3); }
        static void Deep(int n) { if (n > 0) Deep(n - 1); }
        static void Other() { Deep(0); }
        static TimeSpan Taken { get { return System.Diagnostics.Process.GetCurrentProcess().TotalProcessorTime; } }
        static void Main() { Spin(Taken.Add(TimeSpan.FromSeconds(0.7))); new One().Walks(); new One().Steps(); }
        static void Spin(TimeSpan end) { while (Taken < end) System.Threading.Thread.SpinWait(100000); }
    }
}
"""
# In place of dotnet: says what it was asked, and is MSBuild and VSTest.
DOTNET = """#!/bin/sh
echo "$@" >>"$LOG"
case $1 in
msbuild)
    for argument in "$@"; do
        case $argument in -getResultOutputFile:*) [ -z "$TARGET" ] || echo "$TARGET" >"${argument#*:}" ;; esac
    done ;;
test)
    echo "shutdown $VSTEST_TESTHOST_SHUTDOWN_TIMEOUT" >>"$LOG"
    shift
    for file in "$@"; do case $file in *.dll) "$REAL" "$file" || exit ;; esac; done ;;
*) exec "$REAL" "$@" ;;
esac
"""


def built(folder, name="Suite"):
    fresh(folder)
    if not csc(f"{folder}/{name}.dll", write(f"{name}.cs", TESTS)):
        return False
    runtimeconfig(f"{folder}/{name}.dll")
    return True


def tests_of(profile):
    return {row["name"]: row["calls"] for row in report(profile)["tests"] if row["kind"] == "test"}


ALL = {"Suite.One.Adds()": 1, "Suite.One.Other()": 1}


def program_runs():
    said = ilinject("test", "bin/Suite.dll", "--top=1")
    true("ran  in" in said.out and "/bin/" not in said.out.split("ran  in")[1], said)
    true("methods in 1 assembly instrumented, in a copy" in said.err and "Suite.ilprof" in said.err, said)
    true(re.search(r"Calls +Duration .* Test$", said.err, re.M) and "… 1 more" in said.err, said)
    equal(tests_of("Suite.ilprof"), ALL)
    equal(names_in("bin"), ["Suite.dll", "Suite.runtimeconfig.json"])


def all_are_known():
    """A test of 2^19 paths, far more than there are at once, has all of its calls and methods; none is off for them."""
    fresh("paths")
    true(csc("paths/Paths.dll", write("Paths.cs", PATHS)), "it was not compiled")
    runtimeconfig("paths/Paths.dll")
    said = ilinject("test paths -o paths.ilprof --set=covers=1")
    true("had no place left" not in said.err, said)
    found = report("paths.ilprof")
    true(found["totals"]["folded"] > 0, "all calls had nodes")
    true("switched" not in found, "methods were switched off")
    equal({row["name"]: row["calls_below"] for row in found["tests"] if row["kind"] == "test"},
          {"Suite.One.Walks()": 2 ** 19 - 1 + 5, "Suite.One.Steps()": 15 + 3})
    ran = {"Left": ["Steps", "Walks"], "Right": ["Steps", "Walks"], "Last": ["Walks"], "Deep": ["Steps", "Walks"],
           "Other": ["Steps"], "Spin": []}
    covers = {name: ilinject(f"report --covers=Suite.One.{name}", "paths.ilprof").out.split() for name in ran}
    equal({name: [test.split(".")[-1] for test in tests] for name, tests in covers.items()}, ran)
    shutil.rmtree(scratch() / "paths")


def copy_lies_beside():
    """Files that tests name from their folder upwards are where they are for the original."""
    write("beside.txt", "found")
    said = ilinject("test bin/Suite.dll -o beside.ilprof -q -- ../beside.txt")
    true(re.search(r"^found by \S*/bin\.ilinject\.\w+-0/$", said.out, re.M), said)
    equal([name for name in names_in(".") if "ilinject" in name], [])


def compiles_less():
    """.NET does not count branches in code that was called often, unless whoever runs the tests says so."""
    said = ilinject("test bin -o less.ilprof -q", "--", "$DOTNET_TieredPGO")
    true("$DOTNET_TieredPGO=0\n" in said.out, said)
    said = ilinject("test bin -o less.ilprof -q", "--", "$DOTNET_TieredPGO", env={"DOTNET_TieredPGO": "1"})
    true("$DOTNET_TieredPGO=1\n" in said.out, said)


def price_is_held():
    """As the documents say; who sets anything has what was set alone."""
    equal(report("Suite.ilprof")["runs"][0]["governor"]["percent"], 10)
    ilinject("test bin -o priced.ilprof -q --set=overhead=7%")
    equal(report("priced.ilprof")["runs"][0]["governor"]["percent"], 7)
    ilinject("test bin -o unpriced.ilprof -q --set=nodes=1000")
    true("governor" not in report("unpriced.ilprof")["runs"][0])


def folder_is_searched():
    for folder in ("bin", "."):
        fresh("elsewhere")
        ilinject("test -q -o elsewhere/a.ilprof", scratch() / folder)
        equal(tests_of("elsewhere/a.ilprof"), ALL)


def value_is_the_runners():
    said = ilinject("test bin -o value.ilprof -- fail a", status=7)
    true("ran fail,a in" in said.out, said)
    equal(tests_of("value.ilprof"), ALL)


def several():
    true(built("more/Next", "Next"), "it was not compiled")
    ilinject("test bin more/Next -o both.ilprof -q")
    found = [row["calls"] for row in report("both.ilprof")["tests"] if row["kind"] == "test"]
    equal(found, [1, 1, 1, 1])
    equal(len(report("both.ilprof")["modules"]), 2)


def stand_in(target=None, **more):
    log = scratch() / "log"
    write(log, "")
    os.makedirs("path", exist_ok=True)
    write("path/dotnet", DOTNET)
    os.chmod("path/dotnet", 0o755)
    real = next(p for p in (Path(f) / "dotnet" for f in os.environ["PATH"].split(":")) if p.exists())
    return {"PATH": f"{scratch()}/path:{os.environ['PATH']}", "LOG": str(log), "REAL": str(real),
            "TARGET": str(target or ""), **more}


def project():
    fresh("project")
    write("project/Suite.csproj", "<Project />")
    env = stand_in(scratch() / "bin/Suite.dll")
    ilinject("test project -c Release -o project.ilprof -q", env=env)
    asked = Path("log").read_text()
    true("msbuild project/Suite.csproj -getProperty:TargetPath" in asked and "-p:Configuration=Release" in asked, asked)
    equal(tests_of("project.ilprof"), ALL)
    said = ilinject("test project/Suite.csproj", env=stand_in(scratch() / "none/Suite.dll"), status=125)
    true("none/Suite.dll is not there: 'dotnet build -c Debug project/Suite.csproj' makes it" in said.err, said)
    said = ilinject("test project", env=stand_in(), status=125)
    true("MSBuild does not say where its output is" in said.err, said)
    write("project/Other.fsproj", "<Project />")
    true("several projects" in ilinject("test project", status=125).err)


def hosted():
    true(built("hosted"), "it was not compiled")
    write("hosted/testhost.dll", "")
    ilinject("test hosted -o hosted.ilprof -q -- --filter Adds", env=stand_in())
    asked = Path("log").read_text()
    true(re.search(r"^test \S+/Suite\.dll --filter Adds$", asked, re.M), asked)
    true("shutdown 120000" in asked, asked)
    equal(tests_of("hosted.ilprof"), ALL)
    ilinject("test hosted -o hosted.ilprof -q", env=stand_in(VSTEST_TESTHOST_SHUTDOWN_TIMEOUT="5"))
    true("shutdown 5\n" in Path("log").read_text())


def not_inside():
    os.makedirs("bin/tmp", exist_ok=True)
    said = ilinject("test bin", env={"TMPDIR": f"{scratch()}/bin/tmp"}, status=125)
    true("set TMPDIR to another folder" in said.err, said)
    equal(names_in("bin/tmp"), [])
    os.rmdir("bin/tmp")


def refused():
    true("no tests are given" in ilinject("test", status=2).err)
    true("none is not there" in ilinject("test none", status=125).err)
    fresh("empty")
    true("has no project and no program" in ilinject("test empty", status=125).err)
    write("text.dll", "text")
    ilinject("test text.dll", status=125)
    true("--set: " in ilinject("test bin --set=nonsense=1", status=2).err)
    ilinject("bin/Suite.dll -o made/Suite.dll")
    runtimeconfig("made/Suite.dll")
    true("instrumented already" in ilinject("test made/Suite.dll", status=125).err)


if not has("dotnet"):
    skip("tests are run", "no dotnet")
elif not built("bin"):
    skip("tests are run", "no SDK to compile with")
else:
    check("a program that runs its tests itself is run as a copy, and shown by test", program_runs)
    check("the copy lies beside the tests' folder, and is taken away", copy_lies_beside)
    check(".NET compiles without counting branches first", compiles_less)
    check("recording costs a tenth at most, or what --set allows", price_is_held)
    check("what a test has called is known, however many paths there are", all_are_known)
    check("of a folder the program that was built last in it or below is run", folder_is_searched)
    check("the exit value is the runner's, and the profile is kept all the same", value_is_the_runners)
    check("several programs run one after the other, into one profile", several)
    check("MSBuild says where a project's output is", project)
    check("tests with VSTest's host are run by it, and it is told to wait", hosted)
    check("no copy goes into the folder of the tests itself", not_inside)
    check("what is no suite of tests is refused", refused)
finish()
