# tests/e2e/lib/sh/hosts.sh - how one program is run on each host, and what is asked of each run.
# Sourced by tests/e2e/programs/suite-full-hosts.sh, which has the list of hosts, after lib.sh, ladder.sh and trees.sh.
#   ready_hosts        compiles and instruments $source; skips and fails when that cannot be done
#   wanted FUNCTION    has $HOSTS a word of it, or none at all?
#   on_host NAME FUNCTION  runs it and makes the checks; $row is the line of the table. $of is the host that a name after … is of
work=$SCRATCH/hosts

ready_hosts() {
    if ! can mono || ! can dotnet || [ -z "$(dotnet --list-sdks)" ] || [ ! -f /usr/lib/mono/4.5-api/mscorlib.dll ]; then
        skip "one program runs on every host" "no Mono, or no .NET SDK"
        return 1
    fi
    # shellcheck disable=SC2086
    unset ${!ILINJECT_*}
    export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 ILINJECT=$ILINJECT
    mkdir -p "$work/plain" "$work/woven" && cd "$work" || return 1
    # Of mscorlib alone, so that both Mono and .NET take it.
    FRAMEWORK=/usr/lib/mono/4.5-api/mscorlib.dll compiled csc plain/everywhere.exe -optimize "$source" || return 1
    check "the program is instrumented" eval '"$ILINJECT" -q plain/everywhere.exe -o woven/'
    cp plain/everywhere.runtimeconfig.json woven/ || return 1
    printf '%s\n' 'fib 13' 'generics 3;ab;area 6;' 'values 63' 'lambdas 14' 'iterator 30' 'exceptions -odd1-odd3' 'threads 20' \
        'async 43late' >expected.said
    grep -v '^threads' expected.said >expected.single
    expected=$ROOT/fixtures/cs/Everywhere.expected
    sed -e '/::Threads/s/^[0-9]*/?/' -e '/::Work/s/^[0-9]*/?/' -e '/::Leaf/s/^[0-9]*/?/' -e '/::Say/s/^8/7/' "$expected" >expected.counts
}
wanted() {
    local word
    [ "${HOSTS:-}" ] || return 0
    for word in $HOSTS; do case $1 in *$word*) return 0 ;; esac; done
    return 1
}

# ---- What is asked of a run -----------------------------------------------------------------------------------------------

# Lambdas are asked for by their counts: shown leaves them out. Closures are made when a host pleases, or while it compiles.
everywhere_shown() { shown "$1" | grep -v 'closure()'; }
same_output() { # the program's own words and exit code
    local lines=expected.said
    if [ "$arguments" = single ]; then lines=expected.single; fi
    diff "$work/$lines" <(tr -d '\r' <said | grep -v '^ready$') || { cat told; return 1; }
    [ "$(cat code)" = "$expected_code" ] || { echo "exit code $(cat code), expected $expected_code"; cat told; return 1; }
}
# The tracker says nothing, or once what it has to.
said_by_tracker() {
    local count=0
    if [ "$expected_told" ]; then count=1; fi
    [ "$(grep -c '^ilinject: ' told)" -eq $count ] || { cat told; return 1; }
    [ -z "$expected_told" ] || grep -q "^ilinject: $expected_told" told || { cat told; return 1; }
}
same_counts() {
    local counts=$expected
    if [ "$arguments" = single ]; then counts=$work/expected.counts; fi
    profile_agrees profile "$counts"
}
same_tree() {
    if [ "$arguments" = single ]; then marks='=-'; else marks='=+'; fi
    "$ILINJECT" report --format=calltree --raw --width=0 --color=never profile >tree.txt
    [ "$(drawn)" ] && diff <(drawn) <(everywhere_shown profile) || { head -n 12 tree.txt; return 1; }
}
same_exceptions() { # the texts that exceptions were made with
    "$ILINJECT" report --json -o exceptions.json profile &&
        diff <(printf '%s\n' late odd1 odd3) <(grep -o '"messages": \[[^]]*\]' exceptions.json | grep -o '"[a-z]*[0-9]*"' | tr -d '"' | grep -v messages | sort -u)
}
# Main took some time; what the probes have cost is known, and how much it was for a call, or not.
times() {
    "$ILINJECT" report --json -o times.json profile && python3 - <<'END'
import json
report = json.load(open("times.json", encoding="utf-8"))
main = next(f for f in report["functions"] if f["name"].startswith("Everywhere.Main("))
run = report["runs"][0]
costs = run["calibration"]
probe = f'{(costs["inside_work_ps"] + costs["outside_work_ps"]) / 1000:.0f} ns' if costs else "-"
print("none" if main["inclusive_ns"] == 0 else "yes" if costs else "not corrected", probe, sep="|")
END
}

