#!/usr/bin/env -S python3 -B
"""The tracker by itself: a driver program that calls it as injected code would, and a reader of
profiles that was written from the format's description alone. Everything on Mono, and on .NET where
dotnet is there."""
import contextlib
import glob
import os
import re
import signal
import socket
import sys
from fnmatch import fnmatch
from pathlib import Path
sys.path[0] += "/.."
from kit import (BUILD, FULL, ROOT, check, command, copied, dump, equal, finish, fresh, halves, has, like, mcs,
                 names_in, read, scratch, skip, started, tracker_sources, true, within, write)

HERE = ROOT / "tests/tracker"
TRACKER = "app/ProfileInfoTracker.dll"
PROFILE = "run/driver.ilprof"
os.environ["TMPDIR"] = str(fresh(scratch() / "tmp"))
if not has("mono", "mcs"):
    skip("the tracker counts and times calls", "mono and mcs are not installed")
    finish()


def compile_driver(folder):
    """Against the tracker in the folder."""
    mcs(f"{folder}/driver.exe", "-nowarn:414", "-resource:names.bin,ilinject.names",
        f"-r:{folder}/ProfileInfoTracker.dll", *(HERE / f"{name}Driver.cs" for name in ("", "Control", "Trigger")))
    write(f"{folder}/driver.runtimeconfig.json", '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App",'
          '"version":"10.0.0"},"rollForward":"Major"}}\n')


dump("names", "names.bin", *"Main Outer Inner Inner(int) Recurse Throws Work Sleep".split())
copied(BUILD / "ProfileInfoTracker.dll", fresh("app"))
mcs("stub/ProfileInfoTracker.dll", HERE / "StubTracker.cs")
mcs("AbsentClock.dll", HERE / "AbsentClock.cs")
mcs("clockless/ProfileInfoTracker.dll", "-nostdlib", "-noconfig", "-r:/usr/lib/mono/2.0-api/mscorlib.dll",
    "-r:AbsentClock.dll", tracker_sources())
for name in ("app", "stub", "clockless"):
    compile_driver(name)

# ---- Runs of the driver ----------------------------------------------------------------------------

runtime = ""  # of the half


def settings_of(values):
    return {f"ILINJECT_{name}": value for name, value in values.items()}


def again(*scenario, app="app", cwd="run", status=0, **settings):
    """The driver from the folder `app`, with settings."""
    return command(runtime, scratch() / app / "driver.exe", *scenario, cwd=cwd, status=status, seconds=150,
                   env=settings_of(settings))


def clean():
    fresh("run", "tmp")
    Path("end").unlink(missing_ok=True)


def drive(*scenario, **options):
    """The driver in an empty folder."""
    clean()
    return again(*scenario, **options)


@contextlib.contextmanager
def running(*scenario, on=None, ignoring=(), **settings):
    """The driver in an empty folder, left running, once it is at work; the tracker's thread is when the
    profile is there."""
    clean()
    with started("env", *(f"--ignore-signal={name}" for name in ignoring), on or runtime, scratch() / "app/driver.exe",
                 *scenario, env=settings_of(settings), cwd="run", err="err.txt") as process:
        within(100, lambda: "ready" in read("out.txt"))
        yield process


def ended_with(process, status):
    code = process.wait(100)
    equal(128 - code if code < 0 else code, status)


def value(key, file=PROFILE):
    return "\n".join(dump("run", file, key))


def value_is(key, pattern, file=PROFILE):
    found = value(key, file)
    true(fnmatch(found, pattern), f"{key}={found}, expected {pattern}")


def sums_are(*rows, file=PROFILE):
    """Name, calls, resynchronised, open; without the last two: 0 0."""
    equal(dump("sums", file), [f"N.T.{row}" if row.count(" ") > 2 else f"N.T.{row} 0 0" for row in rows])


def files_are(folder, *names):
    equal(names_in(folder), sorted(names))


