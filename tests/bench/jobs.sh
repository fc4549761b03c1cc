#!/usr/bin/env bash
# The batch benchmark: the assemblies of Mono's folder in one run, by one worker and by as many as there are processors (two at least),
# and by one process each; wall time and peak memory.
#   tests/bench/jobs.sh [--build DIR] [--runs N]
# Least of N runs (5), taken in turns. On a machine that is busy with other things the workers have no processors of their own: the ratio
# of `spin`, a program that only counts in one thread and in two, says what it had to give.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=5
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "usage: tests/bench/jobs.sh [--build DIR] [--runs N]" >&2; exit 2 ;;
    esac
done
export BUILD=$PWD/$build
inputs=(/usr/lib/mono/4.5/*.dll)
[ "${#inputs[@]}" -gt 40 ] || { echo "skipped: several inputs at a time: Mono's libraries are not there"; exit 0; }
workers=$(nproc)
[ "$workers" -ge 2 ] || workers=2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A seconds memory
measure() { # NAME COMMAND…: keeps the least time and the highest memory
    local name=$1 line s kib
    shift
    line=$("$BUILD/tests/measure" "$@" 2>"$work/err") || { echo "$* failed: $(head -n 2 "$work/err")" >&2; exit 1; }
    read -r s kib <<<"$line"
    seconds[$name]=$(awk -v a="${seconds[$name]:-1e9}" -v b="$s" 'BEGIN { print a < b ? a : b }')
    [ "${memory[$name]:-0}" -ge "$kib" ] || memory[$name]=$kib
}
# shellcheck disable=SC2016
each='for f in "${@:3}"; do "$1" -q "$f" -o "$2/" || exit 1; done'
spin='for ((t = 0; t < $1; t++)); do (for ((i = 0; i < 400000 / $1; i++)); do :; done) & done; wait'
for _ in $(seq "$runs"); do
    measure spin1 bash -c "$spin" - 1
    measure spin2 bash -c "$spin" - "$workers"
    measure each bash -c "$each" - "$BUILD/ilinject" "$work/each" "${inputs[@]}"
    measure one "$BUILD/ilinject" -q -j 1 "${inputs[@]}" -o "$work/one/"
    measure several "$BUILD/ilinject" -q -j "$workers" "${inputs[@]}" -o "$work/several/"
done
diff -r "$work/one" "$work/several" || { echo "the outputs differ" >&2; exit 1; }
row() { # NAME TITLE
    awk -v title="$2" -v s="${seconds[$1]}" -v kib="${memory[$1]}" -v one="${seconds[one]}" 'BEGIN {
        printf "  %-22s %9.1f ms %8.1f MiB  %5.2fx the speed of one worker\n", title, s * 1000, kib / 1024, one / s }'
}
echo "${#inputs[@]} assemblies of Mono, $(du -cLk "${inputs[@]}" | tail -n 1 | cut -f1) KiB, least of $runs"
row each "a process each"
row one "one worker"
row several "$workers workers"
awk -v a="${seconds[spin1]}" -v b="${seconds[spin2]}" 'BEGIN { printf "  the machine itself gave %.2fx\n", a / b }'
