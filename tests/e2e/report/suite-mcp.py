#!/usr/bin/env -S python3 -B
"""`ilinject mcp`: both eras of the protocol by raw messages, what is malformed, huge, pipelined or cancelled, tools'
answers by their own schemas and by the report, cursors, bounds, and no way out of the root."""
import json
import os
import re
import sys
import threading
import tomllib
sys.path[0] += "/../.."
sys.path.insert(1, sys.path[0] + "/e2e/lib/py")
from kit import (BUILD, ROOT, check, command, csc, equal, finish, fresh, has, ilinject, mcs, program, report, skip,
                 true, within, write)
from mcp import Client, objects

MODERN, LEGACY = "2026-07-28", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]
META = "io.modelcontextprotocol/"
CODE = """
using System;
using System.Threading;
namespace Shop
{
    class Order
    {
        public static int Parse(string text)
        {
            if (text.Length % 3 == 0)
                throw new FormatException("no number: " + text.Length);
            return Twice(text.Length);
        }
        static int Twice(int i) { return i * 2; }
    }
    class Program
    {
        static int Try(string text)
        {
            try { return Order.Parse(text); }
            catch (FormatException) { return 0; }
        }
        static int Deep(int i) { return i == 0 ? Try("x") : Deep(i - 1); }
        static int LONG(int i) { return i; }
        static void Never() { Never(); }
        static void Main(string[] arguments)
        {
            int sum = Deep(9);
            for (int i = 0; i < 60; i++)
                sum += Try(new string('x', i)) + LONG(i);
            Thread.Sleep(20);
            Console.WriteLine(sum + (arguments.Length > 9 ? 1 : 0));
            if (arguments.Length > 9) Never();
        }
    }
}
""".replace("LONG", "L" + "ong" * 160)
TESTS = """
using System;
using System.Threading;
namespace Xunit { public class FactAttribute : Attribute { public string DisplayName { get; set; } } }
namespace Suite
{
    class Store
    {
        public static void Save() { Write(); }
        static void Write() { Thread.Sleep(300); }
        public static void Load() { }
        public static void Open() { }
    }
    class Tests
    {
        public Tests() { Store.Open(); }
        [Xunit.Fact(DisplayName = "saves: \u00fc")] public void Saves() { Store.Save(); }
        [Xunit.Fact] public void Throws() { Store.Load(); throw new Exception("x"); }
        MANY
    }
    class Program
    {
        static void Main()
        {
            foreach (var method in typeof(Tests).GetMethods())
                if (method.DeclaringType == typeof(Tests))
                    try { method.Invoke(new Tests(), null); } catch (Exception) { }
        }
    }
}
""".replace("MANY", "\n        ".join(f"[Xunit.Fact] public void Test{i}() {{ Store.Load(); }}" for i in range(60)))
fresh("root/below", "outside")
command([BUILD / "tests/large_profile", "root/below/large.ilprof", "20000", "2000"])
command([BUILD / "tests/large_profile", "outside/secret.ilprof", "200", "20"])


RUNNER, SUFFIX = ("mono", "exe") if has("mono") else ("dotnet", "dll")


def small(name, code, *options):
    """A profile of a program in the root, with lines."""
    if has("mono"):
        mcs(f"app/{name}.exe", "-debug", code=code)
    elif not csc(f"app/{name}.dll", "-debug:portable", write(f"app/{name}.cs", code)):
        return False
    ilinject(f"-q app/{name}.{SUFFIX} -o app/out/", *options)
    command("cp", program(RUNNER, f"app/out/{name}.{SUFFIX}").profile, f"root/{name.lower()}.ilprof")
    return True


there = small("Shop", CODE)
client = Client("root")


# ---- The protocol ------------------------------------------------------------------------------------------------