def time_adds_up(threads=1):
    """Own times add up to that of the roots to the microsecond; none is negative but by chance of ticks."""
    said = " ".join(dump("time", PROFILE))
    own, roots, wall, negative = (int(number) for number in re.findall(r"=(-?\d+)", said)[:4])
    true(abs(own - roots) < 1000 and negative == 0 and 0 < roots <= wall * threads, said)


def in_order():
    """Callees stand in the order of their first calls."""
    equal(re.findall(r"Inner\([a-z]*\)", "\n".join(dump("tree", PROFILE))), ["Inner()", "Inner(int)"])


def beaten():
    return any("Outer() 1 0 0" in line for line in dump("sums", PROFILE, status=None))


def there(file=PROFILE):
    return os.path.exists(file) and os.path.getsize(file) > 0


NESTED = ("Main() 1", "Outer() 10", "Inner() 30", "Inner(int) 10")
WAITING = ("Main() 1 0 1", "Outer() 1", "Inner() 3", "Inner(int) 1", "Sleep() 1 0 1")

# ---- Counts and times ------------------------------------------------------------------------------


def nested():
    said = drive("nested")
    sums_are(*NESTED)
    in_order()
    value_is("reason", "exit")
    value_is("clock", "mixed")
    time_adds_up()
    return said


def nothing_printed():
    equal(str(nested()), "")
    files_are("run", "driver.ilprof")
    files_are("tmp")


def threads():
    drive("threads", 2000)
    sums_are("Main() 1", "Outer() 128000", "Inner() 384000", "Inner(int) 128000", "Work() 64")
    time_adds_up(64)


def short_threads(count):
    drive("shortthreads", count)
    sums_are("Main() 1", f"Outer() {count}", f"Inner() {count * 3}", f"Inner(int) {count}", f"Work() {count} {count} 0")
    true(f'thread 0 "" x{count} nodes=5' in "\n".join(dump("tree", PROFILE)))
    in_order()
    value_is("folded", "absent")
    time_adds_up()


def counts(rows, *scenario, adds_up=1, values=(), **settings):
    """The driver's calls by method, its times and run keys."""
    drive(*scenario, **settings)
    sums_are(*rows)
    for key, pattern in values:
        value_is(key, pattern)
    if adds_up:
        time_adds_up(adds_up)


# ---- The end of the program ------------------------------------------------------------------------


def exit_called():
    drive("exit", status=7)
    sums_are("Main() 1 0 1", "Sleep() 1 0 1")
    value_is("reason", "exit")
    time_adds_up()
    roots = int(re.search(r" roots=(\d+) ", " ".join(dump("time", PROFILE)))[1])
    true(roots >= 50000000, str(roots))  # it slept so long, or longer


def unhandled(scenario):
    """As with a tracker that does nothing, but for the addresses in the message."""
    def message(said):
        return re.sub(r"\[0x[0-9a-f]*\] in <[0-9a-f]*>", "", said.err)
    plain = drive(scenario, app="stub", status=None)
    said = drive(scenario, status=plain.status)
    equal(message(said), message(plain))
    value_is("reason", "unhandled")
    sums_are("Main() 1 0 1", "Throws() 1 0 1")


def signalled(number, status):
    with running("wait", 60000, BEAT="0") as process:
        within(100, there)
        process.send_signal(number)
        ended_with(process, status)
    sums_are(*WAITING)
    value_is("reason", "signal")
    files_are("run", "driver.ilprof")


def signal_after_beat(number, status):
    """For runtimes that say nothing of signals."""
    with running("wait", 60000) as process:
        within(100, beaten)
        process.send_signal(number)
        ended_with(process, status)
    sums_are(*WAITING)
    value_is("reason", "beat")


def ignored_signal():
    """What the program was started to ignore stays ignored."""
    with running("until", ignoring=["INT"]) as process:
        within(100, there)
        process.send_signal(signal.SIGINT)
        Path("end").touch()
        ended_with(process, 0)
    value_is("reason", "exit")


