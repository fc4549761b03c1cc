#!/usr/bin/env bash
# The tracker under load, as long as a check may take; suite-full-endure.sh has more threads, paths and time.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
. "$ROOT/tests/tracker/endure.sh"

load() { endure load 16 1500 ../snapshots && exact && consistent 4; }
short() { endure short 3000 && exact && dump tree out/Endure.ilprof | grep -q '^thread 0 "" x3000 nodes='; }
paths() { endure_within 120 ILINJECT_NODES=100000 paths 1000000 && value_is folded '[1-9]*' && sums_to 1000000 100012; }
sums_to() { # CALLS NODES: of all methods together
    dump sums out/Endure.ilprof | awk -v calls="$1" '{ sum += $(NF - 2); open += $NF } END { if (sum != calls || open) print sum, open; exit sum != calls || open }' &&
        [ "$(dump tree out/Endure.ilprof | sed -n 's/^thread .* nodes=//p' | awk '{ sum += $1 } END { print sum }')" -le "$2" ] && time_is_whole
}
grown() { # 7 + 7^2 + … 7^6 nodes are written when the program ends
    endure ILINJECT_BEAT=0 ILINJECT_NODES=2000000 grow 6 && grep -q 'grown 137256' said.txt && [ "$(dump tree out/Endure.ilprof | sed -n 's/^thread .* nodes=//p')" = 137257 ] && value_is reason exit && value_is folded absent
}

half() {
    can "$runtime" || { skip "the tracker holds under load on $runtime" "$runtime is not installed"; return; }
    check "$runtime: 16 threads are counted exactly, and snapshots meanwhile are consistent" load
    check "$runtime: 3,000 short threads, eight at a time, are counted exactly" short
    check "$runtime: a million paths take no more memory than the budget of nodes" paths
    check "$runtime: 137,256 nodes are written at the end" grown
}
halves half
finish
