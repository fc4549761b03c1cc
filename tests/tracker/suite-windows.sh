#!/usr/bin/env bash
# Windows: a self-contained .NET program (Ends.cs) is published for it, instrumented here, and run under
# wine without a display. Each way to end keeps the exit code, and the profile has its reason and counts.
# So it is with two runs at once, `post`, `log` and `out`. The tracker says in one line when a profile
# can't be written where it was asked for.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*} LOG_FILENAME DISPLAY WAYLAND_DISPLAY
version=10.0.12 all="Windows programs are profiled"
wine='' wineserver=''
for program in wine64 wine /usr/lib/wine/wine64; do if has "$program"; then wine=$program; break; fi; done
for program in wineserver /usr/lib/wine/wineserver; do if has "$program"; then wineserver=$program; break; fi; done
for need in mono mcs dotnet; do
    if ! has "$need"; then skip "$all" "$need is not installed"; finish; fi
done
if [ -z "$wine" ] || [ -z "$wineserver" ]; then skip "$all" "wine64 is not installed"; finish; fi
if ! dotnet --list-sdks | grep -q '^1[0-9]\.'; then skip "$all" "there is no .NET SDK 10"; finish; fi
if ! packages=$("$ROOT/tests/nuget-fetch" "Microsoft.NETCore.App.Runtime.win-x64/$version" "Microsoft.NETCore.App.Host.win-x64/$version"); then
    skip "$all" "$packages"
    finish
fi

# ---- The program, and a Windows of its own --------------------------------------------------------------------------

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
mkdir source out tmp home
cp "$ROOT/tests/tracker/Ends.cs" source
cat >source/Ends.csproj <<END
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
  <OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><RuntimeIdentifier>win-x64</RuntimeIdentifier><SelfContained>true</SelfContained>
  <RuntimeFrameworkVersion>$version</RuntimeFrameworkVersion><RestorePackagesPath>$packages</RestorePackagesPath>
  <DisableTransitiveFrameworkReferenceDownloads>true</DisableTransitiveFrameworkReferenceDownloads>
  <InvariantGlobalization>true</InvariantGlobalization><DebugType>none</DebugType><TreatWarningsAsErrors>false</TreatWarningsAsErrors>
