#!/usr/bin/env bash
# The package for MSBuild, from a feed of its own: an app, its library and a dependency without source are built by the SDK, changed,
# broken, switched off and on, cleaned and published; a library of Visual Basic's, and tests of
# xunit's. A program that runs has the profile that it should have.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/package.sh"
# Nothing of a name is for a shell. (The SDK itself cannot publish into a folder with an apostrophe.)
work="$SCRATCH/o'brien \`touch ran\` \$HOME=1"
packages="$SCRATCH/o'brien's \`touch ran\`"

if ! can dotnet || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then
    skip "the package for MSBuild works in the SDK's builds" "no .NET SDK"
    finish
fi
if missing=$(package_missing || { has mcs || echo "no mcs"; }) && [ -n "$missing" ]; then
    skip "the package for MSBuild works in the SDK's builds" "$missing"
    finish
fi
# Packages that tests of xunit's need; fetched before NuGet gets another home.
fetched=$("$ROOT/tests/nuget-fetch" microsoft.net.test.sdk/17.14.1 microsoft.codecoverage/17.14.1 microsoft.testplatform.testhost/17.14.1 \
    microsoft.testplatform.objectmodel/17.14.1 newtonsoft.json/13.0.3 xunit.core/2.9.3 xunit.assert/2.9.3 xunit.extensibility.core/2.9.3 \
    xunit.extensibility.execution/2.9.3 xunit.abstractions/2.0.3 xunit.runner.visualstudio/2.8.2) || { no_packages=$fetched fetched=; }
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
# One process of MSBuild's serves this suite's builds, and one of the compilers those of all suites: the start of either takes longer
# than what it has to do here. Tasks that are built and loaded, tests and a watch have their own.
export MSBUILDNODEHANDSHAKESALT=$SCRATCH DOTNET_TieredPGO=0
server=$("$ROOT/tests/compile-server")
serving=(env -u MSBUILDDISABLENODEREUSE DOTNET_CLI_USE_MSBUILD_SERVER=1)
end_server() {
    local file
    for file in $(grep -l -z -F -x "MSBUILDNODEHANDSHAKESALT=$SCRATCH" /proc/[0-9]*/environ 2>/dev/null); do
        if grep -q -z nodemode "${file%environ}cmdline"; then file=${file%/environ} && kill "${file##*/}"; fi
    done 2>/dev/null
}
trap 'end_server; cat "$SCRATCH"/half.*.log 2>/dev/null; rm -rf "$SCRATCH" "$SCRATCH.kept"' EXIT
check "the package is made" make_package
kinds() { # of parts: by extension, or by name
    local part faults=0
    while read -r part; do
        grep -q -e "Extension=\"${part##*.}\"" -e "PartName=\"$part\"" "$package_tree/[Content_Types].xml" || { echo "$part"; faults=1; }
    done < <(cd "$package_tree" && find . -type f ! -name '*Content_Types*' | sed 's/^\.//')
    return $faults
}
check "… and says of what kind each of its files is" kinds

