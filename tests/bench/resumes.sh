#!/usr/bin/env bash
# The cost of a suspension of an async call, beside that of the runtime's own events of it.
#   tests/bench/resumes.sh [--build DIR] [--seconds N] [--runs N]
# Processor time of the process, ns a resume, at 10,000, 100,000 and 1,000,000 resumes a second, of N seconds (3) after the first; the least of N
# runs (3) in turns. Plain; with probes; on .NET with the events that tools draw async calls from (TplEventSource, EventPipe
# into a file). A rate that the machine does not reach is reported beside the figure. Exits 77 without mcs or a runtime.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build seconds=3 runs=3
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "usage: tests/bench/resumes.sh [--build DIR] [--seconds N] [--runs N]" >&2; exit 2 ;;
    esac
done
. tests/bench/raw.sh
raw_begin resumes "tests/bench/resumes.sh --seconds $seconds --runs $runs"
command -v mcs >/dev/null || { echo "skipped: resumes: no mcs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ILINJECT_OUT=$work/profile.ilprof ILINJECT_BEAT=0
mkdir "$work/plain" "$work/probes"
mcs -nologo -optimize+ -out:"$work/plain/Resumes.exe" tests/bench/Resumes.cs &&
    "$build/ilinject" -q "$work/plain/Resumes.exe" -o "$work/probes/" || exit 1
for folder in plain probes; do
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}' >"$work/$folder/Resumes.runtimeconfig.json"
done
run() { # VARIANT RATE: "ns resumes-a-second calls", or nothing
    local folder=$1 events=()
    if [ "$1" = events ]; then
        folder=plain
        # TaskTransfer to AsyncMethod (0x1FF), verbose: what the Tasks view of PerfView and Visual Studio's .NET Async tool ask for.
        events=(DOTNET_EnableEventPipe=1 "DOTNET_EventPipeOutputPath=$work/events.nettrace"
            DOTNET_EventPipeConfig=System.Threading.Tasks.TplEventSource:0x1FF:5 DOTNET_EventPipeCircularMB=256)
    fi
    env "${events[@]}" timeout 300 "$runtime" "$work/$folder/Resumes.exe" "$2" "$seconds"
}
printf '%-8s %10s  %-18s %-26s %-26s\n' "" "a second" "plain, ns" "probes, ns (more)" "events, ns (more)"
for runtime in dotnet mono; do
    command -v $runtime >/dev/null || continue
    variants="plain probes events"
    [ $runtime = dotnet ] || variants="plain probes"
    for rate in 10000 100000 1000000; do
        declare -A least=() reached=()
        for ((i = 0; i < runs; i++)); do
            for variant in $variants; do
                read -r ns had _ < <(run $variant $rate) || { echo "resumes: $runtime, $variant failed" >&2; exit 1; }
                raw "$runtime $rate" $variant ns "$ns"
                if [ -z "${least[$variant]:-}" ] || [ "$ns" -lt "${least[$variant]}" ]; then least[$variant]=$ns reached[$variant]=$had; fi
            done
        done
        line=$(printf '%-8s %10s  ' $runtime $rate)
        for variant in $variants; do
            cell=${least[$variant]}
            [ $variant = plain ] || cell="$cell (+$((least[$variant] - least[plain])))"
            [ "${reached[$variant]}" -ge $((rate * 9 / 10)) ] || cell="$cell, ${reached[$variant]} a second"
            width=26
            [ $variant != plain ] || width=18
            line+=$(printf "%-${width}s " "$cell")
        done
        echo "$line"
    done
done
