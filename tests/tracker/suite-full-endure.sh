#!/usr/bin/env bash
# level: full
# The tracker under load: 64 threads for ten seconds, 100,000 short threads, ten million paths, and kills at any moment.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
. "$ROOT/tests/tracker/endure.sh"

load() { endure load 64 10000 ../snapshots && exact && consistent 5; }
short() { endure short 100000 && exact && dump tree out/Endure.ilprof | grep -q '^thread 0 "" x100000 nodes='; }
short_memory() { endure_within 150 short 100000; }
paths() { # MIB [NAME=VALUE]: all of them are counted
    endure_within "$@" paths 10000000 && value_is folded '[1-9]*' &&
        dump sums out/Endure.ilprof | awk '{ sum += $(NF - 2) } END { print sum; exit sum != 10000000 }'
}
# Killed twenty times 0.2 to 2.9 s after the first writing, with a beat each second: each profile is whole and not older than a beat and what the
# machine was late.
killed() {
    local i at age waited
    for ((i = 0; i < 20; i++)); do
        rm -f out/*.ilprof*
        : >said.txt
        (cd out && ILINJECT_BEAT=1 exec "$runtime" Endure.exe beat >../said.txt 2>../err.txt) &
        for ((waited = 0; waited < 1200; waited++)); do
            grep -q -s -a THRD out/Endure.ilprof && break
            sleep 0.05
        done
        sleep "$((i % 3)).$((2 + i % 8))"
        kill -KILL $! || return 1
        at=$(date +%s%N)
        wait $! 2>/dev/null
        value_is reason beat && dump series out/Endure.ilprof || return 1
        age=$(((at - $(dump run out/Endure.ilprof start)) / 1000000 - $(dump run out/Endure.ilprof wall_ticks) / ($(dump run out/Endure.ilprof ticks_per_second) / 1000)))
        [ "$age" -ge -50 ] && [ "$age" -le 2500 ] || { echo "run $i: $age ms old"; return 1; }
    done
}

for runtime in mono dotnet; do
    can "$runtime" || { skip "the tracker holds under load on $runtime" "$runtime is not installed"; continue; }
    check "$runtime: 64 threads are counted exactly for ten seconds, and snapshots meanwhile are consistent" load
    check "$runtime: 100,000 short threads are counted exactly" short
    check "$runtime: they take less than 150 MiB" short_memory
    check "$runtime: ten million paths take less than 600 MiB" paths 600
    check "$runtime: with a budget of 100,000 nodes they take less than 120 MiB" paths 120 ILINJECT_NODES=100000
    check "$runtime: kill -9 at any moment leaves a readable profile of the last beat" killed
done
sed 's/^/peak: /' memory.txt
finish
