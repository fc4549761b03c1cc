#!/usr/bin/env bash
# Programs that cost their number of calls and nothing beyond: the counts are the hand-counted ones, each call
# stands at one of a handful of places of the tree, and none is closed for want of a leave. In both shapes of
# exits, on both runtimes.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
before=$SCRATCH/before fixtures=$ROOT/fixtures
# shellcheck disable=SC2086
unset ${!ILINJECT_*}

if ! has mcs; then
    skip "programs of many calls stand at few places" "mcs is not installed"
    finish
fi
mcs -nologo -optimize+ -out:"$before/Cells.exe" "$fixtures/cs/Cells.cs" || exit 1
names=Cells
if has ilasm; then
    check "crossing.il assembles" ilasm -quiet -output:"$before/crossing.exe" "$fixtures/il/crossing.il"
    names+=" crossing"
else
    skip "tail calls through interfaces stand at few places" "ilasm is not installed"
fi

# PROFILE EXPECTED PLACES: in all threads' trees, without the roots.
counts_and_places() {
    local said places
    said=$(profile_agrees "$1" "$2") || { echo "$said"; return 1; }
    grep -Eq '^enters ([0-9]+) leaves \1 by exception 0 resynchronised 0 open 0$' <<<"$said" || { echo "$said"; return 1; }
    places=$(dump tree "$1" | grep -c '^ *[A-Z].* calls=[1-9]')
    [ "$places" -eq "$3" ] || { echo "$places places, expected $3"; dump tree "$1"; return 1; }
}
for name in $names; do
    case $name in
    Cells) expected=$fixtures/cs/Cells.expected places=6 ;;
    crossing) expected=$fixtures/il/crossing.expected places=7 ;;
    esac
    if can dotnet; then runtimeconfig "$before/$name.exe"; fi
    for exits in guarded ret; do
        mkdir -p "$SCRATCH/$exits"
        check "$name is instrumented, --exits=$exits" "$ILINJECT" "$before/$name.exe" -o "$SCRATCH/$exits/" --quiet --exits=$exits
        if can dotnet; then runtimeconfig "$SCRATCH/$exits/$name.exe"; fi
        for runtime in mono dotnet; do
            if ! can $runtime; then
                skip "$name, --exits=$exits, runs as before under $runtime" "$runtime is not there"
                continue
            fi
            run_program "$name" $runtime "$before/$name.exe"
            run_program "$name-$exits" $runtime "$SCRATCH/$exits/$name.exe"
            check "$name, --exits=$exits, runs as before under $runtime" same_run "$name" "$name-$exits" $runtime
            check "and its calls stand at $places places" counts_and_places "$SCRATCH/said/$name-$exits.$runtime.ilprof" "$expected" $places
        done
    done
done
finish
