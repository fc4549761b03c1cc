# tests/corpus/corpus.sh - the corpus suites, a sample and all: what every image has to stand. Sourced with `extent` set.
. "$(dirname "${BASH_SOURCE[0]}")/many.sh"
images=$SCRATCH/images verdicts=$SCRATCH/verdicts

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

if has monodis; then export HAS_MONODIS=1; fi
# The listings of the three largest took half of the sample's time; the suite of all images compares them.
if [ "$extent" = sample ]; then export LARGEST_LISTED=1500000; fi
judge_all "$images" "$SCRATCH/out"
copied=$(grep -c '^ok copied' "$verdicts")
changed=$((count - copied)) unlisted=$(grep -c '^ok unlisted' "$verdicts")
echo "$count images, $copied copied through, $changed instrumented"
check "each of $count images is instrumented" no_fault instrument "$count"
judged monodis monodis $((7 * changed - unlisted)) "monodis reads $changed outputs and finds the old rows"
judged mono compile "$changed" "mono --compile-all finds no new fault in $changed outputs"
judged peverify verify "$changed" "peverify finds no new fault in $changed outputs"

if has_walker; then
    n=0
    while IFS= read -r image; do
        n=$((n + 1))
        printf '%s\t%s\n' "$image" "$SCRATCH/out/$n/${image##*/}"
    done <"$images" >"$SCRATCH/out.pairs"
    check "System.Reflection.Metadata finds only planned differences in $count outputs" compared out
    tail -n 1 "$SCRATCH/out.compared"
    # Nothing was left as it was but IL that the runtime never runs.
    check "each body of these outputs is instrumented" grep -q '[1-9][0-9]* bodies instrumented, 0 as they were' "$SCRATCH/out.compared"
else
    skip "System.Reflection.Metadata finds only planned differences" "no .NET SDK"
fi
finish
