#!/usr/bin/env bash
# The objects that methods allocate, by type, by place and by method: those that can be counted in the source
# (tests/e2e/lib/cs/Objects.cs), the same on each runtime. None of them is the tracker's.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/objects.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
if ! ready; then
    skip "methods have the objects that they allocate" "no mono or no mcs"
    finish
fi
source=$ROOT/tests/e2e/lib/cs/Objects.cs file=$before/Objects.exe
report() { "$ILINJECT" report --format=json -o "$SCRATCH/report.json" "$@"; }

# Runs the program with settings; its report is report.json.
run_with() { # NAME RUNTIME FILE [NAME=VALUE…]
    local name=$1 runtime=$2 file=$3
    shift 3
    (
        for pair in "$@"; do export "${pair?}"; done
        run_program "$name" "$runtime" "$file"
    )
    [ "$(cat "$SCRATCH/said/$name.$runtime.code")" = 0 ] && report "$SCRATCH/said/$name.$runtime.ilprof"
}
as_in_the_source() { # NAME RUNTIME FILE [NAME=VALUE…]
    run_with "$@" && objects_by_hand "$SCRATCH/report.json"
}
say_whole='import json, sys; print(json.load(open(sys.argv[1]))["totals"]["exclusive_objects"])'
whole() { python3 -c "$say_whole" "$SCRATCH/report.json"; }
# However calls are recorded. Folded calls stand in the sums of their callers.
however() { # FILE RUNTIME
    local way
    for way in ILINJECT_HISTOGRAM=1 ILINJECT_TIMELINE=1 ILINJECT_CLOCK=none ILINJECT_RECURSION=3 ILINJECT_NODES=8 ILINJECT_ALLOC=bytes; do
        run_with way "$2" "$1" $way && [ "$(whole)" = "$all_objects" ] || { echo "$way: $(whole), not $all_objects"; return 1; }
        python3 - "$SCRATCH/report.json" <<'END' || { echo "$way"; return 1; }
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
measured = next(f for f in report["functions"] if f["name"].startswith("Objects.Measured("))
if measured["inclusive_objects"] != sum(o["objects"] for o in report["objects"]) - 3:
    sys.exit(f"Measured: {measured['inclusive_objects']}")
END
    done
}
several_runs() { # FILE RUNTIME
    local i
    for i in 0 1 2 ${FULL:+3 4 5 6 7 8 9}; do
        run_with "ten$i" "$2" "$1" && whole || return 1
    done >"$SCRATCH/ten"
    [ "$(sort -u "$SCRATCH/ten")" = "$all_objects" ] || { cat "$SCRATCH/ten"; return 1; }
}
# Calls that are taken back leave their objects to their callers; places keep them.
taken_back() { # FILE RUNTIME
    run_with longer "$2" "$1" ILINJECT_LONGER=3600s && python3 - "$SCRATCH/report.json" "$all_objects" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
functions = {f["name"].split("(")[0]: f["inclusive_objects"] for f in report["functions"]}
if "Objects.Loop" in functions or functions.get("Objects.Measured", functions.get("Program.Main")) != int(sys.argv[2]) - 3:
    sys.exit(f"{functions}")
END
}
# A reset drops places and methods alike, and what comes after it has room for all that it needs.
reset_within() { # FILE RUNTIME
    run_with reset "$2" "$1" && python3 - "$SCRATCH/report.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
found = {f["name"].split("(")[0]: f["exclusive_objects"] for f in report["functions"] if f["exclusive_objects"]}
places = sorted(o["objects"] for o in report["objects"])
if report["totals"]["exclusive_objects"] != 307 or found != {"ResetObjects.Across": 7, "ResetObjects.Down": 300} or sum(places) != 307:
    sys.exit(f"{report['totals']['exclusive_objects']}: {found} {places}")
END
}
# Neither a method that is switched off counts its objects, nor does one while nothing is recorded.
not_recorded() { # FILE RUNTIME
    run_with off "$2" "$1" ILINJECT_OFF=Objects.Loop && [ "$(whole)" = $((all_objects - 1000)) ] || { echo "off: $(whole)"; return 1; }
    run_with stopped "$2" "$1" ILINJECT_START=Objects.Down ILINJECT_STOP=Objects.Down && [ "$(whole)" = 10 ] || { echo "stopped: $(whole)"; return 1; }
}
# The bytes of methods are the same with objects counted and without.
no_bytes() { # RUNTIME
    local shape
    for shape in bytes both; do
        run_with $shape "$1" "$SCRATCH/after/$shape/Allocs.exe" && cp "$SCRATCH/report.json" "$SCRATCH/$shape.json" || return 1
    done
    python3 - "$SCRATCH/bytes.json" "$SCRATCH/both.json" <<'END'
import json, sys
sides = []
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        sides.append({f["name"]: f["inclusive_bytes"] for f in json.load(file)["functions"]})
known = [name for name in sides[0] if not any(word in name for word in ("Catch", "Throw", "Fail", "Slices", "Outer", "Pump", "Measured", "Thread"))]
bad = [(name, sides[0][name], sides[1].get(name)) for name in known if sides[0][name] != sides[1].get(name)]
if len(known) < 30 or bad:
    sys.exit(f"{len(known)} methods: {bad}")
END
}
in_the_text() { # PROFILE
    local text=$SCRATCH/text
    "$ILINJECT" report -v --color=never --width=160 --sort=objects -o "$text" "$1" || return 1
    grep -q '^Objects  1,0[0-9]* allocated: [0-9.]* % Plain$' "$text" &&
        grep -A 1 'Incl. objects  *Objects .*Function$' "$text" | tail -n 1 | grep -q ' 1,000  *1,000 .*Objects.Loop()$' &&
        grep -A 1 '^Objects  *%  Type$' "$text" | tail -n 1 | grep -q '^  1,011  .*  Plain$' &&
        sed -n '/Call tree$/,$p' "$text" | head -n 1 | grep -q 'Calls  Incl. objects  *Objects ' || { cat "$text"; return 1; }
    "$ILINJECT" report --color=never --view=objects --top=0 -o "$text" "$1" && grep -A 1 '  Plain$' "$text" | tail -n 1 | grep -q '^  1,000 .*    Objects.Loop() +0x[0-9a-f]*$' && grep -q '  int (boxed)$' "$text" ||
        { cat "$text"; return 1; }
}
exported() { # PROFILE
    "$ILINJECT" report --format=csv "$1" | tr -d '\r' >"$SCRATCH/csv"
    head -n 1 "$SCRATCH/csv" | grep -q ',waiting_ns,exclusive_objects,inclusive_objects,file,line$' && grep '"Objects.Deep()"' "$SCRATCH/csv" | grep -q ',0,10,[^,]*,[0-9]*$' || { cat "$SCRATCH/csv"; return 1; }
    local stacks
    stacks=$("$ILINJECT" report --format=collapsed --weight=objects "$1" | awk '{ sum += $NF } END { print sum }') && [ "$stacks" = "$all_objects" ] || { echo "stacks: $stacks"; return 1; }
    "$ILINJECT" report --format=callgrind -o "$SCRATCH/callgrind" "$1" && grep -q '^events: exclusive_ns exceptions objects$' "$SCRATCH/callgrind" &&
        grep -q "^summary: [0-9]* [0-9]* $all_objects\$" "$SCRATCH/callgrind" || { echo "callgrind"; return 1; }
    if has callgrind_annotate; then
        callgrind_annotate --auto=no --sort=objects --show=objects --threshold=100 --inclusive=yes "$SCRATCH/callgrind" | tr -d , | grep -q '^ *1000 ([0-9. ]*%) .*Objects.Loop()' || return 1
    fi
    "$ILINJECT" report --format=speedscope "$1" | python3 -c '
import json, sys
profiles = [p for p in json.load(sys.stdin)["profiles"] if p["name"].endswith(": objects allocated")]
sys.exit(not profiles or sum(p["endValue"] for p in profiles) != int(sys.argv[1]))' "$all_objects" || { echo "speedscope"; return 1; }
    "$ILINJECT" report --format=pprof "$1" | gzip -dc | grep -q -a alloc_objects
}
# The page's own code makes a graph by objects of what stands in the page.
in_the_page() { # PROFILE
    "$ILINJECT" report "$1" --html "$SCRATCH/page.html" && cat >"$SCRATCH/page.js" <<'END'
const fs = require('fs'), vm = require('vm');
const data = JSON.parse(fs.readFileSync(process.argv[2], 'utf8').match(/<script[^>]*id="profile"[^>]*>([^]*?)<\/script>/)[1]);
vm.runInThisContext(fs.readFileSync(process.argv[3], 'utf8') + '; this.of = { makeFunctions, makeTree };');
const now = data.profile, { functions } = of.makeFunctions(now, null);
const graph = of.makeTree(now, null, functions, [], -1, false, 'objects');
const deep = graph.all.find(frame => frame.name === 'Objects.Deep()');
if (graph.root.total !== now.totals.objects || deep.total !== 10 || deep.own !== 0 || functions[deep.function.position].all_objects !== 10)
  throw new Error(`${graph.root.total} of ${now.totals.objects} objects, ${deep.total} in Deep`);
if (now.types[0].name !== 'Plain' || now.types[0].objects !== 1011) throw new Error(JSON.stringify(now.types[0]));
END
    node "$SCRATCH/page.js" "$SCRATCH/page.html" "$ROOT/src/report/page/model.js"
}
# In any order to the byte, and three runs have three times as many.
merged() { # PROFILE OTHER
    "$ILINJECT" merge -q -o "$SCRATCH/two.ilprof" "$1" "$2" && "$ILINJECT" merge -q -o "$SCRATCH/swapped.ilprof" "$2" "$1" &&
        cmp "$SCRATCH/two.ilprof" "$SCRATCH/swapped.ilprof" && "$ILINJECT" merge -q -o "$SCRATCH/three.ilprof" "$SCRATCH/two.ilprof" "$1" &&
        report "$SCRATCH/three.ilprof" && objects_by_hand "$SCRATCH/report.json" 3 &&
        report "$1" "$2" && objects_by_hand "$SCRATCH/report.json" 2
}
gated() { # PROFILE
    local said=$SCRATCH/gate
    "$ILINJECT" diff --fail-if 'Objects.*: objects > +0%' --fail-if 'Objects.Loop: objects > 1000' "$1" "$1" >"$said" 2>&1 || { cat "$said"; return 1; }
    "$ILINJECT" diff --fail-if 'Objects.Loop: objects > 999' "$1" "$1" >"$said" 2>&1 && return 1
    "$ILINJECT" diff --fail-if 'Objects.Deep: inclusive-objects > 9' "$1" "$1" >"$said" 2>&1 && return 1
    "$ILINJECT" diff --format=json "$1" "$1" | python3 -c '
import json, sys
methods = {m["name"]: m for m in json.load(sys.stdin)["methods"]}
sys.exit(methods["Objects.Loop()"]["exclusive_objects"]["after"] != 1000)'
}
uncounted_gate() { # PROFILE WITHOUT
    "$ILINJECT" diff --fail-if 'Objects.Loop: objects > +4%' "$1" "$2" >"$SCRATCH/gate" 2>&1 && return 1
    grep -q 'some run has not counted objects (--allocations), so none are judged' "$SCRATCH/gate"
}
# Without the option nothing is in the profile, and nothing is said.
unasked() { # FILE RUNTIME
    local profile=$SCRATCH/said/unasked.$2.ilprof
    run_with unasked "$2" "$1" && ! grep -q -a -e OBJS -e SITE -e objects_ "$profile" && ! grep -q _objects "$SCRATCH/report.json" &&
        "$ILINJECT" report -v --color=never "$profile" >"$SCRATCH/text" && ! grep -q -e '^Objects  ' -e 'Incl. objects' "$SCRATCH/text" &&
        "$ILINJECT" report --view=objects "$profile" | grep -q '^No objects were counted; instrument with --allocations.$'
}
# A configuration file asks for the same.
by_file() {
    printf '<ilinject allocations="yes"/>' >"$SCRATCH/config.xml"
    "$ILINJECT" -q "$file" -o "$SCRATCH/by-file.exe" --config="$SCRATCH/config.xml" && cmp "$SCRATCH/by-file.exe" "$SCRATCH/after/guarded-paths/Objects.exe"
}
# Nothing parts a delegate's constructor from what it gets (III.4.21).
pairs_stay() { # FILE
    local made='newobj 0x[0-9a-f]* (Change|System.Func<string>|System.Threading.ThreadStart)\.ctor'
    "$ILINJECT" dump --il "$1" >"$SCRATCH/il" && grep -B 1 -E "$made" "$SCRATCH/il" >"$SCRATCH/made" &&
        [ "$(grep -c -E "$made" "$SCRATCH/made")" = 3 ] && [ "$(grep -c -E ' ldftn | ldvirtftn ' "$SCRATCH/made")" = 3 ] || { cat "$SCRATCH/made"; return 1; }
}
refused() {
    ! "$ILINJECT" "$file" -o "$SCRATCH/refused.exe" --counts --allocations 2>"$SCRATCH/said/refused" && grep -q -- '--counts and --allocations exclude each other' "$SCRATCH/said/refused" &&
        [ ! -e "$SCRATCH/refused.exe" ]
}

