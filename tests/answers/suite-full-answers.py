#!/usr/bin/env -S python3 -B
# level: full
# The ten programs of suite-answers.py at a price of 10 %, on Mono, and as pages in a browser.
import sys
sys.path.insert(1, sys.path[0] + "/..")
import browser
from kit import can, check, finish, ilinject, scratch, skip, true
from faults import FAULTS, alike, build, has, profile_of


def in_sight(window, fault):
    """A frame has its name, it is one of three that are said to take most, and where there is room for rows one of
    the first."""
    page = scratch() / f"{fault}.html"
    ilinject("report -q --html", page, profile_of(fault))
    seen = window.seen(page)
    true(has("\n".join(seen["frames"]), [fault.method]), f"no frame: {seen}")
    true(has(seen["most"], [fault.method]), f"it is not said to take most: {seen}")
    true(len(seen["rows"]) < 3 or has("\n".join(seen["rows"][:3]), [fault.method]), f"not in the first rows: {seen}")


for runtime in ("dotnet", "mono"):
    if not can(runtime) or not build(runtime):
        skip(f"{runtime}: the first screen answers", "there is no such runtime with a compiler")
        continue
    alike(runtime, "quiet")
    if runtime == "dotnet":
        if browser.can():
            with browser.browser() as window:
                for fault in FAULTS:
                    check(f"{fault}: the first view of the page has it", in_sight, window, fault)
        else:
            skip("the first view of the page", "chromium and chromium-driver are not both there")
        alike(runtime, "10 %", price="10")
finish()
