#!/usr/bin/env -S python3 -B
# The first screen of a report answers: of ten programs with a planted fault each, the method that is to blame stands
# in the first three rows and on the hot path, with the sign that says why. At a price it is that one, or the one that
# the screen says has its time, and the price is spent. The same profiles lead an assistant to the method.
import sys
sys.path.insert(1, sys.path[0] + "/..")
from kit import FULL, can, check, finish, skip
from faults import FAULTS, answers_once, build, profile_of, says_why, spends
from assistant import compares, fixed, leads
from mcp import Client

if not can("dotnet") or not build():
    skip("the first screen answers", "there is no .NET with a compiler")
    finish()
client = Client(".")
for fault in FAULTS:
    check(f"{fault}: {fault.method} is in the first rows and on the hot path",
          lambda: answers_once(fault))
    check(f"{fault}: the first screen says why", says_why, fault, profile_of(fault))
    check(f"{fault}: three calls give an assistant the id, file and line of {fault.method}",
          leads, client, fault, "dotnet")
    # Each second one: a program is run three times for this.
    if FULL or FAULTS.index(fault) % 2 == 0:
        check(f"{fault}: a price of 10 % is kept, and half of it is spent where that can be", spends, fault, 10)
for fault in fixed():
    check(f"{fault}: one comparison with the program before gives those of {fault.method}",
          compares, client, fault, "dotnet")
client.close()
finish()