@check("each revision before that of 2026 is answered by its own name, and others by the newest")
def _():
    for version in LEGACY + ["1999-01-01", None]:
        one = Client("root", handshake=False)
        params = {"capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        result = one.ask("initialize", **params, **({"protocolVersion": version} if version else {}))["result"]
        equal(result["protocolVersion"], version if version in LEGACY else LEGACY[0])
        true(result["capabilities"] == {"tools": {}} and result["serverInfo"]["name"] == "ilinject", f"{result}")
        true("resultType" not in result, "a revision of before has no type of results")
        one.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        equal(one.ask("ping")["result"], {})
        equal(one.close(), (0, b"", ""))


@check("a request that names the revision of 2026 needs no handshake, and its result says that it is complete")
def _():
    one = Client("root", modern=True, handshake=False)
    found = one.ask("server/discover")["result"]
    equal(found["supportedVersions"], [MODERN] + LEGACY)
    for result in (found, one.ask("tools/list")["result"]):
        true(result["resultType"] == "complete" and result["ttlMs"] >= 0 and result["cacheScope"] == "private",
             f"{result}")
        equal(result["_meta"][META + "serverInfo"]["name"], "ilinject")
    result = one.ask("tools/call", name="profiles", arguments={})["result"]
    true(result["resultType"] == "complete" and not result["isError"], f"{result}")
    equal(one.close(), (0, b"", ""))


@check("a client that tries server/discover first and knows no revision of 2026 is answered, too")
def _():
    one = Client("root", handshake=False)
    true(MODERN in one.ask("server/discover")["result"]["supportedVersions"], "it is not listed")
    true("resultType" not in one.ask("tools/list")["result"], "the request did not name the revision")
    one.close()


@check("a revision that is not known is refused with those that are")
def _():
    error = client.ask("tools/list", _meta={META + "protocolVersion": "2031-01-01"})["error"]
    equal((error["code"], error["data"]), (-32022, {"supported": [MODERN] + LEGACY, "requested": "2031-01-01"}))


@check("ids come back as they were, and notifications have no answer")
def _():
    for name in (0, -7, 9007199254740993, 1.5, "", "a\"\\\u00fc\u2192", "x" * 200):
        client.send({"jsonrpc": "2.0", "method": "notifications/anything", "params": {"requestId": name}})
        client.send({"jsonrpc": "2.0", "id": name, "method": "ping"})
        equal(client.read(), {"jsonrpc": "2.0", "id": name, "result": {}})


MALFORMED = [
    (b"{nonsense\n", -32700, None), (b"\xff\xfe\x00\n", -32700, None), (b'{"a": 1} {}\n', -32700, None),
    (b"[" * 100000 + b"\n", -32700, None), (b'{"id": 99999999999999999999999}\n', -32700, None),
    (b"[]\n", -32600, None), (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600, None), (b"7\n", -32600, None),
    (b"null\n", -32600, None), (b'{"jsonrpc":"2.0","id":3}\n', -32600, 3),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600, None),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600, None),
    (b'{"jsonrpc":"2.0","id":"' + b"x" * 300 + b'","method":"ping"}\n', -32600, None),
    (b'{"jsonrpc":"1.0","id":4,"method":"ping"}\n', -32600, 4), (b'{"id":4,"method":"ping"}\n', -32600, 4),
    (b'{"jsonrpc":"2.0","id":5,"method":"nothing"}\n', -32601, 5),
    (b'{"jsonrpc":"2.0","id":5,"method":"p\\u0000"}\n', -32601, 5),
    (b'{"jsonrpc":"2.0","id":6,"method":"ping","params":[]}\n', -32602, 6),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nothing"}}\n', -32602, 7),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}\n', -32602, 7),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run"}}\n', -32602, 7),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hot","arguments":[]}}\n', -32602, 7),
    (b'{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"cursor":"2"}}\n', -32602, 8),
]


@check("what is malformed is answered by the error that says so, and the next request as ever")
def _():
    for line, code, name in MALFORMED:
        client.send(line)
        answer = client.read()
        equal((answer["error"]["code"], answer["id"], "result" in answer), (code, name, False))
        equal(client.ask("ping")["result"], {})


@check("empty lines, answers that nobody asked for and ends of lines of Windows are passed over")
def _():
    client.send(b'\n  \n\r\n{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1,"error":{}}\r\n')
    client.send(b'{"jsonrpc":"2.0","id":77,"method":"ping"}\r\n')
    equal(client.read()["id"], 77)


