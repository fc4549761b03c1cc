#!/usr/bin/env -S python3 -B
"""The scripts of docs/fleet that do a long list in parts: the same bytes as one machine makes, and an error where a
part
is missing or an output cannot be written."""
import os
import random
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import fleet
from kit import ILINJECT, ROOT, check, command, equal, finish, has, ilinject, mcs, scratch, skip, true, write

BATCH, PARALLEL = ROOT / "docs/fleet/batch.sh", ROOT / "docs/fleet/parallel.sh"
ENV = {"ILINJECT": ILINJECT}
made, draw = fleet.Program(9, 40, 120), random.Random(1)
files = []
for number in range(75):
    path = scratch() / f"in/{number}.ilprof"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(
    made.run(
        draw,
        host=f"h{number % 7}",
        pid=number,
        start=number,
        labels={
            "release": str(
                number %
                 3)})[0])
    files.append(str(path))
write("list", "\n".join(files) + "\n")
ilinject("merge @list -o whole.ilprof")
WHOLE = (scratch() / "whole.ilprof").read_bytes()


def batch(*arguments, status=0, env=None):
    return command(BATCH, *arguments, status=status, env={**ENV, **(env or {})})


def in_parts(parts):
    batch("split", "list", parts, f"work{parts}")
    for part in reversed(range(parts)):
        batch("merge", f"work{parts}", part)
    batch("join", f"work{parts}", parts, f"out{parts}.ilprof")
    equal((scratch() / f"out{parts}.ilprof").read_bytes(), WHOLE)
    true(not list((scratch() / f"work{parts}").glob("level.*")))


for parts in (1, 4, 70, 90):
    check(f"profiles that are merged in {parts} parts, by a tree, have the bytes of one merge", in_parts, parts)


def goes_on():
    batch("split", "list", 3, "again")
    for part in (0, 2):
        batch("merge", "again", part)
    batch("join", "again", 3, "again.ilprof", status=1).says("part 1 of 3 is not done", lines=1)
    true(not (scratch() / "again.ilprof").exists())
    before = os.stat("again/part.0.ilprof").st_mtime_ns
    (scratch() / "again/part.1.ilprof").write_bytes(b"cut off")  # as a lost node leaves it
    for part in range(3):
        batch("merge", "again", part)
    equal(os.stat("again/part.0.ilprof").st_mtime_ns, before)
    batch("join", "again", 3, "again.ilprof")
    equal((scratch() / "again.ilprof").read_bytes(), WHOLE)


check("a batch that was cut off goes on with what is left", goes_on)


def says_no():
    batch("split", "list", 3, "bad")
    write("bad/list.1", "in/0.ilprof\nin/none.ilprof\n")
    for part in (0, 2):
        batch("merge", "bad", part)
    batch("merge", "bad", 1, status=1).says("in/none.ilprof")
    true(not (scratch() / "bad/part.1.ilprof").exists() and not (scratch() / "bad/done.1").exists())
    batch("merge", "bad", 5, status=1).says("list.5 is missing", lines=1)
    write("bad/list.1", "in/0.ilprof\n")
    batch("merge", "bad", 1)
    batch("join", "bad", 3, "no/folder/out.ilprof", status=1).says("no/folder/out.ilprof")
    os.remove("bad/part.2.ilprof")
    batch("join", "bad", 3, "out.ilprof", status=1).says("part.2.ilprof is missing", lines=1)
    write("empty", "")
    batch("split", "empty", 3, "none", status=1).says("the list is empty", lines=1)
    batch("split", "list", "x", "none", status=1).says("expected a number", lines=1)
    batch("what", status=2).says("usage")


check("a part that is missing, damaged or cannot be written is an error", says_no)


def instruments():
    names = []
    for number in range(7):
        names.append(str(mcs(f"apps/A{number}.dll",
     code="public class A%d { public int M(int i) { return i + 1; } }" % number)))
    write("apps.list", "\n".join(names) + "\n")
    ilinject("@apps.list -o alone/ --all")
    batch("split", "apps.list", 3, "parts")
    for part in range(3):
        batch("instrument", "parts", part, "--all")
    for name in names:
        name = os.path.basename(name)
        equal((scratch() / "parts/out" / name).read_bytes(), (scratch() / "alone" / name).read_bytes())


if has("mcs"):
    check("assemblies that are instrumented in parts have the bytes of one run", instruments)
else:
    skip("assemblies that are instrumented in parts have the bytes of one run", "no mcs is installed")


def in_parallel():
    command(PARALLEL, "merge", "list", "parallel.ilprof", 5, "-j2", env=ENV)
    equal((scratch() / "parallel.ilprof").read_bytes(), WHOLE)
    write("wrong", "\n".join(files[:9]) + "\nin/none.ilprof\n")
    command(PARALLEL, "merge", "wrong", "wrong.ilprof", 3, "-j2", env=ENV, status=None)
    true(not (scratch() / "wrong.ilprof").exists())


if has("parallel"):
    check("GNU parallel makes the same, and nothing when a part fails", in_parallel)
else:
    skip("GNU parallel makes the same, and nothing when a part fails", "no GNU parallel is installed")

finish()
