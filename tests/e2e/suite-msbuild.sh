#!/usr/bin/env bash
# The package for MSBuild, from a feed of its own: an app and its library are built by the SDK, changed, broken, switched off and on,
# cleaned and published; what runs has the profile that it should have.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ladder.sh"
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
export MSBUILDDISABLENODEREUSE=1
work=$SCRATCH/work

if ! can dotnet || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then
    skip "the package for MSBuild works in the SDK's builds" "no .NET SDK"
    finish
fi
if ! has zip; then
    skip "the package for MSBuild works in the SDK's builds" "no zip to make the package with (make nupkg)"
    finish
fi
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
package=$BUILD/ILInject.MSBuild.$version.nupkg
check "the package is made" make -s -C "$ROOT" BUILD="${BUILD#"$ROOT"/}" "${package#"$ROOT"/}"

mkdir -p "$work/lib" "$work/app" "$SCRATCH/feed" && cp "$package" "$SCRATCH/feed/" && cd "$work" || finish
framework=net$(dotnet --version | cut -d . -f 1).0
reference="<PackageReference Include=\"ILInject.MSBuild\" Version=\"$version\" PrivateAssets=\"all\" />"
cat >nuget.config <<XML
<configuration><packageSources><clear /><add key="feed" value="$SCRATCH/feed" /></packageSources>
<config><add key="globalPackagesFolder" value="$SCRATCH/packages" /></config></configuration>
XML
cat >lib/lib.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>$framework</TargetFramework></PropertyGroup><ItemGroup>$reference</ItemGroup></Project>
XML
cat >app/app.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>$framework</TargetFramework><OutputType>Exe</OutputType><UseAppHost>false</UseAppHost></PropertyGroup>
<ItemGroup>$reference<ProjectReference Include="../lib/lib.csproj" /></ItemGroup></Project>
XML
echo 'public static class Lib { public static int Twice(int x) { return x * 2; } }' >lib/Lib.cs
cat >app/App.cs <<'CS'
public static class App {
    static int Once(int x) { return x + 1; }
    public static void Main() { int n = 0; for (int i = 0; i < 5; i++) n += Lib.Twice(Once(i)); System.Console.WriteLine(n); }
}
CS
echo '<ilinject>' >broken.xml

# builds OPTIONS…: restored once; what it printed is in "log"
builds() { timeout 300 dotnet "${verb:-build}" app -c Release -v m --no-restore --disable-build-servers -p:UseSharedCompilation=false "$@" >log 2>&1 || { cat log; return 1; }; }
wove() { diff <(grep -o 'ILInject: .* left out' log) <(printf '%s' "${1:+$1$'\n'}") || { cat log; return 1; }; }
# runs PRINTED COUNTS…: an instrumented app; COUNTS as counts wants them. Without COUNTS: no profile.
runs() { # FOLDER PRINTED COUNTS…
    local folder=$1 printed=$2
    shift 2
    rm -f said.ilprof
    [ "$(ILINJECT_OUT=$work/said.ilprof timeout 60 dotnet "$folder/app.dll")" = "$printed" ] || return 1
    if [ $# -eq 0 ]; then [ ! -e said.ilprof ]; return; fi
    printf '%s\n' "$@" >said.expected
    profile_agrees said.ilprof said.expected
}
bin=app/bin/Release/$framework obj=app/obj/Release/$framework
both=$'ILInject: lib.dll 1 method, 0 left out\nILInject: app.dll 2 methods, 0 left out'
app_alone='ILInject: app.dll 2 methods, 0 left out'
on=-p:ILInjectEnabled=true

if ! timeout 300 dotnet restore app -v q --disable-build-servers >log 2>&1; then
    tail -n 3 log
    skip "the package for MSBuild works in the SDK's builds" "dotnet cannot restore here"
    finish
fi
check "without ILInjectEnabled nothing is done" builds
check "… nor said" wove ""
check "with it the app and its library are instrumented" builds "$on"
check "… in a line each" wove "$both"
check "the profile has the calls of both" runs "$bin" 30 '1 App::Main*' '5 App::Once*' '5 Lib::Twice*'
check "a second build succeeds" builds "$on"
check "… and does nothing" wove ""
check "another selection is taken" builds "$on" '-p:ILInjectExclude=App.Once*'
check "the profile follows" runs "$bin" 30 '1 App::Main*' '5 Lib::Twice*'

fails() { ! builds "$on" "-p:ILInjectConfig=$work/broken.xml" -p:BuildProjectReferences=false && grep -q 'broken.xml.*error ILJ0433' log && grep -q 'error ILJ2006' log; }
check "a failure is an error of the build, with file and code" fails
check "… and leaves the compiler's own output in obj" cmp "$obj/app.dll" "$obj/ilinject/compiled/app.dll"
sed -i 's/i < 5/i < 6/' app/App.cs
check "… and again behind a compiler that has run" fails
check "the next build makes up for it" builds "$on" -p:BuildProjectReferences=false
check "… once" wove "$app_alone"
check "what was edited runs, instrumented" runs "$bin" 42 '1 App::Main*' '6 App::Once*' '6 Lib::Twice*'

check "switched off, it builds" builds
check "… and leaves nothing in obj" test ! -e "$obj/ilinject"
tracker_gone() { [ ! -e "$bin/ProfileInfoTracker.dll" ] && ! grep -q ProfileInfoTracker "$bin/app.deps.json"; }
check "… nor beside the app" tracker_gone
check "the compiler's own output runs, without a profile" runs "$bin" 42
check "switched on again, it builds" builds "$on"
check "the profile is there again" runs "$bin" 42 '1 App::Main*' '6 App::Once*' '6 Lib::Twice*'

verb=publish
check "it publishes" builds "$on" -o "$work/published"
check "… with a warning" grep -q 'warning ILJ2004' log
check "what is published runs, instrumented" runs published 42 '1 App::Main*' '6 App::Once*' '6 Lib::Twice*'
verb=clean
cleans() { timeout 300 dotnet clean app -c Release -v q --disable-build-servers "$on" >log 2>&1 && [ ! -e "$obj/ilinject" ]; }
check "clean takes all of it away" cleans
finish
