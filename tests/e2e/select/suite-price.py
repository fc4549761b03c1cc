#!/usr/bin/env -S python3 -B
"""--overhead: what is left out for a price, by the counts of profiles and without one. The counts of
fixtures/cs/Priced.cs were made by hand: between the 20,000 calls that may stay in any case and the
1,000,000 of others there is nothing, so that the processor time of a busy machine changes nothing
either."""
import contextlib
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
sys.path[0] += "/../.."
from kit import (FIXTURES, FULL, ILINJECT, LIB, can, check, command, copied, csc, equal, finish, halves, has,
                 ilinject, like, mcs, program, read, refusals, report, runtimeconfig, same, skip, true, write)

if not has("mcs"):
    skip("methods are left out for a price", "no mcs")
    finish()
mcs("Priced.exe", "-optimize+", FIXTURES / "Priced.cs")
mcs("Selected.exe", FIXTURES / "Selected.cs")


def listed(options, rows, file="Priced.exe"):
    """The listing has these rows: reason, method, and the decision after them where one is given."""
    said = ilinject(f"list {file} {options}")
    for reason, name, *decision in rows:
        tail = f"  <- {decision[0]}" if decision else ""
        said.shows(like(rf"^ *0x06[0-9a-f]+ +[0-9]+  {reason} +[a-z ]+  {name}\([^)]*\){tail}$"))
    return said


# ---- Refusals --------------------------------------------------------------------------------------

refusals("refusals/price", lambda arguments, status, message: ilinject(arguments, status=int(status)).says(
    message, lines=1))
true(not os.path.exists("x.exe"), "a run without its profile has made an output")

# ---- Without a profile -----------------------------------------------------------------------------

STAYS, INLINED, BY_RULE, OFTEN = "instrument", "likely inlined", "by rule", "called too often"
check("without a profile the IL decides", listed, "--overhead=10", [
    (INLINED, "get_Field", "--overhead=10%: fewer than 20 bytes of IL, no loop"),
    (INLINED, "Wraps", "--overhead=10%: one call, no branch"),
    (INLINED, "Takes", "--overhead=10%: no call, no loop"),
    (INLINED, "Forced", "--overhead=10%: AggressiveInlining"),
    *((STAYS, name) for name in ("Busy", "Loops", "Handles", "Throws", "Main"))])
check("10 and 10% are the same", lambda: equal(ilinject("list Priced.exe --overhead=10%").out,
                                               ilinject("list Priced.exe --overhead=10").out))
check("what an include names exactly stays", listed,
      "--overhead=10 --include 'Priced.**' --include Priced.Hot.get_Field",
      [(STAYS, "get_Field", ".*"), (INLINED, "set_Field", "--overhead.*")])
check("but not for its type's name", listed, "--overhead=10 --include Priced.Hot",
      [(INLINED, "get_Field", "--overhead.*")])
check("nor by a wildcard", listed, "--overhead=10 --include 'Priced.Hot.get_*'",
      [(INLINED, "get_Field", "--overhead.*")])
check("the JSON says it as well", lambda: ilinject("list Priced.exe --overhead=10 --json").shows(like(
    r'"name":"get_Field\(\)".*"reason":"likely inlined","rule":"--overhead=10%: fewer than 20 bytes of IL, no loop"')))
check("the summary counts them", lambda: ilinject("Priced.exe -o guessed.exe --overhead=10").shows(
    like(r"left out \([0-9]+ likely inlined\)")))

# ---- A choice in a file ----------------------------------------------------------------------------

CHOICE = """<ilinject>
  <choice>
    <exclude pattern="Priced.Hot.get_Field()"/>
    <exclude pattern="Priced.Hot.set_*"/>
  </choice>
</ilinject>
"""
write("choice.xml", CHOICE)
write("rules.xml", CHOICE.replace("choice>", "selection>"))
write("wrong.xml", CHOICE.replace("exclude", "include", 1))
CHOSEN = [(BY_RULE, "get_Field", r"choice.xml:3 exclude 'Priced.Hot.get_Field\(\)'"),
          (BY_RULE, "set_Field", "choice.xml:4 exclude .*")]
check("a choice leaves out what it names", listed, "--config choice.xml", [*CHOSEN, (STAYS, "Busy")])
check("also behind a wide include", listed, "--config choice.xml --include 'Priced.**' --include Priced.Hot",
      [*CHOSEN, (STAYS, "Busy", ".*")])
check("which does not bring back more than it names", listed, "--config choice.xml --include Priced.Hot.Busy", [
    (STAYS, "Busy", ".*"), (BY_RULE, "Loops", "no include names it"), (BY_RULE, "get_Field", "no include names it")])