check "the program compiles" by_mcs Objects -optimize+ "$source"
check "that of bytes compiles" by_mcs Allocs -optimize+ "$ROOT/tests/e2e/lib/cs/Allocs.cs"
made() { # FOLDER FILE OPTIONS…
    local to=$SCRATCH/after/$1 what=$2
    shift 2
    mkdir -p "$to" && "$ILINJECT" -q "$what" -o "$to/" "$@" && if can dotnet; then runtimeconfig "$to/$(basename "$what")"; fi
}
for shape in guarded-paths guarded-full ret; do
    # shellcheck disable=SC2046
    check "it is instrumented to count objects, $shape" made $shape "$file" --allocations $(options_of $shape)
    check "no verifier finds a fault in it, $shape" verifies_as_before "$file" "$SCRATCH/after/$shape/Objects.exe"
    check "Mono compiles it as before, $shape" compiles_as_before "$file" "$SCRATCH/after/$shape/Objects.exe"
done
check "delegates are made as before" pairs_stay "$SCRATCH/after/guarded-paths/Objects.exe"
check "a configuration file asks for the same" by_file
check "objects are not counted where calls are only counted" refused
for exits in guarded ret; do # each call outside is a leaf: constructors that are both, and those that the filter calls
    check "it is instrumented with leaves, --exits=$exits" made leaves-$exits "$file" --allocations '--leaves=*' --set alloc=bytes --exits=$exits
    check "no verifier finds a fault in it with leaves, --exits=$exits" verifies_as_before "$file" "$SCRATCH/after/leaves-$exits/Objects.exe"
