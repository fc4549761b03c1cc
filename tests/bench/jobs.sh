#!/usr/bin/env bash
# The batch benchmark: a thousand assemblies in one run, by one worker and by as many as there are processors (two at least), by one
# process each, and by a Mono.Cecil program that injects the same calls in one process.
#   tests/bench/jobs.sh [--build DIR] [--runs N] [--large]
# Each run writes into a folder that was never used, and all are deleted at the end: ext4 takes long to find inodes for new files where others
# were deleted a short time before. Written files go to the disk between the runs, so that none
# waits for the pages of another. The assemblies are those of Mono's class libraries that the Cecil
# program can rewrite, each as often as it takes. Wall time, processor time and peak memory; least
# of N runs (3), taken in turns, Cecil's in one. Two more rows: by default `ilinject` injects more
# than what Cecil does here. On a machine that is busy with other things the workers have no
# processors of their own: the ratio of `spin`, a program that only counts in one thread and in two,
# says what it had to give. With --large, the memory that 5,000 files (some 2 GB) take beside their
# largest.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=3 large=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --large) large=1; shift ;;
    *) echo "usage: tests/bench/jobs.sh [--build DIR] [--runs N] [--large]" >&2; exit 2 ;;
    esac
done
export BUILD=$PWD/$build
. tests/bench/raw.sh
raw_begin jobs "tests/bench/jobs.sh --runs $runs"
mapfile -t libraries < <(ls -L /usr/lib/mono/4.5/*.dll | LC_ALL=C sort)
[ "${#libraries[@]}" -gt 40 ] || { echo "skipped: several inputs at a time: Mono's libraries are not there"; exit 0; }
workers=$(nproc)
[ "$workers" -ge 2 ] || workers=2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A seconds memory processor
measure() { # NAME COMMAND…: keeps the least times and the highest memory
    local name=$1 line s kib cpu
    shift
    sync -f "$work"
    line=$("$BUILD/tests/measure" -c "$@" 2>"$work/err") || { echo "$* failed: $(head -n 2 "$work/err")" >&2; exit 1; }
    read -r s kib cpu <<<"$line"
    raw files "$name" seconds "$s"
    raw files "$name" processor "$cpu"
    raw files "$name" kib "$kib"
    seconds[$name]=$(awk -v a="${seconds[$name]:-1e9}" -v b="$s" 'BEGIN { print a < b ? a : b }')
    processor[$name]=$(awk -v a="${processor[$name]:-1e9}" -v b="$cpu" 'BEGIN { print a < b ? a : b }')
    [ "${memory[$name]:-0}" -ge "$kib" ] || memory[$name]=$kib
}
row() { # NAME TITLE
    awk -v title="$2" -v s="${seconds[$1]}" -v kib="${memory[$1]}" -v cpu="${processor[$1]}" -v one="${seconds[one]}" -v cone="${processor[one]}" 'BEGIN {
        printf "  %-28s %9.2f s %9.2f s of processors %8.1f MiB  %6.2fx the time of one worker, %6.2fx of processors\n", title, s, cpu, kib / 1024, s / one, cpu / cone }'
}
if [ "$large" ]; then
    for i in $(seq 37); do
        mkdir -p "$work/large/$i" && cp -L "${libraries[@]}" "$work/large/$i"
    done
    largest=$(ls -LS "${libraries[@]}" | head -n 1)
    measure one "$BUILD/ilinject" -q "$largest" -o "$work/largest.dll"
    measure five "$BUILD/ilinject" -q -j 1 --all "$work/large" -o "$work/out-1"
    measure ten "$BUILD/ilinject" -q -j "$workers" --all "$work/large" -o "$work/out-2"
    echo "$(find "$work/large" -type f | wc -l) files, $(du -sm "$work/large" | cut -f1) MiB; the largest has $(du -kL "$largest" | cut -f1) KiB"
    row one "the largest alone"
    row five "all, one worker"
    row ten "all, $workers workers"
    exit 0
fi

command -v mcs >/dev/null && mcs -nologo -target:library -optimize+ -out:"$work/IntTracker.dll" tests/bench/IntTracker.cs || { echo "skipped: several inputs at a time: no mcs"; exit 0; }
if cecil=$(tests/bench/peer); then
    printf '%s\n' "${libraries[@]}" >"$work/list"
    mapfile -t libraries < <(dotnet "$cecil" --list "$work/list" 2>/dev/null | sed -n 's/^[1-9][0-9]* //p')
else
    echo "without Mono.Cecil: $cecil"
    raw_missing Mono.Cecil "$cecil"
    cecil=
fi
mkdir "$work/in" "$work/cecil"
for i in $(seq 0 999); do
    f=${libraries[$((i % ${#libraries[@]}))]}
    cp -L "$f" "$work/in/$(printf %03d "$i")-$(basename "$f")"
done
inputs=("$work"/in/*)
printf '%s\n' "${inputs[@]}" >"$work/list"
same=(--exits=ret --tracker "$work/IntTracker.dll")
# shellcheck disable=SC2016
each='for f in "${@:6}"; do "$1" -q "$f" -o "$2/" "${@:3:3}" || exit 1; done'
spin='for ((t = 0; t < $1; t++)); do (for ((i = 0; i < 400000 / $1; i++)); do :; done) & done; wait'
for i in $(seq "$runs"); do
    to=$work/out/$i
    mkdir -p "$to/each"
    measure spin1 bash -c "$spin" - 1
    measure spin2 bash -c "$spin" - "$workers"
    measure each bash -c "$each" - "$BUILD/ilinject" "$to/each" "${same[@]}" "${inputs[@]}"
    measure one "$BUILD/ilinject" -q -j 1 "${inputs[@]}" -o "$to/one/" "${same[@]}"
    measure several "$BUILD/ilinject" -q -j "$workers" "${inputs[@]}" -o "$to/several/" "${same[@]}"
    measure default "$BUILD/ilinject" -q -j 1 "${inputs[@]}" -o "$to/default/"
    measure defaults "$BUILD/ilinject" -q -j "$workers" "${inputs[@]}" -o "$to/defaults/"
    diff -r "$to/one" "$to/several" && diff -r "$to/default" "$to/defaults" || { echo "the outputs differ" >&2; exit 1; }
done
if [ "$cecil" ]; then measure cecil dotnet "$cecil" --list "$work/list" "$work/cecil"; fi
echo "1000 assemblies of Mono, $(du -ck "${inputs[@]}" | tail -n 1 | cut -f1) KiB, least of $runs"
row one "one worker"
row several "$workers workers"
row each "a process each"
if [ "$cecil" ]; then row cecil "Mono.Cecil 0.11.6"; fi
row default "one worker, built-in"
row defaults "$workers workers, built-in"
awk -v a="${seconds[spin1]}" -v b="${seconds[spin2]}" -v n="$workers" 'BEGIN { printf "  the machine itself gave %.2fx of %d\n", a / b, n }'
