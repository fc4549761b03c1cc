#!/usr/bin/env -S python3 -B
# The first screen of a report answers: of ten programs with a planted fault each, the method that is to blame stands
# in the first three rows and on the hot path, with the sign that says why. At a price it is that one, or the one that
# the screen says has its time, and the price is spent. The same profiles lead an assistant to the method.
import sys
sys.path.insert(1, sys.path[0] + "/..")
from kit import FULL, can, check, finish, report, skip, true
from busy import busy
from faults import FAULTS, answers_once, build, once, profile_of, record, says_why, spends
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


def gets_none_of_pauses(fault, trifle):
    """A method is called where a thread's time is read, and so loses its processor; it does next to nothing itself.
    One long pause may well fall into it."""
    with busy():
        said = report(record(fault))
    own = {f["name"]: f["exclusive_ns"] for f in said["functions"]}
    part, most = (sum(ns for name, ns in own.items() if wanted in name) / sum(own.values())
                  for wanted in (trifle, fault.method))
    true(part < 0.02 and most > 0.4, f"{trifle} has {part:.1%}, {fault.method} {most:.1%} of {own}")


check("beside busy loops no time of the work before it goes to a method that does nothing",
      once, gets_none_of_pauses, next(f for f in FAULTS if f.name == "HotLeaf"), "Suggest.Count")
finish()
