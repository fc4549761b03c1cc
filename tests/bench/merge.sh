#!/usr/bin/env bash
# Merging and reporting many profiles: wall time and peak memory, beside `go tool pprof` merging the same data.
#   tests/bench/merge.sh [--build DIR] [--full] [--profiles N] [--nodes N] [--no-pprof]
# 40 profiles of 20,000 nodes; --full: 1,000 of 100,000 (1.5 GB in the temporary folder), but only 16 for pprof: it keeps what it has read, and
# takes minutes and gigabytes. For pprof each profile is exported first, which is not counted.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build profiles=40 nodes=20000 pprof=40
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --full) profiles=1000 nodes=100000 pprof=16; shift ;;
    --profiles) profiles=$2; shift 2 ;;
    --nodes) nodes=$2; shift 2 ;;
    --no-pprof) pprof=0; shift ;;
    *) echo "usage: tests/bench/merge.sh [--build DIR] [--full] [--profiles N] [--nodes N] [--no-pprof]" >&2; exit 2 ;;
    esac
done
export BUILD=$PWD/$build
. tests/bench/raw.sh
raw_begin merge "tests/bench/merge.sh --profiles $profiles --nodes $nodes"
work=$(mktemp -d "${TMPDIR:-/tmp}/ilinject-merge.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/in" "$work/pprof"
"$BUILD/tests/many_profiles" "$work/in" "$profiles" "$nodes" || exit 1
ls -d "$work"/in/* >"$work/list"

# row NAME PROFILES COMMAND…: of that many
row() {
    local name=$1 of=$2 line seconds kib processor
    shift 2
    if line=$("$BUILD/tests/measure" -c "$@" 2>"$work/err"); then
        read -r seconds kib processor <<<"$(tail -n 1 <<<"$line")"
        raw merge "$name" profiles "$of"
        raw merge "$name" nodes "$nodes"
        raw merge "$name" seconds "$seconds"
        raw merge "$name" processor "$processor"
        raw merge "$name" kib "$kib"
        awk -v OFS='\t' -v name="$name" -v cpu="$processor" -v count=$((of * nodes)) 'BEGIN { print "merge", name, "each", cpu * 1e6 / count }' | raw_lines
        awk -v name="$name" -v s="$seconds" -v cpu="$processor" -v kib="$kib" -v count=$((of * nodes)) 'BEGIN {
            printf "%-44s %9.2f s %9.2f s of processors %8.3f us a node %9.1f MB\n", name, s, cpu, cpu * 1e6 / count, kib / 1024 }'
    else
        raw_missing "$name" "$(head -n 1 "$work/err" | cut -c 1-100)"
        printf '%-44s failed: %s\n' "$name" "$(head -n 1 "$work/err" | cut -c 1-100)"
    fi
}
echo "$profiles profiles of $nodes nodes, $(du -sm "$work/in" | cut -f 1) MB:"
head -n 1 "$work/list" >"$work/one"
row "ilinject merge, one profile" 1 "$BUILD/ilinject" merge @"$work/one" -o "$work/one.ilprof"
row "ilinject merge, a tenth" $(((profiles + 9) / 10)) "$BUILD/ilinject" merge @<(head -n $(((profiles + 9) / 10)) "$work/list") -o "$work/tenth.ilprof"
mapfile -t files <"$work/list"
beside_pprof() {
    [ "$pprof" -gt 0 ] || return 0
    if ! command -v go >/dev/null; then
        echo "skipped: pprof merging the same: go is not installed"
        raw_missing "go tool pprof" "go is not installed"
        return
    fi
    for file in "${files[@]:0:pprof}"; do
        "$BUILD/ilinject" report --format=pprof "$file" -o "$work/pprof/$(basename "$file" .ilprof).pb.gz" || exit 1
    done
    count=$(ls "$work/pprof" | wc -l)
    head -n "$count" "$work/list" >"$work/some"
    echo "$count of them beside pprof, there $(du -sm "$work/pprof" | cut -f 1) MB:"
    row "ilinject merge, beside pprof" "$count" "$BUILD/ilinject" merge @"$work/some" -o "$work/some.ilprof"
    row "go tool pprof -proto" "$count" go tool pprof -proto -output="$work/merged.pb.gz" "$work"/pprof/*.pb.gz
    row "go tool pprof -top" "$count" go tool pprof -top "$work"/pprof/*.pb.gz
}
beside_pprof
row "ilinject merge, all" "$profiles" "$BUILD/ilinject" merge @"$work/list" -o "$work/all.ilprof"
# shellcheck disable=SC2016
row "ilinject merge, all, by two processes and again" "$profiles" sh -c 'split -n l/2 "$1/list" "$1/half." && { "$0" merge @"$1/half.aa" -o "$1/a" & "$0" merge @"$1/half.ab" -o "$1/b"; wait; } &&
    "$0" merge "$1/a" "$1/b" -o "$1/again" && cmp "$1/again" "$1/all.ilprof"' "$BUILD/ilinject" "$work"
row "ilinject report of the merged profile" 1 "$BUILD/ilinject" report "$work/all.ilprof"
row "ilinject report of all" "$profiles" "$BUILD/ilinject" report "${files[@]}"