on_host() { # NAME FUNCTION
    local name=$1 host=$2 reason counts=no output=no took=- remark= before full_name
    case $name in …*) full_name="$of $name" ;; *) full_name=$name ;; esac
    arguments='' expected_code=7 expected_told='' told=''
    mkdir -p "$work/$host" && cd "$work/$host" || return
    : >said && : >told && echo none >code
    # Not in a subshell: it sets what is expected.
    "$host" >reason 2>&1
    case $? in
    0) ;;
    77)
        reason=$(tail -n 1 reason | cut -c 1-110)
        skip "$full_name: the program runs as everywhere" "$reason"
        row="$name|-|-|-|-|not had: $reason"
        cd "$work" || return
        return
        ;;
    *)
        check "$full_name: the program is made and run" eval "tail -n 20 reason; false"
        row="$name|no|no|-|-|see the log"
        cd "$work" || return
        return
        ;;
    esac
    before=$failed
    check "$full_name: the program says and returns the same" same_output
    check "$full_name: the tracker says what it has to, and no more" said_by_tracker
    [ "$failed" -ne "$before" ] || output=equal
    before=$failed
    check "$full_name: each method is called as often" same_counts
    check "$full_name: the call tree is the same" same_tree
    [ "$failed" -ne "$before" ] || counts=equal
    check "$full_name: exceptions have their messages" same_exceptions
    took=$(times 2>/dev/null) || took='none|-'
    remark=$(sed -n 's/^remark: //p' reason | head -n 1)
    row="$name|$counts|$output|$took|$remark"
    cd "$work" || return
}

# ---- Ways to run it -------------------------------------------------------------------------------------------------------

