#!/usr/bin/env -S python3 -B
"""Chosen methods as spans (--spans): what OpenTelemetry's SDK gets of them through its in-memory exporter is the tree
that a profile of the same program has, below an incoming traceparent, too; what is not chosen stays as it was."""
import re
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from kit import LIB, ROOT, check, command, equal, finish, has, ilinject, mcs, runtimeconfig, same, scratch, skip, true
from spans import instrumented, make, paths_of, paths_of_profile, root_of, run

ALL = "spans nest as the calls of a profile do"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def end_inside(spans):
    """The exporter gets spans as they end: none that is awaited ends after the one around it."""
    order = {span.id: at for at, span in enumerate(spans)}
    equal([span for span in spans if order.get(span.parent, len(spans)) < order[span.id]], [])


def nests_as_the_tree():
    instrumented("spans", "--spans=Orchard.Work.*")
    instrumented("profile", "--include=Orchard.**")
    plain, _, _ = run("app", "run")
    first, spans, none = run("spans", "run")
    profiled, _, profile = run("profile", "run")
    equal({first, profiled}, {plain})
    true(not none.exists(), "a run with spans has made a profile")
    root = root_of(spans)
    found = paths_of(spans, root)
    equal(found, paths_of_profile(profile, lambda part: "Each" in part))
    equal(sum(found.values()), len(spans) - 1)
    equal({span.trace for span in spans}, {root.trace})
    end_inside(spans)
    true(len(found) > 20 and max(map(len, found)) >= 5, found)


def lacks_no_task():
    _, spans, _ = run("spans", "run")
    less = paths_of(spans, root_of(spans))
    _, spans, _ = run("spans", "more")
    more = paths_of(spans, root_of(spans))
    ways = ["VoidAsync", "VoidAsync Twice", "PooledAsync", "PooledAsync LeafAsync", "PooledAsync LeafAsync Twice"]
    equal(more - less, {tuple("Orchard.Work." + name for name in ["RunAsync", *way.split()]): 1 for way in ways})
    equal(less - more, {})


def goes_with_a_profile():
    """Of one and the same run: what each tracker has seen."""
    instrumented("both", "--include=Orchard.**")
    ilinject("both/Orchard.dll -o", "both/twice/", "--spans=Orchard.Work.*", "--force")
    for name in ["Orchard.dll", "ILInject.Spans.dll"]:
        (scratch() / "both/twice" / name).replace(scratch() / "both" / name)
    _, spans, profile = run("both", "run")
    seen = paths_of(spans, root_of(spans)), paths_of_profile(profile, lambda part: "Each" in part)
    # Where threads of a busy machine resume a method within itself, a profile may show slices as calls.
    equal(*({path: calls for path, calls in paths.items() if "Orchard.Work.NestAsync" not in path} for paths in seen))


def has_errors():
    _, spans, _ = run("spans", "run")
    failed = sorted((span.name, dict(tag.split("=") for tag in span.tags.split()).get("error.type"))
                    for span in spans if span.status == "Error")
    work = "Orchard.Work."
    equal(failed, [(work + "CancelAsync", "System.Threading.Tasks.TaskCanceledException"), (work + "Fail", None),
                   (work + "Fail", None),
                   (work + "FailAsync", "System.InvalidOperationException"), (work + "Pass", None)])
    true(all(f"code.function.name={span.name}" in span.tags for span in spans if span.name != "root"), spans)
    source = LIB / "cs/SpanWork.cs"
    lines = source.read_text().splitlines()
    for name, first in {"Twice": "return a + a;", "LeafAsync": "if (n % 3 != 0)"}.items():
        tags = {span.tags for span in spans if span.name == work + name}
        line = next(i for i, text in enumerate(lines, 1) if text.strip() == first)
        equal(tags, {f"code.function.name={work}{name} code.file.path={source} code.line.number={line}"})
    instrumented("full", "--spans=Orchard.Work.*", "--exceptions=full")
    _, spans, _ = run("full", "run")
    equal({span.name for span in spans if "error.type=System.InvalidOperationException" in span.tags},
          {work + "Fail", work + "FailAsync", work + "Pass"})