def memory(of):
    """The most that its process has taken, in KiB."""
    with open(f"/proc/{of.server.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


@check("a line of a MiB is a request, a longer one is passed over, however long, in little memory")
def _():
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"'
    client.send(ping + b"y" * ((1 << 20) - len(ping) - 2) + b'"}\n')
    equal(client.read()["result"], {})
    before = memory(client)
    for more in (1, 64 << 20):
        client.send(ping + b"y" * ((1 << 20) - len(ping) - 2 + more) + b'"}\n')
        answer = client.read()
        equal((answer["id"], answer["error"]["code"]), (None, -32600))
    true(memory(client) - before < 8192, f"{memory(client) - before} KiB more")


@check("two thousand requests that are sent at once are answered in their order")
def _():
    lines = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n' % i for i in range(2000))
    sender = threading.Thread(target=client.send, args=(lines,))
    sender.start()
    equal([client.read()["id"] for _ in range(2000)], list(range(2000)))
    sender.join()


@check("the last line needs no end, and all that was asked is answered after the input has ended")
def _():
    one = Client("root", handshake=False)
    one.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}')
    status, rest, said = one.close()
    equal((status, [json.loads(line)["id"] for line in rest.splitlines()], said), (0, [1, 2], ""))


@check("requests that are cancelled, waiting or at work, have no answer, and the program that one runs is ended")
def _():
    one = Client("root", "--allow-run", handshake=False)
    call = {"name": "run", "arguments": {"command": ["sleep", "100000"]}}
    for message in ({"id": "long", "method": "tools/call", "params": call}, {"id": 2, "method": "ping"},
                    {"id": "2", "method": "ping"}, {"method": "notifications/cancelled", "params": {"requestId": 2}},
                    {"method": "notifications/cancelled", "params": {"requestId": "unknown"}},
                    {"method": "notifications/cancelled", "params": {"requestId": "long"}},
                    {"id": 3, "method": "ping"}):
        one.send({"jsonrpc": "2.0", **message})
    equal([one.read()["id"], one.read()["id"]], ["2", 3])
    equal(one.close(), (0, b"", ""))


# ---- Tools -------------------------------------------------------------------------------------------------------


@check("the tools are those of the table in its order, each with schemas, and only run starts anything")
def _():
    names = ["profiles", "summary", "hot", "method", "compare", "tests", "exceptions", "explain_left_out",
             "suggest"]
    allowed = Client("root", "--allow-run")
    equal([list(client.tools), list(allowed.tools)], [names, names + ["run"]])
    for name, tool in allowed.tools.items():
        true(tool["annotations"]["readOnlyHint"] == (name != "run"), f"{tool}")
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            true(schema["type"] == "object" and schema["additionalProperties"] is False, f"{schema}")
    allowed.close()


def works(profile):
    """All tools' answers to a profile: the client judges them by their schemas and sizes."""
    summary = client.call("summary", profile=profile)
    for tool in ("hot", "tests", "exceptions", "explain_left_out", "suggest"):
        client.call(tool, profile=profile)
    rows = client.all_pages("hot", ["methods"], profile=profile)
    for row in rows[:5]:
        one = client.call("method", profile=profile, method=row["method"])
        equal([one["of"][key] for key in ("name", "calls")], [row[key] for key in ("name", "calls")])
        client.all_pages("method", ["callers", "callees"], profile=profile, method=row["method"])
    client.call("compare", before=profile, after=profile)
    return summary, rows


@check("all tools answer about a profile of 20,000 nodes as their schemas say, in at most 8 KiB each")
def _():
    summary, rows = works("below/large.ilprof")
    true(summary["findings"][0]["methods"][0]["method"] == rows[0]["method"], "the first method is another one")


@check("the pages of hot have each method of the report once, with its calls and times")
def _():
    known = {row["name"]: (row["calls"], row["exclusive_ns"], row["inclusive_ns"])
             for row in report("root/below/large.ilprof")["functions"]}
    rows = client.all_pages("hot", ["methods"], profile="below/large.ilprof", by="calls")
    found = {row["name"]: (row["calls"], row["own_ns"], row["inclusive_ns"]) for row in rows}
    true(len(rows) == len(found), "some stand twice")
    wrong = [(name, found[name], known.get(name)) for name in found if found[name] != known.get(name)]
    true(not wrong and len(found) > 1000, f"{len(found)} {wrong[:3]}")
    equal([row["calls"] for row in rows], sorted((row["calls"] for row in rows), reverse=True))


