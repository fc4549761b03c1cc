#!/usr/bin/env bash
# The tracker's record of exceptions: a program that calls it as injected code would, each way of
# throwing and catching with counts and paths worked out by hand: on Mono from fault clauses alone,
# on .NET with the search for a handler seen (full). In make check-full each does the other, too.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
here=$ROOT/tests/tracker

if ! has mono || ! has mcs; then
    skip "the tracker follows exceptions" "mono and mcs are not installed"
    finish
fi
cat >thrower.runtimeconfig.json <<'END'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
END
dump names names.bin Main A B C D E F Recurse &&
    cp "$BUILD/ProfileInfoTracker.dll" . &&
    mcs -nologo -out:thrower.exe -resource:names.bin,ilinject.names -r:ProfileInfoTracker.dll "$here/Thrower.cs" || exit 1

# The scenario in the mode $full. NAME=VALUE before it are settings.
run() {
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -f ./*.ilprof
    # shellcheck disable=SC2086
    timeout -k 1 120 env "${settings[@]}" "$runtime" thrower.exe "$@" $full >out.txt 2>err.txt
}
ways_are() { diff <(printf '%s\n' "$@") <(dump ways thrower.ilprof); }   # "name calls = normal leaves, left by exception, resynchronised, open"
paths_are() { diff <(printf '%s\n' "$@" | sort) <(dump paths thrower.ilprof | LC_ALL=C sort); }
quiet() { [ ! -s out.txt ] && [ ! -s err.txt ]; }
# The sum of own times is the time of all roots, and no more than there was.
time_adds_up() { # THREADS
    local own roots wall negative
    IFS='= ' read -r _ own _ roots _ wall _ negative < <(dump time thrower.ilprof)
    [ $((own - roots)) -lt 1000 ] && [ $((roots - own)) -lt 1000 ] && [ "$negative" -eq 0 ] && [ "$roots" -gt 0 ] && [ "$roots" -le "$((wall * ${1:-1}))" ] ||
        { dump time thrower.ilprof; return 1; }
}
scenario() { run ${clock:+"ILINJECT_CLOCK=$clock"} "$@" && quiet && { [ "${clock:-}" = none ] || time_adds_up "${side_by_side:-1}"; }; }
searched() { [ -n "$full" ] && echo "searched=$1" || echo searched=0; } # with the search seen, so many frames of it
known() { [ -n "$full" ] && echo "$1" || echo '?'; }                    # the type of what no handler has named
said() { [ -z "$full" ] || echo " \"$1\""; }                            # its message
b='"thrown by 2"' c='"thrown by 3"' bottom='"at the bottom"'

levels() {
    scenario levels && ways_are 'Main 1 = 1 0 0 0' 'A 6 = 5 1 0 0' 'B 6 = 4 2 0 0' 'C 6 = 3 3 0 0' 'D 6 = 2 4 0 0' 'E 6 = 1 5 0 0' &&
        paths_are "X 0 x1 searched=0 unwound=0 E $bottom" "X 0 x1 $(searched 1) unwound=1 E < D $bottom" "X 0 x1 $(searched 2) unwound=2 E < D < C $bottom" \
            "X 0 x1 $(searched 3) unwound=3 E < D < C < B $bottom" "X 0 x1 $(searched 4) unwound=4 E < D < C < B < A $bottom" \
            "X 0 x1 $(searched 5) unwound=5 E < D < C < B < A < Main $bottom"
}
rethrow() {
    scenario rethrow && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' &&
        paths_are "X 0 x1 $(searched 1) unwound=1 B < A $b" "X 0 x1 $(searched 1) unwound=1 A < Main $b"
}
nested() {
    scenario nested && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' &&
        paths_are "X 0 x1 $(searched 1) unwound=1 B < A $b" "Y 0 x1 $(searched 1) unwound=1 C < A \"why\""
}
finally_throws() {
    scenario finallythrows && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' &&
        paths_are "$(known X) 3 x1 $(searched 2) unwound=1 B < A$(said 'thrown by 2')" "X 0 x1 $(searched 2) unwound=2 C < A < Main $c"
}
finally_throws_out() {
    side_by_side=2 scenario finallythrowsout && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' &&
        paths_are "$(known X) 3 x1 $(searched 2) unwound=1 B < A$(said 'thrown by 2')" "$(known X) 2 x1 $(searched 2) unwound=2 C < A < (root)$(said 'thrown by 3')"
}
finally_swallows() { # which cannot be told from one that throws when the search is not seen
    scenario finallyswallows && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' || return 1
    if [ -n "$full" ]; then paths_are "X 0 x1 searched=2 unwound=2 B < A < Main $b" "X 1 x1 searched=1 unwound=1 C < A $c"
    else paths_are '? 3 x1 searched=0 unwound=1 B < A' "X 0 x1 searched=0 unwound=2 C < A < Main $b"
    fi
}
foreign_finally_throws() {
    scenario foreignfinallythrows && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' || return 1
    if [ -n "$full" ]; then paths_are "X 3 x1 searched=2 unwound=1 B < A $b" "X 0 x1 searched=2 unwound=2 C < A < Main $c"
    else paths_are '? 1 x1 searched=0 unwound=1 B < A' "X 0 x1 searched=0 unwound=2 C < A < Main $c"
    fi
}
finally_catches() {
    scenario finallycatches && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 1 0 0 0' 'D 1 = 0 1 0 0' 'E 2 = 2 0 0 0' &&
        paths_are "X 0 x1 $(searched 1) unwound=1 D < C \"thrown by 4\"" "X 0 x1 $(searched 2) unwound=2 B < A < Main $b"
}
finally_normal() { scenario finallynormal && ways_are 'Main 1 = 1 0 0 0' 'A 10 = 10 0 0 0' 'B 10 = 10 0 0 0' 'C 10 = 10 0 0 0' && [ -z "$(dump paths thrower.ilprof)" ]; }
# As with the call at its head; the last one, where other code swallows, with the frame that goes on.
quiet_finally() { # SCENARIO
    scenario "$1" && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' &&
        paths_are "X 0 x1 $(searched "$2") unwound=2 B < A < Main $b"
}
quiet_finally_caught() {
    scenario quietfinallycaught && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1 = 0 1 0 0' 'C 1 = 1 0 0 0' &&
        paths_are "X 0 x1 $(searched 1) unwound=1 B < A $b"
}
quiet_finally_before_loud() {
    scenario quietfinallyloud && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 1 0 0 0' &&
        paths_are "X 0 x1 $(searched 2) unwound=2 B < A < Main $b"
}
quiet_finally_loop() {
    scenario quietfinallyloop 100 && ways_are 'Main 1 = 1 0 0 0' 'B 10 = 0 10 0 0' &&
        paths_are "X 0 x10 $(searched 10) unwound=10 B < Main $b $b $b"
}
quiet_finally_swallowed() {
    scenario quietfinallyswallowed 100 && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 100 = 0 100 0 0' 'C 1 = 1 0 0 0' &&
        paths_are "$(known X) 1 x100 $(searched 100) unwound=100 B < A${full:+ $b $b $b}"
}
finally_replaced() {
    scenario finallyreplacedcaught && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' 'D 1 = 1 0 0 0' 'E 1 = 0 1 0 0' &&
        paths_are "$(known X) 3 x1 $(searched 1) unwound=1 B < A$(said 'thrown by 2')" "Y 0 x1 $(searched 1) unwound=1 C < A \"why\"" "X 0 x1 $(searched 1) unwound=1 E < Main \"thrown by 5\""
}
filter_declines() {
    scenario filter 0 && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'F 1 = 1 0 0 0' && paths_are "X 0 x1 $(searched 2) unwound=2 B < A < Main $b"
}
filter_accepts() {
    scenario filter 1 && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1 = 0 1 0 0' 'C 1 = 1 0 0 0' 'F 1 = 1 0 0 0' && paths_are "X 0 x1 $(searched 1) unwound=1 B < A $b"
}
filter_foreign() {
    scenario filterforeign && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1 = 0 1 0 0' && paths_are "X 0 x1 $(searched 1) unwound=1 B < A $b"
}
filter_throws() { # Mono goes on with the filter's exception instead of the program's: paths are compared on .NET
    scenario filterthrows && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'F 1 = 0 1 0 0' || return 1
    if [ "$runtime" = dotnet ]; then
        paths_are "$(known X) 1 x1 $(searched 1) unwound=1 F < B$(said 'thrown by 6')" "X 0 x1 $(searched 2) unwound=2 B < A < Main $b"
    fi
}
swallowed() {
    scenario swallowed && ways_are 'Main 1 = 1 0 0 0' 'A 2 = 2 0 0 0' 'B 2 = 0 2 0 0' 'C 1 = 1 0 0 0' 'D 1 = 1 0 0 0' &&
        paths_are "$(known X) 1 x1 $(searched 1) unwound=1 B < A$(said 'thrown by 2')" "$(known X) 1 x1 $(searched 1) unwound=1 B < D$(said 'thrown by 2')"
}
swallowed_loop() {
    scenario swallowedloop 1000 && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1000 = 0 1000 0 0' 'C 1000 = 1000 0 0 0' &&
        dump paths thrower.ilprof | grep -Eqx "$([ -n "$full" ] && echo X || echo '\?') 1 x1000 $(searched 1000) unwound=1000 B < A.*"
}
foreign_finally() { # which is seen for what it is when it is known that the exception will go on
    scenario foreignfinally && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 1 0 0 0' || return 1
    if [ -n "$full" ]; then paths_are "X 0 x1 searched=2 unwound=2 B < A < Main $b"
    else paths_are '? 1 x1 searched=0 unwound=1 B < A' "X 0 x1 searched=0 unwound=1 A < Main $b"
    fi
}
comes_back() { # the same, in the method that catches
    scenario comesback && ways_are 'Main 1 = 1 0 0 0' 'B 1 = 0 1 0 0' 'C 1 = 1 0 0 0' || return 1
    if [ -n "$full" ]; then paths_are "X 0 x1 searched=1 unwound=1 B < Main $b"
    else paths_are '? 1 x1 searched=0 unwound=1 B < Main' "X 0 x1 searched=0 unwound=0 Main $b"
    fi
}
again_and_again() {
    scenario againandagain 1000 && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1000 = 0 1000 0 0' 'C 1000 = 1000 0 0 0' &&
        dump paths thrower.ilprof | grep -Eqx "$([ -n "$full" ] && echo X || echo '\?') 1 x1000 $(searched 1000) unwound=1000 B < A.*"
}
wrapped() { # SCENARIO TYPE MESSAGE [MESSAGE WITHIN]: caught by the library, which throws another
    scenario "$1" && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' 'B 1 = 0 1 0 0' || return 1
    if [ -n "$full" ]; then paths_are "X 1 x1 searched=1 unwound=1 B < A ${4:-$b}" "$2 0 x1 searched=0 unwound=0 A \"$3\""
    else paths_are "$2 0 x1 searched=0 unwound=1 B < A \"$3\""
    fi
}
stored() {
    scenario stored && ways_are 'Main 1 = 1 0 0 0' 'A 5 = 5 0 0 0' 'B 5 = 0 5 0 0' &&
        paths_are "X 0 x1 $(searched 1) unwound=1 B < A $b" "X 4 x4 $(searched 4) unwound=4 B < A $b $b $b" 'Y 4 x1 searched=0 unwound=0 A "why"'
}
plain() {
    scenario plain && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' && paths_are "X 0 x1 $(searched 1) unwound=3 C < B < A < Main \"out of the plain\""
}
plain_finally() {
    scenario plainfinally && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 1 0 0 0' && dump tree thrower.ilprof | grep -q '^        N.T.C() ' && paths_are "X 0 x1 $(searched 1) unwound=2 B < A < Main \"out of the plain\""
}
unrecorded() {
    scenario unrecorded && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' 'C 1 = 0 1 0 0' &&
        paths_are "$(known X) 1 x1 $(searched 1) unwound=1 B < A$(said 'thrown by 2')" "X 0 x1 $(searched 2) unwound=2 C < A < Main $c"
}
itself() { scenario itself && ways_are 'Main 1 = 1 0 0 0' && paths_are 'X 0 x1 searched=0 unwound=0 Main "in the method itself"'; }
messages() { scenario messages && paths_are "X 0 x5 searched=0 unwound=0 Main \"111\" \"222\" \"$(printf '3%.0s' {1..200})\""; }
talking() { scenario talking && paths_are 'Talking 0 x1 searched=0 unwound=0 Main'; }
threads() {
    side_by_side=2 scenario threads 200 && ways_are 'Main 1 = 1 0 0 0' 'A 200 = 200 0 0 0' 'B 200 = 0 200 0 0' 'C 200 = 0 200 0 0' &&
        paths_are "X 0 x200 $(searched 200) unwound=200 B < A $b $b $b" "$(known X) 2 x200 $(searched 200) unwound=200 C < (root)${full:+ $c $c $c}"
}
deep() { # FRAMES FOLDED PATH [SETTING]
    run "${@:4}" deep "$1" && quiet && time_adds_up 2 && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 1 0 0 0' "Recurse $1 = 0 $1 0 0" && [ "$(dump run thrower.ilprof folded)" = "$2" ] &&
        paths_are "X 0 x1 $(searched "$1") unwound=$1 Recurse*$3 < A $bottom"
}
many() {
    run many && quiet && time_adds_up && [ "$(dump paths thrower.ilprof | wc -l)" -eq 4097 ] &&
        [ "$(dump paths thrower.ilprof | grep -v ^X)" = "(others) 0 x3680 $(searched 3680) unwound=3680 (root)" ]
}
unhandled() { # Mono unwinds before it gives up, .NET does not
    run unhandled
    [ $? -ne 0 ] || return 1
    if [ "$runtime" = mono ]; then
        ways_are 'Main 1 = 0 1 0 0' 'B 1 = 0 1 0 0' && paths_are "X 2 x1 $(searched 2) unwound=2 B < Main < (root) $b"
    else
        ways_are 'Main 1 = 0 0 0 1' 'B 1 = 0 0 0 1' && paths_are "X 5 x1 $(searched 2) unwound=0 B $b"
    fi
}
aborted() {
    local type=System.Threading.ThreadAbortException message='"Thread was being aborted."'
    side_by_side=2 scenario abort && ways_are 'Main 1 = 1 0 0 0' 'A 1 = 0 1 0 0' 'B 1 = 0 1 0 0' &&
        paths_are "$type 0 x1 $(searched 1) unwound=1 B < A $message" "$(known $type) 2 x1 $(searched 1) unwound=1 A < (root)${full:+ $message}"
}
# Each one that is there while the program runs, from the first beat on.
goes_on() { kill -0 "$pid" 2>/dev/null; }
first_beat() { [ "$(dump run thrower.ilprof reason 2>/dev/null)" = beat ] || ! goes_on; }
whole_meanwhile() {
    within 100 first_beat || return 1
    while goes_on; do dump tree thrower.ilprof >/dev/null || return 1; done
}
beaten() { # profiles written meanwhile are whole, the last one is exact: each path as often as its thrower was left
    local n
    run ILINJECT_BEAT=1 beat 4000 & local pid=$!
    whole_meanwhile
    local whole=$?
    wait $pid && [ $whole -eq 0 ] && quiet && dump ways thrower.ilprof >ways.txt && dump paths thrower.ilprof >paths.txt || return 1
    n=$(sed -n 's/^A \([0-9]*\) = \1 0 0 0$/\1/p' ways.txt | head -1)
    grep -q "^X 0 x[0-9]* .* B < C < A" paths.txt && grep -q "^X 0 x[0-9]* .* C < A < D" paths.txt && [ "$(wc -l <paths.txt)" -eq 3 ] &&
        [ "$(sed -n 's/^B \([0-9]*\) = 0 \1 0 0$/same/p' ways.txt)" = same ] && [ "$(sed -n 's/^C \([0-9]*\) = 0 \1 0 0$/same/p' ways.txt)" = same ] || { cat ways.txt paths.txt "$n"; return 1; }
}
allocates_nothing() { run ILINJECT_BEAT=0 alloc || { cat out.txt; return 1; }; }

follows() { # RUNTIME [full]
    local runtime=$1 full=${2:-} mode clock
    if ! has "$runtime"; then
        skip "the tracker follows exceptions on $runtime" "$runtime is not installed"
        return
    fi
    mode="$runtime${full:+, search seen}"
    check "$mode: an exception through five methods is caught at each level" levels
    check "$mode: one that is thrown again starts from its catcher" rethrow
    check "$mode: one that is thrown while another is handled has a path of its own" nested
    check "$mode: one out of a finally block replaces the older one" finally_throws
    check "$mode: so it does when it leaves the thread" finally_throws_out
    check "$mode: one within a finally block does not end the older one" finally_catches
    check "$mode: one that other code swallows within a finally block does not end the older one" finally_swallows
    check "$mode: one out of a finally block that is not instrumented replaces the older one" foreign_finally_throws
    check "$mode: finally blocks without an exception change nothing" finally_normal
    check "$mode: a finally block that tells nothing changes nothing" quiet_finally quietfinally 2
    check "$mode: so it does above frames without a clause" quiet_finally quietfinallyplain 1
    check "$mode: so it does in the method that catches" quiet_finally_caught
    check "$mode: so it does before one that tells" quiet_finally_before_loud
    check "$mode: so it does in a loop" quiet_finally_loop
    check "$mode: so it does where other code swallows in a loop" quiet_finally_swallowed
    check "$mode: one out of a finally block is caught in the same method" finally_replaced
    clock=none check "$mode: so it is when all frames have started at 0" finally_replaced
    clock=coarse check "$mode: so it is when frames have started at the same time" finally_replaced
    check "$mode: a filter that declines is a call like others" filter_declines
    check "$mode: a filter that accepts is one, too" filter_accepts
    check "$mode: one that other code throws again is no second one for a filter" filter_foreign
    check "$mode: a filter that throws leaves no frame open" filter_throws
    check "$mode: code that is not instrumented swallows one" swallowed
    check "$mode: it does so in a loop, before a finally block" swallowed_loop
    check "$mode: a finally block that is not instrumented calls back" foreign_finally
    check "$mode: so it does in the method that catches" comes_back
    check "$mode: one is swallowed again and again, other methods are called between" again_and_again
    check "$mode: one through List.Sort" wrapped sort System.InvalidOperationException 'Failed to compare two elements in the array.'
    check "$mode: one through reflection" wrapped invoke System.Reflection.TargetInvocationException 'Exception has been thrown by the target of an invocation.'
    check "$mode: one out of a type initializer" wrapped initializer System.TypeInitializationException "The type initializer for 'Initialized' threw an exception." '"no type"'
    check "$mode: one that an async method stores has not been caught by it" stored
    check "$mode: frames without a clause are left with the one below them" plain
    check "$mode: they are closed before a finally block runs" plain_finally
    check "$mode: methods that are not recorded are passed over" unrecorded
    check "$mode: a method that throws and catches is its own path" itself
    check "$mode: three messages are kept, each cut at 200 characters" messages
    check "$mode: the program's own code is not run for a message" talking
    check "$mode: the paths of threads that have ended are summed up" threads
    check "$mode: 1,000 frames deep" deep 1000 absent 1000
    # Mono takes a minute for 100,000 filters, with a tracker or without.
    if [ "$mode" = "mono, search seen" ]; then check "$mode: folded frames are left, too" deep 11000 1000 10000
    else
        check "$mode: folded frames are left, too" deep 100000 90000 10000
        check "$mode: 100,000 frames deep" deep 100000 absent 100000 ILINJECT_RECURSION=1000000 ILINJECT_NODES=2000000
    fi
    check "$mode: past 4,096 paths the others are one" many
    check "$mode: an unhandled exception" unhandled
    if [ "$runtime" = mono ]; then check "$mode: an aborted thread throws again at the end of its handler" aborted; fi
    check "$mode: profiles written meanwhile are whole" beaten
    check "$mode: a finally block without an exception allocates nothing" allocates_nothing
}

follows mono
follows dotnet full
if [ "$FULL" ]; then
    follows mono full
    follows dotnet
fi
finish
