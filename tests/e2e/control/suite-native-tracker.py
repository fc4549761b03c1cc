#!/usr/bin/env -S python3 -B
"""A program that carries the tracker compiled ahead (`make native`) puts it beside outputs that run only where it does:
those of `run` on .NET and of `test`, and images that keep native code of the same kind. A deps.json beside another
program names it for its system. .NET then compiles a handful of the tracker's methods, by the runtime's own list, and
the counts are the same."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import (
    BUILD,
    LIB,
    ROOT,
    check,
    command,
    csc,
    differ,
    equal,
    finish,
    fresh,
    has,
    like,
    mcs,
    report,
    same,
    skip,
    true,
    write)

NATIVE = Path(BUILD) / "native/ilinject"
IL_TRACKER = Path(BUILD) / "ProfileInfoTracker.dll"


def leave(reason):
    skip("the tracker compiled ahead", reason)
    finish()


def found_framework():
    lines = subprocess.run(["dotnet", "--list-runtimes"], capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^Microsoft\.NETCore\.App (10\.\S+) \[(.*)\]$", lines, re.M)
    return found and Path(found[-1][1]) / found[-1][0]


if not has("dotnet", "make"):
    leave("no dotnet, or no make")
FRAMEWORK = found_framework()
if not FRAMEWORK or os.uname().machine != "x86_64":
    leave("no .NET 10, or not x64")
if os.environ.get("SAN") or "san" in Path(BUILD).name:
    leave("the program is linked with sanitizers")
fetched = subprocess.run([ROOT / "tests/nuget-fetch", "Microsoft.NETCore.App.Crossgen2.linux-x64/10.0.12"],
                         capture_output=True, text=True, check=False)
if fetched.returncode != 0:
    leave(fetched.stdout.strip().splitlines()[-1])
COMPILER = next(Path(fetched.stdout.strip()).glob("microsoft.netcore.app.crossgen2.linux-x64/*/tools/crossgen2"))
command("make -s native -C", ROOT, f"BUILD={os.path.relpath(BUILD, ROOT)}", f"CROSSGEN2={COMPILER}", seconds=600)
COMPILED = NATIVE.parent / "ProfileInfoTracker.dll"
ORIGINAL = FRAMEWORK / "System.Linq.dll"
fresh("in", "plain")
csc("in/Twice.dll", "-optimize+", LIB / "cs/Twice.cs")
csc("plain/Other.dll", "-optimize+", LIB / "cs/Twice.cs")


def instruments(options, *inputs, out="out", into=True):
    if into:
        fresh(out)
    return command(NATIVE, *inputs, "-o", f"{out}/", options.split())


def is_beside(tracker, folder="out"):
    same(tracker, f"{folder}/ProfileInfoTracker.dll")


def compiled_methods(program, *arguments):
    """Methods of the tracker that .NET compiles when a program is started so, and the counts of its profile."""
    for old in ("jit", "run.ilprof"):
        Path(old).unlink(missing_ok=True)
    command(program, *arguments, "-o", "run.ilprof", "in/Twice.dll", status=3,
            env={"DOTNET_JitStdOutFile": str(Path("jit").absolute()), "DOTNET_JitDisasmSummary": "1"})
    names = re.findall(r"JIT compiled (Instrumenter\.\S+?)[\[:(]", Path("jit").read_text())
    return len(names), {f["name"]: f["calls"] for f in report("run.ilprof")["functions"]}


def compiles_less():
    """A busy machine takes longer, and .NET compiles again what it has called for a while."""
    before, counts = compiled_methods(Path(BUILD) / "ilinject", "run", "--overhead=any")
    after, same_counts = compiled_methods(NATIVE, "run", "--overhead=any")
    print(f"# methods of the tracker that .NET compiled: {before}, then {after}")
    true(before > 300 and after < before / 4, f"{before} methods of the tracker were compiled, then {after}")
    equal(same_counts, counts)
    equal(counts["Twice.Tiny(int)"], 3000000)


def tests_compile_less():
    before, counts = compiled_methods(Path(BUILD) / "ilinject", "test", "--set=overhead=1000%")
    after, same_counts = compiled_methods(NATIVE, "test", "--set=overhead=1000%")
    true(after < before / 4, f"{before} methods of the tracker were compiled, then {after}")
    equal(same_counts, counts)


def mixed():
    """Whatever comes first, the last state is the same, by one worker and by three."""
    for jobs, inputs in ((1, ["in/Twice.dll", ORIGINAL]), (1, [ORIGINAL, "in/Twice.dll"]),
                         (3, ["in/Twice.dll", ORIGINAL, "plain/Other.dll"])):
        instruments(f"-j {jobs} --include **.Get*", *inputs)
        is_beside(COMPILED)


def mono_runs():
    said = command(NATIVE, "run", "--overhead=any", "-o", "mono.ilprof", "mono/Twice.exe", status=3)
    said.lacks("BadImageFormat")
    true(Path("mono.ilprof").exists(), "no profile")


check("it is the same assembly for other tools, with native code", lambda: (
    differ(COMPILED, IL_TRACKER), command(NATIVE, "dump", "--ready-to-run", COMPILED).shows(like("^ReadyToRun"))))
check("`run` starts with it on .NET, which compiles a handful of its methods; the counts are the same", compiles_less)
check("`test` starts with it, too", tests_compile_less)
TARGET = ".NETCoreApp,Version=v10.0"
FORM = "runtimes/linux-x64/lib/ProfileInfoTracker.dll"


def makes_program(folder, target=TARGET):
    """App.dll as the SDK lays it out for every system."""
    fresh(folder)
    csc(f"{folder}/App.dll", "-optimize+", "-target:exe", LIB / "cs/Twice.cs")
    version = FRAMEWORK.name
    write(f"{folder}/App.runtimeconfig.json", json.dumps(
        {"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": version}}}))
    write(f"{folder}/App.deps.json", json.dumps({
        "runtimeTarget": {"name": target, "signature": ""}, "targets": {target: {
            "App/1.0.0": {"runtime": {"App.dll": {}}}}},
        "libraries": {"App/1.0.0": {"type": "project", "serviceable": False, "sha512": ""}}}))


def compiled_when_started(folder, status=3):
    """Methods of the tracker that .NET compiles when the folder's program is started by its host."""
    Path("jit").unlink(missing_ok=True)
    Path("App.ilprof").unlink(missing_ok=True)
    command("dotnet", f"{folder}/App.dll", status=status, env={
        "ILINJECT_OUT": str(Path("App.ilprof").absolute()), "DOTNET_JitDisasmSummary": "1",
        "DOTNET_JitStdOutFile": str(Path("jit").absolute())})
    counts = {f["name"]: f["calls"] for f in report("App.ilprof")["functions"]}
    equal(counts["Twice.Tiny(int)"], 3000000)
    return len(re.findall(r"JIT compiled (Instrumenter\.\S+?)[\[:(]", Path("jit").read_text()))