def flat(page):
    """The nodes of all threads' trees, in pre-order, with their names."""
    nodes, above = [], {}
    for node in (node for thread in page["threads"] for node in thread["tree"]):
        of, depth = node["function"], node["depth"]
        above[depth] = len(nodes)
        nodes.append({"name": page["functions"][of]["name"] if of >= 0 else "", "calls": node["calls"],
                      "parent": above[depth - 1] if depth > 0 else None})
    return nodes


def edges_of(nodes, name):
    """Callers and callees of a method with their calls, counted by the tree of the report's JSON."""
    callers, callees = {}, {}
    for node in nodes:
        above = node["parent"] is not None and nodes[node["parent"]]
        names = above and above["name"], node["name"]
        if names[1] == name:
            callers[names[0] or "(nothing recorded)"] = callers.get(names[0] or "(nothing recorded)", 0) + node["calls"]
        if names[0] == name:
            callees[names[1]] = callees.get(names[1], 0) + node["calls"]
    return callers, callees


if there:
    @check("all tools answer about a program with exceptions, recursion and a name of five hundred letters")
    def _():
        summary, rows = works("shop.ilprof")
        known = {row["name"]: row["calls"] for row in report("root/shop.ilprof")["functions"]}
        for row in rows:
            whole = [name for name in known if name == row["name"] or name.startswith(row["name"].rstrip("\u2026"))]
            equal([row["calls"]], [known[name] for name in whole])
        thrown = next(f for f in summary["findings"] if f["kind"] == "exceptions")
        equal((thrown["total"], thrown["type"], thrown["methods"][0]["name"]),
              (20, "System.FormatException", "Shop.Order.Parse(string)"))
        equal([row["recursion_depth"] for row in summary["hot_path"] if "recursion_depth" in row][:1] or [10], [10])

    @check("methods have the file and line of their source, below two folders at most")
    def _():
        of = client.call("method", profile="shop.ilprof", method="Order.Parse")["of"]
        true(of["file"].endswith("app/Shop.cs") or of["file"] == "Shop.cs", f"{of}")
        true(CODE.splitlines()[of["line"] - 2].strip().startswith("public static int Parse"), f"{of}")
        true(not of["file"].startswith("/"), f"{of}")

    @check("callers and callees are those of the tree, recursion counts each call once")
    def _():
        for name in ("Shop.Order.Parse", "Shop.Program.Deep", "Shop.Program.Try", "Shop.Program.Main"):
            one = client.call("method", profile="shop.ilprof", method=name)
            tree = flat(report("root/shop.ilprof"))
            expected = edges_of(tree, one["of"]["name"])
            for rows, counts in zip((one["callers"], one["callees"]), expected):
                equal({row["name"].split("\u2026")[0][:200]: row["calls"] for row in rows},
                      {key[:200]: number for key, number in counts.items()})

    @check("exceptions are those of the program, down to where they were thrown")
    def _():
        answer = client.call("exceptions", profile="shop.ilprof")
        equal((answer["count"], answer["rows"][0]["type"]), (20, "System.FormatException"))
        true(any(row["kind"] == "thrown" and row["name"] == "Shop.Order.Parse(string)" for row in answer["rows"]),
             f"{answer}")

    @check("a method that was not called is explained, and one that there is not, too")
    def _():
        ask = lambda name: client.call("explain_left_out", profile="shop.ilprof", method=name)["answer"]
        equal(ask("Program.Never"), "it was instrumented, and not called")
        true(ask("Program.Deep").startswith("it was recorded"), ask("Program.Deep"))
        true("no instrumented assembly" in ask("Nothing.AtAll"), ask("Nothing.AtAll"))

    @check("the brief view has the summary's head and at most twelve lines")
    def _():
        lines = ilinject("report root/shop.ilprof --view=brief --width=0").out.splitlines()
        head = client.call("summary", profile="shop.ilprof")["head"]
        true(len(lines) <= 12 and lines[:len(head)] == head, "\n".join(lines))
        true(any(line.startswith("Own time ") for line in lines) and any("Order.Parse (Shop.cs:" in line and
             line.startswith("Thrown ") for line in lines), "\n".join(lines))
