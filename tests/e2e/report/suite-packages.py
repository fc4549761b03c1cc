#!/usr/bin/env -S python3 -B
"""Commands that packages run for a program (--command-texts): a note names them, and the rules in it bring their texts,
below the call of the package."""
import re
import sys
sys.path[0] += "/../.."
from kit import ROOT, check, equal, finish, has, ilinject, mcs, program, report, skip, true

SENTENCE = "a note names the packages that run commands, and the rules that bring their texts"

DAPPER = """\
using System.Data;
namespace Dapper {
    public static class SqlMapper {
        public static object Query(IDbCommand command) { return ExecuteImpl(command); }
        public static object Plain() { return null; }
        static object ExecuteImpl(IDbCommand command) { return command.ExecuteScalar(); }
    }
}
"""
SHOP = """\
using System;
static class Shop {
    static void Main() {
        for (int i = 0; i < 3; i++)
            Dapper.SqlMapper.Query(new Outside.Command("SELECT a FROM t WHERE id = " + i));
        Console.WriteLine("done");
    }
}
"""
PLAIN = 'static class Shop { static void Main() { System.Console.WriteLine("done" + Dapper.SqlMapper.Plain()); } }'


def made(folder, code):
    fixtures = ROOT / "fixtures/cs"
    outside = mcs(f"{folder}/LeavesOutside.dll", fixtures / "LeavesOutside.cs")
    commands = mcs(f"{folder}/CommandsOutside.dll", f"-r:{outside}", "-r:System.Data", fixtures / "CommandsOutside.cs")
    dapper = mcs(f"{folder}/Dapper.dll", "-r:System.Data", code=DAPPER)
    mcs(f"{folder}/Shop.exe", f"-r:{dapper}", f"-r:{commands}", "-r:System.Data", code=code)


def note(said):
    return re.findall(r"ILJ0441: (.*)$", said.err, re.M)


def packages():
    made("in", SHOP)
    said = ilinject("in/Shop.exe --leaves --command-texts -o one/Shop.exe")
    equal(len(note(said)), 1)
    true("Dapper runs have no texts" in note(said)[0], note(said)[0])
    rules = re.search(r"with (--all .*?) they have", note(said)[0])[1].replace("'", "").split()
    equal(rules, ["--all", "--include=[Shop]*", "--include=Dapper.SqlMapper.*Execute*"])
    equal(note(ilinject("in/Shop.exe --leaves -o without/Shop.exe")), [])
    said = ilinject("in --leaves --command-texts -o out", *rules)
    equal(note(said), [])
    ran = program("mono", "out/Shop.exe", status=0)
    equal(ran.out, "done\n")
    tree = [(n["depth"], r["functions"][n["function"]]["name"], n["calls"])
            for r in [report(ran.profile)] for n in r["threads"][0]["tree"] if n.get("function", -1) >= 0]
    names = [name for _, name, _ in tree]
    at = names.index('"SELECT a FROM t WHERE id = ?"')
    equal([(name.split("(")[0], calls) for _, name, calls in tree[at - 3:at + 1]],
          [("Dapper.SqlMapper.Query", 3), ("Dapper.SqlMapper.ExecuteImpl", 3),
           ("System.Data.IDbCommand.ExecuteScalar", 3), ('"SELECT a FROM t WHERE id = ?"', 3)])
    depth = [d for d, _, _ in tree[at - 3:at + 1]]
    equal(depth, list(range(depth[0], depth[0] + 4)))


def silent():
    made("plain", PLAIN)
    equal(note(ilinject("plain/Shop.exe --leaves --command-texts -o plain-out/Shop.exe")), [])


if has("mono", "mcs"):
    check(SENTENCE, packages)
    check("no note where the program asks such a package for nothing that is a leaf", silent)
else:
    skip(SENTENCE, "no mono or no mcs")
finish()
