#!/usr/bin/env bash
# The cost of calls by their kind, and by how much files grow, in one run: without instrumentation, with another build's, with this one's.
#   tests/bench/async.sh [--build DIR] [--before TREE] [--rounds N] [--runs N] ASSEMBLY...
# ns of a call, the least of N short rounds (3000) of each of N runs (3) in turns: a plain call; an async one that is complete at once; one that is
# suspended once; an async void one; a captured one. Loops and methods that the program calls besides are in each. TREE is another tree of the
# project, built there. Then the bytes of each ASSEMBLY, and of what is made of it. Exits 77 without mcs or a runtime.
set -u
here=$PWD
cd "$(dirname "$0")/../.." || exit 1
build=build before= rounds=3000 runs=3
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --before) before=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    -*) echo "usage: tests/bench/async.sh [--build DIR] [--before TREE] [--rounds N] [--runs N] ASSEMBLY..." >&2; exit 2 ;;
    *) break ;;
    esac
done
. tests/bench/raw.sh
raw_begin async "tests/bench/async.sh --rounds $rounds --runs $runs${before:+ --before TREE}"
command -v mcs >/dev/null || { echo "skipped: async: no mcs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ILINJECT_OUT=$work/profile.ilprof ILINJECT_BEAT=0
variants=(none ${before:+before} now)
program() { # VARIANT
    if [ "$1" = before ]; then echo "$before/build/ilinject"; else echo "$build/ilinject"; fi
}
mkdir "$work/none" && mcs -nologo -optimize+ -out:"$work/none/AsyncPair.exe" tests/bench/AsyncPair.cs || exit 1
for variant in "${variants[@]}"; do
    [ "$variant" = none ] || { mkdir "$work/$variant" && "$(program "$variant")" -q "$work/none/AsyncPair.exe" -o "$work/$variant/" \
        --capture 'AsyncPair.Captured: args, return; bytes=65536'; } || exit 1
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}' >"$work/$variant/AsyncPair.runtimeconfig.json"
done
for runtime in dotnet mono; do
    command -v $runtime >/dev/null || continue
    for ((i = 0; i < runs; i++)); do
        for variant in "${variants[@]}"; do
            timeout 600 $runtime "$work/$variant/AsyncPair.exe" "$rounds" >"$work/said" || { echo "async: $runtime, $variant failed" >&2; exit 1; }
            sed "s/^/$runtime $variant /" "$work/said" >>"$work/all"
            while read -r kind ns; do raw "$runtime $kind" "$variant" ns "$ns"; done <"$work/said"
        done
    done
done
awk -v variants="${variants[*]}" '
    { key = $1 " " $3; if (!(key in seen)) { seen[key] = 1; order[++count] = key } if (!((key, $2) in least) || $4 < least[key, $2]) least[key, $2] = $4 }
    END { n = split(variants, v, " "); printf "%-18s", "ns a call"; for (i = 1; i <= n; i++) printf "%10s", v[i]; print ""
          for (k = 1; k <= count; k++) { printf "%-18s", order[k]; for (i = 1; i <= n; i++) printf "%10.1f", least[order[k], v[i]]; print "" } }' "$work/all"
[ $# -eq 0 ] || printf '%-40s %10s %10s %10s\n' bytes "${variants[@]}"
for file in "$@"; do
    case $file in /*) ;; *) file=$here/$file ;; esac
    line=$(printf '%-40s' "$(basename "$file")")
    for variant in "${variants[@]}"; do
        made=$file
        if [ "$variant" != none ]; then
            rm -rf "$work/made" && "$(program "$variant")" -q --force "$file" -o "$work/made/" || exit 1
            made=$work/made/$(basename "$file")
        fi
        raw "$(basename "$file")" "$variant" bytes "$(stat -c %s "$made")"
        line+=$(printf ' %10s' "$(stat -c %s "$made")")
    done
    echo "$line"
done