else:
    skip("all tools answer about a program with exceptions", "there is no compiler")


def tests_are_those_of_the_report():
    small("Suite", TESTS)
    known = report("root/suite.ilprof")["tests"]
    first = client.call("tests", profile="suite.ilprof")
    equal((first["count"], first["by"], first["tests"][0]["title"]), (62, "duration", "saves: \u00fc"))
    equal((first["tests"][0]["most_in"]["name"], first["tests"][0]["name"]),
          ("Suite.Store.Write()", "Suite.Tests.Saves()"))
    true("next" in first and first["tests"][0]["file"].endswith("Suite.cs"), f"{first['tests'][0]}")
    rows = client.all_pages("tests", ["tests", "others"], profile="suite.ilprof")
    equal([[row.get("title", row["name"]), row["kind"], row.get("calls", 0), row["inclusive_ns"], row["own_ns"],
            row.get("left_by_exception", 0)] for row in rows],
          [[row["name"], row["kind"], row["calls"] if row["kind"] != "other" else 0, row["inclusive_ns"],
            row["exclusive_ns"], row["exceptions"]] for row in known])
    by_calls = client.all_pages("tests", ["tests"], profile="suite.ilprof", by="name")
    equal([row["name"] for row in by_calls], sorted(row["name"] for row in by_calls))
    true(any(row["tool"] == "tests" for row in client.call("summary", profile="suite.ilprof")["suggest"]), "no hint")


def tests_of_a_method():
    for method, some in (("Store.Write", ["Saves"]), ("Store.Load", ["Throws"] + [f"Test{i}" for i in range(60)]),
                         ("Store.Open", ["Saves", "Throws"] + [f"Test{i}" for i in range(60)]), ("Program.Main", [])):
        rows = client.all_pages("tests", ["tests"], profile="suite.ilprof", ran=method)
        names = sorted(row["name"][:-2] for row in rows)
        equal(names, sorted(f"Suite.Tests.{name}" for name in some))
        equal(names, ilinject(f"report --covers=Suite.{method} root/suite.ilprof").out.split())
    found = client.call("tests", profile="suite.ilprof", ran=client.call("method", profile="suite.ilprof",
                        method="Store.Write")["of"]["method"])
    equal((found["count"], found["ran"]["name"], found["tests"][0]["calls"]), (1, "Suite.Store.Write()", 1))
    true("no method Store.None was called" in client.refusal("tests", profile="suite.ilprof", ran="Store.None"), "")


if there:
    check("tests are those of the report, slowest first, with the method that has most of the time",
          tests_are_those_of_the_report)
    check("the tests that ran a method, or whose set-up did, are those that the report names", tests_of_a_method)


@check("a profile that knows no tests says so, and one of counts alone says why it knows none")
def _():
    profiles = {"below/large.ilprof": "no method that was called has an attribute"}
    if there:
        small("Counted", TESTS, "--counts")
        profiles |= {"shop.ilprof": profiles["below/large.ilprof"], "counted.ilprof": "calls were only counted"}
    for profile, why in profiles.items():
        for options in ({}, {"by": "calls"}):
            answer = client.call("tests", profile=profile, **options)
            equal((answer["count"], answer["tests"], len(answer["caveats"])), (0, [], 1))
            true(answer["caveats"][0].startswith(why), f"{answer}")
    command("rm -f root/suite.ilprof root/counted.ilprof")


@check("what two profiles differ in is found, with paths where they are small and by methods where they are large")
def _():
    command([BUILD / "tests/large_profile", "root/below/other.ilprof", "21000", "2100"])
    answer = client.call("compare", before="below/large.ilprof", after=["below/other.ilprof"])
    diffed = json.loads(ilinject("diff --json root/below/large.ilprof root/below/other.ilprof").out)
    equal(answer["sentence"], diffed["summary"]["text"])
    status = {row["name"]: row for row in diffed["methods"]}
    for row in client.all_pages("compare", ["methods"], before="below/large.ilprof",
                                after=["below/other.ilprof"])[:200]:
        of = status[row["name"]]
        equal((row["count"]["before"], row["count"]["after"]), (of["calls"]["before"], of["calls"]["after"]))
        true((row["change"] in ("new", "gone")) == (of["status"] in ("new", "gone")), f"{row} {of}")


