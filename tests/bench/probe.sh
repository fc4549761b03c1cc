#!/usr/bin/env bash
# The cost of a probe: ns for an enter and leave, on Mono and CoreCLR, by clock, beside others.
#   tests/bench/probe.sh [--build DIR] [--quick] [--runs N] [--milliseconds N] [--only "VARIANT..."] [--runtimes "RUNTIME..."]
# One program (Probe*.cs: fib, Richards, a JSON parser, exceptions, async methods, iterators, fib on two and on eight threads), plain and
# instrumented; what an instrumented one takes more than the plain one, divided by the calls of instrumented methods. Each figure is the
# least of N runs (3), which take turns, each the least of many windows in N ms (2500). Ratios are to two bare readings of the same clock,
# in the same runs. Then what the calls allocate. --quick: two runs of 1000 ms. Exits 1 when a program does not do what it did, 77 without
# mcs. Peers that cannot be had are left out, with the reason.
#
# A variant is a row in the table below; a job is a row in Probe.cs. Methods of 1 µs: accuracy.sh; a whole compiler: compiler.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=3 milliseconds=2500 only= runtimes=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --quick) runs=2 milliseconds=1000; shift ;;
    --runs) runs=$2; shift 2 ;;
    --milliseconds) milliseconds=$2; shift 2 ;;
    --only) only=" $2 "; shift 2 ;;
    --runtimes) runtimes=$2; shift 2 ;;
    *) sed -n '3s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
BUILD=$(cd "$build" && pwd)
ilinject=${ILINJECT:-$BUILD/ilinject}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export ILINJECT_OUT=$work/profile.ilprof ILINJECT_BEAT=0

. tests/bench/raw.sh
raw_begin probe "tests/bench/probe.sh --runs $runs --milliseconds $milliseconds${only:+ --only \"${only# }\"}"
command -v mcs >/dev/null || { echo "skipped: what a probe costs: no mcs"; exit 77; }
sources=(tests/bench/Probe{,Json,Richards,Shapes,Threads}.cs)
mcs -nologo -optimize+ -out:"$work/Probe.exe" "${sources[@]}" || exit 1
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
if [ -z "$runtimes" ]; then for runtime in mono dotnet; do command -v $runtime >/dev/null && runtimes+=" $runtime"; done; fi

# variant | how it is made | compared with | what it is called | jobs where it sees other calls than the rest do
table='plain    |                     |           |
count           | COUNT               |           |
empty           | EMPTY               |           | two empty calls
based           | BASED               | empty     | the same, ids with a base
bare-stopwatch  | STOPWATCH           |           | Stopwatch, read twice
bare-fast       | FENCED              |           | fast, read twice
bare-unfenced   | UNFENCED            |           | fast-unfenced, read twice
naive           | NAIVE               |           | naive: Stack, Stopwatch, Dictionary, lock
none            | clock=none          |           | tracker, clock=none
stopwatch       | clock=stopwatch     | bare-stopwatch | tracker, clock=stopwatch
fast            | clock=fast          | bare-fast | tracker, clock=fast
fast-unfenced   | clock=fast-unfenced | bare-unfenced | tracker, clock=fast-unfenced
coarse          | clock=coarse        |           | tracker, clock=coarse
aspect          | ASPECT              |           | AspectInjector 2.7.3, as naive without lock | async iterators
timer           | TIMER               |           | MethodTimer.Fody 3.2.3, adds up | async iterators
log             | LOG                 |           | mono --profile=log:calls'
rows() { tr -d ' ' <<<"$table" | cut -d '|' -f 1-3; }
wanted() { [ -z "$only" ] || [ "$1" = plain ] || [ "$1" = count ] || [[ $only == *" $1 "* ]]; }

