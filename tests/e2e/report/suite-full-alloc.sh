#!/usr/bin/env bash
# level: full
# The bytes that methods allocate (tests/e2e/lib/cs/Allocs.cs) in a program that is compiled ahead of time: those that the runtime counts
# around each of them; the objects (tests/e2e/lib/cs/Objects.cs): those of the source, also in WebAssembly, under node; and the
# collections (tests/e2e/lib/cs/Collected.cs). Skipped where the package feed lacks the compiler.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/objects.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
sentence="ahead of time: bytes are those that the runtime has counted"
if ! can dotnet || [ -z "$(dotnet --list-sdks)" ]; then
    skip "$sentence" "no .NET SDK"
    finish
fi
cp "$BUILD/ProfileInfoTracker.dll" . || exit 1
# Publishes a source, instrumented with these options, to NAME/out; 77 when a package cannot be had. For WebAssembly where `wasm` is set.
publish() { # NAME FRAMEWORK SOURCE OPTIONS…
    local name=$1 framework=$2 source=$3 rid=linux-x64 sdk=Microsoft.NET.Sdk kind='<PublishAot>true</PublishAot>'
    shift 3
    if [ "${wasm:-}" ]; then rid=browser-wasm sdk=Microsoft.NET.Sdk.WebAssembly kind='<CompressionEnabled>false</CompressionEnabled>'; fi
    mkdir "$name" && cp "$ROOT/tests/e2e/lib/cs/$source" "$name/" || return
    cat >"$name/$name.csproj" <<END
<Project Sdk="$sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType><TargetFramework>$framework</TargetFramework><RestorePackagesPath>$BUILD/tests/published</RestorePackagesPath>
    <InvariantGlobalization>true</InvariantGlobalization>$kind
  </PropertyGroup>
  <ItemGroup><Reference Include="ProfileInfoTracker"><HintPath>$SCRATCH/ProfileInfoTracker.dll</HintPath></Reference></ItemGroup>
  <Target Name="Ilinject" AfterTargets="CoreCompile">
    <Exec Command="&quot;$ILINJECT&quot; &quot;@(IntermediateAssembly->'%(FullPath)')&quot; --in-place --quiet $*" />
  </Target>
</Project>
END
    (cd "$name" && timeout 500 dotnet publish -c Release -r $rid -o out >log.txt 2>&1) && return
    if grep -q -E 'NU1101|NU1102|NU1301|NU1801|unable to load the service index' "$name/log.txt"; then return 77; fi
    grep -E 'error|Unhandled' "$name/log.txt" | sort -u | head -n 10 | cut -c 1-300
    return 1
}
# While the program measures by itself nothing is recorded, as Measured is not called.
by_itself() { # NAME
    $1/out/$1 measure >told.txt && ILINJECT_OUT=allocs.ilprof $1/out/$1 && "$ILINJECT" report --format=json -o allocs.json allocs.ilprof && python3 - <<'END'
import json
with open("allocs.json", encoding="utf-8") as file:
    report = json.load(file)
with open("told.txt", encoding="utf-8") as file:
    told = dict(line.split() for line in file)
functions = {f["method"].split("(")[0]: f for f in report["functions"]}
bad = [(name, size, functions[name]["inclusive_bytes"]) for name, size in told.items()
       if name not in ("PlainObject", "TwoFields") and functions[name]["inclusive_bytes"] != int(size)]
# The layout of objects is that of .NET: 16 bytes and the fields, 24 and the elements.
sizes = {"TwoFields": 1001 * 32, "HundredBytes": 128, "TenInts": 64, "Text": 48, "BoxedPair": 32, "Large": 100024, "OnThread": 3 * (128 + 24)}
bad += [(name, size, functions[name]["inclusive_bytes"]) for name, size in sizes.items() if functions[name]["inclusive_bytes"] != size]
if len(told) != 33 or bad:
    raise SystemExit(f"{len(told)} methods, not as expected: {bad}")
END
}
objects() { # NAME
    ILINJECT_OUT=objects.ilprof "$1/out/$1" && "$ILINJECT" report --format=json -o objects.json objects.ilprof && objects_by_hand objects.json
}
# As often as the source says (tests/e2e/report/suite-collections.py), with the pauses that the program reads.
collections() { # NAME
    ILINJECT_OUT=collected.ilprof "$1/out/$1" >told.txt && "$ILINJECT" report --format=json -o collected.json collected.ilprof && python3 - <<'END'
import json
with open("collected.json", encoding="utf-8") as file:
    functions = {f["method"].split("(")[0]: f for f in json.load(file)["functions"]}
with open("told.txt", encoding="utf-8") as file:
    count, pause = map(int, file.read().split())
measured = functions["Measured"]
own = {"Once": 5, "Twice": 2, "Calls": 1, "Down": 5, "Slices": 3, "OnThread": 2, "Waits": 2, "Measured": 0}
bad = [(name, calls, functions[name]["exclusive_collections"]) for name, calls in own.items() if functions[name]["exclusive_collections"] != calls]
if bad or not measured["inclusive_collections"] == count == 24 or pause <= 0 or abs(measured["inclusive_pause_ns"] - pause) > 100:
    raise SystemExit(f"{bad}, {measured}, the program says {count} {pause}")
END
}
# node has one thread, and the profile is written when Main is left.
objects_in_node() { # NAME
    local outcome=$SCRATCH/$1/outcome
    mkdir -p "$outcome" && cp "$ROOT/tests/e2e/lib/js/everywhere.mjs" "$1/out/wwwroot/" &&
        timeout -k 5 300 node "$1/out/wwwroot/everywhere.mjs" "$outcome" Program.Main alone || return
    [ "$(cat "$outcome/code")" = 0 ] || { cat "$outcome/told"; return 1; }
    "$ILINJECT" report --format=json -o objects.json "$outcome/profile" && objects_by_hand objects.json 1 alone
}
proved() { # SENTENCE PROOF NAME FRAMEWORK SOURCE OPTIONS…
    local sentence=$1 proof=$2
    shift 2
    publish "$@" >"$1.said" 2>&1
    case $? in
    0) check "$sentence" "$proof" "$1" ;;
    77) skip "$sentence" "the package feed has not all of it: $(grep -o -E -m 1 'Unable to find package [^ ]*|NU[0-9]*' "$1/log.txt" | head -n 1)" ;;
    *) check "$1 is published" eval "cat $1.said; false" ;;
    esac
}
for framework in net10.0 net9.0; do
    number=${framework//[^0-9]/}
    proved "$framework, ahead of time: bytes are those that the runtime has counted" by_itself "allocs$number" $framework Allocs.cs \
        --set alloc=bytes --set start=Allocs.Measured
    proved "$framework, ahead of time: objects are those of the source" objects "objects$number" $framework Objects.cs --allocations
    proved "$framework, ahead of time: collections are those of the source" collections "collected$number" $framework Collected.cs --set collections=1
done
if has node; then
    wasm=yes proved "in WebAssembly, under node: objects are those of the source" objects_in_node objectswasm net10.0 Objects.cs --allocations
else
    skip "in WebAssembly, under node: objects are those of the source" "node is not installed"
fi
finish