@check("profiles that are too large for paths have the same figures by methods alone")
def _():
    fresh("root/much")
    for name, nodes, functions in (("a", "200000", "2000"), ("b", "210000", "2100")):
        command([BUILD / "tests/large_profile", f"root/much/{name}.ilprof", nodes, functions])
    answer = Client("root").call("compare", before="much/a.ilprof", after="much/b.ilprof")
    true("sentence" not in answer and any("not the paths" in text for text in answer["caveats"]), f"{answer}")
    diffed = json.loads(ilinject("diff --json root/much/a.ilprof root/much/b.ilprof").out)
    status = {row["name"]: row for row in diffed["methods"]}
    for row in answer["methods"]:
        of = status[row["name"]]
        equal([row["count"]["before"], row["own_ns"]["before"], row["inclusive_ns"]["before"], row["count"]["after"],
               row["own_ns"]["after"], row["inclusive_ns"]["after"]],
              [of[key][side] for side in ("before", "after") for key in ("calls", "exclusive_ns", "inclusive_ns")])
    command("rm -r root/much")


@check("arguments that do not fit a schema are refused in a sentence that says how they would")
def _():
    large = "below/large.ilprof"
    for tool, arguments, sentence in (
            ("hot", {}, "the argument profile is missing"),
            ("hot", {"profile": 7}, "profile is of the type string"),
            ("hot", {"profile": large, "by": "luck"}, "by is one of time, exclusive"),
            ("hot", {"profile": large, "more": 1}, "more is no argument"),
            ("hot", {"profile": "x" * 5000}, "of at most 4096 bytes"),
            ("compare", {"before": [], "after": large}, "before has 1 to 32 elements"),
            ("compare", {"before": [large, 3], "after": large}, "before is of the type string"),
            ("compare", {"before": [large] * 33, "after": large}, "before has 1 to 32 elements"),
            ("method", {"profile": large, "method": "No.Such"}, "no method No.Such was called"),
            ("method", {"profile": large, "method": "m999999"}, "no method m999999 was called"),
            ("method", {"profile": large, "method": ""}, "no method  was called"),
            ("summary", {"profile": "none.ilprof"}, "there is no profile none.ilprof below the root"),
            ("profiles", {"folder": "none"}, "there is no folder none below the root")):
        said = client.refusal(tool, **arguments)
        true(sentence in said, f"{tool} {str(arguments)[:100]}: {said}")


@check("a cursor is of one call's arguments and files, and no other text is one")
def _():
    large = "below/large.ilprof"
    cursor = client.call("hot", profile=large)["next"]
    for tool, arguments in (("hot", {"by": "calls", "cursor": cursor}), ("exceptions", {"cursor": cursor}),
                            ("hot", {"cursor": "0"}), ("hot", {"cursor": "1" + cursor}), ("hot", {"cursor": ""})):
        true("cursor is not of these arguments" in client.refusal(tool, profile=large, **arguments), f"{tool}")
    client.call("hot", profile=large, cursor=cursor)
    command([BUILD / "tests/large_profile", "root/" + large, "20001", "2000"])
    true("a file has changed" in client.refusal("hot", profile=large, cursor=cursor), "it went on in another file")


@check("a profile is read again when its file has changed, and ids of methods stay what they are")
def _():
    before = client.call("hot", profile="below/large.ilprof", by="calls")["methods"]
    command([BUILD / "tests/large_profile", "root/below/large.ilprof", "9000", "2000"])
    after = client.call("hot", profile="below/large.ilprof", by="calls")["methods"]
    true(before[0]["calls"] != after[0]["calls"], "it is as before")
    ids = {row["name"]: row["method"] for row in before}
    true(all(ids.get(row["name"], row["method"]) == row["method"] for row in after), "ids have changed")


