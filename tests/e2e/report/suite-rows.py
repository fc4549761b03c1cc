#!/usr/bin/env -S python3 -B
"""report --format=rows and rows-csv: runs, methods, paths and nodes for databases, held against sums and ids that are
made here from the format's description."""
import csv
import json
import random
import struct
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import fleet
from kit import ILINJECT, check, command, equal, finish, ilinject, mcs, program, report, runtimes, scratch, skip, true

MASK = (1 << 64) - 1


def fnv(*parts):
    h = 0xCBF29CE484222325
    for part in parts:
        data = part.encode() + b"\0" if isinstance(part, str) else struct.pack("<Q", part)
        for byte in data:
            h = (h ^ byte) * 0x100000001B3 & MASK
    return h or 1


def rows(*arguments):
    tables = {"run": [], "method": [], "path": [], "node": []}
    for line in ilinject("report --format=rows", *arguments).out.splitlines():
        row = json.loads(line)
        tables[row.pop("table")].append(row)
    return tables


made = fleet.Program(3, 60, 300)
draw = random.Random(4)
facts = [{"host": f"h{i}", "pid": 10 + i, "start": 1764201600_000000000 + i * 86400_000000000,
          "labels": {"release": f"1.{i % 2}"}} for i in range(4)]
recorded = []
for number, of in enumerate(facts):
    data, figures = made.run(draw, share=0.9, **of)
    (scratch() / f"{number}.ilprof").write_bytes(data)
    recorded.append(figures)
FILES = [f"{i}.ilprof" for i in range(4)]


def path_names(tables):
    """Of each path its names from the outermost on."""
    of = {p["path_id"]: p for p in tables["path"]}
    names = {m["method_id"]: m["name"] for m in tables["method"]}

    def walk(path):
        found = []
        while path:
            found.append(names[of[path]["method_id"]])
            path = of[path]["parent_id"]
        return tuple(reversed(found))
    return {path: walk(path) for path in of}


def expected_paths():
    def walk(node):
        found = []
        while node:
            found.append(made.method_name(made.keys[node]))
            node = made.parents[node]
        return tuple(reversed(found))
    return [walk(node) for node in range(len(made.keys))]


def has_what_was_recorded():
    tables, paths = rows(FILES), expected_paths()
    names = path_names(tables)
    runs = [fnv("", f"h{i}", "Shop", 10 + i, facts[i]["start"]) for i in range(4)]
    equal([r["run_id"] for r in tables["run"]], runs)
    equal([(r["host"], r["release"], r["service"], r["runs"], r["day"], r["labels"]) for r in tables["run"]],
          [(f"h{i}", f"1.{i % 2}", "Shop", 1, f"2025-11-{27 + i}", {"release": [f"1.{i % 2}"]}) for i in range(4)])
    found = {(n["run_id"], names[n["path_id"]]): (n["calls"], n["exclusive_ns"]) for n in tables["node"]}
    equal(len(found), len(tables["node"]))
    equal(found, {(runs[i], paths[node]): values for i in range(4) for node, values in recorded[i].items()})


check("each node of each profile is a row with its calls and own time", has_what_was_recorded)


def has_stable_ids():
    tables = rows(FILES)
    for m in tables["method"]:
        equal(m["method_id"], fnv("Shop", m["name"]))
        equal(m["type"], m["name"][:m["name"].rindex(".", 0, m["name"].index("("))])
    depths = {p["path_id"]: p["depth"] for p in tables["path"]}
    for p in tables["path"]:
        equal(p["path_id"], fnv(p["parent_id"], p["method_id"]))
        equal(p["depth"], depths.get(p["parent_id"], 0) + 1)
    equal(sorted(m["name"] for m in tables["method"]), sorted(made.method_name(m) for m in range(60)))


check("ids are the hashes that the format says, and methods that nobody called have rows", has_stable_ids)


def sums_as_merge():
    ilinject("merge -o merged.ilprof", FILES)
    alone, merged = rows(FILES), rows("merged.ilprof")

    def sums(tables):
        by_path = {}
        for n in tables["node"]:
            calls, ns = by_path.get(n["path_id"], (0, 0))
            by_path[n["path_id"]] = (calls + n["calls"], ns + n["exclusive_ns"])
        return by_path
    equal(sums(alone), sums(merged))
    equal(len(merged["run"]), 1)
    equal((merged["run"][0]["runs"], merged["run"][0]["labels"]), (4, {"release": ["1.0", "1.1"]}))
    equal(merged["run"][0].get("release"), None)
    whole = json.loads(ilinject("report --json merged.ilprof").out)["totals"]["exclusive_ns"]
    equal(sum(ns for _, ns in sums(alone).values()), whole)


check("sums over the rows of profiles are those of the merged one, and of its report", sums_as_merge)


