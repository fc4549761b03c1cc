"""The texts of commands in reports (JSON), held against figures that were made by hand.

commands.py texts REPORT FILE      each line of FILE: calls, own nanoseconds, text; there are no others
commands.py counts REPORT FILE     each line of FILE: calls, text; there are no others
commands.py calls REPORT TEXT CALLS
commands.py none REPORT            there are no texts
commands.py others REPORT          two texts, and the others as one
commands.py absent REPORT NAME     no function has a name that begins so
commands.py said REPORT            each text stands below a leaf, is told to be one, and is about databases
commands.py awaited REPORT TEXT CALLS NANOSECONDS
commands.py matched DIFF NUMBER    so many texts are matched
commands.py masked REPORT          of Masked.cs: what the tracker does for texts is time of the leaf's caller
"""
import json
import sys


def read(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def lines(name, parts):
    with open(name, encoding="utf-8") as file:
        return [line.strip().split(None, parts - 1) for line in file]


def is_text(function):
    return function.get("command", False)


def texts_of(report):
    return {f["name"][1:-1]: f for f in report["functions"] if is_text(f)}


def differences(found, wanted):
    return [f"{key}: expected {wanted.get(key)}, found {found.get(key)}" for key in sorted({*found, *wanted})
            if found.get(key) != wanted.get(key)]


def texts(report, file):
    found = {name: (f["calls"], f["exclusive_ns"]) for name, f in texts_of(report).items()}
    return differences(found, {name: (int(calls), int(own)) for calls, own, name in lines(file, 3)})


def counts(report, file):
    found = {name: f["calls"] for name, f in texts_of(report).items()}
    return differences(found, {name: int(calls) for calls, name in lines(file, 2)})


def calls(report, text, number):
    found = texts_of(report).get(text, {}).get("calls")
    return [] if found == int(number) else [f"{text}: {found} calls, expected {number}"]


def none(report):
    return list(texts_of(report))


def others(report):
    found = {name: f["calls"] for name, f in texts_of(report).items()}
    return differences(found, {"SELECT a FROM t WHERE who = ? AND b = ?": 3, "SELECT b = ?": 2, "(other texts)": 11})


def absent(report, name):
    return [f["name"] for f in report["functions"] if f["name"].startswith(name)]


def said(report):
    functions, bad, seen = report["functions"], [], 0
    for thread in report["threads"]:
        path = []
        for node in thread["tree"]:
            del path[node["depth"]:]
            path += [-1] * (node["depth"] + 1 - len(path))
            path[node["depth"]] = node["function"]
            if node["function"] >= 0 and is_text(functions[node["function"]]):
                seen += 1
                above = path[node["depth"] - 1]
                if above < 0 or not functions[above].get("leaf"):
                    bad.append(f"{functions[node['function']]['name']} does not stand below a leaf")
    bad += [f"{name}: {f.get('part')}, {f['token']}" for name, f in texts_of(report).items()
            if f["part"] != "databases" or f["token"] is not None or "leaf" in f]
    return bad or ([] if seen else ["there is none"])


def awaited(report, text, number, nanoseconds):
    names = [f["name"][1:-1] for f in report["functions"]]
    found = [(node["calls"], node["awaiting_ns"]) for node in report["async_tree"] if names[node["function"]] == text]
    return [] if found == [(int(number), int(nanoseconds))] else [f"{text}: {found}"]


def matched(report, number):
    found = [m["status"] for m in report["methods"] if m["name"].startswith('"')]
    return [] if found == ["matched"] * int(number) else [str(found)]


def masked(report):
    own = {f["name"]: (f["calls"], f["exclusive_ns"]) for f in report["functions"]}
    bad = differences(own, {**own, "System.Data.Common.DbCommand.ExecuteNonQuery()": (101, 5),
                            '"SELECT name FROM people WHERE name = ? AND age > ?"': (100, 700)})
    calls, asking = own["Masked.Ask(DbCommand)"]
    return bad if calls == 101 and asking > 101 * 1000 else bad + [f"the caller has {asking} of the asking and masking"]


if __name__ == "__main__":
    command, name, *rest = sys.argv[1:]
    faults = globals()[command](read(name), *rest)
    print("\n".join(faults))
    sys.exit(bool(faults))