@check("profiles that are listed are those below the root, newest first, with what they are of")
def _():
    os.utime("root/below/other.ilprof", (1, 1))
    rows = client.all_pages("profiles", ["profiles"])
    equal(rows[-1]["path"], "below/other.ilprof")
    equal(sorted(row["path"] for row in rows),
          ["below/large.ilprof", "below/other.ilprof"] + (["shop.ilprof"] if there else []))
    equal({row["program"] for row in rows if row["path"].startswith("below/")}, {"Large"})
    equal([row["path"] for row in client.call("profiles", folder="below")["profiles"]],
          ["below/large.ilprof", "below/other.ilprof"])


@check("no path leads out of the root, by dots, links, or a file that became a link")
def _():
    os.symlink(os.path.abspath("outside/secret.ilprof"), "root/link.ilprof")
    os.symlink(os.path.abspath("outside"), "root/folder")
    os.symlink("../outside/secret.ilprof", "root/below/relative.ilprof")
    os.symlink("shop.ilprof", "root/inner.ilprof")
    os.mkfifo("root/pipe.ilprof")
    before = sorted(str(path) for path in os.walk("root"))
    for path in ("../outside/secret.ilprof", os.path.abspath("outside/secret.ilprof"), "link.ilprof",
                 "folder/secret.ilprof", "below/relative.ilprof", "below/../../outside/secret.ilprof", "/etc/passwd",
                 "/dev/zero", "", ".", "..", "/", "below", "pipe.ilprof", "p0", "p99999", "x/" * 2000, "~", "\x00"):
        said = client.refusal("summary", profile=path)
        true("Large" not in said and "root:" not in said, said)
    for folder in ("..", "/", "folder", os.path.abspath("outside"), "shop.ilprof", "below/../.."):
        client.refusal("profiles", folder=folder)
    true(all("secret" not in row["path"] and not row["path"].startswith("folder") for row in
             client.all_pages("profiles", ["profiles"])), "links are followed")
    if there:
        client.call("summary", profile="inner.ilprof")
        client.call("summary", profile=os.path.abspath("root/shop.ilprof"))
    known = client.call("summary", profile="below/other.ilprof")["profile"]
    os.remove("root/below/other.ilprof")
    os.symlink(os.path.abspath("outside/secret.ilprof"), "root/below/other.ilprof")
    client.refusal("summary", profile=known)
    os.remove("root/below/other.ilprof")
    true(before != [] and not any("ilprof" in name for name in os.listdir("outside") if name != "secret.ilprof"), "")


@check("files that are no profiles, or damaged ones, are refused with what is wrong, and nothing outside is named")
def _():
    write("root/text.ilprof", "no profile")
    write("root/empty.ilprof", "")
    with open("root/below/large.ilprof", "rb") as whole, open("root/cut.ilprof", "wb") as cut:
        cut.write(whole.read()[:50000])
    for name in ("text.ilprof", "empty.ilprof", "cut.ilprof"):
        said = client.refusal("summary", profile=name)
        true(said.startswith(name + ": ") and os.getcwd() not in said, said)
    true({"text.ilprof", "cut.ilprof"} <= {row["path"] for row in client.all_pages("profiles", ["profiles"])}, "")


def read_bytes(of):
    """How much its process has read so far."""
    with open(f"/proc/{of.server.pid}/io", encoding="ascii") as io:
        return next(int(line.split()[1]) for line in io if line.startswith("rchar"))


@check("the newest profile of a list is read while nothing is asked, and not once more for its summary")
def _():
    fresh("root/ahead")
    for name, nodes in (("old", "200000"), ("new", "300000")):
        command([BUILD / "tests/large_profile", f"root/ahead/{name}.ilprof", nodes, "2000"])
    os.utime("root/ahead/old.ilprof", (1, 1))
    size = {name: os.path.getsize(f"root/ahead/{name}.ilprof") for name in ("old", "new")}
    one = Client("root")
    equal([row["path"] for row in one.call("profiles", folder="ahead")["profiles"]],
          ["ahead/new.ilprof", "ahead/old.ilprof"])
    within(60, lambda: read_bytes(one) >= size["new"])
    before = read_bytes(one)
    one.call("summary", profile="ahead/new.ilprof")
    true(read_bytes(one) - before < size["old"], "the newest one was read again")
    one.call("summary", profile="ahead/old.ilprof")
    true(read_bytes(one) - before >= size["old"], "the other one was read ahead, too")
    one.close()
    small_one = Client("root", "--memory=1")
    small_one.call("profiles", folder="ahead")
    small_one.close()
    command("rm -r root/ahead")


