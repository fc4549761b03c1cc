"""Fixed jobs against what they cost when that was written down (tests/bench/cost.tsv)."""
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from kit import BUILD, ILINJECT, ROOT, Wrong, check, has, skip, true

TABLE = ROOT / "tests/bench/cost.tsv"
# A job may take one hundredth more; counts of one build differ by a thousandth.
MORE = 1.01
KINDS = {"instructions": ("--tool=callgrind", "--callgrind-out-file=/dev/null"),
         "bytes": ("--tool=massif", "--pages-as-heap=yes", "--massif-out-file=heap")}


def rows():
    """The lines of the table: its head, and dictionaries by its column names."""
    text = TABLE.read_text().splitlines()
    head = [line for line in text if line.startswith("#")]
    names, *lines = [line.split("\t") for line in text if line and not line.startswith("#")]
    return head, names, [dict(zip(names, line, strict=True)) for line in lines]


def _version(*asked):
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def tools():
    """What the counts depend on besides the sources, as the table's head says it."""
    compiler = re.search(rb"GCC: \([^)]*\) ([0-9.]+)", open(ILINJECT, "rb").read())
    return ", ".join((f"gcc {compiler[1].decode() if compiler else 'none'}", " ".join(platform.libc_ver()),
                      _version("valgrind", "--version")))


def cannot():
    """Why nothing can be counted here, or that would say nothing."""
    program = open(ILINJECT, "rb").read()
    if not has("valgrind"):
        return "no valgrind"
    if platform.machine() != "x86_64" or not re.search(r"\bavx2\b", open("/proc/cpuinfo").read()):
        return "counts are those of x86-64 with AVX2"
    if not program.startswith(b"\x7fELF"):
        return "the program is called through another one"
    if any(mark in program for mark in (b"__asan_init", b"__tsan_init", b"__gcov_", b"clang version")):
        return "counts are those of gcc without sanitizers"
    if f"# {tools()}" not in rows()[0]:
        return f"counts are those of other tools than {tools()}"
    return None


def _counted(kind, arguments):
    """The variables of who calls would count, too."""
    with tempfile.TemporaryDirectory(dir=".", prefix="out") as out:
        line = [word for given in arguments for word in
                (sorted(glob.glob(given)) if given.endswith("/*.dll") else [given.replace("OUT", out)])]
        done = subprocess.run(["valgrind", *KINDS[kind], ILINJECT, *line], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"]}, check=False)
    true(done.returncode == 0, done.stderr)
    if kind == "instructions":
        return int(re.search(r"refs:\s+([0-9,]+)", done.stderr)[1].replace(",", ""))
    with open("heap", encoding="ascii") as heap:
        return max(int(size) for size in re.findall(r"mem_heap_B=(\d+)", heap.read()))


def _holds(row, kind):
    written, counted = int(row[kind]), _counted(kind, row["arguments"].split())
    print(f"    {row['case']}: {counted:,} {kind}, {counted / written - 1:+.2%}")
    raised, why = counted > written * MORE, os.environ.get("WHY")
    if os.environ.get("UPDATE") and (counted < written or why):
        row.update({kind: str(counted)} | ({"why": why} if raised else {}))
    elif raised:
        raise Wrong(f"{counted:,} {kind} instead of {written:,}. Where that has to be:\n"
                    f"UPDATE=1 WHY='the reason' tests/e2e/cost/{os.path.basename(sys.argv[0])}")


def jobs(level):
    """A check of each row of the level, whose input is there; with UPDATE=1 the table is written again."""
    head, names, table = rows()
    for row in table:
        sentence = f"no dearer than it was: {row['case']}"
        missing = [word for word in row["arguments"].split() if word.endswith((".dll", ".ilprof", "names"))
                   and "OUT" not in word and not glob.glob(word.lstrip("@"))]
        if row["level"] != level:
            continue
        if missing:
            skip(sentence, f"{missing[0]} is not there")
            continue
        for kind in KINDS:
            if row[kind] != "-":
                check(f"{sentence}, {kind}", _holds, row, kind)
    if os.environ.get("UPDATE"):
        lines = ["\t".join(row[name] for name in names) for row in table]
        TABLE.write_text("\n".join([*head, "\t".join(names), *lines, ""]))


def copied(source, to):
    """An input of the size that was counted, or none."""
    path, size = source
    if os.path.exists(path) and os.path.getsize(path) == size:
        os.makedirs(os.path.dirname(to) or ".", exist_ok=True)
        shutil.copy(path, to)


def maker(name):
    return str(BUILD / "tests" / name)