check("an include of the method's own name takes it back", listed,
      "--config choice.xml --include 'Priced.**' --include Priced.Hot.get_Field",
      [(STAYS, "get_Field", ".*"), (BY_RULE, "set_Field", "choice.xml:4 .*")])
check("other rules of a file do not do that", listed, "--config rules.xml --include Priced.Hot",
      [(STAYS, "get_Field", ".*")])
check("a choice holds excludes alone", lambda: ilinject("list Priced.exe --config wrong.xml", status=2).says(
    like(r"^wrong.xml\(3\): error")))


# ---- Settings --------------------------------------------------------------------------------------

def brings(options, expected):
    """The price in the output, which is in two-byte characters."""
    ilinject("Priced.exe -o priced.exe", options.split())
    equal(re.findall(rb"overhead=[0-9]*%?", Path("priced.exe").read_bytes().replace(b"\0", b"")), expected)


check("an output brings the price with it", brings, "--overhead=12", [b"overhead=12%"])
if " overhead," in ilinject("Priced.exe --dry-run --set bead=1", status=None).err:
    check("unless --set says another", brings, "--overhead=12 --set overhead=7", [b"overhead=7"])
else:
    skip("unless --set says another", "the tracker has no such setting")
check("without --overhead there is none", brings, "", [])


# ---- Counts alone ----------------------------------------------------------------------------------

def deep_source():
    """All methods but Main and Leaf are called as often, 10,000 times, and all cannot stay. Top calls
    Inner, virtually, and Inner Leaf, which is nearly all of the work. The 40 others are larger than
    these two, and do nothing else."""
    alone = "[MethodImpl(MethodImplOptions.NoInlining)] static int "
    others = "\n".join(f"{alone}Other{i}(int n) {{ return (n * 3 ^ n) + (n * 5 ^ n << 2) + (n * 7 ^ n << 3)"
                       " + (n * 9 ^ n << 4); }" for i in range(1, 41))
    calls = " ".join(f"s += Other{i}(i);" for i in range(1, 41))
    return f"""using System; using System.Runtime.CompilerServices;
abstract class Base {{ public abstract int Inner(int n); }}
class Deep : Base
{{
    public override int Inner(int n) {{ int s = 0; for (int i = 0; i < 400; i++) s += Leaf(i); return s; }}
    {alone}Leaf(int n) {{ return n * 3 ^ n; }}
    static int Top(Base b, int n) {{ return b.Inner(n); }}
    {others}
    static void Main()
    {{
        Base b = new Deep(); int s = 0;
        for (int i = 0; i < 10000; i++) {{ s += Top(b, i); {calls} }}
        Console.WriteLine(s);
    }}
}}"""


def lists_invoke(file):
    """Does any part of the file unpack (RFC 1951) to what lists Invoke, one parameter, and no type?"""
    def unpacked(at):
        with contextlib.suppress(zlib.error):
            return zlib.decompressobj(-15).decompress(data[at:])
        return b""
    data = Path(file).read_bytes()
    return any(b"Invoke\0\1\0" in unpacked(at) for at in range(len(data)))


@check("a delegate's call stands in the list beside counts")
def _():
    # An output that counts says that Go calls a delegate, which is a method of the framework's.
    mcs("Delegate.exe", "-optimize+", code="""using System;
class Delegate1
{
    static int Go(Func<int, int> f) { return f(3); }
    static void Main() { Console.WriteLine(Go(x => x + 1)); }
}
""")
    ilinject("Delegate.exe -o timed.exe")
    ilinject("Delegate.exe -o counting.exe --counts")
    equal([lists_invoke("counting.exe"), lists_invoke("timed.exe")], [True, False])


def counts_alone(runtime):
    # Some 14 and 10 ms for calls after the tracker's start of 70 and 20: a plain run takes some 60 and 85.
    percent, least = {"mono": (135, 5), "dotnet": (35, 20)}[runtime]
    profile = program(runtime, runtimeconfig("counted/Deep.exe")).profile

    @check(f"counts alone tell what explains the tree on {runtime}")
    def _():
        said = listed(f"--overhead={percent} --profile {profile}", [
            (STAYS, "Top"), (STAYS, "Inner"), (STAYS, "Main"),
            (OFTEN, "Leaf", f"--overhead={percent}%: 4000000 calls")], "Deep.exe")
        true(len(re.findall("called too often .* Other", said.out)) >= least, said.out)


ilinject("-q", mcs("Deep.exe", "-optimize+", code=deep_source()), "-o", "counted/", "--counts")

