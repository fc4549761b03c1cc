#!/usr/bin/env bash
# Merging and reporting many profiles: wall time and peak memory, beside `go tool pprof` merging the same data.
#   tests/bench/merge.sh [--build DIR] [--full] [--profiles N] [--nodes N] [--no-pprof]
# 40 profiles of 20,000 nodes; --full: 1,000 of 100,000 (1.5 GB in the temporary folder), of which pprof gets 16: it keeps what it has read, and
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
work=$(mktemp -d "${TMPDIR:-/tmp}/ilinject-merge.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/in" "$work/pprof"
"$BUILD/tests/many_profiles" "$work/in" "$profiles" "$nodes" || exit 1
ls -d "$work"/in/* >"$work/list"

row() { # NAME COMMAND…
    local name=$1 line seconds kib
    shift
    if line=$("$BUILD/tests/measure" "$@" 2>"$work/err"); then
        read -r seconds kib <<<"$(tail -n 1 <<<"$line")"
        printf '%-44s %9.2f s %9.1f MB\n' "$name" "$seconds" "$(awk -v k="$kib" 'BEGIN { print k / 1024 }')"
    else
        printf '%-44s failed: %s\n' "$name" "$(head -n 1 "$work/err" | cut -c 1-100)"
    fi
}
echo "$profiles profiles of $nodes nodes, $(du -sm "$work/in" | cut -f 1) MB:"
head -n 1 "$work/list" >"$work/one"
row "ilinject merge, one profile" "$BUILD/ilinject" merge @"$work/one" -o "$work/one.ilprof"
row "ilinject merge, a tenth" "$BUILD/ilinject" merge @<(head -n $(((profiles + 9) / 10)) "$work/list") -o "$work/tenth.ilprof"
row "ilinject merge, all" "$BUILD/ilinject" merge @"$work/list" -o "$work/all.ilprof"
# shellcheck disable=SC2016
row "ilinject merge, all, by two processes and again" sh -c 'split -n l/2 "$1/list" "$1/half." && { "$0" merge @"$1/half.aa" -o "$1/a" & "$0" merge @"$1/half.ab" -o "$1/b"; wait; } &&
    "$0" merge "$1/a" "$1/b" -o "$1/again" && cmp "$1/again" "$1/all.ilprof"' "$BUILD/ilinject" "$work"
row "ilinject report of the merged profile" "$BUILD/ilinject" report "$work/all.ilprof"
mapfile -t files <"$work/list"
row "ilinject report of all" "$BUILD/ilinject" report "${files[@]}"
if [ "$pprof" -eq 0 ]; then exit 0; fi
if ! command -v go >/dev/null; then
    echo "skipped: pprof merging the same: go is not installed"
    exit 0
fi
for file in "${files[@]:0:pprof}"; do
    "$BUILD/ilinject" report --format=pprof "$file" -o "$work/pprof/$(basename "$file" .ilprof).pb.gz" || exit 1
done
count=$(ls "$work/pprof" | wc -l)
head -n "$count" "$work/list" >"$work/some"
echo "$count of them beside pprof, there $(du -sm "$work/pprof" | cut -f 1) MB:"
row "ilinject merge, these" "$BUILD/ilinject" merge @"$work/some" -o "$work/some.ilprof"
row "go tool pprof -proto, these" go tool pprof -proto -output="$work/merged.pb.gz" "$work"/pprof/*.pb.gz
row "go tool pprof -top, these" go tool pprof -top "$work"/pprof/*.pb.gz
