#!/usr/bin/env bash
# The tracker's record of single calls: the shortest and the longest of each node, histograms, the
# timeline. The driver calls it as injected code would; what comes of it is read by a reader of its
# own.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
here=$ROOT/tests/tracker
if ! has mono || ! has mcs; then
    skip "the tracker records single calls" "mono and mcs are not installed"
    finish
fi
mkdir app
dump names names.bin Main Outer Inner Leaf Throws Left Sixth Seventh &&
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
# The nodes of the profile: "path closed min max", with the milliseconds that these take at least, or
# four fifths of that, since a virtual machine's clock is set meanwhile (none: no call has ended). For two closed calls min + max is all of the time, of one each of them
# is; folded nodes have their own time only.
spans_are() {
    dump spans $file >spans.txt || { cat spans.txt; return 1; }
    printf '%s\n' "$@" | paste -d ' ' - spans.txt | awk -v rate="$(dump run $file ticks_per_second)" '
        NF == 6 { if ($1 != $3 || $2 != $4 || $6 != "-") wrong(); next }
        $1 != $5 || $2 != $6 || $8 < $3 * rate / 1250 || $9 < $4 * rate / 1250 || $8 > $9 { wrong(); next }
        $1 !~ /^\(folded/ && (($2 == 1 && ($8 != $7 || $9 != $7)) || ($2 == 2 && $8 + $9 != $7)) { wrong() }
        function wrong() { print "WRONG", $0; bad = 1 }
        END { exit bad || NR == 0 }'
}
two() { drive two && spans_are 'Main 1 60 60' 'Main/Outer 2 10 40' 'Main/Outer/Inner 2 10 40' 'Main/Leaf 1 10 10'; }
# Only where a Stopwatch times them: by the default clock they have the ticks that fall into them.
folded() { drive ILINJECT_CLOCK=stopwatch ILINJECT_NODES=1 two && spans_are 'Main 1 60 60' '(folded)/Outer 2 10 40' '(folded)/Inner 2 10 40' '(folded)/Leaf 1 10 10'; }
ended() { drive endedthreads 2 && spans_are 'Main 1 45 45' 'Left 2' 'Left/Leaf 2 5 40'; }
thrown() { drive throws && spans_are 'Main 1 50 50' 'Main/Outer 2 10 40' 'Main/Outer/Throws 2 10 40' 'Main/Outer/Left 2 0 0'; }
unclosed() { drive unclosed && spans_are 'Main 0' 'Main/Leaf 1 10 10' 'Main/Left 0'; }
shown() { # in nanoseconds, over all nodes, as recorded
    drive two && "$ILINJECT" report --json --raw $file >report.json || return 1
    local ticks=$(($(sed -n 's,^Main/Outer/Inner [0-9]* [0-9]* \([0-9]*\) .*,\1,p' <(dump spans $file)))) rate
    rate=$(dump run $file ticks_per_second)
    grep -q "\"name\": \"N.T.Inner()\".*\"min_ns\": $((ticks * (1000000000 / rate))), \"max_ns\": [0-9]*, \"p50_ns\": null" report.json || { grep Inner report.json; return 1; }
}
# ---- Histograms and the timeline: what one says of a call, the others must say, too
all=(ILINJECT_HISTOGRAM=1 ILINJECT_TIMELINE=1)
recorded() { dump recorded $file; }
streams_are() { diff <(printf '%s\n' "$@") <(dump tree $file | sed -n 's/^  stream [0-9]* //p') && dump tree $file | grep -q '^  lost=0$'; }
events_are() { diff <(printf '%s\n' "$@") <(dump events $file | awk '{ print $2 ($4 == "open" ? " open" : "") }'); }
agree() { drive "${all[@]}" "$@" && recorded; }
agree_two() { agree two && events_are Main/Outer/Inner Main/Outer Main/Outer/Inner Main/Outer Main/Leaf Main && dump tree $file | grep -q '^  histogram N.T.Inner() '; }
agree_folded() { agree ILINJECT_NODES=1 two && events_are '(folded)/Inner' '(folded)/Outer' '(folded)/Inner' '(folded)/Outer' '(folded)/Leaf' Main; }
agree_thrown() { agree throws && events_are Main/Outer/Throws Main/Outer/Left Main/Outer Main/Outer/Throws Main/Outer/Left Main/Outer Main; }
agree_open() { agree unclosed && events_are Main/Leaf 'Main open' 'Main/Left open' && streams_are '"" events=1 overwritten=0 open=2'; }
agree_ended() {
    agree endedthreads 3 && events_are Main Left/Leaf Left Left/Leaf Left Left/Leaf Left &&
        streams_are '"" events=1 overwritten=0 open=0' '"thread 0" events=2 overwritten=0 open=0' '"thread 1" events=2 overwritten=0 open=0' '"thread 2" events=2 overwritten=0 open=0' || return 1
    # One after another, and what was left open ends with its thread's last call.
    dump events $file | awk '$2 == "Left" { if ($4 != end || $3 < last) exit 1; last = $4 } { end = $4 }'
}
agree_threads() { agree ILINJECT_EVENTS=10000000 threads 3000 && [ "$(dump events $file | wc -l)" -eq 72001 ]; }
nothing_asked() { drive two && ! dump tree $file | grep -E '^  (stream|histogram|lost)'; }
either() {
    drive ILINJECT_HISTOGRAM=1 two && dump tree $file | grep -q histogram && ! dump tree $file | grep '^  stream' &&
        drive ILINJECT_TIMELINE=1 two && ! dump tree $file | grep histogram && streams_are '"" events=6 overwritten=0 open=0'
}
timeless() { # told in a line each; the program runs on
    drive "${all[@]}" ILINJECT_CLOCK=none two
    [ "$(cat err.txt)" = $'ilinject: timeline=1: with clock=none threads have no time in common; there is no timeline\nilinject: histogram=1: with clock=none calls take no time; there are no histograms' ] &&
        dump spans $file | awk '$4 != "-" { exit 1 } END { exit NR != 4 }'
}
# The calls that ended last are kept of 10,001: the last one is Main's, those before go round.
overwritten() { # BUDGET LEAST: of them at least so many
    drive ILINJECT_TIMELINE=1 ILINJECT_EVENTS="$1" sequence 10000 && dump nested $file || return 1
    local kept gone
    kept=$(dump events $file | wc -l)
    gone=$(dump tree $file | sed -n 's/.*overwritten=\([0-9]*\) .*/\1/p')
    [ $((kept + gone)) -eq 10001 ] && [ "$kept" -le "$1" ] && [ "$kept" -ge "$2" ] || { echo "$kept kept, $gone overwritten"; return 1; }
    dump events $file | awk -v first="$gone" '
        BEGIN { split("Outer Inner Leaf", names) }
        { expected = first == 10000 ? "Main" : "Main/" names[first % 3 + 1]; first++; if ($2 != expected) { print NR, $2, expected; exit 1 } }'
}
# Threads share the budget; all that ended is kept or counted.
shared() {
    drive ILINJECT_TIMELINE=1 ILINJECT_EVENTS=2000 "$1" "$2" && dump nested $file || return 1
    dump tree $file | awk -v all="$3" '
        /^  lost=/ { sub("lost=", "", $1); gone += $1 }
        /^  stream/ { for (i = 1; i <= NF; i++) if (split($i, part, "=") == 2) { if (part[1] == "events") kept += part[2]; if (part[1] == "overwritten") gone += part[2] } }
        END { print kept, gone; exit kept + gone != all || kept > 2000 || kept < 1500 }'
}
lost_threads() { # BUDGET THREADS KEPT: threads with two calls each
    drive ILINJECT_TIMELINE=1 ILINJECT_EVENTS="$1" quickthreads "$2" && dump nested $file || return 1
    dump tree $file | awk -v all=$((2 * $2 + 1)) -v most="$3" '
        /^  lost=/ { sub("lost=", "", $1); gone += $1 }
        /^  stream/ { for (i = 1; i <= NF; i++) if (split($i, part, "=") == 2) { if (part[1] == "events") kept += part[2]; if (part[1] == "overwritten") gone += part[2] } }
        END { print kept, gone; exit kept + gone != all || kept != most }'
}
brackets() { # the driver's own watch lies around each call, and within it
    drive ILINJECT_HISTOGRAM=1 ILINJECT_TIMELINE=1 brackets 2000 && recorded && dump events $file | awk '$2 == "Main/Leaf" { print $4 - $3 }' >durations.txt &&
        paste -d ' ' out.txt durations.txt | awk '$3 < $1 || $3 > $2 { print; bad = 1 } END { exit bad || NR != 2000 }' || return 1
    # The percentiles of the report beside those of the durations themselves: off by a bucket at most, a quarter of the time.
    "$ILINJECT" report --json --raw $file | grep '"name": "N.T.Leaf()"' >leaf.txt
    sort -n durations.txt | awk -v unit=$((1000000000 / $(dump run $file ticks_per_second))) -v found="$(cat leaf.txt)" '
        { time[NR] = $1 * unit }
        END { exit !(holds(50) && holds(90) && holds(99)) }
        function holds(percent, truth, value) {
            truth = time[int((NR * percent + 99) / 100)]
            value = found; sub(".*\"p" percent "_ns\": ", "", value); sub(",.*", "", value)
            if (value ~ /^[0-9]+$/ && value - truth <= truth / 4 + 2 * unit && truth - value <= truth / 4 + 2 * unit) return 1
            print percent, truth, value
            return 0
        }'
}
stops() { # time in which nothing is recorded is not in the timeline
    drive "${all[@]}" stops && recorded && events_are Main/Outer/Inner Main/Outer/Left Main/Outer/Leaf Main/Outer Main || return 1
    # 0.5 s of the run were not recorded.
    dump events $file | awk -v rate="$(dump run $file ticks_per_second)" -v wall="$(dump run $file wall_ticks)" '
        { start[NR] = $3; end[NR] = $4 }
        END { exit !(start[2] >= end[1] && start[3] >= end[2] && end[5] <= wall - rate * 0.495 && end[2] - start[2] >= rate / 101) }' || { dump events $file; return 1; }
}
resets() { agree resets && events_are Main/Outer/Inner Main/Outer Main/Leaf Main 'Throws open' && [ "$(dump tree $file | grep -c '^  histogram')" -eq 4 ]; }
snapshots() {
    local one
    drive "${all[@]}" ILINJECT_EVENTS=3000 snapshots 12 || return 1
    for one in run/*.snapshot; do
        dump nested "$one" && "$ILINJECT" report "$one" >/dev/null || return 1
    done
    dump nested $file && [ "$(dump events run/11.snapshot | grep -c open)" -ge 1 ]
}
half() {
    has "$runtime" || { skip "the tracker records single calls ($runtime)" "$runtime is not there"; return; }
    check "the shortest and the longest call of each node ($runtime)" two
    check "so of folded calls ($runtime)" folded
    check "over the threads that have ended, without what they left open ($runtime)" ended
    check "calls that an exception leaves, and those closed with an outer one, count ($runtime)" thrown
    check "calls that have not ended do not ($runtime)" unclosed
    check "the report has them in nanoseconds ($runtime)" shown
    check "timeline, histograms and spans agree ($runtime)" agree_two
    check "so they do of folded calls ($runtime)" agree_folded
    check "and of calls that are closed by exceptions and with others ($runtime)" agree_thrown
    check "calls that have not ended stand open in the timeline ($runtime)" agree_open
    check "threads that have ended keep their timelines apart, by name ($runtime)" agree_ended
    check "threads that end together lose nothing ($runtime)" agree_threads
    check "without being asked neither is recorded ($runtime)" nothing_asked
    check "each is recorded alone ($runtime)" either
    check "without a clock neither can be ($runtime)" timeless
    check "with room for one call, the last one is kept ($runtime)" overwritten 1 1
    check "with room for 64, the last 64 are ($runtime)" overwritten 64 64
    check "with room for 3,000, so are the last ones but for a chunk ($runtime)" overwritten 3000 2900
    check "threads share what room there is ($runtime)" shared threads 1000 24001
    check "those that have ended, too ($runtime)" lost_threads 10 60 10
    check "of very many that have ended the last 4,096 are kept ($runtime)" lost_threads 100000 4300 8193
    check "each call lasts as long as a watch around it says, and percentiles are as of all of them ($runtime)" brackets
    check "stopping leaves no gap and no call that runs backwards ($runtime)" stops
    check "after a reset there is nothing of what was before ($runtime)" resets
    check "snapshots while threads call on are consistent ($runtime)" snapshots
}
halves half
finish
