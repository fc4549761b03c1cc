#!/usr/bin/env -S python3 -B
"""Labels of a run: where they come from, that a profile keeps them, that merging keeps them as sets, and that a report
shows them and chooses by them."""
import json
import sys
sys.path[0] += "/../.."
from kit import check, equal, finish, ilinject, like, mcs, program, report, runtimeconfig, runtimes, skip, true

SOURCE = """
using System;
[assembly: System.Reflection.AssemblyInformationalVersion("%s")]
static class App { static void Main() { Console.WriteLine("done"); } }
"""
for folder, version in (("in", "1.4.2+abc123"), ("next", "1.5.0")):
    mcs(f"{folder}/App.exe", code=SOURCE % version)
mcs("bare/App.exe", code='static class App { static void Main() { System.Console.WriteLine("done"); } }')
for folder, out, options in (("in", "out", ""), ("in", "baked", "--set label.region=eu --set labels=release=1,host=b"),
                             ("next", "later", ""), ("bare", "plain", "")):
    ilinject(f"{folder}/App.exe {options} -o {out}/App.exe")
    runtimeconfig(f"{out}/App.exe")


def labels(profile):
    return report(profile).get("labels")


def run(runtime, folder, name, **env):
    said = program(runtime, f"{folder}/App.exe", name=name, status=0, env=env)
    equal(said.out, "done\n")
    return said


def own(runtime):
    equal(labels(run(runtime, "out", "own").profile), {"commit": {"abc123": 1}, "version": {"1.4.2": 1}})
    equal(labels(run(runtime, "later", "later").profile), {"version": {"1.5.0": 1}})


def from_everywhere(runtime):
    said = run(
    runtime,
    "baked",
    "all",
    ILINJECT_LABELS="release=2,tier=a b",
    OTEL_RESOURCE_ATTRIBUTES="service.name=x,service.version=9,deployment.environment=a%2Cb%20%C3%A9,release=0",
     OTEL_SERVICE_NAME="shop")
    equal(said.err, "")
    equal(labels(said.profile),
          {"commit": {"abc123": 1}, "deployment.environment": {"a,b é": 1}, "host": {"b": 1}, "region": {"eu": 1},
           "release": {"2": 1}, "service.name": {"shop": 1}, "service.version": {"9": 1}, "tier": {"a b": 1},
           "version": {"1.4.2": 1}})
    run_row = json.loads(ilinject("report --format=rows", said.profile).out.splitlines()[0])
    equal((run_row["service"], run_row["release"], run_row["host"]), ("shop", "2", "b"))


def none(runtime):
    said = run(runtime, "plain", "none")
    equal(labels(said.profile), None)
    true(b"LABL" not in said.profile.read_bytes())
    ilinject("report", said.profile).lacks(like("^Labels"))


def bounded(runtime):
    many = ",".join(f"n{i}={i}" for i in range(40))
    said = run(runtime, "plain", "many", ILINJECT_LABELS=many + ",n3=three")
    equal(len(labels(said.profile)), 32)
    equal(said.err.count("a profile has at most 32"), 8)
    equal(labels(said.profile)["n3"], {"three": 1})
    said = run(runtime, "plain", "wrong", ILINJECT_LABELS=f"a b=1,long={'x' * 257},ok={'é' * 128},none")
    equal(labels(said.profile), {"ok": {"é" * 128: 1}})
    equal(said.err.count("\n"), 3)


for runtime in runtimes():
    if runtime == "interpreter":
        continue
    for sentence, function in (("a run has the version and the commit of its program by itself", own),
                               ("labels come from settings and from the environment, which counts for more",
                                from_everywhere),
                               ("a program without labels has no section of them", none),
                               ("labels are bounded in size and number, and what is left out is named", bounded)):
        check(f"{sentence} ({runtime})", function, runtime)


def refused():
    for setting in ("label.=1", "label.a b=1", "label.x=", f"label.x={'y' * 257}", "labels=a", "labels=a=1,,b=2"):
        ilinject("bare/App.exe", "--set", setting, "-o", "refused.exe", status=2).says("setting label", lines=1)
    ilinject("bare/App.exe", "--set", f"label.x={'y' * 256}", "-o", "taken.exe")


check("a label that the tracker would not take is refused at once", refused)

if "mono" in runtimes():
    for number, (folder, release) in enumerate((("out", "1"), ("out", "1"), ("later", "2"), ("plain", ""))):
        run("mono", folder, f"set{number}", **
            ({"ILINJECT_LABELS": f"release={release},host=h{number}"} if release else {}))
    FILES = [f"said/set{i}.mono.ilprof" for i in range(4)]
    ilinject("merge -o ab.ilprof", FILES[:2])
    ilinject("merge -o cd.ilprof", FILES[2:])
    ilinject("merge -o abcd.ilprof ab.ilprof cd.ilprof")
    ilinject("merge -o all.ilprof", FILES[::-1])

    def sets():
        equal(labels("abcd.ilprof"), {"commit": {"abc123": 2}, "host": {"h0": 1, "h1": 1, "h2": 1},
                                      "release": {"1": 2, "2": 1}, "version": {"1.4.2": 2, "1.5.0": 1}})
        equal(open("abcd.ilprof", "rb").read(), open("all.ilprof", "rb").read())
        equal(report("ab.ilprof", "cd.ilprof")["labels"], labels("all.ilprof"))

    def shown():
        ilinject("report", FILES[0]).shows(like(r"^Labels   host=h0; release=1$"))
        ilinject(
    "report --verbose",
    FILES[0]).shows(
        like(r"^Labels   commit=abc123; host=h0; release=1; version=1.4.2$"))
        ilinject("report abcd.ilprof").shows(
    like(r"^Labels   host=h0 \(1\), h1 \(1\), h2 \(1\); release=1 \(2\), 2 \(1\)$"))

    def chosen():
        equal(report(*FILES, "--where=release=1")["labels"]["host"], {"h0": 1, "h1": 1})
        equal(report(*FILES, "--where=release=1", "--where", "host=h1")["labels"]["host"], {"h1": 1})
        equal(report(*FILES, "--where=version=1.5.0")["labels"]["host"], {"h2": 1})
        rows = ilinject("report --format=rows --where=release=1", FILES).out
        equal(sum('"table":"run"' in line for line in rows.splitlines()), 2)
        equal(report("ab.ilprof", "cd.ilprof", "--where=release=1")["labels"]["host"], {"h0": 1, "h1": 1})
        ilinject("report --where=release=2 ab.ilprof cd.ilprof", status=1).says("cd.ilprof: warning ILJ0620", "ILJ0604")
        ilinject("report --where=release=9", FILES, status=1).says("ILJ0604", lines=1)
        ilinject("report --where=release", FILES, status=2).says("ILJ0621", lines=1)

    check("merging keeps labels as sets, with the number of runs of each value", sets)
    check("the head of a report shows labels", shown)
    check("--where takes the profiles whose runs have the label", chosen)
else:
    skip("merging keeps labels as sets", "no Mono is installed")

finish()
