#!/usr/bin/env -S python3 -B
"""Lambdas in a comparison of two builds: one that has another number, since others were written above it, is the same
method, where its parameters leave no doubt; what compilers made for a new one is no row."""
import json
import re
import sys
sys.path[0] += "/../.."
from kit import can, check, equal, finish, ilinject, mcs, program, skip, true

SOURCE = """\
using System;
static class Shop {
    static int Number(Func<int, int> f) { return f(3); }
    static int Text(Func<string, int> f) { return f("abc"); }
    static void Plain(Action f) { f(); }
    static void Main() {
        int sum = 0;
        CODE
        Console.WriteLine(sum);
    }
}
"""
NUMBER, SECOND, TEXT = "sum += Number(x => x + 1);", "sum += Number(x => x + 2);", "sum += Text(x => x.Length);"
CAPTURES = "Plain(() => { sum++; });"
BUILDS = {
    "before": [NUMBER], "below": [TEXT, NUMBER],
    "two": [NUMBER, SECOND], "two-below": [TEXT, TEXT, NUMBER, SECOND],
    "captures": [NUMBER, CAPTURES],
}


def record(build, code, *runs):
    mcs(f"{build}/Shop.exe", code=SOURCE.replace("CODE", " ".join(code)))
    ilinject("-q --counts", f"{build}/Shop.exe", "-o", f"{build}/out/")  # so that no time is judged
    return [program("mono", f"{build}/out/Shop.exe", name=f"{build}{run}").profile for run in runs or (1,)]


def compared(before, after):
    said = ilinject("diff", before, "--", after).out
    return [int(n) for n in re.search(r"^Methods .*faster, (\d+) new, (\d+) gone", said, re.M).groups()], said


def is_the_same():
    """None is gone, and the name is that of the build after."""
    for runs in (1, 2):
        counts, said = compared(profiles["before"][:runs], profiles["below"][:runs])
        equal(counts, [2, 0])  # the other one is the method that takes it
        true("lambda#1(string)" in said, said)
    found = json.loads(ilinject("diff --json", profiles["before"], "--", profiles["below"]).out)
    names = json.dumps(found)
    true("lambda#2(int)" in names and "lambda#1(int)" not in names, names)


def is_in_doubt():
    """Of two alike it is not known which is which: with what takes a text five are new, and two gone."""
    counts, said = compared(profiles["two"], profiles["two-below"])
    true(counts == [5, 2], said)


def is_no_row():
    counts, said = compared(profiles["before"], profiles["captures"])
    true("closure" not in said and "lambda#2()" in said and said.startswith("Shop."), said)
    equal(counts, [2, 0])


if can("mono"):
    profiles = {build: record(build, code, 1, 2) for build, code in BUILDS.items()}
    check("a lambda below a new one of other parameters is the same as before", is_the_same)
    check("two lambdas of the same parameters, below new ones, are not taken for those before", is_in_doubt)
    check("the closure of a new lambda is no row", is_no_row)
else:
    skip("lambdas in a comparison", "no mono")
finish()