# The command in the folder FOLDER, with all its outcome here. $around is put before the command.
around=()
run_in() { # FOLDER COMMAND…
    local here=$PWD folder=$1
    shift
    (cd "$folder" && ILINJECT_OUT=${out-$here/profile} exec timeout -k 5 "${LIMIT:-150}" "${around[@]}" "$@" $arguments >"$here/said" 2>"$here/told" </dev/null)
    echo $? >code
}
# Stopped and continued all the time while it runs: it has a tenth of a processor.
run_slowly() { # FOLDER COMMAND…
    local here=$PWD folder=$1 pid
    shift
    (cd "$folder" && ILINJECT_OUT=$here/profile exec "$@" $arguments >"$here/said" 2>"$here/told" </dev/null) &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        sleep 0.01
        kill -STOP $pid 2>/dev/null && sleep 0.09
        kill -CONT $pid 2>/dev/null
    done
    wait $pid
    echo $? >code
}
# Stopped for a while once it has begun.
run_frozen() { # FOLDER COMMAND…
    local here=$PWD folder=$1 pid
    shift
    (cd "$folder" && ILINJECT_OUT=$here/profile exec "$@" $arguments >"$here/said" 2>"$here/told" </dev/null) &
    pid=$!
    within 100 grep -q fib said
    kill -STOP $pid && sleep 0.5
    kill -CONT $pid
    wait $pid
    echo $? >code
    echo "remark: stopped for half a second behind its first line"
}
whole_beat() { [ -s profile ] && "$ILINJECT" report --format=csv profile 2>/dev/null | grep -q 'Everywhere.Add(int)' && grep -q ready said; }
run_killed() { # FOLDER COMMAND…
    local here=$PWD folder=$1 pid
    shift
    (cd "$folder" && ILINJECT_BEAT=1 ILINJECT_OUT=$here/profile exec "$@" wait >"$here/said" 2>"$here/told" </dev/null) &
    pid=$!
    within 100 whole_beat
    kill -KILL $pid
    wait $pid 2>/dev/null
    echo $? >code
    expected_code=137
    echo "remark: the profile of the last beat"
}
# In a file system that cannot be written but for the temporary folder. The profile comes to that one, and that is said.
can_mount() { unshare -Urm true 2>/dev/null || { echo "no file systems can be mounted here"; return 77; }; }
run_read_only() { # FOLDER COMMAND…
    local here=$PWD folder=$1
    shift
    can_mount || return
    mkdir -p tmp ro && cp -r "$folder/." ro/
    unshare -Urm bash -c 'here=$1; shift; mount --bind "$here/ro" "$here/ro" && mount -o remount,bind,ro "$here/ro" && cd "$here/ro" &&
        TMPDIR=$here/tmp timeout -k 5 150 "$@" >"$here/said" 2>"$here/told"' bash "$here" "$@" </dev/null
    echo $? >code
    mv tmp/everywhere.ilprof profile
    expected_told=".*everywhere.ilprof can't be written (.*); the profile is at $here/tmp/everywhere.ilprof\$"
    echo "remark: the profile goes to the temporary folder, and that is said"
}
run_without() { # /dev|/proc FOLDER COMMAND…
    local here=$PWD which=$1 folder=$2 plain
    shift 2
    can_mount || return
    plain=$(cd "${folder/woven/plain}" 2>/dev/null && unshare -Urm bash -c 'mount -t tmpfs none "$1"; shift; timeout -k 5 150 "$@"' bash "$which" "${around[@]}" "$@" 2>&1 </dev/null)
    if [ $? -ne 7 ] && [ -d "${folder/woven/plain}" ]; then
        echo "the plain program does not run so either: $(tail -n 1 <<<"$plain" | cut -c 1-60)"
        return 77
    fi
    unshare -Urm bash -c 'here=$1; mount -t tmpfs none "$2"; cd "$3" && shift 3 &&
        ILINJECT_OUT=$here/profile timeout -k 5 150 "$@" >"$here/said" 2>"$here/told"' bash "$here" "$which" "$folder" "${around[@]}" "$@" </dev/null
    echo $? >code
}
run_nameless() { # FOLDER COMMAND…
    [ "$(id -u)" -eq 0 ] && has setpriv || { echo "only the super-user becomes another one"; return 77; }
    local folder=$1 apart
    shift
    # Into a folder that this user may write, and out of one that it may read.
    apart=$(mktemp -d) && cp -r "$folder" "$apart/app" && chmod -R a+rX "$apart" && chmod 777 "$apart" || return
    around=(setpriv --reuid 54321 --regid 54321 --clear-groups env HOME=/nonexistent)
    out=$apart/profile run_in "$apart/app" "$@"
    around=()
    mv "$apart/profile" profile
    rm -rf "$apart"
}

# ---- .NET -----------------------------------------------------------------------------------------------------------------

