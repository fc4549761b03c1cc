#!/usr/bin/env -S python3 -B
"""--native=compile: outputs get code compiled ahead where their inputs had it. Mono and .NET say themselves which code
they use, and fixtures/cs/Everywhere.cs does and counts what it does without such code."""
import os
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import (BUILD, LIB, ROOT, can, check, command, equal, finish, fresh, has, ilinject, mcs, profile_agrees,
                 program, read, runtimeconfig, same_run, skip, true, write)
sys.path.insert(0, str(LIB / "py"))
from ready_to_run import Image, NotReadyToRun  # noqa: E402  (after the folder is known)

COUNTS = read(ROOT / "fixtures/cs/Everywhere.expected")
CROSSGEN = BUILD / "tests/packages/microsoft.netcore.app.crossgen2.linux-x64/10.0.12/tools/crossgen2"
TRACKER = "ProfileInfoTracker.dll"
if not has("mcs"):
    skip("code is compiled ahead again", "no compiler")
    finish()
fresh("plain", "mono", "ready", "bin")
mcs("plain/Everywhere.exe", ROOT / "fixtures/cs/Everywhere.cs")
runtimeconfig("plain/Everywhere.exe")
write("mono/Everywhere.exe", Path("plain/Everywhere.exe").read_bytes())
command("mono --aot mono/Everywhere.exe")


def files(folder):
    return sorted(name for name in os.listdir(folder) if not name.endswith(".json"))


def does_the_same(runtime, file):
    after = program(runtime, file)
    same_run(program(runtime, "plain/Everywhere.exe", name="plain"), after)
    profile_agrees(after.profile, COUNTS)


# ---- Mono ------------------------------------------------------------------------------------------------


@check("a file with an image of Mono's beside it gets one again, and so does the tracker")
def _():
    said = ilinject("mono/Everywhere.exe -o made/ --native=compile")
    true(re.search(r"^made/Everywhere\.exe: compiled ahead by mono in \d+\.\d s$", said.out, re.M), said.out)
    equal(files("made"), ["Everywhere.exe", "Everywhere.exe.so", TRACKER, f"{TRACKER}.so"])
    does_the_same("mono", "made/Everywhere.exe")


@check("Mono takes the images of both")
def _():
    said = command("mono made/Everywhere.exe", status=7, env={"MONO_LOG_LEVEL": "debug", "MONO_LOG_MASK": "aot",
                                                    "ILINJECT_OUT": os.path.abspath("taken.ilprof")})
    for method in ("Everywhere:Fib (int)", "Instrumenter.ProfileInfoTracker:Register "):
        true(f"AOT: FOUND method {method}" in str(said), f"{method} is compiled just in time")


@check("what had no code gets none")
def _():
    said = ilinject("plain/Everywhere.exe -o none/ --native=compile")
    true("compiled ahead" not in said.out, said.out)
    equal(files("none"), ["Everywhere.exe", TRACKER])


@check("a compiler that fails or is not there is named in one line, and the output runs without its code")
def _():
    write("bin/mono", "#!/bin/sh\nexit 3\n").chmod(0o755)
    said = ilinject("-q mono/Everywhere.exe -o failed/ --native=compile", status=1,
                    env={"PATH": f"{os.path.abspath('bin')}:{os.environ['PATH']}"})
    said.says("failed/Everywhere.exe is not compiled ahead: its compiler ended with 3", lines=1)
    does_the_same("mono", "failed/Everywhere.exe")
    ilinject("-q mono/Everywhere.exe -o failed/ --native=compile", status=1, env={"PATH": "/nowhere"}).says(
        "failed/Everywhere.exe is not compiled ahead: mono: No such file or directory", lines=1)


@check("what cannot be meant is refused")
def _():
    ilinject("mono/Everywhere.exe -o no/ --crossgen2=x", status=2).says("--crossgen2 needs --native=compile", lines=1)
    ilinject("mono/Everywhere.exe -o no/ --native=compile --key=k.snk", status=2).says(
        "--native=compile and --key exclude each other", lines=1)
    true(not os.path.exists("no"), "something was written")


