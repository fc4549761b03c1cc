#!/usr/bin/env -S python3 -B
# level: full
"""The large jobs of tests/bench/cost.tsv: 7 MB of IL, 15.6 MB with native code."""
import subprocess
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from cost import cannot, copied, jobs
from kit import ROOT, finish, has, skip

reason = cannot() or (None if has("dotnet") else "no .NET")
if reason:
    skip("large jobs cost no more than they did", reason)
    finish()


def said(*line):
    return subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()


# Each is asked for by its size, too: a later version counts otherwise.
compiler = "Microsoft.CodeAnalysis.CSharp"
packages = said(ROOT / "tests/nuget-fetch", f"{compiler}/4.14.0")
copied((f"{packages}/{compiler.lower()}/4.14.0/lib/netstandard2.0/{compiler}.dll", 7154440), f"{compiler}.dll")
for runtime in said("dotnet", "--list-runtimes").splitlines():
    name, version, folder = runtime.split(" ", 2)
    if name == "Microsoft.NETCore.App":
        core = f"{folder.strip('[]')}/{version}/System.Private.CoreLib.dll"
        copied((core, 15576872), "System.Private.CoreLib.dll")
jobs("full")
finish()
