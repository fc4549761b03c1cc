#!/usr/bin/env bash
# level: full
# The package for MSBuild beside Costura.Fody, which puts all that the program needs into the program, the tracker too.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/package.sh"
cd "$SCRATCH" || exit 1
if ! can dotnet || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then
    skip "a program of Costura's runs and is measured" "no .NET SDK"
    finish
fi
if missing=$(package_missing); then
    skip "a program of Costura's runs and is measured" "$missing"
    finish
fi
fetched=$("$ROOT/tests/nuget-fetch" fody/6.9.3 costura.fody/6.2.0 newtonsoft.json/13.0.3 microsoft.netframework.referenceassemblies/1.0.3 microsoft.netframework.referenceassemblies.net472/1.0.3) || {
    skip "a program of Costura's runs and is measured" "$fetched"
    finish
}
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 MSBUILDDISABLENODEREUSE=1
check "the package is made" make_package
mkdir feed && cp "$package" feed/
cat >nuget.config <<XML
<configuration><packageSources><clear /><add key="feed" value="$SCRATCH/feed" /></packageSources>
<config><add key="globalPackagesFolder" value="$SCRATCH/packages" /></config>
<fallbackPackageFolders><clear /><add key="fetched" value="$fetched" /></fallbackPackageFolders></configuration>
XML
framework=net$(dotnet --version | cut -d . -f 1).0
# FOLDER FRAMEWORK COSTURA FIRST: builds a program; its Main begins with FIRST.
build() {
    mkdir "$1" && cat >"$1/app.csproj" <<XML && echo "<Weavers>$3</Weavers>" >"$1/FodyWeavers.xml" && cat >"$1/App.cs" <<CS
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>$2</TargetFramework><OutputType>Exe</OutputType><UseAppHost>false</UseAppHost></PropertyGroup>
<ItemGroup><PackageReference Include="ILInject.MSBuild" Version="$version" PrivateAssets="all" /><PackageReference Include="Fody" Version="6.9.3" PrivateAssets="all" />
<PackageReference Include="Costura.Fody" Version="6.2.0" PrivateAssets="all" /><PackageReference Include="Newtonsoft.Json" Version="13.0.3" />
<PackageReference Include="Microsoft.NETFramework.ReferenceAssemblies" Version="1.0.3" PrivateAssets="all" Condition="'$2' == 'net472'" /></ItemGroup></Project>
XML
static class App
{
    static int Add(int a) { return a + 1; }
    static void Main() { $4 Run(); }
    static void Run() { System.Console.WriteLine(Newtonsoft.Json.JsonConvert.SerializeObject(new[] { Add(1), 2 })); }
}
CS
    (cd "$1" && timeout 400 dotnet build -c Release -o bin -p:ILInjectEnabled=true >log 2>&1) || { tail -n 20 "$1/log"; return 1; }
}
measured() { # FOLDER COMMAND…
    local folder=$1
    shift
    (cd "$folder" && "$@" >said 2>&1; cat said; [ "$(cat said)" = '[2,2]' ]) && "$ILINJECT" report --format=csv "$folder"/*.ilprof | grep -q 'App.Add(int)'
}
check "Costura has the tracker in a program of .NET" eval 'build core $framework "<Costura />" "" && [ ! -e core/bin/ProfileInfoTracker.dll ]'
check "… which runs and is measured" measured core dotnet bin/app.dll
if can mono; then
    check "Costura has the tracker in a program of .NET Framework" eval 'build framework net472 "<Costura />" "" && [ ! -e framework/bin/ProfileInfoTracker.dll ]'
    check "… which runs and is measured on Mono" measured framework mono bin/app.exe
    check "one that attaches the loader by itself is told what to do" eval 'build late net472 "<Costura LoadAtModuleInit=\"false\" />" "CosturaUtility.Initialize();" && grep -q "warning ILJ0491: .*costura.profileinfotracker.dll.compressed.* App.Main() " late/log'
    check "… and it helps to keep the tracker beside the program" eval 'build beside net472 "<Costura LoadAtModuleInit=\"false\" ExcludeAssemblies=\"ProfileInfoTracker\" />" "CosturaUtility.Initialize();" && ! grep -q ILJ0491 beside/log && measured beside mono bin/app.exe'
else
    skip "a program of .NET Framework with Costura runs" "no Mono"
fi
finish
