#!/usr/bin/env bash
# level: full
# The bytes that methods allocate (tests/e2e/lib/Allocs.cs) in a program that is compiled ahead of time: those that the runtime counts
# around each of them. Skipped where the package feed lacks the compiler.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
sentence="ahead of time: bytes are those that the runtime has counted"
if ! can dotnet || [ -z "$(dotnet --list-sdks)" ]; then
    skip "$sentence" "no .NET SDK"
    finish
fi
cp "$BUILD/ProfileInfoTracker.dll" "$ROOT/tests/e2e/lib/Allocs.cs" . || exit 1
cat >allocs.csproj <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><RestorePackagesPath>$BUILD/tests/published</RestorePackagesPath>
    <InvariantGlobalization>true</InvariantGlobalization><PublishAot>true</PublishAot>
  </PropertyGroup>
  <ItemGroup><Reference Include="ProfileInfoTracker"><HintPath>$SCRATCH/ProfileInfoTracker.dll</HintPath></Reference></ItemGroup>
  <Target Name="Ilinject" AfterTargets="CoreCompile">
    <Exec Command="&quot;$ILINJECT&quot; &quot;@(IntermediateAssembly->'%(FullPath)')&quot; --in-place --quiet --set alloc=bytes --set start=Allocs.Measured" />
  </Target>
</Project>
END
# While the program measures by itself nothing is recorded, as Measured is not called.
by_itself() {
    out/allocs measure >said && ILINJECT_OUT=allocs.ilprof out/allocs && "$ILINJECT" report --format=json -o allocs.json allocs.ilprof && python3 - <<'END'
import json
with open("allocs.json", encoding="utf-8") as file:
    report = json.load(file)
with open("said", encoding="utf-8") as file:
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
if timeout 400 dotnet publish -c Release -r linux-x64 -o out >log.txt 2>&1; then
    check "$sentence" by_itself
elif grep -q -E 'NU1101|NU1102|NU1301|NU1801|unable to load the service index' log.txt; then
    skip "$sentence" "the package feed has not all of it: $(grep -o -E -m 1 'Unable to find package [^ ]*|NU[0-9]*' log.txt | head -n 1)"
else
    check "the program is published" eval "grep -E 'error|Unhandled' log.txt | sort -u | head -n 10 | cut -c 1-300; false"
fi
finish
