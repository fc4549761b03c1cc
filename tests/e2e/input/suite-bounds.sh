#!/usr/bin/env bash
# Small inputs that name the same bytes again and again: what comes of them, and the memory that it takes, stay within
# the bounds of docs/security.md.
. "$(dirname "$0")/../../lib.sh"
has python3 || { skip "small inputs that would give much" "no python3"; finish; }
cd "$SCRATCH" || exit 1
shared() { python3 "$ROOT/tests/e2e/lib/py/shared.py" "$@"; }
# With 300 MiB of address space at most; a sanitizer needs more for itself.
bounded() {
    if ! grep -q __asan_init "$BUILD/ilinject"; then ulimit -v 307200; fi
    "$ILINJECT" "$@"
}
refused() { # WORDS ARGUMENTS…
    local words=$1 code=0
    shift
    (bounded "$@") >said 2>err || code=$?
    [ "$code" -eq 1 ] || { echo "exit $code"; cat err; return 1; }
    [ "$(wc -l <err)" -eq 1 ] && grep -q "error ILJ0413: .*$words" err || { cat err; return 1; }
}
at_most() { # BYTES FILE
    [ "$(stat -c %s "$2")" -le "$1" ] || { ls -l "$2"; return 1; }
}

# The bound is 64 MiB and 16 times the input.
shared body.dll 4000 8 100000
check "4,000 methods that share a body of 100 KB are refused by name" refused "share bodies" -q body.dll -o out/
check "nothing is written for them" eval '[ ! -e out/body.dll ]'
check "list refuses them, too" refused "share bodies" list body.dll
# 64 MiB and 64 times the input.
check "their dump ends at its bound" refused "there is more" dump body.dll
check "it has been written up to there" at_most $(((64 << 20) + 64 * $(stat -c %s body.dll))) said
check "and not much less" eval '[ "$(stat -c %s said)" -ge $((64 << 20)) ]'

shared few.dll 40 8 100000
check "40 methods that share it are instrumented" bounded -q few.dll -o few/
check "each has a body of its own" eval '[ "$(stat -c %s few/few.dll)" -ge 4000000 ]'

shared names.dll 20002 131072 2 ends
check "20,002 methods whose names share 128 KB are refused by name" refused "names and calls" -q names.dll -o out/
check "also where calls are only counted" refused "names and calls" -q names.dll -o out/ --counts
shared name.dll 20002 131072 2
check "20,002 with one name of 128 KB are instrumented, as it stands once" bounded -q name.dll -o name/
shared name.dll 2000 131072 2 ends
check "2,000 of them are instrumented" bounded -q name.dll -o name/
check "the names take 4 KiB each" at_most 1000000 name/name.dll
check "a list shows the beginnings of names" eval 'bounded list name.dll >list'
check "so it is small" at_most $((2000 * 4300)) list
check "so is a dump" eval 'bounded dump --tables name.dll >dump'
check "it is small" at_most $((2000 * 4300 + 140000)) dump
check "and has the beginning of each" eval '[ "$(grep -c "\"m\{4096\}\"" dump)" -eq 2000 ]'

# Names that inflate to a thousand times what they are: 117 KB for 15,000,000 methods took 750 MB.
bomb() { python3 "$ROOT/tests/e2e/lib/py/bomb.py" "$@"; }
does_without() { # ARGUMENTS…: the report is there, and one line says that the names are not
    bounded report "$@" >said 2>err && grep -q '^No calls were recorded' said && [ "$(wc -l <err)" -eq 1 ] && grep -q 'warning ILJ.* names of Bomb.*: they would take far more memory than the profile does; ' err || { cat said err; return 1; }
}
bomb 1 15000000 bomb.ilprof
check "names that would take a thousand times the profile's size are left out" does_without bomb.ilprof
check "a comparison does without them, too" eval 'bounded diff bomb.ilprof -- bomb.ilprof >said 2>err && ! grep -q error err'
check "so does a choice of methods" eval 'bounded -q few.dll -o chosen/ --overhead=10% --profile bomb.ilprof 2>err; grep -q "far more memory" err'
bomb 40 200000 many.ilprof
check "what many modules' names come to counts together" eval 'bounded report many.ilprof >said 2>err && grep -q "far more memory" err'
bomb 4 200000 some.ilprof
check "names that take no more than their room are read" eval 'bounded report some.ilprof >said 2>err && ! grep -q "far more memory" err'
# Profiles that are large in one way: ten times the profile takes at most eleven times the instructions.
. "$ROOT/tests/e2e/lib/sh/scale.sh"
grows() { # SHAPE ARGUMENTS… with FILE for the profile
    local shape=$1 n=(10 300 3000) i counted=()
    if [ "$shape" = async ]; then n=(10 5000 50000); fi # stacks are cut at 512
    shift
    for i in 0 1 2; do
        "$BUILD/tests/made_hostile" "$shape" "${n[i]}" "$shape-${n[i]}.ilprof" || return
        counted[i]=$(instructions "${@//FILE/$shape-${n[i]}.ilprof}")
        [ "${counted[i]:-0}" -gt 0 ] || { echo "nothing was counted"; return 1; }
    done
    in_proportion "${counted[@]}"
}
few_instructions() { # MOST ARGUMENTS…
    local most=$1 counted
    shift
    counted=$(instructions "$@")
    [ "${counted:-0}" -gt 0 ] && [ "$counted" -le "$most" ] || { echo "$counted instructions"; return 1; }
}
if has valgrind && ! grep -q __asan_init "$BUILD/ilinject"; then
    check "a debug directory of 1 KB that claims 2 GB is looked at where it is" \
        few_instructions 20000000 list "$ROOT/tests/fuzz/corpus/image/found-f65b44ed"
    check "a comparison of functions of one name grows with their number" grows same diff FILE FILE
    check "so does their report" grows same report FILE
    check "so does their merge" grows same merge -o merged FILE FILE
    check "pprof of a chain of async calls grows with its length" grows async report --format=pprof -o made FILE
    check "so does the report" grows async report FILE
    check "so does the JSON" grows async report --format=json -o made FILE
else
    skip "hostile profiles take instructions in proportion" "no valgrind, or a sanitizer"
fi
# 200,000 calls, each below the other: no stack is longer than that of a tree that is cut.
"$BUILD/tests/made_hostile" async 200000 async.ilprof
bounded_report() { bounded report --format=pprof -o made async.ilprof; }
check "pprof of 200,000 async calls in each other stays within 300 MiB" bounded_report
check "it is as large as the profile's calls allow" at_most $((200000 * 64)) made
finish