def is_named():
    makes_program("app")
    instruments("", "app", out="named")
    is_beside(IL_TRACKER, "named")
    same(COMPILED, f"named/{FORM}")
    made = compiled_when_started("named")
    print(f"# methods of the tracker that .NET compiled: {made}")
    true(made < 120, f"{made} methods of the tracker were compiled")


def elsewhere():
    """On another system the host takes the one that runs everywhere."""
    shutil.copytree("named", "elsewhere", dirs_exist_ok=True)
    text = Path("elsewhere/App.deps.json").read_text()
    equal(text.count("linux-x64"), 2)
    write("elsewhere/App.deps.json", text.replace("linux-x64", "win-x64"))
    shutil.rmtree("elsewhere/runtimes")
    true(compiled_when_started("elsewhere") > 300, "the native form was loaded")


def no_older_one_is_left():
    """A program that carries no native form puts what it has in its place; one that does, its own again."""
    shutil.copytree("named", "again", dirs_exist_ok=True)
    before = Path("again/App.deps.json").read_text()
    command(Path(BUILD) / "ilinject", "app/App.dll", "-o", "again/")
    same(IL_TRACKER, f"again/{FORM}")
    equal(Path("again/App.deps.json").read_text(), before)
    true(compiled_when_started("again") > 300, "the native form was loaded")
    instruments("", "app/App.dll", out="again", into=False)
    same(COMPILED, f"again/{FORM}")
    true(compiled_when_started("again") < 120, "the native form was not loaded")


def goes_along():
    """From an output, one file goes on into a folder of its own: what its deps.json names goes along."""
    command(Path(BUILD) / "ilinject", "named/App.dll", "-o", "along/")
    same(IL_TRACKER, f"along/{FORM}")
    compiled_when_started("along")


check("a program with a deps.json for every system gets it for its own, beside the one that runs everywhere", is_named)
check("on another system the latter is loaded", elsewhere)
check("instrumented again, no older one is left", no_older_one_is_left)
check("one file of an output goes on without what its deps.json names, and gets it", goes_along)
check("an assembly without native code gets the tracker that runs everywhere", lambda: (
    instruments("", "in/Twice.dll"), is_beside(IL_TRACKER)))
check("an image that keeps its native code gets it", lambda: (
    instruments("--include **.Get*", ORIGINAL), is_beside(COMPILED)))
check("one that loses it does not", lambda: (
    instruments("--native=drop --include **.Get*", ORIGINAL), is_beside(IL_TRACKER)))
check("in a folder with one such image all share it, in any order and with any number of workers", mixed)
check("it takes the place of the other one, which stood there", lambda: (
    instruments("", "in/Twice.dll"), instruments("--include **.Get*", ORIGINAL, into=False), is_beside(COMPILED)))
check("a tracker of one's own is left alone", lambda: (
    shutil.copy(IL_TRACKER, "own.dll"),
    instruments("--tracker own.dll --include **.Get*", ORIGINAL), is_beside(IL_TRACKER)))
if has("mono", "mcs"):
    fresh("mono")
    mcs("mono/Twice.exe", "-optimize+", LIB / "cs/Twice.cs")
    check("Mono gets the other one", mono_runs)
finish()