def stands_under_a_request():
    _, spans, _ = run("spans", "serve", TRACEPARENT=f"00-{TRACE}-{PARENT}-01")
    equal({span.trace for span in spans}, {TRACE})
    request = [span for span in spans if span.parent == PARENT]
    equal(len(request), 1)
    _, others, _ = run("spans", "more")
    equal(paths_of(spans, request[0]), paths_of(others, root_of(others)))


def is_silent_without_a_listener():
    _, spans, _ = run("spans", "run", "none")
    equal([span.name for span in spans], ["root"])


def some_alone():
    instrumented("some", "--spans=Orchard.Work.RunAsync", "--spans=Orchard.Work.Le*Async", "--spans=Orchard.Work.Each*")
    _, spans, _ = run("some", "run")
    end_inside(spans)
    equal(paths_of(spans, root_of(spans)),
          {("Orchard.Work.RunAsync",): 1, ("Orchard.Work.RunAsync", "Orchard.Work.LeafAsync"): 14})


def bodies(file):
    """The methods as Mono's disassembler shows them, without the places where they lie, by type and name."""
    text = re.sub(r"//.*", "", command("monodis", file).out)
    found, types = {}, []
    for block in re.split(r"(?=\.(?:class|method|namespace) )", text):
        if block.startswith(".class"):
            types = [re.sub(r"\s+", " ", block.split("{")[0])]
        elif block.startswith(".method"):
            found[(*types, re.sub(r"\s+", " ", block.split("{")[0]))] = block
    return found


def leaves_the_rest():
    mcs("Plum.exe", code="""using System.Threading.Tasks;
class Plum
{
    static int Pick(int n) { try { return Eat(n); } finally { Eat(0); } }
    static int Eat(int n) { return n < 2 ? n : Pick(n - 1) + 1; }
    static async Task<int> DryAsync() { await Task.Yield(); return Pick(2); }
    static async Task<int> KeepAsync() { return await DryAsync(); }
    static void Main() { System.Console.WriteLine(KeepAsync().Result); }
}""")
    runtimeconfig("Plum.exe")
    ilinject("Plum.exe -o plum/ --spans=Plum.Pick --spans=Plum.DryAsync --spans=Plum.Missing").says("Plum.Missing")
    before, after = bodies("Plum.exe"), bodies("plum/Plum.exe")
    changed = sorted(re.search(r"(\w+) \(", key[-1]).group(1) for key in before if before[key] != after.get(key))
    equal(changed, ["DryAsync", "MoveNext", "Pick"])
    if has("peverify"):
        equal(command(ROOT / "tests/verify", "plum/Plum.exe", status=None).out.replace("plum/", ""),
              command(ROOT / "tests/verify", "Plum.exe", status=None).out)
    ilinject("-q plum/ -o again/ --force")
    same("plum/ILInject.Spans.dll", "again/ILInject.Spans.dll")
    ilinject("Plum.exe -o none/ --spans=Orchard.**")
    same("Plum.exe", "none/Plum.exe")


def is_refused():
    mcs("Old.exe", code="class Old { static void Main() { } }")
    ilinject("Old.exe -o old/ --spans=**", status=1).says("ILJ0470",
        "System.Diagnostics.DiagnosticSource.dll stands beside it")
    true(not (scratch() / "old/Old.exe").exists())
    for option in ["--include=**", "--counts", "--leaves", "--capture=**",
                   "--overhead=10%", "--tracker=Old.exe", "--set=beat=1"]:
        name = option.split("=")[0]
        ilinject("Old.exe -o old/ --spans=**", option, status=2).says(f"--spans and {name} exclude each other")


if has("monodis"):
    check("what is not chosen stays as it was", leaves_the_rest)
check("--spans is refused with what a profile needs, and where there is no Activity", is_refused)
missing = make()
if missing:
    skip(ALL, missing)
    finish()
check(ALL, nests_as_the_tree)
check("… of a program that is instrumented twice, the spans and the profile of one run have the same calls",
      goes_with_a_profile)
check("… those of async void and pooled builders, too", lacks_no_task)
check("… those that an exception leaves, or a cancellation, have the status Error; all say where their source is",
      has_errors)
check("… they stand under an incoming traceparent", stands_under_a_request)
check("… without a listener there are none", is_silent_without_a_listener)
check("… of an async method that is chosen alone, the span lasts as long as the call; iterators have none",
      some_alone)
finish()
