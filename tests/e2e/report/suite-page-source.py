#!/usr/bin/env -S python3 -B
"""The page shows the source around each method where it is asked to, and nothing else of any file."""
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import (ROOT, check, command, csc, equal, finish, fresh, has, ilinject, mcs, program, report, runtimeconfig,
                 scratch, skip, true, write)

FILLER = "".join(f"    // filler {i}\n" for i in range(300))
SOURCE = f"""\
using System;
class P
{{
    static int First(int i) {{ return i * 2; }} // </script><b>&amp;
{FILLER}
    static int Second(int i)
    {{
        return First(i) + 1; // "\\u00e9é\ttab"
    }}
    static void Main() {{ Console.WriteLine(Second(3)); }}
}}
"""
# The page's own code, in node: the rows of each file.
NODE = """
const fs = require('fs'), [file, ...scripts] = process.argv.slice(2), text = fs.readFileSync(file, 'utf8');
const { makeFunctions, listingRows } =
  new Function(scripts.map(s => fs.readFileSync(s, 'utf8')).join('\\n') + '; return { makeFunctions, listingRows };')();
const { profile } = JSON.parse(/<script type="application.json" id="profile">(.*?)<.script>/s.exec(text)[1]);
const { functions } = makeFunctions(profile, null), columns = profile.functions;
console.log(JSON.stringify((columns.sources || []).map((source, i) => ({
  path: columns.files[i], missing: source.missing, changed: source.changed || null,
  rows: source.parts && listingRows(source.parts, functions.filter(f => columns.file[f.position] === i),
    f => columns.line[f.position]).map(r => r.from ? [r.from, r.to] : [r.number, r.text, r.methods.map(f => f.name)]),
}))));
"""


def page(profile, *options, name="page.html"):
    ilinject("report --format=html -o", name, *options, profile)
    return Path(name).read_text(encoding="utf-8")


def sources(profile, *options):
    page(profile, "--with-source", *options)
    return command("node", write("rows.js", NODE), "page.html",
                   *(ROOT / f"src/report/page/{name}.js" for name in ("model", "listing"))).json()


def lines_are_the_file(profile):
    found, = sources(profile)
    text = Path("a.cs").read_text(encoding="utf-8").split("\n")
    places = {f["name"]: f["line"] for f in report(profile)["functions"] if "line" in f}
    equal(found["path"], str(scratch() / "a.cs"))
    near = {n for line in places.values() for n in range(line - 6, line + 41) if 1 <= n < len(text)}
    equal({row[0] for row in found["rows"] if len(row) == 3}, near)
    for number, line, methods in (row for row in found["rows"] if len(row) == 3):
        equal((line, set(methods)), (text[number - 1], {name for name, at in places.items() if at == number}))
    gap, = (row for row in found["rows"] if len(row) == 2)
    true(not set(range(gap[0], gap[1] + 1)) & near and len(near) + gap[1] - gap[0] + 1 >= max(near), str(gap))


def nothing_without(profile):
    without, asked = page(profile, name="without.html"), page(profile, "--with-source")
    true("filler" not in without and "listing" not in without and "</script><b>" not in asked)
    true(0 < len(asked) - len(without) < 20000, f"{len(asked) - len(without)} bytes more")
    hashes = [re.search("script-src '(sha256-[^']*)'", text)[1] for text in (without, asked)]
    true(hashes[0] != hashes[1])
    ilinject("report --with-source", profile, status=2).says("--with-source is for --html or --format=html")


def elsewhere(profile):
    fresh("moved")
    Path("a.cs").rename("moved/a.cs")
    equal([(s["path"], s["missing"]) for s in sources(profile)], [(str(scratch() / "a.cs"), "is not found")])
    found, = sources(profile, "--source", f"{scratch()}={scratch()}/moved")
    true(found["rows"] and found["path"] == str(scratch() / "moved/a.cs"))
    # A path that climbs out of the folder is not followed.
    equal(sources(profile, "--source", f"{scratch()}={scratch()}/moved/../moved")[0]["missing"], "is not found")
    write("moved/a.cs", b"\0\1")
    equal(sources(profile, "--source", f"{scratch()}={scratch()}/moved")[0]["missing"], "is no text")
    Path("moved/a.cs").unlink()
    Path("moved/a.cs").mkdir()
    equal(sources(profile, "--source", f"{scratch()}={scratch()}/moved")[0]["missing"], "is not found")


def too_much(profile):
    """Lines are cut, and no more of them are there than have room."""
    fresh("large")
    write("large/a.cs", "".join(f"{'é' * 600} {i}\n" for i in range(400)))
    found, = sources(profile, "--source", f"{scratch()}={scratch()}/large")
    true(all(len(row) == 2 or 499 <= len(row[1]) <= 501 for row in found["rows"]))


def changed(profile):
    text = Path("changed.cs").read_text(encoding="utf-8")
    for content, says in (text, None), (text + "// more\n", True), (text, None):
        write("changed.cs", content)
        equal([(s["changed"], bool(s["rows"])) for s in sources(profile)], [(says, True)])


write("a.cs", SOURCE)
if not has("mono", "mcs", "node"):
    skip("the source in the page", "mono, mcs and node are not all there")
    finish()
mcs("a.exe", "-debug", "a.cs")
ilinject("-q a.exe -o made/")
ran = program("mono", "made/a.exe", status=0).profile
check("its lines are those of the file, around each method, with the methods that begin there", lines_are_the_file, ran)
check("without the option there is nothing of it", nothing_without, ran)
check("a long line is cut", too_much, ran)
check("--source says where it is; what is not there or no text is not shown", elsewhere, ran)
write("changed.cs", SOURCE)
if csc("changed.dll", "-target:exe", "-debug:portable", "changed.cs"):
    ilinject("-q changed.dll -o made/")
    runtimeconfig("made/changed.dll")
    check("a file that was changed since it was compiled is said to be changed", changed,
          program("dotnet", "made/changed.dll", status=0).profile)
else:
    skip("a file that was changed since it was compiled", "no SDK of .NET")
finish()
