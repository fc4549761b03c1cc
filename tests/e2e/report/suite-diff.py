#!/usr/bin/env -S python3 -B
"""Two builds of a program are compared, the second of which regresses: what is found, and what a gate
says. Counts were worked out by hand from fixtures/cs/Regress.cs, whose clock counts work: a busy
machine changes no time."""
import re
import sys
sys.path[0] += "/../.."
from kit import (FIXTURES, check, equal, finish, has, ilinject, like, mcs, program, read,
                 refusals, scratch, skip, true, write)

refusals("refusals/diff", lambda arguments, text: ilinject(arguments, status=2).says(text))
for condition in ("X", "X: calls", "X: speed > +1%", "X: calls > +1ms", "X: exclusive > +1",
                  "X: exclusive > 10%", "X: calls > +", "a(: calls > +1", "@A: calls > 1",
                  "X: calls > +1 and", "X: calls > and +1",
                  "X: calls > 1 and 2 and 3 and 4 and 5"):
    check(f"a condition that is none is refused: {condition}", lambda: ilinject(
        "diff a b --fail-if", condition, status=2).says(like("^--fail-if: error ILJ0607: ")))
check("a profile that is not there is named, and the run has failed",
      lambda: ilinject("diff none1 -- none2", status=1)
      .says(like("^none1: error ILJ0900"), like("^none2: error ILJ0900")))
if not has("mcs", "mono"):
    skip("two builds are compared", "mono is not installed")
    finish()

BEFORE, AFTER = ([f"{side}{run}.ilprof" for run in (1, 2, 3)] for side in ("old", "new"))
for side, names, options in (("old", BEFORE, []), ("new", AFTER, ["-define:SLOWER"])):
    mcs(f"{side}/Regress.exe", FIXTURES / "Regress.cs", options)
    ilinject(f"-q {side}/Regress.exe -o {side}/bin/")
    for name in names:
        program("mono", f"{side}/bin/Regress.exe", status=0, env={
            "ILINJECT_CLOCK": "type:Bench.Work", "ILINJECT_OUT": str(scratch() / name)})


def diff(options="", status=0, before=BEFORE, after=AFTER):
    """The comparison of the two builds, with three runs each."""
    return ilinject(f"diff {options}", before, "--", after, status=status)


def builds(options, status=0):
    """One build against itself: two of its runs."""
    return ilinject(f"diff {options} old1.ilprof old2.ilprof", status=status)


# ---- Findings --------------------------------------------------------------------------------------

compared = None


@check("the two builds are compared")
def _():
    global compared
    compared = diff("--width=0 --top=0").silent()


def rows():
    """The table's lines, without its head."""
    found = re.search(r"^ *Before .* Method\n((?:.+\n)*)", compared.out, re.M)
    return found[1].splitlines() if found else []


def holds(pattern):
    true(any(re.search(pattern, row) for row in rows()), f"no {pattern} in {compared}")


check("it has no line for methods that were switched off, as none were",
      lambda: compared.lacks(like("^Switched")))
check("the head says whose noise is judged",
      lambda: compared.shows(like("^Noise    judged from 3 and 3 runs")))
check("the first line says what takes longer, and whose code it is", lambda: compared.shows(like(
    r"\AProgram\.Parse takes 4\.00 ms instead of 100 \S+ a call: Program\.Spin's own code takes 4\.00 ms instead of "
    r"100 \S+ of that\.\n\n")))
check("inclusive and own time and calls stand before and after", holds,
      r"^ *4\.00 ms +82\.0 ms +20\.5x +\S+ % +4\.00 ms +82\.0 ms +40 +40 +Bench\.Program\.Spin\(int\)$")
check("the method that was added is new, below its caller", holds,
      r"^ +\S+ \S+ +new +\S+ \S+ +20   +  Bench\.Program\.Added\(int\)$")
check("with its lambda below it", holds, r"^ +\S+ \S+ +new +\S+ \S+ +40 +    Bench\.Program\.Added\.lambda")
check("the one that was taken away is gone", holds,
      r"^ +\S+ \S+ +gone +\S+ \S+ +20   +  Bench\.Program\.Removed\(int\)$")
check("nothing else is new or gone",
      lambda: equal([sum(f" {word} " in row for row in rows()) for word in ("new", "gone")], [2, 1]))
check("what was as before is one line", lambda: compared.shows(like(r"^\d+ methods are as before, within noise$")))


@check("the callers of what has changed stand above: the named one first, then its cause")
def _():
    names = [row.split("  ")[-1].strip() for row in rows()]
    equal(names[:2], ["Bench.Program.Parse()", "Bench.Program.Spin(int)"])
    true(names.index("Bench.Program.Main()") < names.index("Bench.Program.Added(int)"), names)


@check("no exchange of names: lambdas and iterators are matched")
def _():
    for row in rows():
        true(not re.search(" (new|gone) .*(Main|Numbers)", row), row)


methods = {method["name"]: method for method in diff("--json").json()["methods"]}