done
check "it is instrumented without" made plain "$file"
check "one that resets is made" by_mcs ResetObjects -optimize+ -r:"$BUILD/ProfileInfoTracker.dll" "$ROOT/tests/e2e/lib/cs/ResetObjects.cs"
check "one that resets is instrumented" made reset "$before/ResetObjects.exe" --allocations
check "bytes are counted alone" made bytes "$before/Allocs.exe" --set alloc=bytes --set start=Allocs.Measured
check "bytes are counted beside objects" made both "$before/Allocs.exe" --allocations --set alloc=bytes --set start=Allocs.Measured
if by_csc Made -optimize+ -langversion:latest "$source"; then
    check "another compiler's program is instrumented" made csc "$before/Made.dll" --allocations
fi
of_runtime() {
    can "$runtime" || { skip "methods have the objects that they allocate on $runtime" "$runtime is not installed"; return; }
    local shape measured=$SCRATCH/after/guarded-paths/Objects.exe profile
    for shape in guarded-paths guarded-full ret; do
        check "$runtime, $shape: objects are those of the source" as_in_the_source $shape "$runtime" "$SCRATCH/after/$shape/Objects.exe"
        check "$runtime, $shape: the report agrees with itself" profile_agrees "$SCRATCH/said/$shape.$runtime.ilprof"
    done
    for shape in leaves-guarded leaves-ret; do
        check "$runtime, $shape: objects are those of the source" as_in_the_source $shape "$runtime" "$SCRATCH/after/$shape/Objects.exe"
    done
    profile=$SCRATCH/said/guarded-paths.$runtime.ilprof
    if [ "$runtime" = dotnet ] && [ -f "$SCRATCH/after/csc/Made.dll" ]; then
        check "$runtime: of another compiler's program, too" as_in_the_source csc dotnet "$SCRATCH/after/csc/Made.dll"
    fi
    local turn=0
    in_turn "$runtime: the same objects however calls are recorded" however "$measured" "$runtime"
    in_turn "$runtime: runs allocate the same" several_runs "$measured" "$runtime"
    check "$runtime: objects of calls that were taken back are their callers'" taken_back "$measured" "$runtime"
    check "$runtime: behind a reset each object counts once" reset_within "$SCRATCH/after/reset/ResetObjects.exe" "$runtime"
    check "$runtime: objects are not counted where nothing is recorded" not_recorded "$measured" "$runtime"
    check "$runtime: counting objects allocates nothing" no_bytes "$runtime"
    check "$runtime: table, tree and view say them" in_the_text "$profile"
    check "$runtime: other tools' formats have them" exported "$profile"
    if has node; then
        check "$runtime: the page's graph has them" in_the_page "$profile"
    else
        skip "$runtime: the page's graph has them" "no node"
    fi
    check "$runtime: merged runs have those of all" merged "$profile" "$SCRATCH/said/ret.$runtime.ilprof"
    check "$runtime: a build can be failed on them" gated "$profile"
    check "$runtime: nothing is counted where nobody asks" unasked "$SCRATCH/after/plain/Objects.exe" "$runtime"
    check "$runtime: a gate on objects fails where they were not counted" uncounted_gate "$profile" "$SCRATCH/said/unasked.$runtime.ilprof"
}
halves of_runtime

