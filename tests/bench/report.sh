#!/usr/bin/env bash
# The report's benchmark: each view of a profile of 1,000,000 call-tree nodes and 20,000 functions; wall time and peak memory.
#   tests/bench/report.sh [--build DIR] [--runs N]
# Least of N runs (5), taken in turns.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=5
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "usage: tests/bench/report.sh [--build DIR] [--runs N]" >&2; exit 2 ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/tests/large_profile" "$work/large.ilprof" 1000000 20000 || exit 1
declare -A seconds memory
views=(--view=default --view=functions --by=type --by=thread --view=tree --view=callers --view=hot --filter=Large.Library)
for _ in $(seq "$runs"); do
    for view in "${views[@]}"; do
        read -r s kib <<<"$("$build/tests/measure" "$build/ilinject" report "$work/large.ilprof" "$view" | tail -n 1)"
        seconds[$view]=$(awk -v a="${seconds[$view]:-1e9}" -v b="$s" 'BEGIN { print a < b ? a : b }')
        [ "${memory[$view]:-0}" -ge "$kib" ] || memory[$view]=$kib
    done
done
echo "a profile of 1,000,000 nodes, $(du -k "$work/large.ilprof" | cut -f1) KiB, least of $runs"
for view in "${views[@]}"; do
    awk -v v="$view" -v s="${seconds[$view]}" -v kib="${memory[$view]}" 'BEGIN { printf "  %-24s %8.0f ms %8.1f MiB\n", v, s * 1000, kib / 1024 }'
done
