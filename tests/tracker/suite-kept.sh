#!/usr/bin/env bash
# The tracker keeps nothing of the program's alive: what threads were started with, exceptions and what these hold, delegates. As many of
# the program's objects stay as without it, with few threads and with many.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export ILINJECT_BEAT=0
if ! has mono || ! has mcs; then
    skip "the tracker keeps nothing alive" "mono and mcs are not installed"
    finish
fi
here=$ROOT/tests/tracker
mkdir plain && mcs -nologo -out:plain/Kept.exe "$here/Kept.cs" || exit 1
if can dotnet; then runtimeconfig plain/Kept.exe; fi

# Mono's collector may take a number on the stack for an object: a few stay, with or without the tracker.
keeps_nothing() { # RUNTIME FOLDER COUNT [NAME=VALUE…]
    local kept
    kept=$(ILINJECT_OUT=said/Kept.ilprof env "${@:4}" "$1" "$2/Kept.exe" "$3" | sed -n 's/ kept$//p')
    [ "${kept:-1000}" -le "$(($3 / 5))" ] || { echo "$kept of $((3 * $3)) are kept"; return 1; }
}
for runtime in mono dotnet; do
    can "$runtime" || { skip "the tracker keeps nothing alive on $runtime" "$runtime is not there"; continue; }
    check "$runtime: the program itself keeps nothing" keeps_nothing "$runtime" plain 5
    for shape in guarded ret; do
        if [ ! -d "$shape" ]; then
            check "the program is instrumented, $shape" "$ILINJECT" -q plain/Kept.exe -o "$shape/" --exits="$shape"
            if can dotnet; then runtimeconfig "$shape/Kept.exe"; fi
        fi
        for count in 1 5 100; do check "$runtime, $shape: nothing is kept of $count threads" keeps_nothing "$runtime" "$shape" "$count"; done
        check "$runtime, $shape: nor with single calls recorded" keeps_nothing "$runtime" "$shape" 5 ILINJECT_{HISTOGRAM,TIMELINE,LOG}=1
    done
done
finish
