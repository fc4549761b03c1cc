#!/usr/bin/env -S python3 -B
# What `ilinject mcp` answers leads to the fault of each of the ten programs, on Mono; suite-answers.py asks the same of
# the profiles that .NET leaves. Of those that are not compared, each second one is asked about in check-full alone.
import sys
sys.path.insert(1, sys.path[0] + "/..")
from kit import FULL, can, check, finish, skip
from faults import FAULTS, build, record
from assistant import compares, fixed, leads
from mcp import Client

chosen = [f for i, f in enumerate(FAULTS) if FULL or i % 2 == 0 or f in fixed()]
if not can("mono") or not build("mono", chosen):
    skip("an assistant finds the fault", "Mono is not installed, or has no compiler")
    finish()
client = Client(".")


def recorded(fault):
    record(fault, "mono", env=fault.env)
    leads(client, fault, "mono")


for fault in chosen:
    check(f"{fault}: three calls give an assistant the id, file and line of {fault.method}", recorded, fault)
for fault in fixed():
    check(f"{fault}: one comparison with the program before gives those of {fault.method}", compares, client, fault,
          "mono")
client.close()
finish()
