"""The leaves of reports (JSON): held against hand-made figures, and against a report of the same run without leaves.

leaves.py figures REPORT FILE     each line of FILE: calls, own nanoseconds, name; - is any. No other leaf has calls, but
                                  for those of System
leaves.py same-time REPORT WITHOUT   own time with the leaves' is the own time of a run without, for each method
leaves.py counts REPORT FILE      each line of FILE: calls, beginning of a name: of all leaves of such a name
leaves.py parts REPORT FILE       each line of FILE: part (- for a blank), beginning of a name: what such leaves are about
leaves.py awaits REPORT FILE      each line of FILE: awaiting nanoseconds, calls of a leaf, path of names in the async tree
leaves.py bounds REPORT FILE      each line of FILE: name, nanoseconds measured around it, least nanoseconds
"""
import json
import sys


def read(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def lines(name):
    with open(name, encoding="utf-8") as file:
        return [line.split(None, 2) for line in file if line.strip() and not line.startswith("#")]


def leaves_of(report):
    return [f for f in report["functions"] if f.get("leaf")]


def figures(report, expected):
    bad = []
    found = {f["name"]: f for f in leaves_of(report) if not f["name"].startswith("System.")}
    for calls, own, name in expected:
        name = name.strip()
        f = found.pop(name, None)
        if not f or f["calls"] != int(calls) or own not in ("-", str(f["exclusive_ns"])):
            bad.append(f"{name}: expected {calls} calls of {own} ns, found {f and (f['calls'], f['exclusive_ns'])}")
        elif f["token"] is not None:
            bad.append(f"{name} has a token")
    bad += [f"{name}: {f['calls']} calls of a leaf that was not expected" for name, f in found.items()]
    return bad


def own_times(report):
    """Own time by method, with that of the leaves below it, wherever these stand."""
    names = [f["name"] for f in report["functions"]]
    is_leaf = [bool(f.get("leaf")) for f in report["functions"]]
    own = {}
    for thread in report["threads"]:
        path = []
        for node in thread["tree"]:
            del path[node["depth"]:]
            at = node["function"]
            if at < 0:
                owner = None
            elif is_leaf[at]:
                owner = path[-1]
            else:
                owner = names[at]
            path += [owner] * (node["depth"] + 1 - len(path))
            if owner is not None:
                own[owner] = own.get(owner, 0) + node["exclusive_ns"]
    return own


def same_time(report, without):
    if not leaves_of(report) or leaves_of(without):
        return ["one report shall have leaves, the other one none"]
    one, other = own_times(report), own_times(without)
    bad = [f"{name}: {other.get(name)} ns without leaves, {one.get(name)} ns with them" for name in sorted({*one, *other})
           if one.get(name) != other.get(name)]
    if report["totals"]["exclusive_ns"] != without["totals"]["exclusive_ns"] or sum(one.values()) == 0:
        bad.append("the sums of all own times differ, or are 0")
    return bad


def counts(report, expected):
    bad = []
    for calls, name, *_ in expected:
        found = sum(f["calls"] for f in leaves_of(report) if f["name"].startswith(name))
        if found != int(calls):
            bad.append(f"{name}: expected {calls} calls, found {found}")
    return bad


def parts(report, expected):
    bad = []
    for part, name, *_ in expected:
        found = {f["part"] for f in leaves_of(report) if f["name"].startswith(name)}
        if found != {part.replace("-", " ")}:
            bad.append(f"{name}: expected {part}, found {found}")
    return bad


def awaits(report, expected):
    names = [f["name"].split("(")[0].split(".")[-1] for f in report["functions"]]
    is_leaf = [bool(f.get("leaf")) for f in report["functions"]]
    found, path = {}, []
    for node in report["async_tree"]:
        del path[node["depth"] - 1:]
        path.append(names[node["function"]])
        key = "/".join(path)
        calls = node["calls"] if is_leaf[node["function"]] else "-"
        found[key] = (str(node["awaiting_ns"]), str(calls))
        if is_leaf[node["function"]] and not node["calls"] == node["completed"] == node["suspensions"]:
            return [f"{key}: calls, completed and suspensions differ"]
    wanted = {name.strip(): (awaiting, calls) for awaiting, calls, name in expected}
    return [f"{key}: expected {wanted.get(key)}, found {found.get(key)}" for key in sorted({*found, *wanted})
            if found.get(key) != wanted.get(key)]


def bounds(report, expected):
    """A thread that had no processor when the wait began was blocked for less of it: the rest is what is taken off the
    estimate, and left in its high end."""
    bad = []
    for name, around, least in expected:
        of = [f for f in leaves_of(report) if f["name"].startswith(name)]
        found = sum(f["inclusive_ns"] for f in of)
        most = sum(f.get("inclusive_high_ns", f["inclusive_ns"]) for f in of)
        if not int(least) * 0.95 <= most or not found <= int(around) * 1.05:
            bad.append(f"{name}: {found} to {most} ns, between {least} and {around} were expected")
    return bad or ([] if expected else ["nothing was measured"])


if __name__ == "__main__":
    command, first, second = sys.argv[1:]
    faults = {"figures": lambda: figures(read(first), lines(second)),
              "same-time": lambda: same_time(read(first), read(second)),
              "counts": lambda: counts(read(first), lines(second)),
              "parts": lambda: parts(read(first), lines(second)),
              "awaits": lambda: awaits(read(first), lines(second)),
              "bounds": lambda: bounds(read(first), lines(second))}[command]()
    print("\n".join(faults))
    sys.exit(bool(faults))
