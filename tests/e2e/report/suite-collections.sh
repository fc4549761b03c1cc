#!/usr/bin/env bash
# The garbage collections that come while methods run, and their pauses (the setting collections): as often as the source says
# (tests/e2e/lib/Collected.cs), and as the program itself reads them.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
. "$(dirname "$0")/../lib/ways.sh"
if ! ready; then
    skip "methods have the collections that come while they run" "no mono or no mcs"
    finish
fi
source=$ROOT/tests/e2e/lib/Collected.cs file=$before/Collected.exe
report() { "$ILINJECT" report --format=json -o "$SCRATCH/report.json" "$@"; }

# Calls, collections of the own code, and with all that is called, counted in the source. A collection on another thread is one of whoever
# waits for that, too.
cat >"$SCRATCH/by-hand" <<'LINES'
Nothing   2 0 0
Once      5 5 5
Young     1 1 1
Twice     1 2 2
Calls     1 1 3
Grows     1 1 1
Deep      1 0 5
Down      5 5 5
Throws    1 1 1
Catches   1 1 3
Numbers   1 2 2
Iterates  1 0 2
Slices    1 3 4
OnThread  2 2 2
Waits     1 2 2
Measured  1 0 24
LINES

cat >"$SCRATCH/collected.py" <<'CODE'
import json


def read(name):
    with open(name, encoding="utf-8") as file:
        report = json.load(file)
    functions = {f["method"].split("(")[0]: f for f in report["functions"]}
    kinds = ["collections"] + (["pause_ns"] if "exclusive_pause_ns" in report["totals"] else [])
    for kind in kinds:
        own = sum(f["exclusive_" + kind] for f in report["functions"])
        roots = sum(t["tree"][0]["inclusive_" + kind] for t in report["threads"])
        nodes = sum(n["exclusive_" + kind] for t in report["threads"] for n in t["tree"])
        if not own == roots == nodes == report["totals"]["exclusive_" + kind]:
            raise SystemExit(f"{kind}: functions {own}, roots {roots}, nodes {nodes}, all {report['totals']}")
    return functions, report["totals"]
CODE
export PYTHONPATH=$SCRATCH PYTHONDONTWRITEBYTECODE=1