# ---- With profiles ---------------------------------------------------------------------------------

ilinject("-q Priced.exe -o full/")


def suggested(name, *profiles):
    """The lines of the configuration that is suggested for 1 %, without its head."""
    ilinject(f"report --suggest={name}.xml --overhead=1", profiles, "-o", "text")
    return read(f"{name}.xml").splitlines()[2:]


def with_profiles(runtime):
    if not can(runtime):
        skip(f"a profile decides on {runtime}", f"{runtime} is not there")
        return
    runtimeconfig("full/Priced.exe")
    run = program(runtime, "full/Priced.exe", name="first", status=0)
    first, second, third = run.profile, *(
        program(runtime, "full/Priced.exe", name=name, status=0, env=env).profile
        for name, env in (("second", {"ILINJECT_CLOCK": "none"}),
                          ("third", {"ILINJECT_CLOCK": "coarse", "ILINJECT_HISTOGRAM": "1"})))
    choice = suggested("first", first)
    price = f"--overhead=1 --profile {first}"

    def counted(name, calls):
        return OFTEN, name, f"--overhead=1%: {calls} calls"

    check(f"counts decide on {runtime}", listed, price, [
        counted("Busy", 1000000), counted("get_Field", 1000000),
        counted("Counts", 1000002), counted("MoveNext", 1000002),
        *((STAYS, name) for name in ("set_Field", "Loops", "Wraps", "Takes", "Throws", "Main"))])

    @check(f"a suggested configuration leaves out the same on {runtime}")
    def _():
        by_rule, by_counts = (re.sub("  <- .*", "", ilinject(f"list Priced.exe {options}").out).splitlines()[:-1]
                              for options in ("--config first.xml", price))
        equal([line.replace("by rule         ", "called too often") for line in by_rule], by_counts)

    def same_for(*profiles):
        """The choice by these profiles is that by the first."""
        equal(suggested("other", *profiles), choice)

    check(f"a run without times gives the same choice on {runtime}", same_for, second)
    check(f"so does one with other times on {runtime}", same_for, third)
    ilinject("merge -o merged.ilprof", first)
    check(f"so does a merged one on {runtime}", same_for, "merged.ilprof")
    suggested("ab", first, third)
    suggested("ba", third, first)
    check(f"the order of profiles does not matter on {runtime}", same, "ab.xml", "ba.xml")
    check(f"what an include names exactly stays, with its calls, on {runtime}", listed,
          f"{price} --include '**' --include 'Priced.Hot.Busy(int)'",
          [(STAYS, "Busy", ".*"), (OFTEN, "get_Field", ".*1000000 calls")])
    check(f"a profile of another program is told on {runtime}", lambda: ilinject(f"list Selected.exe {price}").says(
        "warning ILJ0439", lines=1).shows("likely inlined"))

    start = {"mono": 70, "dotnet": 20}[runtime]
    check(f"a price that the start alone takes is told on {runtime}", lambda: ilinject(f"list Priced.exe {price}").says(
        f"info ILJ0442: 1 % of a run are 2 ms, and the tracker's start takes {start}", lines=1))
    check(f"and no other on {runtime}", lambda: equal(
        ilinject(f"list Priced.exe --overhead=1000 --profile {first}").err, ""))

    @check(f"a depfile names the profile on {runtime}")
    def _():
        ilinject(f"Priced.exe -o out.exe {price} --depfile out.d")
        true(first.name in read("out.d"), read("out.d"))

    @check(f"the output is the same each time on {runtime}")
    def _():
        ilinject(f"Priced.exe -o again.exe {price}")
        same("out.exe", "again.exe")

    copied("full", "kept")
    ilinject(f"-q Priced.exe -o kept/Priced.exe {price}")
    kept = program(runtime, "kept/Priced.exe", name="kept")
    check(f"it says the same on {runtime}", lambda: equal(kept.out, run.out))
    check(f"and its profile has what stays on {runtime}", lambda: ilinject("report --json", kept.profile).lacks(
        like(r"Busy|Field.get|Counts\(int\)")).shows("Priced.Hot.Loops"))
    # Methods that the profile does not know are judged by their IL, and not taken for ones that are never called.
    check(f"a profile of a choice does not know what was left out on {runtime}", listed,
          f"--overhead=1 --profile {kept.profile}", [(INLINED, "get_Field", "--overhead.*"), (STAYS, "Loops")])
    counts_alone(runtime)


halves(with_profiles)

# ---- A busy machine --------------------------------------------------------------------------------