@check("profiles that have no room between calls are read again, and answers stay the same")
def _():
    one = Client("root", "--memory=1")
    for _ in range(2):
        for name in ("below/large.ilprof", "shop.ilprof") if there else ("below/large.ilprof",):
            equal(one.call("hot", profile=name)["methods"][0]["name"],
                  client.call("hot", profile=name)["methods"][0]["name"])
    one.close()


@check("no answer names a path of this machine outside of the root")
def _():
    here = os.getcwd()
    answers = [client.call("profiles")] + [client.call(tool, profile="below/large.ilprof")
                                           for tool in ("summary", "hot", "suggest", "explain_left_out")]
    texts = [text for answer in answers for row in objects(answer) for text in row.values() if isinstance(text, str)]
    true(not [text for text in texts if here in text or text.startswith("/")], f"{texts}")


if has("mono") and there:
    @check("run records a program where it is allowed, below the root alone")
    def _():
        one = Client("root", "--allow-run")
        answer = one.call("run", command=[os.path.abspath("app/Shop.exe")], output="made.ilprof")
        equal((answer["path"], answer["exit_status"]), ("made.ilprof", 0))
        equal(one.call("exceptions", profile=answer["profile"])["count"], 20)
        for output in (
    "../out.ilprof",
    os.path.abspath("out.ilprof"),
    "below/out.ilprof",
    "out",
    ".ilprof",
     "link.ilprof"):
            one.refusal("run", command=["mono", "app/Shop.exe"], output=output)
        true("no profile was written" in one.refusal("run", command=["true"]), "nothing ran")
        true("no profile was written" in one.refusal("run", command=["false"], output="made.ilprof"), "an old one")
        one.close()
else:
    skip("run records a program where it is allowed", "Mono is not installed")


@check("a root that is no folder, and other wrong usage, is said in a line")
def _():
    ilinject("mcp --root=none", status=1).says("none: error ILJ")
    ilinject("mcp --root=root/below/large.ilprof", status=1).says("it is no folder")
    ilinject("mcp --memory=0", status=2).says("--memory is at least 1")
    ilinject("mcp more", status=2).says("unexpected 'more'")


# ---- Files of clients --------------------------------------------------------------------------------------------


def command_of(file):
    """The command that a client's file starts."""
    text = file.read_text()
    value = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    servers = [part["ilinject"] for part in value.values()]
    true(len(servers) == 1 and set(servers[0]) <= {"type", "command", "args"}, f"{value}")
    true(servers[0].get("type", "stdio") == "stdio" and servers[0]["command"] == "ilinject", f"{value}")
    return servers[0]["args"]


@check("each file that sets up a client is valid, and the server that it starts answers")
def _():
    files = [file for file in (ROOT / "docs/assistant").iterdir() if file.suffix in (".json", ".toml")]
    equal(len(files), 6)
    for file in files:
        arguments = [part.replace("${workspaceFolder}", os.path.abspath("root")) for part in command_of(file)]
        equal(arguments[0], "mcp")
        one = Client("root", *arguments[1:])
        equal(list(one.tools), list(client.tools))
        one.close()


@check("the skill has a name, a description and 150 lines at most, and names each tool and no other option")
def _():
    text = (ROOT / "docs/assistant/SKILL.md").read_text()
    head = re.fullmatch(r"---\nname: [a-z0-9-]{1,64}\ndescription: >-\n((?:  .*\n)+)---\n(.*)", text, re.S)
    true(head and len(head[1]) <= 1024 and len(head[2].splitlines()) <= 150, "its head or length")
    true(not [name for name in [*client.tools, "run"] if f"`{name}" not in text], "a tool is missing")
    for name, options in re.findall(r"\bilinject (report|diff|run|list)\b([^`\n]*)", text):
        known = ilinject(f"{name} --help=all").out
        unknown = [word for word in re.findall(r"--[a-z-]+", options) if word not in known]
        true(not unknown, f"{name} {unknown}")


@check("the server ends well when its input does, and has said nothing")
def _():
    equal(client.close(), (0, b"", ""))


finish()
