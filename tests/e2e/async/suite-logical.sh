#!/usr/bin/env bash
# A call stands where it was asked for: the logical call tree of async methods is the one that stands in the fixture,
# drawn by hand, on Mono and .NET, in optimised and debug builds; and no figure of a report contradicts another.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/trees.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
ready || { skip "the logical tree is the one drawn by hand" "no mono or no mcs"; finish; }
source=$fixtures/Logical.cs marks='='

# In the physical order slices stand below what completed their awaits.
ran_within() { # PROFILE
    shown "$1" --physical | grep -v Gate >"$SCRATCH/physical" && ! diff -q <(drawn) "$SCRATCH/physical" >/dev/null
}
# Without this the check above would prove nothing: figures of a sound report are changed, one at a time.
contradiction_is_told() { # PROFILE
    local kind
    "$ILINJECT" report --json -o "$SCRATCH/sound.json" "$1" || return 1
    "$ROOT/tests/consistent" "$SCRATCH/sound.json" || return 1
    for kind in callees own average longest ways; do
        python3 - "$SCRATCH/sound.json" "$SCRATCH/$kind.json" $kind <<'END' || return 1
import json, sys
source, target, kind = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    report = json.load(file)
if kind == "callees":
    trees = (thread["tree"] for thread in report["threads"])
    tree, callee = next((tree, node) for tree in trees for node in tree if node["depth"] == 2)
    callee["inclusive_ns"] += 1000 * max(node["inclusive_ns"] for node in tree)
elif kind == "own":
    report["functions"][0]["exclusive_ns"] = report["functions"][0]["inclusive_ns"] + 2
elif kind == "average":
    f = next(f for f in report["functions"] if f["min_ns"] is not None and f["calls"] and not f["open"])
    f["average_ns"] = f["max_ns"] + 10**12
elif kind == "longest":
    f = next(f for f in report["functions"] if f["min_ns"] is not None and f["p99_ns"] is None)
    f["max_ns"] = f["inclusive_ns"] + 2
else:
    report["totals"]["open"] += 1
with open(target, "w", encoding="utf-8") as file:
    json.dump(report, file)
END
        "$ROOT/tests/consistent" "$SCRATCH/$kind.json" >"$SCRATCH/told.txt"
        [ $? -eq 1 ] && [ "$(wc -l <"$SCRATCH/told.txt")" -eq 1 ] ||
            { echo "$kind:"; cat "$SCRATCH/told.txt"; return 1; }
    done
}
# So of texts: a share, a row's own time, and an average that is not the JSON's.
contradiction_of_text_is_told() { # PROFILE
    local json=$SCRATCH/sound.json text=$SCRATCH/sound.txt false=$SCRATCH/false.txt line head='Calls  Inclusive  Exclusive    Average  Function'
    "$ILINJECT" report --json -o "$json" "$1" && "$ILINJECT" report -q --width=0 --view=functions --columns=calls,inclusive,exclusive,average -o "$text" "$1" &&
        "$ROOT/tests/consistent" "$json" "$text" || return 1
    for line in 'Tracker  its start took 3 ms, 190.9 % of the processor time' '    9    1.00 ms    1.20 ms    1.00 ms  Nobody()' \
        '    9    1.00 ms     800 µs       1 ns  Logical.Main()'; do
        printf '%s\n' "$head" "$line" >"$false"
        "$ROOT/tests/consistent" "$json" "$false" >"$SCRATCH/told.txt"
        [ $? -eq 1 ] && [ "$(wc -l <"$SCRATCH/told.txt")" -eq 1 ] || { echo "$line:"; cat "$SCRATCH/told.txt"; return 1; }
    done
}
ways() { # NAME RUNTIME FILE
    tree_of "$@"
    check "the physical tree of $1 is another one" ran_within "$SCRATCH/said/$1.$2.ilprof"
}

# Calls past the setting nodes are folded: the tree knows only their own time; so are slices.
folded() { # NAME RUNTIME FILE
    ILINJECT_NODES=12 run_program "$1-folded" "$2" "$SCRATCH/after/$1-guarded-paths/$(basename "$3")"
    grep -q '(folded' <("$ILINJECT" report --format=calltree --width=0 --color=never "$SCRATCH/said/$1-folded.$2.ilprof") &&
        consistent "$SCRATCH/said/$1-folded.$2.ilprof"
}

check "the fixture compiles with mcs" by_mcs Logical "$source"
ways Logical mono "$before/Logical.exe"
check "a report of folded calls does not contradict itself (mono)" folded Logical mono "$before/Logical.exe"
check "a report whose figures were changed contradicts itself" contradiction_is_told "$SCRATCH/said/Logical.mono.ilprof"
check "so does a text" contradiction_of_text_is_told "$SCRATCH/said/Logical.mono.ilprof"
# Further shapes that compilers make: value tasks, iterators and async iterators, the order of ends, a pool without threads; on .NET pooled
# builders and channels.
source=$fixtures/LogicalMore.cs
if can mono && by_csc_for_mono LogicalMoreMono -langversion:latest -optimize "$source" 2>/dev/null; then
    ways LogicalMoreMono mono "$before/LogicalMoreMono.exe"
else
    skip "the logical tree of more shapes is the one drawn by hand on Mono" "no csc, or a Mono without async iterators"
fi
if ! can dotnet || ! by_csc LogicalCore -optimize "$fixtures/Logical.cs"; then
    skip "the logical tree is the one drawn by hand on CoreCLR" "no .NET SDK"
    finish
fi
marks='=+'
for name in LogicalMoreCore LogicalMoreDebug; do
    options=()
    [ $name = LogicalMoreDebug ] || options=(-optimize)
    check "$name compiles" by_csc $name "${options[@]}" "$source"
    ways $name dotnet "$before/$name.dll"
done
source=$fixtures/Logical.cs marks='='
ways LogicalCore dotnet "$before/LogicalCore.dll"
check "a report of folded calls does not contradict itself (dotnet)" folded LogicalCore dotnet "$before/LogicalCore.dll"
check "a debug build compiles" by_csc LogicalDebug "$source"
ways LogicalDebug dotnet "$before/LogicalDebug.dll"
# Methods that the runtime suspends have no state machines.
if "$ROOT/tests/dotnet-csc" "$before/LogicalRuntime.dll" -optimize -features:runtime-async=on -nowarn:SYSLIB5007,1998 -define:CSC,DOTNET "$source" >/dev/null 2>&1 &&
    DOTNET_RuntimeAsync=1 dotnet "$before/LogicalRuntime.dll" 2>/dev/null | grep -qx done; then
    export DOTNET_RuntimeAsync=1
    ways LogicalRuntime dotnet "$before/LogicalRuntime.dll"
    unset DOTNET_RuntimeAsync
else
    skip "the logical tree of runtime-async methods is the one drawn by hand" "this compiler or runtime has none"
fi
finish
