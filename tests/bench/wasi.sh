#!/usr/bin/env bash
# The WASI build beside the native program: processor time and peak memory of one run over 300 assemblies, by node and by the .NET
# tool's Wasmtime, with their start. Each is run in turn, ROUNDS times; the least counts, and ratios are those of one call of this.
# Wasmtime's compiled code is in its cache by then.
#   tests/bench/wasi.sh [ROUNDS]         after `make`, `make npm` and `make tool`; docs/install.md shows it
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$PWD
mkdir "$folder/in"
tar -C "$folder" -xzf build/ilinject-*.tgz
i=0
while read -r file; do
    i=$((i + 1))
    cp -L "$file" "$folder/in/$i.dll"
    echo "in/$i.dll" >>"$folder/files"
done < <(find /usr/lib/mono/4.5 /usr/share/dotnet/shared /usr/share/dotnet/sdk -name '*.dll' -size +3k 2>/dev/null |
    LC_ALL=C sort -u | awk '{ all[NR] = $0 } END { step = NR > 300 ? NR / 300 : 1; for (i = 1; i <= NR; i += step) print all[int(i)] }')
cd "$folder"
export ILINJECT_WASMTIME=$root/build/sources/wasmtime/linux-x64/libwasmtime.so
once() { # NAME COMMAND…: a line NAME SECONDS KILOBYTES
    local name=$1
    shift
    rm -rf out
    /usr/bin/time -o time -f "$name %U %S %M" "$@" -q @files -o out/ >/dev/null 2>&1 || true
    grep "^$name " time | awk '{ print $1, $2 + $3, $4 }'
}
tool=$(find "$root/build/tool/ilinject.any/tools" -name ilinject.dll)
dotnet "$tool" --version >/dev/null
for _ in $(seq "$rounds"); do
    once native "$root/build/ilinject" -j1
    once node node package/ilinject.js
    once tool dotnet "$tool"
done | awk -v count="$(wc -l <files)" -v size="$(du -sm in | cut -f 1)" '
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    $3 > most[$1] { most[$1] = $3 }
    END {
        printf "%d assemblies, %d MB\n", count, size
        split("native node tool", names, " ")
        for (i = 1; i <= 3; i++) {
            name = names[i]
            printf "%-7s %6.2f s %5.1f %5.0f MB\n", name, least[name], least[name] / least["native"], most[name] / 1024
        }
    }'
