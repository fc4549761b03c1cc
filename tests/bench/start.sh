#!/usr/bin/env bash
# The cost of the tracker in a program that hardly begins before it ends, and how long it holds up
# the end of one with a large profile.
#   tests/bench/start.sh [--build DIR] [--runs N]
# One program (Start.cs) with the same injected calls, of an empty tracker with the same methods and of the built-in one, on Mono and on
# CoreCLR, in turns, N times (30), each in a process of its own. Least times: the process from start to end, with both trackers, and what is
# between, which is what the built-in tracker costs from the first call to the last; then, seen from inside the program, its first call, and the
# tracker's work at the end. Then that work with 137,256 nodes, and for 100,000 of them. Exits 1 when a program does not do what it did, 77
# without mcs.
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

mkdir "$work/empty" "$work/built-in"
mcs -nologo -optimize+ -out:"$work/Start.exe" tests/bench/Start.cs &&
    "$ilinject" "$work/Start.exe" -o "$work/built-in/" --include Work --exclude Work.Grow --quiet &&
    cp "$work/built-in/Start.exe" "$work/empty/" &&
    mcs -nologo -optimize+ -target:library -out:"$work/empty/ProfileInfoTracker.dll" tests/tracker/StubTracker.cs || exit 1
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
runtimes=
if command -v mono >/dev/null; then runtimes+=" mono"; fi
if [ -n "$core" ]; then runtimes+=" dotnet"; fi
for variant in empty built-in; do
    echo "{ \"runtimeOptions\": { \"framework\": { \"name\": \"Microsoft.NETCore.App\", \"version\": \"$core\" } } }" >"$work/$variant/Start.runtimeconfig.json"
done

for ((run = 0; run < runs; run++)); do
    for runtime in $runtimes; do
        for variant in empty built-in; do
            said=$("$BUILD/tests/measure" "$runtime" "$work/$variant/Start.exe" 2) || { echo "$variant fails on $runtime" >&2; exit 1; }
            echo "$runtime $variant process ${said% *}"
            echo "$runtime $variant $("$runtime" "$work/$variant/Start.exe" 2)"
        done
        if [ $((run % 3)) -eq 0 ]; then echo "$runtime large $("$runtime" "$work/built-in/Start.exe" 6)"; fi
    done
done >"$work/figures"
[ "$(awk '$7 == "sum" { print $2 == "large", $8 }' "$work/figures" | sort -u | tr '\n' ' ')" = "0 57 1 137257 " ] ||
    { echo "an instrumented program does not do what it did" >&2; exit 1; }

awk -v OFS='\t' '$3 == "process" { print $1, $2, "seconds", $4; next } { print $1, $2, "first", $4; print $1, $2, "exit", $6 }' "$work/figures" | raw_lines
echo "on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors; $("$ilinject" --version)"
echo "least of $runs runs, in ms: a short program with an empty tracker and with the built-in one"
printf '%-22s %8s %9s %8s %6s %11s %9s %14s %14s\n' '' empty built-in between ratio 'first call' 'at end' '137,256 nodes' '100,000 nodes'
for runtime in $runtimes; do
    if [ "$runtime" = mono ]; then title=$(mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p'); else title="CoreCLR $core"; fi
    awk -v runtime="$runtime" -v title="$title" '
        function low(key, value) { if (!(key in least) || value < least[key]) least[key] = value }
        $1 == runtime && $3 == "process" { low($2, $4 * 1000) }
        $1 == runtime && $3 == "first" { low($2 " first", $4 / 1000); low($2 " exit", $6 / 1000) }
        END {
            printf "  %-20s %8.1f %9.1f %8.1f %6.2f %11.1f %9.1f %14.1f %14.1f\n", title, least["empty"], least["built-in"], least["built-in"] - least["empty"],
                least["built-in"] / least["empty"], least["built-in first"], least["built-in exit"] - least["empty exit"],
                least["large exit"] - least["empty exit"], (least["large exit"] - least["empty exit"]) / 1.37256
        }' "$work/figures"
done
