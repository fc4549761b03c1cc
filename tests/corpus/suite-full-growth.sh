#!/usr/bin/env bash
# level: full
# Instrumented files are no larger than Mono.Cecil's of the same injection, and the built-in shapes keep within their bounds.
. "$(dirname "$0")/../lib.sh"
export BUILD ILINJECT
"$ROOT/tests/bench/growth.sh" --mono >"$SCRATCH/table" 2>"$SCRATCH/err"
status=$?
if [ $status -eq 77 ]; then
    skip "growth keeps within its bounds" "$(sed -n 's/^skipped: [^:]*: //p' "$SCRATCH/table")"
    finish
fi
cat "$SCRATCH/table"
if grep -q 'no files$' "$SCRATCH/table"; then
    skip "growth keeps within its bounds" "no Mono libraries on this machine"
    finish
fi
within() {
    cat "$SCRATCH/table" "$SCRATCH/err"
    [ $status -eq 0 ] && awk '$1 == "Mono" && $2 + 0 >= 100 { found = 1 } END { exit !found }' "$SCRATCH/table"
}
check "files grow less than Mono.Cecil's by the same injection, less than twice that with the built-in tracker, less than 30 % guarded" within
finish