</PropertyGroup></Project>
END
export WINEPREFIX=$SCRATCH/wine WINEDEBUG=-all
trap '"$wineserver" -k 2>/dev/null; rm -rf "$SCRATCH"' EXIT
# Neither .NET Framework nor a browser nor menus are made for it.
(WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=d' HOME=$SCRATCH/home timeout -k 5 300 "$wine" wineboot -i >wineboot.log 2>&1) &
booting=$!
if ! (cd source && timeout -k 5 300 dotnet publish -c Release -o "$SCRATCH/plain" -v q >"$SCRATCH/publish.log" 2>&1); then
    check "the program is published for Windows" eval 'grep -m 5 error publish.log; false'
    finish
fi
wait "$booting"
# A debugger that wine would start changes the exit codes of crashes.
# Under wine, .NET that maps its code twice was seen to die when it collects a dynamic method.
export WINEDLLOVERRIDES='winedbg.exe=d' HOME=$SCRATCH/home DOTNET_EnableWriteXorExecute=0
mcs -nologo -out:receiver.exe "$ROOT/tests/tracker/Receiver.cs" &&
    cp -al plain/. out/ && rm out/Ends.dll && "$ILINJECT" plain/Ends.dll -o out/ --quiet || exit 1
drive=$WINEPREFIX/drive_c
echo text >"$drive/file"
windows_path() { local path=Z:$1; echo "${path//\//\\}"; }

# Runs the program, plain or instrumented ($variant), in the folder run.$variant. Stdout, stderr and exit
# code go to files of the variant's name.
run() { # [NAME=VALUE…] WAY
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    (cd "run.$variant" && exec timeout -k 1 150 env "${settings[@]}" "$wine" "../$variant/Ends.exe" "$@" >"../$variant.stdout" 2>"../$variant.raw" </dev/null)
    echo $? >"$variant.code"
    tr -d '\r' <"$variant.raw" >"$variant.stderr"
}
anew() { rm -rf run.plain run.out && mkdir run.plain run.out; }
own() { sed 's/thread [0-9a-f]*//g; s/ at address [0-9A-F]*//; /^ilinject: /d' "$1"; }
as_plain() { diff plain.code out.code && diff plain.stdout out.stdout && diff <(own plain.stderr) <(own out.stderr); }
code() { [ "$(cat out.code)" = "$1" ] || { echo "exit code $(cat out.code)"; cat out.stderr; return 1; }; }
silent() { ! grep '^ilinject: ' out.stderr; }
kept() { # PROFILE REASON
    local reason leaves
    reason=$(dump run "$1" reason) leaves=$(dump sums "$1" | sed -n 's/^Ends.Leaf() \([0-9]*\) .*/\1/p')
    [ "$reason" = "$2" ] && [ "$leaves" = 3 ] || { echo "$1: reason $reason, $leaves leaves"; return 1; }
}
holds() { # FOLDER NAMES…: these files, and no others
    diff <(ls -A "$1" | tr '\n' ' ') <(printf '%s ' "${@:2}" | sed 's/^ $//')
}
both() {
    variant=plain run "$@" &
    variant=out run "$@"
    wait $!
    as_plain
}
ends() { # WAY REASON CODE
    anew
    both "$1" && code "$3" && silent && kept run.out/Ends.ilprof "$2" && holds run.out Ends.ilprof
}
runs() { # [NAME=VALUE…] WAY CODE: instrumented, in a new folder
    anew
    variant=out run "${@:1:$#-1}" && code "${!#}"
}

# ---- Runs that hear when to end -------------------------------------------------------------------------------------

# In the background, until the file `end` is in run.$variant; $started is its process.
start() { # NAME [NAME=VALUE…] WAY
    local name=$1 settings=()
    shift
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    : >"$name.stdout"
    (cd "run.$variant" && exec timeout -k 1 200 env "${settings[@]}" "$wine" "../$variant/Ends.exe" "$@" >"../$name.stdout" 2>"../$name.stderr" </dev/null) &
    started=$!
}
ended() { # PROCESS CODE
    local code
    wait "$1"
    code=$?
    [ $code -eq "$2" ] || { echo "exit code $code"; return 1; }
}
dumped() { dump sums "$1" 2>&1 | grep -q 'Ends.Leaf() 3 '; }
pid_of() { dump run "$1" pid; }

fails_fast() {
    local plain
    anew
    variant=plain start plain fail-fast
    plain=$started
    touch run.plain/end
    wait "$plain"
    plain=$?
    variant=out start out fail-fast
    within 100 dumped run.out/Ends.ilprof && touch run.out/end && ended "$started" "$plain" && [ "$plain" -ne 0 ] && rm run.out/end &&
        kept run.out/Ends.ilprof beat && holds run.out Ends.ilprof
}
two_at_once() {
    local first second other
    anew
    variant=out start first until
    first=$started
    within 100 dumped run.out/Ends.ilprof || return 1
    variant=out start second until
    second=$started
    within 100 eval '[ "$(ls run.out | grep -c "ilprof$")" -eq 2 ]' && touch run.out/end && ended "$first" 17 && ended "$second" 17 && rm run.out/end || return 1
    other=$(cd run.out && echo Ends.*.ilprof)
    holds run.out "$other" Ends.ilprof && kept run.out/Ends.ilprof exit && kept "run.out/$other" exit && [ "$other" = "Ends.$(pid_of "run.out/$other").ilprof" ]
}
never_free() { # while the first one writes its profile again and again, others come and go
    local first i mine
    anew
    variant=out start first rewritten
    first=$started
    # ReplaceFile has a moment when the name is in no folder.
    within 100 eval 'dumped run.out/Ends.ilprof && mine=$(pid_of run.out/Ends.ilprof)' || return 1
    for i in 1 2 3 4 5 6; do
        variant=out run return && code 3 && silent || return 1
    done
    touch run.out/end
    # Each attempt to replace a file may leave one of wine's own.
    { ended "$first" 23 || { cat first.stderr; false; }; } && rm -f run.out/end run.out/rf*.tmp && [ "$(pid_of run.out/Ends.ilprof)" = "$mine" ] && kept run.out/Ends.ilprof exit &&
        [ "$(find run.out -name 'Ends.[0-9]*.ilprof' | wc -l)" -eq 6 ] && [ "$(find run.out -type f | wc -l)" -eq 7 ] || { ls run.out; return 1; }
}
killed() { # the name is free again
    anew
    variant=out start first until
    within 100 dumped run.out/Ends.ilprof || return 1
    pkill -KILL -P "$started"
    wait "$started"
    within 20 eval '[ ! -e run.out/Ends.ilprof.lock ]' && kept run.out/Ends.ilprof beat && variant=out run return && code 3 && silent &&
        kept run.out/Ends.ilprof exit && holds run.out Ends.ilprof
}

# ---- Where the profile goes -----------------------------------------------------------------------------------------

to_drive() { # missing folders are made
    runs 'ILINJECT_OUT=C:\made\for it\%n.ilprof' return 3 && silent && kept "$drive/made/for it/Ends.ilprof" exit && holds run.out
}
to_folder() { mkdir -p "$drive/folder" && runs ILINJECT_OUT=C:/folder return 3 && silent && kept "$drive/folder/Ends.ilprof" exit && holds run.out; }
to_nothing() { runs ILINJECT_OUT=nul ILINJECT_POST=http://127.0.0.1:1/x ILINJECT_BEAT=0 return 3 && holds run.out && grep -q '^ilinject: post=' out.stderr && ! grep written out.stderr; }
temporary() { find "$drive/users" -name "$1" -path '*Temp*'; }
told() { # EXPRESSION: one line in which that is
    [ "$(grep -c '^ilinject: ' out.stderr)" -eq 1 ] && grep -q "^ilinject: .*$1" out.stderr || { cat out.stderr; return 1; }
}
unwritable() { # below a file there is no folder
    runs 'ILINJECT_OUT=C:\file\a.ilprof' return 3 && told "C:.file.a.ilprof can't be written (.*); the profile is at C:.users.*Temp.a.ilprof\$" || return 1
    kept "$(temporary a.ilprof)" exit && rm "$(temporary a.ilprof)" && [ -z "$(temporary 'a*')" ] && [ "$(cat "$drive/file")" = text ]
}
nowhere() {
    anew
    (cd run.out && timeout -k 1 150 "$wine" cmd /c 'set TMP=C:\file&& set TEMP=C:\file&& set ILINJECT_OUT=C:\file\sub\a.ilprof&& ..\out\Ends.exe exit' >../out.stdout 2>../out.raw </dev/null)
    echo $? >out.code
    tr -d '\r' <out.raw >out.stderr
    code 4 && grep -q worked out.stdout && told "the profile can't be written: C:.file.sub.a.ilprof: .*; C:.file.a.ilprof: "
}
unheard() { # a program without standard error asks for the line
    anew
    (cd run.out && exec timeout -k 1 150 env 'ILINJECT_OUT=C:\file\a.ilprof' "$wine" ../out/Ends.exe messages >../out.stdout 2>&- </dev/null)
    echo $? >out.code
    : >out.stderr
    code 26 && grep -q "^ilinject: C:.file.a.ilprof can't be written (.*); the profile is at " out.stdout && rm "$(temporary a.ilprof)" || { cat out.stdout; return 1; }
}
# The file of that name is left as it is. Wine refuses the super-user only when it is to be replaced.
marked_read_only() {
    local there
    anew
    echo mine >run.out/Ends.ilprof && chmod a-w run.out/Ends.ilprof
    variant=out run return && code 3 && [ "$(cat run.out/Ends.ilprof)" = mine ] && told "Ends.ilprof can't be written (.*); the profile is at .*Ends\(\.[0-9]*\)*\.ilprof\$" || return 1
    there=$(temporary Ends.ilprof)
    kept "${there:-$(echo run.out/Ends.*.ilprof)}" exit && rm -f "$there"
}
held_by_reader() { # who lets nobody replace what it reads
    anew
    variant=out run return && code 3 || return 1
    variant=plain start reader HELD="$(windows_path "$SCRATCH/run.out/Ends.ilprof")" holding
    within 100 grep -q ready reader.stdout && variant=out run exit && code 4 && touch run.plain/end && ended "$started" 24 &&
        told "Ends.ilprof can't be written (.*); the profile is at C:.users.*Temp.Ends.ilprof\$" || return 1
    rm -f run.out/rf*.tmp
    kept "$(temporary Ends.ilprof)" exit && rm "$(temporary Ends.ilprof)" && kept run.out/Ends.ilprof exit && holds run.out Ends.ilprof
}

# ---- By HTTP, and the call log --------------------------------------------------------------------------------------

# The end waits two seconds for the answer, which may be too few here: then once more.
posts() {
    local i
    for i in 1 2 3 4 5 6 7 8 9 10; do
        posts_once && return
        grep -q 'no answer within' out.stderr || return 1
    done
    return 1
}
posts_once() {
    local receiver status
    rm -rf got
    mkdir got
    mono receiver.exe got &
    receiver=$!
    within 60 test -s got/port && runs ILINJECT_POST="http://127.0.0.1:$(cat got/port)/x" ILINJECT_BEAT=0 return 3 && silent && kept run.out/Ends.ilprof exit &&
        cmp got/1.ilprof run.out/Ends.ilprof
    status=$?
    kill -KILL "$receiver"
    wait "$receiver" 2>/dev/null
    return $status
}
calls_of() { tr -d '\r' <"$1" | sed -n 's/^ *\(Ends.[A-Z][a-z]*\), id=.*/\1/p' | grep -v -x -e Ends.End | tr '\n' ' '; }
calls="Ends.Main Ends.Work Ends.Leaf Ends.Leaf Ends.Leaf "
logs() { runs ILINJECT_LOG=1 return 3 && silent && [ "$(calls_of run.out/ILInjectCallbackLog.log)" = "$calls" ] && holds run.out Ends.ilprof ILInjectCallbackLog.log; }
logs_to_drive() { runs ILINJECT_LOG=1 'LOG_FILENAME=C:\calls.log' return 3 && silent && [ "$(calls_of "$drive/calls.log")" = "$calls" ] && holds run.out Ends.ilprof; }
two_logs() {
    local first
    anew
    variant=out start first ILINJECT_LOG=1 until
    first=$started
    within 100 dumped run.out/Ends.ilprof && variant=out run ILINJECT_LOG=1 return && code 3 && touch run.out/end && ended "$first" 17 || return 1
    [[ "$(calls_of run.out/ILInjectCallbackLog.log)" == "$calls"* ]] && [ "$(calls_of "$(echo run.out/ILInjectCallbackLog.*.log)")" = "$calls" ] || { ls run.out; return 1; }
}
logs_nowhere() {
    runs ILINJECT_LOG=1 'LOG_FILENAME=C:\file\calls.log' return 3 && told "C:.file.calls.log: the call log can't be written: " && kept run.out/Ends.ilprof exit
}
any_case() { runs ilinject_verbose=1 return 3 && grep -q 'Ends.ilprof written (exit)' out.stderr; }
other_clock() { runs ILINJECT_CLOCK=fast return 3 && grep -q '^ilinject: clock=fast: .*; using stopwatch$' out.stderr && kept run.out/Ends.ilprof exit; }
reported() { "$ILINJECT" report --format=json -o report.json run.out/Ends.ilprof && "$BUILD/tests/counts" report.json; }

check "the end of Main keeps all" ends return exit 3
check "its profile is reported" reported
check "Environment.Exit keeps all" ends exit exit 4
check "so it does from another thread" ends exit-elsewhere exit 5
check "and with a handler of the program's own" ends exit-locked exit 9
check "an unhandled exception keeps all" ends throw unhandled 82
check "so it does on another thread" ends throw-elsewhere unhandled 82
check "FailFast leaves the last beat's profile" fails_fast
check "two runs at once have a profile each" two_at_once
check "the name of a living run is never free, however often its profile is replaced" never_free
check "that of a killed run is" killed
check "the setting out takes a path with a drive" to_drive
check "and a folder" to_folder
check "and the device that takes all" to_nothing
check "a place that can't be written is told, and the profile goes to the temporary folder" unwritable
check "where that can't be written either, it is told that there is no profile" nowhere
check "without standard error the program can ask for that line" unheard
check "a file that is marked as read-only is left alone, and that is told" marked_read_only
check "a profile that a reader lets nobody replace goes elsewhere, and that is told" held_by_reader
check "profiles are sent by HTTP" posts
check "the call log has all calls" logs
check "it takes a path with a drive" logs_to_drive
check "two runs at once have a log each" two_logs
check "a log that can't be written is told" logs_nowhere
check "settings of the environment have their names in any case" any_case
check "a clock that Windows has not is told" other_clock
finish