# ---- Bytes beside objects --------------------------------------------------------------------------------------------

sizes() { # RUNTIME: 8,000 arrays of 20,000 bytes and what holds them; ints that are boxed; two arrays in one method
    local profile=$SCRATCH/said/sizes.$1.ilprof text=$SCRATCH/text row
    run_program sizes "$1" "$SCRATCH/after/sizes/Sizes.exe" && "$ILINJECT" report --color=never --view=objects -o "$text" "$profile" || return 1
    for row in '8,000 .* ≤ 160 MB  *byte\[\]' '8,000 .*  160 MB  *Sizes.Read(int) +0x[0-9a-f]*' '8,000 .* ≤ 256 kB  *Item' \
        '8,000 .* ≤ 192 kB  *int (boxed)' '10  *0\.0  *int\[\]' '10  *0\.0  *long\[\]'; do
        grep -q "^ *$row\$" "$text" || { echo "no $row"; cat "$text"; return 1; }
    done
    grep -q '^≤ at most: ' "$text" && report "$profile" && python3 - "$SCRATCH/report.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
of = {site["type"]: site["method_bytes"] for site in report["objects"] if site["kind"] == "array"}
# At least what the elements take, at most with 40 bytes more for each array; the two of one method have the same.
if not 8000 * 20000 < of["byte[]"] <= 8000 * 20040 or of["int[]"] != of["long[]"] or not 10 * 1200 < of["int[]"] <= 10 * 1280:
    sys.exit(f"{of}")
END
}
# Calls below 5 ms are taken back: places keep their objects, and callers have their bytes. Main stays.
no_sizes() { # RUNTIME
    (export ILINJECT_LONGER=5ms && run_program taken "$1" "$SCRATCH/after/sizes/Sizes.exe") && "$ILINJECT" report --color=never --view=objects -o "$SCRATCH/text" "$SCRATCH/said/taken.$1.ilprof" &&
        grep -q '^ *8,000 .*byte\[\]$' "$SCRATCH/text" && ! grep -q -e '≤ [0-9]' -e '160 MB' "$SCRATCH/text" || { cat "$SCRATCH/text"; return 1; }
}
check "a program of arrays compiles" by_mcs Sizes -optimize+ "$ROOT/tests/e2e/lib/cs/Sizes.cs"
check "it is instrumented to count both" made sizes "$before/Sizes.exe" --allocations --set alloc=bytes
for runtime in mono dotnet; do
    can $runtime || continue
    check "$runtime: a type has at most the bytes of its methods, a place those of its method" sizes $runtime
    check "$runtime: bytes are not known where calls were taken back" no_sizes $runtime
