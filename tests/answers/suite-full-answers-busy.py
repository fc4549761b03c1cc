#!/usr/bin/env -S python3 -B
# level: full
# The ten programs of suite-answers.py beside eight busy loops, all calls recorded.
import sys
sys.path.insert(1, sys.path[0] + "/..")
from busy import LOOPS, busy
from kit import can, finish, skip
from faults import alike, build

for runtime in ("dotnet", "mono"):
    if not can(runtime) or not build(runtime):
        skip(f"{runtime}: the first screen answers", "there is no such runtime with a compiler")
        continue
    with busy():
        alike(runtime, f"beside {LOOPS} loops")
finish()