# A compiler's counts, but for the chances of a hash table: alone, and beside twenty loops.
MCS = "/usr/lib/mono/4.5/mcs.exe"


def chosen_by(name):
    """What is kept and what is left out, and why, by a run of the compiler."""
    profile = program("mono", "counted/mcs.exe", "-nologo", "-out:demo.exe", FIXTURES / "Demo.cs",
                      name=name, status=0).profile
    return re.sub("  <- .*", "", ilinject(f"list {MCS} --overhead=10 --profile", profile).out)


def beside_loops(function, *arguments):
    loops = [subprocess.Popen(["timeout", "100", sys.executable, "-c", "while True: pass"]) for _ in range(20)]
    try:
        return function(*arguments)
    finally:
        for loop in loops:
            loop.terminate()
            loop.wait()


if can("mono") and os.path.exists(MCS):
    ilinject(f"-q {MCS} -o counted/ --counts")
    alone = ""

    @check("counts of a compiler decide")
    def _():
        global alone
        alone = chosen_by("alone")
        for reason in ("called too often", "  instrument  "):
            true(alone.count(reason) > 1000, f"{reason}: {alone.count(reason)}")

    def decide_the_same_beside_loops():
        # A key that is made at random has another place in a hash table each time: a method or two may have another
        # call for it. A price of 11 decides otherwise about thirty. Beside loops a program's work seems up to three
        # times as much (choice_work), which may be a step of four: then there are more methods, and no other ones.
        rows, others = alone.splitlines(), beside_loops(chosen_by, "busy").splitlines()
        equal(len(others), len(rows))
        changed = [(row, other) for row, other in zip(rows[:-1], others, strict=False) if row != other]
        lost = [row for row, _ in changed if "  instrument  " in row]
        true(len(changed) <= 3 or len(lost) <= 3, "\n".join(f"{row}\n{other}" for row, other in changed))
        true(len(changed) * 10 <= len(rows), f"{len(changed)} of {len(rows)} rows")

    if FULL:  # the loops take all processors for as long as the compiler does beside them
        check("and decide the same, or by the next step of the work, when they were made beside twenty busy loops",
              decide_the_same_beside_loops)
else:
    skip("a busy machine gives the same choice", "no Mono with mcs.exe")

# ---- `ilinject run` with a price -------------------------------------------------------------------


def calls_of(method):
    """A method's calls in Twice.ilprof, or None."""
    found = [f["calls"] for f in report("Twice.ilprof")["functions"] if f["name"].startswith(f"Twice.{method}(")]
    return found[0] if found else None


def twice(options, runs, *texts, status=3, arguments=(), stdin=Path("given")):
    """`run` of Twice.exe, which writes a line to `runs` each time, and prints one line in all."""
    for old in [Path("runs"), Path("done"), *Path().glob("*.ilprof")]:
        old.unlink(missing_ok=True)
    said = ilinject("run", options.split(), "../twice/Twice.exe", arguments, status=status, stdin=stdin)
    equal(read("runs").count("\n"), runs)
    equal(said.out.count("\n"), 0 if "dies" in arguments else 1)
    return said.says(*map(like, texts))


def governed(percent):
    return rf"^Price .* {percent} % (of the processor time )?allowed"


