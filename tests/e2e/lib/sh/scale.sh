# tests/e2e/lib/sh/scale.sh - what the suites and the benchmark of scale share. Sourced after tests/lib.sh.

# The ways for a program to be large (tests/e2e/lib/c/made_large.c), each with its greatest size.
shapes=("methods 1000000" "bodies 100000" "code 20000000" "switch 65000" "branches 1000000" "clauses 60000")

made_large() { "$BUILD/tests/made_large" "$1" "$2" "$3"; }

# The instructions of one run.
instructions() { # ARGUMENTS…
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ILINJECT" -q "$@" 2>&1 >/dev/null | sed -n 's/^==[0-9]*== I *refs: *//p' | tr -d ,
}
# Its memory at the peak, in KiB.
peak() { "$BUILD/tests/measure" "$ILINJECT" -q "$@" 2>/dev/null | cut -d' ' -f2; }

# Ten times the input takes at most eleven times the work, over what a run with next to no input takes (`least`).
in_proportion() { # LEAST SMALL LARGE
    [ "$1" -gt 0 ] && [ "$2" -gt "$1" ] && [ "$3" -gt "$2" ] || { echo "nothing was counted: $*"; return 1; }
    echo "$(($2 - $1)) for one part, $(($3 - $1)) for ten"
    [ $(($3 - $1)) -le $((($2 - $1) * 11)) ]
}

# The same for peak memory in KiB, which arrays that double and what is asked of the system at a time make come in steps.
memory_in_proportion() { # LEAST SMALL LARGE
    local steps=4096
    in_proportion "$1" "$2" "$(($3 > $2 + steps ? $3 - steps : $3))"
}

# Both give the same exit code; 124 is that of a runtime that did not come to an end.
same_exit() { # RUNTIME BEFORE AFTER
    local before after
    timeout -k 5 120 "$1" "$2" >/dev/null 2>&1 </dev/null
    before=$?
    timeout -k 5 120 "$1" "$3" >/dev/null 2>&1 </dev/null
    after=$?
    echo "$before before, $after after"
    [ "$before" -lt 64 ] && [ "$before" -eq "$after" ]
}
