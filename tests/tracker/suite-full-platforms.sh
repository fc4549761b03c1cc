#!/usr/bin/env bash
# level: full
# One tracker for all: a program (Published.cs), instrumented while it is built, as published in a single file, trimmed and compiled ahead of
# time. It prints what it did, and its profile has every call with its name. A platform that the
# package feed lacks is skipped.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
if ! can dotnet || ! can mono || [ -z "$(dotnet --list-sdks)" ]; then
    skip "published programs are profiled" "no .NET SDK, or no Mono to read profiles with"
    finish
fi
# A copy: another build may go on beside the test.
cp "$BUILD/ProfileInfoTracker.dll" . || exit 1
packages=$BUILD/tests/published
cat >expected.txt <<'END'
thrown on purpose
17 x 0,1,4
END
cat >sums.txt <<'END'
Program.Main(string[]) 1 0 0
Program.Outer(int) 12 0 0
Program.Inner(int) 24 0 0
END

# The program in the folder NAME, published to NAME/out; 77 when a package cannot be had.
publish() { # NAME FRAMEWORK OPTIONS…
    local name=$1 framework=$2
    shift 2
    mkdir "$name" && cp "$ROOT/tests/tracker/Published.cs" "$name/"
    cat >"$name/published.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType><TargetFramework>$framework</TargetFramework><RestorePackagesPath>$packages</RestorePackagesPath>
    <InvariantGlobalization>true</InvariantGlobalization><LangVersion>latest</LangVersion>
  </PropertyGroup>
  <ItemGroup><Reference Include="ProfileInfoTracker"><HintPath>$SCRATCH/ProfileInfoTracker.dll</HintPath></Reference></ItemGroup>
  <Target Name="Ilinject" AfterTargets="CoreCompile">
    <Exec Command="&quot;$ILINJECT&quot; &quot;@(IntermediateAssembly->'%(FullPath)')&quot; --in-place --quiet" />
  </Target>
</Project>
END
    (cd "$name" && timeout 400 dotnet publish -c Release -r linux-x64 -o out "$@" >log.txt 2>&1) && return
    if grep -q -E 'NU1101|NU1102|NU1301|NU1801|unable to load the service index' "$name/log.txt"; then return 77; fi
    grep -E 'error|Unhandled' "$name/log.txt" | sort -u | head -n 10 | cut -c 1-300
    return 1
}
profiled() { # NAME
    (cd "$1/out" && rm -f ./*.ilprof && ./published >../said.txt 2>../errors.txt)
    [ $? -eq 7 ] && diff expected.txt "$1/said.txt" && [ ! -s "$1/errors.txt" ] &&
        dump sums "$1/out/published.ilprof" >"$1/sums.txt" && diff sums.txt <(grep -F -x -f sums.txt "$1/sums.txt") && ! grep '^#' "$1/sums.txt" &&
        [ "$(dump run "$1/out/published.ilprof" reason)" = exit ] && "$ILINJECT" report "$1/out/published.ilprof" | grep -q 'Program.Later(int) \[async\]'
}
waits() { grep -q ready "$1/said.txt" && [ -s "$1/out/published.ilprof" ]; }
ended() { # NAME: by SIGTERM; some frameworks end the program in order then
    local pid
    rm -f "$1"/out/*.ilprof
    : >"$1/said.txt"
    (cd "$1/out" && exec ./published wait >../said.txt 2>&1) &
    pid=$!
    within 100 waits "$1" || { kill -KILL $pid; return 1; }
    kill -TERM $pid
    wait $pid
    [ $? -eq 143 ] && dump sums "$1/out/published.ilprof" | grep -q 'Program.Outer(int) 12 0 0' && [[ $(dump run "$1/out/published.ilprof" reason) == @(signal|exit) ]]
}
way() { # SENTENCE NAME FRAMEWORK OPTIONS…
    local sentence=$1 said
    shift
    said=$(publish "$@" 2>&1)
    case $? in
    0)
        check "$sentence" profiled "$1"
        check "$sentence, and the build says nothing of the tracker" eval "! grep -E 'ProfileInfoTracker|Instrumenter' '$1/log.txt'"
        check "$sentence, also when SIGTERM ends it" ended "$1"
        ;;
    77) skip "$sentence" "the package feed has not all of it: $(grep -o -E -m 1 'Unable to find package [^ ]*|NU[0-9]*' "$1/log.txt" | head -n 1)" ;;
    *) check "$sentence" eval "echo '${said//\'/}'; false" ;;
    esac
}
for framework in net10.0 net9.0; do
    way "a program in a single file is profiled ($framework)" "single-$framework" "$framework" --self-contained -p:PublishSingleFile=true
    way "a program that is trimmed as far as can be is profiled ($framework)" "trimmed-$framework" "$framework" --self-contained -p:PublishTrimmed=true -p:TrimMode=full
    way "a program that is compiled ahead of time is profiled ($framework)" "aot-$framework" "$framework" -p:PublishAot=true
done
check "trimming does not keep System.Diagnostics.Process for the tracker" eval '[ ! -d trimmed-net10.0/out ] || [ ! -e trimmed-net10.0/out/System.Diagnostics.Process.dll ]'
cannot_send() { # nothing of it was kept for the tracker
    [ ! -e trimmed-net10.0/out/System.Net.Http.dll ] && (cd trimmed-net10.0/out && ILINJECT_POST=http://127.0.0.1:1/x ./published >../said.txt 2>../errors.txt)
    diff expected.txt trimmed-net10.0/said.txt && [ "$(cat trimmed-net10.0/errors.txt)" = 'ilinject: post=http://127.0.0.1:1/...: this host has no way to send it' ]
}
if [ -d trimmed-net10.0/out ]; then
    check "a trimmed program without means to send its profile says so, and runs" cannot_send
else
    skip "a trimmed program without means to send its profile says so, and runs" "there is none"
fi
finish
