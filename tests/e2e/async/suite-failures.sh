#!/usr/bin/env bash
# An exception that goes through several async methods is one: thrown once, stored, and passed on by each await. The
# report counts it once and says where it was thrown, which tasks passed it on, and who handled it; merged runs, too.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
. "$(dirname "$0")/../lib/ways.sh"
ready || { skip "exceptions of async methods are counted once" "no mono or no mcs"; finish; }

# The section of exceptions: counts and what became of them, without times.
said_of() { # PROFILE
    "$ILINJECT" report --raw --width=0 --color=never "$1" | sed -n '/where they were thrown$/,/^$/p' |
        sed -E '1d; /^$/d; s/^ *([0-9]+) +[^ ]+ [^ ]+ +[^ ]+ [^ ]+ +/\1 /; s/^ +//'
}
# As it is in the source: 35 payments are declined in Check, and Pay handles each.
once() { # PROFILE FACTOR SHAPE
    said_of "$1" >"$SCRATCH/exceptions"
    [ "$(grep -c Declined "$SCRATCH/exceptions")" -eq 1 ] &&
        grep -qx "$((35 * $2)) Declined" "$SCRATCH/exceptions" &&
        grep -qx "$((35 * $2)) stored in the task of Payments.Charge(int, bool)" "$SCRATCH/exceptions" &&
        grep -qx "$((35 * $2)) passed on by await to the task of Payments.Order(int, bool)" "$SCRATCH/exceptions" &&
        { [ "$3" = ret-paths ] || grep -qx "$((35 * $2)) passed on by await, caught by Payments.Pay(int, bool)" "$SCRATCH/exceptions"; } &&
        [ "$(grep -c 'thrown in' "$SCRATCH/exceptions")" -eq 1 ] &&
        grep -qx 'thrown in Payments.Check(int)' "$SCRATCH/exceptions" ||
        { cat "$SCRATCH/exceptions"; return 1; }
}
ways() { # NAME RUNTIME FILE
    local shape said
    for shape in guarded-paths guarded-full ret-paths; do
        check "$1 is instrumented for $shape" instrument "$1" "$3" "$shape"
        run_program "$1-$shape" "$2" "$SCRATCH/after/$1-$shape/$(basename "$3")"
        said=$SCRATCH/said/$1-$shape.$2
        check "$1 declines 35 payments under $2, $shape" test "$(cat "$said.out")" = 35
        # In the ret shape no handler says that it has caught an exception.
        check "35 exceptions are 35 under $2, $shape" once "$said.ilprof" 1 "$shape"
    done
    check "profiles of $1 are merged" "$ILINJECT" merge -o "$SCRATCH/$1.ilprof" "$SCRATCH/said/$1-guarded-paths.$2.ilprof" \
        "$SCRATCH/said/$1-guarded-full.$2.ilprof"
    check "the exceptions of two runs are 70 under $2, merged" once "$SCRATCH/$1.ilprof" 2 guarded
}

check "the payments compile with mcs" by_mcs Payments "$fixtures/Payments.cs"
ways Payments mono "$before/Payments.exe"
if can dotnet && by_csc PaymentsCore -optimize "$fixtures/Payments.cs"; then
    ways PaymentsCore dotnet "$before/PaymentsCore.dll"
else
    skip "exceptions of async methods are counted once on CoreCLR" "no .NET SDK"
fi
finish
