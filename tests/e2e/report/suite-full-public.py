#!/usr/bin/env -S python3 -B
# level: full
"""Test suites of public packages: NUnit, xunit 2 and 3, MSTest, one with thousands of tests. PUBLIC_SUITES names a
folder that has their repositories' files (e2e/lib/py/public.py); a suite named on the command line is the only one."""
import collections
import csv
import io
import json
import os
import random
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import covered
import frameworks
import public
from kit import check, command, equal, finish, has, ilinject, report, skip, true

SOURCES = os.environ.get("PUBLIC_SUITES")
SAMPLE = int(os.environ.get("PUBLIC_SAMPLE", "30"))  # tests that are run alone, too
ASKED = 20                                           # methods that --covers is asked for
WHOLE_SUITE = ["--set=nodes=3000000"]                # no governor: what a test alone runs is all there


def arguments(suite, trx=None, tests=()):
    """Of the runner: where its own durations go, which tests alone run."""
    folder = os.path.abspath(suite)
    if public.SUITES[suite][0] == "xunit3":
        return (["-trx", f"{folder}/{trx}"] if trx else []) + [word for test in tests for word in ("-method", test)]
    return ["--nologo"] + ([f"--logger:trx;LogFileName={folder}/{trx}"] if trx else []) + \
        (["--filter", "|".join(f"FullyQualifiedName~{test}" for test in tests)] if tests else [])


def run(suite, profile, *runner, settings=()):
    ilinject("test -q -o", profile, *settings, built[suite], "--", *runner, seconds=1800, status=None)


def tests_of(whole):
    """Rows by the name that the runner has for the test."""
    return {frameworks.plain(whole["functions"][row["function"]]["name"]): row
            for row in whole["tests"] if row["kind"] == "test"}


def sums(whole):
    tests, totals = whole["tests"], whole["totals"]
    equal(sum(row["calls_below"] for row in tests), totals["enters"] - totals["steps"])
    taken = sum(node["inclusive_ns"] for thread in whole["threads"] for node in thread["tree"] if node["depth"] == 0)
    true(abs(sum(row["inclusive_ns"] for row in tests) - taken) <= taken * 0.05, "inclusive times")


def durations(suite):
    """As recorded: the runner measures the recording, too. All of the slowest ten are near but the run's first test,
    which has the runner's own start."""
    whole = report(f"{suite}.ilprof", "--raw")
    measured = frameworks.durations(f"{suite}/whole.trx")
    tests = {name: (row["duration_ns"] + row["set_up_ns"]) / 1e6
             for name, row in tests_of(whole).items() if name in measured}
    true(len(tests) >= len(measured) * 0.9, f"{len(tests)} of {len(measured)} tests are in the report")
    slowest = sorted(tests, key=measured.get)[-10:]
    rows = {name: row["calls"] for name, row in tests_of(whole).items()}  # the runner has its own part in each
    near = [name for name in slowest if abs(tests[name] - measured[name]) <= measured[name] * 0.1 + 5 * rows[name]]
    print(f"   {suite}: {len(tests)} tests, {len(near)} of the slowest ten within 10 % and 5 ms", flush=True)
    for name in set(slowest) - set(near):
        print(f"   {name}: {measured[name]:.1f} ms by the runner, {tests[name]:.1f} here", flush=True)
    equal(set(slowest) - set(near) - {frameworks.first_started(f"{suite}/whole.trx")}, set())


# Of xunit 2: around what it measures; the call of a test.
TIMER, OF_TEST = "ExecutionTimer.Aggregate", "XunitTestRunner.InvokeTestMethodAsync"


def timed_by_runner(trace, names):
    """By test: how long the frames of the runner's timer took that belong to it, in ms."""
    stacks, found = collections.defaultdict(list), collections.Counter()
    for line in trace.split("\n"):
        event = json.loads(line.rstrip(",")) if line.startswith('{"ph":"B"') or line.startswith('{"ph":"E"') else None
        stack = stacks[event["tid"]] if event else None
        if event and event["ph"] == "B":
            stack.append([event["name"], event["ts"], None, 0])  # the test in it, its timer's frames
        elif event and stack:
            name, begun, test, took = stack.pop()
            if TIMER in name and not any(TIMER in frame[0] for frame in stack):
                took = (event["ts"] - begun) / 1000
            test = frameworks.plain(name) if frameworks.plain(name) in names else test
            if OF_TEST in name and test:
                found[test] += took
            elif stack:
                stack[-1][2:] = [test or stack[-1][2], stack[-1][3] + took]
    return found


