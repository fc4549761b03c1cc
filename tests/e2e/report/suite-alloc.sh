#!/usr/bin/env bash
# The bytes that methods allocate: sizes that follow from the layout of objects, and the program's own readings of the
# runtime's count (tests/e2e/lib/cs/Allocs.cs). None of it is the tracker's.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
if ! ready; then
    skip "methods have the bytes that they allocate" "no mono or no mcs"
    finish
fi
source=$ROOT/tests/e2e/lib/cs/Allocs.cs file=$before/Allocs.exe
report() { "$ILINJECT" report --format=json -o "$SCRATCH/report.json" "$@"; }

# Bytes with all that is called, on 64 bits: on .NET, then on Mono. An object has 8 bytes before it and 8 for its method table, then
# its fields, the widest first, rounded up to 8; on .NET it has 24 at least. An array has 24 before its elements on .NET, 32 on Mono,
# where it has room for bounds; one of rank 2 has 16 more for these. A string has 20, then two for each of its characters and a zero.
# A delegate has 64 on .NET, six words after its head, and 128 on Mono.
cat >"$SCRATCH/sizes" <<'END'
Nothing        0           0
PlainObject    24          16
EmptyClass     24          16
OneByte        24          24
TwoFields      16+8+8      16+8+8
FiveReferences 16+40       16+40
NoBytes        24+0        32+0
OneByteArray   24+8        32+8
HundredBytes   24+104      32+104
TenInts        24+40       32+40
ThreeObjects   24+24       32+24
FivePairs      24+5*16     32+5*16
Matrix         24+16+24    32+16+24
Text           20+2*12+4   20+2*12+4
Joined         20+2*13+2   20+2*13+2
BoxedInt       24          24
BoxedPair      16+16       16+16
Closure        24+64       24+128
Params         24+16+24    24+16+32
Generic        24+32       32+32
InFinally      24+8        32+8
Growing        32+40+56    32+48+72
Loop           1000*32     1000*32
Deep           10*32       10*40
Large          24+100000   32+100000
Iterates       16+16       16+16
Grows          24+1000     32+1000
END

# The functions of a report by their methods' names, and what is the same in each report: the parts make up the whole.
cat >"$SCRATCH/alloc.py" <<'END'
import json


def read(name):
    with open(name, encoding="utf-8") as file:
        report = json.load(file)
    functions = {}
    for f in report["functions"]:
        functions.setdefault(f["method"].split("(")[0], f)
        if f["inclusive_bytes"] < f["exclusive_bytes"]:
            raise SystemExit(f"{f['name']}: own bytes {f['exclusive_bytes']} above inclusive {f['inclusive_bytes']}")
    own = sum(f["exclusive_bytes"] for f in report["functions"])
    roots = sum(t["tree"][0]["inclusive_bytes"] for t in report["threads"])
    nodes = sum(n["exclusive_bytes"] for t in report["threads"] for n in t["tree"])
    if not own == roots == nodes == report["totals"]["exclusive_bytes"]:
        raise SystemExit(f"functions {own}, roots {roots}, nodes {nodes}, all {report['totals']['exclusive_bytes']}")
    return functions, report["totals"]["exclusive_bytes"]
END
export PYTHONPATH=$SCRATCH PYTHONDONTWRITEBYTECODE=1

