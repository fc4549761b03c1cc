#!/usr/bin/env bash
# level: full
# The programs for other systems: those for any Linux here and under qemu, the commands of the package for MSBuild under Wine, and the
# .NET tool (its packages have them). They write the same bytes as this system's program; e2e/full-windows-files has that for Windows.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/assemblies.sh"
cd "$ROOT" || exit 1
if [ "$BUILD" != "$ROOT/build" ]; then skip "programs for other systems" "they are made from build/"; finish; fi

wine=
for program in wine64 wine /usr/lib/wine/wine64; do if has "$program"; then wine=$program; break; fi; done
export WINEPREFIX=$SCRATCH/wine WINEDEBUG=-all
stop_wine() { if [ "$wine" ]; then wineserver -k 2>/dev/null || /usr/lib/wine/wineserver -k 2>/dev/null; fi; }
trap 'stop_wine; rm -rf "$SCRATCH"' EXIT

# made TARGET: is it there, or why not?
made() {
    local log=$SCRATCH/$1.log
    make_alone "$1" >"$log" 2>&1 && return
    grep -q 'cannot be had\|: no [^ ]* (Debian' "$log" || { tail -n 5 "$log" >&2; return 1; }
    skip "the program for $1" "$(grep -m 1 'cannot be had\|: no [^ ]* (Debian' "$log")"
    return 2
}
# ---- Linux -----------------------------------------------------------------------------------------------------------

if made linux-x64; then
    static=$ROOT/build/linux-x64/ilinject
    check "linux-x64 is static, and its place is random" eval 'file -L "$static" | grep -q "static-pie linked"'
    check "the libraries in it are those that libraries.tsv names" python3 tests/e2e/lib/py/linked.py --map "$static.map" linux-x64
    check "… which neither glibc nor libmicrohttpd is" python3 tests/e2e/lib/py/linked.py "$static"
    check "linux-x64 writes the same bytes" same "$static"
    mkdir -p "$SCRATCH/root" && cp "$static" "$SCRATCH/root/" && cp "$ROOT/build/demo/Demo.exe" "$SCRATCH/root/" 2>/dev/null ||
        mcs -nologo -out:"$SCRATCH/root/Demo.exe" fixtures/cs/Demo.cs
    if [ "$(id -u)" -eq 0 ]; then
        check "it needs nothing of a system" eval 'chroot "$SCRATCH/root" /ilinject Demo.exe -o out/ && [ -s "$SCRATCH/root/out/ProfileInfoTracker.dll" ]'
    else
        skip "it needs nothing of a system" "chroot needs root"
    fi