def counted(name, before, after, verdict, figure="calls"):
    """A method's count before and after, the same in each run of a side."""
    found = {key: value for key, value in methods[f"Bench.Program.{name}"][figure].items()}
    equal(found, {"verdict": verdict, "before": before, "after": after, "noise": None,
                  "runs_before": [before] * 3, "runs_after": [after] * 3})


check("calls before and after: Visit", counted, "Visit(int)", 20, 40, "more")
check("calls before and after: Steady", counted, "Steady()", 20, 20, "same")
check("calls before and after: a lambda", counted, "Main.lambda#1(int)", 20, 20, "same")
check("calls before and after: the second lambda", counted, "Main.lambda#2(int)", 20, 20, "same")


@check("exceptions: Load")
def _():
    counted("Load(int)", 20, 20, "same")
    found = methods["Bench.Program.Load(int)"]["exceptions"]
    equal([found["verdict"], found["before"], found["after"]], ["more", 0, 10])


@check("python reads the JSON, which has the sentence and what it names")
def _():
    found = diff("--json").json()
    equal([found["summary"][key] for key in ("subject", "cause", "by")],
          ["Bench.Program.Parse()", "Bench.Program.Spin(int)", "own"])
    true(found["before"]["runs"] == 3 and found["noise"]["exclusive"] >= 0, str(found["before"]))


check("Markdown has a table", lambda: diff("--format=markdown")
      .shows(like("^`Program.Parse` takes "), like(r"^\| 4.00 ms \| 82.0 ms \| 20.5x \| .*Bench.Program.Spin")))
check("paths are compared", lambda: diff("--by=path --width=0")
      .shows("Main > Parse > Bench.Program.Spin(int)"))
check("a build and itself: nothing is new, gone or slower",
      lambda: ilinject("diff old1.ilprof old1.ilprof").shows("0 slower, 0 faster, 0 new, 0 gone"))
check("one run a side: noise is not known",
      lambda: ilinject("diff old1.ilprof new1.ilprof").shows(like("^Noise    not known: one run a side")))


@check("the comparison goes to a file")
def _():
    equal(ilinject("diff old1.ilprof new1.ilprof -o report.md --format=markdown").out, "")
    true("Profile comparison" in read("report.md"), read("report.md"))


@check("lists of names")
def _():
    write("a", "".join(f"{name}\n" for name in BEFORE))
    diff(before=["@a"]).shows("Before   3 runs")


ilinject("merge", BEFORE, "-o", "old.ilprof")


@check("a merged profile is the mean of its runs")
def _():
    found = {m["name"]: m for m in ilinject("diff --json old.ilprof new1.ilprof").json()["methods"]}
    calls = found["Bench.Program.Visit(int)"]["calls"]
    equal([calls["before"], calls["after"]], [20, 40])


# ---- Gates -----------------------------------------------------------------------------------------

def fails(sentence, options, *texts, lines=None, shows=()):
    """The build fails, for what is said."""
    check(sentence, lambda: diff(options, status=4).says(*texts, lines=lines).shows(*shows))


def passes(sentence, options, *shows):
    check(sentence, lambda: diff(options).silent().shows(*shows))


fails("a regression fails the build and names the method", "--fail-if 'Bench.*: exclusive > +10%'",
      like(r"^--fail-if: error ILJ0608: Bench.Program.Spin\(int\): .* -> .* "
           r"\((\+[0-9]+ %|[0-9.]+x)\): Bench\.\*: exclusive > \+10%$"), shows=["failed for"])
fails("so do calls", "--fail-if 'Bench.Program.*: calls > +10%'", "Visit(int): 20 -> 40 (2.0x)", lines=1)
fails("so do exceptions", "--fail-if '**: exceptions > +5'", "Load(int): 0 -> 10: ")
fails("so does inclusive time", "--fail-if 'Bench.Program.Parse: inclusive > +50%'", "Parse()")
fails("a new method counts from 0", "--fail-if '**.Added: calls > +19'", "Added(int): 0 -> 20: ")
passes("but has no percentage", "--fail-if '**.Added: calls > +10%'", "Added: calls > +10%: passed")
passes("a limit that is not reached passes",
       "--fail-if 'Bench.Program.V*: calls > +20' --fail-if 'Bench.Program.Visit: calls > +100%'")
fails("a value is what there is after",
      "--fail-if '**.Removed: calls > 0' --fail-if '**.Visit: calls > 39'", lines=1)


@check("a pattern names what it stands for alone")
def _():
    said = diff("--allow-missing --fail-if '[Other]**: calls > 0' --fail-if 'Benc: calls > 0' "
                "--fail-if '**.Visit(string): calls > 0'").says(lines=3)
    equal(len(re.findall("^--fail-if: warning ILJ0611: ", said.err, re.M)), 3)


fails("assembly and parameters are matched", "--fail-if '[Regress]Bench.Program.Visit(int): calls > +0'", lines=1)
fails("of several conditions one is enough", "--fail-if 'Bench: calls > +100' --fail-if '**.Visit: calls > +0'",
      shows=["calls > +100: passed", "failed for 1 method"])
