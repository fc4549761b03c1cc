#!/usr/bin/env bash
# Switches and triggers: off, on, only, below, depth, longer. The driver calls the tracker as injected code would, and asks as
# `ilinject ctl` does; counts are those that follow from it, read by a reader of its own.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}

here=$ROOT/tests/tracker
if ! has mono || ! has mcs; then
    skip "methods are switched off and on" "mono and mcs are not installed"
    finish
fi
mkdir app
dump names names.bin Main Outer Inner 'Inner(int)' Recurse Throws Work Sleep && cp "$BUILD/ProfileInfoTracker.dll" app &&
    mcs -nologo -nowarn:414 -out:app/driver.exe -resource:names.bin,ilinject.names -r:app/ProfileInfoTracker.dll "$here/Driver.cs" \
        "$here/ControlDriver.cs" "$here/TriggerDriver.cs" || exit 1
cat >app/driver.runtimeconfig.json <<'END'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
END

drive() { # settings… scenario [number]
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 300 env "${settings[@]}" "$runtime" ../app/driver.exe "$@") >out.txt 2>err.txt || { cat out.txt err.txt; return 1; }
}
file=run/driver.ilprof
sums_are() { diff <(printf 'N.T.%s\n' "$@") <(dump sums $file); } # "name calls resynchronised open"
folds_are() { diff <(printf 'N.T.%s\n' "$@") <(dump folds $file); } # "name folded below taken-back not-recorded"
says() { diff <(printf '%s\n' "$@") out.txt; }
switches() {
    drive switches && sums_are 'Main() 1 0 0' 'Outer() 8 0 0' 'Inner() 13 0 0' 'Inner(int) 2 0 0' &&
        says '+off: 1 method of 1 type, 1 call so far' '+off: 2 methods of 1 type, 7 calls so far' '+on: 1 method of 1 type, 6 calls so far' \
            '+only: 1 method of 1 type, 4 calls so far' "-'N.T.Nobody' names no method of the modules that are there" \
            '+off: 1 method of 1 type, 6 calls so far' '+on: 2 methods of 1 type, 15 calls so far' '+all: no switch and no trigger is left' \
            '+off: 0 methods' "-'N.T.Iner' names no method of the modules that are there; near is N.T.Inner" \
            '+off: 0 methods' "-'[other]' names no method of the modules that are there" \
            "failed -'@N.Attribute': attributes are not known while the program runs" "failed -'N.T.Inner(': ( is not closed" \
            '+all: no switch and no trigger is left' '+all: there was no switch and no trigger'
}
triggers() {
    drive triggers && sums_are 'Main() 1 0 0' 'Outer() 6 0 0' 'Inner() 6 0 0' 'Inner(int) 2 0 0' 'Work() 4 0 0' &&
        says '+below: 1 method of 1 type' '+depth: 2 frames' '+below: 8 methods of 1 type' "failed -'x': expected a whole number from 0 to 1000000" \
            '+depth: all' '+all: no switch and no trigger is left' '+depth: 3 frames' '+depth: 2 frames' '+all: no switch and no trigger is left'
}
kept='Main() 1 0 0|Outer() 1 0 0|Inner() 1 0 0|Throws() 1 0 0|Work() 2 0 0|Sleep() 1 0 0'
longer() { # settings…
    drive "$@" longer 1200 && IFS='|' && sums_are $kept && unset IFS && folds_are 'Main() 0 0 1005 0' 'Outer() 0 0 1 0' 'Work() 0 0 7 0' && ! dump tree $file | grep 'N\.T\.[A-Za-z(]*) calls=0' &&
        says '+longer: calls of 1s and more' "failed -'1': expected a time of at most a day as 5ms, 20us, 800ns or 1.5s" '+longer: all calls'
}
# No path is kept for calls that are folded, for recursion; they are taken back all the same.
longer_folded() { longer ILINJECT_RECURSION=10 && [ "$(dump run $file folded)" = absent ]; }
longer_events() {
    drive ILINJECT_LONGER=3600s ILINJECT_TIMELINE=1 ILINJECT_HISTOGRAM=1 nested && [ -z "$(dump sums $file)" ] && [ -z "$(dump events $file)" ] &&
        [ "$(dump run $file taken_back_ps)" -ge 1 ]
}
depth_skips() { drive ILINJECT_DEPTH=2 nested && folds_are 'Outer() 0 0 0 40' && [ "$(dump run $file skipped_ps)" -ge 1 ]; }
reset() { drive switchreset && sums_are 'Main() 1 0 0' 'Outer() 2 0 0' 'Inner() 4 0 0'; }
# No frame is lost or left open, no call counts twice, none is lost that was made while all was on.
threads() {
    local least=$((64 * 10 + 10)) most
    drive switchthreads 24 && most=$(cat out.txt) && dump sums $file >sums.txt && awk '$(NF - 1) || $NF { bad = 1 } END { exit bad }' sums.txt &&
        awk -v least=$least -v most="$most" '/\.Outer\(/ { bad += $(NF - 2) < least || $(NF - 2) > most; seen++ }
            /Inner\(int\)/ { bad += $(NF - 2) < least || $(NF - 2) > most; seen++ }
            /Inner\(\)/ { bad += $(NF - 2) < 3 * least || $(NF - 2) > 3 * most; seen++ } END { exit bad || seen != 3 }' sums.txt &&
        "$ILINJECT" report $file >/dev/null || { echo "at least $least, at most $most"; cat sums.txt; return 1; }
}
# The cost of a call is measured with methods that are on, of the program or of no program.
off_calibrated() { drive ILINJECT_OFF=N.T nested && [ -z "$(dump sums $file)" ] && [ "$(dump run $file calibrations)" -ge 1 ]; }
off_at_start() { drive ILINJECT_OFF='N.T.Inner(int);N.T.Work' working && sums_are 'Main() 1 0 0' 'Outer() 2 0 0' 'Inner() 6 0 0' && [ ! -s err.txt ]; }
only_at_start() { drive ILINJECT_ONLY='N.T.Outer;N.T.Inner' ILINJECT_OFF='**.Inner()' working && sums_are 'Outer() 2 0 0' 'Inner(int) 2 0 0'; }
below_at_start() { drive ILINJECT_BELOW=N.T.Work ILINJECT_DEPTH=2 working && sums_are 'Outer() 1 0 0' 'Work() 1 0 0'; }
unknown_at_start() {
    drive ILINJECT_OFF='N.T.Inner;N.T.Nobody' ILINJECT_BELOW=Nowhere working && [ -z "$(dump sums $file)" ] && sort err.txt | diff - <(
        echo 'ilinject: setting below=Nowhere: no instrumented module has such a method'
        echo 'ilinject: setting off=N.T.Nobody: no instrumented module has such a method'
    )
}
half() {
    has "$runtime" || { skip "methods are switched off and on ($runtime)" "$runtime is not there"; return; }
    check "methods are switched off and on by their names ($runtime)" switches
    check "triggers record below methods, and to a depth ($runtime)" triggers
    check "calls that are too short are taken back ($runtime)" longer
    check "so are folded ones ($runtime)" longer_folded
    check "a caller knows how many of its calls were not recorded ($runtime)" depth_skips
    check "they are in no histogram and no timeline ($runtime)" longer_events
    check "switches and triggers go on to hold behind a reset ($runtime)" reset
    check "64 threads call on while switches and triggers change ($runtime)" threads
    check "what calls cost is known while all methods are off ($runtime)" off_calibrated
    check "off= holds from the first call on ($runtime)" off_at_start
    check "only= and off= do, too ($runtime)" only_at_start
    check "below= and depth= do, too ($runtime)" below_at_start
    check "a setting that names nothing is told at the end ($runtime)" unknown_at_start
}
halves half
finish