def killed():
    with running("wait", 60000) as process:
        within(100, beaten)
        process.kill()
        ended_with(process, 137)
    value_is("reason", "beat")
    again("nested")
    files_are("run", "driver.ilprof")
    sums_are(*NESTED)


def held(other):
    """By a run on the other runtime."""
    with running("wait", 60000, on=other) as process:
        within(100, beaten)
        again("nested")
        again("nested")
        equal(len(names_in("run")), 3)
        value_is("reason", "beat")
        for file in glob.glob("run/driver.*.ilprof"):
            equal(file, f"run/driver.{value('pid', file)}.ilprof")
            sums_are(*NESTED, file=file)
        process.kill()
        ended_with(process, 137)
    again("nested")
    value_is("reason", "exit")
    equal(len(names_in("run")), 3)


def read_by_program():
    drive("nested")
    again("reads")
    files_are("run", "driver.ilprof")
    counts_of_calls = dict(row.rsplit(" ", 3)[:2] for row in dump("sums", PROFILE))
    equal(counts_of_calls["N.T.Outer()"], "1")


def domain():
    drive("domain")
    files_are("run", "driver.d1.ilprof", "driver.ilprof")
    sums_are(*NESTED, file="run/driver.d1.ilprof")
    value_is("reason", "domain", "run/driver.d1.ilprof")


def contexts():
    drive("contexts")
    pid = value("pid")
    files_are("run", f"driver.{pid}-2.ilprof", f"driver.{pid}.ilprof", "driver.ilprof")
    for file in glob.glob("run/*"):
        sums_are(*NESTED, file=file)
        value_is("reason", "exit", file)


def collectible():
    drive("collectible")
    true(any("Outer() 10 0 0" in line for line in dump("sums", PROFILE)))
    equal(len(re.findall("^module .* names=[1-9]", "\n".join(dump("tree", PROFILE)), re.M)), 2)


# ---- Where the profile goes ------------------------------------------------------------------------


def unwritable():
    clean()
    temporary = os.environ["TMPDIR"]
    again("nested", cwd="/proc").says(like(
        r"^ilinject: /proc/driver.ilprof can't be written \(.*\); "
        f"the profile is at {temporary}/driver.ilprof$"), lines=1)
    sums_are(*NESTED, file="tmp/driver.ilprof")


def ends_in_time():
    """Although the tracker's thread is still busy with exceptions of its own when the program ends."""
    clean()
    for _ in range(30 if FULL else 10):
        again("nested", cwd="/proc")


def folder_lost():
    with running("until", BEAT="0") as process:
        within(100, there)
        command("rm -r run")
        Path("end").touch()
        ended_with(process, 0)
    value_is("reason", "exit", "tmp/driver.ilprof")


def out_pattern():
    drive("nested", OUT="a/%n-%p-%h-%t-%%.x")
    [name] = names_in("run/a")
    true(re.fullmatch(rf"driver-[0-9]+-{re.escape(socket.gethostname())}-20[0-9]{{6}}T[0-9]{{6}}Z-%\.x", name), name)
    sums_are(*NESTED, file=f"run/a/{name}")


def out_folder():
    drive("nested", OUT="b/")
    sums_are(*NESTED, file="run/b/driver.ilprof")
    files_are("run", "b")


def out_device():
    drive("nested", OUT="/dev/null")
    true(Path("/dev/null").is_char_device())
    files_are("run")


# ---- Settings --------------------------------------------------------------------------------------


def broken(text, **settings):
    drive("nested", **settings).says(text, lines=1)
    sums_are(*NESTED)


def settings_file():
    write("app/ilinject.settings", "# ours\n\nout = from-file.ilprof\nbeat=0\n")
    drive("nested").silent()
    files_are("run", "from-file.ilprof")
    drive("nested", OUT="from-env.ilprof")
    files_are("run", "from-env.ilprof")
    write("app/ilinject.settings", "nonsense\nbeat=10\ncolour=red\n")
    drive("nested").says("ilinject.settings:1: ", "ilinject.settings:3: colour: unknown", lines=2)


# ---- Folding ---------------------------------------------------------------------------------------


