#!/usr/bin/env -S python3 -B
# level: full
# The ten programs of suite-answers.py at a price of 10 %, beside eight busy loops.
import sys
sys.path.insert(1, sys.path[0] + "/..")
from busy import LOOPS, busy
from kit import can, finish, skip
from faults import alike, build

if can("dotnet") and build():
    with busy():
        alike("dotnet", f"10 %, beside {LOOPS} loops", price="10")
else:
    skip("the first screen answers", "there is no .NET with a compiler")
finish()