mkdir -p "$work/lib" "$work/app" "$work/vb" "$work/tests" "$work/dep" "$SCRATCH/feed" && cp "$package" "$SCRATCH/feed/" && cd "$work" || finish
framework=net$(dotnet --version | cut -d . -f 1).0
reference="<PackageReference Include=\"ILInject.MSBuild\" Version=\"$version\" PrivateAssets=\"all\" />"
cat >nuget.config <<XML
<configuration><packageSources><clear /><add key="feed" value="$SCRATCH/feed" /></packageSources>
<config><add key="globalPackagesFolder" value="$packages" /></config>
<fallbackPackageFolders><clear /><add key="fetched" value="${fetched:-$SCRATCH/feed}" /></fallbackPackageFolders></configuration>
XML
cat >Directory.Build.props <<XML
<Project><PropertyGroup><TargetFramework>$framework</TargetFramework><UseAppHost>false</UseAppHost></PropertyGroup><ItemGroup>$reference</ItemGroup></Project>
XML
cat >lib/lib.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><SignAssembly>true</SignAssembly><AssemblyOriginatorKeyFile>$ROOT/runtime-tracker/ilinject.snk</AssemblyOriginatorKeyFile></PropertyGroup></Project>
XML
cat >app/app.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>
<ItemGroup><ProjectReference Include="../lib/lib.csproj" /><Reference Include="Dep"><HintPath>../dep/Dep.dll</HintPath></Reference>
<ILInjectReference Include="Dep" /></ItemGroup></Project>
XML
cat >vb/vb.vbproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup></Project>
XML
cat >tests/tests.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><ProjectReference Include="../lib/lib.csproj" /><PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.14.1" />
<PackageReference Include="xunit.core" Version="2.9.3" /><PackageReference Include="xunit.assert" Version="2.9.3" />
<PackageReference Include="xunit.runner.visualstudio" Version="2.8.2" /><ILInjectReference Include="Newtonsoft.Json" /></ItemGroup></Project>
XML
cat >lib/Lib.cs <<'CS'
public static class Lib {
    public static int Twice(int x) { return x * 2; }
    public static void Fail(int x) {
        if (x > 0)
            throw new System.Exception("failed");
    }
}
CS
cat >app/App.cs <<'CS'
public static class App {
    static int Once(int x) { return x + 1; }
    public static void Main(string[] args) {
        int n = 0;
        for (int i = 0; i < 5; i++) n += Lib.Twice(Once(i));
        System.Console.WriteLine(Dep.Same(n));
        try {
            Lib.Fail(args.Length);
        } catch (System.Exception e) { System.Console.WriteLine(e); }
    }
}
CS
cat >vb/Vb.vb <<'VB'
Module Vb
    <Instrumenter.NoProfile> Sub Silent()
    End Sub
    Sub Main()
        Silent()
        System.Console.WriteLine(Lines("a", "b"))
    End Sub
    Function Lines(ParamArray what() As String) As Integer
        Return what.Length
    End Function
End Module
VB
cat >tests/Tests.cs <<'CS'
public class Tests {
    [Xunit.Fact] public void Doubles() { Xunit.Assert.Equal(4, Lib.Twice(2)); }
    [Xunit.Fact] public void Writes() { Xunit.Assert.Equal("[4]", Newtonsoft.Json.JsonConvert.SerializeObject(new[] { Lib.Twice(2) })); }
}
CS
echo 'public static class Dep { public static int Same(int x) { return x; } }' >dep/Dep.cs
mcs -target:library -out:dep/Dep.dll dep/Dep.cs || finish
echo '<ilinject>' >broken.xml

