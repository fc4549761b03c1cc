#!/usr/bin/env -S python3 -B
"""ReadyToRun images keep the native code of methods that are not touched. Another reader finds in images of .NET what
`dump` says of them, and in outputs the entries that are to be there. Roslyn with some methods instrumented compiles
to the same bytes; the runtime compiles just the methods that have lost their code, and counts the same calls."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import LIB, check, command, equal, finish, has, ilinject, read, same, skip, true, write
sys.path.insert(0, str(LIB / "py"))
from ready_to_run import Image, NotReadyToRun  # noqa: E402  (after the folder is known)

if not has("dotnet"):
    skip("native code is kept", "no dotnet")
    finish()
RUNTIMES = [line.split() for line in subprocess.run(["dotnet", "--list-runtimes"], capture_output=True, text=True,
                                                    check=False).stdout.splitlines()]
SDKS = [line.split() for line in subprocess.run(["dotnet", "--list-sdks"], capture_output=True, text=True,
                                                check=False).stdout.splitlines()]
FRAMEWORK = [Path(folder.strip("[]")) / version for name, version, folder in RUNTIMES
             if name == "Microsoft.NETCore.App"]
if not SDKS or not FRAMEWORK:
    skip("native code is kept", "no .NET SDK")
    finish()
FRAMEWORK, SDK = FRAMEWORK[-1], Path(SDKS[-1][1].strip("[]")) / SDKS[-1][0]
ROSLYN = SDK / "Roslyn/bincore"
IMAGES = [file for file in (FRAMEWORK / "System.Linq.dll", FRAMEWORK / "System.Text.Json.dll",
                            FRAMEWORK / "System.Collections.dll", SDK / "FSharp/FSharp.Core.dll", ROSLYN / "csc.dll",
                            ROSLYN / "Microsoft.CodeAnalysis.CSharp.dll") if file.exists()]
UNSURE = ["System.Private.CoreLib.dll", "System.Collections.Immutable.dll"]
RULES = ["--include", "**.Get*", "--include", "**.To*"]


def is_ready_to_run(file):
    try:
        return bool(Image(file).tables)
    except (NotReadyToRun, struct.error):
        return False


if os.environ.get("EXTENT") == "all":
    IMAGES = [file for folder in (FRAMEWORK.parent.parent, SDK) for file in sorted(folder.rglob("*.dll"))
              if file.name not in UNSURE and is_ready_to_run(file)]


def methods_of(image, *rules):
    """[(row, type, name, is it instrumented?)]"""
    listed = json.loads(ilinject("list --json", image, *rules).out)
    return [(int(method["token"], 16) & 0xFFFFFF, kind["name"] or "", method["name"].split("(")[0],
             method["action"] == "instrument") for kind in listed["types"] for method in kind["methods"]]


# ---- What is read ------------------------------------------------------------------------------------


def no_code(text):
    """An image without slots that a loader changes ends with a section that can be written to."""
    return "its last section is writable" in text


def says_what_another_reader_says(file):
    image, text = Image(file), ilinject("dump --ready-to-run", file).out
    entry = r"function (\d+) at RVA \w+(?:, slots at RVA (\w+))?"
    of = lambda function, slots: (int(function), int(slots or "0", 16))  # noqa: E731
    methods = re.findall(r"^    0x06(\w{6}) " + entry, text, re.M)
    equal({int(row, 16): of(*rest) for row, *rest in methods}, image.methods())
    instances = re.findall(r"^    0x06(\w{6}) signature at RVA (\w+), flags \w+, " + entry, text, re.M)
    equal([(int(row, 16), int(rva, 16), of(*rest)) for row, rva, *rest in instances],
          [(row, rva, found) for _, _, rva, row, found in image.instances()])
    inlining = re.findall(r"^    0x06(\w{6}):(.*)$", text, re.M)
    equal({int(row, 16): [int(inliner, 16) & 0xFFFFFF for inliner in rest.split()] for row, rest in inlining},
          image.inliners())
    true("code that --native=keep keeps\n" in text or no_code(text), "it cannot be kept")


def each(function):
    return lambda: [function(file) for file in IMAGES]


check(f"dump says of {len(IMAGES)} images what another reader says", each(says_what_another_reader_says))


# ---- What is kept ------------------------------------------------------------------------------------


def keeps_what_is_not_touched(file):
    out = f"kept/{file.name}"
    chosen = {row for row, _, _, chosen in methods_of(file, *RULES) if chosen}
    said = ilinject("instrument --native=keep", file, "-o", out, *RULES)
    if no_code(str(said)):
        return
    before, after = Image(file), Image(out)
    gone = before.with_inliners(chosen)
    equal(after.methods(), {row: entry for row, entry in before.methods().items() if row not in gone})
    equal(after.instances(), [instance for instance in before.instances() if instance[3] not in gone])
    had = set(before.methods()) | {row for _, _, _, row, _ in before.instances()}
    if not chosen:
        return
    line = f"{len(had - gone)} of {len(had)} methods keep their native code"
    true(line in str(said), f"not said: {line}\n{said}")
    listed = ilinject("list", file, *RULES).out.splitlines()[-1]
    equal(listed, f"native code: {len(had - gone)} of {len(had)} methods keep theirs"
          if had - gone and len(had - gone) >= len(had) // 20 else
          "native code: dropped, as hardly a method would keep it")


check(f"{len(IMAGES)} images keep the entries of what is not touched, and no others", each(keeps_what_is_not_touched))


@check("--native=drop leaves none, and neither does an image whose methods are all instrumented")
def _():
    for options in (["--native=drop", *RULES], []):
        said = ilinject("instrument", IMAGES[0], "-o", "dropped/", *options)
        true("ILJ0110" in str(said) and "keep their" not in str(said), said)
        true("no native code" in ilinject("dump --ready-to-run", f"dropped/{IMAGES[0].name}").out, "there is some")
    said = ilinject("instrument", IMAGES[0], "-o", "dropped/", "--native=keep")
    true(re.search(r"; \d+ of \d+ methods keep their native code", str(said)), said)


@check("an image of which it is not sure keeps none, and the line says why")
def _():
    for name, why in zip(UNSURE, ("a filter of attributes", "in no map")):
        said = ilinject("instrument", FRAMEWORK / name, "-o", "unsure/", "--native=keep", "--include", "**.Get*")
        true(re.search(f"ILJ0110.*which does not stay: .*{why}", str(said)), said)


# ---- Roslyn at work ------------------------------------------------------------------------------------

NAMES = ["csc.dll", "Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll"]
REFERENCES = [f"-r:{file}" for file in sorted((SDK.parent.parent / "packs").glob(
    "Microsoft.NETCore.App.Ref/*/ref/*/*.dll"))]
if not REFERENCES or not (ROSLYN / "csc.dll").exists():
    skip("Roslyn keeps its native code", "no reference assemblies or no Roslyn")
    finish()
write("work.cs", "using System; using System.Linq; class P { static void Main() {\n" + "".join(
    f"  Console.WriteLine(new[] {{ {n}, 2, 3 }}.Select(x => x + {n}).Where(x => x > {n % 5}).Sum());\n"
    for n in range(40)) + "} }\n")
# No collection: what Roslyn finds in weak references again depends on them.
ENV = {"DOTNET_TieredCompilation": "0", "DOTNET_GCgen0size": "40000000", "DOTNET_JitDisasmSummary": "1"}


COMPILED = {}


def compiled(variant):
    """The methods that the runtime compiled just in time: {(type, name)}, as `list` writes them."""
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    command(["dotnet", f"{variant}/csc.dll", "-nologo", "-noconfig", "-nostdlib", "-deterministic", "-parallel-",
             "-out:out/work.dll", "work.cs", *REFERENCES],
            env={**ENV, "DOTNET_JitStdOutFile": os.path.abspath(f"{variant}.jit"),
                 "ILINJECT_OUT": os.path.abspath(f"{variant}.ilprof")})
    os.replace("out/work.dll", f"{variant}.dll")
    found = set()
    for line in read(f"{variant}.jit").splitlines():
        name = re.match(r" *\d+: JIT compiled (.*?)\(", line)
        if name:
            kind, _, method = re.sub(r"`\d+|\[[^\]]*\]*", "", name[1]).rpartition(":")
            found.add((kind.replace("+", "."), method))
    return found


def plain(kind):
    return re.sub(r"<[A-Z][^<>]*>", "", re.sub(r"`\d+", "", kind)).replace("+", ".")


def roslyn(variant, options):
    shutil.copytree(ROSLYN, variant, symlinks=True)
    if options is not None:
        ilinject("instrument -q --in-place --counts", *options, *[f"{variant}/{name}" for name in NAMES])


@check("Roslyn compiles to the same bytes with some methods instrumented beside its native code, and with all, without")
def _():
    for variant, options in (("before", None), ("keep", ["--native=keep", *RULES]), ("all", [])):
        roslyn(variant, options)
        COMPILED[variant] = compiled(variant)
        same("before.dll", f"{variant}.dll")


def nearly_none(found, of):
    """A run may once in a while go another way, by a clock or a random number."""
    true(len(found) <= of // 100, f"{len(found)} of {of}: {sorted(found)[:20]}")


@check("the runtime compiles just those of its methods that have lost their native code")
def _():
    lost, had = set(), set()
    for name in NAMES:
        before, after = Image(ROSLYN / name), Image(f"keep/{name}")
        entries = [set(image.methods()) | {row for _, _, _, row, _ in image.instances()} for image in (before, after)]
        for row, kind, method, _ in methods_of(ROSLYN / name):
            (had if row in entries[1] else lost).add((plain(kind), method))
    ours = had | lost
    anew = (COMPILED["keep"] - COMPILED["before"]) & ours
    nearly_none(anew - lost, len(anew))
    nearly_none((COMPILED["all"] & lost) - had - COMPILED["keep"], len(anew))
    true(len(anew) > 100 and len(COMPILED["all"] & ours) > 2 * len(anew), f"{len(anew)} methods were compiled anew")


def calls_of(variant):
    """{(module, row): calls}"""
    report = json.loads(ilinject("report --json", f"{variant}.ilprof").out)
    modules = [module["module"] for module in report["modules"]]
    return {(modules[function["module"]], int(function["token"], 16) & 0xFFFFFF): function["calls"]
            for function in report["functions"]}


@check("its calls are those that are counted without native code")
def _():
    chosen = {(name, row) for name in NAMES for row, _, _, is_chosen in methods_of(ROSLYN / name, *RULES) if is_chosen}
    counts = [set(calls_of("keep").items()), {item for item in calls_of("all").items() if item[0] in chosen}]
    nearly_none(counts[0] ^ counts[1], len(counts[0]))
    true(len(counts[0]) > 100, f"{len(counts[0])} methods were called")


@check("a price leaves out what was not called where code that was called goes with it, and keeps all else")
def _():
    calls, gone, wrong = calls_of("all"), 0, []
    for name in NAMES:
        image = Image(ROSLYN / name)
        had = set(image.methods()) | {row for _, _, _, row, _ in image.instances()}
        called = {row for module, row in calls if module == name and calls[module, row]}
        listed = methods_of(ROSLYN / name, "--overhead=5%", "--profile=all.ilprof")
        stay = {row for row, _, _, is_chosen in listed if is_chosen}
        all_of = {row for row, _, _, is_chosen in methods_of(ROSLYN / name) if is_chosen}
        lost = image.with_inliners(stay & called) & had
        machines = {row for row, _, method, _ in listed if method == "MoveNext"}  # the report has their starters
        for row in sorted(all_of - called):
            if image.with_inliners({row}) & machines:
                continue
            takes = (image.with_inliners({row}) & had & called) - lost
            if bool(takes) == (row in stay):
                wrong.append(f"{name} 0x06{row:06x}: {len(takes)} more would lose their code")
        gone += len(all_of - called - stay)
        true(len(lost & called) < len(called & had), f"all of {name} is lost")
    true(gone > 20, f"{gone} methods are left out")
    # A starter and its machine are one method to the choice; by its calls the machine is not known here.
    true(len(wrong) <= 20 and all(": 0 more" in line for line in wrong), wrong)


@check("where it is compiled again, what was not called stays, and so do more of those that were")
def _():
    for name in NAMES:
        called = {row for module, row in calls_of("all") if module == name}
        # A machine is called as its starter, and left out with it.
        machines = {row for row, _, method, _ in methods_of(ROSLYN / name) if method == "MoveNext"}
        options = ["--overhead=5%", "--profile=all.ilprof", "--dry-run", "--json", "-o", "x/"]
        made = [ilinject("instrument", ROSLYN / name, *options, native).json()["total"]
                for native in ("--native=keep", "--native=compile")]
        true("likely inlined" not in made[1]["left_out"], made[1])
        true(made[1]["left_out"].get("called too often", 0) <= len(called | machines), made[1])
        true(made[1]["instrumented"] > made[0]["instrumented"] or name == NAMES[0], made)


finish()
