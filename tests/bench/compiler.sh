#!/usr/bin/env bash
# What a whole instrumented program costs: Mono's C# compiler, which compiles the tracker, on Mono and on CoreCLR.
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
prepare() { # VARIANT OPTION...
    local folder=$work/$1 options=("${@:2}")
    mkdir "$folder"
    case $2 in
    -) cp $mcs "$folder"; return ;;
    plain) cp -r "$work/plain/." "$folder"; return ;; # Mono's profiler sees no calls of what was compiled ahead
    EMPTY | NAIVE)
        mcs -nologo -target:library -optimize+ -nowarn:414,649 -define:"$2" -out:"$folder/ProbeTracker.dll" tests/bench/ProbeTracker.cs || exit 1
        options=(--tracker "$folder/ProbeTracker.dll" "${@:3}")
        ;;
    esac
    "$ilinject" -q $mcs -o "$folder/mcs.exe" "${options[@]}" || exit 1
    printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' "$core" >"$folder/mcs.runtimeconfig.json"
}
while IFS='|' read -r variant options _; do
    set -f
    # shellcheck disable=SC2086
    prepare $variant $options
    set +f
done <<<"$table"

compile() { # RUNTIME VARIANT: a line of figures; false when that is not to be had there
    local options=() out=$work/$1.dll TIMEFORMAT='%U %S'
    if [ "$2" = ahead ] || [ "$2" = log ]; then [ "$1" = mono ] || return 1; fi
    [ "$2" != log ] || options=(--profile=log:calls,output="$work/log.mlpd")
    { time "$1" "${options[@]}" "$work/$2/mcs.exe" -nologo -noconfig -nostdlib -lib:/usr/lib/mono/4.5 -r:mscorlib.dll -r:System.dll -r:System.Core.dll \
        -target:library -optimize+ -out:"$out" runtime-tracker/*.cs >"$work/said" 2>&1; } 2>"$work/took" ||
        { echo "$2 fails on $1: $(head -n 3 "$work/said")" >&2; exit 1; }
    [ "$(stat -c %s "$out")" -eq "${size:=$(stat -c %s "$out")}" ] || { echo "$2 on $1 compiles something else" >&2; exit 1; }
    if [ "$2" = none ]; then cp "$work/profile.ilprof" "$work/$1.ilprof"; fi
    if [ "$2" = log ]; then
        [ -f "$work/log.mlpd" ] || { nolog="Mono's log profiler is not installed (Debian: libmono-profiler)"; return 1; }
        logged=$(stat -c %s "$work/log.mlpd")
        rm "$work/log.mlpd"
    fi
    awk -v runtime="$1" -v variant="$2" '{ print runtime, variant, $1 + $2 }' "$work/took" >>"$work/figures"
}
runtimes=mono
command -v dotnet >/dev/null && runtimes+=" dotnet"
for _ in $(seq "$runs"); do
    for runtime in $runtimes; do
        size=
        while IFS='|' read -r variant _; do compile "$runtime" "${variant// /}"; done <<<"$table"
    done
done
[ -z "${nolog:-}" ] || echo "skipped: log: $nolog"
echo "mcs compiles $(cat runtime-tracker/*.cs | wc -l) lines; processor seconds, least of $runs, and times plain; load $(cut -d ' ' -f 1 /proc/loadavg)"
for runtime in $runtimes; do
    if [ "$runtime" = mono ]; then title=$(mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p'); else title="CoreCLR $core"; fi
    echo "$title: $("$ilinject" report --format=tree "$work/$runtime.ilprof" | wc -l) places of the call tree, calls: $(
        "$ilinject" report "$work/$runtime.ilprof" | sed -n 's/^Calls *\([0-9,]*\):.*/\1/p')"
    awk -F'|' -v runtime="$runtime" '
        FNR == NR { split($0, f, " "); if (f[1] == runtime && (!(f[2] in least) || f[3] < least[f[2]])) least[f[2]] = f[3]; next }
        { for (i = 1; i <= 3; i++) gsub(/^ +| +$/, "", $i) }
        $1 in least { printf "  %-44s %8.2f %6.2f\n", $3, least[$1], least[$1] / least["plain"] }' "$work/figures" <(echo "$table")
done
[ -z "${logged:-}" ] || echo "Mono's log takes $((logged >> 20)) MiB"
