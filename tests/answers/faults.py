"""Ten small programs with a planted fault each, and what the first screen of a report has to say of them.

Data.cs stands for a package: it is not instrumented. The screen is the first 24 lines that `ilinject report` prints
on a terminal of 80 columns.
"""
import re
import sys
import unicodedata
from pathlib import Path

from kit import ILINJECT, LIB, ROOT, RUNNERS, Wrong, check, command, csc, fresh, ilinject, mcs, report, true

HERE = Path(__file__).resolve().parent
ROWS, COLUMNS, FIRST = 24, 80, 3


class Fault:
    """A program, the method that is to blame, and the sign that says why. `catches`: the one that catches what it
    throws, and may take longer than it."""

    def __init__(self, name, method, sign, catches=None, env=None):
        self.name, self.method, self.sign, self.env = name, method, sign, env or {}
        self.catches = [catches] if catches else []

    def __str__(self):
        return self.name


FAULTS = [
    # The page asks 500 times, once for each order.
    Fault("NPlusOne", "OrderService.LoadCustomer", r"^Hot path .*\b500 × OrderService\.LoadCustomer\b"),
    # Each of 8,000 lines looks through all before it.
    Fault("Quadratic", "Catalog.FindBySku", r"^ *8,000 .* ~?\d\d\.\d  .*Catalog\.FindBySku\b"),
    # The wait for the lock, and that for the disk with the lock held, of seconds: no work.
    Fault("LockHeld", "AuditLog.Write", r"^ +240 .* [1-9]\d*\.\d+ s .*AuditLog\.Write\b"),
    Fault("SyncOverAsync", "PriceClient.GetPrice", r"^ +96 .* [1-9]\d*\.?\d* s .*PriceClient\.GetPrice\b"),
    # More than a GB, 15,000 times a text that is half of the whole on average: 2 bytes a character.
    Fault("Allocation", "CsvExport.AppendCell", r"^ *15,000 +\d\.\d\d GB .*CsvExport\.AppendCell\b",
          env={"ILINJECT_ALLOC": "bytes"}),
    # Two of three lines have no quantity.
    Fault("Exceptions", "OrderLine.ParseQuantity", r"^240,000 +160,000 .*OrderLine\.ParseQuantity\b",
          catches="OrderImport.QuantityOrOne"),
    Fault("SlowCall", "RateTable.RateFor",
          r"^One call 1\.\d+ s of \d\.\d+ s in 1 of 2,000 calls: .*Invoice\.AddItem\b"),
    # 19 parcels, and a call that finds none left.
    Fault("Recursion", "Packing.BestFrom", r"^Hot path .*\b12 × Packing\.BestFrom, (1\d|20) deep"),
    Fault("HotLeaf", "Words.Normalize", r"^ *\d,\d{3},\d{3} .*Words\.Normalize\b"),
    Fault("SlowStart", "PluginScanner.Scan", r"^ +1 .*\bPluginScanner\.Scan\b"),
]


# ---- Programs ------------------------------------------------------------------------------------------------------


SYMBOLS = {"dotnet": "-debug:portable", "mono": "-debug"}


def build(runtime="dotnet", faults=None):
    """Compiles them (all), with symbols, and instruments a copy of each; False where there is no compiler."""
    suffix = "dll" if runtime == "dotnet" else "exe"
    folder = fresh(f"programs.{runtime}")
    data = folder / "Data.dll"
    if runtime == "mono":
        mcs(data, HERE / "Data.cs")
    elif not csc(data, "-target:library", HERE / "Data.cs"):
        return False
    for fault in faults or FAULTS:
        file = folder / fault.name / f"{fault.name}.{suffix}"
        fresh(file.parent)
        command("cp", data, file.parent)
        compiled = mcs if runtime == "mono" else csc
        compiled(file, f"-r:{data}", "-optimize+", SYMBOLS[runtime], HERE / f"{fault.name}.cs")
        ilinject("-q", file, "-o", f"{file.parent}/out/")
        command("cp", data, file.parent / "out")
    return True


def profile_of(fault, runtime="dotnet", price=None):
    return Path(f"{fault.name}.{runtime}{'.' + price if price else ''}.ilprof").absolute()


def record(fault, runtime="dotnet", price=None, env=None):
    """Runs it with all calls recorded, or with a price. Returns the profile."""
    suffix = "dll" if runtime == "dotnet" else "exe"
    folder = Path(f"programs.{runtime}") / fault.name
    profile = profile_of(fault, runtime, price)
    if price:
        ilinject("run -q", f"--overhead={price}%", "--exclude=[Data]**", "-o", profile,
                 folder / f"{fault.name}.{suffix}",
                 env=env, seconds=300)
    else:
        command(RUNNERS[runtime], folder / "out" / f"{fault.name}.{suffix}",
                env={"ILINJECT_OUT": str(profile), **(env or {})}, seconds=300)
    return profile


# ---- Screens -------------------------------------------------------------------------------------------------------


