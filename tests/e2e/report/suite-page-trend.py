#!/usr/bin/env -S python3 -B
"""A page of several profiles has what each of them took; one of a single profile has nothing of it."""
import base64
import json
import os
import re
import sys
import zlib
from pathlib import Path
sys.path[0] += "/../.."
from kit import ROOT, check, command, equal, finish, has, ilinject, mcs, program, report, skip, true, write

SOURCE = """
using System;
static class P
{
    static int Work(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += Step(i); return sum; }
    static int Step(int i) { return i * 31 ^ i >> 3; }
    static void Rare() { }
    static void Main(string[] a) { int n = int.Parse(a[0]); if (n % 2 == 0) Rare(); Console.WriteLine(Work(n * 100)); }
}
"""
# The page's own code, in node.
NODE = """
const fs = require('fs'), [file, ...scripts] = process.argv.slice(2), text = fs.readFileSync(file, 'utf8');
const { makeTrend } =
  new Function(scripts.map(s => fs.readFileSync(s, 'utf8')).join('\\n') + '; return { makeTrend };')();
const { trend } = JSON.parse(/<script type="application.json" id="profile">(.*?)<.script>/s.exec(text)[1]);
const made = trend && makeTrend(trend);
console.log(JSON.stringify(made && { ...made, figures: made.figures.map(f => [f.key, made.rows.map(f.values)]) }));
"""
FIELDS = {"calls": "calls", "exclusive": "exclusive_ns", "inclusive": "inclusive_ns"}


def page(*profiles):
    ilinject("report --html page.html", *profiles)
    return Path("page.html").read_text(encoding="utf-8")


def trend(*profiles):
    page(*profiles)
    return command("node", write("trend.js", NODE), "page.html",
                   *(ROOT / f"src/report/page/{name}.js" for name in ("model", "trend"))).json()


def has_their_figures(profiles):
    """In the order of their starts, whatever the order in which they are given."""
    made = trend(profiles[2], profiles[0], profiles[1])
    equal([(run["title"], run["file"]) for run in made["runs"]],
          [(f"1.4{i}", str(profile)) for i, profile in enumerate(profiles)])
    equal(made["label"], "release")
    alone = [{f["name"]: f for f in report(profile)["functions"]} for profile in profiles]
    equal({row["name"] for row in made["rows"]}, {name for functions in alone for name in functions})
    for row in made["rows"]:
        for figure, field in FIELDS.items():
            equal((row["name"], row[figure]),
                  (row["name"], [functions.get(row["name"], {field: 0})[field] for functions in alone]))
    steps = next(row for row in made["rows"] if row["name"].startswith("P.Step("))
    equal(steps["calls"], [100, 200, 300])
    averages = dict(made["figures"])["average"][made["rows"].index(steps)]
    equal([round(a * n) for a, n in zip(averages, steps["calls"])], steps["inclusive"])


def is_per_run(profiles):
    ilinject("merge", *profiles[:2], "-o", "merged.ilprof")
    made = trend("merged.ilprof", profiles[2])
    steps = next(row for row in made["rows"] if row["name"].startswith("P.Step("))
    equal(sorted(zip([run["runs"] for run in made["runs"]], steps["calls"])), [(1, 300), (2, 150)])


def nothing_without(profiles):
    for arguments in [profiles[0]], [profiles[0], "--before", profiles[1]]:
        true("trend" not in page(*arguments).lower(), arguments)
    several = page(*profiles)
    true(several.count("<script>") == 1 and re.search("script-src 'sha256-[^']*'", several))


def compares(profiles):
    made = trend(profiles[2], "--before", profiles[0], "--before", profiles[1])
    equal([run.get("before", False) for run in made["runs"]], [True, True, False])


def is_bounded(profile):
    """The later ones, though all are merged."""
    many = [f"copy-{i}.ilprof" for i in range(203)]
    for name in many:
        os.link(profile, name)
    text = page(*many)
    packed = re.search(r'type="text/plain" id="profile">([^<]*)<', text)[1]
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    equal((data["trend"]["left_out"], len(data["trend"]["runs"]), len(data["profile"]["runs"])), (3, 200, 203))
    equal(len(data["trend"]["calls"]), 200 * len(data["trend"]["name"]))


if not has("mono", "mcs", "node"):
    skip("the trend of several profiles", "mono, mcs and node are not all there")
    finish()
write("P.cs", SOURCE)
mcs("P.exe", "P.cs")
ilinject("-q P.exe -o made/")
RUNS = [program("mono", "made/P.exe", i + 1, name=f"run-{i}", env={"ILINJECT_LABELS": f"release=1.4{i},host=a"},
                status=0).profile for i in range(3)]
check("methods have the figures that each profile's own report has, by the label that differs", has_their_figures, RUNS)
check("a merged profile's are per run", is_per_run, RUNS)
check("those that are compared with are there, too", compares, RUNS)
check("a page of one profile, or of two that are compared, has nothing of it", nothing_without, RUNS)
check("of many profiles the later ones are there", is_bounded, RUNS[0])
finish()
