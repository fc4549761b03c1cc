#!/usr/bin/env -S python3 -B
"""Three builds of a small service, each with a change that makes its lists slower (tests/e2e/lib/cs/Todos.cs): the
first sentence of a comparison names the request, the method and what became of it, and the table begins with them.
Calls have the processor time of their thread, so what other programs do meanwhile is in no figure."""
import re
import sys
sys.path[0] += "/../.."
from kit import (FULL, ROOT, can, check, csc, finish, has, ilinject, mcs, program, runtimeconfig,
                 scratch, skip, true)

SOURCE = ROOT / "tests/e2e/lib/cs/Todos.cs"
RUNS = (1, 2, 3)
TIME = r"[\d.]+ [mµn]?s"
# What is defined for a build, and its sentence: the longer time, the shorter one, the cause.
EACH = "in each( call of Todos.List)?"
CHANGES = {
    "NEW": f"Store.LoadItem, new, is called 200 times {EACH}",
    "OFTEN": f"Store.LoadOwner is called 200 times ({EACH} instead of once|instead of once {EACH})",
    "SLOWER": rf"Writer.Escape's own code takes {TIME} instead of {TIME} of that",
}
BACK = {
    "NEW": "Store.LoadItem is no longer called",
    "OFTEN": f"Store.LoadOwner is called once ({EACH} instead of 200 times|instead of 200 times {EACH})",
    "SLOWER": CHANGES["SLOWER"],
}
CAUSES = {"NEW": "Store.LoadItem", "OFTEN": "Store.LoadOwner", "SLOWER": "Writer.Escape"}
# The changes that a runtime's builds have; all of them on both in make check-full.
ASKED = {"dotnet": ("NEW", "SLOWER"), "mono": ("OFTEN",)}
# Where counting took long by chance, the request as a whole is named.
REQUEST = rf"(Todos\.List|Program\.Handle) takes {TIME} instead of {TIME} a call: "


def build(runtime, what):
    """Compiles and instruments a build, and runs it some times; False where there is no compiler."""
    file = scratch() / runtime / what / ("Todos.exe" if runtime == "mono" else "Todos.dll")
    file.parent.mkdir(parents=True)
    options = [SOURCE, f"-define:{what}", "-optimize+"]
    if runtime == "mono":
        mcs(file, *options)
    elif not csc(file, *options):
        return False
    output = file.parent / "bin" / file.name
    ilinject("-q", file, "-o", f"{output.parent}/", "--set", "clock=cpu")
    runtimeconfig(output)
    for run in RUNS:
        program(runtime, output, status=0,
                env={"ILINJECT_OUT": str(scratch() / f"{runtime}-{what}{run}.ilprof")})
    return True


def profiles(runtime, what):
    return [f"{runtime}-{what}{run}.ilprof" for run in RUNS]


def first_line(before, after):
    return ilinject("diff", before, "--", after).out.splitlines()[0]


def says(runtime, before, after, cause):
    """The sentence with one run a side, and with three, where on a busy machine a request may be within noise."""
    line = first_line(profiles(runtime, before)[:1], profiles(runtime, after)[:1])
    true(re.fullmatch(REQUEST + cause + r"\.", line), line)
    line = first_line(profiles(runtime, before), profiles(runtime, after))
    itself = rf"Writer\.Escape takes {TIME} instead of {TIME} a call: its own code takes .*"
    alone = rf"{cause}(, and takes|: it takes|; it took) {TIME}.*"
    true(re.fullmatch(rf"(\S+ takes {TIME} instead of {TIME} a call: {cause}|{alone}|{itself})\.", line), line)


def stands_first(runtime, what):
    """The request and its cause begin the table, in 80 columns; a new method stands below its caller."""
    shown = ilinject("diff --width=80", profiles(runtime, "OLD")[0], profiles(runtime, what)[0]).out.splitlines()
    head = next(i for i, line in enumerate(shown) if line.endswith("Method"))
    true(head < 9 and all(len(line) <= 80 for line in shown[head:]), "\n".join(shown))
    names = [line[shown[head].index("Method"):] for line in shown[head + 1:head + 4]]
    if names[0].startswith("Service.Program.Handle("):
        del names[0]
    if what == "NEW":
        true(names[0].startswith("Service.Todos.List("), "\n".join(shown))
    cause = ("  " if what == "NEW" else "") + f"Service.{CAUSES[what]}("
    true(cause in [name[:len(cause)] for name in names[:2]], "\n".join(shown))


def is_as_before(runtime):
    """Runs of one build: no sentence has a number of calls, as these are the same."""
    line = first_line(profiles(runtime, "OLD")[:2], profiles(runtime, "OLD")[1:])
    true(" called " not in line and " new" not in line, line)


for runtime in ("dotnet", "mono"):
    if not (can(runtime) and (runtime == "dotnet" or has("mcs")) and build(runtime, "OLD")):
        skip(f"{runtime}: the sentence names what was changed", f"no {runtime}, or no compiler")
        continue
    for what, cause in CHANGES.items():
        if not FULL and what not in ASKED[runtime] and can("mono") and can("dotnet"):
            continue
        build(runtime, what)
        check(f"{runtime}: {what}: the sentence names the change", says, runtime, "OLD", what, cause)
        check(f"{runtime}: {what}: and what takes it back", says, runtime, what, "OLD", BACK[what])
        check(f"{runtime}: {what}: the table begins with them", stands_first, runtime, what)
    check(f"{runtime}: of one build nothing is said to be called otherwise", is_as_before, runtime)
finish()
