#!/usr/bin/env bash
# Control from the program: stopping, starting, beginning again, writing now, snapshots. The driver calls the tracker as injected code would, and
# counts and times are those that follow from it, read by a reader of its own.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}

here=$ROOT/tests/tracker
if ! has mono || ! has mcs; then
    skip "the program controls the recording" "mono and mcs are not installed"
    finish
fi
mkdir app
dump names names.bin Main Outer Inner 'Inner(int)' Recurse Throws Work Sleep && cp "$BUILD/ProfileInfoTracker.dll" app &&
    mcs -nologo -nowarn:414 -out:app/driver.exe -resource:names.bin,ilinject.names -r:app/ProfileInfoTracker.dll "$here/Driver.cs" "$here/ControlDriver.cs" "$here/TriggerDriver.cs" || exit 1
cat >app/driver.runtimeconfig.json <<'END'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
END

drive() { # settings… scenario [number]
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 120 env "${settings[@]}" "$runtime" ../app/driver.exe "$@") >out.txt 2>err.txt || { cat err.txt; return 1; }
}
file=run/driver.ilprof
sums_are() { diff <(printf 'N.T.%s\n' "${@:2}") <(dump sums "$1"); } # FILE, then "name calls resynchronised open"
# Half a second was not recorded: it is in no call's time, and in stopped_ticks.
half_second_is_missing() {
    local own roots wall negative
    IFS='= ' read -r _ own _ roots _ wall _ negative < <(dump time $file)
    [ "$wall" -ge 500000000 ] && [ "$roots" -le $((wall - 480000000)) ] && [ "$roots" -gt 0 ] && [ $((own - roots)) -lt 1000 ] && [ $((roots - own)) -lt 1000 ] &&
        [ "$negative" -eq 0 ] && [ "$(dump run $file stopped_ticks)" -ge "$((500 * $(dump run $file ticks_per_second) / 1010))" ] || { dump time $file; return 1; }
}
stopped() { drive stopped && sums_are $file 'Main() 1 0 0' 'Outer() 13 0 0' 'Inner() 39 0 0' 'Inner(int) 13 0 0' && half_second_is_missing; }
open_frames() { drive openstop && sums_are $file 'Main() 1 0 0' 'Outer() 1 0 0' 'Work() 1 0 0' 'Sleep() 1 0 0' && half_second_is_missing; }
sleeping_thread() {
    drive stopthreads && sums_are $file 'Main() 1 0 0' 'Work() 1 0 1' || return 1
    local roots wall
    IFS='= ' read -r _ _ _ roots _ wall _ < <(dump time $file)
    [ "$wall" -ge 500000000 ] && [ "$roots" -le $((2 * (wall - 480000000))) ] || { dump time $file; return 1; }
}
exception() { drive stopthrows && sums_are $file 'Main() 1 0 0' 'Outer() 1 0 0' 'Inner() 1 0 0' 'Throws() 1 0 0'; }
scope() { drive stopscope && dump sums $file | sed 's/^N\.T\.//' | grep -v '^\(Main\|Outer\|Inner\)' >sums.txt && [ "$(cut -d ' ' -f 2- sums.txt)" = "1 0 0" ] && half_second_is_missing || { cat sums.txt; return 1; }; }
starts_later() { drive ILINJECT_START=off startlater && sums_are $file 'Outer() 1 0 0' 'Inner() 3 0 0' 'Inner(int) 1 0 0'; }
never_starts() { drive ILINJECT_START=off nested && [ -z "$(dump sums $file)" ]; }
broken_start() { drive ILINJECT_START=later nested && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q 'ILINJECT_START: expected on, off, seconds up to 86400' err.txt && [ -n "$(dump sums $file)" ]; }
snapshots() {
    drive snapshot && sums_are run/first.snapshot 'Main() 1 0 1' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Inner(int) 1 0 0' &&
        sums_are run/second.snapshot 'Main() 1 0 1' 'Outer() 2 0 0' 'Inner() 6 0 0' 'Inner(int) 2 0 0' && [ "$(dump run run/first.snapshot reason)" = snapshot ] &&
        [ "$(dump run run/first.snapshot name)" = driver ] && "$ILINJECT" report run/first.snapshot >/dev/null && [ "$(dump run $file reason)" = exit ]
}
flushed() { # and then killed
    drive ILINJECT_BEAT=0 flush
    [ "$(cat out.txt)" = True ] && [ "$(dump run $file reason)" = request ] && sums_are $file 'Main() 1 0 1' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Inner(int) 1 0 0'
}
# Whatever was recorded is whole: nothing resynchronised or open, and each call's callees are at most its own.
switching() {
    drive switching 200 && dump sums $file >sums.txt && awk '$(NF - 1) || $NF { bad = 1 } END { exit bad || NR != 4 }' sums.txt &&
        awk '/\.Outer\(/ { outer = $(NF - 2) } /Inner\(int\)/ { last = $(NF - 2) } END { exit !(outer > 100 && last > 100) }' sums.txt && ! dump time $file | grep -v 'negative=0' || { cat sums.txt; dump time $file; return 1; }
}
ways_are() { diff <(printf '%s\n' "${@:2}") <(dump ways "$1"); } # FILE, then "name calls = normal thrown resynchronised open"
# The run begins with the reset: no time of a root is longer than it, and what was slept before is not in it.
begins_anew() { # FILE, its roots at most
    local own roots wall negative
    IFS='= ' read -r _ own _ roots _ wall _ negative < <(dump time "$1")
    [ "$roots" -le $((wall * $2)) ] && [ "$negative" -eq 0 ] && [ $((own - roots)) -lt 1000 ] && [ $((roots - own)) -lt 1000 ] || { dump time "$1"; return 1; }
}
# Calls, indentation and name of each row; the rows of one parent stand by time, which varies.
report() {
    LC_ALL=C sort >wanted.txt <<'END'
1 "a scope"
1   "a scope"
128   N.T.Outer()
128     N.T.Inner(int)
129 N.T.Inner(int)
129 N.T.Outer()
1     N.T.Inner(int)
1 N.T.Main()
1 N.T.Main()
1   N.T.Outer()
1   N.T.Recurse()
1     N.T.Recurse()
1       N.T.Recurse()
384     N.T.Inner()
387 N.T.Inner()
3     N.T.Inner()
3 N.T.Recurse()
64 N.T.Work()
64 N.T.Work()
END
    drive report && sed 's/ *[0-9]*\.[0-9][0-9][0-9]  / /g; s/^ *//; s/  / /' out.txt >rows.txt && ! grep -q '[#]\|minus' out.txt && head -n 2 out.txt | sed 's/[0-9]\{4\}-[^,]*/T/; s/process [0-9]*/process P/' >head.txt &&
        printf '%s\n' "driver, process P, from T, clock mixed" "calls 714, open 2, functions 7, threads 65" | diff - head.txt && diff wanted.txt <(grep 'N.T.\|scope' rows.txt | LC_ALL=C sort)
}
reset() {
    drive reset && sums_are $file 'Main() 1 0 0' 'Outer() 4 0 0' 'Inner() 12 0 0' 'Inner(int) 4 0 0' && begins_anew $file 2
}
reset_open() {
    drive resetopen "$1" && sums_are run/first.snapshot 'Main() 1 0 1' 'Outer() 2 0 2' 'Throws() 1 0 1' 'Work() 1 0 1' 'Sleep() 1 0 1' && begins_anew run/first.snapshot 3 &&
        sums_are run/second.snapshot 'Main() 1 0 1' 'Outer() 2 0 2' 'Inner() 2 0 0' 'Throws() 1 1 0' 'Work() 1 0 0' 'Sleep() 1 0 0' && begins_anew run/second.snapshot 3 &&
        sums_are $file 'Main() 1 0 0' 'Outer() 2 0 0' 'Inner() 2 0 0' 'Throws() 1 1 0' 'Work() 1 0 0' 'Sleep() 1 0 0' && begins_anew $file 3
}
reset_folded() {
    drive ILINJECT_NODES=20 resetfolded && [ "$(dump run run/first.snapshot folded)" = absent ] &&
        sums_are run/first.snapshot 'Main() 1 0 1' 'Outer() 2 0 0' 'Inner() 3 0 0' 'Inner(int) 1 0 0' 'Sleep() 1 0 0' && [ "$(dump run $file folded)" -gt 0 ]
}
reset_scope() {
    drive resetscope && diff <(printf '%s\n' 'Main() 1 0 0' 'Outer() 1 0 0' 'Inner() 4 0 0' 'Inner(int) 1 0 0' '"outside" 1 0 0' '"inside" 1 0 0') \
        <(dump sums $file | sed 's/^N\.T\.//')
}
reset_stale() { drive resetstale && dump tree $file >tree.txt && grep -q '^          N\.T\.Sleep() calls=1 ' tree.txt; }
reset_throws() { drive resetthrows && ways_are $file 'Main 1 = 1 0 0 0' 'Outer 1 = 1 0 0 0' 'Throws 1 = 0 1 0 0'; }
# The run begins with the reset: what was stopped before it is in neither number.
reset_stopped() {
    drive resetstopped && sums_are $file 'Main() 1 0 0' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Inner(int) 1 0 0' && half_second_is_missing &&
        [ "$(dump run $file stopped_ticks)" -le "$(dump run $file wall_ticks)" ]
}
reset_ending() { drive resetending && sums_are $file 'Main() 1 0 0' 'Outer() 7 0 0' 'Inner() 21 0 0' 'Inner(int) 7 0 0' 'Work() 7 7 0'; }
resetting() {
    local snapshot
    drive resetting 100 && sums_are $file 'Main() 1 0 0' 'Outer() 5 0 0' 'Inner() 15 0 0' 'Inner(int) 5 0 0' && begins_anew $file 1 || return 1
    # Eight workers and the main thread; their outermost frames are open in each.
    for snapshot in run/*.snapshot; do
        sums_are_of_workers "$snapshot" || { echo "$snapshot"; dump sums "$snapshot"; return 1; }
    done
}
sums_are_of_workers() {
    dump sums "$1" | awk '$(NF - 1) { bad = 1 } /Main/ && $(NF - 2) != 1 { bad = 1 } /Work|Sleep/ && $(NF - 2) > 6 { bad = 1 } END { exit bad || NR < 1 }'
}
reset_memory() { drive resetmemory || { cat out.txt; return 1; }; }
# The part of the tracker that inflates the names, by itself.
inflates() { mcs -nologo -r:System.dll -out:inflate.exe "$here/InflateTest.cs" "$ROOT/runtime-tracker/Modules/Inflate.cs" && timeout 150 mono inflate.exe; }
check "what is deflated is inflated, what is broken refused" inflates
half() {
    has "$runtime" || { skip "the program controls the recording ($runtime)" "$runtime is not there"; return; }
    check "nothing is recorded while stopped ($runtime)" stopped
    check "open frames stay balanced, and have no time while stopped ($runtime)" open_frames
    check "so do those of a thread that notices nothing ($runtime)" sleeping_thread
    check "an exception may pass while stopped ($runtime)" exception
    check "a scope of the program ends as ever ($runtime)" scope
    check "start=off records from Start on ($runtime)" starts_later
    check "start=off without a Start records nothing ($runtime)" never_starts
    check "another value of start is told, and recording starts ($runtime)" broken_start
    check "a snapshot is a profile as it stands ($runtime)" snapshots
    check "Flush writes the profile at once ($runtime)" flushed
    check "Report prints table and tree, in whatever culture ($runtime)" report
    check "after a reset counts, times and the run begin anew ($runtime)" reset
    check "open frames count as entered at a reset, in every thread ($runtime)" reset_open 1
    check "so they do when several resets come at once ($runtime)" reset_open 3
    check "a reset gives the budget of nodes back ($runtime)" reset_folded
    check "a scope of the program ends as ever behind a reset ($runtime)" reset_scope
    check "a scope from before a reset ends no frame behind it ($runtime)" reset_stale
    check "an exception may pass a reset ($runtime)" reset_throws
    check "a reset while stopped stays stopped ($runtime)" reset_stopped
    check "threads that end with open frames around a reset ($runtime)" reset_ending
    check "threads that call on while others reset ($runtime)" resetting
    check "what was recorded before a reset leaves memory ($runtime)" reset_memory
    check "threads that call on while others stop and start ($runtime)" switching
}
halves half
finish
