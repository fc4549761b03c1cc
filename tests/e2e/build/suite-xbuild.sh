#!/usr/bin/env bash
# Classic projects under Mono's xbuild, with the package's targets imported by hand: an app, its library and a dependency without source
# are built, changed, broken, switched off and on, and cleaned. A program that runs has the profile
# and the lines that it should have.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"

if ! has xbuild || ! has mcs; then
    skip "the package for MSBuild works in xbuild's builds" "no xbuild (mono-xbuild)"
    finish
fi
# As the package has it; NuGet is not in this. Nothing of a name is for a shell (mcs itself takes = for an alias).
package="../o'brien's \`touch ran\`" work="$SCRATCH/o'brien \`touch ran\`"
mkdir -p "$work"/{lib,app,dep} && cd "$work" && mkdir -p "$package"/{build,tools/linux-x64,tracker} || finish
cp "$ROOT"/src/msbuild/*.props "$ROOT"/src/msbuild/*.targets "$package/build/"
cp "$ROOT/src/msbuild/xbuild.sh" "$package/tools/"
cp "$ILINJECT" "$package/tools/linux-x64/ilinject"
chmod a-x "$package/tools/linux-x64/ilinject" # as an archive may leave it
cp "$BUILD/ProfileInfoTracker.dll" "$package/tracker/"

project() { # NAME OUTPUT-TYPE ITEMS
    cat <<XML
<Project ToolsVersion="14.0" DefaultTargets="Build" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <PropertyGroup>
    <Configuration Condition="'\$(Configuration)' == ''">Release</Configuration>
    <OutputType>$2</OutputType><AssemblyName>$1</AssemblyName><TargetFrameworkVersion>v4.5</TargetFrameworkVersion>
    <OutputPath>bin/\$(Configuration)/</OutputPath><DebugSymbols>true</DebugSymbols><DebugType>full</DebugType>
    <Optimize Condition="'\$(Configuration)' == 'Release'">true</Optimize>
  </PropertyGroup>
  <ItemGroup><Reference Include="System" />$3</ItemGroup>
  <Import Project="\$(MSBuildBinPath)/Microsoft.CSharp.targets" />
  <Import Project="../$package/build/ILInject.MSBuild.targets" />
</Project>
XML
}
project lib Library '<Compile Include="Lib.cs" />' >lib/lib.csproj
project app Exe '<Compile Include="App.cs" /><ProjectReference Include="../lib/lib.csproj"><Name>lib</Name></ProjectReference>
    <Reference Include="Dep"><HintPath>../dep/Dep.dll</HintPath></Reference><ILInjectReference Include="Dep" />' >app/app.csproj
cat >lib/Lib.cs <<'CS'
public static class Lib {
    public static int Twice(int x) { return x * 2; }
    public static void Fail(int x) {
        if (x > 0) {
            System.Console.Write("");
            throw new System.Exception("failed");
        }
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
echo 'public static class Dep { public static int Same(int x) { return x; } }' >dep/Dep.cs
mcs -target:library -out:dep/Dep.dll dep/Dep.cs || finish
echo '<ilinject>' >broken.xml

builds() { timeout 200 xbuild app/app.csproj /nologo /v:m "/p:Configuration=${configuration:-Release}" "$@" >log 2>&1 || { cat log; return 1; }; }
wove() { diff <(grep -o 'ILInject: .* left out' log | sort) <(printf '%s' "${1:+$1$'\n'}") || { cat log; return 1; }; }
runs() { # PRINTED COUNTS…
    local printed=$1
    shift
    rm -f said.ilprof
    [ "$(ILINJECT_OUT=$PWD/said.ilprof timeout 150 mono app/bin/Release/app.exe)" = "$printed" ] || return 1
    if [ $# -eq 0 ]; then [ ! -e said.ilprof ]; return; fi
    printf '%s\n' "$@" >said.expected
    profile_agrees said.ilprof said.expected
}
lines() { diff <(timeout 150 mono --debug app/bin/Release/app.exe throw | grep -o '[A-Za-z]*\.cs:[0-9]*') <(printf '%s\n' 'Lib.cs:6' 'App.cs:8'); }
all=$'ILInject: Dep.dll 1 method, 0 left out\nILInject: app.exe 2 methods, 0 left out\nILInject: lib.dll 2 methods, 0 left out'
main='1 App::Main*' five='5 App::Once*' six='6 App::Once*' fail='1 Lib::Fail*' same='1 Dep::Same*'
on=/p:ILInjectEnabled=true

check "without ILInjectEnabled nothing is done" builds
check "… nor said" wove ""
check "… and a trace has its lines" lines
check "with it the app, its library and the dependency are instrumented" builds "$on"
check "… in a line each" wove "$all"
check "the profile has the calls of all" runs 30 "$main" "$five" '5 Lib::Twice*' "$fail" "$same"
check "a trace has the same lines" lines
check "a second build succeeds" builds "$on"
check "… and says nothing" wove ""
echo >>"$package/tools/linux-x64/ilinject"
check "another program builds" builds "$on"
check "… and all is woven again" wove "$all"
check "another selection is taken, and another clock" builds "$on" '/p:ILInjectExclude=App.Once*' /p:ILInjectSettings=clock%3dfast
check "… the profile follows" runs 30 "$main" '5 Lib::Twice*' "$fail" "$same"
check "… with the clock's library" test -e app/bin/Release/libilinject_clock.so

renews() {
    cp said.ilprof 'app/a"$(touch ran)`touch ran`.ilprof' && timeout 200 xbuild app/app.csproj /nologo /v:m /t:ILInjectRenewChoice /p:Configuration=Release /p:ILInjectOverhead=10%25 >log 2>&1 &&
        [ -s app/app.ilinject.xml ] && rm app/app.ilinject.xml app/*.ilprof || { cat log; return 1; }
}
check "a choice is written" renews

fails() { ! builds "$on" "/p:ILInjectConfig=$PWD/broken.xml" && grep -q 'broken.xml.*error ILJ0433' log && grep -q 'error ILJ2006' log; }
check "a failure is an error of the build, with file and code" fails
sed -i 's/i < 5/i < 6/' app/App.cs
check "the next build makes up for it" builds "$on"
check "… once" wove "$all"
check "what was edited runs, instrumented" runs 42 "$main" "$six" '6 Lib::Twice*' "$fail" "$same"
check "switched off, it builds" builds
check "… and leaves nothing in obj" test ! -e app/obj/Release/ilinject
check "… nor in the dependency" cmp dep/Dep.dll app/bin/Release/Dep.dll
check "the compiler's own output runs, without a profile" runs 42
check "switched on again, it builds" builds "$on"
check "the profile is there again" runs 42 "$main" "$six" '6 Lib::Twice*' "$fail" "$same"
configuration=Debug
check "without optimisation it builds" builds "$on"
check "… with a warning" grep -q 'warning ILJ2003' log
configuration=
cleans() { timeout 150 xbuild app/app.csproj /nologo /v:m /t:Clean >log 2>&1 && [ ! -e app/obj/Release/ilinject ]; }
check "clean takes all of it away" cleans
check "no shell has run what stands in a name" eval '! find "$SCRATCH" -name ran | grep .'
finish
