#!/usr/bin/env bash
# What a probe costs at run time: ns for each enter and leave, on Mono and on CoreCLR, for each clock, beside trackers to compare with.
#   tests/bench/probe.sh [--build DIR] [--runs N] [--milliseconds N] [--only "VARIANT..."] [--runtimes "RUNTIME..."]
# One program (Probe*.cs: fib, Richards, a JSON parser), plain and instrumented; what an instrumented one takes more than the plain one,
# divided by the calls. Each figure is the least of N runs (5), which take turns, each the least of many windows in N ms (1000). Ratios are
# to two bare readings of the same clock, in the same runs. Exits 1 when a program does not do what it did, 77 without mcs.
#
# A variant is a row in the table below; a job is a row in Probe.cs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=5 milliseconds=1000 only= runtimes=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --milliseconds) milliseconds=$2; shift 2 ;;
    --only) only=" $2 "; shift 2 ;;
    --runtimes) runtimes=$2; shift 2 ;;
    *) sed -n '3s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
BUILD=$(cd "$build" && pwd)
ilinject=${ILINJECT:-$BUILD/ilinject}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export ILINJECT_OUT=$work/profile.ilprof ILINJECT_BEAT=0

command -v mcs >/dev/null || { echo "skipped: what a probe costs: no mcs"; exit 77; }
mcs -nologo -optimize+ -out:"$work/Probe.exe" tests/bench/Probe.cs tests/bench/ProbeJson.cs tests/bench/ProbeRichards.cs || exit 1
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
if [ -z "$runtimes" ]; then for runtime in mono dotnet; do command -v $runtime >/dev/null && runtimes+=" $runtime"; done; fi

# variant | how it is made | compared with | what it is called
table='plain    |                     |           |
count           | COUNT               |           |
empty           | EMPTY               |           | two empty calls
based           | BASED               | empty     | the same, ids with a base
bare-stopwatch  | STOPWATCH           |           | Stopwatch, read twice
bare-fast       | FENCED              |           | fast, read twice
bare-unfenced   | UNFENCED            |           | fast-unfenced, read twice
naive           | NAIVE               |           | naive: Stack, Stopwatch, Dictionary, lock
none            | clock=none          |           | tracker, clock=none
stopwatch       | clock=stopwatch     | bare-stopwatch | tracker, clock=stopwatch
fast            | clock=fast          | bare-fast | tracker, clock=fast
fast-unfenced   | clock=fast-unfenced | bare-unfenced | tracker, clock=fast-unfenced
coarse          | clock=coarse        |           | tracker, clock=coarse'
rows() { tr -d ' ' <<<"$table" | cut -d '|' -f 1-3; }
wanted() { [ -z "$only" ] || [ "$1" = plain ] || [ "$1" = count ] || [[ $only == *" $1 "* ]]; }

instrument() { # FOLDER OPTION...
    "$ilinject" "$work/Probe.exe" -o "$1/Probe.exe" --quiet "${@:2}" || { echo "$1 is not instrumented" >&2; exit 1; }
}
compile() { # FOLDER SYMBOLS [FILE...]: a tracker to compare with
    mcs -nologo -target:library -optimize+ -nowarn:414,649 -define:"$2" -out:"$1/ProbeTracker.dll" tests/bench/ProbeTracker.cs "${@:3}" || exit 1
}
prepare() { # VARIANT HOW RUNTIME: makes $work/RUNTIME/VARIANT
    local folder=$work/$3/$1 symbols=$2
    mkdir -p "$folder"
    case $2 in
    '') cp "$work/Probe.exe" "$folder" ;;
    clock=*) instrument "$folder" --native-clock=host --set "$2" ;;
    FENCED | UNFENCED)
        [ "$3" != mono ] || symbols+=,MONO
        compile "$folder" "$symbols" runtime-tracker/NativeClock.cs
        instrument "$folder" --native-clock=host --tracker "$folder/ProbeTracker.dll"
        ;;
    *)
        compile "$folder" "$symbols"
        instrument "$folder" --tracker "$folder/ProbeTracker.dll"
        ;;
    esac
    printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' "$core" >"$folder/Probe.runtimeconfig.json"
}
for runtime in $runtimes; do
    while IFS='|' read -r variant how _; do wanted "$variant" && prepare "$variant" "$how" "$runtime"; done < <(rows)
done

for ((run = 0; run < runs; run++)); do
    for runtime in $runtimes; do
        for folder in "$work/$runtime"/*/; do
            variant=$(basename "$folder") time=$milliseconds
            if [ "$variant" = count ]; then
                [ "$run" -eq 0 ] || continue
                time=0
            fi
            "$runtime" "$folder/Probe.exe" "$time" >"$work/said" || { echo "$variant fails on $runtime" >&2; exit 1; }
            awk -v runtime="$runtime" -v variant="$variant" '{ print runtime, variant, $0 }' "$work/said" >>"$work/figures"
        done
    done
done
[ "$(awk '$3 == "sum" { print $4 }' "$work/figures" | sort -u | wc -l)" -eq 1 ] || { echo "an instrumented program does not do what it did" >&2; exit 1; }

echo "on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors; $("$ilinject" --version)"
echo "ns for each enter and leave, least of $runs runs of $milliseconds ms; in brackets: to two bare readings of that clock (base: to two empty calls)"
for runtime in $runtimes; do
    if [ "$runtime" = mono ]; then title=$(mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p'); else title="CoreCLR $core"; fi
    awk -v runtime="$runtime" -v title="$title" -v table="$table" '
        $1 == runtime && $3 == "calls" { calls[$4] = $5 }
        $1 == runtime && $3 != "calls" && $3 != "sum" {
            if (!(($2, $3) in least) || $4 < least[$2, $3]) least[$2, $3] = $4
            if (!($3 in seen)) { seen[$3] = 1; jobs[++count] = $3 }
        }
        function pair(variant, job) { return (least[variant, job] - least["plain", job]) / calls[job] }
        END {
            printf "%-44s", title
            for (j = 1; j <= count; j++) printf " %17s", jobs[j]
            print ""
            for (j = 1; j <= count; j++) called = called sprintf(" %17d", calls[jobs[j]])
            printf "  %-42s%s\n", "calls in one run of it", called
            lines = split(table, line, "\n")
            for (i = 1; i <= lines; i++) {
                split(line[i], field, "|")
                for (f in field) gsub(/^ +| +$/, "", field[f])
                if (field[4] == "" || !((field[1], jobs[1]) in least)) continue
                printf "  %-42s", field[4]
                for (j = 1; j <= count; j++) {
                    ratio = field[3] != "" && ((field[3], jobs[j]) in least) ? sprintf("(%+.1f %%)", (pair(field[1], jobs[j]) / pair(field[3], jobs[j]) - 1) * 100) : ""
                    printf " %7.2f %9s", pair(field[1], jobs[j]), ratio
                }
                print ""
            }
        }' "$work/figures"
done
