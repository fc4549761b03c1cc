#!/usr/bin/env -S python3 -B
"""Settings that an output brings with it (--set): what ilinject refuses, and what the tracker does with
them on each runtime."""
import os
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import (BUILD, FIXTURES, ROOT, can, check, command, copied, dump, equal, finish, fresh, has,
                 ilinject, like, mcs, read, refusals, runtimeconfig, same, skip, true, words, write)

if not has("mono", "mcs"):
    skip("settings in the output", "mono and mcs are not installed")
    finish()

mcs("in/library.dll", code="""
public static class Library { public static int Deep(int depth) { return depth == 0 ? 0 : 1 + Deep(depth - 1); } }""")
mcs("in/other.dll", code="""
public static class Other { public static void Do() { System.Console.WriteLine("done"); } }""")
mcs("in/app.exe", "-r:in/library.dll", "-r:in/other.dll", code="""
static class App { static void Main() { System.Console.WriteLine(Library.Deep(20)); Other.Do(); } }""")
runtimeconfig("in/app.exe")

# ---- What is refused -------------------------------------------------------------------------------


def refused(options, message):
    """One line, and no output. The options as a line, or a list of them."""
    ilinject("in/app.exe -o refused.exe", words(options), status=2).says(message, lines=1)
    true(not os.path.exists("refused.exe"), "there is an output")


refusals("refusals/settings", refused)
check("more than a line is refused", refused, ["--set", "out=a\nbeat=3"],
      "setting out: expected one line of text")


@check("a tracker without Configure is refused")
def _():
    mcs("plain.dll", FIXTURES / "PlainTracker.cs")
    [name] = re.findall(r"^[0-9]*: ([A-Za-z.]*Tracker) ", command("monodis --typedef plain.dll").out, re.M)
    refused(f"--tracker plain.dll --tracker-type {name} --set beat=1", "Configure")


check("with another tracker the form alone is looked at", refused,
      ["--tracker", BUILD / "ProfileInfoTracker.dll", "--set", "beat"],
      "error ILJ0436: a setting is name=value, found 'beat'")


def known(text):
    """The names in a message, in order."""
    return sorted(re.findall("known are ([a-z_, ]*)", text)[0].replace(" ", "").split(","))


def documented():
    section = re.search("^# Settings of the tracker$.*?^## ", read(ROOT / "docs/configuration.md"), re.M | re.S)
    return sorted(re.findall(r"^\| `([a-z_]*)` \|", section[0], re.M))


ours = known(ilinject("in/app.exe --dry-run --set none=1", status=None).err)
check("the list of settings is what is documented", lambda: equal(documented(), ours))

# ---- What they do ----------------------------------------------------------------------------------

WHOLE = "App.Main() 1;Library.Deep(int) 21;Other.Do() 1;"
runtime = ""


def put(*settings, options=""):
    """The whole program to out/, with settings."""
    fresh("out")
    for file in Path("in").glob("*.json"):
        copied(file, "out/")
    put_again(["app.exe", "library.dll", "other.dll"], *settings, options=options)


def put_again(names, *settings, options=""):
    ilinject([f"in/{name}" for name in names], "-o", "out/", "--quiet", options.split(),
             [word for setting in settings for word in ("--set", setting)])


def run(**env):
    """The program in out/, with settings in its environment."""
    for old in Path("out").glob("*.ilprof"):
        old.unlink()
    variables = {name if name.startswith("LOG_") else f"ILINJECT_{name}": value for name, value in env.items()}
    said = command(runtime, "app.exe", cwd="out", env=variables, seconds=150)
    equal(said.out, "20\ndone\n")
    return said


def folded(number, file="app.ilprof"):
    equal(dump("run", f"out/{file}", "folded"), [str(number)])


def sums_are(expected):
    """Methods and their calls. Deep calls itself 21 times, below Main; Do comes after it."""
    equal("".join(f"{' '.join(line.split(' ')[:2])};" for line in dump("sums", "out/app.ilprof")), expected)


def baked():
    put("recursion=5", "out=über %n.ilprof")
    run().silent()
    folded(16, "über app.ilprof")


def last_holds():
    put("recursion=3", "recursion=5")
    run().silent()
    folded(16)


def starts_off():
    put("start=off")
    run().silent()
    equal(dump("sums", "out/app.ilprof"), [])
    run(START="on")
    true(dump("sums", "out/app.ilprof"), "nothing is recorded")


def single_calls():
    """22 on three lines, of which the last five are kept."""
    def tree():
        return "\n".join(dump("tree", "out/app.ilprof"))
    put("histogram=1", "timeline=1", "events=5")
    run().silent()
    dump("recorded", "out/app.ilprof")
    true(" events=5 overwritten=18 " in tree(), tree())
    run(TIMELINE="0")
    true("stream" not in tree() and "histogram" in tree(), tree())


