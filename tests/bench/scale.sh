#!/usr/bin/env bash
# How cost grows with the input: instructions and peak memory for each byte, over four orders of magnitude of real files and of programs
# made large in one way (tests/e2e/lib/c/made_large.c), as a table.
#   tests/bench/scale.sh [--build DIR] [--quick]
# Instructions are counted by callgrind, so that what else the machine does is of no account; with --quick the largest size of each is
# left out (a minute in place of ten). The job: an enter at every head and a leave before every ret with an id; then the built-in tracker, guarded.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build quick=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --quick) quick=1; shift ;;
    *) echo "usage: tests/bench/scale.sh [--build DIR] [--quick]" >&2; exit 2 ;;
    esac
done
export BUILD=$PWD/$build
ILINJECT=${ILINJECT:-$BUILD/ilinject}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/e2e/lib/sh/scale.sh
command -v valgrind >/dev/null && command -v mcs >/dev/null || { echo "skipped: how cost grows: no valgrind, or no mcs"; exit 0; }
mcs -nologo -target:library -optimize+ -out:"$work/IntTracker.dll" tests/bench/IntTracker.cs || exit 1
same=(--exits=ret --tracker "$work/IntTracker.dll")

row() { # WHAT FILE
    local counted guarded kib guarded_kib
    counted=$(instructions "$2" -o "$work/out/" "${same[@]}") guarded=$(instructions "$2" -o "$work/out/")
    kib=$(peak "$2" -o "$work/out/" "${same[@]}") guarded_kib=$(peak "$2" -o "$work/out/")
    awk -v what="$1" -v size="$(stat -Lc %s "$2")" -v i="$counted" -v g="$guarded" -v k="$kib" -v m="$guarded_kib" 'BEGIN {
        printf "| %s | %d | %.1f | %.1f | %.2f | %.1f | %.1f | %.2f |\n", what, size, i / 1e6, i / size, k * 1024 / size, g / 1e6, g / size, m * 1024 / size }'
}
echo "| input | bytes | million instructions | for each byte | memory for each byte | guarded: million instructions | for each byte | memory for each byte |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|"
for name in Accessibility Mono.Posix System.Core mscorlib; do
    if [ -f "/usr/lib/mono/4.5/$name.dll" ]; then row "Mono's $name.dll" "/usr/lib/mono/4.5/$name.dll"; fi
done
for shape in "${shapes[@]}"; do
    read -r name most <<<"$shape"
    for part in 1000 100 10 1; do
        [ "$part" = 1 ] && [ "$quick" ] && continue
        made_large "$name" $((most / part)) "$work/large.exe" || exit 1
        row "$name, $((most / part))" "$work/large.exe"
    done
done
