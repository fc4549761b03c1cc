#!/usr/bin/env -S python3 -B
# level: full
"""100,000 profiles merged: the memory that it takes is measured and bounded, the processor's time is measured. PROFILES
and NODES (of each) in the environment say otherwise."""
import os
import sys
sys.path[0] += "/../.."
from kit import BUILD, ILINJECT, ROOT, check, command, equal, finish, ilinject, scratch, skip, true, write

PROFILES, NODES = int(os.environ.get("PROFILES", 100000)), int(os.environ.get("NODES", 2000))
MOST_KIB, PARTS = 256 * 1024, 20
MEASURE = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""

if not (BUILD / "tests/many_profiles").exists():
    skip("a hundred thousand profiles are merged", "build/tests/many_profiles is not built")
    finish()
(scratch() / "in").mkdir()
command(BUILD / "tests/many_profiles", "in", PROFILES, NODES, seconds=3600)
files = [f"{scratch()}/in/{n:04}.ilprof" for n in range(PROFILES)]
write("list", "".join(f"{f}\n" for f in files))
print(f"# {PROFILES} profiles of {NODES} nodes, {sum(os.path.getsize(f) for f in files) / 1e6:.0f} MB")


def measured(*arguments):
    said = command(sys.executable, "-c", MEASURE, ILINJECT, *arguments, seconds=3600)
    seconds, kib = said.out.split()
    print(f"# {arguments[0]}: {float(seconds):.0f} s of processors, {int(kib) / 1024:.0f} MiB")
    return int(kib)


def fits():
    kib = measured("merge", "@list", "-o", "whole.ilprof")
    true(kib <= MOST_KIB, f"{kib} KiB")
    print(f"# merged: {(scratch() / 'whole.ilprof').stat().st_size / 1e6:.0f} MB")


def has_all():
    head = ilinject("report whole.ilprof --format=rows", seconds=3600).out.partition("\n")[0]
    true(f'"runs":{PROFILES},' in head, head)


def in_parts():
    batch, env = ROOT / "docs/fleet/batch.sh", {"ILINJECT": ILINJECT}
    command(batch, "split", "list", PARTS, "parts", env=env)
    for part in range(PARTS):
        command(batch, "merge", "parts", part, env=env, seconds=3600)
    command(batch, "join", "parts", PARTS, "joined.ilprof", env=env, seconds=3600)
    equal((scratch() / "joined.ilprof").read_bytes() == (scratch() / "whole.ilprof").read_bytes(), True)


check(f"{PROFILES} profiles are merged in 256 MiB", fits)
check("all of them are in what comes out", has_all)
check("in parts that are joined by a tree they have the same bytes", in_parts)
finish()