def csv_has_the_same():
    said = ilinject("report --format=rows-csv", FILES).out
    true("\r\n" in said)
    found = list(csv.DictReader(said.splitlines()))
    lines = [json.loads(line) for line in ilinject("report --format=rows", FILES).out.splitlines()]
    equal(len(found), len(lines))
    for row, expected in zip(found, lines):
        shown = {k: v for k, v in row.items() if v != ""}
        if "labels" in shown:
            shown["labels"] = json.loads(shown["labels"])
        equal({k: v if isinstance(v, dict) else str(v) for k, v in shown.items()},
              {k: v if isinstance(v, dict) else str(v) for k, v in expected.items()})


check("rows-csv has the same rows, columns and values", csv_has_the_same)


def repeats_nothing():
    one, four = rows(FILES[0]), rows(FILES)
    equal(len(set(p["path_id"] for p in four["path"])), len(four["path"]))
    equal(len(set(m["method_id"] for m in four["method"])), len(four["method"]))
    true(len(one["path"]) <= len(four["path"]) < 4 * len(one["path"]))


check("a method or a path of several profiles comes once", repeats_nothing)


def whole_or_nothing():
    (scratch() / "damaged.ilprof").write_bytes((scratch() / "2.ilprof").read_bytes()[:-40])
    ilinject("report --format=rows -o rows.ndjson 0.ilprof damaged.ilprof 1.ilprof", status=1).says("damaged.ilprof")
    true(not (scratch() / "rows.ndjson").exists())
    ilinject("report --format=rows -o rows.ndjson 0.ilprof 1.ilprof")
    true((scratch() / "rows.ndjson").stat().st_size > 1000)


check("with a damaged profile among them no file is written", whole_or_nothing)


def takes_memory_of_one():
    """Of many profiles as of a few: peak memory in KiB."""
    many = [f"many/{i}.ilprof" for i in range(300)]
    (scratch() / "many").mkdir()
    for i, name in enumerate(many):
        (scratch() / name).write_bytes(made.run(draw, host=f"m{i}", pid=i, start=1)[0])

    def peak(files):
        code = ("import resource, subprocess, sys\n"
                "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        return int(command(sys.executable, "-c", code, ILINJECT, "report", "--format=rows", files).out)
    few, all_of_them = peak(many[:10]), peak(many)
    true(all_of_them < few + 3000, f"{few} KiB of 10, {all_of_them} KiB of 300")


check("many profiles take no more memory than a few", takes_memory_of_one)

SOURCE = """
using System; using System.Collections.Generic; using System.Threading; using System.Threading.Tasks;
class App {
    static IEnumerable<int> Numbers(int n) { for (int i = 0; i < n; i++) yield return Twice(i); }
    static int Twice(int i) { return 2 * i; }
    static async Task<int> Later(int n) { await Task.Delay(20); return Twice(n); }
    static void Fails() { throw new InvalidOperationException("no"); }
    static int Never(string s) { return s.Length; }
    static void Main() {
        int sum = 0;
        foreach (int i in Numbers(20)) sum += i;
        sum += Later(1).Result + Later(2).Result;
        try { Fails(); } catch (InvalidOperationException) { sum++; }
        Thread.Sleep(30);
        Console.WriteLine(sum);
    }
}
"""


def agrees_with_json(runtime):
    said = program(runtime, "out/App.exe", status=None)
    true(said.profile.exists(), str(said))
    whole, tables = report(said.profile), rows(said.profile)
    names = {m["method_id"]: m["name"] for m in tables["method"]}
    sums = {}
    for n in tables["node"]:
        name = names[n["method_id"]].replace(" (resumed)", "")
        calls, ns, waiting = sums.get(name, (0, 0, 0))
        sums[name] = (calls + n["calls"], ns + n["exclusive_ns"], waiting + n.get("waiting_ns", 0))
    for f in whole["functions"]:
        equal((f["name"], sums[f["name"]][0]), (f["name"], f["calls"]))
        equal(sums[f["name"]][2], f.get("waiting_ns", 0))
    true(any("Never(string)" in m["name"] for m in tables["method"]))
    true(any(m["kind"] == "iterator" for m in tables["method"]) and any(m["kind"] == "async" for m in tables["method"]))
    equal(sum(n.get("exceptions", 0) for n in tables["node"]),
          sum(e["count"] for e in whole["exceptions"]))


if runtimes():
    mcs("in/App.exe", code=SOURCE)
    ilinject("in/App.exe --all -o out/App.exe")
    for runtime in [r for r in runtimes() if r == "mono"]:
        check(
    f"calls, waits and exceptions of a program are those of its report ({runtime})",
    agrees_with_json,
     runtime)
else:
    skip("calls, waits and exceptions of a program are those of its report", "no runtime is installed")

finish()