def fold(budget, folded, nodes):
    """All words of up to eight letters over four methods. Where all are folded, all may lie between two ticks."""
    counts(("Main() 1", *(f"{name} 21845" for name in ("Outer()", "Inner()", "Inner(int)", "Recurse()"))),
           "fold", 8, adds_up=budget and 1, values=[("folded", folded)], NODES=str(budget))
    true(f"nodes={nodes}" in "\n".join(dump("tree", PROFILE)))


def unfold():
    drive("unfold", "1000")
    calls = {True: 0, False: 0}
    for indent, number in re.findall(r"^( *)\S*Sleep\S* calls=(\d+)", "\n".join(dump("tree", PROFILE)), re.M):
        calls[len(indent) > 6] += int(number)
    true(calls[True] > 0, f"{calls[True]} calls below the path, {calls[False]} folded")
    # The calls are timed one by one. By chance their caller has a tick of theirs: all may be more than the wall time.
    own, roots = (int(number) for number in re.findall(r"=(-?\d+)", " ".join(dump("time", PROFILE)))[:2])
    true(abs(own - roots) < 1000 and roots > 0, f"{own} of its own, {roots} in all")


def folds_are(scenario, *rows, **settings):
    """Methods with folded calls (after a *) and their callers, with counts, by the driver's source."""
    drive(*scenario, **settings)
    equal(dump("folds", PROFILE), [re.sub(r"^(\*?)", r"\1N.T.", row) for row in rows])


def folds_of_callees():
    folds_are(["nested"], "*Inner() 0 0 0 0 30 0", "*Inner(int) 0 0 0 0 10 0", "Outer() 40 40 0 0", NODES="2")
    for key in ("inside_folded_ps", "outside_folded_ps"):
        true(int(value(key)) >= 1, key)


def wide():
    """More callees of a caller than it has slots for."""
    drive("wide", 300)
    true("nodes=602" in "\n".join(dump("tree", PROFILE)))
    sums = "\n".join(dump("sums", PROFILE))
    true('"callee0" 9 0 0' in sums, sums)
    equal(len(re.findall(r'"callee[0-9]*" 6 0 0', sums)), 299)


def culture():
    drive("culture")
    true(any(re.search(r"Outer\(\) [1-3] 0 0", line) for line in dump("sums", PROFILE)))
    value_is("reason", "exit")
    time_adds_up(4)


def without_stopwatch():
    drive("nested", app="clockless")
    sums_are(*NESTED)
    value_is("clock", "utc")


# ---- The assembly of the tracker -------------------------------------------------------------------


def references():
    listed = command("monodis --assemblyref", TRACKER).out.splitlines()
    wanted = r"Version=2.0.5.0|Name=(mscorlib|System)$|Flags=0x00000100|7C EC 85 D7 BE A7 79 8E"
    equal(len([line for line in listed if re.search(wanted, line)]), 8)
    command("monodis --assembly", TRACKER).shows(like("Version: *1.0.0.0"))
    command("sn -q -v", TRACKER)


def one_initializer():
    """Its instructions: an array is made and stored, nothing is called that could wait."""
    [code] = re.findall(r"^.* '\.cctor' (?:.*\n)*?.*end of method.*\n", command("monodis", TRACKER).out, re.M)
    true("end of method FirstSwitches" in code, code)
    equal(re.findall(r"^\tIL_[0-9a-f]*: *([a-z0-9.]*)", code, re.M), ["ldc.i4", "newarr", "stsfld", "ret"])


def members():
    """They exist in every core library that there is reference assemblies of, .NET 2.0 to 4.8, and .NET."""
    copied(CECIL, ".")
    mcs("references.exe", f"-r:{CECIL}", HERE / "References.cs")
    dotnet = Path(os.path.realpath(command("which dotnet", status=None).out.strip() or "/none")).parent
    command("mono references.exe", TRACKER, [f"/usr/lib/mono/{api}-api" for api in ("2.0", "4.0", "4.8")],
            glob.glob(f"{dotnet}/packs/Microsoft.NETCore.App.Ref/*/ref/net*"))