done

# ---- new T() ---------------------------------------------------------------------------------------------------------
# Make 2, Kept 1, Chosen 1, Many 5, Cell 2.

created() { # FILE RUNTIME OPTION
    local name=created${3//[^a-z]/}
    mkdir -p "$SCRATCH/after/$name" && "$ILINJECT" -q --allocations "$3" "$1" -o "$SCRATCH/after/$name/" || return
    run_program created "$2" "$1" && run_program "$name" "$2" "$SCRATCH/after/$name/${1##*/}" && same_run created "$name" "$2" &&
        report "$SCRATCH/said/$name.$2.ilprof" && python3 - "$SCRATCH/report.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
found = {}
for site in report["objects"]:
    if not site["type"].startswith("System.") and site["kind"] == "new":
        found[site["type"]] = found.get(site["type"], 0) + site["objects"]
made = {f["name"].split("(")[0]: f["exclusive_objects"] for f in report["functions"]}
methods = {"Created.Make<T>": 2, "Created.Kept<T>": 1, "Created.Chosen<T>": 1, "Created.Many<T>": 5, "Cell<T>.Cell": 2, "Filled.Filled": 2, "Created.ByName<T>": 0}
if found.get("T") != 11 or any(made.get(m) != n for m, n in methods.items()):
    sys.exit(f"{found} {made}")
END
}
check "a program of type parameters compiles" by_mcs Created -optimize+ "$ROOT/tests/e2e/lib/cs/Created.cs"
for runtime in mono dotnet; do
    for option in --exits=guarded --exits=ret; do
        can $runtime && check "new T() counts an object where T is a class ($runtime, $option)" created "$before/Created.exe" $runtime $option
    done
done
if can dotnet && by_csc CreatedCore -optimize "$ROOT/tests/e2e/lib/cs/Created.cs"; then
    check "so it does in another compiler's program" created "$before/CreatedCore.dll" dotnet --exits=guarded
else
    skip "new T() of another compiler's program counts an object" "no .NET SDK"
fi
finish
