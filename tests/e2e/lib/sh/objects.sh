# tests/e2e/lib/sh/objects.sh - what tests/e2e/lib/cs/Objects.cs allocates, counted by hand in its source: by type, and by method with all
# that is called.

all_objects=1061

# Does a report have them? A number after it: of that many runs. "alone": the program ran without threads.
objects_by_hand() { # REPORT.json [RUNS] [alone]
    python3 - "$@" <<'END'
import json, re, sys
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1
alone = len(sys.argv) > 3
types = {
    # Plainly, Three, Filters, Inherits, Loop, Iterates, Chooses, and on three threads
    "Plain": 1 + 2 + 1 + 1 + 1000 + 2 + 1 + (0 if alone else 3),
    "Plain[]": 1 + 1 + 10 + 1,  # Arrays, Filters, Deep, Nests
    "Plain[][]": 1, "Point[]": 1, "int[,]": 1, "int[]": 1,  # Arrays
    "Cell<string>": 1 + 1,  # Three, Nests
    "Holder": 1 + 1 + 1,  # Filters, Chooses, Nests
    "System.Version": 1,  # Values
    "int boxed": 1 + 1, "Point boxed": 1 + 1, "System.DateTime boxed": 1, "System.DayOfWeek boxed": 1,  # Boxes, Nests
    "int? boxed": 1,  # Nullables
    "T boxed": 2, "T[]": 2,  # Generics
    "Change": 1, "System.Func<string>": 1,  # Delegates
    "System.InvalidOperationException": 1 + 1 + 1,  # Catches, Filters, Fails
    "Derived": 1, "Failing": 1, "string": 1, "object[]": 1,  # Inherits, Fails, Texts, Nests
    "Objects.<Plains>": 1,  # Iterates: what the compiler makes of it
    "System.Threading.Thread": 3, "System.Threading.ThreadStart": 3,
}
methods = {
    "Nothing": 0, "Plainly": 1, "Three": 3, "Arrays": 5, "Values": 1, "Boxes": 4, "Nullables": 1, "Generics": 4, "Tests": 0, "Delegates": 2, "Catches": 1,
    "Filters": 4, "Inherits": 2, "Fails": 2, "Loop": 1000, "Deep": 10, "Iterates": 3, "Texts": 1, "Chooses": 2, "Nests": 6, "Idle": 0, "Threads": 6,
    "OnThread": 3, "Measured": 1058,
}
if alone:
    del types["System.Threading.Thread"], types["System.Threading.ThreadStart"], methods["Threads"], methods["OnThread"]
    methods["Measured"] -= 6
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
found = {}
for site in report["objects"]:
    name = re.sub(r"^(Objects\.<Plains>).*", r"\1", site["type"]) + (" boxed" if site["kind"] == "box" else "")
    found[name] = found.get(name, 0) + site["objects"]
bad = [(name, found.get(name), runs * types.get(name, 0)) for name in sorted(set(found) | set(types)) if found.get(name) != runs * types.get(name, 0)]
functions = {f["name"].split("(")[0].removeprefix("Objects."): f for f in report["functions"]}
for name, objects in methods.items():
    if functions[name]["inclusive_objects"] != runs * objects:
        bad.append((name, functions[name]["inclusive_objects"], runs * objects))
whole = sum(types.values()) * runs
sums = [report["totals"]["exclusive_objects"], sum(f["exclusive_objects"] for f in report["functions"]),
        sum(n["exclusive_objects"] for t in report["threads"] for n in t["tree"]), sum(t["tree"][0]["inclusive_objects"] for t in report["threads"])]
if any(s != whole for s in sums):
    bad.append(("all", sums, whole))
for name, is_, shall in bad:
    print(f"{name}: {is_}, counted by hand {shall}")
sys.exit(bool(bad))
END
}
