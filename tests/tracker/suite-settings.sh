#!/usr/bin/env bash
# Each setting of the tracker does what it says, and a broken value is one line on standard error. A function sets_NAME runs the driver with the
# setting and without and finds the difference, so each fails when its setting is ignored; a setting without such a function fails the first check.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export TMPDIR=$SCRATCH/tmp
mkdir "$TMPDIR" app run
if ! has mono || ! has mcs; then
    skip "each setting does what it says" "mono and mcs are not installed"
    finish
fi
mcs -nologo -out:receiver.exe "$ROOT/tests/tracker/Receiver.cs" && dump names names.bin Main Outer Inner 'Inner(int)' Recurse Throws Work Sleep &&
    cp "$BUILD/ProfileInfoTracker.dll" app &&
    mcs -nologo -nowarn:414 -out:app/driver.exe -resource:names.bin,ilinject.names -r:app/ProfileInfoTracker.dll "$ROOT"/tests/tracker/{Driver,ControlDriver,TriggerDriver}.cs || exit 1
if can dotnet; then runtimeconfig app/driver.exe; fi

# Runs the driver in an empty folder; nothing may be said on standard error unless $says allows it.
drive() { # [NAME=VALUE…] SCENARIO…
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("ILINJECT_$1"); shift; done
    rm -rf run tmp/*
    mkdir run
    (cd run && exec timeout -k 1 150 env "${settings[@]}" "$runtime" ../app/driver.exe "$@") >out.txt 2>err.txt
    local status=$?
    [ $status -eq 0 ] && { [ "${says:-}" ] || [ ! -s err.txt ]; } || { echo "exit status $status"; cat err.txt; return 1; }
}
calls() { dump sums run/driver.ilprof | sed -n "s/^N.T.$1() \([0-9]*\) .*/\1/p"; }
is() { [ "$1" = "$2" ] || { echo "$1, expected $2"; return 1; }; }
value() { dump run run/driver.ilprof "$1"; }
ticks() { dump tree run/driver.ilprof | grep -c 'Outer() .*ticks=[1-9]'; }

sets_out() { drive OUT=other.ilprof nested && is "$(ls run)" other.ilprof && drive nested && is "$(ls run)" driver.ilprof; }
# After the first writing there is another one with a beat each second, and none with one each day.
sets_beat() { age_with 1 100 && is "$late" 1 && age_with 86400 2 && is "$late" 0; }
called() { dump sums run/driver.ilprof 2>/dev/null | grep -q Outer; }
later() { [ "$(value wall_ticks)" != "$first" ]; }
age_with() { # BEAT SECONDS: was anything written in so many after the first time?
    rm -rf run
    mkdir run
    (cd run && exec env ILINJECT_BEAT="$1" "$runtime" ../app/driver.exe wait 300000 >/dev/null 2>&1) &
    local pid=$! first
    within 100 called
    first=$(value wall_ticks)
    within "$2" later >/dev/null
    kill -KILL $pid
    wait $pid 2>/dev/null
    late=0
    if later; then late=1; fi
}
sets_start() { drive START=off nested && is "$(calls Outer)" "" && drive START=N.T.Inner nested && is "$(calls Outer) $(calls Inner)" "9 30" && drive nested && is "$(calls Outer)" 10; }
sets_stop() { drive STOP=N.T.Outer nested && is "$(calls Outer)" 1 && drive nested && is "$(calls Outer)" 10; }
# Outer is called ten times; each of its ends writes, and the end of the program.
sets_flush() { says=yes drive FLUSH=N.T.Outer VERBOSE=1 BEAT=0 nested && is "$(grep -c 'written (flush)' err.txt) $(grep -c written err.txt)" "10 11" && drive nested; }
sets_control() { asked 0 && is "$answered" 1 && asked 1 && is "$answered" 0; }
asked() { # CONTROL: does the driver answer (0), or not (1)?
    rm -rf run
    mkdir run
    : >out.txt
    (cd run && exec env ILINJECT_CONTROL="$1" "$runtime" ../app/driver.exe wait 300000 >../out.txt 2>&1) &
    local pid=$!
    within 100 grep -q ready out.txt && within 100 called
    "$ILINJECT" ctl $pid flush >/dev/null 2>ctl.txt
    answered=$?
    while [ $answered -ne 0 ] && grep -q 'has not answered within' ctl.txt; do # in five seconds
        "$ILINJECT" ctl $pid flush >/dev/null 2>ctl.txt
        answered=$?
    done
    kill -KILL $pid
    wait $pid 2>/dev/null
    return 0
}
sets_off() { drive OFF='N.T.Inner;N.T.Main' nested && is "$(calls Inner)$(calls Main)" "" && is "$(calls Outer)" 10; }
sets_only() { drive ONLY=N.T.Outer nested && is "$(dump sums run/driver.ilprof)" "N.T.Outer() 10 0 0"; }
sets_below() { drive BELOW='N.T.Outer' nested && is "$(calls Main)" "" && is "$(calls Inner)" 30; }
sets_depth() { drive DEPTH=2 nested && is "$(calls Inner)" "" && is "$(calls Outer)" 10 && drive DEPTH=0 nested && is "$(calls Inner)" 30; }
sets_longer() { drive LONGER=3600s nested && is "$(dump sums run/driver.ilprof)" "" && drive LONGER=0 nested && is "$(calls Inner)" 30; }
sets_clock() { drive CLOCK=none nested && is "$(value clock) $(ticks)" "none 0" && drive CLOCK=coarse nested && is "$(value clock)" coarse && drive nested && is "$(value clock) $(ticks)" "mixed 1" && drive CLOCK=stopwatch nested && is "$(value clock) $(ticks)" "stopwatch 1"; }
sets_tick() { drive CLOCK=ticking TICK=80000 nested && [ "$(value clock_step_ns)" -ge 40000000 ] && drive CLOCK=ticking nested && [ "$(value clock_ticks)" -ge 0 ] && drive TICK=80000 nested && [ "$(value clock_step_ns)" -ge 40000000 ] && drive CLOCK=stopwatch TICK=80000 nested && is "$(value clock_step_ns)" absent; }
sets_nodes() { drive NODES=100 fold 5 && [ "$(value folded)" -gt 0 ] && drive fold 5 && is "$(value folded)" absent; }
sets_recursion() { drive RECURSION=7 recursion 20 && is "$(value folded)" 13 && drive recursion 20 && is "$(value folded)" absent; }
# Its effect is tested by the suites e2e/tests and e2e/test.
sets_covers() { drive COVERS=1 RECURSION=7 recursion 20 && has_section BELO && drive RECURSION=7 recursion 20 && ! has_section BELO; }
sets_histogram() { drive HISTOGRAM=1 nested && has_section HIST && drive nested && ! has_section HIST; }
sets_timeline() { drive TIMELINE=1 nested && has_section TIME && drive nested && ! has_section TIME; }
sets_events() { drive TIMELINE=1 EVENTS=5 nested && small=$(stat -c %s run/driver.ilprof) && drive TIMELINE=1 nested && [ "$(stat -c %s run/driver.ilprof)" -gt $((small + 60)) ]; }
log=run/ILInjectCallbackLog.log
sets_log() { drive LOG=1 nested && grep -q '^N.T.Outer : call count = 10$' $log && drive nested && [ ! -e $log ]; }
# Its effect is tested by e2e/alloc.
sets_alloc() { drive ALLOC=bytes nested && is "$(value bytes_counted)" 1 && drive nested && is "$(value bytes_counted)" absent; }
# Its effect is tested by e2e/collections.
sets_collections() { drive COLLECTIONS=1 nested && is "$(value collections_counted)" 1 && drive nested && is "$(value collections_counted)" absent; }
sets_command_texts() {
    drive COMMAND_TEXTS=3 commands 5 && is "$(grep -a -o 'SELECT ? FROM t.' run/driver.ilprof | tr '\n' ' ')" 'SELECT ? FROM t0 SELECT ? FROM t1 SELECT ? FROM t2 ' &&
        grep -q -a -F '(other texts)' run/driver.ilprof && drive COMMAND_TEXTS=0 commands 5 && ! grep -q -a -F 'FROM t' run/driver.ilprof &&
        drive commands 5 && is "$(grep -a -o 'SELECT ? FROM t.' run/driver.ilprof | wc -l)" 5 && ! grep -q -a -F secret run/driver.ilprof
}
# Its effect is tested by the suite switches.
sets_overhead() { drive OVERHEAD=7% nested && is "$(value overhead)" 7 && drive nested && is "$(value overhead)" absent; }
sets_log_size() { says=yes drive LOG=1 LOG_SIZE=1 fold 8 && small=$(stat -c %s $log) && says=yes drive LOG=1 fold 8 && [ "$(stat -c %s $log)" -gt $((small + 1000000)) ]; }
has_section() { grep -q -a -F "$1" run/driver.ilprof; }
sets_post() { says=yes drive POST=http://127.0.0.1:1/x nested && grep -q '^ilinject: post=http://127.0.0.1:1/' err.txt && drive nested; }
# The server never answers.
sets_post_wait() {
    local receiver status
    rm -rf "got-$runtime"
    mkdir "got-$runtime"
    mono receiver.exe "got-$runtime" 200 0 &
    receiver=$!
    within 100 test -e "got-$runtime/port" && says=yes drive "POST=http://127.0.0.1:$(cat "got-$runtime/port")/x" POST_WAIT=300 nested && grep -q 'no answer within 0.3 seconds' err.txt
    status=$?
    kill -KILL $receiver
    wait $receiver 2>/dev/null
    return $status
}
# Its effect is tested by e2e/post-values: here nothing is captured.
sets_post_values() { says=yes drive POST=http://127.0.0.1:1/x POST_VALUES=plain nested && ! grep POST_VALUES err.txt && drive POST_VALUES=encrypted nested; }
sets_exception_messages() { says=yes drive EXCEPTION_MESSAGES=no nested && ! grep EXCEPTION_MESSAGES err.txt && drive EXCEPTION_MESSAGES=yes nested; } # likewise
sets_labels() { drive LABELS=release=1.42,host=a nested && has_section LABL && has_section 1.42 && drive nested && ! has_section LABL; }
sets_verbose() { says=yes drive VERBOSE=1 nested && grep -q 'driver.ilprof written (exit)' err.txt && drive nested; }

broken() { # NAME VALUE: told in one line, which names the setting; the program counts as ever
    says=yes drive "$1=$2" nested && is "$(wc -l <err.txt)" 1 && grep -q "^ilinject: ILINJECT_$1: " err.txt && is "$(ls run)" driver.ilprof && is "$(calls Outer)" 10
}
declare -A wrong
while read -r setting value; do wrong[$setting]=$value; done < <("$BUILD/tests/fact_tables" broken)
check "each setting that there is is tested here" diff <(printf '%s\n' "${!wrong[@]}" | sort) <(declare -F | sed -n 's/^declare -f sets_//p' | sort)
by_itself() { drive itself && is "$(ls run)" itself.ilprof; }
half() {
    local turn=0
    can "$runtime" || { skip "each setting does what it says on $runtime" "$runtime is not installed"; return; }
    for setting in "${!wrong[@]}"; do
        # The same code reads them on each runtime; what they do there is for other suites.
        in_turn "$runtime: the setting $setting does what it says" "sets_$setting"
        if [ "$runtime" = mono ] || [ "$FULL" ]; then check "$runtime: a broken value of $setting is one line" broken "${setting^^}" "${wrong[$setting]}"; fi
    done
    check "$runtime: an unknown setting is one line" broken COLOUR red
    check "$runtime: a variable that the program itself sets is found by its name" by_itself
}
halves half
finish