# builds PROJECT OPTIONS…: restored once; what it printed is in "log"
builds() {
    local options=(--disable-build-servers -p:UseSharedCompilation=false)
    if [ "$server" ]; then options=(-m:1 -p:UseSharedCompilation=true "-p:SharedCompilationId=$server"); fi
    timeout 300 "${serving[@]}" dotnet "${verb:-build}" "$1" -c "${configuration:-Release}" -v m --no-restore "${options[@]}" "${@:2}" >log 2>&1 ||
        { cat log; return 1; }
}
wove() { diff <(grep -o 'ILInject: .* left out' log | sort) <(printf '%s' "${1:+$1$'\n'}") || { cat log; return 1; }; }
# runs DLL PRINTED COUNTS…: an instrumented app; COUNTS as counts wants them. Without COUNTS: no profile.
runs() {
    local dll=$1 printed=$2
    shift 2
    rm -f said.ilprof
    [ "$(ILINJECT_OUT=$work/said.ilprof timeout 150 dotnet "$dll")" = "$printed" ] || return 1
    if [ $# -eq 0 ]; then [ ! -e said.ilprof ]; return; fi
    printf '%s\n' "$@" >said.expected
    profile_agrees said.ilprof said.expected
}
# lines DLL: the trace of what is thrown names the source's lines
lines() { diff <(timeout 150 dotnet "$1" throw | grep -o '[A-Za-z]*\.cs:line [0-9]*') <(printf '%s\n' 'Lib.cs:line 5' 'App.cs:line 8'); }
app=app/bin/Release/$framework/app.dll obj=app/obj/Release/$framework
all=$'ILInject: Dep.dll 1 method, 0 left out\nILInject: app.dll 2 methods, 0 left out\nILInject: lib.dll 2 methods, 0 left out'
main='1 App::Main*' five='5 App::Once*' six='6 App::Once*' fail='1 Lib::Fail*' same='1 Dep::Same*'
on=-p:ILInjectEnabled=true

restores() { timeout 300 "${serving[@]}" dotnet restore "$1" -v q >log 2>&1; }
if ! restores app; then
    tail -n 3 log
    skip "the package for MSBuild works in the SDK's builds" "dotnet cannot restore here"
    finish
fi
check "without ILInjectEnabled nothing is done" builds app
check "… nor said" wove ""
check "… and a trace has its lines" lines "$app"
check "with it the app, its library and the dependency are instrumented" builds app "$on"
check "… in a line each" wove "$all"
check "the profile has the calls of all" runs "$app" 30 "$main" "$five" '5 Lib::Twice*' "$fail" "$same"
check "a trace has the same lines" lines "$app"
if has sn; then
    check "a signed library is signed anew" sn -q -v "${app%app.dll}lib.dll"
else
    skip "a signed library is signed anew" "no sn"
fi
times() { find app/bin lib/bin "$obj" -type f -newer "$1" -name '*.dll'; }
touch before
check "a second build succeeds" builds app "$on"
check "… and says nothing" wove ""
check "… and writes no assembly" test -z "$(times before)"
touch -d 2001-02-03 "$packages/ilinject.msbuild/$version/tracker/ProfileInfoTracker.dll"
check "another tracker builds, be it older" builds app "$on"
check "… and all is woven again" wove "$all"
design_time() { cp "$obj/app.dll" kept.dll && builds app -t:CoreCompile -p:DesignTimeBuild=true -p:ProvideCommandLineArgs=true && cmp kept.dll "$obj/app.dll"; }
check "an editor's design-time build leaves all as it is" design_time

cat >app/odd.props <<'XML'
<Project><PropertyGroup>
  <ILInjectSettings>out=a\b "c" `touch ran` $HOME &amp; |;beat=7</ILInjectSettings>
  <ILInjectExclude>A'x';
    **.Once;
  </ILInjectExclude>
  <ILInjectOptions>  --exclude='No "such"  one' --exclude "Nor this"
    @more</ILInjectOptions>
</PropertyGroup></Project>
XML
echo '--exclude=App.No' >app/more
passes_on() { # what properties say, as they say it: the same bytes as when the program is given that
    builds app "$on" -p:BuildProjectReferences=false "-p:CustomBeforeMicrosoftCommonTargets=$work/app/odd.props" || return
    mkdir -p plain && "$ILINJECT" "$obj/ilinject/compiled/app.dll" -o plain/app.dll --set='out=a\b "c" `touch ran` $HOME & |' --set=beat=7 --exclude="A'x'" --exclude='**.Once' --exclude='No "such"  one' \
        --exclude='Nor this' --exclude=App.No >said && cmp plain/app.dll "$obj/ilinject/woven/app.dll" && grep -q "'A'x'' matches no method" log && grep -q "'App.No' matches" log
}
check "properties are passed on as they are" passes_on
check "another selection is taken, and another clock" builds app "$on" '-p:ILInjectExclude="App.Once*;Lib.Fail"' '-p:ILInjectSettings=clock=fast'
check "… the profile follows" runs "$app" 30 "$main" '5 Lib::Twice*' "$same"
check "… with the clock's library" cmp "${app%app.dll}libilinject_clock.so" "$obj/ilinject/woven/libilinject_clock.so"

# Lib.Twice alone: the last rule names it; its second call has 2 for x, the third 4.
captures() {
    builds app "$on" '-p:ILInjectCapture="Lib: args, return, every=2;Lib.Twice: return, args, first=2"' '-p:ILInjectMask="*none*;!nothing"' -p:BuildProjectReferences=true && wove "$all" &&
        ILINJECT_OUT=$work/said.ilprof timeout 60 dotnet "$app" >/dev/null && "$ILINJECT" report --calls --width=0 said.ilprof >calls &&
        diff <(grep -o 'Lib\..*' calls) <(printf 'Lib.Twice(x: %s\n' '1) → 2' '2) → 4' && echo 'Lib.Fail(x: 0)')
}
check "calls are captured as properties say" captures
masks() { builds app "$on" '-p:ILInjectCapture=Lib: args' '-p:ILInjectMask="y;X"' && ILINJECT_OUT=$work/said.ilprof timeout 60 dotnet "$app" >/dev/null && "$ILINJECT" report --calls --filter=Lib.Fail said.ilprof | grep -q -F 'Lib.Fail(x: ***)'; }
check "… and names are masked" masks
leaves() { builds app "$on" '-p:ILInjectLeaves="default;System.Console"' && ILINJECT_OUT=$work/said.ilprof timeout 60 dotnet "$app" >/dev/null && "$ILINJECT" report --width=0 said.ilprof | grep -q 'System\.Console\.WriteLine(.*) \[leaf\]'; }
check "… and calls of what is not instrumented are leaves" leaves

fails() { ! builds app "$on" "-p:ILInjectConfig=$work/broken.xml" -p:BuildProjectReferences=false && grep -q 'broken.xml.*error ILJ0433' log && grep -q 'error ILJ2006' log; }
check "a failure is an error of the build, with file and code" fails
sed -i 's/i < 5/i < 6/' app/App.cs
check "… and again behind a compiler that has run" fails
check "the next build makes up for it" builds app "$on"
check "… once, and takes back what the selection was" wove "$all"
check "what was edited runs, instrumented" runs "$app" 42 "$main" "$six" '6 Lib::Twice*' "$fail" "$same"
check "the clock's library has gone" test ! -e "${app%app.dll}libilinject_clock.so"

check "switched off, it builds" builds app
check "… and leaves nothing in obj" test ! -e "$obj/ilinject"
check "… nor in the dependency" cmp dep/Dep.dll "${app%app.dll}Dep.dll"
tracker_gone() { [ ! -e "${app%app.dll}ProfileInfoTracker.dll" ] && ! grep -q ProfileInfoTracker "${app%.dll}.deps.json"; }
check "… nor beside the app" tracker_gone
check "the compiler's own output runs, without a profile" runs "$app" 42
check "switched on again, it builds" builds app "$on"
check "the profile is there again" runs "$app" 42 "$main" "$six" '6 Lib::Twice*' "$fail" "$same"

# The parts of the tracker that a NativeAOT program does not carry, one after another.
left_out() { # OPTIONS…
    timeout 100 "${serving[@]}" dotnet msbuild app -getItem:RuntimeHostConfigurationOption "$@" >items 2>&1 || { cat items; return 1; }
    grep -o '"Identity": "Instrumenter\.[A-Za-z]*"' items | sed 's/.*\.\(.*\)"/\1/' | LC_ALL=C sort | tr '\n' ' '
    echo
}
leaves_out() { # EXPECTED OPTIONS…
    local expected=$1
    shift
    diff <(echo "$expected") <(left_out "$@")
}
aot=-p:PublishAot=true
check "an app that is not compiled ahead of time carries the whole tracker" leaves_out "" "$on"
check "… nor does one that is not instrumented know of parts" leaves_out "" "$aot"
check "a NativeAOT app carries no part that nobody asks for" leaves_out "Alloc Control DynamicCode FullVersion Http Log Overhead Signals Timeline UserClock " "$on" "$aot"
check "… but those that ILInjectFeatures names" leaves_out "Alloc Control DynamicCode FullVersion Log Overhead Timeline UserClock " "$on" "$aot" '-p:ILInjectFeatures="post;signals"'
check "… or a setting, a price" leaves_out "Alloc Control DynamicCode FullVersion Http Signals Timeline UserClock " "$on" "$aot" -p:ILInjectSettings=log=1 -p:ILInjectOverhead=10%25
check "… all of them when that is asked for" leaves_out "DynamicCode FullVersion " "$on" "$aot" -p:ILInjectFeatures=all
check "a trimmed app leaves out what ILInjectFeatures does not name" leaves_out "Alloc Control Log Overhead Signals Timeline UserClock " "$on" -p:PublishTrimmed=true -p:ILInjectFeatures=post
switches() { # of the tracker's source, what its compilers are told, and what the package says
    local features=$ROOT/runtime-tracker/Host/Features.cs told=$ROOT/runtime-tracker/Substitutions.xml
    sed -n 's/.*internal static bool \([A-Za-z]*\)$/\1/p' "$features" | sort >names
    [ "$(wc -l <names)" -ge 9 ] && diff names <(sed -n 's/.*get_\([A-Za-z]*\)().*/\1/p' "$told" | sort -u) &&
        diff <(grep -v OldHosts names) <(sed -n 's/.*feature="Instrumenter\.\([A-Za-z]*\)".*/\1/p' "$told" | sort) &&
        diff <(grep -v OldHosts names) <(sed -n 's/.*Include="Instrumenter\.\([A-Za-z]*\)".*/\1/p' "$ROOT/src/msbuild/ILInject.MSBuild.Sdk.targets" | sort)
}
check "each part of the tracker has a switch, and the package knows it" switches

# A price: calls are counted, the choice is written, and taken by the next build. Often has 900,000 calls, Seldom 3.
mkdir priced
cat >priced/priced.csproj <<'XML'
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup></Project>
XML
cat >priced/Priced.cs <<'CS'
using System.Runtime.CompilerServices;
public static class Priced {
    [MethodImpl(MethodImplOptions.NoInlining)] static int Often(int x) { return x ^ 5; }
    [MethodImpl(MethodImplOptions.NoInlining)] static int Seldom(int x) { for (int i = 0; i < 300000; i++) x += Often(i); return x; }
    public static void Main() { System.Console.WriteLine(Seldom(1) + Seldom(2) + Seldom(3)); }
}
CS
priced=priced/bin/Release/$framework/priced.dll seldom='3 Priced::Seldom*' start='1 Priced::Main*'
renews() { timeout 300 "${serving[@]}" dotnet build priced -t:ILInjectRenewChoice -c Release -v m --no-restore "$@" >log 2>&1; }
refuses() { ! renews "${@:2}" && grep -q "priced.csproj.*error $1" log && [ ! -e priced/priced.ilinject.xml ]; }
chosen() { [ "$(grep -c '<exclude' priced/priced.ilinject.xml)" -eq 1 ] && grep -q '<exclude pattern=".*Priced.Often(' priced/priced.ilinject.xml; }
counted_as() { # PRINTED COUNTS…
    rm -f said.ilprof
    local printed
    printed=$(ILINJECT_OUT=$work/said.ilprof timeout 150 dotnet "$priced") || return
    [ -z "${1:-}" ] || [ "$printed" = "$1" ] || return
    printf '%s\n' "${@:2}" >said.expected
    profile_agrees said.ilprof said.expected
}
if restores priced; then
    check "a price: calls are counted" builds priced "$on" -p:ILInjectCounts=true
    sum=$(dotnet "$priced")
    rm -f ./*.ilprof
    counts_all() { # and nothing else
        ILINJECT_OUT=$work/said.ilprof timeout 150 dotnet "$priced" >/dev/null && "$ILINJECT" report --format=csv said.ilprof >said.csv &&
            grep -F Priced.Often said.csv | grep -q ',900000,' && grep -F Priced.Seldom said.csv | grep -q ',3,' || { cat said.csv; return 1; }
    }
    check "… all of them" counts_all
    check "a choice needs a price" refuses ILJ2009 "-p:ILInjectProfiles=$work/said.ilprof"
    check "… and a profile" refuses ILJ2010 -p:ILInjectOverhead=10%25
    cp said.ilprof 'priced/a"$(touch ran)`touch ran`;b.ilprof'
    check "a profile's file name is no command of the shell" eval 'renews -p:ILInjectOverhead=10%25 && chosen && rm priced/priced.ilinject.xml priced/a*'
    check "a choice is written" renews -p:ILInjectOverhead=10%25 "-p:ILInjectProfiles=$work/said.ilprof"
    check "… beside the project" chosen
    check "the build takes it" builds priced "$on" -p:ILInjectOverhead=10%25
    check "… and leaves out what costs most" counted_as "$sum" "$start" "$seldom"
    check "a second build" builds priced "$on" -p:ILInjectOverhead=10%25
    check "… weaves nothing" wove ""
    sed -i '/Often/d' priced/priced.ilinject.xml
    check "a choice that was edited is taken" builds priced "$on" -p:ILInjectOverhead=1000%25
    check "… and the method is there again" eval '[ -n "$(grep -o "ILInject: priced.dll 3 methods, 0 left out" log)" ]'
else
    tail -n 3 log
    skip "a build keeps a price" "dotnet cannot restore here"
fi

# What a build loads into itself: a source generator and its helper, a task of MSBuild's, which does not load one from any path.
sdk=$(dotnet --list-sdks | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
parts=$SCRATCH/parts
mkdir -p "$parts"/{gen,help,task,use} && cp Directory.Build.props nuget.config "$parts"
refers() { echo "<Reference Include=\"$(basename "$1" .dll)\"><HintPath>$1</HintPath><Private>false</Private></Reference>"; }
cat >"$parts"/help/help.csproj <<'XML'
<Project Sdk="Microsoft.NET.Sdk" />
XML
cat >"$parts"/gen/gen.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>$(refers "$sdk/Roslyn/bincore/Microsoft.CodeAnalysis.dll")<ProjectReference Include="../help/help.csproj" /></ItemGroup></Project>
XML
cat >"$parts"/task/task.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>$(refers "$sdk/Microsoft.Build.Framework.dll")$(refers "$sdk/Microsoft.Build.Utilities.Core.dll")</ItemGroup></Project>
XML
cat >"$parts"/use/use.csproj <<'XML'
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup><ItemGroup>
<ProjectReference Include="../gen/gen.csproj" OutputItemType="Analyzer" ReferenceOutputAssembly="false" />
<ProjectReference Include="../help/help.csproj" OutputItemType="Analyzer" ReferenceOutputAssembly="false" />
<ProjectReference Include="../task/task.csproj" ReferenceOutputAssembly="false" /></ItemGroup>
<UsingTask TaskName="Says" AssemblyFile="$(MSBuildProjectDirectory)/../task/bin/$(Configuration)/$(TargetFramework)/task.dll" />
<Target Name="SaysIt" AfterTargets="Build"><Says /></Target></Project>
XML
echo 'public static class Help { public static string Text() { return "public static class Made { public static int Seven() { return 7; } }"; } }' >"$parts"/help/Help.cs
cat >"$parts"/gen/Gen.cs <<'CS'
using Microsoft.CodeAnalysis;
[Generator(LanguageNames.CSharp)]
public class Gen : IIncrementalGenerator {
    public void Initialize(IncrementalGeneratorInitializationContext c) { c.RegisterPostInitializationOutput(x => x.AddSource("made.cs", Help.Text())); }
}
CS
echo 'public class Says : Microsoft.Build.Utilities.Task { public override bool Execute() { Log.LogMessage(Microsoft.Build.Framework.MessageImportance.High, "the task has run"); return true; } }' >"$parts"/task/Says.cs
echo 'public static class Use { public static void Main() { System.Console.WriteLine(Made.Seven()); } }' >"$parts"/use/Use.cs
left=$'ILInject: gen.dll is left alone\nILInject: help.dll is left alone\nILInject: task.dll is left alone'
leaves_parts() {
    builds "$parts"/use "$on" && diff <(grep -o 'ILInject: .* is left alone' log | sort) <(printf '%s\n' "$left") && grep -q 'the task has run' log && grep -q 'ILInject: use.dll 2 methods, 0 left out' log && runs "$parts/use/bin/Release/$framework/use.dll" 7 '1 Use::Main*' '1 Made::Seven*'
}
serving_others=("${serving[@]}") serving=()
if restores "$parts"/use; then
    [ -z "$FULL" ] || check "a helper of a generator's that is instrumented is named" eval '! builds "$parts"/use "$on"; grep -q "gen.csproj : warning ILJ2011: .*help.dll" log'
    echo '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><IsRoslynComponent>true</IsRoslynComponent></PropertyGroup></Project>' >"$parts"/help/help.csproj
    touch "$parts"/gen/Gen.cs "$parts"/task/Says.cs
    check "generators and tasks are left alone" leaves_parts
    if [ "$FULL" ]; then
        check "… and say so once" eval 'builds "$parts"/use "$on" && ! grep "left alone" log'
        check "… but when they are asked for" eval 'builds "$parts"/task "$on" -p:ILInjectComponents=true && grep -q "ILInject: task.dll [0-9]* method" log'
    fi
else
    tail -n 3 log
    skip "generators and tasks are left alone" "dotnet cannot restore here"
fi

serving=("${serving_others[@]}")
verb=publish
check "it publishes without building" builds app "$on" --no-build -o "$SCRATCH/published"
check "… with a warning" grep -q 'warning ILJ2004' log
check "what is published runs, instrumented" runs "$SCRATCH/published/app.dll" 42 "$main" "$six" '6 Lib::Twice*' "$fail" "$same"
verb=pack
check "it packs with a warning" builds lib "$on" --no-build -o "$work/packed"
check "… of its own" grep -q 'warning ILJ2005' log
verb=
mkdir user && cp packed/lib.1.0.0.nupkg "$SCRATCH/feed/" && echo 'System.Console.WriteLine(Lib.Twice(4));' >user/User.cs
cat >user/user.csproj <<'XML'
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup><ItemGroup><PackageReference Include="lib" Version="1.0.0" /></ItemGroup></Project>
XML
packed_runs() { restores user && builds user && runs user/bin/Release/$framework/user.dll 8 '1 Lib::Twice*'; }
check "the package's user finds the tracker in it" packed_runs
cleans() { timeout 300 "${serving[@]}" dotnet clean app -c Release -v q "$on" >log 2>&1 && [ ! -e "$obj/ilinject" ]; }
check "clean takes all of it away" cleans

check "a project of Visual Basic's restores" restores vb
configuration=Debug
check "… and builds against the tracker" builds vb "$on" -p:ILInjectApi=true
check "… with a warning that it is not optimised" grep -q 'warning ILJ2003' log
check "… and its profile leaves out what its source says" runs vb/bin/Debug/$framework/vb.dll 2 '1 *Vb::Main*' '1 *Vb::Lines*'
configuration=

# ---- Profiles in the project's folder are nothing that dotnet watch wakes for ----------------------------------------------

serving=()
mkdir watched && echo 'public static class Watched { public static void Main() { System.Console.WriteLine("ran"); } }' >watched/Watched.cs
cat >watched/watched.csproj <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><ILInjectEnabled>true</ILInjectEnabled></PropertyGroup></Project>
XML
check "a project that is watched restores" restores watched
touch watched/notes.txt watched/other.ilprof watched/other.ilprof.tmp
items_without_profiles() { # an item that is one shows that the question was understood
    dotnet msbuild watched -getItem:None -getItem:Content >log && grep -q 'notes.txt' log && ! grep -q 'ilprof' log || { cat log; return 1; }
}
check "profiles in its folder are no items of it" items_without_profiles
if [ "$FULL" ]; then # dotnet watch itself, which starts and builds for long
    rm watched/*.ilprof*
    watch_log=$work/watch.log
    (cd watched && exec setsid timeout 600 dotnet watch run --non-interactive --verbose --no-restore >"$watch_log" 2>&1) &
    watcher=$!
    waits() { grep -q 'Waiting for a file to change' "$watch_log"; }
    excludes() { grep -q -F 'Exclusion glob:' "$watch_log" && grep -F 'Exclusion glob:' "$watch_log" | grep -q -F '**/*.ilprof;**/*.ilprof.*'; }
    check "dotnet watch is told to leave profiles out" eval 'within 400 excludes || { cat "$watch_log"; false; }'
    check "… and goes to wait behind the run" eval 'within 400 waits || { cat "$watch_log"; false; }'
    sleep 3 # for the profile of the run that has just ended
    check "… for which it does not wake" eval '[ -e watched/watched.ilprof ] && ! grep "File change.*ilprof" "$watch_log"'
    kill -TERM -- "-$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
fi

tested="tests of xunit's are instrumented, with a package that they use"
if [ -z "$fetched" ]; then
    skip "$tested" "$no_packages"
elif ! restores tests; then
    tail -n 3 log
    skip "$tested" "dotnet cannot restore here"
else
    tests_agree() {
        # Or their process is killed after 100 ms.
        VSTEST_TESTHOST_SHUTDOWN_TIMEOUT=60000 verb=test ILINJECT_OUT=$work/tests.ilprof builds tests "$on" || return
        grep -q 'Passed: *2' log || { cat log; return 1; }
        printf '%s\n' '2 Lib::Twice*' '1 Tests::Doubles*' '1 Tests::Writes*' '? Tests::*' '1 Newtonsoft.Json.JsonConvert::SerializeObject(object)*' '? Newtonsoft.*' '? *' >tests.expected
        profile_agrees tests.ilprof tests.expected
    }
    check "$tested" tests_agree
    check "… without a warning when their process is waited for" test "$(grep -c ILJ2008 log)" -eq 0
    check "… which is told to have lost its strong name" grep -q 'Newtonsoft.Json.dll: info ILJ0410' log
    # The adapter and what it brings are in no deps.json.
    lists_none() { ! grep -q -i testadapter "$bin/tests.deps.json" && [ -e "$bin/xunit.runner.visualstudio.testadapter.dll" ]; }
    without_runner() {
        local bin=tests/bin/Release/$framework
        builds tests && lists_none && "$ILINJECT" "$bin" -o "$SCRATCH/folder" --json >summary || return
        diff <(printf '%s\n' lib.dll tests.dll) <(cd "$bin" && for file in *.dll; do cmp -s "$file" "$SCRATCH/folder/$file" || echo "$file"; done)
    }
    if [ "$FULL" ]; then
        check "of a folder with tests, those and the library are instrumented, and no runner" without_runner
        check "else there is one" builds tests "$on" -t:ILInjectWarnOfTesting
        check "… of its own" grep -q 'tests.csproj.*warning ILJ2008' log
    fi
fi
check "no shell has run what stands in a name or a property" eval '! find "$SCRATCH" -name ran | grep .'
finish
