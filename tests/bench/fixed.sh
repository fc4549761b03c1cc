#!/usr/bin/env bash
# The tracker's cost for a program, whatever that calls: its start, its calibrations, its samples of the
# machine, its writings.
#   tests/bench/fixed.sh [--build DIR] [--runs N]
# One program (Fixed.cs) plain and instrumented, on Mono and on CoreCLR, that works for some 0.2, 1 and
# 5 s in calls of 0.1 ms: its calls cost next to nothing. In turns, N times (15; of 5 s a third as
# often), each in a process of its own. Processor milliseconds, user and system, of all threads: least
# and middle of plain and of instrumented, and what the latter is beyond the former. Then how many
# methods .NET compiled just in time, and the bytes of their IL, by its own list. Exits 1 when a
# program fails, 77 without mcs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=15
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "usage: tests/bench/fixed.sh [--build DIR] [--runs N]" >&2; exit 2 ;;
    esac
done
case $build in /*) BUILD=$build ;; *) BUILD=$PWD/$build ;; esac
ilinject=${ILINJECT:-$BUILD/ilinject}
. tests/bench/raw.sh
raw_begin fixed "tests/bench/fixed.sh --runs $runs"
command -v mcs >/dev/null || { echo "skipped: the fixed price: no mcs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The settings are the defaults, but for the place.
# shellcheck disable=SC2086
unset ${!ILINJECT_@}
export ILINJECT_OUT=$work/profile.ilprof

mkdir "$work/plain" "$work/instrumented"
mcs -nologo -optimize+ -out:"$work/plain/Fixed.exe" tests/bench/Fixed.cs &&
    "$ilinject" "$work/plain/Fixed.exe" -o "$work/instrumented/" --quiet || exit 1
core=$(dotnet --list-runtimes 2>/dev/null |
    sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
runtimes=
if command -v mono >/dev/null; then runtimes+=" mono"; fi
if [ -n "$core" ]; then runtimes+=" dotnet"; fi
for variant in plain instrumented; do
    printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' \
        "$core" >"$work/$variant/Fixed.runtimeconfig.json"
done

# RUNTIME VARIANT CALLS: processor seconds of one run.
once() {
    local said
    said=$("$BUILD/tests/measure" -c "$1" "$work/$2/Fixed.exe" "$3") ||
        { echo "$2 fails on $1" >&2; return 1; }
    said=${said##*$'\n'}
    echo "${said##* }"
}
# Calls in a second, by the least of three runs that do and three that do not call.
for runtime in $runtimes; do
    for ((run = 0; run < 3; run++)); do
        echo "0 $(once "$runtime" plain 0)"
        echo "5000 $(once "$runtime" plain 5000)"
    done | awk -v runtime="$runtime" '
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END {
            took = least[5000] - least[0]
            if (took <= 0) exit 1
            printf "%s %d\n", runtime, 5000 / took
        }' || exit 1
done >"$work/rates" || exit 1

for ((run = 0; run < runs; run++)); do
    for seconds in 0.2 1 5; do
        if [ $seconds = 5 ] && [ $((run % 3)) -ne 0 ]; then continue; fi
        while read -r runtime rate; do
            calls=$(awk -v rate="$rate" -v seconds=$seconds 'BEGIN { printf "%d", rate * seconds }')
            for variant in plain instrumented; do
                cpu=$(once "$runtime" $variant "$calls") || exit 1
                printf '%s %s\t%s\tms\t%s\n' "$runtime" $seconds $variant \
                    "$(awk -v s="$cpu" 'BEGIN { printf "%.1f", s * 1000 }')"
            done
        done <"$work/rates"
    done
done >"$work/figures" || exit 1
raw_lines <"$work/figures"

model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "on $model, $(nproc) processors; $("$ilinject" --version)"
echo "processor ms, least and middle of $runs runs (5 s: a third as many)"
printf '%-20s %8s %8s   %8s %8s   %8s %8s\n' '' plain '' instr. '' beyond ''
for runtime in $runtimes; do
    title="CoreCLR $core"
    if [ "$runtime" = mono ]; then
        title=$(mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p')
    fi
    for seconds in 0.2 1 5; do
        for variant in plain instrumented; do
            grep "^$runtime $seconds	$variant	" "$work/figures" | cut -f 4 | sort -n |
                awk '{ v[NR] = $1 } END { printf "%s %s ", v[1], v[int((NR + 1) / 2)] }'
        done | awk -v title="$title, $seconds s" '{
            printf "  %-18s %8.1f %8.1f   %8.1f %8.1f   %8.1f %8.1f\n", title,
                $1, $2, $3, $4, $3 - $1, $4 - $2
        }'
    done
done
[ -n "$core" ] || exit 0
rate=$(sed -n 's/^dotnet //p' "$work/rates")
echo "methods that .NET compiled just in time in 1 s, and bytes of their IL, in all its steps"
for variant in plain instrumented; do
    DOTNET_JitStdOutFile=$work/$variant.jit DOTNET_JitDisasmSummary=1 \
        dotnet "$work/$variant/Fixed.exe" "$rate" || exit 1
    sed -n 's/.*, IL size=\([0-9]*\),.*/\1/p' "$work/$variant.jit" |
        awk -v variant=$variant '
            { bytes += $1 } END { printf "  %-18s %8d %8d\n", variant, NR, bytes }'
    raw "dotnet 1" $variant methods "$(wc -l <"$work/$variant.jit")"
done
