"""Programs whose calls are spans: made with OpenTelemetry's SDK, run, and what its exporter got, beside a
profile's tree."""
import collections
import json
import re
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "../../.."))
from kit import LIB, ROOT, command, csc, equal, has, ilinject, program, write

PACKAGES = ["OpenTelemetry", "OpenTelemetry.Api", "OpenTelemetry.Api.ProviderBuilderExtensions",
            "OpenTelemetry.Exporter.InMemory"]
VERSION = "1.20.1"
Span = collections.namedtuple("Span", "id parent trace status name tags")


def make():
    """Makes app/: Orchard.dll, which is instrumented, and host.dll, which is not. Returns why not, or None."""
    said = command("dotnet --list-runtimes", status=None).out if has("dotnet") else ""
    found = re.findall(r"^Microsoft\.AspNetCore\.App (\S+) \[(.*)\]", said, re.M)
    if not found:
        return "no .NET SDK with ASP.NET"
    version, folder = found[-1]
    fetched = command(ROOT / "tests/nuget-fetch", *[f"{package}/{VERSION}" for package in PACKAGES], status=None)
    if fetched.status:
        return fetched.out.strip()
    Path("app").mkdir()
    references = [f"-r:{file}" for file in sorted((Path(folder) / version).glob("*.dll"))]
    for package in PACKAGES:
        libraries = Path(fetched.out.strip()) / package.lower() / VERSION / "lib"
        newest = max(libraries.glob("net[0-9]*.0"), key=lambda folder: float(folder.name[3:]))
        for file in newest.glob("*.dll"):
            references.append(f"-r:{shutil.copy(file, 'app')}")
    sources = LIB / "cs"
    if not csc("app/Orchard.dll", "-target:library", "-optimize+", "-debug:portable",
               sources / "SpanWork.cs") or not csc(
            "app/host.dll", "-target:exe", "-optimize+", *references, "-r:app/Orchard.dll", sources / "SpanHost.cs"):
        return "no .NET SDK"
    write("app/host.runtimeconfig.json", json.dumps(
        {"runtimeOptions": {"framework": {"name": "Microsoft.AspNetCore.App", "version": version}}}))
    return None


def instrumented(folder, *options):
    shutil.copytree("app", folder)
    return ilinject("app/Orchard.dll -o", f"{folder}/", *options)


def parsed(lines):
    return [Span(*line.split("\t")) for line in lines]


def run(folder, *arguments, **environment):
    """The program's result, its spans, and its profile's name."""
    said = program("dotnet", f"{folder}/host.dll", *arguments, name=folder, env=environment)
    equal((said.status, said.err), (0, ""))
    lines = said.out.splitlines()
    return lines[0], parsed(lines[1:]), said.profile


def root_of(spans):
    return next(span for span in spans if span.name == "root")


def paths_of(spans, below):
    """How many spans there are of each way of names from the span `below` on."""
    by_id = {span.id: span for span in spans}
    counts = collections.Counter()
    for span in spans:
        way = []
        while span and span.id != below.id:
            way.append(span.name)
            span = by_id.get(span.parent)
        if span and way:
            counts[tuple(reversed(way))] += 1
    return counts


def paths_of_profile(profile, left_out):
    """The same of a report's tree of calls, recorded by another tracker, without what iterators are made of."""
    counts = collections.Counter()
    way = []
    head, *lines = ilinject("report --format=calltree", profile).out.splitlines()
    for line in lines:
        calls, name = line[:head.index("Calls") + 5].strip(), line[head.index("Call tree"):]
        del way[(len(name) - len(name.lstrip())) // 2:]
        way.append(re.sub(r"\(.*", "", name.strip()))
        if calls.isdigit() and int(calls) and not left_out(way[-1]):
            counts[tuple(part for part in way if not left_out(part))] += int(calls)
    return counts