# ---- ReadyToRun ------------------------------------------------------------------------------------------


def has_code(file):
    """The rows of the methods that have native code, by another reader."""
    try:
        return set(Image(Path(file)).methods())
    except NotReadyToRun:
        return set()


def jitted(file):
    """The methods of Everywhere.exe's first class that the runtime compiles itself."""
    log = os.path.abspath("jit.txt")
    program("dotnet", file, status=7, name="jit", env={"DOTNET_JitStdOutFile": log, "DOTNET_JitDisasmSummary": "1"})
    found = re.findall(r"JIT compiled (Everywhere:.*?)\(", read(log))
    os.remove(log)
    return set(found)


def ready_to_run():
    """Each method that is instrumented has code again, and the runtime uses it."""
    said = ilinject("ready/Everywhere.exe -o again/ --native=compile", f"--crossgen2={CROSSGEN}")
    true(re.search(r"^again/Everywhere\.exe: compiled ahead by crossgen2 in \d+\.\d s$", said.out, re.M), said.out)
    ilinject("-q ready/Everywhere.exe -o dropped/ --native=drop")
    equal(has_code("dropped/Everywhere.exe"), set())
    had = has_code("ready/Everywhere.exe")
    true(len(had) > 20 and had <= has_code("again/Everywhere.exe"), f"{had - has_code('again/Everywhere.exe')}")
    does_the_same("dotnet", "again/Everywhere.exe")
    compiled = jitted("again/Everywhere.exe")
    true(len(jitted("dropped/Everywhere.exe")) > 20, "the runtime's list is empty")
    true(len(compiled & {"Everywhere:Main", "Everywhere:Fib", "Everywhere:Say", "Everywhere:Generics"}) == 0,
         str(compiled))


def found_by_itself():
    """Along $PATH; and a summary has the size of what was compiled."""
    found = ilinject("ready/Everywhere.exe -o path/ --native=compile --json",
                     env={"PATH": f"{CROSSGEN.parent}:{os.environ['PATH']}"}).json()
    equal(found["files"][0]["output_bytes"], os.path.getsize("path/Everywhere.exe"))
    true(has_code("path/Everywhere.exe"), "there is no code")


def not_found():
    """One line, and IL that runs."""
    options = f"-q ready/Everywhere.exe -o lost/ --native=compile --crossgen2={CROSSGEN}"
    ilinject(options, status=1, env={"DOTNET_ROOT": "/nowhere"}).says(
        "lost/Everywhere.exe is not compiled ahead: no Microsoft.NETCore.App 10.0.* below /nowhere/", lines=1)
    ilinject("-q ready/Everywhere.exe -o lost/ --native=compile --crossgen2=./absent", status=1).says(
        "lost/Everywhere.exe is not compiled ahead: ./absent: No such file or directory", lines=1)
    equal(has_code("lost/Everywhere.exe"), set())
    does_the_same("dotnet", "lost/Everywhere.exe")


SENTENCES = {ready_to_run: "a ReadyToRun image is compiled again, with what was instrumented",
             found_by_itself: "crossgen2 is found along $PATH, and the summary has the size of its image",
             not_found: "without crossgen2 or its framework the output is IL, which is said in one line"}
if can("dotnet") and CROSSGEN.exists():
    framework = re.findall(r"^Microsoft\.NETCore\.App (10\S*) \[(.*)\]$", command("dotnet --list-runtimes").out, re.M)
    version, folder = framework[-1]
    command(CROSSGEN, "plain/Everywhere.exe", "-o", "ready/Everywhere.exe", "-r", f"{folder}/{version}/*.dll",
            "--targetos:linux", "--targetarch:x64")
    runtimeconfig("ready/Everywhere.exe")
    for function, sentence in SENTENCES.items():
        check(sentence, function)
else:
    for sentence in SENTENCES.values():
        skip(sentence, "no .NET 10 or no crossgen2 among the packages of build/tests")
finish()
