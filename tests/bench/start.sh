#!/usr/bin/env bash
# The cost of the tracker in a program that hardly begins before it ends, and how long it holds up
# the end of one with a large profile.
#   tests/bench/start.sh [--build DIR] [--runs N]
# One program (Start.cs) with the same injected calls, of an empty tracker with the same methods, of the built-in one, and of that compiled
# ahead (Mono's own compiler; the one that `make native` has made), on Mono and on CoreCLR, in turns, N times (30), each in a process of its
# own. Least: the processor time of the process with each, and what is between, which is what the tracker costs from the first call to the
# last; then, seen from inside the program with the built-in one, its first call, and the tracker's work at the end. Then that work with
# 137,256 nodes, and for 100,000 of them. Exits 1 when a program does not do what it did, 77 without mcs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=30
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "usage: tests/bench/start.sh [--build DIR] [--runs N]" >&2; exit 2 ;;
    esac
done
export BUILD=$PWD/$build
ilinject=${ILINJECT:-$BUILD/ilinject}
. tests/bench/raw.sh
raw_begin start "tests/bench/start.sh --runs $runs"
command -v mcs >/dev/null || { echo "skipped: the tracker's start and end: no mcs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ILINJECT_OUT=$work/profile.ilprof ILINJECT_BEAT=0

mkdir "$work/empty" "$work/built-in" "$work/compiled"
mcs -nologo -optimize+ -out:"$work/Start.exe" tests/bench/Start.cs &&
    "$ilinject" "$work/Start.exe" -o "$work/built-in/" --include Work --exclude Work.Grow --quiet &&
    cp "$work/built-in/Start.exe" "$work/empty/" && cp "$work/built-in/"* "$work/compiled/" &&
    mcs -nologo -optimize+ -target:library -out:"$work/empty/ProfileInfoTracker.dll" tests/tracker/StubTracker.cs || exit 1
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
runtimes=
declare -A variants=([mono]='empty built-in' [dotnet]='empty built-in')
if command -v mono >/dev/null; then
    runtimes+=" mono"
    # .NET does not look at its file.
    if mono --aot "$work/compiled/ProfileInfoTracker.dll" >/dev/null 2>&1; then variants[mono]+=' compiled'; fi
fi
if [ -n "$core" ]; then
    runtimes+=" dotnet"
    if [ -f "$build/native/ProfileInfoTracker.dll" ]; then
        cp -r "$work/compiled" "$work/compiled-for-dotnet" && cp "$build/native/ProfileInfoTracker.dll" "$work/compiled-for-dotnet/" || exit 1
        variants[dotnet]+=' compiled'
    else
        raw_missing "the tracker compiled ahead for CoreCLR" "no make native"
    fi
fi
for variant in empty built-in compiled compiled-for-dotnet; do
    [ ! -d "$work/$variant" ] ||
        echo "{ \"runtimeOptions\": { \"framework\": { \"name\": \"Microsoft.NETCore.App\", \"version\": \"$core\" } } }" >"$work/$variant/Start.runtimeconfig.json"
done

TIMEFORMAT='%3U %3S'
for ((run = 0; run < runs; run++)); do
    for runtime in $runtimes; do
        for variant in ${variants[$runtime]}; do
            folder=$work/$variant
            if [ "$runtime $variant" = "dotnet compiled" ]; then folder+=-for-dotnet; fi
            { time "$runtime" "$folder/Start.exe" 2 >"$work/said"; } 2>"$work/times" || { echo "$variant fails on $runtime" >&2; exit 1; }
            awk -v key="$runtime $variant processor" '{ print key, $1 + $2 }' "$work/times"
            echo "$runtime $variant $(cat "$work/said")"
        done
        if [ $((run % 3)) -eq 0 ]; then echo "$runtime large $("$runtime" "$work/built-in/Start.exe" 6)"; fi
    done
done >"$work/figures"
[ "$(awk '$7 == "sum" { print $2 == "large", $8 }' "$work/figures" | sort -u | tr '\n' ' ')" = "0 57 1 137257 " ] ||
    { echo "an instrumented program does not do what it did" >&2; exit 1; }

awk -v OFS='\t' '$3 == "processor" { print $1, $2, "seconds", $4; next } { print $1, $2, "first", $4; print $1, $2, "exit", $6 }' "$work/figures" | raw_lines
echo "on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors; $("$ilinject" --version)"
echo "least of $runs runs, in ms: of the processor with an empty tracker, and how much more with the built-in one, and with that compiled ahead"
printf '%-22s %8s %9s %9s %11s %9s %14s %14s\n' '' empty built-in compiled 'first call' 'at end' '137,256 nodes' '100,000 nodes'
for runtime in $runtimes; do
    if [ "$runtime" = mono ]; then title=$(mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p'); else title="CoreCLR $core"; fi
    awk -v runtime="$runtime" -v title="$title" '
        function low(key, value) { if (!(key in least) || value < least[key]) least[key] = value }
        $1 == runtime && $3 == "processor" { low($2, $4 * 1000) }
        # A run may take so long that the tracker moves its handler after the program'\''s last one, which then sees nothing of it.
        $1 == runtime && $3 == "first" && ($2 != "large" || $6 / 1000 > least["built-in exit"]) { low($2 " first", $4 / 1000); low($2 " exit", $6 / 1000) }
        END {
            printf "  %-20s %8.1f %9.1f %9s %11.1f %9.1f %14.1f %14.1f\n", title, least["empty"], least["built-in"] - least["empty"],
                "compiled" in least ? sprintf("%.1f", least["compiled"] - least["empty"]) : "-", least["built-in first"],
                least["built-in exit"] - least["empty exit"], least["large exit"] - least["empty exit"], (least["large exit"] - least["empty exit"]) / 1.37256
        }' "$work/figures"
done