def screen(profile):
    """The lines that a terminal shows first."""
    said = command(sys.executable, "-B", LIB / "py/terminal.py", COLUMNS, ROWS, "--",
                   ILINJECT, "report", "--color=never", profile)
    return said.out.splitlines()[:ROWS]


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def parts(lines):
    """The hot path as one line, and the rows of the table."""
    text = "\n".join(lines)
    path = re.search(r"^Hot path (.*(?:\n {9}.*)*)", text, re.M)
    true(path, f"no hot path:\n{text}")
    heads = [i for i, line in enumerate(lines) if line.endswith("  Function")]
    true(heads, f"no table:\n{text}")
    rows = [line for line in lines[heads[0] + 1:] if re.match(r" *\d", line)]
    return re.sub(r"\n +", " ", path[1]), rows


def has(text, methods):
    return any(re.search(rf"\b{re.escape(method)}\b", text) for method in methods)


def holder(fault, path):
    """The method that the path says has the time of the one that is to blame, or of the one that catches what that
    throws, where a price has left it out."""
    found = re.search(r"(?:^|→ )(?:[\d,]+ × )?(\S+) → left out: (.*)$", path)
    return [found[1]] if found and has(found[2], [fault.method, *fault.catches]) else []


def answers(fault, profile):
    """The method stands in the first rows and on the hot path of the first screen, and no line of the head is cut."""
    lines = screen(profile)
    shown = "\n".join(lines)
    path, rows = parts(lines)
    methods = [fault.method, *holder(fault, path)]
    true(all(width(line) <= COLUMNS for line in lines), f"too wide:\n{shown}")
    true(not re.search(r"^(?:Program|Time|Calls|Price|Trust) .*…$", shown, re.M), f"a line of the head is cut:\n{shown}")
    true(has("\n".join(rows[:FIRST]), methods), f"{methods} is not in the first {FIRST} rows:\n{shown}")
    true(has(path, methods + fault.catches), f"{methods} is not on the hot path:\n{shown}")
    return lines


def once(holds, *arguments):
    """What holds of one of three runs: other programs may have had the processor within a few calls."""
    for left in (2, 1, 0):
        try:
            return holds(*arguments)
        except Wrong:
            if left == 0:
                raise


def answers_once(fault, runtime="dotnet", **options):
    return once(lambda: answers(fault, record(fault, runtime, env=fault.env, **options)))


def alike(runtime, how, **options):
    """Checks that each of them is answered on a runtime."""
    for fault in FAULTS:
        check(f"{runtime}, {how}: {fault}: {fault.method} is in the first rows and on the hot path",
              lambda: answers_once(fault, runtime, **options))


def says_why(fault, profile):
    """The sign stands on the first screen, a path that takes two lines as one."""
    text = re.sub(r"→\n {9}", "→ ", "\n".join(screen(profile)))
    true(re.search(fault.sign, text, re.M), f"no sign '{fault.sign}':\n{text}")


# ---- Prices --------------------------------------------------------------------------------------------------------


def cost_of(calls, size):
    """What the calls of a method with that much IL cost on .NET, by cost.def, in ps; without the nodes."""
    row = re.search(r"^COST\(DOTNET, EVERYTHING, (.*)\)$", (ROOT / "src/choice/cost.def").read_text(), re.M)
    usual, _, first, lost, lost_il, _, _, method = map(int, row[1].split(", "))
    return calls * (usual + (lost if size <= lost_il else 0)) + min(calls, 10000) * first + (method if calls else 0)


def spends(fault, percent):
    """A choice by counts spends at most the price, with the tracker's start half of it where anything that it leaves out
    would fit into that, and leaves nothing out that is little beside the start. All of it is counted: the processor time is that of the run which counts, whatever the machine does."""
    folder = Path("programs.dotnet") / fault.name
    profile = Path(f"{fault.name}.counts.ilprof").absolute()
    ilinject("-q", folder / f"{fault.name}.dll", "-o", f"{folder}/counts/", "--counts")
    command("cp", "programs.dotnet/Data.dll", folder / "counts")
    command(RUNNERS["dotnet"], folder / "counts" / f"{fault.name}.dll", env={"ILINJECT_OUT": str(profile)})
    said = report(profile)
    calls = {f["token"]: f["calls"] for f in said["functions"]}
    start = int(re.search(r"^TRACKER\(DOTNET, (\d+),", (ROOT / "src/choice/cost.def").read_text(), re.M)[1])
    price = said["runs"][0]["machine"]["cpu_ns"] * 1000 * percent // 100
    listed = ilinject("list", folder / f"{fault.name}.dll", f"--overhead={percent}%", "--profile", profile).out
    costs = {"instrument": [], "called too often": []}
    for token, size, reason in re.findall(r"^ *(0x06\w+) +(\d+)  (instrument|called too often) ", listed, re.M):
        costs[reason].append(cost_of(calls.get(token, 0), int(size)))
    spent, left = sum(costs["instrument"]), costs["called too often"]
    figures = f"{spent / 1e9:.1f} of {price / 1e9:.1f} ms are spent, left out are {[c / 1e9 for c in left]}"
    true(spent <= price, figures)
    true(not left or spent + min(left) > min(max(price / 2 - start, start / 5 / 1.5), price / 2), figures)
