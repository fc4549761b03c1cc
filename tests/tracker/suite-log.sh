#!/usr/bin/env bash
# The call log, as it happens. The driver calls the tracker as injected code would.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*} LOG_FILENAME
here=$ROOT/tests/tracker
if ! has mono || ! has mcs; then
    skip "the call log" "mono and mcs are not installed"
    finish
fi
mkdir app
dump names names.bin Main Outer Inner Leaf Throws Left Sixth Seventh &&
    cp "$BUILD/ProfileInfoTracker.dll" app &&
    mcs -nologo -out:app/driver.exe -resource:names.bin,ilinject.names -r:app/ProfileInfoTracker.dll "$here/RecordDriver.cs" || exit 1
cat >app/driver.runtimeconfig.json <<'END'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
END

log=run/ILInjectCallbackLog.log
anew() { rm -rf run && mkdir run; }
drive() { # settings… scenario [number]
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    (cd run && exec timeout -k 1 120 env "${settings[@]}" "$runtime" ../app/driver.exe "$@") >out.txt 2>err.txt
}
silent() { [ ! -s err.txt ] || { cat err.txt; return 1; }; }
says() { [ "$(wc -l <err.txt)" -eq 1 ] && grep -q -F -- "$1" err.txt || { cat err.txt; return 1; }; }
logged() { anew && drive ILINJECT_LOG=1 "$@" && silent; }
is() { diff - "${1:-$log}"; }
like_report() { diff <("$ILINJECT" report --format=calllog run/driver.ilprof) <(grep -v '^Thread' "$log"); }
same_sums() { diff <("$ILINJECT" report --format=calllog run/driver.ilprof | sed '1,/^$/d') <(sed '1,/^$/d' "${1:-$log}"); }
# All calls are there or counted as missing, each method's with ascending numbers that skip the missing ones only, and the summary has all.
complete() { # LOG CALLS
    awk -v all="$2" '
        /^$/ { summary = 1; next }
        /^# .*not kept.*: [0-9]+/ { missing = $0; sub(/.*: /, "", missing); gone += missing + 0; if (!/log_size/) gap += missing; next }
        /^#/ || /^Thread/ { next }
        !summary {
            lines++; name = $1; sub(/,.*/, "", name); number = $NF
            if (number <= count[name]) { print "not ascending", $0; bad = 1 }
            skipped += number - count[name] - 1; count[name] = number
            next
        }
        { sum += $NF; if ($NF < count[$1]) bad = 1 }
        END { print lines, gone, gap, skipped, sum; exit bad || lines + gone != all || sum != all || skipped > gap || summary == 0 }' "$1"
}

