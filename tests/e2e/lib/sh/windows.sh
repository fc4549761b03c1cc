# tests/e2e/lib/sh/windows.sh - ilinject.exe and programs for Windows, under Wine: for suites that source tests/lib.sh first.
# $wine and $exe are the programs, $WINEPREFIX is a Windows of the suite's own in $SCRATCH.

# windows_ready SENTENCE: makes ilinject.exe and a Windows. What is missing is a skip of the sentence, and the end of the suite.
windows_ready() {
    local program log=$SCRATCH/windows.log
    wine='' wineserver='' exe=$BUILD/windows/ilinject.exe
    for program in wine64 wine /usr/lib/wine/wine64; do if has "$program"; then wine=$program; break; fi; done
    for program in wineserver /usr/lib/wine/wineserver; do if has "$program"; then wineserver=$program; break; fi; done
    if [ -z "$wine" ] || [ -z "$wineserver" ]; then skip "$1" "wine64 is not installed"; finish; fi
    if [ "$BUILD" != "$ROOT/build" ]; then skip "$1" "ilinject.exe is made from build/"; finish; fi
    if ! make_alone windows >"$log" 2>&1; then
        if grep -q 'cannot be had\|: no [^ ]* (Debian' "$log"; then
            skip "$1" "$(grep -m 1 'cannot be had\|: no [^ ]* (Debian' "$log")"
        else
            check "ilinject.exe is made" eval 'tail -n 5 "$log"; false'
        fi
        finish
    fi
    mkdir -p "$SCRATCH/home"
    export WINEPREFIX=$SCRATCH/wine WINEDEBUG=-all
    trap '"$wineserver" -k 2>/dev/null; rm -rf "$SCRATCH"' EXIT
    unset DISPLAY WAYLAND_DISPLAY
    # Neither .NET Framework nor a browser nor menus are made for it.
    WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=d' HOME=$SCRATCH/home timeout -k 5 300 "$wine" wineboot -i >"$SCRATCH/wineboot.log" 2>&1
    # A debugger that wine would start changes the exit codes of crashes. Under wine, .NET that maps its code twice was seen to die
    # when it collects a dynamic method.
    export WINEDLLOVERRIDES='winedbg.exe=d' DOTNET_EnableWriteXorExecute=0
}

# windows_publish NAME SOURCE…: the program for Windows, with .NET, in the folder NAME. 77, with a line, when its parts cannot be had.
windows_publish() {
    local name=$1 version=10.0.12 packages
    shift
    dotnet --list-sdks 2>/dev/null | grep -q '^1[0-9]\.' || { echo "there is no .NET SDK 10"; return 77; }
    packages=$("$ROOT/tests/nuget-fetch" "Microsoft.NETCore.App.Runtime.win-x64/$version" "Microsoft.NETCore.App.Host.win-x64/$version") ||
        { echo "$packages"; return 77; }
    mkdir "$SCRATCH/$name.source" && cp "$@" "$SCRATCH/$name.source" || return
    cat >"$SCRATCH/$name.source/$name.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
  <OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><RuntimeIdentifier>win-x64</RuntimeIdentifier><SelfContained>true</SelfContained>
  <RuntimeFrameworkVersion>$version</RuntimeFrameworkVersion><RestorePackagesPath>$packages</RestorePackagesPath>
  <DisableTransitiveFrameworkReferenceDownloads>true</DisableTransitiveFrameworkReferenceDownloads>
  <InvariantGlobalization>true</InvariantGlobalization><DebugType>none</DebugType>
</PropertyGroup></Project>
END
    (cd "$SCRATCH/$name.source" && DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 timeout -k 5 600 dotnet publish -c Release -o "$SCRATCH/$name" -v q) \
        >"$SCRATCH/publish.log" 2>&1 || { tail -n 5 "$SCRATCH/publish.log"; return 1; }
}
