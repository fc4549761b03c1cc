#!/usr/bin/env bash
# The rewriting benchmark: ilinject beside a Mono.Cecil program doing the same job, and beside cp, on the same files in the same run.
#   tests/bench/rewrite.sh [--build DIR] [--runs N] [--no-ready-to-run]
# The Cecil program also compiled ahead of time, without a second tier, unless that is to be left out. Least wall time of N runs (5), taken in turns, the peak memory of any, and the least processor time. The job: an enter at every head and a leave before
# every ret, calling a tracker of the plain (int32) shape; the second ilinject row is the built-in tracker and its guards, which do more.
# Each run writes into a folder that was never used, cp among them, and all are deleted at the end: ext4 takes long to find inodes for new
# files where others were deleted a short time before.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=5 ahead=1
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --no-ready-to-run) ahead=; shift ;;
    *) echo "usage: tests/bench/rewrite.sh [--build DIR] [--runs N] [--no-ready-to-run]" >&2; exit 2 ;;
    esac
done
export BUILD=$PWD/$build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/bench/raw.sh
raw_begin rewrite "tests/bench/rewrite.sh --runs $runs$([ "$ahead" ] || echo " --no-ready-to-run")"
leave_out() { echo "skipped: rewriting beside Mono.Cecil: $1"; raw_missing "all" "$1"; exit 77; }

command -v mcs >/dev/null || leave_out "no mcs"
mcs -nologo -target:library -optimize+ -out:"$work/IntTracker.dll" tests/bench/IntTracker.cs || exit 1
cecil=$(tests/bench/peer) || leave_out "$cecil"
ready=
[ -z "$ahead" ] || ready=$(tests/bench/peer --ready-to-run) || { echo "without its ReadyToRun build: $ready"; raw_missing "Mono.Cecil compiled ahead" "$ready"; ready=; }
packages=$(tests/nuget-fetch Newtonsoft.Json/13.0.3 Microsoft.CodeAnalysis.CSharp/4.14.0 Microsoft.CodeAnalysis.Common/4.14.0) || leave_out "$packages"

# measure NAME COMMAND…: keeps the least time and the highest memory of NAME
declare -A seconds memory processor
measure() {
    local name=$1 line s kib cpu
    shift
    line=$("$BUILD/tests/measure" -c "$@" 2>"$work/err") || { echo "$* failed: $(head -n 2 "$work/err")" >&2; exit 1; }
    read -r s kib cpu <<<"$line"
    raw "$subject" "$name" seconds "$s"
    raw "$subject" "$name" kib "$kib"
    raw "$subject" "$name" processor "$cpu"
    seconds[$name]=$(awk -v a="${seconds[$name]:-1e9}" -v b="$s" 'BEGIN { print a < b ? a : b }')
    processor[$name]=$(awk -v a="${processor[$name]:-1e9}" -v b="$cpu" 'BEGIN { print a < b ? a : b }')
    [ "${memory[$name]:-0}" -ge "$kib" ] || memory[$name]=$kib
}
row() { # NAME TITLE
    awk -v title="$2" -v s="${seconds[$1]}" -v kib="${memory[$1]}" -v cs="${seconds[cecil]}" -v ckib="${memory[cecil]}" -v cp="${seconds[cp]}" \
        -v cpu="${processor[$1]}" -v ccpu="${processor[cecil]}" -v cpcpu="${processor[cp]}" \
        -v size="$(stat -c %s "$to/$1/$name")" -v input="$input_size" 'BEGIN {
        printf "  %-22s %9.1f ms %8.1f MiB  %6.1fx Cecil'\''s speed  %5.2f of its memory  %6.1fx cp  processor %8.2f ms %6.1fx less %6.2fx cp  growth %+.1f %%\n",
            title, s * 1000, kib / 1024, cs / s, kib / ckib, s / cp, cpu * 1000, ccpu / cpu, cpu / cpcpu, (size / input - 1) * 100 }'
}

mkdir -p "$work/in"
core=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
echo 'public static class Tiny { public static int Add(int a, int b) { return a + b; } public static string Join(string a, string b) { return a == null ? b : a + b; } }' >"$work/Tiny.cs"
mcs -nologo -target:library -out:"$work/in/Tiny.dll" "$work/Tiny.cs" || exit 1
# Cecil resolves some references of what it writes; they lie beside the input.
cp "$packages"/microsoft.codeanalysis.c*/4.14.0/lib/netstandard2.0/*.dll "$work/in"
for input in "$work/in/Tiny.dll" "$packages/newtonsoft.json/13.0.3/lib/net6.0/Newtonsoft.Json.dll" /usr/lib/mono/4.5/mscorlib.dll \
    "$work/in/Microsoft.CodeAnalysis.CSharp.dll" "$core/System.Private.CoreLib.dll"; do
    [ -f "$input" ] || { echo "skipped: $(basename "$input"): not there"; raw_missing "$(basename "$input")" "not there"; continue; }
    seconds=() memory=() processor=()
    name=$(basename "$input")
    input_size=$(stat -c %s "$input")
    subject=$name
    raw "$subject" input bytes "$input_size"
    for i in $(seq "$runs"); do
        to=$work/out/$name/$i
        mkdir -p "$to"/{cp,cecil,cecil-r2r,int,builtin}
        measure cp cp "$input" "$to/cp/$name"
        measure cecil dotnet "$cecil" "$input" "$to/cecil/$name"
        [ -z "$ready" ] || DOTNET_TieredPGO=0 measure cecil-r2r "$ready" "$input" "$to/cecil-r2r/$name"
        measure int "$BUILD/ilinject" -q "$input" -o "$to/int/$name" --exits=ret --tracker "$work/IntTracker.dll"
        measure builtin "$BUILD/ilinject" -q "$input" -o "$to/builtin/$name"
    done
    echo "$name, $input_size bytes, least of $runs"
    row cecil "Mono.Cecil 0.11.6"
    [ -z "$ready" ] || row cecil-r2r "the same, ReadyToRun"
    row int "ilinject, (int32)"
    row builtin "ilinject, built-in"
    row cp "cp"
done