fi
# A program of .NET's for arm64 that has its runtime with it, instrumented by the program for arm64: that puts the clock library of its
# processor beside the tracker, and the tracker reads it.
publish_arm64() {
    mkdir "$SCRATCH/arm64" && cd "$SCRATCH/arm64" || return
    cat >App.cs <<'X'
static class App {
    static int Twice(int x) { return x + x; }
    static int Main() { int n = 0; for (int i = 0; i < 7; i++) n += Twice(i); System.Console.WriteLine(n); return 0; }
}
X
    cat >app.csproj <<X
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net$(dotnet --version | cut -d . -f 1).0</TargetFramework>
<InvariantGlobalization>true</InvariantGlobalization><RestorePackagesPath>$BUILD/tests/published</RestorePackagesPath>
<DisableTransitiveFrameworkReferenceDownloads>true</DisableTransitiveFrameworkReferenceDownloads></PropertyGroup></Project>
X
    DOTNET_NOLOGO=1 timeout 3600 dotnet publish app.csproj -c Release -r linux-arm64 --self-contained -o out --disable-build-servers >log 2>&1
}
in_arm64() {
    cd "$SCRATCH/arm64" && qemu-aarch64-static "$ROOT/build/linux-arm64/ilinject" -q out/app.dll --in-place --set clock=fast || return
    readelf -h out/libilinject_clock.so | grep -q AArch64 || { echo "no clock library for it"; return 1; }
    [ "$(cd out && DOTNET_EnableWriteXorExecute=0 timeout 600 qemu-aarch64-static -L /usr/aarch64-linux-gnu ./app 2>../told)" = 42 ] && [ ! -s told ] ||
        { cat told; return 1; }
    "$ILINJECT" report --format=json out/*.ilprof >report && grep -q '"clock": *"fast"' report || { grep clock report; return 1; }
    "$ILINJECT" report out/*.ilprof | grep -q '^ *7 .*App\.Twice(int)'
}
clock_of_arm64() {
    if ! has dotnet || [ ! -d /usr/aarch64-linux-gnu/lib ]; then
        skip "a program of .NET's for arm64 reads its own clock library" "no dotnet, or no C library for arm64"
    elif (publish_arm64); then
        check "a program of .NET's for arm64 reads its own clock library, and has a profile" eval '(in_arm64)'
    else
        skip "a program of .NET's for arm64 reads its own clock library" "it cannot be published here: $(grep -o -m 1 'error .*' "$SCRATCH/arm64/log" | cut -c 1-100)"
    fi
}
made linux-arm64
case $? in
0)
    check "the libraries in linux-arm64 are those that libraries.tsv names" python3 tests/e2e/lib/py/linked.py --map build/linux-arm64/ilinject.map linux-arm64
    check "… which neither glibc nor libmicrohttpd is" python3 tests/e2e/lib/py/linked.py build/linux-arm64/ilinject
    if has qemu-aarch64-static; then
        check "linux-arm64 writes the same bytes under qemu" same qemu-aarch64-static "$ROOT/build/linux-arm64/ilinject"
        clock_of_arm64
    else
        skip "linux-arm64 writes the same bytes" "no qemu-aarch64-static"
    fi ;;
1) check "linux-arm64 is made" false ;;
esac

# ---- Windows ---------------------------------------------------------------------------------------------------------

# e2e/full-windows-files compares what it writes.
made windows
windows=$?
[ $windows -ne 1 ] || check "ilinject.exe is made" false
if [ $windows -eq 0 ] && [ "$wine" ]; then "$wine" wineboot -i >/dev/null 2>&1; fi

# ---- The package for MSBuild on Windows ------------------------------------------------------------------------------

# The command that its targets have for cmd.exe, done by Wine's: a project with names that have spaces, an ampersand, percent signs, an
# apostrophe and letters beyond ASCII.
if [ $windows -eq 0 ] && [ "$wine" ] && has dotnet; then
    mkdir "$SCRATCH/50 %TEMP% & O'Neil é" && cd "$SCRATCH/50 %TEMP% & O'Neil é" || exit 1
    mkdir tool && cp "$ROOT/build/windows/ilinject.exe" tool/ && cp "$ROOT/fixtures/cs/Demo.cs" .
    cat >"Größe & co.csproj" <<X
<Project Sdk="Microsoft.NET.Sdk">
  <Import Project="$ROOT/src/msbuild/ILInject.MSBuild.props" Condition="Exists('$ROOT/src/msbuild/ILInject.MSBuild.props')" />
  <PropertyGroup>
    <OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><DefineConstants>CORE</DefineConstants>
    <ILInjectPackage>$ROOT/build/nupkg/</ILInjectPackage><ILInjectTool>tool/ilinject.exe</ILInjectTool><_ILInjectWindows>true</_ILInjectWindows>
    <ILInjectExclude>**.Main;No.Such 100% "quoted" &amp; ^not</ILInjectExclude>
    <ILInjectSettings>out=C:/x "a" &amp; %25%25TEMP%25%25/größe/%25n.ilprof;beat=7</ILInjectSettings>
  </PropertyGroup>
  <Import Project="$ROOT/src/msbuild/ILInject.MSBuild.targets" />
</Project>
X
    make_alone packages >"$SCRATCH/packages.log" 2>&1 || tail -n 5 "$SCRATCH/packages.log"
    check "the package has a program for each system" eval 'unzip -l "$ROOT"/build/ILInject.MSBuild.*.nupkg >list && grep -q tools/linux-x64/ilinject list && grep -q tools/linux-arm64/ilinject list && grep -q tools/win-x64/ilinject.exe list'
    timeout 200 dotnet build -c Release -p:ILInjectEnabled=true -v:diag >log 2>&1
    command=$(sed -n 's/^ *Task Parameter:Command=\("%ILJ.*\)$/\1/p; s/^ *Command=\("%ILJ.*\)$/\1/p' log | head -n 1)
    command=${command% (TaskId:*)}
    check "cmd.exe is given a command" test -n "$command"
    printf '@echo off\r\n%s\r\n' "$command" >x.cmd
    ILJ_PROGRAM='tool\ilinject.exe' ILJ_ARGUMENTS='obj\Release\net10.0\ilinject\arguments' ILJ_SUMMARY='obj\Release\net10.0\ilinject\summary' "$wine" cmd /c x.cmd >said 2>&1
    compiled=$(find obj -path '*ilinject*' -name '*.dll' -path '*compiled*' | head -n 1) woven=$(find obj -path '*woven*' -name '*.dll' ! -name ProfileInfoTracker.dll | head -n 1)
    does_the_same() {
        mkdir plain && "$ILINJECT" -q "$compiled" -o "plain/${compiled##*/}" --exclude '**.Main' --exclude 'No.Such 100% "quoted" & ^not' --set 'out=C:/x "a" & %%TEMP%%/größe/%n.ilprof' --set beat=7 &&
            cmp "plain/${compiled##*/}" "$woven" || { echo "$command"; cat said; tail -n 5 log; return 1; }
    }
    check "and it does what the command of this system does" does_the_same
fi

# ---- The .NET tool ---------------------------------------------------------------------------------------------------

if ! has dotnet; then
    skip "the .NET tool" "no dotnet"
elif [ $windows -ne 0 ]; then
    skip "the .NET tool" "the program for Windows is not made"
