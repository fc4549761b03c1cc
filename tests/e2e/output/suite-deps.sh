#!/usr/bin/env bash
# A program as the .NET SDK builds it, with its launcher and its deps.json, runs from a copy of its folder with instrumented
# assemblies in it, and nothing else has to be done.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1
export MSBUILDDISABLENODEREUSE=1
build_options=(--disable-build-servers -p:UseSharedCompilation=false)
if server=$("$ROOT/tests/compile-server"); then build_options=(-p:UseSharedCompilation=true "-p:SharedCompilationId=$server"); fi
tracker=ProfileInfoTracker.dll
bin=$SCRATCH/bin

build() { # OUTPUT OPTIONS…
    local to=$1
    shift
    rm -rf "$SCRATCH/net"
    cp -r "$ROOT/fixtures/net" "$SCRATCH/net" &&
        dotnet build "$SCRATCH/net/app/app.csproj" -o "$to" -v q "${build_options[@]}" "$@"
}

# COMMAND prints what the original prints for one argument, and writes a profile that agrees with the expected counts.
runs() { # EXPECTED COMMAND…
    local expected=$1 said=$SCRATCH/said/run
    shift
    rm -f "$said".*
    printf '%s\n' "$expected" >"$said.expected"
    ILINJECT_OUT=$said.ilprof timeout 150 "$@" argument >"$said.out" 2>"$said.err"
    local code=$?
    if [ "$code" -ne 1 ] || [ "$(cat "$said.out")" != "twice 10" ] || [ -s "$said.err" ]; then
        echo "exit code $code"
        head -n 20 "$said.out" "$said.err"
        return 1
    fi
    profile_agrees "$said.ilprof" "$said.expected"
}
# CoreCLR does not find the tracker: exit code 134, and the name in the message.
misses_tracker() { # COMMAND…
    local output code
    output=$(ulimit -c 0; timeout 150 "$@" argument 2>&1)
    code=$?
    printf '%s\n' "$output"
    [ "$code" -ne 1 ] && [[ $output == *ProfileInfoTracker* ]]
}
# Between the two deps.json one entry was added, with the comma that it needs, and nothing else.
differs_by_entry() { # BEFORE AFTER
    diff "$1" "$2" >"$SCRATCH/difference"
    grep '^[<>]' "$SCRATCH/difference" | diff - <(printf '%s\n' '<           "app.dll": {}' '>           "app.dll": {},' ">           \"$tracker\": {}")
}
lists_once() { [ "$(grep -c "$tracker" "$1")" -eq 1 ]; }
copy_of_bin() { rm -rf "$SCRATCH/out" && cp -r "$bin" "$SCRATCH/out"; }
names_dll() { # INPUT
    local output
    output=$("$ILINJECT" "$1" -o "$SCRATCH/launched.dll" 2>&1)
    [ $? -eq 1 ] && [[ $output == *ILJ0106*"$bin/app.dll"* ]] && [ ! -e "$SCRATCH/launched.dll" ] && [ "$(wc -l <<<"$output")" -eq 1 ] && return
    printf '%s\n' "$output"
    return 1
}
app_counts='1 Program::Main*'
lib_counts='1 Library.Arithmetic::Twice*'

if ! can dotnet || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then
    skip "what the SDK builds runs instrumented from a copy of its folder" "no .NET SDK"
    finish
fi
check "the SDK builds the program" build "$bin"
[ -x "$bin/app" ] || finish

copy_of_bin
check "app.dll is instrumented into a copy of bin" "$ILINJECT" "$bin/app.dll" -o "$SCRATCH/out/app.dll"
check "the tracker stands beside it" cmp "$BUILD/$tracker" "$SCRATCH/out/$tracker"
check "its deps.json has the tracker's entry and no other change" differs_by_entry "$bin/app.deps.json" "$SCRATCH/out/app.deps.json"
check "dotnet app.dll runs" runs "$app_counts" dotnet "$SCRATCH/out/app.dll"
check "the launcher runs" runs "$app_counts" "$SCRATCH/out/app"

check "lib.dll is instrumented into the same folder" "$ILINJECT" "$bin/lib.dll" -o "$SCRATCH/out/lib.dll"
check "the entry is there once" lists_once "$SCRATCH/out/app.deps.json"
check "app and library are measured together" runs "$app_counts
$lib_counts" dotnet "$SCRATCH/out/app.dll"