coreclr() { run_in ../woven dotnet everywhere.exe; }
coreclr_untiered() { DOTNET_TieredCompilation=0 run_in ../woven dotnet everywhere.exe; }
coreclr_undiagnosed() { DOTNET_EnableDiagnostics=0 run_in ../woven dotnet everywhere.exe; }
coreclr_small() { DOTNET_GCHeapHardLimit=0x4000000 run_in ../woven dotnet everywhere.exe; }
coreclr_slow() { run_slowly ../woven dotnet everywhere.exe; echo "remark: by stopping and continuing it"; }
coreclr_frozen() { run_frozen ../woven dotnet everywhere.exe; }
coreclr_killed() { run_killed ../woven dotnet everywhere.exe; }
coreclr_nameless() { run_nameless ../woven dotnet everywhere.exe; }
coreclr_read_only() { run_read_only ../woven dotnet everywhere.exe; }
coreclr_no_dev() { run_without /dev ../woven dotnet everywhere.exe; }
# On its first thread CoreCLR does not start without /proc.
coreclr_no_proc() {
    local value
    around=(env LD_PRELOAD="$BUILD/tests/second_thread.so")
    run_without /proc ../woven dotnet everywhere.exe
    value=$?
    around=()
    [ $value -ne 0 ] || echo "remark: started on a second thread; CoreCLR asks /proc for the first one's stack"
    return $value
}