check("the same build passes gates on counts",
      lambda: diff("--fail-if '**: calls > +0' --fail-if '**: exceptions > +0'", before=BEFORE[:2], after=BEFORE[2:])
      .silent())
check("a gate on time says when noise is not known",
      lambda: ilinject("diff --fail-if '**.Spin: exclusive > +50%' old1.ilprof new1.ilprof", status=4)
      .says("noise is not known"))

# ---- Gates that name no method ---------------------------------------------------------------------

VIST = "--fail-if '**.Vist: calls > +0'"
VISIT = "--fail-if '**.Visit: calls > +0'"
check("a gate that names no method fails, in one line", lambda: builds(VIST, status=4).says(
    like(r"^--fail-if: error ILJ0609: the pattern names no method .*\*\*\.Vist: calls > \+0$"), lines=1).shows(
    like(r"Vist: calls > .*: failed, it names no method")))
check("also when other gates pass", lambda: builds(f"{VISIT} {VIST}", status=4).says(lines=1))
check("with --allow-missing it warns and passes", lambda: builds(f"--allow-missing {VIST}")
      .says(like(r"^--fail-if: warning ILJ0611: .*\*\*\.Vist"))
      .shows(like("Vist: calls > .*: not judged, it names no method")))
fails("and the other gates are judged", f"--allow-missing {VIST} {VISIT}", "ILJ0608", "ILJ0611")
passes("a method that is only before is one", "--fail-if '**.Removed: calls > +0'")
passes("so is one that is only after", "--fail-if '**.Added(int): calls > 20'")


@check("JSON has how many a gate names")
def _():
    equal(diff(f"--json {VIST} {VISIT}", status=4).json()["fail_if"], [
        {"condition": "**.Vist: calls > +0", "named": 0, "methods": 0},
        {"condition": "**.Visit: calls > +0", "named": 1, "methods": 1}])


check("Markdown has the gate that names none in bold", lambda: builds(f"--format=markdown {VIST}", status=4)
      .shows("**failed, it names no method**"))

# ---- Limits that are joined: Visit is called 20 times before, 40 times after -----------------------

fails("both limits are exceeded: it holds", "--fail-if '**.Visit: calls > +10% and +19'",
      like(r": \*\*.Visit: calls > \+10% and \+19$"))
passes("only the percentage is: it passes", "--fail-if '**.Visit: calls > +10% and +20'")
passes("only the count is: it passes", "--fail-if '**.Visit: calls > +100% and +5'")
passes("a new method has no percentage here, either", "--fail-if '**.Added: calls > +10% and +5'")


@check("times are joined")
def _():
    diff("--fail-if '**.Spin: exclusive > +10% and +10us'", status=4).says("Spin")
    diff("--fail-if '**.Spin: exclusive > +10% and +900s'").silent()


# ---- Methods that a price left out are neither new nor gone ----------------------------------------

OFTEN = """class Often {
    static int sum;
    static void Step(int n) { for (int i = 0; i < 20; i++) sum = sum * 31 + n; }
    static void Main() { for (int i = 0; i < 1000000; i++) Step(i); }
}"""


@check("a method that a price left out on one side is not said to be gone, or new")
def _():
    mcs("often/Often.exe", code=OFTEN)
    every, priced = (str(scratch() / f"{name}.ilprof") for name in ("every", "priced"))
    ilinject("-q often/Often.exe -o often/all/")
    program("mono", "often/all/Often.exe", status=0, env={"ILINJECT_OUT": every})
    ilinject("-q --overhead=1% often/Often.exe -o often/priced/ --profile", every)
    program("mono", "often/priced/Often.exe", status=0, env={"ILINJECT_OUT": priced})
    gone = ilinject("diff", every, priced)
    gone.shows(like("^Left out 0 methods before, 1 after, for a price: those that are gone may be among them$"))
    gone.lacks("no longer called").shows(like(" gone .* Often.Step"))
    new = ilinject("diff", priced, every)
    new.shows(like("^Left out 1 method before, 0 after, for a price: those that are new may be among them$"))
    new.lacks(", new,")
    ilinject("diff --format=markdown", priced, every).shows(like("^Left out: 1 method before, 0 after, "))
    ilinject("diff", every, every).lacks("Left out")
    ilinject("diff", priced, priced).lacks("Left out")


# ---- Options after -- ------------------------------------------------------------------------------

check("options may stand behind the names after", lambda: diff(after=[*AFTER, "--json"]).shows('"fail_if"'))
check("and a wrong one is told there, too", lambda: diff(after=[*AFTER, "--widht=3"], status=2)
      .says("unknown option --widht; did you mean --width"))


@check("behind a second -- all are names")
def _():
    (scratch() / "new1.ilprof").rename("--json")
    said = ilinject("diff old1.ilprof -- new2.ilprof -- --json")
    (scratch() / "--json").rename("new1.ilprof")
    said.shows(like("^After .* 2 runs"))


@check("a profile that is torn is one line")
def _():
    write("torn", (scratch() / "old1.ilprof").read_bytes()[:200])
    equal(ilinject("diff torn new1.ilprof", status=1).says(like("^torn: error ILJ0601"), lines=1).out, "")


finish()
