#!/usr/bin/env -S python3 -B
"""Fixed jobs cost no more than tests/bench/cost.tsv says: instructions, as callgrind counts them, and the most memory
that is mapped at a time. Both are the same on a machine that is busy."""
import os
import subprocess
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from cost import cannot, copied, jobs, maker
from kit import FIXTURES, FULL, ILINJECT, command, equal, finish, has, mcs, skip, check, true, write

MONO = "/usr/lib/mono/4.5"
TINY = """public static class Tiny {
    public static int Add(int a, int b) { return a + b; }
    public static string Join(string a, string b) { return a == null ? b : a + b; }
}"""


def name_ten_thousand():
    """Rules that name methods of mscorlib, and as many that name none: nothing for each method and rule, only for each
    method and each rule. Each fourth with its parameters."""
    listed = subprocess.run([ILINJECT, "list", "--json", "mscorlib.dll"], capture_output=True, text=True, check=True)
    type_name, named = "", []
    for line in listed.stdout.splitlines():
        name = line.partition('{"name":"')[2].partition('"')[0]
        if not line.startswith("  {"):
            type_name = "" if "<" in name or "\\" in name else name
        elif type_name and name and "<" not in name and "\\" not in name:
            named.append(f"{type_name}.{name if (len(named) + 1) % 4 == 0 else name.partition('(')[0]}")
    write("names", "".join(f"--include\n{name}\n" for name in named[:10000]))
    write("elsewhere-names", "".join(f"--include\nElsewhere.{name}\n" for name in named[:10000]))
    equal(len(named[:10000]), 10000)


def makes_inputs():
    mcs("tiny.dll", code=TINY)
    mcs("class.dll", FIXTURES / "TestClass.cs")
    for name, size in ("Mono.Posix", 228352), ("mscorlib", 4811264):
        copied((f"{MONO}/{name}.dll", size), f"{name}.dll")
    for i in range(20):
        copied((f"{MONO}/Mono.Posix.dll", 228352), f"many/{i}.dll")
    if FULL and os.path.exists("mscorlib.dll"):
        name_ten_thousand()
    command([maker("large_profile"), "large.ilprof", "20000", "2000"])
    command([maker("large_profile"), "other.ilprof", "21000", "2100"])
    command(f"{ILINJECT} merge large.ilprof other.ilprof -o merged.ilprof")


def puts_nothing_together():
    """Fresh pages are what the kernel's part of a large file is; how many are mapped at a time with one that is read is
    the kernel's choice."""
    counted = command([maker("measure"), "-f", ILINJECT, *"-q --exits=ret mscorlib.dll -o pages/".split()])
    faults = int(counted.out.split()[2])
    true(0 < faults <= 3800, f"{faults} page faults")


def node_takes(most, line):
    """What a further node takes, at the peak, in profiles that are not small: what any run takes does not count."""
    few, many = (int(command([maker("measure"), ILINJECT, *line.split(), profile]).out.split()[1])
                 for profile in ("some.ilprof", "more.ilprof"))
    each = (many - few) * 1024 // 200000
    true(0 < each <= most, f"{each} bytes a node; the bound is {most}")


reason = cannot() or (None if has("mcs") else "no mcs")
if reason:
    skip("jobs cost no more than they did", reason)
    finish()
makes_inputs()
jobs("check")
if FULL:
    jobs("long")
huge = "/sys/kernel/mm/transparent_hugepage/enabled"
if os.sysconf("SC_PAGE_SIZE") != 4096 or (os.path.exists(huge) and "[always]" in open(huge).read()):
    skip("an output is not put together in memory", "bounds are for pages of 4 KiB")
elif not os.path.exists("mscorlib.dll"):
    skip("an output is not put together in memory", "bounds are for the libraries of Mono 6.8")
else:
    check("an output is not put together in memory", puts_nothing_together)
for name, nodes in ("some", "100000"), ("more", "300000"):
    command([maker("large_profile"), f"{name}.ilprof", nodes, "2000"])
check("a node of a report takes at most 100 bytes", node_takes, 100, "report")
check("one as JSON 120", node_takes, 120, "report --json")
check("one that is merged 180", node_takes, 180, "merge -o some.merged")
finish()