exact() {
    logged two && is <<'END'
N.T.Main, id=16777216, call count = 1
 N.T.Outer, id=16777217, call count = 1
  N.T.Inner, id=16777218, call count = 1
 N.T.Outer, id=16777217, call count = 2
  N.T.Inner, id=16777218, call count = 2
 N.T.Leaf, id=16777219, call count = 1

N.T.Main : call count = 1
N.T.Outer : call count = 2
N.T.Inner : call count = 2
N.T.Leaf : call count = 1
END
}
as_timeline() { logged ILINJECT_TIMELINE=1 "$@" && like_report && grep -q id= $log; }
threads_named() {
    logged endedthreads 2 && sed 's/^Thread [0-9]*/Thread N/' $log >named.txt && is named.txt <<'END'
N.T.Main, id=16777216, call count = 1
Thread N thread 0
N.T.Left, id=16777221, call count = 1
 N.T.Leaf, id=16777219, call count = 1
Thread N thread 1
N.T.Left, id=16777221, call count = 2
 N.T.Leaf, id=16777219, call count = 2

N.T.Main : call count = 1
N.T.Leaf : call count = 2
N.T.Left : call count = 2
END
}
many_threads() { logged "$@" threads 2000 && complete $log 48001 && same_sums && ! grep '^#' $log; }
reset() { # calls of three threads one after another
    logged resets && sed 's/^Thread [0-9]*/Thread N/' $log >named.txt && is named.txt <<'END'
N.T.Main, id=16777216, call count = 1
Thread N thread 0
N.T.Left, id=16777221, call count = 1
 N.T.Leaf, id=16777219, call count = 1
Thread N
 N.T.Leaf, id=16777219, call count = 2
Thread N
N.T.Leaf, id=16777219, call count = 3
N.T.Throws, id=16777220, call count = 1
Thread N
 N.T.Outer, id=16777217, call count = 1
  N.T.Inner, id=16777218, call count = 1
# A reset: counts begin anew.
N.T.Main, id=16777216, call count = 1
 N.T.Outer, id=16777217, call count = 1
  N.T.Inner, id=16777218, call count = 1
 N.T.Leaf, id=16777219, call count = 1

N.T.Main : call count = 1
N.T.Outer : call count = 1
N.T.Inner : call count = 1
N.T.Leaf : call count = 1
END
}
capped() {
    logged ILINJECT_LOG_SIZE=1 sequence 100000 && complete $log 100001 && same_sums || return 1
    local size
    size=$(stat -c %s $log)
    [ "$size" -gt 1040000 ] && [ "$size" -lt 1050000 ] && [ "$(grep -c '^#' $log)" -eq 2 ] || { echo "$size bytes"; grep '^#' $log; return 1; }
}
# A pipe without a reader for the first half of the calls: the program goes on, and counts what finds no room.
dropped() {
    anew
    mkfifo run/pipe
    { within 100 test -e run/half && timeout 150 cat run/pipe; } >piped.txt &
    local reader=$!
    drive ILINJECT_LOG=1 LOG_FILENAME=pipe unread 3000000 && silent
    local ended=$?
    wait "$reader"
    [ $ended -eq 0 ] && complete piped.txt 3000001 && same_sums piped.txt && grep '^# Calls of this thread that were not kept, as too many came at once' piped.txt
}
unwritable() { anew && drive ILINJECT_LOG=1 LOG_FILENAME="$1" two && says ': the call log can'\''t be written: ' && [ -s run/driver.ilprof ]; }
disk_full() { anew && drive ILINJECT_LOG=1 LOG_FILENAME=/dev/full two && says '/dev/full: the call log ends here: ' && [ -s run/driver.ilprof ]; }
too_large() { # for the process: it is not killed
    anew
    (ulimit -f 200 && drive ILINJECT_LOG=1 DOTNET_EnableWriteXorExecute=0 sequence 20000) && says ': the call log ends here: the process may not write files of ' && [ -s run/driver.ilprof ]
}
named() {
    anew && mkdir run/logs && echo "what was there before, and is longer than what comes: $(seq 200)" >run/logs/calls.txt &&
        drive ILINJECT_LOG=1 LOG_FILENAME=logs/calls.txt two && silent && [ ! -e $log ] && same_sums run/logs/calls.txt && [ "$(wc -l <run/logs/calls.txt)" -eq 11 ]
}
off() { anew && drive LOG_FILENAME=calls.txt two && silent && drive ILINJECT_LOG=0 two && [ "$(ls run)" = driver.ilprof ]; }
wait_for() { # a line in FILE
    within 100 grep -s -q "$2" "$1" || { cat "$1"; return 1; }
}
started() { (cd run && exec env ILINJECT_LOG=1 "$@" "$runtime" ../app/driver.exe waits) >/dev/null 2>&1 & pid=$!; }
killed() {
    anew
    started
    wait_for $log Leaf
    local seen=$?
    kill -9 $pid
    wait $pid 2>/dev/null
    [ $seen -eq 0 ] && is <<'END'
N.T.Main, id=16777216, call count = 1
 N.T.Leaf, id=16777219, call count = 1
END
}
terminated() { # .NET hears of the signal: the summary is there, once
    anew
    started
    wait_for $log Leaf && wait_for_signals && kill -TERM $pid
    wait $pid 2>/dev/null
    is <<'END'
N.T.Main, id=16777216, call count = 1
 N.T.Leaf, id=16777219, call count = 1

N.T.Main : call count = 1
N.T.Leaf : call count = 1
END
}
wait_for_signals() { within 100 test -e run/driver.ilprof; }
two_runs() { # with one name: the second takes another
    anew
    started LOG_FILENAME=both.log
    local first=$pid
    wait_for run/both.log Leaf && drive ILINJECT_LOG=1 LOG_FILENAME=both.log two && silent
    local ended=$?
    kill -9 "$first"
    wait "$first" 2>/dev/null
    [ $ended -eq 0 ] && [ "$(cat run/both.log | wc -l)" -eq 2 ] && same_sums_of run/both.[0-9]*.log
}
domains() { logged domain && complete $log 6 && complete run/ILInjectCallbackLog.d1.log 7 && same_sums; }
same_sums_of() { [ $# -eq 1 ] && [ "$(wc -l <"$1")" -eq 11 ]; }

for runtime in mono dotnet; do
    has "$runtime" || { skip "the call log ($runtime)" "$runtime is not there"; continue; }
    check "each call is a line, each method one of the summary ($runtime)" exact
    for scenario in two throws unclosed stops "sequence 3000"; do
        # shellcheck disable=SC2086
        check "the log is that of a timeline: $scenario ($runtime)" as_timeline $scenario
    done
    check "so it is of folded calls ($runtime)" as_timeline ILINJECT_NODES=1 two
    check "lines behind those of another thread say whose they are ($runtime)" threads_named
    check "of eight threads no call is missing, and the counts are the profile's ($runtime)" many_threads
    check "nor by a clock without time ($runtime)" many_threads ILINJECT_CLOCK=none
    check "a reset is a line, behind which counts begin anew ($runtime)" reset
    check "a full log says how many calls are not in it ($runtime)" capped
    check "who does not read loses calls, which are counted ($runtime)" dropped
    check "a folder that is missing is named, and the program runs on ($runtime)" unwritable missing/calls.log
    check "so is a folder in the file's place ($runtime)" unwritable ..
    check "a full disk ends the log ($runtime)" disk_full
    check "so does the limit on the size of files ($runtime)" too_large
    check "LOG_FILENAME names the file, which is replaced ($runtime)" named
    check "without being asked there is none ($runtime)" off
    check "a killed program leaves what came before ($runtime)" killed
    check "two runs do not write into one file ($runtime)" two_runs
    [ "$runtime" = dotnet ] || check "a further AppDomain has a log of its own ($runtime)" domains
    [ "$runtime" = mono ] || check "a signal ends the log with its summary ($runtime)" terminated
done
finish
