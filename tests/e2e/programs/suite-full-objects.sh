#!/usr/bin/env bash
# level: full
# Objects counted (--allocations) in whole programs and libraries of others: no verifier and no compiler finds a new fault, and the
# programs do what they did. The suite prints how much files grow.
. "$(dirname "$0")/../../corpus/many.sh"
extent=${EXTENT:-all}
. "$(dirname "$0")/../lib/sh/option.sh"
wrapper=$ROOT/tests/ilinject-objects

grown() {
    sizes_with --allocations >"$SCRATCH/sizes" && awk '{
        if (!$2) exit 1
        printf "%d files: %.2f %% without objects, %.2f %% with them\n", $1, ($3 - $2) * 100 / $2, ($4 - $2) * 100 / $2
        printf "objects alone: %.2f %% of an instrumented file\n", ($4 - $3) * 100 / $3
        exit ($4 - $3) * 100 / $3 >= 15 }' "$SCRATCH/sizes"
}
if libraries_with "$wrapper" "with objects counted"; then
    check "they add less than 15 % to files" eval 'grown >"$SCRATCH/grown" || { cat "$SCRATCH/grown"; false; }'
    cat "$SCRATCH/grown"
fi
programs_with "$wrapper" "with objects counted"
finish
