#!/usr/bin/env bash
# How true the times are: methods that work for a known time, on Mono and on CoreCLR, by each clock.
#   tests/bench/accuracy.sh [--build DIR] [--runs N] [--clocks "stopwatch fast"] [--runtimes "mono dotnet"]
# One program (Accuracy.cs) has each method twice, instrumented and not, and calls both in turns in many short rounds of one process;
# so the truth is that of the same minute. Times are those of rounds that nothing has disturbed: what a method takes by itself, without its
# callees, in ns per call; true, raw as recorded, corrected with its range, and by the article's rule (two clock readings a call
# below). A run holds when every method of at least 50 ns is within 10 %, and the range of each shorter one has the truth in it, give or
# take 2 ns; that of ChildBetween, too, since nothing distinguishes a caller that works on both sides of its call from one that works on one. Then how
# much longer a program of methods of 1 µs runs. For each runtime and clock: how many of N runs (1) held, what was missed, what is left out and
# why, and the last run; a clock's bounds are reached when 9 of 10 hold. A run is left out, and made again, up to three times N in all, when
# the machine was not quiet in it by what no tracker has measured: two clock readings around work, in the same rounds, cost over a tenth more
# than in the quietest run with that runtime (what else uses a processor's core makes that a quarter to a half, for seconds), methods that do
# the same work differ by more than 10 %, or ten calls of a few steps leave their caller less than no time, or over 30 ns. A run takes 3 s, or twice that on a busy
# machine (its load is shown); all four of ten runs take 2 to 7 minutes. Exits 77 without mcs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=1 clocks="stopwatch fast" runtimes="mono dotnet" rounds=120
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --clocks) clocks=$2; shift 2 ;;
    --runtimes) runtimes=$2; shift 2 ;;
    *) sed -n '3s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
load() { cut -d ' ' -f 1 /proc/loadavg; }
ilinject=${ILINJECT:-$PWD/$build/ilinject} load=$(load) verdict=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v mcs >/dev/null || { echo "skipped: accuracy of times: no mcs"; exit 77; }
{
    echo 'using System.Runtime.CompilerServices;'
    sed -n '/^public static class Bare/,/^}/p' tests/bench/Accuracy.cs | sed 's/class Bare/class Probed/'
    echo 'public static class Rounds {'
    for i in $(seq "$rounds"); do echo "    public static void R$i() { Program.Round(); }"; done
    echo '    public static void All() {'
    for i in $(seq "$rounds"); do echo "        R$i();"; done
    echo '    } }'
} >"$work/Copies.cs"
mcs -nologo -optimize+ -out:"$work/Accuracy.exe" tests/bench/Accuracy.cs "$work/Copies.cs" || exit 1
mkdir "$work/out"
"$ilinject" -q "$work/Accuracy.exe" -o "$work/out/Accuracy.exe" --exclude Bare --exclude Program --set clock=fast >"$work/log" 2>&1 ||
    "$ilinject" -q "$work/Accuracy.exe" -o "$work/out/Accuracy.exe" --exclude Bare --exclude Program >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' "$core" >"$work/out/Accuracy.runtimeconfig.json"

