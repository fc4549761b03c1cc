#!/usr/bin/env bash
# The inputs that fuzzing has found, tests/fuzz/corpus/TARGET, through their targets: none ends a program, and each target
# has some.
. "$(dirname "$0")/../lib.sh"
all_survive() { # TARGET
    local inputs=("$ROOT/tests/fuzz/corpus/$1"/*)
    [ "${#inputs[@]}" -ge 3 ] && TMPDIR=$SCRATCH "$BUILD/tests/unit/test_fuzz_$1" "${inputs[@]}"
}
for target in "$ROOT"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    check "the inputs of ${name#fuzz_} are survived" all_survive "${name#fuzz_}"
done
finish