# The same IL takes the place of what the SDK has compiled, and goes through the rest of a publishing. $app is the folder with the
# result: it is kept for the next run, in build/tests/hosts, under a sum of all that it is made from. Two runs wait for each other.
app=
publish() { # FRAMEWORK RID OPTIONS…
    local value
    mkdir -p "$BUILD/tests/hosts" && exec 8>"$BUILD/tests/hosts/$host.lock" && flock 8 || return
    publish_kept "$@" 8>&-
    value=$?
    exec 8>&-
    return $value
}
publish_kept() {
    local framework=$1 rid=$2 kept
    shift 2
    cp "$source" . && cat >everywhere.csproj <<END
<Project Sdk="${sdk:-Microsoft.NET.Sdk}">
  <PropertyGroup>
    <OutputType>Exe</OutputType><TargetFramework>$framework</TargetFramework><RestorePackagesPath>$BUILD/tests/published</RestorePackagesPath>
    <AssemblyName>everywhere</AssemblyName><InvariantGlobalization>true</InvariantGlobalization><DebugType>none</DebugType>
    <CheckEolTargetFramework>false</CheckEolTargetFramework><DisableTransitiveFrameworkReferenceDownloads>true</DisableTransitiveFrameworkReferenceDownloads>
  </PropertyGroup>
  <ItemGroup><Reference Include="ProfileInfoTracker"><HintPath>$work/woven/ProfileInfoTracker.dll</HintPath></Reference></ItemGroup>
  <Target Name="TakeTheSame" AfterTargets="CoreCompile">
    <Copy SourceFiles="$work/woven/everywhere.exe" DestinationFiles="@(IntermediateAssembly->'%(FullPath)')" />
  </Target>
</Project>
END
    kept=$(cat "$work/woven/everywhere.exe" "$work/woven/ProfileInfoTracker.dll" <(sed '/HintPath/d; /Copy/d' everywhere.csproj) \
        <(echo "${configuration:-Release} $rid $*"; dotnet --list-sdks) | sha256sum | cut -c 1-16)
    kept=$BUILD/tests/hosts/$host-$kept app=$kept/app
    [ ! -d "$app" ] || return 0
    rm -rf "$BUILD/tests/hosts/$host"-* && mkdir -p "$kept" || return
    # A folder has its name when it is whole.
    timeout 3600 dotnet publish everywhere.csproj -c "${configuration:-Release}" -r "$rid" -o "$kept/new" --disable-build-servers "$@" >log 2>&1 &&
        mv "$kept/new" "$app" && return
    if grep -q -E 'NU1101|NU1102|NU1103|NU1301|NU1801|NETSDK1082|NETSDK1094' log; then
        echo "$(grep -o -m 1 -E '(NU[0-9]*|NETSDK[0-9]*): .*' log | sed 's/ \[.*//' | cut -c 1-100)"
        return 77
    fi
    tail -n 10 log
    return 1
}
published() { publish "$@" && run_in "$app" ./everywhere; }
self_contained() { published net10.0 linux-x64 --self-contained; }
single_file() { published net10.0 linux-x64 --self-contained -p:PublishSingleFile=true; }
trimmed() { published net10.0 linux-x64 --self-contained -p:PublishTrimmed=true -p:TrimMode=full; }
ready_to_run() { published net10.0 linux-x64 --self-contained -p:PublishReadyToRun=true; }
# One native image of the program, the tracker and what they need of the framework: trimmed, since the compiler of all of the
# framework's assemblies in one takes longer than all other hosts together.
composite() {
    publish net10.0 linux-x64 --self-contained -p:PublishReadyToRun=true -p:PublishReadyToRunComposite=true -p:PublishTrimmed=true -p:TrimMode=full || return
    compgen -G "$app/*.r2r.dll" >/dev/null || { echo "there is no composite image"; ls "$app"; return 1; }
    run_in "$app" ./everywhere && echo "remark: trimmed; one image: $(cd "$app" && echo *.r2r.dll)"
}
mono_core() { published net10.0 linux-x64 --self-contained -p:UseMonoRuntime=true; }
arm64() {
    has qemu-aarch64-static && [ -d /usr/aarch64-linux-gnu/lib ] || { echo "no qemu-aarch64-static, or no C library for it"; return 77; }
    publish net10.0 linux-arm64 --self-contained || return
    # The emulation cannot map code twice.
    LIMIT=600 DOTNET_EnableWriteXorExecute=0 run_in "$app" qemu-aarch64-static -L /usr/aarch64-linux-gnu ./everywhere
}
windows() {
    local wine=/usr/lib/wine/wine64 server=/usr/lib/wine/wineserver
    [ -x $wine ] && [ -x $server ] || { echo "wine64 is not installed"; return 77; }
    publish net10.0 win-x64 --self-contained || return
    export WINEPREFIX=$PWD/wine WINEDEBUG=-all
    mkdir -p home && (unset DISPLAY; WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=d' HOME=$PWD/home timeout -k 5 300 $wine wineboot -i >wineboot.log 2>&1)
    WINEDLLOVERRIDES='winedbg.exe=d' DOTNET_EnableWriteXorExecute=0 HOME=$PWD/home out=everywhere.ilprof LIMIT=300 run_in "$app" "$wine" everywhere.exe
    $server -k 2>/dev/null
    unset WINEPREFIX WINEDEBUG
    mv "$app/everywhere.ilprof" profile
}
aot8() { published net8.0 linux-x64 -p:PublishAot=true; }
aot9() { published net9.0 linux-x64 -p:PublishAot=true; }
aot10() { published net10.0 linux-x64 -p:PublishAot=true; }
# The program that aot10 has made.
compiled_ahead() {
    app=$(compgen -G "$BUILD/tests/hosts/aot10-*/app" | head -n 1)
    [ -x "$app/everywhere" ] || { echo "there is no such program"; return 77; }
}
aot_read_only() { compiled_ahead && run_read_only "$app" ./everywhere; }
aot_no_dev() { compiled_ahead && run_without /dev "$app" ./everywhere; }
aot_no_proc() { compiled_ahead && run_without /proc "$app" ./everywhere; }
aot_small() { compiled_ahead && DOTNET_GCHeapHardLimit=0x4000000 run_in "$app" ./everywhere; }
aot_killed() { compiled_ahead && run_killed "$app" ./everywhere; }

# ---- WebAssembly ----------------------------------------------------------------------------------------------------------

# There are no threads, and no end of the program that the tracker hears of: the profile is written when Main is left. It lies in
# the memory of the page, as all files do there; everywhere.mjs hands it out, with what the program and the tracker said.
in_wasm() { # PUBLISHING OPTIONS…
    local host=$1
    shift
    arguments=single
    sdk=Microsoft.NET.Sdk.WebAssembly publish net10.0 browser-wasm -p:CompressionEnabled=false "$@" || return
    cp "$ROOT/tests/e2e/lib/js/everywhere.mjs" "$app/wwwroot/" || return
    printf '<!DOCTYPE html>\n<meta charset="utf-8">\n<link rel="icon" href="data:,">\n<script type="module" src="everywhere.mjs"></script>\n' >"$app/wwwroot/index.html"
}
debug_wasm() { configuration=Debug in_wasm wasm_debug -p:PublishTrimmed=false; }
trimmed_wasm() { in_wasm wasm_trimmed; }
by_node() {
    has node || { echo "node is not installed"; return 77; }
    timeout -k 5 300 node "$app/wwwroot/everywhere.mjs" "$PWD" || return
    wasm_remark
}
by_chromium() {
    local pid site value
    has chromium && has python3 || { echo "chromium or python3 is not installed"; return 77; }
    : >port
    # It serves the page, and takes what the page puts.
    python3 -u - "$app/wwwroot" >port 2>site.log <<'END' &
import functools, http.server, os, sys
class Site(http.server.SimpleHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("." + self.path + ".new", "wb") as file:
            file.write(body)
        os.replace("." + self.path + ".new", "." + self.path)
        self.send_response(204)
        self.end_headers()
site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=sys.argv[1]))
print(site.server_port, flush=True)
site.serve_forever()
END
    site=$!
    within 100 grep -q . port || { kill $site; return 1; }
    chromium --headless=new --no-sandbox --disable-gpu --disable-background-networking --user-data-dir="$PWD/chromium" --enable-logging=stderr \
        "http://127.0.0.1:$(cat port)/index.html" >chromium.log 2>&1 &
    pid=$!
    rm -f code && within 300 test -e code
    value=$?
    kill $pid $site
    wait $pid $site 2>/dev/null
    [ $value -eq 0 ] || { grep CONSOLE chromium.log; return 1; }
    wasm_remark
}
wasm_remark() {
    local step
    step=$("$ILINJECT" report --json profile | sed -n 's/.*"clock_step_ns": \([0-9]*\).*/\1/p' | head -n 1)
    echo "remark: without threads; flush=Everywhere.Main${step:+; the clock goes in steps of $((step / 1000)) µs}"
}
wasm_node() { debug_wasm && by_node; }
wasm_node_trimmed() { trimmed_wasm && by_node; }
wasm_browser() { debug_wasm && by_chromium; }
wasm_browser_trimmed() { trimmed_wasm && by_chromium; }

