#!/usr/bin/env bash
# A crowd of async methods that know which call they run for and keep count themselves: after instrumenting, the profile's logical call
# tree has the same paths and counts, whatever the threads did. A seed that fails is in the message, and can be given again: CROWD_SEED=n.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
# Each path has a node at once: one that has to be earned may come too late, and folded calls have no starter.
export ILINJECT_NODES=2000000
seed=${CROWD_SEED:-$(date +%j)}
if ! has mono || ! has mcs; then
    skip "the logical call tree of a crowd" "mono and mcs are not installed"
    finish
fi
source=$ROOT/fixtures/cs/AsyncCrowd.cs

crowd() { # RUNTIME ASSEMBLY, ilinject's options
    local runtime=$1 assembly=$2 file
    shift 2
    rm -rf out
    mkdir out
    cp in/*.json out 2>/dev/null
    "$ILINJECT" "in/$assembly" -o "out/$assembly" "$@" >log.txt 2>&1 || { cat log.txt; return 1; }
    (cd out && timeout -k 1 300 "$runtime" "$assembly" "$seed" 1000 ../expected.txt) || { echo "seed $seed: exit status $?"; return 1; }
    file=$(echo out/*.ilprof)
    # "AsyncCrowd/<Plain>d__1.MoveNext()", "<Plain>c__async1" and "AsyncCrowd.Plain(string)" are Plain. No slice may be of an unknown call.
    dump async "$file" | sed -E 's/AsyncCrowd\/<(\w+)>[^./]*\.MoveNext\(\)/\1/g; s/AsyncCrowd\.(\w+)\([^)]*\)/\1/g' |
        sed -E 's/^(\S+) (\S+) \S+ (\S+ \S+ \S+) 0$/\1 \2 \3/' | LC_ALL=C sort >found.txt
    if [ "$assembly" = runtime.dll ]; then
        # A fault clause does not know what was a cancellation.
        awk '{ print $1, $2, $3, $4 + $5, 0 }' expected.txt | LC_ALL=C sort >sorted.txt
        awk '{ print $1, $2, $3, $4 + $5, 0 }' found.txt >both.txt && mv both.txt found.txt
    else
        LC_ALL=C sort expected.txt >sorted.txt
    fi
    [ "$(wc -l <sorted.txt)" -gt 100 ] && diff sorted.txt found.txt || { echo "seed $seed"; return 1; }
    # All calls have ended, so running and awaiting make up wall.
    [ -z "$(dump asyncsum "$file")" ] || { echo "seed $seed"; dump asyncsum "$file"; return 1; }
}
# Killed in full swing, at any moment after a beat: what the last beat wrote has no path with more ends than starts.
swings() { [ "$(dump run out/*.ilprof reason 2>/dev/null)" = beat ] && dump async out/*.ilprof >found.txt 2>/dev/null && [ "$(wc -l <found.txt)" -gt 100 ]; }
in_full_swing() { # RUNTIME ASSEMBLY
    local pid swung
    rm -rf out
    mkdir out
    cp in/*.json out 2>/dev/null
    "$ILINJECT" "in/$2" -o "out/$2" >log.txt 2>&1 || { cat log.txt; return 1; }
    (cd out && ulimit -t 200 && ILINJECT_BEAT=1 exec "$1" "$2" "$seed" 1000000 ../expected.txt) >log.txt 2>&1 &
    pid=$!
    within 150 swings
    swung=$?
    sleep "1.$((RANDOM % 900 + 100))"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ "$swung" -eq 0 ] && swings &&
        awk '$(NF - 3) + $(NF - 2) + $(NF - 1) > $(NF - 5) { print; many++ } END { exit many > 0 }' found.txt || { head -n 5 found.txt; return 1; }
}

mkdir in
mcs -nologo -optimize+ -out:in/mono.exe "$source" || exit 1
for exits in ret guarded; do
    check "mono: structs of mcs, --exits=$exits" crowd mono mono.exe --exits=$exits
done
check "mono: no more ends than starts while it runs" in_full_swing mono mono.exe
if "$ROOT/tests/dotnet-csc" in/optimized.dll -define:NEWER -optimize+ "$source" >log.txt 2>&1 && "$ROOT/tests/dotnet-csc" in/debugging.dll -define:NEWER "$source" >log.txt 2>&1; then
    for exits in ret guarded; do
        check "dotnet: structs of csc, --exits=$exits" crowd dotnet optimized.dll --exits=$exits
        check "dotnet: classes of csc, --exits=$exits" crowd dotnet debugging.dll --exits=$exits
    done
    check "dotnet: no more ends than starts while it runs" in_full_swing dotnet optimized.dll
    if "$ROOT/tests/dotnet-csc" in/runtime.dll -define:NEWER -optimize+ -features:runtime-async=on -nowarn:SYSLIB5007 "$source" >log.txt 2>&1 &&
        (cd in && DOTNET_RuntimeAsync=1 dotnet runtime.dll 1 1 ../expected.txt) >log.txt 2>&1; then
        export DOTNET_RuntimeAsync=1
        check "dotnet: methods that the runtime suspends, --exits=guarded" crowd dotnet runtime.dll --exits=guarded
        unset DOTNET_RuntimeAsync
    else
        skip "the logical call tree of a crowd of runtime-async methods" "this SDK does not make or run them"
    fi
else
    skip "the logical call tree of a crowd on .NET" "$(head -n 1 log.txt)"
fi
finish