else
    cd "$ROOT" && make_alone tool >"$SCRATCH/tool.log" 2>&1 || { tail -n 5 "$SCRATCH/tool.log"; check "the package is made" false; finish; }
    version=$("$ILINJECT" --version | cut -d ' ' -f 2)
    cksum build/ilinject.*.nupkg >"$SCRATCH/first"
    check "it has a package that chooses, one for each program, and one for the rest" diff <(printf "build/ilinject.%s$version.nupkg\n" '' any. linux-arm64. linux-x64. win-x64. | LC_ALL=C sort) <(cut -d ' ' -f 3 "$SCRATCH/first" | LC_ALL=C sort)
    check "made again, they are the same" eval 'make_alone tool >/dev/null && cksum build/ilinject.*.nupkg | diff - "$SCRATCH/first"'
    cd "$SCRATCH" || exit 1
    [ -f Demo.exe ] || mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" || exit 1
    export NUGET_PACKAGES=$SCRATCH/packages DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1
    mkdir feed && cp "$ROOT"/build/ilinject.*.nupkg feed/
    cat >nuget.config <<X
<configuration><packageSources><clear/><add key="local" value="$SCRATCH/feed"/></packageSources></configuration>
X
    install_tool() { timeout 200 dotnet tool install "$1" --tool-path "$2" "${@:3}" >install.log 2>&1 || { cat install.log; false; }; } # ID FOLDER OPTION…
    has_programs() { # FOLDER FILE…: these are all that is in it
        diff <(printf '%s\n' "${@:2}") <(cd "$1/.store" && find . -type f \( -name ilinject -o -name ilinject.exe -o -name '*.wasm' -o -name '*.dylib' \) |
            sed 's,.*/\([^/]*/[^/]*\)$,\1,' | LC_ALL=C sort)
    }
    all=(linux-arm64/ilinject linux-x64/ilinject osx-arm64/libwasmtime.dylib osx-x64/libwasmtime.dylib wasi/ilinject.wasm win-x64/ilinject.exe)
    check "dotnet tool install installs it from a local feed" install_tool ilinject tools --configfile nuget.config
    if [ "$(uname -m)" = x86_64 ] && [ "$(dotnet --version | cut -d . -f 1)" -ge 10 ]; then
        check "the program of this machine is all that it has then" has_programs tools linux-x64/ilinject
        # The list without this machine's program, in a feed without that package.
        mkdir less shorter && cp feed/ilinject.any.* less/ && unzip -q "feed/ilinject.$version.nupkg" -d shorter && sed -i '/"linux-x64"/d' shorter/tools/any/any/DotnetToolSettings.xml &&
            "$ROOT/src/packaging/nupkg" shorter "less/ilinject.$version.nupkg" && sed 's,/feed",/less",' nuget.config >less.config
        check "where the list names no program it is the package with all of them" eval 'NUGET_PACKAGES=$SCRATCH/others install_tool ilinject rest --configfile less.config && has_programs rest "${all[@]}"'
        check "the list names arm64's and Windows's, too" eval 'unzip -p "feed/ilinject.$version.nupkg" "*/DotnetToolSettings.xml" >list && for id in linux-arm64 linux-x64 win-x64 any; do grep -q "RuntimeIdentifier=\"$id\" Id=\"ilinject.$id\"" list && [ -s "feed/ilinject.$id.$version.nupkg" ] || return 1; done'
    else
        skip "the .NET tool has the program of this machine alone" "another processor, or an SDK before .NET 10's"
    fi
    check "the package with all of them is installed by its own name, as older SDKs have to" eval 'install_tool ilinject.any older --configfile nuget.config && has_programs older "${all[@]}" && [ "$(older/ilinject --version)" = "$("$ILINJECT" --version)" ]'
    check "… which know the first form of a tool's settings alone" eval '[ "$(unzip -Z1 feed/ilinject.any.*.nupkg | grep -c DotnetToolSettings)" -eq 1 ] && unzip -p feed/ilinject.any.*.nupkg "*/DotnetToolSettings.xml" | grep -q "<DotNetCliTool Version=\"1\">" && unzip -p feed/ilinject.any.*.nupkg "*.nuspec" | grep -q "packageType name=\"DotnetTool\""'
    check "it is this program" eval '[ "$(tools/ilinject --version)" = "$("$ILINJECT" --version)" ]'
    check "it instruments" eval 'tools/ilinject Demo.exe -o "by tool/" && [ "$("$ILINJECT" -q Demo.exe -o by/ && cksum <by/Demo.exe)" = "$(cksum <"by tool/Demo.exe")" ]'
    check "its exit value is the program's" eval 'tools/ilinject none.dll -o x.dll 2>/dev/null; [ $? -eq 1 ]; tools/ilinject --no-such-option 2>/dev/null; [ $? -eq 2 ]'
    check "a signal ends it as it ends the program" eval '(ulimit -c 0; exec tools/ilinject serve --listen 127.0.0.1:0 >serve.out 2>&1) & pid=$!; within 100 grep -q . serve.out; kill -INT $pid; wait $pid; [ $? -le 130 ]'
    check "input is passed on" eval 'echo Demo.exe | tools/ilinject list --files - 2>/dev/null | grep -q Main || tools/ilinject list Demo.exe | grep -q Main'
fi
finish