# ---- Mono -----------------------------------------------------------------------------------------------------------------

mono_jit() { run_in ../woven mono everywhere.exe; }
mono_interpreter() { run_in ../woven mono --interpreter everywhere.exe; }
mono_nameless() { run_nameless ../woven mono everywhere.exe; }
mono_read_only() { run_read_only ../woven mono everywhere.exe; }
mono_no_dev() { run_without /dev ../woven mono everywhere.exe; }
mono_frozen() { run_frozen ../woven mono everywhere.exe; }
mono_killed() { run_killed ../woven mono everywhere.exe; }
# Nothing is compiled while it runs, and there is no assembly but those that the plain program needs. Without System.dll the
# tracker's clock is the time of day.
mono_full() {
    can_mount || return
    cp ../woven/everywhere.exe ../woven/ProfileInfoTracker.dll . && cp /usr/lib/mono/4.5/mscorlib.dll . || return
    unshare -Urm bash -c 'mount -t tmpfs none /usr/lib/mono && export MONO_PATH=$PWD
        for file in mscorlib.dll ProfileInfoTracker.dll everywhere.exe; do timeout 900 nice mono --aot=full "$file" || exit; done' >log 2>&1 </dev/null ||
        { echo "mono --aot=full: $(tail -n 1 log | cut -c 1-80)"; return 77; }
    around=(unshare -Urm bash -c 'mount -t tmpfs none /usr/lib/mono && MONO_PATH=$PWD exec "$@"' bash)
    run_in . mono --full-aot everywhere.exe
    around=()
    echo "remark: mscorlib, the program and the tracker alone; clock utc"
}
