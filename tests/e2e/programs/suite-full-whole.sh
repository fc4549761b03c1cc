#!/usr/bin/env bash
# level: full
# Whole programs do what they did when everything below them is instrumented too, the core library alone excepted: Mono's compiler
# and xbuild over Mono's class libraries; MSBuild with Roslyn, a web service, test runs over .NET's framework.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
export MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0
LIMIT=240

# instruments SENTENCE FILE…: in place
instruments() {
    local sentence=$1
    shift
    check "$sentence" all_in_place "$@"
    tail -n 1 "$SCRATCH/told"
}
all_in_place() { "$ILINJECT" --in-place "$@" >"$SCRATCH/told" 2>"$SCRATCH/warned" || { grep -v ' info ' "$SCRATCH/warned"; return 1; }; }

# profiles_agree FOLDER MINIMUM PATTERN…: each profile in it agrees with itself, together they have at least that many calls,
# and calls of each function that a pattern stands for
profiles_agree() {
    local folder=$1 minimum=$2 profile pattern
    shift 2
    : >"$SCRATCH/totals"
    for profile in "$folder"/*.ilprof; do
        [ -f "$profile" ] || { echo "no profile in $folder"; return 1; }
        profile_agrees "$profile" >"$SCRATCH/total" || { basename "$profile"; cat "$SCRATCH/total"; return 1; }
        sed "s/^/$(basename "$profile" .ilprof): /" "$SCRATCH/total" >>"$SCRATCH/totals"
    done
    awk -v minimum="$minimum" '{ enters += $3 } END { if (enters < minimum) { print enters " calls, expected " minimum; exit 1 } }' "$SCRATCH/totals" || return 1
    "$ILINJECT" report --format=json -o "$folder/all.json" "$folder"/*.ilprof || return 1
    for pattern in "$@"; do
        grep -q -e "$pattern" "$folder/all.json" || { echo "no call of $pattern"; return 1; }
    done
}
# shows NAME SECONDS-AT-START
shows() { sed "s/^/$1: /" "$SCRATCH/totals" 2>/dev/null; echo "$1: $((SECONDS - $2)) s"; rm -f "$SCRATCH/totals"; }

# ---- Mono: the compiler and xbuild ----------------------------------------------------------------------------------

libraries=/usr/lib/mono/4.5
below=$SCRATCH/below
hello() { # MCS FOLDER
    mkdir -p "$SCRATCH/$2" && (cd "$SCRATCH/$2" && timeout "$LIMIT" mono "$1" -nologo -r:System.Xml.dll -out:hello.exe "$ROOT/fixtures/net/app/Program.cs" "$ROOT/fixtures/net/lib/Arithmetic.cs")
}
same_but_for_identity() { # FILE FILE: the COFF header's time stamp and the MVID, a run of 16, may differ
    local stamp
    [ "$(stat -c %s "$1")" -eq "$(stat -c %s "$2")" ] || { echo "the sizes differ"; return 1; }
    stamp=$(($(od -An -tu4 -j60 -N4 "$1") + 8))
    cmp -l "$1" "$2" | awk -v stamp="$stamp" '
        { at = $1 - 1 }
        at >= stamp && at < stamp + 4 { next }
        !mvid { mvid = at }
        at >= mvid + 16 { print "byte " at " differs"; exit 1 }'
}
compiles() {
    hello "$libraries/mcs.exe" mcs-before || return 1
    MONO_PATH=$below ILINJECT_OUT=$SCRATCH/profiles/mcs/ hello "$below/mcs.exe" mcs-after || return 1
    same_but_for_identity "$SCRATCH/mcs-before/hello.exe" "$SCRATCH/mcs-after/hello.exe" && [ "$(mono "$SCRATCH/mcs-after/hello.exe")" = "twice 8" ]
}
builds_with_xbuild() {
    local work=$SCRATCH/xbuild-work
    mkdir -p "$work" && cp "$ROOT/fixtures/net/app/Program.cs" "$ROOT/fixtures/net/lib/Arithmetic.cs" "$ROOT/fixtures/net/xbuild.csproj" "$work" || return 1
    (cd "$work" && timeout "$LIMIT" mono /usr/lib/mono/xbuild/14.0/bin/xbuild.exe /nologo /v:m xbuild.csproj >../xbuild-before && mv bin ../xbuild-bin && rm -r obj) || { cat "$SCRATCH/xbuild-before"; return 1; }
    (cd "$work" && MONO_PATH=$below ILINJECT_OUT=$SCRATCH/profiles/xbuild/%n-%p.ilprof timeout "$LIMIT" mono "$SCRATCH/xbuild/14.0/bin/xbuild.exe" /nologo /v:m xbuild.csproj >../xbuild-after) || { cat "$SCRATCH/xbuild-after"; return 1; }
    diff "$SCRATCH/xbuild-before" "$SCRATCH/xbuild-after" && same_but_for_identity "$SCRATCH/xbuild-bin/built.exe" "$work/bin/built.exe" && [ "$(mono "$work/bin/built.exe")" = "twice 8" ]
}
if can mono && [ -f "$libraries/mcs.exe" ]; then
    mkdir "$below"
    cp -L "$libraries"/{mcs.exe,System.dll,System.Core.dll,System.Xml.dll,System.Configuration.dll,Mono.Security.dll} "$below"
    start=$SECONDS
    instruments "mcs.exe and the class libraries below it are instrumented" "$below"/*.exe "$below"/*.dll
    check "mcs over instrumented class libraries compiles to the same assembly" compiles
    check "its profile has calls of each library" profiles_agree "$SCRATCH/profiles/mcs" 1000000 '"Mono.CSharp.' '"System.Linq.' '"System.Diagnostics.' '"System.Collections.Generic.'
    shows mcs "$start"
    if [ -f /usr/lib/mono/xbuild/14.0/bin/xbuild.exe ]; then
        start=$SECONDS
        mkdir "$SCRATCH/xbuild"
        cp -rL /usr/lib/mono/xbuild/14.0 "$SCRATCH/xbuild/"
        instruments "xbuild and its libraries are instrumented" "$SCRATCH"/xbuild/14.0/bin/*.dll "$SCRATCH"/xbuild/14.0/bin/*.exe
        cp "$SCRATCH"/xbuild/14.0/bin/*.dll "$below"
        check "xbuild over instrumented class libraries builds the same program" builds_with_xbuild
        check "its profile has calls of its libraries" profiles_agree "$SCRATCH/profiles/xbuild" 500000 '"Microsoft.Build.BuildEngine.' '"Microsoft.Build.Tasks.' '"System.Xml.'
        shows xbuild "$start"
    else
        skip "xbuild over instrumented class libraries builds the same program" "no xbuild"
    fi
else
    skip "mcs and xbuild work over instrumented class libraries" "no Mono with mcs.exe"
fi

# ---- .NET: a copy of it, all of it instrumented but its core library -------------------------------------------------

sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
if ! can dotnet || [ ! -d "$sdk" ]; then
    skip "MSBuild, a web service and test runs work over an instrumented framework" "no .NET SDK"
    finish
fi
root=$(dirname "$(dirname "$sdk")")
private=$SCRATCH/dotnet
mkdir -p "$private/sdk" "$SCRATCH/net"
cp "$root/dotnet" "$private/" && cp -r "$root/host" "$root/shared" "$private/" && cp -r "$sdk" "$private/sdk/" || exit 1
for folder in "$root"/*/; do
    [ -e "$private/$(basename "$folder")" ] || ln -s "${folder%/}" "$private/"
done
mapfile -t framework < <(find "$private/shared" -name '*.dll' ! -name System.Private.CoreLib.dll)
instruments "the framework's ${#framework[@]} libraries are instrumented" "${framework[@]}"

# A project without its packages is skipped; one that does not compile is a failure.
restores() { timeout "$LIMIT" dotnet restore "$1" --packages "$BUILD/tests/packages" -v q --disable-build-servers >"$SCRATCH/build.log" 2>&1; }
build() { # DOTNET PROJECT OUTPUT OPTIONS…
    local dotnet=$1 project=$2 output=$3
    shift 3
    timeout "$LIMIT" "$dotnet" build "$project" -o "$output" -v m --disable-build-servers -p:UseSharedCompilation=false -m:1 "$@" >"$SCRATCH/build.log" 2>&1 || { tail -n 20 "$SCRATCH/build.log"; return 1; }
}

# ---- MSBuild with Roslyn --------------------------------------------------------------------------------------------

builds_the_same() {
    local file
    cp -r "$ROOT/fixtures/net/." "$SCRATCH/net/" && build dotnet "$SCRATCH/net/app" "$SCRATCH/app-before" || return 1
    rm -rf "$SCRATCH/net" && mkdir "$SCRATCH/net" && cp -r "$ROOT/fixtures/net/." "$SCRATCH/net/" || return 1
    ILINJECT_OUT=$SCRATCH/profiles/msbuild/%n-%p.ilprof build "$private/dotnet" "$SCRATCH/net/app" "$SCRATCH/app-after" || return 1
    for file in app.dll app.pdb app.deps.json app.runtimeconfig.json lib.dll lib.pdb; do
        cmp "$SCRATCH/app-before/$file" "$SCRATCH/app-after/$file" || return 1
    done
}
start=$SECONDS
instruments "MSBuild, the SDK's command line and Roslyn are instrumented" "$private"/sdk/*/*.dll "$private"/sdk/*/Roslyn/bincore/*.dll \
    "$private"/sdk/*/Sdks/Microsoft.NET.Sdk/tools/net[1-9][0-9].*/*.dll
check "MSBuild and Roslyn over an instrumented framework build the same files" builds_the_same
check "their profiles have calls of MSBuild, its tasks, Roslyn and the framework" profiles_agree "$SCRATCH/profiles/msbuild" 20000000 \
    '"Microsoft.Build.Evaluation.' '"Microsoft.NET.Build.Tasks.' '"Microsoft.CodeAnalysis.CSharp.' '"System.Collections.Immutable.'
shows MSBuild "$start"

# ---- A web service --------------------------------------------------------------------------------------------------

ask() { # URL
    local curl=(curl -s --noproxy '*' --max-time 100)
    "${curl[@]}" -i "$1/" | tr -d '\r' | grep -v '^Date: '
    "${curl[@]}" "$1/twice/21" "$1/fail"
    "${curl[@]}" -H 'Content-Type: application/json' -d '{"name":"a","prices":[1.5,2]}' "$1/order"
    "${curl[@]}" -H 'Content-Type: application/json' -d '{"name":' -o /dev/null -w '\n%{http_code}\n' "$1/order"
    "${curl[@]}" "$1/lines/100"
    "${curl[@]}" -w '%{http_code}\n' "$1/nothing"
}
listens_or_gone() { grep -q '^listens at ' "$SCRATCH/web.out" || ! kill -0 "$pid" 2>/dev/null; }
# serve DOTNET FOLDER ANSWERS: starts it, asks, ends it with SIGTERM; ANSWERS gets its exit code too
serve() {
    local pid
    : >"$SCRATCH/web.out"
    ASPNETCORE_URLS=http://127.0.0.1:0 timeout -k 5 "$LIMIT" "$1" "$2/web.dll" >"$SCRATCH/web.out" 2>"$SCRATCH/web.err" &
    pid=$!
    within 200 listens_or_gone
    ask "$(sed -n 's/^listens at //p' "$SCRATCH/web.out")" >"$3"
    kill -TERM "$pid"
    wait "$pid"
    echo "exit code $?" >>"$3"
    cat "$SCRATCH/web.err" >>"$3"
}
answers() {
    serve dotnet "$SCRATCH/web" "$SCRATCH/web-before"
    grep -qx 42caught:\ as\ asked.* "$SCRATCH/web-before" || { cat "$SCRATCH/web-before"; return 1; }
    ILINJECT_OUT=$SCRATCH/profiles/web/ serve "$private/dotnet" "$SCRATCH/web-after" "$SCRATCH/web-answers"
    diff "$SCRATCH/web-before" "$SCRATCH/web-answers" && "$ILINJECT" report -v "$SCRATCH/profiles/web/web.ilprof" | grep '^File .*written at: exit'
}
start=$SECONDS
if ! has curl; then
    skip "a web service over an instrumented framework answers as before" "no curl"
elif ! ls "$root"/shared/Microsoft.AspNetCore.App >/dev/null 2>&1; then
    skip "a web service over an instrumented framework answers as before" "no ASP.NET Core"
elif ! restores "$SCRATCH/net/web"; then
    skip "a web service over an instrumented framework answers as before" "this SDK cannot build one offline"
else
    check "a web service is built" build dotnet "$SCRATCH/net/web" "$SCRATCH/web" --no-restore
    cp -r "$SCRATCH/web" "$SCRATCH/web-after"
    instruments "a web service is instrumented" "$SCRATCH/web-after"/*.dll
    check "a web service over an instrumented framework answers as before and ends on SIGTERM" answers
    check "its profile has calls of its own, the server's and the framework's" profiles_agree "$SCRATCH/profiles/web" 100000 \
        '"Library.Arithmetic"' '"Microsoft.AspNetCore.Server.Kestrel.' '"System.Net.Sockets.' '"System.Text.Json.'
    shows web "$start"
fi

# ---- Test runs ------------------------------------------------------------------------------------------------------

outcome() { grep -E '^(Passed|Failed)! ' "$1" | sed 's/, Duration: .*//'; }
# The tests' process is killed 100 ms after its last test unless it is given longer, which may be before its profile is whole.
passes() { # NAME NUMBER-OF-TESTS
    timeout "$LIMIT" dotnet vstest "$SCRATCH/$1/$1-tests.dll" >"$SCRATCH/$1.before" 2>&1 || { tail "$SCRATCH/$1.before"; return 1; }
    VSTEST_TESTHOST_SHUTDOWN_TIMEOUT=60000 ILINJECT_OUT=$SCRATCH/profiles/$1/%n-%p.ilprof timeout "$LIMIT" "$private/dotnet" vstest "$SCRATCH/$1-after/$1-tests.dll" >"$SCRATCH/$1.after" 2>&1 || { tail "$SCRATCH/$1.after"; return 1; }
    outcome "$SCRATCH/$1.before" >"$SCRATCH/$1.expected"
    grep -q "Passed: *$2," "$SCRATCH/$1.expected" && diff "$SCRATCH/$1.expected" <(outcome "$SCRATCH/$1.after")
}
tests() { # NAME NUMBER-OF-TESTS PATTERN
    local start=$SECONDS
    if ! restores "$SCRATCH/net/tests/$1"; then
        skip "$1 runs tests over instrumented libraries" "its packages cannot be fetched"
        return
    fi
    check "tests for $1 are built" build dotnet "$SCRATCH/net/tests/$1" "$SCRATCH/$1" --no-restore
    cp -r "$SCRATCH/$1" "$SCRATCH/$1-after"
    instruments "$1, its tests and what they test are instrumented" "$SCRATCH/$1-after"/*.dll
    check "$1 runs $2 tests over instrumented libraries, and all pass" passes "$1" "$2"
    check "the profile has calls of the tests, the libraries and $1" profiles_agree "$SCRATCH/profiles/$1" 100000 '"Library.Arithmetic"' '"Newtonsoft.Json.JsonConvert"' '"Tests"' "$3"
    shows "$1" "$start"
}
tests xunit 18 '"Xunit.Sdk.'
tests nunit 50 '"NUnit.Framework.Internal.'
finish
