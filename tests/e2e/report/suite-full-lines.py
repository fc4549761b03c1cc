#!/usr/bin/env -S python3 -B
# level: full
"""Methods have the lines that other readers of symbols say, all methods of more than 200 assemblies of others and of
this tree: C#, F# and Visual Basic, portable and embedded PDBs, Mono's .mdb. In ten programs callgrind_annotate, pprof
and what VS Code reads of a .cpuprofile show the line where a method begins."""
import json
import re
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from pathlib import Path
from kit import BUILD, LIB, ROOT, check, command, csc, finish, fresh, has, ilinject, mcs, scratch, skip, true, write
from lined import PROGRAMS, built, marked

LEAST = 200
PACKAGES = [line for line in (ROOT / "tests/corpus/packages.txt").read_text().splitlines()
            if line and not line.startswith("#")]


def sources(folder, kind):
    return sorted((ROOT / "fixtures" / folder).glob(f"*.{kind}"))


def compiled_here():
    """Each fixture, with each kind of symbols; one that needs more than itself is left out."""
    made = []
    fresh("own")
    for compiler, folder in (("csc", "cs"), ("vbc", "vb"), ("fsc", "fs")):
        for source in sources(folder, folder):
            for kind, optimised in (("portable", "+"), ("embedded", "+"), ("embedded", "-")):
                out = f"own/{source.stem}-{compiler}-{kind}-{'optimised' if optimised == '+' else 'debug'}.dll"
                options = ["target:library", f"debug:{kind}", f"optimize{optimised}"]
                more = {"csc": ["-unsafe"], "vbc": [], "fsc": ["--nowarn:988"]}[compiler]
                done = command(ROOT / "tests/dotnet-compile", compiler, out,
                               *(("--" if compiler == "fsc" else "-") + option for option in options), *more, source,
                               status=None)
                made += [out] if done.status == 0 else []
    return made


def of_packages():
    """The assemblies of the packages, for each framework; those with symbols are told by the oracle."""
    done = command(ROOT / "tests/nuget-fetch", "--some", *PACKAGES, status=None)
    if done.status != 0:
        return []
    folder = Path(done.out.strip().splitlines()[-1])
    return sorted(str(path) for path in folder.glob("*/*/lib/**/*.dll") if not path.name.endswith(".resources.dll"))


def said_by_oracle(paths):
    write("paths.txt", "".join(f"{path}\n" for path in paths))
    found, at = {}, None
    for line in command("dotnet", "Lines.dll", "paths.txt").out.splitlines():
        if line.startswith("= "):
            at = found.setdefault(line[2:], {})
        else:
            token, place = line.split(" ", 1)
            at[token] = place
    return {path: lines for path, lines in found.items() if lines}


def ours(path):
    """By token; an empty line of one that is not known. None: it is copied through, as it has nothing to instrument."""
    out = f"made/{Path(path).name}"
    fresh("made")
    ilinject("-q", path, "-o", out)
    said = command(BUILD / "tests/shown_names", out, "--every-line", status=None)
    return dict(line.split(" ", 1) for line in said.out.splitlines()) if said.status == 0 else None


def wrong_in(path, theirs):
    """Methods with an id whose lines differ. F# does not tie who starts a machine to it: that one has its line."""
    found = ours(path)
    if found is None:
        return 0, []
    same = {token: place if place[0] != "0" else "" for token, place in found.items()}
    return len(same), [f"{path} {token}: {place or 'none'}, not {theirs.get(token, 'none')}"
                       for token, place in same.items() if place != theirs.get(token, "") and not
            (token not in theirs and place in theirs.values() and place.endswith(".fs"))]


def all_agree(paths):
    known = said_by_oracle(paths)
    methods, wrong = 0, []
    for path, theirs in known.items():
        count, more = wrong_in(path, theirs)
        methods += count
        wrong += more
    own = sum(path.startswith("own/") for path in known)
    print(f"{len(known)} assemblies with symbols, {own} of them compiled here, {methods} methods")
    true(not wrong, f"{len(wrong)} of {methods}:\n" + "\n".join(wrong[:20]))
    true(len(known) >= LEAST, f"only {len(known)} assemblies have symbols")


def all_agree_with_mono():
    """Its reader knows nothing of who starts a machine: such a method has the line of a MoveNext."""
    count = methods = 0
    for source in sources("cs", "cs"):
        fresh("own")
        if command("mcs", "-nologo", "-debug", "-unsafe", "-target:library", f"-out:own/{source.stem}.dll", source,
                   status=None).status != 0:
            continue
        theirs = dict(line.split(" ", 1) for line in
                      command("mono", "MdbLines.exe", f"own/{source.stem}.dll.mdb").out.splitlines())
        found = ours(f"own/{source.stem}.dll") or {}
        for token, place in found.items():
            methods += 1
            true(place == theirs.get(token) or (token not in theirs and (place == "0 " or place in theirs.values())),
                 f"{source.stem} {token}: {place}, not {theirs.get(token)}")
        count += 1
    print(f"{count} assemblies with a .mdb, {methods} methods")
    true(count >= 30, f"only {count} assemblies")


# ---- Ten programs --------------------------------------------------------------------------------------------------


def shown_right(name):
    profile, source = built(name)
    places = marked(source)
    true(places)
    command("rm -f c.out p.pb.gz")
    ilinject("report --format=callgrind -o c.out", profile)
    annotated = command("callgrind_annotate --auto=yes --threshold=100 c.out").out.splitlines()
    ilinject("report --format=pprof -o p.pb.gz", profile)
    listed = command("go tool pprof -list . p.pb.gz", env={"HOME": str(scratch())}).out.splitlines()
    frames = [n["callFrame"] for n in json.loads(ilinject("report --format=cpuprofile", profile).out)["nodes"]]
    for method, (number, text) in places.items():
        line = [line for line in annotated if line.endswith(text.strip())]
        true(any(re.match(r"\s*[0-9,]+ ", found) for found in line), f"callgrind_annotate, {method}: {line}")
        flat = [line for line in listed if line.endswith(text.strip())]
        true(any(re.match(rf"\s*[0-9.]+\w*\s+\S+\s+{number}:", found) for found in flat), f"pprof, {method}: {flat}")
        of = [frame for frame in frames if frame["functionName"].split("(")[0] == method]
        true(of and all(Path(frame["url"]).read_text().splitlines()[frame["lineNumber"]] == text for frame in of),
             f"cpuprofile, {method}: {of}")


if has("mono", "mcs"):
    mcs("MdbLines.exe", "-r:Mono.CompilerServices.SymbolWriter.dll", LIB / "cs/MdbLines.cs")
    check("each .mdb of the fixtures: as Mono's reader says", all_agree_with_mono)
else:
    skip("each .mdb of the fixtures: as Mono's reader says", "mono and mcs are not installed")
if not csc("Lines.dll", "-optimize+", LIB / "cs/Lines.cs"):
    skip("lines by portable PDBs", "no SDK of .NET")
    finish()
images = of_packages()
if images:
    check(f"all methods of {LEAST} assemblies and more: as System.Reflection.Metadata says",
          lambda: all_agree(images + compiled_here()))
else:
    skip("all methods of packages' assemblies", "the packages cannot be had")
if has("callgrind_annotate", "go"):
    for name in [*PROGRAMS, "fsharp", "basic"]:
        check(f"three viewers show where a method begins: {name}", shown_right, name)
else:
    skip("three viewers show where a method begins", "valgrind and go are not both installed")
finish()
