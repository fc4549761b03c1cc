#!/usr/bin/env python3
"""Compares the stack traces that fixtures/cs/Faults.cs prints before and after it is instrumented.

    traces.py BEFORE AFTER SOURCE [EXTRA]

Every fault has the same exceptions, with the same frames and lines. Two things may differ, since a JIT decides them:
a frame that was inlined, or left by a tail call, may be there again (at most EXTRA of all, 0 without it), and a line may
now be that of the statement that faults, which a comment "// here" marks in the source.
"""
import re
import sys


def read(path):
    """[(fault and exception, [(method, line)])]"""
    faults = []
    for line in open(path, encoding="utf-8"):
        frame = re.match(r"    (.+) ([^ ]*):(\d+)$", line)
        if frame:
            if frame[2] not in ("Faults.cs", ""):
                sys.exit(f"{path}: a file of another name: {line}")
            faults[-1][1].append((frame[1], int(frame[3])))
        elif re.match(r"[^:]+: ", line):
            faults.append((line.strip(), []))
        else:
            sys.exit(f"{path}: {line}")
    return faults


before, after = read(sys.argv[1]), read(sys.argv[2])
here = {number for number, line in enumerate(open(sys.argv[3], encoding="utf-8"), 1) if line.rstrip().endswith("// here")}
room = int(sys.argv[4]) if len(sys.argv) > 4 else 0
wrong = []
if len({fault for fault, _ in before}) < 55 or any(fault.endswith("returned") for fault, _ in before):
    wrong.append("the original does not have its faults")
if [fault for fault, _ in before] != [fault for fault, _ in after]:
    wrong.append("other exceptions")
for (fault, old), (_, now) in zip(before, after):
    left = list(now)
    for method, line in old:
        while left and left[0][0] != method:
            room -= 1
            if left.pop(0)[1] == 0:
                wrong.append(f"{fault}: a frame without a line in {now}")
        if not left:
            wrong.append(f"{fault}: {method} is missing: {old}, now {now}")
            break
        got = left.pop(0)[1]
        if got != line and line != 0 and got not in here:
            wrong.append(f"{fault}: {method} in line {line}, now {got}")
    room -= len(left)
if room < 0:
    wrong.append(f"{-room} frames too many")
print("\n".join(wrong))
sys.exit(bool(wrong))
