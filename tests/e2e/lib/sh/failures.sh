# tests/e2e/lib/sh/failures.sh - the exceptions of payments that fail (fixtures/cs/Payments.cs), as a report shows them.
# Sourced after tests/lib.sh.

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
