#!/usr/bin/env bash
# The stack's overflow on Mono, where a program may catch it: in every way to come there, on stacks of several sizes, in both shapes and
# with all that is recorded, a program says what it said, ends as it did, and its profile has the calls that the program counted itself.
# (On CoreCLR an overflow ends the process: tracker/ends and e2e/exceptions.)
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export ILINJECT_BEAT=0 MONO_DEBUG=no-gdb-backtrace
ulimit -c 0
ulimit -s 1024 # of the main thread, and of others that say nothing else: the less is to do
if ! has mono || ! has mcs; then
    skip "an overflow is caught as before" "mono and mcs are not installed"
    finish
fi
here=$ROOT/tests/tracker
mkdir plain &&
    mcs -nologo -target:library -out:plain/OverflowsOther.dll "$here/OverflowsOther.cs" &&
    mcs -nologo -r:plain/OverflowsOther.dll -out:plain/Overflows.exe "$here/Overflows.cs" || exit 1
instrumented() { # SHAPE OPTIONS…
    mkdir -p "$1" && cp plain/OverflowsOther.dll "$1" && "$ILINJECT" -q plain/Overflows.exe -o "$1/" "${@:2}"
}
run() { # FOLDER HOW [NAME=VALUE…]: out.txt, err.txt, code and counts.txt are in the folder then
    rm -f "$1"/{out.txt,err.txt,code,counts.txt} "$1"/*.ilprof
    (cd "$1" && exec timeout -k 5 "${LIMIT:-150}" env "${@:3}" mono Overflows.exe "$2" counts.txt >out.txt 2>err.txt </dev/null) 2>/dev/null
    echo $? >"$1/code"
}
# The profile's calls of each method are those that it counted, and each of them ended in one way or another: in the guarded shape by the
# exception alone, but for Leaf's, in the ret shape seen later. Some calls stay open: those that were when the program died.
counted() { # SHAPE HOW
    # The dump reads no recorded values; the report does, and finds what does not fit together.
    case $1 in *-more) "$ILINJECT" report --top=1 "$1/Overflows.ilprof" >ways.txt; return ;; esac
    dump ways "$1/Overflows.ilprof" >ways.txt || return
    awk -v shape="${1%%-*}" -v how="$2" '
        FNR == NR { counts[$1] = $2; next }
        {
            name = $0; sub(/[( ].*/, "", name); sub(/^Program\./, "", name)
            calls = $(NF - 5); returned = $(NF - 3); left = $(NF - 2); closed = $(NF - 1); open = $NF
        }
        calls != returned + left + closed + open { print "not all ended in one way: " $0; bad = 1 }
        !(name in counts) { next }
        { sum += calls; seen++ }
        calls != counts[name] { print name " counted " counts[name] ", the profile has " $0; bad = 1 }
        name == "Leaf" { if (calls != returned) { print "a leaf did not return: " $0; bad = 1 }; next }
        returned != 0 { print "has returned: " $0; bad = 1 }
        shape == "guarded" && calls != left { print "not left by exception: " $0; bad = 1 }
        shape == "ret" && left != 0 { print "seen left by exception: " $0; bad = 1 }
        END { exit bad || sum < 100 || seen < (how == "caught" ? 6 : 1) }' "$1/counts.txt" ways.txt || { cat ways.txt; return 1; }
}
as_plain() { # SHAPE
    [ -s plain/out.txt ] && diff plain/out.txt "$1/out.txt" && diff plain/code "$1/code" || { head -n 5 "$1/err.txt"; return 1; }
}
# Each managed method looks whether a collection wants its thread to stop, and does so in native code. So Mono ends a program that
# is at the end of its stack while another thread begins a collection; the tracker has threads, the plain program none. Such a run
# is made once more. Without room on the stack (docs/decisions/09-recording.md) each run ends so.
died_of_collection() { # FOLDER
    grep -q '^Stack overflow in unmanaged: ' "$1/err.txt" && ! cmp -s plain/out.txt "$1/out.txt"
}
overflows() { # SHAPE TIMES HOW [NAME=VALUE…]
    local i
    run plain "$3"
    for ((i = 0; i < $2; i++)); do
        run "$1" "${@:3}"
        ! died_of_collection "$1" || run "$1" "${@:3}"
        # The tracker prints the price of a dear clock.
        sed -i '/^ilinject: clock=cpu: /d' "$1/err.txt"
        as_plain "$1" && { [ "$3" != caught ] || diff plain/err.txt "$1/err.txt"; } && counted "$1" "$3" || { echo "run $i"; return 1; }
    done
}
# What was not thrown was not caught either.
all_caught() { run plain caught; [ "$(cat plain/code)" -eq 0 ] && [ "$(grep -c ': StackOverflowException$' plain/out.txt)" -eq 30 ] && [ "$(wc -l <plain/out.txt)" -eq 30 ]; }

check "Mono throws, wherever the stack overflows" all_caught
for shape in guarded ret; do
    check "the program is instrumented, $shape" instrumented "$shape" --exits="$shape"
    check "every overflow is caught as before, $shape" overflows "$shape" 2 caught
    for how in main 128; do
        check "one that nobody catches is told of as before, $how, $shape" overflows "$shape" 2 "$how"
    done
    # What records single calls and reads clocks does not hang on the shape: each shape has a half of it, and all in make check-full.
    if [ "$FULL" ] || [ "$shape" = guarded ]; then check "with single calls recorded, $shape" overflows "$shape" 1 caught ILINJECT_{HISTOGRAM,TIMELINE,LOG}=1; fi
    check "it is instrumented to record values, by native clocks, $shape" instrumented "$shape-more" --exits="$shape" --set=clock=fast --capture='*: args'
    case $FULL$shape in guarded) clocks=fast ;; ret) clocks=cpu ;; *) clocks="fast cpu" ;; esac
    for clock in $clocks; do
        check "with values and clock=$clock, $shape" overflows "$shape-more" 1 caught "ILINJECT_CLOCK=$clock"
    done
done
finish
