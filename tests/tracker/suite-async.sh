#!/usr/bin/env bash
# The tracker's record of async methods: a driver program that calls it as injected code would,
# with machines as compilers make them, and with the events in orders that threads rarely take. The
# numbers expected are counted by hand from the driver.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
here=$ROOT/tests/tracker

if ! has mono || ! has mcs; then
    skip "the tracker counts and times async methods" "mono and mcs are not installed"
    finish
fi
mkdir app
cp "$BUILD/ProfileInfoTracker.dll" app
cat >app/async.runtimeconfig.json <<'EOF'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
EOF
dump names names.bin Main StartA A StartB B StartC C Work Spare Spare2 &&
    mcs -nologo -nowarn:414 -out:app/async.exe -resource:names.bin,ilinject.names -r:app/ProfileInfoTracker.dll "$here/AsyncDriver.cs" "$here/AsyncMachines.cs" || exit 1

drive() { # settings, then the scenario
    local settings=()
    rm -rf run
    mkdir run
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    (cd run && exec timeout -k 1 120 env "${settings[@]}" "$runtime" ../app/async.exe "$@") >out.txt 2>err.txt || { head -n 20 out.txt err.txt; return 1; }
}
told() { dump "$1" run/async.ilprof "${@:2}" | sed 's/N\.T\.//g; s/()//g'; }
# Per path: calls, suspensions, completed, failed, cancelled, unlinked slices.
paths_are() { diff <(printf '%s\n' "$@") <(told async); }
# The time of the slices and that between them is the time from start to end, to the tick.
# The Stopwatch's times are odd, and the time of a reset, as that of a tick, is even.
time_adds_up() { told asyncsum | awk '{ off = $4 - $2 - $3; if (off > 1 || off < -1) { print; bad = 1 } } END { exit bad }'; }
ends() { # SCENARIO NUMBER, then the paths
    local scenario=$1 number=$2
    shift 2
    drive "$scenario" "$number" && paths_are "$@" && time_adds_up
}
# Every call has ended: so none is open, whatever was forgotten.
# The counts hold each time, the sums of times once in five.
resets() {
    local attempt
    for attempt in 1 2 3 4 5; do
        drive resetrace 100 && told async | awk '$2 != $4 || $7 { bad = 1 } END { exit bad || NR > 2 }' || { told async; return 1; }
        if nearly_adds_up; then return; fi
    done
    return 1
}
# A slice that runs at the very moment of a reset begins again there, as its call does: but the two
# do not notice it at once, and a busy machine may let either thread wait between.
nearly_adds_up() {
    told asyncsum | awk '{ off = $4 - $2 - $3; if (off < 0) off = -off; if (off > 100 + $4 / 100) { print; bad = 1 } } END { exit bad }'
}
unlinked() { drive void && paths_are 'A 1 3 1 0 0 3'; }
times() {
    local path running awaiting wall
    drive times && paths_are 'A 1 1 1 0 0 0' 'A/B 1 1 1 0 0 0' && time_adds_up || return 1
    while read -r path running awaiting wall; do
        case $path in
        # A thread may be held up between a wait's start and its suspension: then it has run for longer, and waited for less.
        A) [ "$running" -ge 80000 ] && [ "$awaiting" -gt 0 ] && [ "$wall" -ge 190000 ] && [ "$wall" -lt 20000000 ] ;;
        A/B) [ "$running" -ge 50000 ] && [ "$awaiting" -gt 0 ] && [ "$wall" -ge 140000 ] && [ "$wall" -lt 20000000 ] ;;
        esac || { told asynctime; return 1; }
    done < <(told asynctime)
}
forgotten() { drive forgotten 500 && paths_are 'A 500 500 0 0 0 0'; }
# Past what is kept waiting, what the unknown call holds counts as slices of an unknown call; it is one that goes on from there.
unseen() { drive unseen 5000 && paths_are 'A 0 5000 1 0 0 4097' 'A/B 5000 0 5000 0 0 0'; }
unbalanced() { drive unbalanced && paths_are 'A 2 0 1 0 0 0'; }
deep() {
    drive deep 1000 && [ "$(told async | sed 's/.*[/A] //' | sort | uniq -c | tr -s ' ')" = ' 1000 1 1 1 0 0 0' ] && told async | tail -n 1 | grep -Eq '^(A/){999}A ' && time_adds_up
}
deep_folded() {
    drive ILINJECT_RECURSION=100 deep 250 && [ "$(told async | sed 's/.*[/A] //' | sort | uniq -c | tr -s ' ')" = ' 50 2 2 2 0 0 0
 50 3 3 3 0 0 0' ] && [ "$(dump run run/async.ilprof folded_async)" = 2 ] && time_adds_up
}
no_nodes() { drive ILINJECT_NODES=0 nested && paths_are 'A 1 3 1 0 0 0' 'B 2 4 2 0 0 0' 'C 5 5 5 0 0 0' && [ "$(dump run run/async.ilprof folded_async)" = 7 ] && time_adds_up; }
folds_threads() { ends ended 0 'A 300 300 300 0 0 0' 'A/B 300 0 300 0 0 0' 'A/C 300 0 300 0 0 0' && [ "$(told tree | grep -c 'async nodes')" -lt 100 ]; }
forgets() { drive ILINJECT_BEAT=0 collected && paths_are 'A 2000 2000 0 0 0 0'; }
allocates_nothing() { drive ILINJECT_BEAT=0 alloc || { cat out.txt; return 1; }; }
# Methods that the runtime suspends: SCENARIO, the paths, "--", what the dump's sums say (calls, resynchronised, open of each method).
runtime_async() {
    local scenario=$1 paths=()
    shift
    while [ "$1" != -- ]; do paths+=("$1"); shift; done
    shift
    rm -rf run
    mkdir run
    (cd run && DOTNET_RuntimeAsync=1 timeout -k 1 120 dotnet ../app/runtimeasync.dll "$scenario") && mv run/runtimeasync.ilprof run/async.ilprof &&
        paths_are "${paths[@]}" && diff <(printf '%s\n' "$@") <(told sums) && { [ "$scenario" = forgotten ] || time_adds_up; }
}
can_runtime_async() {
    has dotnet && dump names runtimenames.bin Main A B C Plain &&
        "$ROOT/tests/dotnet-csc" app/runtimeasync.dll -features:runtime-async=on -nowarn:SYSLIB5007,4014 -r:app/ProfileInfoTracker.dll -resource:runtimenames.bin,ilinject.names \
            "$here/RuntimeAsyncDriver.cs" && mkdir run && (cd run && DOTNET_RuntimeAsync=1 dotnet ../app/runtimeasync.dll sync)
}

if can_runtime_async >out.txt 2>&1; then
    check "runtime-async: calls that are never suspended" runtime_async sync 'A 5 0 5 0 0 0' -- 'Main 1 0 0' 'A 5 0 0'
    check "runtime-async: each slice has a frame of its own, on the thread that runs it" \
        runtime_async suspends 'A 3 6 3 0 0 0' 'A/B 6 12 6 0 0 0' 'A/B/C 12 0 12 0 0 0' -- 'Main 1 0 0' 'A 9 0 0' 'B 18 0 0' 'C 12 0 0' 'Plain 12 0 0'
    check "runtime-async: a thousand at a time" \
        runtime_async many 'A 1000 1000 1000 0 0 0' 'A/B 1000 2000 1000 0 0 0' 'A/B/C 2000 0 2000 0 0 0' -- 'Main 1 0 0' 'A 2000 0 0' 'B 3000 0 0' 'C 2000 0 0' 'Plain 2001 0 0'
    check "runtime-async: a failure" runtime_async fails 'C 1 1 0 1 0 0' -- 'Main 1 0 0' 'C 2 0 0'
    check "runtime-async: a failure of what was awaited" runtime_async await 'C 1 1 0 1 0 0' -- 'Main 1 0 0' 'C 2 0 0'
    check "runtime-async: a call that never ends stays open, its frame does not" runtime_async forgotten 'C 1 1 0 0 0 0' -- 'Main 1 0 0' 'C 1 0 0' 'Plain 1 0 0'
else
    skip "runtime-async methods are timed across threads" "this SDK does not make or run them"
fi
for runtime in mono dotnet; do
    turn=0
    if ! has "$runtime"; then
        skip "async methods on $runtime" "$runtime is not installed"
        continue
    fi
    in_turn "$runtime: calls that are never suspended" ends sync 0 'A 5 0 5 0 0 0'
    in_turn "$runtime: calls that are suspended once" ends once 0 'A 3 3 3 0 0 0'
    in_turn "$runtime: a call that is suspended seven times" ends often 0 'A 1 7 1 0 0 0'
    in_turn "$runtime: state machines that are objects" ends object 0 'A 3 12 3 0 0 0'
    in_turn "$runtime: async void has slices of which the call is not known" unlinked
    in_turn "$runtime: failures and cancellations, before and after a suspension" ends fails 0 'A 4 2 0 2 2 0'
    in_turn "$runtime: calls stand below the one that started them" ends nested 0 'A 1 3 1 0 0 0' 'A/B 2 4 2 0 0 0' 'A/B/C 4 4 4 0 0 0' 'A/C 1 1 1 0 0 0'
    in_turn "$runtime: a thousand at a time" ends many 1000 'A 1000 2000 1000 0 0 0' 'A/B 2000 4000 2000 0 0 0'
    in_turn "$runtime: calls that never end stay open" forgotten
    in_turn "$runtime: running, awaiting and wall time are what they should be" times
    in_turn "$runtime: continuations that race with the thread that suspended the call" ends race 200 'A 20000 80000 20000 0 0 0' 'A/B 20000 40000 20000 0 0 0'
    in_turn "$runtime: calls that are suspended at a reset count as begun there" ends reset 0 'A 1 0 1 0 0 0' 'A/B 1 1 1 0 0 0' 'C 1 1 1 0 0 0'
    in_turn "$runtime: so do those that run, in their first slice" ends resetinside 0 'A 1 3 1 0 0 0'
    in_turn "$runtime: so do those that run, in a later slice" ends resetinside 2 'A 1 1 1 0 0 0'
    in_turn "$runtime: so do objects, in their first slice" ends resetinside 10 'A 1 3 1 0 0 0'
    in_turn "$runtime: so do objects, in their last slice" ends resetinside 13 'A 1 0 1 0 0 0'
    in_turn "$runtime: what had ended before a reset does not count, even if nobody knew whose call it was" ends resetended 0 'A 1 1 1 0 0 0' 'A/B 1 0 1 0 0 0'
    in_turn "$runtime: calls under way at any number of resets are whole" resets
    in_turn "$runtime: slices, and ends, before the call is known" ends order 0 'A 4 8 4 0 0 0'
    in_turn "$runtime: what such slices start stands where it belongs" ends orderdeep 0 'A 1 2 1 0 0 0' 'A/B 3 1 3 0 0 0' 'A/B/C 3 2 3 0 0 0'
    in_turn "$runtime: failures before the call is known" ends orderfails 0 'A 2 2 0 1 1 0'
    in_turn "$runtime: a call whose start nobody saw does not keep what it starts waiting for ever" unseen
    in_turn "$runtime: each element of an iterator is a call" ends iterator 0 'A 5 3 5 0 0 0'
    in_turn "$runtime: events out of place are passed over" unbalanced
    in_turn "$runtime: continuations inside the call that takes them, and inside SetResult" ends inline 0 'A 1 1 1 0 0 0' 'A/B 1 1 1 0 0 0' 'A/C 2 0 2 0 0 0' 'B 1 1 1 0 0 0'
    in_turn "$runtime: a starter starts one machine, also through other methods" ends starters 0 'A 3 1 3 0 0 0'
    in_turn "$runtime: threads that have ended are folded into one" folds_threads
    in_turn "$runtime: 1,000 calls deep" deep
    in_turn "$runtime: past the recursion limit calls count as started by none" deep_folded
    in_turn "$runtime: so they do without nodes" no_nodes
    in_turn "$runtime: a call that nobody holds any more is collected" forgets
    in_turn "$runtime: a call that is not suspended allocates nothing" allocates_nothing
done
finish
