#!/usr/bin/env bash
# How much files grow when they are instrumented: ilinject beside a Mono.Cecil program that injects the same, sums over many files.
#   tests/bench/growth.sh [--build DIR] [--mono]
# The files: Mono's libraries and programs; the .NET shared framework, without its native code; NuGet packages that are here already
# (with --mono the first alone). Left out are those that are copied through, those that the Cecil program fails on, and those with
# symbols inside, which it drops. The job: calls with an id at the head and before every ret; then the built-in tracker with its
# names, and the same with its guarded exits. Says "above" and exits 1 where the same job gives larger files than Cecil, and where
# in the sum of Mono's files and the packages the built-in tracker adds more than twice what Cecil adds, or guarded 30 %.
# Exits 77 when the Cecil program cannot be had.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build only_mono=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --mono) only_mono=1; shift ;;
    *) echo "usage: tests/bench/growth.sh [--build DIR] [--mono]" >&2; exit 2 ;;
    esac
done
export BUILD=${BUILD:-$PWD/$build}
ilinject=${ILINJECT:-$BUILD/ilinject}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/bench/raw.sh
raw_begin growth "tests/bench/growth.sh${only_mono:+ --mono}"
command -v mcs >/dev/null || { echo "skipped: growth beside Mono.Cecil: no mcs"; exit 77; }
mcs -nologo -target:library -optimize+ -out:"$work/IntTracker.dll" tests/bench/IntTracker.cs || exit 1
peer=$(tests/bench/peer) || { raw_missing Mono.Cecil "$peer"; echo "skipped: growth beside Mono.Cecil: $peer"; exit 77; }

mono() { tests/corpus/images.sh all | grep -v -e '-api/'; }
framework() {
    dotnet --list-runtimes | sed -n 's/^[^ ]* \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | LC_ALL=C sort |
        while IFS= read -r folder; do find "$folder" -name '*.dll'; done | LC_ALL=C sort
}
nuget() { find "$BUILD/tests/packages" -path '*/lib/*' -name '*.dll' ! -name '*.resources.dll' | LC_ALL=C sort; }

# size OPTION…: what comes of $file, in bytes; nothing when it is copied through or refused
size() {
    "$ilinject" -q "$file" -o "$work/out" --exits=ret "$@" >/dev/null 2>&1 && ! cmp -s "$file" "$work/out" && stat -c %s "$work/out"
}
failed=0
# row NAME [sum]: the files with sizes in $work/sizes; as the sum it is held against all bounds
row() {
    awk -v name="$1" -v OFS='\t' '
        $1 != "failed" { files++; input += $1; cecil += $2; same += $3; built_in += $4; guarded += $5 }
        END {
            if (!files) exit
            print name, "files", "count", files; print name, "input", "bytes", input; print name, "cecil", "bytes", cecil
            print name, "int", "bytes", same; print name, "builtin", "bytes", built_in; print name, "guarded", "bytes", guarded
        }' "$work/sizes" | raw_lines
    awk -v name="$1" -v sum="${2:-}" '
        function percent(size) { return (size / input - 1) * 100 }
        $1 == "failed" { failures++; next }
        { files++; input += $1; cecil += $2; same += $3; built_in += $4; guarded += $5 }
        END {
            if (!files) { printf "%-16s no files\n", name; exit }
            first = same >= cecil ? " above" : ""
            second = sum && built_in - input > 2 * (cecil - input) ? " above" : ""
            third = sum && percent(guarded) >= 30 ? " above" : ""
            printf "%-16s %5d %12d %+9.2f %% %+9.2f %%%s %+9.2f %%%s %+9.2f %%%s", name, files, input, percent(cecil), percent(same), first,
                percent(built_in), second, percent(guarded), third
            printf failures ? "  (Mono.Cecil fails on %d more)\n" : "\n", failures
            exit (first second third != "")
        }' "$work/sizes" || failed=1
}
measure() { # NAME [sum]: reads the list of its files
    grep -v '^$' >"$work/list"
    xargs -r -d '\n' grep -L -a MPDB <"$work/list" >"$work/plain"
    dotnet "$peer" --list "$work/plain" >"$work/cecil" 2>/dev/null
    while read -r cecil file; do
        [ "$cecil" -gt 0 ] || { echo failed; continue; }
        same=$(size --tracker "$work/IntTracker.dll") && built_in=$(size) && guarded=$(size --exits=guarded) &&
            echo "$(stat -c %s "$file") $cecil $same $built_in $guarded"
    done <"$work/cecil" >"$work/sizes"
    row "$@"
}
printf '%-16s %5s %12s %11s %11s %11s %11s\n' "growth of" files bytes Mono.Cecil "(int32)" built-in guarded
if [ -n "$only_mono" ]; then
    measure "Mono" sum < <(mono)
    exit $failed
fi
measure "Mono" < <(mono)
cp "$work/sizes" "$work/sum"
measure "NuGet packages" < <(nuget)
cat "$work/sizes" >>"$work/sum"
measure ".NET" < <(framework)
mv "$work/sum" "$work/sizes"
row "Mono and NuGet" sum
exit $failed