# Where an exception leaves a method unseen, its frame ends with the next call of a method below.
by_hand() { # PROFILE SHAPE
    report "$1" && python3 - "$SCRATCH/report.json" "$SCRATCH/by-hand" "$2" <<'CODE'
import sys
import collected
functions, totals = collected.read(sys.argv[1])
bad = 0
with open(sys.argv[2], encoding="utf-8") as file:
    for name, *expected in map(str.split, file):
        if sys.argv[3] == "ret" and name in ("Throws", "Catches"):
            continue
        f = functions[name]
        found = [f["calls"], f["exclusive_collections"], f["inclusive_collections"]]
        if found != [int(number) for number in expected]:
            bad = print(f"{name}: {found}, expected {expected}") or 1
# The others' alone: OnThread has its own, and Main has none.
if totals["exclusive_collections"] != 24 + 2:
    bad = print(f"{totals['exclusive_collections']} in all") or 1
sys.exit(bad)
CODE
}
# The program's own readings of the run that is reported: none of it is lost, and nothing comes from elsewhere.
by_itself() { # PROFILE SAID RUNTIME
    report "$1" && python3 - "$SCRATCH/report.json" "$2" "$3" <<'CODE'
import sys
import collected
functions, totals = collected.read(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as file:
    count, pause = map(int, file.read().split())
measured = functions["Measured"]
if measured["inclusive_collections"] != count:
    sys.exit(f"{measured['inclusive_collections']} collections, the program says {count}")
if (pause < 0) != (sys.argv[3] != "dotnet"):
    sys.exit(f"{sys.argv[3]} tells a pause of {pause} ns")
if pause < 0:
    sys.exit("exclusive_pause_ns" in totals)
# The runtime counts tenths of microseconds.
if abs(measured["inclusive_pause_ns"] - pause) > 100 or not 0 < functions["Once"]["exclusive_pause_ns"] < pause:
    sys.exit(f"{measured['inclusive_pause_ns']} ns, the program says {pause}")
CODE
}
# Runs the program with settings; its report is report.json.
run_with() { # NAME RUNTIME FILE WORD [NAME=VALUE…]
    local name=$1 runtime=$2 file=$3 word=$4
    shift 4
    (
        for pair in "$@"; do export "${pair?}"; done
        # shellcheck disable=SC2086
        run_program "$name" "$runtime" "$file" $word
    )
    [ "$(cat "$SCRATCH/said/$name.$runtime.code")" = 0 ] && report "$SCRATCH/said/$name.$runtime.ilprof"
}
say='import sys, collected; functions, totals = collected.read(sys.argv[1]); print(totals["exclusive_collections"], functions["Measured"]["inclusive_collections"])'
quiet() { # FILE RUNTIME
    run_with quiet "$2" "$1" quiet && python3 -c '
import sys, collected
functions, totals = collected.read(sys.argv[1])
sys.exit(totals["exclusive_collections"] != 0 or functions["Idle"]["calls"] != 501)' "$SCRATCH/report.json"
}
# Folded calls stand in the sums of their callers.
however() { # FILE RUNTIME
    local way said
    for way in ILINJECT_HISTOGRAM=1 ILINJECT_TIMELINE=1 ILINJECT_CLOCK=none ILINJECT_CLOCK=coarse ILINJECT_RECURSION=3 ILINJECT_NODES=9 ILINJECT_ALLOC=bytes; do
        run_with however "$2" "$1" "" $way && said=$(python3 -c "$say" "$SCRATCH/report.json") || return 1
        [ "$said" = "26 24" ] || { echo "$way: $said"; return 1; }
    done
}
# With both figures, bytes are what they are alone: every method's own. Main and Throws are left out: in one run of ten, with either figure,
# Mono itself allocates 48 bytes more at the program's start, or at its first exception.
beside_bytes() { # FILE RUNTIME
    run_with bytes "$2" "$1" "" ILINJECT_ALLOC=bytes ILINJECT_COLLECTIONS=0 &&
        cp "$SCRATCH/report.json" "$SCRATCH/alone.json" &&
        run_with both "$2" "$1" "" ILINJECT_ALLOC=bytes && python3 - "$SCRATCH/report.json" "$SCRATCH/alone.json" <<'CODE'
import json
import sys
import collected
functions, totals = collected.read(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as file:
    alone = {f["method"].split("(")[0]: f for f in json.load(file)["functions"]}


def bytes_of(functions):
    return {name: f["exclusive_bytes"] for name, f in functions.items() if name not in ("Throws", "Main")}


both, own = bytes_of(functions), bytes_of(alone)
if totals["exclusive_collections"] != 26 or both != own or sum(own.values()) < 1000 or own["Down"] != 0 or min(functions["Throws"]["exclusive_bytes"], alone["Throws"]["exclusive_bytes"]) < 100:
    sys.exit(f"{totals}: {both} bytes, {own} alone")
CODE
}
# The calls that are left have what came in all of them, but for those of other threads. Those that an exception left, and slices, are kept.
taken_back() { # FILE RUNTIME
    run_with longer "$2" "$1" "" ILINJECT_LONGER=3600s && python3 - "$SCRATCH/report.json" <<'CODE'
import sys
import collected
functions, totals = collected.read(sys.argv[1])
if "Once" in functions or not totals["exclusive_collections"] == functions["Measured"]["inclusive_collections"] == 24 or functions["Measured"]["exclusive_collections"] < 15:
    sys.exit(f"{totals}: {sorted(functions)}")
CODE
}
not_while_stopped() { # FILE RUNTIME
    run_with stopped "$2" "$1" "" ILINJECT_START=Collected.Twice ILINJECT_STOP=Collected.Twice && python3 - "$SCRATCH/report.json" <<'CODE'
import sys
import collected
functions, totals = collected.read(sys.argv[1])
if sorted(functions) != ["Nothing", "Twice"] or totals["exclusive_collections"] != 2:
    sys.exit(f"{totals}: {sorted(functions)}")
CODE
}
in_the_text() { # PROFILE RUNTIME
    local text=$SCRATCH/text pauses=', [0-9.]* .s of pauses' columns='Collections  Incl. pause  *Pause'
    if [ "$2" != dotnet ]; then pauses='' columns=Collections; fi
    "$ILINJECT" report --color=never --width=200 --sort=collections --top=3 -o "$text" "$1" &&
        grep -q "^Garbage  26 collections while calls ran$pauses: [0-9.]* % in Collected\." "$text" &&
        grep -A 2 "Incl. collections  $columns .*Function\$" "$text" | tail -n 2 | grep -q '^ *5  .* 5  *5 .*Collected.\(Once()\|Down(int)\)$' &&
        "$ILINJECT" report --format=calltree -o "$text.tree" "$1" && grep -q "^ *Calls  Incl. collections  $columns .*Call tree\$" "$text.tree" &&
        grep -q '^ *1  *3  *1 .*  Collected.Calls()$' "$text.tree" && grep -A 2 'Collected.Calls()$' "$text.tree" | grep -q '^ *2  *2  *2 .*  Collected.Once()$' &&
        "$ILINJECT" report --view=functions --columns=inclusive-collections,collections --sort=name "$1" | grep -q '^ *3  *1  Collected.Calls()$' ||
        { cat "$text"; return 1; }
}
exported() { # PROFILE RUNTIME
    local columns=exclusive_collections,inclusive_collections,exclusive_pause_ns,inclusive_pause_ns values=',1,3,[0-9]*,[0-9]*'
    if [ "$2" != dotnet ]; then columns=${columns%,*_pause*,*} values=,1,3; fi
    "$ILINJECT" report --format=csv "$1" | tr -d '\r' >"$SCRATCH/csv"
    head -n 1 "$SCRATCH/csv" | grep -q ",waiting_ns,$columns\$" && grep '"Collected.Calls()"' "$SCRATCH/csv" | grep -q "[0-9]$values\$" || { cat "$SCRATCH/csv"; return 1; }
}
# Stacks add up to all of them; other tools read events and profiles of them beside those of time.
other_tools() { # PROFILE RUNTIME
    local events=' collections pause' stacks
    if [ "$2" != dotnet ]; then events=' collections'; fi
    stacks=$("$ILINJECT" report --format=collapsed --weight=collections "$1" | awk '{ sum += $NF } END { print sum }') && [ "$stacks" = 26 ] || return 1
    "$ILINJECT" report --format=callgrind -o "$SCRATCH/callgrind" "$1" && grep -q "^events: exclusive_ns exceptions$events\$" "$SCRATCH/callgrind" &&
        grep -q '^summary: [0-9]* [0-9]* 26' "$SCRATCH/callgrind" || return 1
    if has callgrind_annotate; then
        callgrind_annotate --auto=no --sort=collections --show=collections --threshold=100 --inclusive=yes "$SCRATCH/callgrind" | grep -q '^ *3 ([0-9. ]*%) .*Collected.Calls()' || return 1
    fi
    "$ILINJECT" report --format=speedscope "$1" | python3 -c '
import json, sys
profiles = [p for p in json.load(sys.stdin)["profiles"] if p["name"].endswith(": garbage collections meanwhile")]
sys.exit(len(profiles) != 2 or sum(p["endValue"] for p in profiles) != 26)' &&
        "$ILINJECT" report --format=pprof "$1" | gzip -dc | grep -q -a collections
}
# The page's own code makes graphs of what stands in the page.
in_the_page() { # PROFILE
    "$ILINJECT" report "$1" --html "$SCRATCH/page.html" && cat >"$SCRATCH/page.js" <<'CODE'
const fs = require('fs'), vm = require('vm');
const data = JSON.parse(fs.readFileSync(process.argv[2], 'utf8').match(/<script[^>]*id="profile"[^>]*>([^]*?)<\/script>/)[1]);
vm.runInThisContext(fs.readFileSync(process.argv[3], 'utf8') + '; this.of = { makeFunctions, makeTree };');
const now = data.profile, { functions } = of.makeFunctions(now, null);
for (const figure of ['collections', ...(now.totals.pause === undefined ? [] : ['pause'])]) {
  const { root, all } = of.makeTree(now, null, functions, [], -1, false, figure);
  const calls = all.find(frame => frame.name === 'Collected.Calls()');
  if (root.total !== now.totals[figure] || calls.total !== functions[calls.function.position]['all_' + figure])
    throw new Error(`${figure}: ${root.total} of ${now.totals[figure]}, ${calls.total}`);
  if (figure === 'collections' && (root.total !== 26 || calls.total !== 3 || calls.own !== 1)) throw new Error(`${root.total}, ${calls.total}`);
}
CODE
    node "$SCRATCH/page.js" "$SCRATCH/page.html" "$ROOT/src/report/page/model.js"
}
merged() { # PROFILE
    "$ILINJECT" merge -q -o "$SCRATCH/merged.ilprof" "$1" "$1" && "$ILINJECT" merge -q -o "$SCRATCH/again.ilprof" "$SCRATCH/merged.ilprof" "$1" &&
        report "$SCRATCH/merged.ilprof" && [ "$(python3 -c "$say" "$SCRATCH/report.json")" = "52 48" ] &&
        report "$SCRATCH/again.ilprof" && [ "$(python3 -c "$say" "$SCRATCH/report.json")" = "78 72" ]
}
# One method collects twice instead of once.
gated() { # PROFILE MORE
    local said=$SCRATCH/gate
    "$ILINJECT" diff --fail-if 'Collected.Grows: collections > +1' --fail-if 'Collected.Once: collections > +0' "$1" "$2" >"$said" 2>&1 || { cat "$said"; return 1; }
    "$ILINJECT" diff --fail-if 'Collected.Grows: collections > +50%' "$1" "$2" >"$said" 2>&1 && return 1
    grep -q 'Collected.Grows(): 1 -> 2 (+100 %): Collected.Grows: collections > +50%' "$said" && grep -q '^Total .*, collections 26 -> 27 ' "$said" || { cat "$said"; return 1; }
    "$ILINJECT" diff --fail-if 'Collected.Measured: inclusive-collections > 24' "$1" "$2" >/dev/null 2>&1 && return 1
    "$ILINJECT" diff --format=json "$1" "$2" | python3 -c '
import json, sys
methods = {m["name"]: m for m in json.load(sys.stdin)["methods"]}
grows, measured = methods["Collected.Grows()"]["exclusive_collections"], methods["Collected.Measured()"]["inclusive_collections"]
sys.exit(not (grows["verdict"] == "more" and grows["before"] == 1 and measured["after"] == 25))'
}
# A limit of a pause is a time.
gated_pause() { # PROFILE RUNTIME
    local said=$SCRATCH/gate
    if [ "$2" != dotnet ]; then
        "$ILINJECT" diff --fail-if 'Collected.Once: pause > 1h' "$1" "$1" >/dev/null 2>&1 && return 1
        "$ILINJECT" diff --fail-if 'Collected.Once: pause > 1s' "$1" "$1" >"$said" 2>&1 && return 1
        grep -q 'some run has not counted the pauses of collections (--set collections=1, on .NET 7 or later), so none are judged' "$said"
        return
    fi
    "$ILINJECT" diff --fail-if 'Collected.Once: pause > 100 s' "$1" "$1" >/dev/null &&
        ! "$ILINJECT" diff --fail-if 'Collected.Once: pause > 100 ns' "$1" "$1" >"$said" 2>&1 && grep -q 'Collected.Once(): [0-9.]* .s -> [0-9.]* .s ' "$said" &&
        ! "$ILINJECT" diff --fail-if 'Collected.Once: pause > 100' "$1" "$1" >/dev/null 2>"$said" && grep -q 'expected a time with its unit' "$said"
}
uncounted_gate() { # PROFILE WITHOUT
    "$ILINJECT" diff --fail-if 'Collected.**: collections > +4' "$1" "$2" >"$SCRATCH/gate" 2>&1 && return 1
    grep -q 'some run has not counted collections (--set collections=1), so none are judged' "$SCRATCH/gate"
}
# Nothing is in the profile, and nothing is said.
unasked() { # FILE RUNTIME
    local profile=$SCRATCH/said/unasked.$2.ilprof
    run_with unasked "$2" "$1" "" ILINJECT_COLLECTIONS=0 && ! grep -q -a -e COLL -e PAUS -e collections_ -e pauses_ "$profile" &&
        ! grep -q -e _collections -e _pause "$SCRATCH/report.json" && "$ILINJECT" report --color=never "$profile" >"$SCRATCH/text" &&
        ! grep -q -e '^Garbage' -e 'Incl. coll' "$SCRATCH/text" && "$ILINJECT" report --format=csv "$profile" | head -n 1 | tr -d '\r' | grep -q ',waiting_ns$'
}

check "the program compiles" by_mcs Collected -optimize+ "$source"
made() { # FOLDER OPTIONS…
    local to=$SCRATCH/after/$1
    shift
    mkdir -p "$to" && "$ILINJECT" -q "$file" -o "$to/" --set collections=1 "$@" && if can dotnet; then runtimeconfig "$to/Collected.exe"; fi
}
for shape in guarded-paths guarded-full ret; do
    # shellcheck disable=SC2046
    check "it is instrumented to count, $shape" made $shape $(options_of $shape)
done
of_runtime() {
    can "$runtime" || { skip "methods have the collections that come while they run on $runtime" "$runtime is not installed"; return; }
    local shape profile measured=$SCRATCH/after/guarded-paths/Collected.exe
    for shape in guarded-paths guarded-full ret; do
        profile=$SCRATCH/said/$shape.$runtime.ilprof
        run_program $shape "$runtime" "$SCRATCH/after/$shape/Collected.exe"
        check "$runtime, $shape: collections are those of the source" by_hand "$profile" $shape
        check "$runtime, $shape: collections and pauses are those that the program has read" by_itself "$profile" "$SCRATCH/said/$shape.$runtime.out" "$runtime"
    done
    profile=$SCRATCH/said/guarded-paths.$runtime.ilprof
    check "$runtime: the report agrees with itself" profile_agrees "$profile"
    check "$runtime: a program that does not collect has none" quiet "$measured" "$runtime"
    check "$runtime: the same collections however calls are recorded" however "$measured" "$runtime"
    check "$runtime: bytes are counted beside them" beside_bytes "$measured" "$runtime"
    check "$runtime: collections of calls that were taken back are their callers'" taken_back "$measured" "$runtime"
    check "$runtime: none are counted while nothing is recorded" not_while_stopped "$measured" "$runtime"
    check "$runtime: the table and the tree say them" in_the_text "$profile" "$runtime"
    check "$runtime: the table of values has them" exported "$profile" "$runtime"
    check "$runtime: other tools' formats have them" other_tools "$profile" "$runtime"
    if has node; then
        check "$runtime: the page's graph has them" in_the_page "$profile"
    else
        skip "$runtime: the page's graph has them" "no node"
    fi
    check "$runtime: merged runs have those of all" merged "$profile"
    run_program more "$runtime" "$measured" more
    check "$runtime: a build can be failed on them" gated "$profile" "$SCRATCH/said/more.$runtime.ilprof"
    check "$runtime: or on their pauses, where these are known" gated_pause "$profile" "$runtime"
    check "$runtime: nothing is counted where nobody asks" unasked "$measured" "$runtime"
    check "$runtime: a gate on collections fails where they were not counted" uncounted_gate "$profile" "$SCRATCH/said/unasked.$runtime.ilprof"
}
halves of_runtime
finish
