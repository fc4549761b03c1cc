#!/usr/bin/env bash
# level: full
# The payments that fail (fixtures/cs/Payments.cs), compiled ahead of time: the report shows their exceptions as it does on
# Mono and .NET. Skipped where the package feed lacks the compiler.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/failures.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
if ! can dotnet || [ -z "$(dotnet --list-sdks)" ]; then
    skip "exceptions are counted once in a program that is compiled ahead of time" "no .NET SDK"
    finish
fi
cp "$BUILD/ProfileInfoTracker.dll" . || exit 1

# The program in the folder SHAPE, published to SHAPE/out; 77 when a package cannot be had.
publish() { # SHAPE OPTIONS…
    local shape=$1
    shift
    mkdir "$shape" && cp "$ROOT/fixtures/cs/Payments.cs" "$shape/"
    cat >"$shape/payments.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><RestorePackagesPath>$BUILD/tests/published</RestorePackagesPath>
    <InvariantGlobalization>true</InvariantGlobalization><PublishAot>true</PublishAot>
  </PropertyGroup>
  <ItemGroup><Reference Include="ProfileInfoTracker"><HintPath>$SCRATCH/ProfileInfoTracker.dll</HintPath></Reference></ItemGroup>
  <Target Name="Ilinject" AfterTargets="CoreCompile">
    <Exec Command="&quot;$ILINJECT&quot; &quot;@(IntermediateAssembly->'%(FullPath)')&quot; --in-place --quiet $*" />
  </Target>
</Project>
END
    (cd "$shape" && timeout 400 dotnet publish -c Release -r linux-x64 -o out >log.txt 2>&1) && return
    if grep -q -E 'NU1101|NU1102|NU1301|NU1801|unable to load the service index' "$shape/log.txt"; then return 77; fi
    grep -E 'error|Unhandled' "$shape/log.txt" | sort -u | head -n 10 | cut -c 1-300
    return 1
}
runs() { # SHAPE
    (cd "$1/out" && ILINJECT_OUT=payments.ilprof timeout 100 ./payments >said.txt) && [ "$(cat "$1/out/said.txt")" = 35 ]
}
for shape in guarded-paths guarded-full ret-paths; do
    case $shape in
    guarded-paths) options=() ;;
    guarded-full) options=(--exceptions=full) ;;
    ret-paths) options=(--exits=ret) ;;
    esac
    said=$(publish $shape "${options[@]}" 2>&1)
    case $? in
    0)
        check "35 payments are declined, $shape" runs $shape
        check "35 exceptions are 35, $shape" once $shape/out/payments.ilprof 1 $shape
        ;;
    77) skip "35 exceptions are 35, $shape" "the package feed has not all of it: $(grep -o -E -m 1 'Unable to find package [^ ]*|NU[0-9]*' $shape/log.txt | head -n 1)" ;;
    *) check "the payments are published, $shape" eval "echo '${said//\'/}'; false" ;;
    esac
done
finish
