#!/usr/bin/env bash
# A profile's shares beside the true ones: fourteen programs, as the machine is and beside busy loops.
#   tests/bench/truth.sh [--build DIR] [--runs N] [--states "quiet busy"] [--busy N]
#       [--size PERCENT] [--only "PROGRAM..."] [--tools "ilinject bodies priced trace aspect naive"] [--keep DIR]
#       [--set NAME=VALUE]
# For each program (tests/bench/truth) and state: the truth, which is what samples of the plain
# program on CoreCLR (N runs, 2), and the share of the time that each tool gives to each method with
# at least 5 % of it: ilinject (guards and clock as they are by default, all methods), priced
# (`ilinject run --overhead=10%` of the plain program), dotnet-trace,
# AspectInjector and a Mono.Cecil weaver with a tracker as people write one (truth/Peer.cs). Then
# for how many of them the share is within 20 % of the truth (of itself), is not and the tool says
# that it cannot know, or is wrong; and how many pairs stand in the wrong order though the tool is
# sure of both and their truths differ by more than 20 %. truth/Join.cs says how that is reported. Then
# what instrumenting costs (processor time, times plain), whether the report hints at it (its line
# Probes), and how much slower the machine was: by the report, and by one of the busy loops.
# State busy has N busy loops for each processor (2), which end with this script, however it ends.
# --set: a setting of the tracker for the tool ilinject. --keep: rows, profiles and stacks stay in
# DIR. Exits 77 without samples of the kernel's or an SDK of .NET, 1 when a program does not do what it did.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=2 states="quiet busy" busy=2 size=100 only= keep= setting=()
tools="ilinject bodies priced trace aspect naive"
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --states) states=$2; shift 2 ;;
    --busy) busy=$2; shift 2 ;;
    --size) size=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --tools) tools=$2; shift 2 ;;
    --keep) keep=$2; shift 2 ;;
    --set) setting+=(--set "$2"); shift 2 ;;
    *) sed -n '3,5s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
