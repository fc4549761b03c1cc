#!/usr/bin/env bash
# level: full
# More rounds of the damage of suite-corrupt.sh, from other seeds; every real image there is, undamaged, with trackers of every shape.
. "$(dirname "$0")/../lib.sh"
has mcs || { skip "broken input is refused" "no mcs"; finish; }
. "$(dirname "$0")/inputs.sh"
for seed in ${SEEDS:-1 2 3 4}; do
    for file in "${inputs[@]}"; do
        check "damage in $(basename "$file") from seed $seed" "$BUILD/tests/corrupt" --seed "$seed" --flips 40000 "$file"
    done
done
real_images() {
    find -L /usr/lib/mono /usr/lib/cli /usr/share/dotnet /usr/lib/dotnet -type f \( -name '*.dll' -o -name '*.exe' \) -print0 2>/dev/null >"$SCRATCH/images"
    xargs -0 -r -n 50 "$BUILD/tests/corrupt" --as-is <"$SCRATCH/images" >"$SCRATCH/said" || { tail -n 3 "$SCRATCH/said"; return 1; }
    echo "$(grep -c ': instrumented$' "$SCRATCH/said") of $(wc -l <"$SCRATCH/said") images instrumented"
    # A refusal has a reason that is no fault: native code, or an image with nothing but native code.
    ! grep -v -e ': instrumented$' -e ': copied$' -e ': ILJ0104: ' -e ': ILJ0106: ' -e ': ILJ011[01]: ' "$SCRATCH/said"
}
check "every image of Mono and .NET keeps its rows, heaps, data and left out bodies" real_images
finish
