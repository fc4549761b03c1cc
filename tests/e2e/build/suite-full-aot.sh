#!/usr/bin/env bash
# level: full
# A program that says hello, published by NativeAOT with the package and without, where each warning is an error: the tracker
# costs less than half a megabyte, the profile is whole, and what was left out says so. The table of sizes is in the log.
#   FRAMEWORKS="net9.0" tests/e2e/build/suite-full-aot.sh    these alone
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/package.sh"
# Half a megabyte.
most=500000

if ! can dotnet || [ -z "$(dotnet --list-sdks)" ]; then
    skip "NativeAOT programs carry less than half a megabyte of tracker" "no .NET SDK"
    finish
fi
if missing=$(package_missing); then
    skip "NativeAOT programs carry less than half a megabyte of tracker" "$missing"
    finish
fi
check "the package is made" make_package
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
export NUGET_PACKAGES=$BUILD/tests/packages-msbuild
mkdir -p "$SCRATCH/feed" "$SCRATCH/hello" "$NUGET_PACKAGES" && rm -rf "$NUGET_PACKAGES/ilinject.msbuild" && cp "$package" "$SCRATCH/feed/" && cd "$SCRATCH/hello" || finish
cat >Hello.cs <<'END'
class Hello
{
    static void Main()
    {
        System.Console.WriteLine("Hello, World!");
    }
}
END
cat >hello.csproj <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>\$(TestedFramework)</TargetFramework>
    <RestoreAdditionalProjectSources>$SCRATCH/feed</RestoreAdditionalProjectSources>
    <PublishAot>true</PublishAot>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
    <MSBuildTreatWarningsAsErrors>true</MSBuildTreatWarningsAsErrors>
    <TrimmerSingleWarn>false</TrimmerSingleWarn>
    <NoWarn>\$(NoWarn);ILJ2004;NETSDK1138</NoWarn>
    <MSBuildWarningsAsMessages>\$(MSBuildWarningsAsMessages);ILJ2004</MSBuildWarningsAsMessages>
  </PropertyGroup>
  <ItemGroup><PackageReference Include="ILInject.MSBuild" Version="$version" PrivateAssets="all" /></ItemGroup>
</Project>
END

# publishes FRAMEWORK FOLDER OPTIONS…: 77 when a package cannot be had; a warning is an error.
publishes() {
    local framework=$1 folder=$2
    shift 2
    rm -rf obj bin
    TestedFramework=$framework timeout 600 dotnet publish hello.csproj -c Release -r linux-x64 -v m -o "$SCRATCH/$folder" --disable-build-servers "$@" >log 2>&1 && ! grep -E 'warning|IL2104|IL3053' log && return
    if grep -q -E 'NU1101|NU1102|NU1103|NU1301' log; then return 77; fi
    tail -n 20 log
    return 1
}
runs_whole() { # FOLDER
    rm -f hello.ilprof
    [ "$(timeout 100 "../$1/hello")" = "Hello, World!" ] && printf '1 Hello::Main*\n' >expected && profile_agrees hello.ilprof expected
}
cat_and_fail() { cat "$1"; false; }
size_of() { stat -c %s "$SCRATCH/$1/hello"; }
costs_less() { # PLAIN INSTRUMENTED
    local plain woven
    plain=$(size_of "$1") woven=$(size_of "$2")
    echo "$plain bytes, instrumented $woven: $((woven - plain)) more, of $most at most"
    [ $((woven - plain)) -lt $most ] && [ "$woven" -gt "$plain" ]
}
says_missing() { # FOLDER
    ILINJECT_POST=http://127.0.0.1:9/ ILINJECT_LOG=1 timeout 100 "../$1/hello" >said 2>told && cat told &&
        [ "$(cat said)" = "Hello, World!" ] && [ "$(wc -l <told)" -eq 2 ] && grep -q '^ilinject: ILINJECT_POST: .*ILInjectFeatures' told &&
        grep -q '^ilinject: ILINJECT_LOG: .*ILInjectFeatures' told
}
table=
for framework in ${FRAMEWORKS:-net8.0 net9.0 net10.0}; do
    publishes "$framework" "plain-$framework" >said
    case $? in
    0) ;;
    77)
        skip "$framework: NativeAOT programs carry less than half a megabyte of tracker" "$(grep -o -m 1 -E 'NU1[0-9]*: .*' log | cut -c 1-120)"
        continue
        ;;
    *)
        check "$framework: the plain program is published" cat_and_fail log
        continue
        ;;
    esac
    check "$framework: it is published with the package, and no warning" publishes "$framework" "woven-$framework" -p:ILInjectEnabled=true
    check "$framework: … it says the same, and its profile is whole" runs_whole "woven-$framework"
    check "$framework: … it has less than half a megabyte more" costs_less "plain-$framework" "woven-$framework"
    check "$framework: … settings of parts that it does not carry are named" says_missing "woven-$framework"
    table+=$(printf '%s\t%s\t%s\t%s' "$framework" "$(size_of "plain-$framework")" "$(size_of "woven-$framework")" \
        $(($(size_of "woven-$framework") - $(size_of "plain-$framework"))))$'\n'
done
if [ "$table" ]; then
    check "all parts are carried when they are asked for, and no warning" publishes "$framework" all -p:ILInjectEnabled=true -p:ILInjectFeatures=all
    check "… it says the same, and its profile is whole" runs_whole all
    table+=$(printf '%s\t%s\t%s\t%s' "$framework, all" "$(size_of "plain-$framework")" "$(size_of all)" $(($(size_of all) - $(size_of "plain-$framework"))))
    printf 'framework\tplain\tinstrumented\tdifference (bytes)\n%s\n' "$table" | column -t -s $'\t'
fi
finish
