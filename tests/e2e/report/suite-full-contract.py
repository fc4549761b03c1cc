#!/usr/bin/env -S python3 -B
# level: full
"""Contracts: SARIF is judged by its validator, and runs of the same program raise no alarm."""
import glob
import os
import sys
sys.path[0] += "/../.."
from kit import FIXTURES, ROOT, check, command, finish, has, ilinject, mcs, program, skip, true

if not has("mcs", "mono"):
    skip("contracts", "mono is not installed")
    finish()
COMPILER = "/usr/lib/mono/4.5/mcs.exe"


def quiet(name, profiles):
    ilinject("baseline", profiles[:5], "-o", f"{name}.txt")
    for one in profiles[5:]:
        ilinject(f"check {name}.txt", one)


def runs(name, count, file, *arguments):
    return [program("mono", file, *arguments, name=f"{name}{i}", status=0).profile for i in range(count)]


mcs("Demo.exe", "-debug", FIXTURES / "Demo.cs")
mcs("more/Demo.exe", "-debug", FIXTURES / "Demo.cs")
ilinject("-q Demo.exe -o bin/ --set alloc=bytes")
ilinject(f"-q {COMPILER} -o compiler/ --counts")
DEMO = runs("demo", 25, "bin/Demo.exe")
COMPILED = runs("mcs", 15, "compiler/mcs.exe", "-out:x.exe", FIXTURES / "Demo.cs")
check("20 runs of a program raise no alarm", quiet, "demo", DEMO)
check("10 runs of a compiler, where calls are counted, raise none", quiet, "mcs", COMPILED)


@check("SARIF's validator takes what changed, nothing, and the gates of diff")
def _():
    fetched = command(ROOT / "tests/npm-fetch", "@microsoft/sarif-multitool@5.7.0", status=None, seconds=300)
    if fetched.status == 77:
        skip("SARIF is judged by its validator", fetched.out.strip())
        return
    for binary in glob.glob(f"{fetched.out.strip()}/@microsoft/sarif-multitool-*/Sarif.Multitool"):
        os.chmod(binary, 0o755)  # npm's own script, which is not run, would do so
    ilinject("baseline", DEMO[0], "-o", "one.txt")
    ilinject("check one.txt --format=sarif -o changed.sarif", COMPILED[0], status=4)
    ilinject("check one.txt --format=sarif -o none.sarif", DEMO[0])
    ilinject("diff --fail-if **:calls>+0 --format=sarif -o diff.sarif", DEMO[0], COMPILED[0], status=4)
    for file in ("changed", "none", "diff"):
        said = command("node", f"{fetched.out.strip()}/@microsoft/sarif-multitool/bin.js", "validate",
                       f"{file}.sarif", status=None, seconds=300)
        true("Analysis completed successfully" in said.out and ": error " not in said.out, f"{file}: {said}")


finish()
