#!/usr/bin/env bash
# The report's benchmark: each view and format of a profile of 1,000,000 call-tree nodes and 20,000 functions; wall time, processor time, peak memory.
#   tests/bench/report.sh [--build DIR] [--runs N]
# Least of N runs (5), taken in turns. The output goes to /dev/null; its size is that of one more
# run.
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
. tests/bench/raw.sh
raw_begin report "tests/bench/report.sh --runs $runs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/tests/large_profile" "$work/large.ilprof" 1000000 20000 || exit 1
views=(--view=default --view=functions --by=type --by=thread --view=tree --view=callers --view=hot --filter=Large.Library)
for format in html json csv calltree tree calllog speedscope collapsed callgrind pprof suggestions; do views+=(--format=$format); done
for _ in $(seq "$runs"); do
    for view in "${views[@]}"; do
        read -r s kib cpu <<<"$("$build/tests/measure" -c "$build/ilinject" report "$work/large.ilprof" "$view" | tail -n 1)"
        echo "$view $s $kib $cpu" >>"$work/figures"
        raw large "\`$view\`" seconds "$s"
        raw large "\`$view\`" kib "$kib"
        raw large "\`$view\`" processor "$cpu"
    done
done
for view in "${views[@]}"; do raw large "\`$view\`" output "$("$build/ilinject" report "$work/large.ilprof" "$view" | wc -c)"; done
echo "a profile of 1,000,000 nodes, $(du -k "$work/large.ilprof" | cut -f1) KiB, least of $runs: wall, processors, peak memory"
awk '
    !($1 in s) { order[++n] = $1; s[$1] = $2; cpu[$1] = $4 }
    { if ($2 < s[$1]) s[$1] = $2; if ($4 < cpu[$1]) cpu[$1] = $4; if ($3 > kib[$1]) kib[$1] = $3 }
    END { for (i = 1; i <= n; i++) { v = order[i]; printf "  %-24s %8.0f ms %8.0f ms %8.1f MiB\n", v, s[v] * 1000, cpu[v] * 1000, kib[v] / 1024 } }' "$work/figures"
