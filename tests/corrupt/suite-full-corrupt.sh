#!/usr/bin/env bash
# More rounds of the damage of suite-corrupt.sh, from other seeds.
. "$(dirname "$0")/../lib.sh"
has mcs || { skip "broken input is refused" "no mcs"; finish; }
. "$(dirname "$0")/inputs.sh"
for seed in 1 2 3 4; do
    for file in "${inputs[@]}"; do
        check "damage in $(basename "$file") from seed $seed" "$BUILD/tests/corrupt" --seed "$seed" --flips 40000 "$file"
    done
done
finish