LACKS = {"System.AppDomain": "get_BaseDirectory get_FriendlyName IsDefaultAppDomain "
                             "add_ProcessExit add_DomainUnload add_UnhandledException",
         "System.Environment": "GetEnvironmentVariables get_CurrentDirectory get_MachineName",
         "System.IO.Path": "GetTempPath GetInvalidFileNameChars", "System.IO.File": "Exists",
         "System.IO.Directory": "Exists", "System.IO.FileStream": ".ctor",
         "System.Reflection.Assembly": "GetEntryAssembly", "System.Console": "OpenStandardError"}


def bare_host():
    """Members of the core library that some host lacks, or does not allow: what is recorded can still be
    asked for from inside."""
    copied(CECIL, ".")
    mcs("lacking.exe", f"-r:{CECIL}", HERE / "Lacking.cs")
    os.mkdir("bare")
    command("mono lacking.exe", TRACKER, "bare/ProfileInfoTracker.dll",
            [f"{type}::{name}" for type, names in LACKS.items() for name in names.split()])
    compile_driver("bare")


def lacks():
    said = drive("report", app="bare").silent()
    said.shows(like("^calls 714, open 2, functions 7, threads 65$"))
    files_are("run")


CECIL = ""
for file in sorted(glob.glob("/usr/lib/mono/gac/Mono.Cecil/*/Mono.Cecil.dll")):
    CECIL = file
check("the tracker is signed, its version is 1.0.0.0, its references are retargetable 2.0.5.0", references)
check("no class of the tracker has a type initializer, but one that only makes an array", one_initializer)
if has("peverify"):
    check("the tracker is valid and verifiable", command, "peverify", TRACKER)
else:
    skip("the tracker is valid and verifiable", "peverify is not installed")
if CECIL:
    check("what the tracker refers to exists from .NET 2.0 on", members)
    check("a tracker is made for a host that lacks much", bare_host)
else:
    skip("what the tracker refers to exists from .NET 2.0 on", "Mono.Cecil is not there")

ALL = ("Main() 1", *(f"{name} 20000" for name in ("Outer()", "Inner()", "Inner(int)", "Recurse()", "Throws()")))
DEEP = ("Main() 1", "Recurse() 100000")
OPEN = ("Main() 1 0 1", "Outer() 1 0 1", "Inner() 1 0 1", "Sleep() 1 0 1")


