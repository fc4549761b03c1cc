#!/usr/bin/env bash
# What the tracker records of single calls: the shortest and the longest of each node. The driver calls it as injected code would;
# what comes of it is read by a reader of its own.
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
here=$ROOT/tests/tracker
if ! has mono || ! has mcs; then
    skip "the tracker records single calls" "mono and mcs are not installed"
    finish
fi
mkdir app
mcs -nologo -out:dump.exe "$here/ProfileDump.cs" && mono dump.exe names names.bin Main Outer Inner Leaf Throws Left Sixth Seventh &&
    cp "$BUILD/ProfileInfoTracker.dll" app &&
    mcs -nologo -out:app/driver.exe -resource:names.bin,ilinject.names -r:app/ProfileInfoTracker.dll "$here/RecordDriver.cs" || exit 1
cat >app/driver.runtimeconfig.json <<'END'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
END

file=run/driver.ilprof
drive() { # settings… scenario [number]
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 120 env "${settings[@]}" "$runtime" ../app/driver.exe "$@") >out.txt 2>err.txt && [ ! -s err.txt ] || { cat out.txt err.txt; return 1; }
}
# The nodes of the profile, as lines "path closed ticks min max" with times in units of a tenth of a millisecond; of two closed calls
# min + max is all of the time, of one each of them is.
spans_are() {
    mono dump.exe spans $file >spans.txt || { cat spans.txt; return 1; }
    awk -v rate="$(mono dump.exe run $file ticks_per_second)" '
        $4 == "-" { print $1, $2; next }
        $1 !~ /^\(folded/ && ($2 == 1 && ($4 != $3 || $5 != $3)) || ($2 == 2 && $1 !~ /^\(folded/ && $4 + $5 != $3) || $4 > $5 { print "WRONG", $0 }
        { print $1, $2, class($4), class($5) }
        function class(ticks, ms) { ms = ticks * 1000 / rate; return ms >= 40 ? "long" : ms >= 10 ? "middle" : ms >= 5 ? "short" : "nothing" }' spans.txt >found.txt
    diff <(printf '%s\n' "$@") found.txt || { cat spans.txt; return 1; }
}
two() { drive two && spans_are 'Main 1 long long' 'Main/Outer 2 middle long' 'Main/Outer/Inner 2 middle long' 'Main/Leaf 1 middle middle'; }
folded() { drive ILINJECT_NODES=1 two && spans_are 'Main 1 long long' '(folded)/Outer 2 middle long' '(folded)/Inner 2 middle long' '(folded)/Leaf 1 middle middle'; }
ended() { drive endedthreads 2 && spans_are 'Main 1 long long' 'Left 2' 'Left/Leaf 2 short long'; }
thrown() { drive throws && spans_are 'Main 1 long long' 'Main/Outer 2 middle long' 'Main/Outer/Throws 2 middle long' 'Main/Outer/Left 2 nothing nothing'; }
unclosed() { drive unclosed && spans_are 'Main 0' 'Main/Leaf 1 middle middle' 'Main/Left 0'; }
shown() { # in nanoseconds, over all nodes
    drive two && "$ILINJECT" report --json $file >report.json || return 1
    local ticks=$(($(sed -n 's,^Main/Outer/Inner [0-9]* [0-9]* \([0-9]*\) .*,\1,p' <(mono dump.exe spans $file)))) rate
    rate=$(mono dump.exe run $file ticks_per_second)
    grep -q "\"name\": \"N.T.Inner()\".*\"min_ns\": $((ticks * (1000000000 / rate))), \"max_ns\": [0-9]*, \"p50_ns\": null" report.json || { grep Inner report.json; return 1; }
}
for runtime in mono dotnet; do
    has "$runtime" || { skip "the tracker records single calls ($runtime)" "$runtime is not there"; continue; }
    check "the shortest and the longest call of each node ($runtime)" two
    check "so of folded calls ($runtime)" folded
    check "over the threads that have ended, without what they left open ($runtime)" ended
    check "calls that an exception leaves, and those closed with an outer one, count ($runtime)" thrown
    check "calls that have not ended do not ($runtime)" unclosed
    check "the report has them in nanoseconds ($runtime)" shown
done
finish