# measure RUNTIME CLOCK: the rows of one run in $work/rows; false when that clock is not to be had there.
measure() {
    rm -f "$work/profile.ilprof"
    ILINJECT_CLOCK=$2 ILINJECT_OUT=$work/profile.ilprof "$1" "$work/out/Accuracy.exe" >"$work/truth" || exit 1
    local offset
    for offset in calibrated none article; do
        "$ilinject" report --json --offset=$offset "$work/profile.ilprof" >"$work/$offset.json" || exit 1
    done
    grep -q "\"clock\": \"$2\"" "$work/calibrated.json" || return 1
    awk -f tests/bench/accuracy.awk "$work/truth" "$work/calibrated.json" "$work/none.json" "$work/article.json" >"$work/rows" || exit 1
}
# Which rows do not hold; nothing when all do.
broken() {
    awk '$1 == "overhead" || $1 == "gauge" { next }
         $2 < 50 || $1 == "ChildBetween" { if ($5 - 2 > $2 || $6 + 2 < $2) print $1 " " $5 ".." $6 " of " $2; next }
         $4 < 0.9 * $2 || $4 > 1.1 * $2 { print $1 " " $4 " of " $2 }' "$work/rows"
}
# The measurements without a tracker that contradict the others; nothing when all agrees.
contradiction() {
    awk '{ t[$1] = $2 }
         function as_leaf(name, time) { if (time < 0.9 * t["Leaf"] || time > 1.1 * t["Leaf"]) print name " works for " time " ns, Leaf for " t["Leaf"] }
         END {
             as_leaf("OneChild", t["OneChild"]); as_leaf("ChildFirst", t["ChildFirst"]); as_leaf("ChildBetween", t["ChildBetween"])
             as_leaf("TenLeaves", t["TenLeaves"] / 10)
             if (t["TenTiny"] < 0 || t["TenTiny"] > 30) print "ten calls of a few steps leave TenTiny " t["TenTiny"] " ns"
         }' "$work/rows" | head -n 1
}
# The time of two readings in the quietest run with this runtime so far.
quietest() { sort -n "$work/gauges.$runtime".* | awk 'NR == 1 { print $1 }'; }
# The runs that count, of the lines "ns number" of this clock: as many from the first on as took little more.
counting() {
    awk -v least="$(quietest)" -v runs="$runs" '$1 < 1e9 && $1 <= least * 1.1 && n++ < runs { print $2 }' "$work/gauges.$runtime.$clock"
}
# RUN: why it does not count.
reason() {
    if [ -s "$work/why.$1" ]; then
        cat "$work/why.$1"
    else
        awk -v run="$1" -v least="$(quietest)" '$2 == run { print "two readings around work took " $1 " ns, in the quietest run " least }' "$work/gauges.$runtime.$clock"
    fi
}
for runtime in $runtimes; do
    command -v "$runtime" >/dev/null || { echo "$runtime is not here"; continue; }
    for clock in $clocks; do
        rm -f "$work"/rows.* "$work"/not.* "$work"/why.*
        made=0 started=$SECONDS
        while :; do
            measure "$runtime" "$clock" || { echo "$runtime, clock $clock: not to be had"; continue 2; }
            gauge=$(awk '$1 == "gauge" { print $2 }' "$work/rows")
            contradiction >"$work/why.$made"
            if [ -s "$work/why.$made" ]; then gauge=1e9; fi
            echo "$gauge $made" >>"$work/gauges.$runtime.$clock"
            broken >"$work/not.$made"
            mv "$work/rows" "$work/rows.$made"
            made=$((made + 1))
            quiet=$(counting)
            if [ "$(wc -w <<<"$quiet")" -ge "$runs" ] || [ $made -ge $((3 * runs)) ]; then break; fi
        done
        held=0 counted=0
        : >"$work/told"
        for ((run = 0; run < made; run++)); do
            if ! grep -qx "$run" <<<"$quiet"; then
                echo "    left out: $(reason "$run"); it $([ -s "$work/not.$run" ] && echo missed || echo held)" >>"$work/told"
                continue
            fi
            counted=$((counted + 1))
            if [ -s "$work/not.$run" ]; then sed "s/^/    missed in run $counted: /" "$work/not.$run" >>"$work/told"; else held=$((held + 1)); fi
            cp "$work/rows.$run" "$work/rows"
        done
        echo "$runtime, clock $clock: $held of $counted runs hold, $((made - counted)) more are left out, $((SECONDS - started)) s"
        verdict+="$(printf '%-8s %-10s %2d of %2d runs hold, %d more left out: %s' "$runtime" "$clock" "$held" "$counted" $((made - counted)) "$([ $counted -eq "$runs" ] && [ $((held * 10)) -ge $((counted * 9)) ] && echo reached || echo 'NOT reached')")"$'\n'
        sort "$work/told"
        [ $counted -gt 0 ] || continue
        printf '    %-12s %8s %8s %10s   %-17s %9s\n' method true raw corrected range article
        awk '$1 == "gauge" { next }
             $1 == "overhead" { printf "    a program of methods of 1 µs runs %.1f %% longer\n", $2; next }
             { printf "    %-12s %8.1f %8.1f %10.1f   %7.1f .. %-7.1f %8.1f\n", $1, $2, $3, $4, $5, $6, $7 }' "$work/rows"
    done
done
echo "bounds, 9 of 10 runs, at a load of $load to $(load) on $(nproc) processors:"
printf '%s' "$verdict" | sed 's/^/    /'
