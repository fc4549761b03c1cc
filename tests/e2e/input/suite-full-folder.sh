#!/usr/bin/env bash
# level: full
# The folder of an ASP.NET Core service, taken whole, answers as the original does and is measured.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
if ! has dotnet || ! has curl || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then
    skip "an ASP.NET Core service from an instrumented folder" "no .NET SDK or no curl"
    finish
fi
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 MSBUILDDISABLENODEREUSE=1
cp -r "$ROOT/fixtures/net" net
check "the service is built" dotnet build net/web/web.csproj -o bin -v q --disable-build-servers -p:UseSharedCompilation=false
answers() { # FOLDER
    local pid at i
    : >log
    (cd "$1" && ILINJECT_OUT=$SCRATCH/web.ilprof exec dotnet web.dll --urls http://127.0.0.1:0) >log 2>&1 &
    pid=$!
    within 100 grep -q "listens at" log || return 1
    at=$(sed -n 's/^listens at //p' log)
    for i in / /twice/21 /fail /lines/3; do curl -s --max-time 100 "$at$i" || echo "no answer: $i"; done
    kill -TERM "$pid" && wait "$pid"
}
check "its folder is instrumented" eval '"$ILINJECT" bin -o prof | grep -q "2 assemblies to instrument"'
check "it answers as the original does" eval 'answers bin >before && answers prof >after && grep -q 42 before && diff before after'
check "and is measured" eval '"$ILINJECT" report web.ilprof | grep -q "Program.Main"'
finish