def priced_runs(runtime):
    if runtime == "mono":
        mcs("../twice/Twice.exe", "-optimize+", LIB / "cs/Twice.cs")
    else:
        os.makedirs("../twice", exist_ok=True)
        csc("../twice/Twice.exe", "-optimize+", LIB / "cs/Twice.cs")
    write("given", "seven77\n")
    last = None

    def runs(sentence, options, number, *texts):
        """Two runs where the calls are counted first; what is said of the last one is looked at by other checks."""
        @check(f"{sentence}, on {runtime}")
        def _():
            nonlocal last
            last = twice(options, number, *texts)

    runs("run counts calls first, unseen", "--overhead=10%", 2, "calls counted in a run of its own")
    check(f"both runs get all of a file that is their input, on {runtime}",
          lambda: equal(set(read("runs").split()), {"7"}))
    check(f"what is called often is left out of the second, on {runtime}",
          lambda: equal([calls_of("Tiny"), calls_of("Work")], [None, 5]))
    check(f"the report says in whose time that is, on {runtime}", lambda: last.says(
        like("^Left out for the price: Twice.Tiny, 3,000,000 calls, is within Twice.Work$")))
    check(f"both did the same work, on {runtime}", lambda: last.lacks(like("^Work ")))
    check(f"and the hot path ends with its name, on {runtime}", lambda: last.says(
        like("^Hot path Twice.Main \u2192 5 \u00d7 Twice.Work \u2192 left out: Twice.Tiny$")))
    check(f"beside the tree and on the page, too, on {runtime}", lambda: [
        ilinject("report Twice.ilprof", how).shows("Twice.Tiny, 3,000,000 calls, is within Twice.Work")
        for how in ("--view=tree", "--view=functions", "--format=html")])
    check(f"and the tracker holds the price, on {runtime}", lambda: last.says(like(governed(10))))
    copied("Twice.ilprof", "../before.ilprof")
    runs("with a profile it runs once", "--overhead=10% --profile ../before.ilprof", 1, "instrumented, in a copy")
    runs("with --once, too", "--overhead=10% --once", 1, "instrumented, in a copy")
    check(f"where the tracker alone holds the price, on {runtime}", lambda: last.says(like(governed(10))))
    check(f"what comes from a pipe is there for both runs, on {runtime}",
          lambda: twice("--overhead=10%", 2, "calls counted in a run of its own", stdin="seven77\n"))
    check(f"all of it, on {runtime}", lambda: equal(set(read("runs").split()), {"7"}))
    check(f"a second run with little left to do says so, on {runtime}",
          lambda: twice("--overhead=10%", 2, "^Work     0.2 % of the calls of the run that counted; .* --once$",
                        arguments=["once"]))
    runs("any price: every call is recorded", "--overhead=any", 1, "^Calls ")
    check(f"so the counts are exact, on {runtime}",
          lambda: equal([calls_of("Tiny"), calls_of("Work")], [3000000, 5]))
    runs("nothing said: the tracker keeps a price", "", 1, "^Calls ")
    check(f"of 100 %, on {runtime}", lambda: last.says(like(governed(100))))
    runs("a setting of one's own: nothing is kept", "--set verbose=0", 1, "^Calls ")
    check(f"so no price is told, on {runtime}", lambda: last.lacks(like("allowed")))
    check(f"a run that a signal ends is the last, on {runtime}",
          lambda: twice("--overhead=10%", 1, "ended by signal 9", status=137, arguments=["dies"]))


def piped(feeder):
    """`run` of Twice.exe, which gets what the shell's commands write. Returns what it has printed on both streams."""
    for old in [Path("runs"), Path("errors"), *Path().glob("*.ilprof")]:
        old.unlink(missing_ok=True)
    run = "$ILINJECT run --overhead=10% ../twice/Twice.exe 2>errors"
    out = command(["sh", "-c", f"touch errors; ( {feeder} ) | {run}"],
                  env={"ILINJECT": ILINJECT}, status=3).out
    return out, read("errors")


def pipes():
    """What cannot be stored whole goes to one run, whole. The feeder goes on when the program runs."""
    @check("a pipe that stays open is for one run, which gets all of it")
    def _():
        out, errors = piped("echo seven; "
                            "for i in $(seq 600); do ! grep -q 'stays open' errors || break; sleep 0.1; done; echo 77")
        true("program runs once" in errors, errors)
        equal([read("runs"), out.split(" ", 1)[1]], ["8\n", "seven\n77\n"])

    @check("so is one with more than 64 MB")
    def _():
        out, errors = piped("head -c 68000000 /dev/zero | tr '\\0' ' '; echo seven77")
        true("more than 64 MB" in errors, errors)
        equal([read("runs"), out.split(" ", 1)[1]], ["7\n", "seven77\n"])

    check("a terminal shows that the first run goes on", lambda: command(
        ["python3", LIB / "py/terminal.py", "100", "30", "--", "sh", "-c",
         "$ILINJECT run --overhead=10% ../twice/Twice.exe rests </dev/null"], env={"ILINJECT": ILINJECT},
        status=3).shows(like("runs unseen, to count its calls, [1-3] s")))


for options in ("--once", "--once --overhead=10 --profile x", "--counts --overhead=10", "--overhead=0", "--profile x"):
    check(f"run {options} is wrong usage", lambda: ilinject(f"run {options} Priced.exe", status=2).says(lines=1))
ilinject("-q Priced.exe -o instrumented.exe")
check("a price is for what is not instrumented yet", lambda: ilinject(
    "run --overhead=10 ./instrumented.exe", status=125).says("not instrumented yet"))
for runtime in ("mono", "dotnet"):
    if not has(runtime):
        skip(f"run with a price on {runtime}", f"{runtime} is not installed")
        continue
    os.mkdir(f"here-{runtime}")
    with contextlib.chdir(f"here-{runtime}"):
        priced_runs(runtime)
        if runtime == "mono":
            pipes()
    command("rm -rf twice")
finish()