def by_its_timer(suite):
    """The runner's timer is around more than the test: its constructor, compiling, the call by reflection. What its
    frames took is what it says, but for those of tests that await."""
    xunit, tests = "[xunit.execution.dotnet]Xunit.Sdk.", list(public.SUITES[suite][1])[-1]
    settings = ["--all", f"--include={xunit}ExecutionTimer.**", f"--include={xunit}{OF_TEST}", f"--include=[{tests}]**",
                "--set=timeline=1", "--set=clock=stopwatch"]
    run(suite, f"{suite}-timer.ilprof", *arguments(suite, trx="timer.trx"), "--",
        "xUnit.ParallelizeTestCollections=false", "xUnit.MaxParallelThreads=1", settings=settings)
    measured = frameworks.durations(f"{suite}/timer.trx")
    trace = ilinject("report --raw --format=chrome", f"{suite}-timer.ilprof").out
    awaits = {frameworks.plain(name) for name in re.findall(r'"name":"([^"]*)\[async\]', trace)}
    found = timed_by_runner(trace, set(measured))
    plain = [name for name in sorted(found, key=measured.get) if name not in awaits]
    near = [name for name in plain if abs(found[name] - measured[name]) <= measured[name] * 0.1 + 5]
    print(f"   {suite}: {len(near)} of {len(plain)} as its timer's frames, "
          f"{len(set(near) & set(plain[-30:]))} of the slowest 30", flush=True)
    true(len(near) >= len(plain) * 0.98, f"{len(near)} of {len(plain)}")


def methods(profile, test):
    """Those in the trees of the tests with that in their names."""
    rows = csv.DictReader(io.StringIO(ilinject("report --format=csv", f"--test={test}", profile).out))
    return {row["name"].split("(")[0] for row in rows}


def chosen_alone(whole):
    """Those with names that stand in no other's, as runners look for them."""
    names = sorted(tests_of(whole))
    return [n for n in names if sum(n in other for other in names) == 1]


def alone(suite, whole):
    single = chosen_alone(whole)
    chosen = random.Random(48).sample(single, min(SAMPLE, len(single)))
    ran, beside = {}, {}
    for test in chosen:
        run(suite, f"{suite}-one.ilprof", *arguments(suite, tests=[test]), settings=WHOLE_SUITE)
        ran[test] = methods(f"{suite}-one.ilprof", test)
        beside[test] = methods(f"{suite}.ilprof", test)
    pairs = sum(map(len, ran.values()))
    less = {(t, m) for t in chosen for m in ran[t] - beside[t]}
    more = {(t, m) for t in chosen for m in beside[t] - ran[t]}
    print(f"   {suite}: {len(chosen)} tests alone run {pairs} methods; in the whole {len(less)} less, {len(more)} more",
          flush=True)
    for test, method in sorted(less)[:8]:
        print(f"   less: {test}: {method}", flush=True)
    for test, method in sorted(more)[:8]:
        print(f"   more: {test}: {method}", flush=True)
    for method in random.Random(49).sample(sorted(set.union(*ran.values())), ASKED):
        said = ilinject("report", f"--covers={method}", f"{suite}.ilprof").out.split("\n")
        named = {frameworks.plain(line) for line in said}
        equal({t for t in chosen if method in beside[t]} - named, set())
    return less, more


STATEFUL = {"Mapster", "CsvHelper"}  # tests change settings that others of their process have, too
OTHERS = 6                           # so many are tried, those of the same class first: they share type arguments


def as_alone(suite, whole):
    """What a test lacks beside others is done once in a process: type initializers, caches. Of two tests that run
    together, one alone does it."""
    (less, more), single, shown = alone(suite, whole), set(chosen_alone(whole)), 0
    for test in sorted({test for test, _ in less}):
        lacking = {method for of, method in less if of == test}
        for other in the_others(suite, test, lacking, single)[:OTHERS]:
            if not lacking:
                break
            run(suite, f"{suite}-two.ilprof", *arguments(suite, tests=[test, other]), settings=WHOLE_SUITE)
            mine, its = methods(f"{suite}-two.ilprof", test), methods(f"{suite}-two.ilprof", other)
            once = {m for m in lacking if (m in mine) != (m in its)}
            shown += len(once)
            lacking -= once
        for method in sorted(lacking):
            print(f"   not shown to be done once: {test}: {method}", flush=True)
    print(f"   {suite}: {shown} of {len(less)} that are less are done once, by the first that needs it", flush=True)
    true(shown >= len(less) * 0.9, f"{shown} of {len(less)}")
    true(not more or suite in STATEFUL, more)


