#!/usr/bin/env bash
# The cost of a whole instrumented program: Mono's C# compiler on Mono and CoreCLR, Roslyn's there.
#   tests/bench/compiler.sh [--build DIR] [--quick] [--runs N]
# Processor seconds (user and system, all threads) of a process from its start to its end, the least of N (5) that take turns, and how
# many times what the plain one takes. Plain is one with a single method instrumented, so that it is compiled just in time like
# the others: Debian has mcs compiled ahead for Mono, which is the first row. All outputs must be those of the plain one. --quick: two runs.
# Exits 77 without mcs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=5
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --quick) runs=2; shift ;;
    --runs) runs=$2; shift 2 ;;
    *) sed -n '3s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
ilinject=${ILINJECT:-$PWD/$build/ilinject} mcs=/usr/lib/mono/4.5/mcs.exe
. tests/bench/raw.sh
raw_begin compiler "tests/bench/compiler.sh --runs $runs"
[ -f $mcs ] && command -v mono >/dev/null || { echo "skipped: a whole compiler: no mcs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export ILINJECT_OUT=$work/profile.ilprof
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)

# variant | options of ilinject; a word in capitals: with that tracker of ProbeTracker.cs; -: none; plain: as that | what it is called
table='ahead         | -                                     | compiled ahead of time
plain         | EMPTY --exclude * --include Mono.CSharp.Driver.Main | plain
empty         | EMPTY                                 | two empty calls
naive         | NAIVE                                 | naive: Stack, Stopwatch, Dictionary, lock
none          | --set clock=none                      | tracker, clock=none
fast-unfenced | --set clock=fast-unfenced             | tracker, clock=fast-unfenced
fast          | --set clock=fast                      | tracker, clock=fast
stopwatch     | --set clock=stopwatch                 | tracker, clock=stopwatch
folded        | --set clock=stopwatch --set nodes=20000 | the same, nodes=20000
log           | plain                                 | mono --profile=log:calls'
roslyn=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1\/Roslyn\/bincore/p' | tail -n 1)
[ -n "$roslyn" ] && [ -f "$roslyn/csc.dll" ] || roslyn=
prepare() { # VARIANT OPTION...
    local folder=$work/mcs-$1 options=("${@:2}")
    mkdir "$folder"
    case $2 in
    -) cp $mcs "$folder"; return ;;
    plain) cp -r "$work/mcs-plain/." "$folder"; return ;; # Mono's profiler sees no calls of what was compiled ahead
    EMPTY | NAIVE)
        mcs -nologo -target:library -optimize+ -nowarn:414,649 -define:"$2" -out:"$folder/ProbeTracker.dll" tests/bench/ProbeTracker.cs || exit 1
        options=(--tracker "$folder/ProbeTracker.dll" "${@:3}")
        ;;
    esac
    "$ilinject" -q $mcs -o "$folder/mcs.exe" "${options[@]}" || exit 1
    printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' "$core" >"$folder/mcs.runtimeconfig.json"
}
# The same of Roslyn's, which is compiled ahead, too: its native code goes when a method is instrumented, so plain has one in each file.
prepare_csc() { # VARIANT OPTION...
    local folder=$work/csc-$1 options=("${@:2}") file
    [ "$2" != plain ] || return 0
    mkdir "$folder" && cp "$roslyn"/csc.{dll,deps.json,runtimeconfig.json} "$roslyn"/Microsoft.CodeAnalysis{,.CSharp}.dll "$folder" || exit 1
    case $2 in
    -) return ;;
    EMPTY | NAIVE)
        cp "$work/mcs-$1/ProbeTracker.dll" "$folder"
        options=(--tracker "$folder/ProbeTracker.dll" "${@:3}")
        ;;
    esac
    for file in csc.dll:Microsoft.CodeAnalysis.CSharp.CommandLine.Program.Main Microsoft.CodeAnalysis.dll:Microsoft.CodeAnalysis.CommonCompiler.RunCore \
        Microsoft.CodeAnalysis.CSharp.dll:Microsoft.CodeAnalysis.CSharp.CSharpCommandLineParser.ParseConditionalCompilationSymbols; do
        [ "$1" != plain ] || options=(--tracker "$folder/ProbeTracker.dll" --exclude '*' --include "${file#*:}")
        "$ilinject" -q "$roslyn/${file%:*}" -o "$folder/${file%:*}" "${options[@]}" || exit 1
        ! cmp -s "$roslyn/${file%:*}" "$folder/${file%:*}" || { echo "no method of ${file%:*} is instrumented in $1" >&2; exit 1; }
    done
    if [ -f "$work/mcs-$1/ProfileInfoTracker.dll" ]; then cp "$work/mcs-$1/ProfileInfoTracker.dll" "$folder"; fi
    rm "$folder/csc.deps.json" # so that the tracker is found beside it
}
while IFS='|' read -r variant options _; do
    set -f
    # shellcheck disable=SC2086
    prepare $variant $options
    # shellcheck disable=SC2086
    [ -z "$roslyn" ] || prepare_csc $variant $options
    set +f