def logged():
    """The lines are the report's, thread by thread, and baked in."""
    def lines(text):
        return text.split("\n\n", 1)[1]
    put("log=1", "log_size=1")
    run(LOG_FILENAME="calls.txt").silent()
    log = read("out/calls.txt")
    true(re.search("^ *Library.Deep, id=[0-9]*, call count = 21$", log, re.M), log)
    equal(lines(log), lines(ilinject("report --format=calllog out/app.ilprof").out))
    os.remove("out/calls.txt")
    run(LOG="0", LOG_FILENAME="calls.txt")
    true(not os.path.exists("out/calls.txt"), "there is a call log")


def recorded(expected, *settings, text="", env=()):
    """What is recorded with settings, and the one line that is said."""
    put(*settings)
    said = run(**dict(env))
    said.says(text, lines=1) if text else said.silent()
    sums_are(expected)


def in_time():
    put()
    run(START="0").silent()
    run(START="3600").silent()
    sums_are("")


def no_control():
    put("control=0")
    run().silent()
    run(CONTROL="2").says("ILINJECT_CONTROL: expected 0 or 1", lines=1)


def of_file(text, expected, message="", **env):
    """The settings file beside the program, which brings recursion=5."""
    put("recursion=5")
    write("out/ilinject.settings", text)
    said = run(**env)
    said.says(message, lines=1) if message else said.silent()
    folded(expected)


def unchecked(message, expected, *settings):
    """Settings that only a tracker that ilinject did not check can be given."""
    put(*settings, options=f"--tracker {BUILD / 'ProfileInfoTracker.dll'}")
    run().says(message, lines=1)
    folded(expected)


def first_wins():
    put("recursion=5")
    put_again(["library.dll"], "recursion=6")
    put_again(["other.dll"], "recursion=7")
    run().silent()
    folded(16)


def first_wins_said():
    first_wins()
    said = run(VERBOSE="1")
    equal(said.err.count("modules bring different settings; those of the first count"), 1)


def same_not_said():
    put("recursion=5")
    run(VERBOSE="1").lacks("different")


for runtime in ("mono", "dotnet"):
    if not can(runtime):
        skip(f"settings in the output ({runtime})", f"{runtime} is not there")
        continue

    def on(sentence, function, *arguments, **options):
        check(f"{sentence} ({runtime})", lambda: function(*arguments, **options))

    on("settings in the output hold", baked)
    on("of one setting the last value holds", last_holds)
    on("start=off records nothing, unless the environment says on", starts_off)
    on("single calls are recorded, as many as is said", single_calls)
    on("the call log is written", logged)
    on("recording starts with the first call of a method", recorded, "Library.Deep(int) 21;Other.Do() 1;",
       "start=Library.Deep")
    on("records one call and nothing else", recorded, "Library.Deep(int) 21;",
       "start=Library.Deep", "stop=Library.Deep")
    on("stops when the outermost call leaves", recorded, "App.Main() 1;Library.Deep(int) 21;", "stop=Library.Deep")
    on("a method that no module has is told at the end", recorded, "",
       text="setting start=Library.Deeq: no instrumented module has such a method",
       env={"START": "Library.Deeq", "STOP": "App.Main"})
    on("recording that would start later has not by the end", in_time)
    on("what is no moment to start is told, and recording starts", recorded, WHOLE,
       text="ILINJECT_START: expected on, off, seconds up to 86400", env={"START": "soon", "BEAT": "5"})
    on("what is no moment to stop is told, and recording goes on", recorded, WHOLE,
       text="ILINJECT_STOP: expected never, seconds up to 86400", env={"STOP": "1.5.2"})
    on("control can be forbidden; another value is told", no_control)
    on("ilinject.settings counts for more", of_file, "recursion=6\n", 15)
    on("the environment counts for most", of_file, "recursion=6\n", 14, RECURSION="7")
    on("what is broken in the file leaves what the output brings", of_file, "recursion=0\n", 16,
       "ilinject.settings:1: recursion: expected")
    on("an unknown setting is told in one line by the tracker", unchecked, "--set bead: unknown setting", 16,
       "bead=1", "recursion=5")
    on("so is a broken one", unchecked, "--set recursion: expected a whole number", "absent", "recursion=x")
    on("of several modules' settings the first one's count", first_wins)
    on("that is said once with verbose", first_wins_said)
    on("equal settings are not different", same_not_said)


@check("the settings are part of the identity")
def _():
    found = []
    for beat in (5, 6):
        put(f"beat={beat}")
        found += re.findall('"mvid":"[^"]*"', ilinject("list --json out/app.exe").out)
    true(len(set(found)) == 2, str(found))


@check("equal settings give equal bytes")
def _():
    put("beat=5")
    copied("out/app.exe", "one.exe")
    put("beat=5")
    same("one.exe", "out/app.exe")


@check("the output is sound")
def _():
    command("monodis out/app.exe")
    command("mono --compile-all out/app.exe", status=None).lacks(like("(?i)invalid|fail"))


finish()
