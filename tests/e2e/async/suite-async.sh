#!/usr/bin/env bash
# Async methods: the program does what it did, and the profile says of every method what was counted by hand: calls, suspensions, how they
# ended, who started whom. Machines as three compilers make them, structs and classes.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
ready || { skip "async methods are seen" "no mono or no mcs"; finish; }
shapes="guarded-paths guarded-full ret-paths"
sources=("$fixtures/Async.cs" "$fixtures/AsyncMore.cs") all=("${sources[@]}" "$fixtures/AsyncValues.cs")

check "the async methods compile with mcs" by_mcs Async "${sources[@]}"
prove Async "$before/Async.exe" mono mcs,struct "$shapes" "${sources[@]}"
# Six async calls have ended when the program does, Main and End have not.
ends() { # PROGRAM RUNTIME
    local profile=$SCRATCH/ends.ilprof
    rm -f "$profile"
    "$ILINJECT" -q "$1" -o "$SCRATCH/ends/" && cp -n "${1%/*}"/*.runtimeconfig.json "$SCRATCH/ends/" 2>/dev/null
    ILINJECT_OUT=$profile timeout 150 "$2" "$SCRATCH/ends/${1##*/}"
    [ $? -eq 1 ] && "$ILINJECT" report -v "$profile" >"$SCRATCH/ends.txt" || return 1
    grep -q -E '^Calls .* 2 open; 6 ended, still on the stack$' "$SCRATCH/ends.txt" &&
        [ "$(sed -n '/^Open /,/^[A-Z][a-np-z]/p' "$SCRATCH/ends.txt" | grep -c '\[async\]')" -eq 0 ] &&
        grep -q -E '^ +AsyncExit\.Main\(\)$' "$SCRATCH/ends.txt" && grep -q -F ' AsyncExit.End(Task<int>)' "$SCRATCH/ends.txt" ||
        { head -n 20 "$SCRATCH/ends.txt"; return 1; }
}
check "an end inside async calls compiles with mcs" by_mcs AsyncExit "$ROOT/tests/e2e/lib/cs/AsyncExit.cs"
check "async calls that have ended are not open where the program ends inside them (mono)" ends "$before/AsyncExit.exe" mono
if can dotnet && by_csc AsyncExitCore -optimize "$ROOT/tests/e2e/lib/cs/AsyncExit.cs"; then
    check "async calls that have ended are not open where the program ends inside them (dotnet)" ends "$before/AsyncExitCore.dll" dotnet
else
    skip "async calls that have ended are not open where the program ends inside them (dotnet)" "no .NET SDK"
fi
if can dotnet && by_csc AsyncCore -optimize "${all[@]}" && by_csc AsyncDebug "${all[@]}"; then
    prove AsyncCore "$before/AsyncCore.dll" dotnet csc,struct "$shapes" "${all[@]}"
    prove AsyncDebug "$before/AsyncDebug.dll" dotnet csc,class "$shapes" "${all[@]}"
    # Mono has what mcs does not compile.
    by_csc_for_mono AsyncMono -optimize "${all[@]}" && prove AsyncMono "$before/AsyncMono.exe" mono csc,struct guarded-full "${all[@]}"
else
    skip "async methods are seen on CoreCLR, value tasks and async iterators on Mono" "no .NET SDK"
fi
finish