def half(name):
    global runtime
    runtime = name
    if not has(runtime):
        skip(f"the tracker works on {runtime}", f"{runtime} is not installed")
        return

    def on(sentence, function, *arguments, **options):
        check(f"{runtime}: {sentence}", lambda: function(*arguments, **options))

    on("nested calls and overloads are counted exactly, their times add up", nested)
    on("nothing is printed, no other file is left", nothing_printed)
    on("recursion is counted exactly", counts, ("Main() 1", "Recurse() 20"), "recursion", 20)
    on("of folded recursion no frame is the outermost of its method", folds_are, ("recursion", 20),
       "*Recurse() 9 45 0 0 0 0", "Recurse() 1 10 0 0", RECURSION="10")
    on("a caller knows how many of its calls were folded", folds_of_callees)
    on("so does a folded one, and those above it", folds_are, ["nested"], "*Inner() 0 0 0 0 30 0",
       "*Inner(int) 0 0 0 0 10 0", "*Outer() 40 40 0 0 10 40", "Main() 10 50 0 0", NODES="1")
    on("64 threads are counted exactly", threads)
    on("many short threads are folded into one tree, their open frames closed", short_threads, 3000)
    on("frames left by an exception are closed and counted when an outer one leaves", counts,
       ("Main() 1", "Outer() 10", "Recurse() 20", "Throws() 10 10 0"), "resync")
    on("token 0, a token above the top and one used twice do nothing", counts,
       ("Main() 1", "Outer() 1", "Inner() 1"), "tokens", adds_up=0)
    on("methods of a module without a base are dropped and counted", counts, ("Main() 1",), "unregistered",
       values=[("dropped", "5")], adds_up=0)
    on("Environment.Exit writes open frames with their time so far", exit_called)
    on("an unhandled exception writes the profile; exit status and message stay", unhandled, "unhandled")
    on("so they do when the program listens to it", unhandled, "listens")
    if runtime == "dotnet":
        on("SIGTERM writes the profile and ends the program with its status", signalled, signal.SIGTERM, 143)
        on("SIGINT writes the profile and ends the program with its status", signalled, signal.SIGINT, 130)
        on("a signal that is ignored stays ignored", ignored_signal)
        on("a collectible load context keeps its names, and is collected", collectible)
        on("trackers of several load contexts write a profile each", contexts)
    else:
        stays = "ends the program with its status, the last beat's profile stays"
        on(f"SIGTERM {stays}", signal_after_beat, signal.SIGTERM, 143)
        on(f"SIGINT {stays}", signal_after_beat, signal.SIGINT, 130)
        on("an AppDomain has a profile of its own, written when it is unloaded", domain)
    on("SIGKILL leaves the last beat's profile, which the next run replaces", killed)
    on("the name of a living run on mono is not taken", held, "mono")
    if has("dotnet"):
        on("the name of a living run on dotnet is not taken", held, "dotnet")
    on("a program that reads its profile at the start has the next one in the same place", read_by_program)
    on("a folder that can't be written sends the profile to the temp folder", unwritable)
    on("the end of the program does not wait for the tracker", ends_in_time)
    on("so does a folder that was deleted meanwhile", folder_lost)
    on("the setting out takes %n %p %h %t %% and makes folders", out_pattern)
    on("the setting out takes a folder", out_folder)
    on("the setting out leaves a device alone", out_device)
    on("a broken number is named in one line", broken,
       'ILINJECT_BEAT: expected a whole number from 0 to 86400, found "abc"; using 10', BEAT="abc")
    on("a broken pattern is named in one line", broken, "ILINJECT_OUT: after %", OUT="%q")
    on("an unknown setting is named in one line", broken, "ILINJECT_BEET: unknown setting", BEET="1")
    on("ilinject.settings counts, the environment counts more, mistakes are named", settings_file)
    Path("app/ilinject.settings").unlink(missing_ok=True)
    on("recursion 100,000 deep is kept whole", counts, DEEP, "deep", 100000, adds_up=2,
       values=[("folded", "absent")], RECURSION="1000000", NODES="2000000")
    on("recursion past the limit is folded", counts, DEEP, "deep", 100000, adds_up=2, values=[("folded", "90000")])
    on("a chain of five methods 100,000 deep is folded past the limit", counts, ALL, "chain", 100000, adds_up=2,
       values=[("folded", "50000")], NODES="2000000")
    on("more callees of a caller than it has slots for", wide)
    on("without folding there is a node for every path", fold, 2000000, "absent", 87382)
    on("past the budget calls are folded, counts and times stay whole", fold, 100, "[1-9]*", 106)
    on("a path that a tick finds gets nodes, past those that there are at once", unfold)
    on("a budget of no node folds everything", fold, 0, "87381", 7)
    on("open folded frames have their own time so far", counts, OPEN, "openfold", values=[("folded", "2")], NODES="2")
    on("a call allocates nothing", drive, "alloc", BEAT="0")
    on("odd cultures change nothing", culture)
    on("without Stopwatch another clock serves", without_stopwatch)
    if CECIL:
        on("where there are no files, domains and environment it records", lacks)


# Steps, not seconds: compiled together with the tracker, as it looks into its methods and tables.
check("the tracker compiles with what counts its steps", mcs, "steps.exe", "-nowarn:414,649,169",
      HERE / "Steps.cs", tracker_sources())
check("a place of the tree is found in a few steps, however many children a caller has",
      command, "mono steps.exe finding")
check("methods that share a slot and take turns are entered by one call", command, "mono steps.exe entering")
halves(half)
finish()
