#!/usr/bin/env bash
# Later slices stand below the very call that they belong to, whatever made it: of async void methods,
# of builders that cannot be asked for a task, and of methods that several plain ones call. The tree is
# the one that stands in the fixture, drawn by hand; on Mono, and on .NET in optimised and debug builds.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/trees.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
ready || { skip "async void methods that are called from several places" "no mono or no mcs"; finish; }
source=$fixtures/LogicalVoid.cs

# No slice lacks its call, and plain methods on the way are none of the async ones.
all_are_known() { # PROFILE
    "$ILINJECT" report --json -o "$SCRATCH/void.json" "$1" && python3 - "$SCRATCH/void.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
names = {report["functions"][m["function"]]["name"] for m in report["async"]}
assert names >= {"Void.Fire(Gate, Gate)", "Void.Inner(Gate)"}, names
assert not any(name.startswith(("Void.Left(", "Void.Middle(", "Void.By(", "Void.FromTwo(")) for name in names), names
assert all(m["unlinked"] == 0 and m["open"] == 0 for m in report["async"]), report["async"]
END
}
fire() { # NAME RUNTIME FILE
    tree_of "$@"
    check "each slice of $1 has its call" all_are_known "$SCRATCH/said/$1.$2.ilprof"
}

marks='='
check "the fixture compiles with mcs" by_mcs LogicalVoid "$source"
fire LogicalVoid mono "$before/LogicalVoid.exe"
marks='=+'
if can dotnet && by_csc LogicalVoidCore -optimize "$source" && by_csc LogicalVoidDebug "$source"; then
    fire LogicalVoidCore dotnet "$before/LogicalVoidCore.dll"
    fire LogicalVoidDebug dotnet "$before/LogicalVoidDebug.dll"
else
    skip "async void methods that are called from several places, on CoreCLR" "no .NET SDK"
fi
finish
