# tests/tracker/endure.sh - what both suites on endurance share. Sourced after tests/lib.sh and e2e/lib/sh/ladder.sh, in $SCRATCH.
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export TMPDIR=$SCRATCH/tmp
mkdir "$TMPDIR" out snapshots
if ! has mono || ! has mcs; then
    skip "the tracker holds under load" "mono and mcs are not installed"
    finish
fi
. "$ROOT/tests/tracker/dump.sh"
mcs -nologo -optimize+ -r:"$BUILD/ProfileInfoTracker.dll" -out:Endure.exe "$ROOT/tests/tracker/Endure.cs" &&
    "$ILINJECT" Endure.exe -o out/ --include Work --exclude Work.Grow --exclude Work.Word --exclude 'Work..ctor' --quiet || exit 1
if can dotnet; then runtimeconfig out/Endure.exe; fi

# Runs the program: what it printed goes to said.txt.
endure() { # [NAME=VALUE…] WHAT…
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -f out/*.ilprof* snapshots/*
    (cd out && exec timeout -k 1 "${LIMIT:-300}" env "${settings[@]}" "$runtime" Endure.exe "$@") >said.txt 2>err.txt && [ ! -s err.txt ] || { head -n 5 err.txt; return 1; }
}
# The same, but its peak memory stays below that many MiB. Its output is not kept.
endure_within() { # MIB [NAME=VALUE…] WHAT…
    local most=$1 settings=() peak
    shift
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -f out/*.ilprof*
    peak=$(cd out && exec timeout -k 1 "${LIMIT:-300}" env "${settings[@]}" "$BUILD/tests/measure" "$runtime" Endure.exe "$@" 2>../err.txt | tail -n 1 | sed 's/.* //')
    [ ! -s err.txt ] && [ "${peak:-0}" -gt 0 ] && echo "$runtime $*: $((peak / 1024)) MiB" >>memory.txt && [ "$peak" -lt $((most * 1024)) ] || { head -n 5 err.txt; echo "peak $peak KiB, expected less than $most MiB"; return 1; }
}
# Every call that the program counted is in the profile once, and every one was left.
exact() {
    diff <(sort said.txt) <(dump sums out/Endure.ilprof | grep -v -e Fail | sed 's/ 0 0$//' | sort) && time_is_whole
}
time_is_whole() { # own times make up the roots' to the microsecond for each thread, and none is negative but by chance of ticks
    local own roots negative
    IFS='= ' read -r _ own _ roots _ _ _ negative < <(dump time out/Endure.ilprof)
    [ "${negative:-1}" -eq 0 ] && [ $((own - roots)) -lt 100000 ] && [ $((roots - own)) -lt 100000 ] || { dump time out/Endure.ilprof; return 1; }
}
consistent() { # AT-LEAST: snapshots
    [ "$(ls snapshots | wc -l)" -ge "$1" ] || { ls snapshots; return 1; }
    dump series snapshots/*.snapshot && dump series "$(ls snapshots/*.snapshot | tail -n 1)" out/Endure.ilprof
}
value_is() { [[ $(dump run out/Endure.ilprof "$1") == $2 ]] || { echo "$1=$(dump run out/Endure.ilprof "$1"), expected $2"; return 1; }; }
