#!/usr/bin/env bash
# level: full
# `ilinject run` on what the .NET SDK builds: by its assembly, its launcher, its folder; with the runtime in it; with packages.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
export MSBUILDDISABLENODEREUSE=1
if ! can dotnet || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then
    skip "programs that the SDK builds are run" "no .NET SDK"
    finish
fi
build() { # OUTPUT OPTIONS…
    local to=$1
    shift
    rm -rf "$SCRATCH/net"
    cp -r "$ROOT/fixtures/net" "$SCRATCH/net" &&
        dotnet build "$SCRATCH/net/app/app.csproj" -o "$to" -v q --disable-build-servers -p:UseSharedCompilation=false "$@"
}
cd "$SCRATCH" || exit 1
# The program prints "twice 10" for one argument and ends with 1.
runs() { # COMMAND…
    local code
    rm -f app.ilprof
    "$ILINJECT" run "$@" argument >out 2>err
    code=$?
    [ $code -eq 1 ] && [ "$(cat out)" = "twice 10" ] && "$ILINJECT" report app.ilprof 2>/dev/null | grep -q 'Library.Arithmetic.Twice' && return
    echo "exit value $code"
    cat out err
    return 1
}
check "the SDK builds the program" build "$SCRATCH/bin"
check "it is run by its assembly, with its own libraries instrumented" runs bin/app.dll
check "by its launcher" runs bin/app
check "by its folder" runs bin
check "by its folder's name with a slash" runs ./bin/
check "from within its folder" bash -c 'cd bin && "$1" run app.dll argument >../out 2>../err; [ $? -eq 1 ] && [ "$(cat ../out)" = "twice 10" ]' bash "$ILINJECT"
rm -f bin/app.ilprof
check "the folder is as it was" test "$(find bin -name '*ilprof*' -o -name 'ProfileInfoTracker*' | wc -l)" -eq 0

if build "$SCRATCH/whole" -r linux-x64 --self-contained >build.log 2>&1; then
    check "one that brings its runtime is run by its assembly" runs whole/app.dll
    check "by its launcher too" runs whole/app
    check "the runtime's own assemblies are left as they are" grep -q "in 2 assemblies" err
else
    skip "one that brings its runtime" "it cannot be built: $(grep -m 1 -o 'error [A-Z]*[0-9]*' build.log)"
fi
finish