BUILD=$(cd "$build" && pwd)
ilinject=${ILINJECT:-$BUILD/ilinject}
sources=tests/bench/truth
work=$(mktemp -d)
loops=()
# A loop that ends by itself, too, when this script was killed.
start_loops() {
    local i
    for ((i = 0; i < busy * $(nproc); i++)); do
        (
            trap - EXIT INT TERM
            while kill -0 $$ 2>/dev/null; do for ((k = 0; k < 200000; k++)); do :; done; done
        ) &
        loops+=($!)
    done
}
end_loops() {
    [ ${#loops[@]} -gt 0 ] || return 0
    kill "${loops[@]}" 2>/dev/null
    wait "${loops[@]}" 2>/dev/null
    loops=()
}
trap 'end_loops; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# shellcheck disable=SC2086
unset ${!ILINJECT_*} DOTNET_EnableEventPipe
. tests/bench/raw.sh
raw_begin truth "tests/bench/truth.sh --runs $runs --busy $busy --size $size"
"${CC:-cc}" -O2 -o "$work/sampler" "$sources/sampler.c" || exit 1
"$work/sampler" "$work/try" true 2>"$work/log" || { echo "skipped: $(tail -n 1 "$work/log")"; exit 77; }
tests/dotnet-csc "$work/Join.dll" -optimize+ "$sources/Join.cs" >"$work/log" 2>&1
status=$?
[ $status -eq 0 ] || { tail -n 1 "$work/log"; exit $status; }
join() { dotnet "$work/Join.dll" "$@"; }

sdks=$(dotnet --list-sdks | sed -n 's/^[^ ]* \[\(.*\)\]$/\1/p' | tail -n 1)
newest() { # PACK
    find "$(dirname "$sdks")/packs/$1" -mindepth 3 -maxdepth 3 -path '*/ref/net*' 2>/dev/null |
        sort -V | tail -n 1
}
core=$(newest Microsoft.NETCore.App.Ref) web=$(newest Microsoft.AspNetCore.App.Ref)
programs="Calls Async Linq Json Generics Parser Web Matcher Rays Interpreter Locks Exceptions Tokens Trees"
if [ -z "$web" ] || ! dotnet --list-runtimes | grep -q '^Microsoft.AspNetCore.App '; then
    programs=${programs/Web /}
    raw_missing Web "no ASP.NET Core"
    echo "Web is left out: no ASP.NET Core"
fi
[ -z "$only" ] || programs=$only

# compile OUT.dll PROGRAM OPTION...: Web with the references of ASP.NET Core
compile() {
    local out=$1 name=$2 config=${1%.dll}.runtimeconfig.json framework=
    shift 2
    if [ "$name" = Web ]; then framework=$(printf '%s ' "$core"/*.dll "$web"/*.dll); fi
    FRAMEWORK=$framework tests/dotnet-csc "$out" -optimize+ "$sources/$name.cs" \
        "$sources/Truth.cs" "$@" || return
    [ -z "$framework" ] || sed -i 's/Microsoft\.NETCore\.App/Microsoft.AspNetCore.App/' "$config"
}

# The tools' needs. A tool that cannot be had is left out, with the reason.
left_out() { # TOOL REASON
    tools=" $tools "
    tools=${tools/ $1 / }
    echo "$1 is left out: $2"
    raw_missing "$1" "$2"
}
wanted() { [[ " $tools " == *" $1 "* ]]; }
trace=$BUILD/tests/dotnet-trace/dotnet-trace trace_version=10.0.750501
if wanted trace && [ ! -x "$trace" ]; then
    timeout 200 dotnet tool install dotnet-trace --version "$trace_version" \
        --tool-path "$(dirname "$trace")" >"$work/log" 2>&1 ||
        left_out trace "it cannot be had: $(grep -m 1 error "$work/log" | cut -c 1-100)"
fi
if wanted aspect; then
    packages=$(tests/nuget-fetch AspectInjector/2.7.3) || left_out aspect "$packages"
    weaver=$packages/aspectinjector/2.7.3
    broker=$weaver/lib/netstandard2.0/AspectInjector.Broker.dll
fi
if wanted naive; then
    rewrite=$(tests/bench/peer | tail -n 1)
    [ -f "$rewrite" ] || left_out naive "$rewrite"
    mkdir "$work/tracker"
    tests/dotnet-csc "$work/tracker/Peer.dll" -target:library -optimize+ "$sources/Peer.cs" ||
        exit 1
fi

weave_aspect() { # PROGRAM FOLDER
    local name=$1 folder=$2
    printf '%s\n' "$core"/*.dll "$broker" >"$folder/references"
    cp "$broker" "$folder" &&
        compile "$folder/$name.dll" "$name" -define:ASPECT "$sources/Peer.cs" "-r:$broker" &&
        "$weaver/build/_bin/linux-x64/AspectInjector" -o -rf "$folder/references" \
            "$folder/$name.dll"
}
# prepare PROGRAM: $work/PROGRAM/WHAT/PROGRAM.dll, WHAT being plain and each tool
prepare() {
    local name=$1 folder=$work/$1 tool
    mkdir -p "$folder/plain"
    compile "$folder/plain/$name.dll" "$name" || return
    for tool in $tools; do
        # An aspect's call after an async method comes when that ends, on whatever thread: a
        # stack of the thread's does not hold then.
        if [ "$tool" = aspect ] && [[ " Async Web " == *" $name "* ]]; then continue; fi
        mkdir "$folder/$tool"
        cp "$folder/plain/$name.runtimeconfig.json" "$folder/$tool"
        case $tool in
        ilinject | bodies)
            "$ilinject" -q "$folder/plain/$name.dll" -o "$folder/$tool/$name.dll" \
                --exclude Truth "${setting[@]}" || return
            ;;
        priced | trace) cp "$folder/plain/$name.dll" "$folder/$tool" ;;
        naive)
            cp "$work/tracker/Peer.dll" "$folder/$tool"
            dotnet "$rewrite" --try-finally "$work/tracker/Peer.dll" --names \
                "$folder/$tool/names" "$folder/plain/$name.dll" "$folder/$tool/$name.dll" \
                >/dev/null || return
            ;;
        aspect)
            if ! weave_aspect "$name" "$folder/$tool" >"$work/log" 2>&1; then
                left_out "$tool" "not woven: $(tail -n 1 "$work/log")"
                rm -r "${folder:?}/$tool"
            fi
            ;;
        esac
    done
}
for name in $programs; do
    prepare "$name" || { echo "$name cannot be prepared" >&2; exit 1; }
done
echo "prepared: $SECONDS s"

# says FOLDER COMMAND...: runs it; false unless it says what the plain program does
says() {
    local folder=$1 expected=$work/$name/said
    shift
    (cd "$folder" && "$@" "$size") >"$folder/said" 2>"$folder/errors" ||
        { echo "$name ($*) fails: $(tail -n 3 "$folder/errors")" >&2; return 1; }
    [ -f "$expected" ] || cp "$folder/said" "$expected"
    cmp -s "$folder/said" "$expected" ||
        { echo "$name ($*) says another thing: $(tail -n 1 "$folder/said")" >&2; return 1; }
}
# sampled FOLDER RUN: samples.RUN and RUN.map there, and RUN.nettrace, what the compiler has put in line
sampled() {
    DOTNET_PerfMapEnabled=3 DOTNET_PerfMapJitDumpPath=$1 DOTNET_EnableEventPipe=1 \
        DOTNET_EventPipeConfig=Microsoft-Windows-DotNETRuntime:1000:5 DOTNET_EventPipeOutputPath=$1/$2.nettrace \
        says "$1" "$work/sampler" "$1/samples.$2" dotnet "$name.dll" || return
    mv "$1"/perf-*.map "$1/$2.map"
}
# sample STATE: stacks of the plain program
sample() {
    local state=$1 run files=() folder=$work/$name/plain inlined=$work/$name/$state.inlined
    : >"$inlined"
    for ((run = 0; run < runs; run++)); do
        sampled "$folder" "$run" && join inlined "$folder/$run.nettrace" >>"$inlined" || return
        files+=("$folder/samples.$run" "$folder/$run.map")
    done
    join sampled "$name" "${files[@]}" >"$work/$name/$state.truth"
}
processor() { awk '{ print $1 + $2 }' "$work/took"; }
now() { echo "${EPOCHREALTIME/./}"; }
of_loop() { cut -d ' ' -f 1 "/proc/${loops[0]}/schedstat"; }
# field FILE KEY: of the first run in a report's JSON; "-" when it is not there
field() { sed -n "s/.*[{ ]\"$2\": \([0-9]*\).*/\1/p" "$1" | head -n 1 | grep . || echo -; }
# The cost of instrumenting, and what the report says of that and of the machine.
price() { # STATE PLAIN SECONDS OF-A-LOOP
    local json=$work/$name/ilinject.json hint=no ran ready slower=-
    "$ilinject" report --verbose --width=0 "$work/$name/ilinject/profile.ilprof" >"$work/text" 2>/dev/null
    ! grep -q -E '^(Probes|Tracker) ' "$work/text" || hint=yes
    ran=$(field "$json" ran_ns) ready=$(field "$json" ready_ns)
    [ "$ran" = - ] || [ "$ready" = - ] ||
        slower=$(awk -v a="$ran" -v b="$ready" 'BEGIN { printf "%.2f", (a > 0 ? (a + b) / a : 1) }')
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$1" "$2" "$3" "$hint" "$slower" "$4" \
        >>"$work/prices"
}
run_ilinject() { # STATE PLAIN
    local folder=$work/$name/ilinject json=$work/$name/ilinject.json began ran loop=-
    local TIMEFORMAT='%U %S'
    rm -f "$folder/profile.ilprof"
    began=$(now)
    [ ${#loops[@]} -eq 0 ] || ran=$(of_loop)
    { time ILINJECT_OUT=$folder/profile.ilprof says "$folder" dotnet "$name.dll"; } \
        2>"$work/took" || { cat "$work/took" >&2; return 1; }
    [ ${#loops[@]} -eq 0 ] ||
        loop=$(awk -v wall=$(($(now) - began)) -v ran=$(($(of_loop) - ran)) \
            'BEGIN { printf "%.2f", (ran > 0 ? wall * 1000 / ran : 0) }')
    "$ilinject" report --json --raw-names "$folder/profile.ilprof" >"$json" &&
        join report "$json" >"$work/$name/$1.ilinject" || return
    price "$1" "$2" "$(processor)" "$loop"
}
run_bodies() { # STATE
    local folder=$work/$name/bodies
    ILINJECT_OUT=$folder/profile.ilprof sampled "$folder" 0 &&
        join bodies "$name" "$folder/samples.0" "$folder/0.map" >"$work/$name/$1.bodies"
}
run_priced() { # STATE
    local folder=$work/$name/priced
    rm -f "$folder/profile.ilprof"
    says "$folder" "$ilinject" run --overhead=10% --exclude=Truth -o "$folder/profile.ilprof" \
        "$name.dll" &&
        "$ilinject" report --json --raw-names "$folder/profile.ilprof" >"$folder/json" &&
        join report "$folder/json" >"$work/$name/$1.priced"
}
run_trace() { # STATE
    local folder=$work/$name/trace
    DOTNET_ROLL_FORWARD=Major timeout 200 "$trace" collect --format Speedscope \
        -o "$folder/trace.nettrace" -- dotnet "$folder/$name.dll" "$size" \
        >"$folder/errors" 2>&1 &&
        join trace "$name" "$folder/trace.speedscope.json" >"$work/$name/$1.trace"
}
# measure STATE: each tool once
measure() {
    local state=$1 tool stacks=() TIMEFORMAT='%U %S'
    { time says "$work/$name/plain" dotnet "$name.dll"; } 2>"$work/took" ||
        { cat "$work/took" >&2; return 1; }
    for tool in $tools; do
        [ -d "$work/$name/$tool" ] || continue
        case $tool in
        ilinject) run_ilinject "$state" "$(processor)" || return ;;
        bodies) run_bodies "$state" || return ;;
        priced) run_priced "$state" || return ;;
        trace)
            if ! run_trace "$state"; then
                echo "dotnet-trace fails: $(tail -n 1 "$work/$name/trace/errors")" >&2
                continue
            fi
            ;;
        *)
            PEER_NAMES=$work/$name/$tool/names PEER_OUT=$work/$name/$state.$tool \
                says "$work/$name/$tool" dotnet "$name.dll" || return
            ;;
        esac
        stacks+=("$tool=$work/$name/$state.$tool")
    done
    join compare "$name" "$state" "$(sed -n 's|^// waits: ||p' "$sources/$name.cs")" \
        "$work/$name/$state.truth" "$work/$name/$state.inlined" "${stacks[@]}" >>"$work/rows"
}
for state in $states; do
    began=$SECONDS
    if [ "$state" = busy ]; then start_loops; fi
    for name in $programs; do sample "$state" && measure "$state" || exit 1; done
    end_loops
    echo "$state: $((SECONDS - began)) s"
done

join sum "$work/rows"
[[ " $tools " = *" ilinject "* ]] || : >"$work/prices"
printf '\n%-12s %-6s %8s %12s %8s %6s %16s %12s\n' program state plain instrumented times hint \
    'slower: report' 'a busy loop'
awk -F '\t' '
    {
        times = $3 > 0 ? $4 / $3 : 0
        printf "%-12s %-6s %8.2f %12.2f %8.2f %6s %16s %12s\n", $1, $2, $3, $4, times, $5, $6, $7
        states[$2] = 1
        if (times > 1.1) dear[$2]++
        if (times > 1.1 && $5 == "no") without[$2]++
        # Its own threads wait for one another, as they do on a quiet machine; a loop waits for others alone.
        if ($6 != "-" && $2 == "quiet") own[$1] = $6
        if ($6 == "-" || $7 == "-") next
        said[$2]++
        off = $6 / ($7 * ($1 in own ? own[$1] : 1))
        if (off > 1.5 || off < 1 / 1.5) far[$2]++
    }
    END {
        for (s in states)
            printf "%s: price above a tenth: %d, without a hint: %d; machine said: %d, not within" \
                " 1.5 of the loop (times quiet): %d\n", s, dear[s], without[s], said[s], far[s]
    }' "$work/prices"
awk -F '\t' -v OFS='\t' '
    {
        verdict = $13 == "within" ? 0 : $13 == "unsure" ? 1 : $13 == "wrong" ? 2 : 3
        m = $1 " " $4; v = $2 " " $3
        print m, v, "share", $8 * 100; print m, v, "rank", $9; print m, v, "truth", $6 * 100
        print m, v, "low", $10 * 100; print m, v, "high", $11 * 100; print m, v, "sure", $12
        print m, v, "small", ($5 == "small") + 0; print m, v, "verdict", verdict
    }' "$work/rows" | raw_lines
awk -F '\t' -v OFS='\t' '
    {
        v = $2 " price"
        print $1, v, "plain", $3; print $1, v, "instrumented", $4
        print $1, v, "hint", ($5 == "yes") + 0
        if ($6 != "-") print $1, v, "slower", $6
        if ($7 != "-") print $1, v, "loop", $7
    }' "$work/prices" | raw_lines
if [ -n "$keep" ]; then
    mkdir -p "$keep" && cp "$work"/{rows,prices} "$keep"
    for name in $programs; do
        mkdir -p "$keep/$name"
        cp "$work/$name"/{quiet,busy,ilinject}.* "$work/$name/ilinject/profile.ilprof" \
            "$keep/$name" 2>/dev/null
    done
fi
exit 0
