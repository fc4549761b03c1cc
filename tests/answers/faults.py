"""Ten small programs with a planted fault each, and what the first screen of a report has to say of them.

Data.cs stands for a package: it is not instrumented. The screen is the first 24 lines that `ilinject report` prints
on a terminal of 80 columns.
"""
import re
import sys
import unicodedata
from pathlib import Path

from kit import ILINJECT, LIB, RUNNERS, Wrong, command, csc, fresh, ilinject, mcs, true

HERE = Path(__file__).resolve().parent
ROWS, COLUMNS, FIRST = 24, 80, 3


class Fault:
    """A program, the method that is to blame, and the sign that says why. `within`: the methods that have its time
    where a price leaves it out. `catches`: the one that catches what it throws, and may take longer than it."""

    def __init__(self, name, method, sign, *within, catches=None, env=None):
        self.name, self.method, self.sign, self.within, self.env = name, method, sign, within, env or {}
        self.catches = [catches] if catches else []

    def __str__(self):
        return self.name


FAULTS = [
    # The page asks 500 times, once for each order.
    Fault("NPlusOne", "OrderService.LoadCustomer", r"^Hot path .*\b500 × OrderService\.LoadCustomer\b"),
    # Each of 20,000 lines looks through all before it.
    Fault("Quadratic", "Catalog.FindBySku", r"^ *20,000 .* ~?\d\d\.\d  \S*Catalog\.FindBySku\b"),
    # The wait for the lock, and that for the disk with the lock held, of seconds: no work.
    Fault("LockHeld", "AuditLog.Write", r"^ +240 .* [1-9]\d*\.\d+ s .*AuditLog\.Write\b"),
    Fault("SyncOverAsync", "PriceClient.GetPrice", r"^ +96 .* [1-9]\d*\.?\d* s .*PriceClient\.GetPrice\b"),
    # More than a GB, 42,000 times a text that is half of the whole on average: 2 bytes a character.
    Fault("Allocation", "CsvExport.AppendCell", r"^ *42,000 +\d{2},\d{3},\d{3},\d{3} .*CsvExport\.AppendCell\b",
          env={"ILINJECT_ALLOC": "bytes"}),
    # Two of three lines have no quantity.
    Fault("Exceptions", "OrderLine.ParseQuantity", r"^240,000 +160,000 .*OrderLine\.ParseQuantity\b",
          "OrderImport.Run", "OrderImport.ImportLine", "OrderImport.QuantityOrOne",
          catches="OrderImport.QuantityOrOne"),
    Fault("SlowCall", "RateTable.RateFor",
          r"^One call 1\.\d+ s of \d\.\d+ s in 1 of 2,000 calls: .*Invoice\.AddItem\b"),
    # 19 parcels, and a call that finds none left.
    Fault("Recursion", "Packing.BestFrom", r"^Hot path .*\b12 × Packing\.BestFrom, (1\d|20) deep", "Shipment.Cost"),
    Fault("HotLeaf", "Words.Normalize", r"^ *\d,\d{3},\d{3} .*Words\.Normalize\b", "Search.Find"),
    Fault("SlowStart", "PluginScanner.Scan", r"^ +1 .*\bPluginScanner\.Scan\b"),
]


# ---- Programs ------------------------------------------------------------------------------------------------------


def build(runtime="dotnet"):
    """Compiles all, and instruments a copy of each; False where there is no compiler."""
    suffix = "dll" if runtime == "dotnet" else "exe"
    folder = fresh(f"programs.{runtime}")
    data = folder / "Data.dll"
    if runtime == "mono":
        mcs(data, HERE / "Data.cs")
    elif not csc(data, "-target:library", HERE / "Data.cs"):
        return False
    for fault in FAULTS:
        file = folder / fault.name / f"{fault.name}.{suffix}"
        fresh(file.parent)
        command("cp", data, file.parent)
        compiled = mcs if runtime == "mono" else csc
        compiled(file, f"-r:{data}", "-optimize+", HERE / f"{fault.name}.cs")
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


def answers(fault, profile, may_leave_out=False):
    """The method stands in the first rows and on the hot path of the first screen."""
    lines = screen(profile)
    shown = "\n".join(lines)
    path, rows = parts(lines)
    methods = [fault.method, *(fault.within if may_leave_out else [])]
    true(all(width(line) <= COLUMNS for line in lines), f"too wide:\n{shown}")
    true(has("\n".join(rows[:FIRST]), methods), f"{methods} is not in the first {FIRST} rows:\n{shown}")
    true(has(path, methods + fault.catches), f"{methods} is not on the hot path:\n{shown}")
    return lines


def answers_once(fault, runtime="dotnet", may_leave_out=False, **options):
    """One of three runs answers: other programs may have had the processor within a few calls."""
    for left in (2, 1, 0):
        try:
            return answers(fault, record(fault, runtime, env=fault.env, **options), may_leave_out)
        except Wrong:
            if left == 0:
                raise


def says_why(fault, profile):
    """The sign stands on the first screen, a path that takes two lines as one."""
    text = re.sub(r"→\n {9}", "→ ", "\n".join(screen(profile)))
    true(re.search(fault.sign, text, re.M), f"no sign '{fault.sign}':\n{text}")