def the_others(suite, test, lacking, single):
    """The tests that did some of that in the whole: those of the same class, then those with most of it."""
    did = collections.Counter()
    for method in lacking:
        named = {frameworks.plain(line) for line in
                 ilinject("report", f"--covers={method}", f"{suite}.ilprof").out.splitlines()}
        did.update(named & (single - {test}))
    of_class = test.rpartition(".")[0] + "."
    return sorted(did, key=lambda other: (not other.startswith(of_class), -did[other], other))


def by_coverlet(suite):
    """Its file. It watches VSTest alone, so tests that run themselves are built again, for that."""
    folder, tests = Path(suite).absolute() / "theirs", built[suite]
    if public.SUITES[suite][0] == "xunit3":
        reason, tests = public.build(suite, SOURCES, f"{suite}-hosted", public.HOSTED)
        equal(reason, None)
    command("dotnet test --no-build -c Release", "--collect:XPlat Code Coverage", f"--results-directory:{folder}",
            cwd=tests.parents[2], seconds=1800, status=None)
    return next(folder.rglob("coverage.cobertura.xml"))


def is_initialised(suite, method):
    """A line such as `int A { get; } = 1;` is its constructor's, too: coverlet has one entry for both."""
    for file in Path(suite, "sources").rglob(method.file):
        lines = file.read_text(errors="replace").split("\n")
        if re.search(r"\{\s*get\b[^}]*\}\s*=", "".join(lines[min(method.lines) - 1:][:1])):
            return True
    return False


def coverage(suite):
    """Beside coverlet's, of the package itself. Methods that compilers made are in one alone."""
    projects = list(public.SUITES[suite][1])
    package = projects[-1].removesuffix(".Tests")
    ilinject("report --format=cobertura -o", f"{suite}.xml", f"{suite}.ilprof")
    theirs = covered.methods(by_coverlet(suite), package)
    ours = covered.methods(f"{suite}.xml", package)
    agreed, wrong, absent, left = covered.compared(theirs, ours)
    # Coverlet has one entry for overloads that differ in their generic parameters alone.
    count = collections.Counter((m.type, m.name, m.parameters) for m in ours)
    wrong = [w for w in wrong if all(count[m.type, m.name, m.parameters] == 1 for m in w[0])]
    wrong = [w for w in wrong if any(m.hit or not is_initialised(suite, m) for m in w[0])]
    print(f"   {suite}: {agreed} methods of {package} agree, {len(wrong)} differ, "
          f"{len(absent)} and {len(left)} stand in one alone", flush=True)
    for of, others in wrong[:10]:
        print("   ours", [(m.type, m.name, m.hit) for m in of], "coverlet", [(m.name, m.hit) for m in others],
              flush=True)
    for m in absent[:5] + left[:5]:
        print("   alone", m.type, m.name, m.parameters, m.file, sorted(m.lines)[:1], m.hit, flush=True)
    true(agreed > len(theirs) // 2, f"{agreed} of {len(theirs)}")
    equal(len(wrong), 0)


def public_suite(suite):
    run(suite, f"{suite}.ilprof", *arguments(suite, trx="whole.trx"))
    whole = report(f"{suite}.ilprof")
    check(f"{suite}: each test is a tree, and all add up to the whole", sums, whole)
    check(f"{suite}: durations are those of the runner", durations, suite)
    if public.SUITES[suite][0] == "xunit2":
        check(f"{suite}: what the runner measures is what its timer's frames took", by_its_timer, suite)
    check(f"{suite}: what each test covers is what it runs alone", as_alone, suite, whole)
    check(f"{suite}: the methods that coverlet calls hit", coverage, suite)


built = {}
for suite in sys.argv[1:] or public.SUITES:
    if not has("dotnet") or not SOURCES or not Path(SOURCES, suite).is_dir():
        skip(f"{suite}: its tests", "PUBLIC_SUITES has no folder with its repository")
        continue
    reason, built[suite] = public.build(suite, SOURCES, suite)
    if reason:
        skip(f"{suite}: its tests", reason)
    else:
        public_suite(suite)
finish()