# As the host reads the file.
variant() { # SED-COMMAND: a copy of the folder, instrumented
    rm -rf "$SCRATCH/lenient" "$SCRATCH/lenient.out" && cp -r "$bin" "$SCRATCH/lenient" && sed "$1" "$bin/app.deps.json" >"$SCRATCH/lenient/app.deps.json" &&
        [ "$(dotnet "$SCRATCH/lenient/app.dll" argument)" = "twice 10" ]
    "$ILINJECT" -q "$SCRATCH/lenient" -o "$SCRATCH/lenient.out"
}
starts() { variant "$1" && runs "$2" dotnet "$SCRATCH/lenient.out/app.dll"; }
check "comments in it are taken" starts '1s,$, // { no,; s,"app.dll": {},& /* } */,; $s,$, and more,' "$app_counts
$lib_counts"
check "so is one without a library of the program's own" starts '/"app\/1.0.0": {/,/^ \{4,6\}},$/d; s,"type": "project","type": "package",' "$app_counts"
refused() { ! variant "$1" 2>"$SCRATCH/told" && [ "$(grep -c 'app.dll: error ILJ0503: .*app.deps.json: not JSON' "$SCRATCH/told")" -eq 1 ] && [ ! -e "$SCRATCH/lenient.out/app.dll" ]; }
check "one that no host takes is an error, and no program is written" refused 's,"app.dll": {},&\,,'
# A million of them, no second one is looked for to the file's end.
check "a comment without an end is an error at once" refused "1s,^,/*,;$(printf '1s,.*,&&,;%.0s' {1..20})"

cp "$bin/app.deps.json" "$SCRATCH/out/"
check "without the entry the tracker is not found" misses_tracker dotnet "$SCRATCH/out/app.dll"

copy_of_bin
check "a library alone is instrumented" "$ILINJECT" "$bin/lib.dll" -o "$SCRATCH/out/lib.dll"
check "the app's deps.json has the entry" differs_by_entry "$bin/app.deps.json" "$SCRATCH/out/app.deps.json"
check "the app runs with it" runs "$lib_counts" dotnet "$SCRATCH/out/app.dll"

# ---- A library alone goes into an empty folder, and the rest of bin/ is copied around it -----------------------------------

library_alone() {
    rm -rf "$SCRATCH/out"
    "$ILINJECT" "$bin/lib.dll" -o "$SCRATCH/out/" >"$SCRATCH/alone.out" 2>"$SCRATCH/alone.err"
}
check "a library alone is instrumented into an empty folder" library_alone
check "the app's deps.json comes along with the entry" differs_by_entry "$bin/app.deps.json" "$SCRATCH/out/app.deps.json"
check "a line says so" grep -q "info ILJ0502: .*out/app.deps.json was written, too, with $tracker in it" "$SCRATCH/alone.err"
rest_around_it() { (cd "$bin" && for f in *; do [ -e "$SCRATCH/out/$f" ] || cp -r "$f" "$SCRATCH/out/"; done); }
check "the rest of bin/ is copied around it" rest_around_it
check "the app runs from there" runs "$lib_counts" dotnet "$SCRATCH/out/app.dll"
cp "$bin/app.deps.json" "$SCRATCH/out/"
check "with the original deps.json over it the tracker is not found" misses_tracker dotnet "$SCRATCH/out/app.dll"
check "instrumented anew, the app runs again" eval '"$ILINJECT" -q "$bin/lib.dll" -o "$SCRATCH/out/" && runs "$lib_counts" dotnet "$SCRATCH/out/app.dll"'
depends_on_program() { "$ILINJECT" -q "$bin/lib.dll" -o "$SCRATCH/dep/" --depfile "$SCRATCH/lib.d" && grep -q "bin/app.deps.json" "$SCRATCH/lib.d"; }
check "the output depends on the app's deps.json" depends_on_program

mkdir "$SCRATCH/fresh"
cp "$bin/lib.dll" "$SCRATCH/fresh/"
check "app.dll is instrumented under another name into an empty folder" "$ILINJECT" "$bin/app.dll" -o "$SCRATCH/fresh/other.dll"
check "it runs under that name" runs "$app_counts" dotnet "$SCRATCH/fresh/other.dll"

copy_of_bin
check "both are instrumented in place" "$ILINJECT" --in-place "$SCRATCH/out/app.dll" "$SCRATCH/out/lib.dll"
check "the launcher runs what was instrumented in place" runs "$app_counts
$lib_counts" "$SCRATCH/out/app"
check "a second time changes nothing" "$ILINJECT" --in-place "$SCRATCH/out/app.dll"
check "the entry is still there once" lists_once "$SCRATCH/out/app.deps.json"
check "a launcher as input is told with the assembly to give" names_dll "$bin/app"

if build "$SCRATCH/rid" --use-current-runtime --no-self-contained >"$SCRATCH/rid.log" 2>&1; then
    check "a build for one system has a target of its own" grep -q '"name": ".*/' "$SCRATCH/rid/app.deps.json"
    check "it is instrumented in place" "$ILINJECT" --in-place "$SCRATCH/rid/app.dll"
    check "its launcher runs" runs "$app_counts" "$SCRATCH/rid/app"
else
    skip "a build for one system runs instrumented" "this SDK cannot build one offline"
fi
finish
