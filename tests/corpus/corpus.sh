# tests/corpus/corpus.sh - the corpus suites, a sample and all: what every image has to stand. Sourced with `extent` set.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
images=$SCRATCH/images verdicts=$SCRATCH/verdicts
export ILINJECT BUILD
if has monodis; then export HAS_MONODIS=1; fi
if has mono; then export HAS_MONO=1; fi

"$ROOT/tests/corpus/images.sh" "$extent" >"$images"
count=$(wc -l <"$images")
if [ "$count" -eq 0 ]; then
    skip "real images come through whole" "no Mono libraries on this machine"
    finish
fi

# Decoding and encoding; the counts are printed even when all is well.
identity() {
    xargs -d '\n' "$BUILD/tests/identity" <"$images" >"$SCRATCH/identity" 2>&1
    local status=$?
    grep -E '^[0-9]+ images' "$SCRATCH/identity" >"$SCRATCH/identity-counts"
    grep -v -E '^[0-9]+ images' "$SCRATCH/identity"
    return $status
}
check "decoding and encoding gives the same bytes for every body of $count images" identity
cat "$SCRATCH/identity-counts"

n=0
while IFS= read -r image; do
    n=$((n + 1))
    printf '%s\0%s\0' "$image" "$SCRATCH/out/$n"
done <"$images" | nice xargs -0 -n 2 -P 2 "$ROOT/tests/corpus/judge" >"$verdicts" 2>&1

# no_fault WHAT MINIMUM: nobody said FAULT, and as many as there are images were judged at all
no_fault() {
    ! grep -E "^FAULT $1" "$verdicts" || return 1
    local judged
    judged=$(grep -c "^ok $1" "$verdicts")
    [ "$judged" -ge "$2" ] || { echo "only $judged of $2 were judged"; return 1; }
}
copied=$(grep -c '^ok copied' "$verdicts")
changed=$((count - copied))
echo "$count images, $copied copied through, $changed instrumented"
check "each of $count images is instrumented" no_fault instrument "$count"
if has monodis; then
    check "monodis reads $changed outputs and finds the old rows" no_fault monodis $((7 * changed))
else
    skip "monodis reads the outputs" "no monodis"
fi
if has mono; then
    check "mono --compile-all finds no new fault in $changed outputs" no_fault compile "$changed"
else
    skip "mono --compile-all finds no new fault" "no mono"
fi

walker=$SCRATCH/walker.dll
if "$ROOT/tests/dotnet-csc" "$walker" -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs; then
    n=0
    while IFS= read -r image; do
        n=$((n + 1))
        printf '%s\t%s\n' "$image" "$SCRATCH/out/$n/$(basename "$image")"
    done <"$images" >"$SCRATCH/pairs"
    compared() { dotnet "$walker" compare -n 3 --list "$SCRATCH/pairs" >"$SCRATCH/compared" || { cat "$SCRATCH/compared"; return 1; }; }
    check "System.Reflection.Metadata finds only planned differences in $count outputs" compared
    tail -n 1 "$SCRATCH/compared"
    # Nothing was left as it was but IL that the runtime never runs.
    check "each body of these outputs is instrumented" grep -q '[1-9][0-9]* bodies instrumented, 0 as they were' "$SCRATCH/compared"
else
    skip "System.Reflection.Metadata finds only planned differences" "no .NET SDK"
fi
finish