instrument() { # FOLDER OPTION...
    "$ilinject" "$work/Probe.exe" -o "$1/Probe.exe" --quiet "${@:2}" || { echo "$1 is not instrumented" >&2; exit 1; }
}
compile() { # FOLDER SYMBOLS [FILE...]: a tracker to compare with
    mcs -nologo -target:library -optimize+ -nowarn:414,649 -define:"$2" -out:"$1/ProbeTracker.dll" tests/bench/ProbeTracker.cs "${@:3}" || exit 1
}
# AspectInjector's own program, over the same sources with an aspect.
weave_aspect() { # FOLDER
    local packages facades=/usr/lib/mono/4.5/Facades folder=$1 broker
    packages=$(BUILD=$BUILD tests/nuget-fetch AspectInjector/2.7.3) || { echo "$packages"; return 1; }
    broker=$packages/aspectinjector/2.7.3/lib/netstandard2.0/AspectInjector.Broker.dll
    cp "$broker" "$folder" && printf '%s\n' /usr/lib/mono/4.5/mscorlib.dll "$facades/netstandard.dll" "$broker" >"$folder/references" &&
        mcs -nologo -optimize+ -define:ASPECT -out:"$folder/Probe.exe" "${sources[@]}" tests/bench/ProbeAspect.cs -r:"$broker" -r:"$facades/netstandard.dll" &&
        "$packages/aspectinjector/2.7.3/build/_bin/linux-x64/AspectInjector" -o -rf "$folder/references" "$folder/Probe.exe" >"$folder/log" 2>&1 ||
        { echo "not woven: $(tail -n 1 "$folder/log")"; return 1; }
}
# MethodTimer.Fody runs within a build of the SDK's.
weave_timer() { # FOLDER
    local packages project=$work/timer
    packages=$(BUILD=$BUILD tests/nuget-fetch Fody/6.9.3 MethodTimer.Fody/3.2.3) || { echo "$packages"; return 1; }
    mkdir "$project" && cp "${sources[@]}" tests/bench/ProbeTimer.cs "$project"
    echo '<Weavers><MethodTimer/></Weavers>' >"$project/FodyWeavers.xml"
    cat >"$project/Probe.csproj" <<'END'
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><UseAppHost>false</UseAppHost></PropertyGroup>
  <ItemGroup><PackageReference Include="Fody" Version="[6.9.3]" /><PackageReference Include="MethodTimer.Fody" Version="[3.2.3]" /></ItemGroup>
</Project>
END
    dotnet build "$project/Probe.csproj" -c Release -v q -nologo -o "$project/out" -p:RestorePackagesPath="$packages" >"$project/log" 2>&1 &&
        cp "$project/out/Probe.dll" "$1/Probe.exe" && grep -q MethodTimeLogger "$1/Probe.exe" || { echo "not built: $(grep -m 1 error "$project/log")"; return 1; }
}
prepare() { # VARIANT HOW RUNTIME: makes $work/RUNTIME/VARIANT
    local folder=$work/$3/$1 symbols=$2 reason=
    mkdir -p "$folder"
    case $2 in
    '') cp "$work/Probe.exe" "$folder" ;;
    clock=*) instrument "$folder" --native-clock=host --set "$2" ;;
    FENCED | UNFENCED)
        [ "$3" != mono ] || symbols+=,MONO
        compile "$folder" "$symbols" runtime-tracker/Clocks/NativeClock.cs
        instrument "$folder" --native-clock=host --tracker "$folder/ProbeTracker.dll"
        ;;
    ASPECT) reason=$(weave_aspect "$folder") ;;
    TIMER) if [ "$3" = mono ]; then reason="woven by a build for .NET alone"; else reason=$(weave_timer "$folder"); fi ;;
    LOG)
        cp "$work/Probe.exe" "$folder"
        if [ "$3" != mono ]; then
            reason="a profiler of Mono's"
        else
            mono --profile=log:calls,output="$work/log.mlpd" "$folder/Probe.exe" 0 >/dev/null 2>&1
            [ -s "$work/log.mlpd" ] || reason="Mono's log profiler is not installed (Debian: libmono-profiler)"
        fi
        ;;
    *)
        compile "$folder" "$symbols"
        instrument "$folder" --tracker "$folder/ProbeTracker.dll"
        ;;
    esac
    if [ -n "$reason" ]; then
        echo "skipped: $1 on $3: $reason"
        raw_missing "$1 on $3" "$reason"
        rm -rf "$folder"
    else
        printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' "$core" >"$folder/Probe.runtimeconfig.json"
    fi
}
for runtime in $runtimes; do
    while IFS='|' read -r variant how _; do wanted "$variant" && prepare "$variant" "$how" "$runtime"; done < <(rows)
done

for ((run = 0; run < runs; run++)); do
    for runtime in $runtimes; do
        for folder in "$work/$runtime"/*/; do
            variant=$(basename "$folder") time=$milliseconds
            if [ "$variant" = count ]; then
                [ "$run" -eq 0 ] || continue
                time=0
            fi
            options=()
            [ "$variant" != log ] || options=(--profile=log:calls,output="$work/log.mlpd")
            "$runtime" "${options[@]}" "$folder/Probe.exe" "$time" >"$work/said" || { echo "$variant fails on $runtime" >&2; exit 1; }
            awk -v runtime="$runtime" -v variant="$variant" '{ print runtime, variant, $0 }' "$work/said" >>"$work/figures"
            awk -v OFS='\t' -v runtime="$runtime" -v variant="$variant" '
                $1 == "calls" || $1 == "bytes" { print runtime, variant, $1 " " $2, $3; next } $1 != "sum" { print runtime, variant, $1, $2 }' "$work/said" | raw_lines
            if [ "$variant" = log ]; then
                logged=$(stat -c %s "$work/log.mlpd")
                rm "$work/log.mlpd"
            fi
        done
    done
done
[ "$(awk '$3 == "sum" { print $4 }' "$work/figures" | sort -u | wc -l)" -eq 1 ] || { echo "an instrumented program does not do what it did" >&2; exit 1; }

echo "on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg); $("$ilinject" --version)"
echo "ns for each enter and leave, least of $runs runs of $milliseconds ms; in brackets: to two bare readings of that clock (base: to two empty calls)"
for runtime in $runtimes; do
    if [ "$runtime" = mono ]; then title=$(mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p'); else title="CoreCLR $core"; fi
    awk -v runtime="$runtime" -v title="$title" -v table="$table" -f tests/bench/probe.awk "$work/figures"
done
[ -z "${logged:-}" ] || echo "Mono's log of the last run takes $((logged >> 20)) MiB"