done <<<"$table"

# compile RUNTIME PROGRAM VARIANT: a line of figures; false when that is not to be had there
compile() {
    local options=() out=$work/$1-$2.dll TIMEFORMAT='%U %S' program=$work/$2-$3/mcs.exe
    if [ "$2" = csc ]; then program=$work/csc-$3/csc.dll; fi
    if [ "$3" = ahead ] && [ "$1 $2" = "dotnet mcs" ]; then return 1; fi
    if [ "$3" = log ]; then [ "$1" = mono ] || return 1; fi
    [ "$3" != log ] || options=(--profile=log:calls,output="$work/log.mlpd")
    { time "$1" "${options[@]}" "$program" -nologo -noconfig -nostdlib -lib:/usr/lib/mono/4.5 -r:mscorlib.dll -r:System.dll -r:System.Core.dll \
        -target:library -optimize+ -nowarn:1701,1702,8632 -out:"$out" runtime-tracker/*/*.cs build/runtime-tracker/facts/*.cs >"$work/said" 2>&1; } 2>"$work/took" ||
        { echo "$3 of $2 fails on $1: $(head -n 3 "$work/said")" >&2; [ "$2" = csc ] || exit 1; raw_missing "$3 of csc" "it fails: $(head -n 1 "$work/said" | cut -c 1-100)"; return 1; }
    [ "$(stat -c %s "$out")" -eq "${size:=$(stat -c %s "$out")}" ] || { echo "$3 of $2 on $1 compiles something else" >&2; exit 1; }
    if [ "$3" = none ]; then cp "$work/profile.ilprof" "$work/$1-$2.ilprof"; fi
    if [ "$3" = log ]; then
        [ -f "$work/log.mlpd" ] || { nolog="Mono's log profiler is not installed (Debian: libmono-profiler)"; return 1; }
        logged=$(stat -c %s "$work/log.mlpd")
        rm "$work/log.mlpd"
    fi
    local seconds
    seconds=$(awk '{ print $1 + $2 }' "$work/took")
    echo "$1-$2 $3 $seconds" >>"$work/figures"
    raw "$1 $2" "$3" processor "$seconds"
}
jobs="mono-mcs"
if [ -n "$core" ]; then jobs+=" dotnet-mcs"; fi
if [ -n "$roslyn" ]; then jobs+=" dotnet-csc"; else raw_missing "Roslyn's csc" "no .NET SDK"; fi
for _ in $(seq "$runs"); do
    for job in $jobs; do
        size=
        while IFS='|' read -r variant _; do compile "${job%-*}" "${job#*-}" "${variant// /}"; done <<<"$table"
    done
done
[ -z "${nolog:-}" ] || { echo "skipped: log: $nolog"; raw_missing "mono --profile=log:calls" "$nolog"; }
echo "$(cat runtime-tracker/*/*.cs build/runtime-tracker/facts/*.cs | wc -l) lines are compiled; processor seconds, least of $runs, and times plain; load $(cut -d ' ' -f 1 /proc/loadavg)"
for job in $jobs; do
    if [ "${job%-*}" = mono ]; then title=$(mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p'); else title="CoreCLR $core"; fi
    places=$("$ilinject" report --format=tree "$work/$job.ilprof" | wc -l)
    calls=$("$ilinject" report --json "$work/$job.ilprof" | sed -n 's/.*"totals": {"enters": \([0-9]*\).*/\1/p')
    raw "${job/-/ }" none places "$places"
    raw "${job/-/ }" none calls "$calls"
    echo "${job#*-} on $title: $places places of the call tree, $calls calls"
    awk -F'|' -v job="$job" '
        FNR == NR { split($0, f, " "); if (f[1] == job && (!(f[2] in least) || f[3] < least[f[2]])) least[f[2]] = f[3]; next }
        { for (i = 1; i <= 3; i++) gsub(/^ +| +$/, "", $i) }
        $1 in least { printf "  %-44s %8.2f %6.2f\n", $3, least[$1], least[$1] / least["plain"] }' "$work/figures" <(echo "$table")
done
[ -z "${logged:-}" ] || echo "Mono's log takes $((logged >> 20)) MiB"