by_hand() { # PROFILE COLUMN
    report "$1" && python3 - "$SCRATCH/report.json" "$SCRATCH/sizes" "$2" <<'END'
import sys
import alloc
functions, _ = alloc.read(sys.argv[1])
bad = 0
with open(sys.argv[2], encoding="utf-8") as file:
    for name, *sizes in map(str.split, file):
        f = functions[name]
        # PlainObject runs on three threads, too, and TwoFields in a loop.
        found, times = f["inclusive_bytes"], {"PlainObject": 4, "TwoFields": 1001}.get(name, 1)
        if found != times * eval(sizes[int(sys.argv[3])]) or f["calls"] != times:
            bad = print(f"{name}: {found} bytes in {f['calls']} calls, expected {sizes}") or 1
for name in "Measured", "Loop", "Catches":
    if functions[name]["exclusive_bytes"] != 0:
        bad = print(f"{name}: {functions[name]['exclusive_bytes']} bytes of its own") or 1
sys.exit(bad)
END
}
# The same from the runtime's count, as the original program reads it around each method: async calls, exceptions and threads, too.
by_itself() { # PROFILE SAID RUNTIME
    report "$1" && python3 - "$SCRATCH/report.json" "$2" "$3" <<'END'
import sys
import alloc
functions, _ = alloc.read(sys.argv[1])
mono = sys.argv[3] == "mono"
told, bad = {}, 0
with open(sys.argv[2], encoding="utf-8") as file:
    for name, size in map(str.split, file):
        told[name] = int(size)
if len(told) != 33:
    sys.exit(f"the program told of {len(told)} methods")
for name, size in told.items():
    found = functions[name]["inclusive_bytes"]
    if name in ("PlainObject", "TwoFields"):
        continue
    # Mono keeps some words for each frame and clause that an exception passes.
    room = 1024 if mono and name in ("Catches", "RunFails") else 0
    if abs(found - size) > room:
        bad = print(f"{name}: {found} bytes, the program says {size}") or 1
# A method on three threads: 100 bytes and an object each, none of it on the thread that started them.
each = 136 + 16 if mono else 128 + 24
if functions["OnThread"]["inclusive_bytes"] != 3 * each:
    bad = print(f"OnThread: {functions['OnThread']['inclusive_bytes']} bytes, expected {3 * each}") or 1
# All slices of an async call are its own, and differ by their arrays from those of one that allocates none.
arrays = 136 + 232 + 336 if mono else 128 + 224 + 328
slices, bare = functions["Slices"]["exclusive_bytes"] / 2, functions["BareSlices"]["exclusive_bytes"]
if slices - bare != arrays or bare <= 0:
    bad = print(f"Slices: {slices} bytes, {bare} without arrays, which have {arrays}") or 1
if any(functions[name]["exclusive_bytes"] != 0 for name in ("RunSlices", "RunBareSlices", "RunOuter", "Pump")):
    bad = print("what starts async calls, and what goes on with them, has some of their bytes") or 1
sys.exit(bad)
END
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
nothing_allocated() { # FILE RUNTIME [NAME=VALUE…]
    local file=$1 runtime=$2
    shift 2
    run_with idle "$runtime" "$file" idle "$@" && python3 - "$SCRATCH/report.json" <<'END'
import sys
import alloc
functions, whole = alloc.read(sys.argv[1])
if whole != 0 or functions["Add"]["calls"] != 61 * 200:
    sys.exit(f"{whole} bytes in a program that allocates none: " + ", ".join(f for f in functions if functions[f]["inclusive_bytes"]))
END
}
say_whole='import sys, alloc; functions, whole = alloc.read(sys.argv[1]); print(whole, functions["Measured"]["inclusive_bytes"])'
several_runs() { # FILE RUNTIME
    local i
    for i in 0 1 2 ${FULL:+3 4 5 6 7 8 9}; do
        run_with "ten$i" "$2" "$1" "" && python3 -c "$say_whole" "$SCRATCH/report.json" || return 1
    done >"$SCRATCH/ten"
    # Whole run, and what was called when each method had been called once. The first doubling of the runtime's table of casts comes on the
    # program's thread or the tracker's: 6,192 bytes.
    sort -n "$SCRATCH/ten" | awk -v runs=$((3 ${FULL:+ + 7})) '{ all[NR] = $1; other += NR > 1 && $2 != called; called = $2 }
        END { print all[1], all[NR], called, other + 0; exit !(NR == runs && all[1] > 100000 && all[NR] - all[1] <= all[1] / 1000 + 8192 && called > 100000 && !other) }'
}
# Folded calls stand in the sums of their callers.
however() { # FILE RUNTIME
    local whole other way
    run_with whole "$2" "$1" "" && whole=$(python3 -c "$say_whole" "$SCRATCH/report.json") || return 1
    for way in ILINJECT_HISTOGRAM=1 ILINJECT_TIMELINE=1 ILINJECT_CLOCK=none ILINJECT_CLOCK=coarse ILINJECT_RECURSION=3 ILINJECT_NODES=20; do
        run_with whole "$2" "$1" "" $way && other=$(python3 -c "$say_whole" "$SCRATCH/report.json") || return 1
        [ "$other" = "$whole" ] || { echo "$way: $other, otherwise $whole"; return 1; }
    done
}
# The calls that are left have all that their thread has allocated; the calls of other threads are taken back, too.
taken_back() { # FILE RUNTIME
    run_with all "$2" "$1" "" && cp "$SCRATCH/report.json" "$SCRATCH/all.json" && run_with longer "$2" "$1" "" ILINJECT_LONGER=3600s &&
        python3 - "$SCRATCH/all.json" "$SCRATCH/report.json" <<'END'
import sys
import alloc
before, whole = alloc.read(sys.argv[1])
functions, kept = alloc.read(sys.argv[2])
if "HundredBytes" in functions or not kept == functions["Measured"]["inclusive_bytes"] == whole - before["OnThread"]["inclusive_bytes"]:
    sys.exit(f"{kept} of {whole} bytes: {sorted(functions)}")
END
}
not_while_stopped() { # FILE RUNTIME
    run_with stopped "$2" "$1" "" ILINJECT_START=Allocs.HundredBytes ILINJECT_STOP=Allocs.HundredBytes && python3 - "$SCRATCH/report.json" "$2" <<'END'
import sys
import alloc
functions, whole = alloc.read(sys.argv[1])
if list(functions) != ["HundredBytes"] or whole != (136 if sys.argv[2] == "mono" else 128):
    sys.exit(f"{whole} bytes of {sorted(functions)}")
END
}
in_the_text() { # PROFILE
    local text=$SCRATCH/text
    "$ILINJECT" report -v --color=never --width=160 --sort=bytes --top=5 -o "$text" "$1" &&
        grep -q '^Bytes    [0-9,]* allocated: [0-9.]* % in Allocs.Large(), [0-9.]* % in Allocs.TwoFields()' "$text" &&
        grep -A 1 'Incl. bytes  *Bytes .*Function$' "$text" | tail -n 1 | grep -q ' 100 kB  *100 kB .*Allocs.Large()$' &&
        sed -n '/Call tree$/,$p' "$text" >"$text.tree" && head -n 1 "$text.tree" | grep -q 'Calls  Incl. bytes  *Bytes ' &&
        grep -q ' 32\.0 kB  .*  Allocs.Loop()$' "$text.tree" && grep -A 1 'Allocs.Loop()$' "$text.tree" | grep -q '32\.0 kB  *32\.0 kB .*  Allocs.TwoFields()$' ||
        { cat "$text"; return 1; }
}
exported() { # PROFILE
    "$ILINJECT" report --format=csv "$1" | tr -d '\r' >"$SCRATCH/csv"
    head -n 1 "$SCRATCH/csv" | grep -q ',waiting_ns,exclusive_bytes,inclusive_bytes,file,line$' && grep '"Allocs.Loop()"' "$SCRATCH/csv" | grep -q ',0,32000,[^,]*,[0-9]*$' &&
        grep '"Allocs.Large()"' "$SCRATCH/csv" | grep -q ',\(1000[23][24]\),\1,[^,]*,[0-9]*$' || { cat "$SCRATCH/csv"; return 1; }
}
# Stacks by bytes add up to all of them; other tools read events and profiles of bytes beside those of time.
other_tools() { # PROFILE
    local whole stacks
    report "$1" && whole=$(python3 -c 'import sys, alloc; print(alloc.read(sys.argv[1])[1])' "$SCRATCH/report.json") &&
        stacks=$("$ILINJECT" report --format=collapsed --weight=bytes "$1" | awk '{ sum += $NF } END { print sum }') && [ "$stacks" = "$whole" ] || return 1
    "$ILINJECT" report --format=callgrind -o "$SCRATCH/callgrind" "$1" && grep -q '^events: exclusive_ns exceptions bytes$' "$SCRATCH/callgrind" &&
        grep -q "^summary: [0-9]* [0-9]* $whole\$" "$SCRATCH/callgrind" || return 1
    if has callgrind_annotate; then
        callgrind_annotate --auto=no --sort=bytes --show=bytes --threshold=100 --inclusive=yes "$SCRATCH/callgrind" | tr -d , | grep -q '^ *32000 ([0-9. ]*%) .*Allocs.Loop()' || return 1
    fi
    "$ILINJECT" report --format=speedscope "$1" | python3 -c '
import json, sys
profiles = [p for p in json.load(sys.stdin)["profiles"] if p["unit"] == "bytes"]
sys.exit(len(profiles) != 2 or sum(p["endValue"] for p in profiles) != int(sys.argv[1]))' "$whole" &&
        "$ILINJECT" report --format=pprof "$1" | gzip -dc | grep -q -a alloc_space || return 1
    ! "$ILINJECT" report --format=json --weight=bytes "$1" >/dev/null 2>"$SCRATCH/refused" && grep -q -- '--weight is for --format=collapsed' "$SCRATCH/refused"
}
# The page's own code makes a graph by bytes of what stands in the page.
in_the_page() { # PROFILE
    "$ILINJECT" report "$1" --html "$SCRATCH/page.html" && cat >"$SCRATCH/page.js" <<'END'
const fs = require('fs'), vm = require('vm');
const data = JSON.parse(fs.readFileSync(process.argv[2], 'utf8').match(/<script[^>]*id="profile"[^>]*>([^]*?)<\/script>/)[1]);
vm.runInThisContext(fs.readFileSync(process.argv[3], 'utf8') + '; this.of = { makeFunctions, makeTree };');
const now = data.profile, { functions } = of.makeFunctions(now, null);
const graph = measure => of.makeTree(now, null, functions, [], -1, false, measure);
const loop = graph('bytes').all.find(frame => frame.name === 'Allocs.Loop()'), time = graph('exclusive').root.total;
if (graph('bytes').root.total !== now.totals.bytes || loop.total !== 32000 || loop.own !== 0 || functions[loop.function.position].all_bytes !== 32000)
  throw new Error(`${graph('bytes').root.total} of ${now.totals.bytes} bytes, ${loop.total} in the loop`);
if (time !== now.totals.exclusive) throw new Error(`${time} of ${now.totals.exclusive} ns`);
END
    node "$SCRATCH/page.js" "$SCRATCH/page.html" "$ROOT/src/report/page/model.js"
}
# Two runs together allocate as much as each of them, and a merged profile can be merged again. (It does not keep where later slices of
# async calls belong.)
merged() { # PROFILE
    "$ILINJECT" merge -q -o "$SCRATCH/merged.ilprof" "$1" "$1" && "$ILINJECT" merge -q -o "$SCRATCH/again.ilprof" "$SCRATCH/merged.ilprof" "$1" &&
        report "$1" && cp "$SCRATCH/report.json" "$SCRATCH/one.json" && report "$SCRATCH/merged.ilprof" && cp "$SCRATCH/report.json" "$SCRATCH/two.json" &&
        report "$SCRATCH/again.ilprof" && python3 - "$SCRATCH/one.json" "$SCRATCH/two.json" "$SCRATCH/report.json" <<'END'
import sys
import alloc
one, two, three = (alloc.read(name) for name in sys.argv[1:])
if not 0 < 2 * one[1] == two[1] or three[1] != 3 * one[1]:
    sys.exit(f"{one[1]}, {two[1]} and {three[1]} bytes")
for name, f in one[0].items():
    asynchronous = name.startswith("Run") or f["machine"] == "async"
    if any(2 * f[of] != two[0][name][of] for of in ("inclusive_bytes", "exclusive_bytes")[asynchronous:]):
        sys.exit(f"{name}: {f}, {two[0][name]}")
END
}
# One method allocates 32 bytes more, of 1,024 or 1,032: 3.1 %.
gated() { # PROFILE GROWN
    local said=$SCRATCH/gate
    "$ILINJECT" diff --fail-if 'Allocs.Grows: bytes > +4%' --fail-if 'Allocs.*: bytes > +32' "$1" "$2" >"$said" 2>&1 || { cat "$said"; return 1; }
    "$ILINJECT" diff --fail-if 'Allocs.Grows: bytes > +3%' "$1" "$2" >"$said" 2>&1 && return 1
    grep -q 'Allocs.Grows(): 1,0[23][24] -> 1,0[56][64] (+3.1 %): Allocs.Grows: bytes > +3%' "$said" || { cat "$said"; return 1; }
    "$ILINJECT" diff --fail-if 'Allocs.Measured: inclusive-bytes > +31' "$1" "$2" >/dev/null 2>&1 && return 1
    "$ILINJECT" diff --fail-if 'Allocs.Grows: bytes > 1.05 kB' "$1" "$2" >/dev/null 2>&1 && return 1
    "$ILINJECT" diff --format=json "$1" "$2" | python3 -c '
import json, sys
methods = {m["name"]: m for m in json.load(sys.stdin)["methods"]}
grows = methods["Allocs.Grows()"]["exclusive_bytes"]
sys.exit(not (grows["verdict"] == "more" and grows["after"] - grows["before"] == 32 and methods["Allocs.Large()"]["exclusive_bytes"]["verdict"] == "same"))'
}
uncounted_gate() { # PROFILE WITHOUT
    "$ILINJECT" diff --fail-if 'Allocs.Grows: bytes > +4%' "$1" "$2" >"$SCRATCH/gate" 2>&1 && return 1
    grep -q 'some run has not counted what calls allocate (--set alloc=bytes), so no bytes are judged' "$SCRATCH/gate"
}
# Nothing is in the profile, and nothing is said.
unasked() { # FILE RUNTIME
    local profile=$SCRATCH/said/unasked.$2.ilprof
    run_with unasked "$2" "$1" "" ILINJECT_ALLOC=off && ! grep -q -a -e BYTE -e bytes_ "$profile" && ! grep -q _bytes "$SCRATCH/report.json" &&
        "$ILINJECT" report -v --color=never "$profile" >"$SCRATCH/text" && ! grep -q -e '^Bytes' -e 'Incl. bytes' "$SCRATCH/text" &&
        "$ILINJECT" report --format=csv "$profile" | head -n 1 | tr -d '\r' | grep -q ',waiting_ns,file,line$'
}

check "the program compiles" by_mcs Allocs -optimize+ "$source"
made() { # FOLDER OPTIONS…
    local to=$SCRATCH/after/$1
    shift
    mkdir -p "$to" && "$ILINJECT" -q "$file" -o "$to/" --set alloc=bytes "$@" && if can dotnet; then runtimeconfig "$to/Allocs.exe"; fi
}
for shape in guarded-paths guarded-full ret; do
    # shellcheck disable=SC2046
    check "it is instrumented to count, $shape" made $shape $(options_of $shape) --set start=Allocs.Measured
done
check "it is instrumented to count from its start" made from-start
check "it is instrumented to keep values, too" made captured --capture 'Program.Add: args, return; first=100'
of_runtime() {
    can "$runtime" || { skip "methods have the bytes that they allocate on $runtime" "$runtime is not installed"; return; }
    local column=0 shape profile
    if [ "$runtime" = mono ]; then column=1; fi
    run_program measure "$runtime" "$file" measure
    for shape in guarded-paths guarded-full ret; do
        profile=$SCRATCH/said/$shape.$runtime.ilprof
        run_program $shape "$runtime" "$SCRATCH/after/$shape/Allocs.exe"
        check "$runtime, $shape: bytes are those that follow from the layout" by_hand "$profile" $column
        check "$runtime, $shape: bytes are those that the runtime has counted" by_itself "$profile" "$SCRATCH/said/measure.$runtime.out" "$runtime"
        check "$runtime, $shape: the report agrees with itself" profile_agrees "$profile"
    done
    local idle=$SCRATCH/after/from-start/Allocs.exe measured=$SCRATCH/after/guarded-paths/Allocs.exe
    profile=$SCRATCH/said/guarded-paths.$runtime.ilprof
    check "$runtime: a program that allocates nothing has no bytes" nothing_allocated "$idle" "$runtime"
    check "$runtime: nor has it when single calls are recorded" nothing_allocated "$idle" "$runtime" ILINJECT_HISTOGRAM=1 ILINJECT_TIMELINE=1
    check "$runtime: nor when calls are seen with their values" nothing_allocated "$SCRATCH/after/captured/Allocs.exe" "$runtime"
    check "$runtime: nor when calls are folded" nothing_allocated "$idle" "$runtime" ILINJECT_RECURSION=4
    local turn=0
    in_turn "$runtime: the same bytes however calls are recorded" however "$measured" "$runtime"
    in_turn "$runtime: bytes of calls that were taken back are their callers'" taken_back "$measured" "$runtime"
    check "$runtime: bytes are not counted while nothing is recorded" not_while_stopped "$measured" "$runtime"
    check "$runtime: the table and the tree say them" in_the_text "$profile"
    check "$runtime: the table of values has them" exported "$profile"
    check "$runtime: other tools' formats have them" other_tools "$profile"
    if has node; then
        check "$runtime: the page's graph has them" in_the_page "$profile"
    else
        skip "$runtime: the page's graph has them" "no node"
    fi
    check "$runtime: merged runs have those of all" merged "$profile"
    run_program grown "$runtime" "$measured" grow
    check "$runtime: a build can be failed on them" gated "$profile" "$SCRATCH/said/grown.$runtime.ilprof"
    check "$runtime: nothing is counted where nobody asks" unasked "$measured" "$runtime"
    check "$runtime: a gate on bytes fails where they were not counted" uncounted_gate "$profile" "$SCRATCH/said/unasked.$runtime.ilprof"
    [ "$runtime" = mono ] || check "$runtime: runs allocate the same, to a table of the runtime" several_runs "$idle" "$runtime"
}
halves of_runtime
finish
