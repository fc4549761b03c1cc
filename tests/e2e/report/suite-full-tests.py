#!/usr/bin/env -S python3 -B
# level: full
"""Five frameworks' suites, run whole and test by test: xunit 2 and 3, NUnit, MSTest, TUnit; or those that are named."""
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import frameworks
from kit import check, equal, finish, has, ilinject, report, skip, true

METHODS = ["Shop.Store.LoadAsync", "Shop.Store.SaveAsync", "Shop.Store.Fail", "Shop.Store.Close", "Shop.Store.Open",
           "Shop.Prices.Of", "Shop.Prices.Wait", "Shop.Store.Put"]
# of TestsA: each is a run of its own, no name in another
ONE_BY_ONE = ["Adds", "LoadsMany", "Fails", "RowsAsync", "Quick0"]


def run(framework, profile, *arguments):
    ilinject("test -q -o", profile, frameworks.output(framework, framework), "--", arguments, seconds=900, status=None)
    return report(profile)


def trx(framework, name):
    """The arguments that make the runner write its own durations, and where."""
    folder = frameworks.Path(framework).absolute()
    if framework == "xunit3":
        return ["-trx", folder / name]
    if framework == "tunit":
        return ["--report-trx", "--report-trx-filename", name, "--results-directory", folder]
    return ["--nologo", f"--logger:trx;LogFileName={folder}/{name}"]


def one(framework, name):
    """The arguments that choose a test."""
    if framework == "xunit3":
        return ["-method", f"Suite.TestsA.{name}"]
    if framework == "tunit":
        return ["--treenode-filter", f"/*/*/TestsA/{name}*"]
    return ["--nologo", "--filter", f"FullyQualifiedName~Suite.TestsA.{name}"]


def rows(whole):
    return {frameworks.plain(row["name"]): row for row in whole["tests"] if row["kind"] == "test"}


def whole_suite(framework, whole, measured):
    tests = rows(whole)
    equal({name: row["calls"] for name, row in tests.items()}, frameworks.CALLS)
    equal(sum(row["calls_below"] for row in whole["tests"]), whole["totals"]["enters"] - whole["totals"]["steps"])
    taken = sum(node["inclusive_ns"] for thread in whole["threads"] for node in thread["tree"] if node["depth"] == 0)
    true(abs(sum(row["inclusive_ns"] for row in whole["tests"]) - taken) <= taken * 0.01, "inclusive times")
    for name, row in tests.items():
        least = frameworks.SLEPT_MS.get(name.split(".")[-1], 0)
        true(row["duration_ns"] / 1e6 >= least * 0.95, f"{name} slept {least} ms: {row}")
        true(row["duration_ns"] / 1e6 <= measured[name] * 1.02 + 5, f"{name}: {measured[name]} ms by the runner, {row}")
    equal({row["exceptions"] for name, row in tests.items() if name.endswith(".Fails")}, {1})


def close(whole, measured):
    """How many of the slowest ten are as long as the runner says: it counts its own start, and other programs'."""
    slowest = sorted(measured, key=measured.get)[-10:]
    took = {name: (row["duration_ns"] + row["set_up_ns"]) / 1e6 for name, row in rows(whole).items()}
    near = [n for n in slowest if abs(took[n] - measured[n]) <= measured[n] * 0.1 + 5]
    print(f"   {len(near)} of the slowest ten within 10 % and 5 ms", flush=True)


def alone(framework):
    """--covers names of five tests just those that run a method when each of them runs alone."""
    covered = {method: set() for method in METHODS}
    for name in ONE_BY_ONE:
        ran = {frameworks.plain(f["name"]) for f in run(
            framework, f"{framework}-one.ilprof", *one(framework, name))["functions"]}
        true(f"Suite.TestsA.{name}" in ran, f"{name} did not run: {ran}")
        for method in METHODS:
            if method in ran:
                covered[method].add(f"Suite.TestsA.{name}")
    for method in METHODS:
        said = ilinject("report", f"--covers={method}", f"{framework}.ilprof").out.split()
        equal({n for n in said if n.split(".")[-1] in ONE_BY_ONE and "TestsA" in n}, covered[method])


def suite(framework):
    whole = run(framework, f"{framework}.ilprof", *trx(framework, "whole.trx"))
    measured = frameworks.durations(f"{framework}/whole.trx")
    check(f"{framework}: each test is a tree, all add up, and none takes longer than the runner says",
          whole_suite, framework, whole, measured)
    close(whole, measured)
    check(f"{framework}: --covers equals what each test alone runs", alone, framework)


for framework in sys.argv[1:] or frameworks.FRAMEWORKS:
    reason = "no dotnet" if not has("dotnet") else frameworks.build(framework, framework)
    if reason:
        skip(f"{framework}: tests", reason)
    else:
        suite(framework)
finish()
