#!/usr/bin/env bash
# The cost of seeing calls with their values: nanoseconds a call of a method with an int, a string
# and an object of two fields, beside AspectInjector's advice that logs arguments and result; and
# the factor for Newtonsoft.Json with JsonConvert captured.
#   tests/bench/capture.sh [--build DIR] [--windows N] [--no-json]
# Least of N windows (200) of 2,000 calls.
set -u
build=build windows=200 json=1
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --windows) windows=$2; shift 2 ;;
    --no-json) json=; shift ;;
    *) echo "usage: tests/bench/capture.sh [--build DIR] [--windows N] [--no-json]" >&2; exit 2 ;;
    esac
done
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(cd "$build" && pwd)
. tests/lib.sh
. tests/e2e/lib/sh/ladder.sh
calls=2000 work=$SCRATCH facades=/usr/lib/mono/4.5/Facades
. tests/bench/raw.sh
raw_begin capture "tests/bench/capture.sh --windows $windows$([ "$json" ] || echo " --no-json")"
can mono && has mcs || { echo "no mono or no mcs"; exit 77; }
mcs -nologo -optimize+ -out:"$work/CaptureProbe.exe" tests/bench/CaptureProbe.cs || exit 1

weave() { # FOLDER
    local packages broker
    packages=$(tests/nuget-fetch AspectInjector/2.7.3) || { echo "$packages"; return 1; }
    broker=$packages/aspectinjector/2.7.3/lib/netstandard2.0/AspectInjector.Broker.dll
    cp "$broker" "$1" && printf '%s\n' /usr/lib/mono/4.5/mscorlib.dll "$facades/netstandard.dll" "$broker" >"$1/references" &&
        mcs -nologo -optimize+ -define:ASPECT -out:"$1/CaptureProbe.exe" tests/bench/CaptureProbe.cs -r:"$broker" -r:"$facades/netstandard.dll" &&
        "$packages/aspectinjector/2.7.3/build/_bin/linux-x64/AspectInjector" -o -rf "$1/references" "$1/CaptureProbe.exe" >"$1/log" 2>&1
}
row() { # NAME PROGRAM
    printf '  %-44s' "$1"
    for runtime in mono dotnet; do
        can "$runtime" || { printf ' %10s' -; continue; }
        [ "$runtime" != dotnet ] || runtimeconfig "$2"
        local ns
        ns=$(ILINJECT_OUT=$work/probe.ilprof DOTNET_TieredPGO=0 "$runtime" "$2" "$windows" "$calls")
        raw "$runtime" "$1" ns "$ns"
        printf ' %10s' "$ns"
    done
    echo
}
captured() { # NAME RULE
    "$ILINJECT" -q "$work/CaptureProbe.exe" -o "$work/$1/" ${2:+--capture "CaptureProbe.Work: $2"}
}
echo "nanoseconds a call, least of $windows windows of $calls calls"
printf '  %-44s %10s %10s\n' "" Mono .NET
row "not instrumented" "$work/CaptureProbe.exe"
captured plain "" && row "profiled" "$work/plain/CaptureProbe.exe"
captured past "first=1" && row "captured, past its limit (first=1)" "$work/past/CaptureProbe.exe"
captured slow "args, return; slower=10s" && row "captured, none slow enough (slower=10s)" "$work/slow/CaptureProbe.exe"
captured all "args, return" && row "captured, all kept" "$work/all/CaptureProbe.exe"
mkdir "$work/aspect"
if reason=$(weave "$work/aspect"); then
    row "AspectInjector 2.7.3, logging advice" "$work/aspect/CaptureProbe.exe"
else
    echo "  AspectInjector: $reason"
    raw_missing AspectInjector "$reason"
fi

[ "$json" ] || exit 0
packages=$(tests/nuget-fetch Newtonsoft.Json/13.0.3) || { echo "  Newtonsoft.Json: $packages"; exit 0; }
can dotnet && mkdir "$work/json" && cp "$packages/newtonsoft.json/13.0.3/lib/net6.0/Newtonsoft.Json.dll" "$work/json" &&
    compiled csc "$work/json/JsonCaptured.dll" -nowarn:1701,1702 -r:"$work/json/Newtonsoft.Json.dll" fixtures/net/JsonCaptured.cs || exit 0
echo "Newtonsoft.Json, 20,000 objects to text and back, milliseconds, least of 15"
declare -A rules=([profiled]= [convert]='Newtonsoft.Json.JsonConvert: args, return' [first]='**: args, return; first=100')
for variant in none profiled convert first; do
    folder=$work/json rule=${rules[$variant]:-}
    if [ $variant != none ]; then
        folder=$work/json-out
        mkdir -p "$folder" && cp "$work"/json/JsonCaptured.* "$folder" && "$ILINJECT" -q "$work/json/Newtonsoft.Json.dll" -o "$folder/" ${rule:+--capture "$rule"}
    fi
    ms=$(ILINJECT_OUT=$work/json.ilprof dotnet "$folder/JsonCaptured.dll" 15 2>&1 >/dev/null | tail -n 1)
    raw json $variant ms "$ms"
    printf '  %-44s %10s\n' "${rule:-$variant}" "$ms"
done
