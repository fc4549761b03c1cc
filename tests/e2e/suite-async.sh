#!/usr/bin/env bash
# Async methods: the program does what it did, and the profile says of every method what was counted by hand: calls, suspensions, how they
# ended, who started whom. Machines as three compilers make them, structs and classes.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ladder.sh"
. "$(dirname "$0")/ways.sh"
ready || { skip "async methods are seen" "no mono or no mcs"; finish; }
shapes="guarded-paths guarded-full ret-paths"
sources=("$fixtures/Async.cs" "$fixtures/AsyncMore.cs") all=("${sources[@]}" "$fixtures/AsyncValues.cs")

check "the async methods compile with mcs" by_mcs Async "${sources[@]}"
prove Async "$before/Async.exe" mono mcs,struct "$shapes" "${sources[@]}"
if can dotnet && by_csc AsyncCore -optimize "${all[@]}" && by_csc AsyncDebug "${all[@]}"; then
    prove AsyncCore "$before/AsyncCore.dll" dotnet csc,struct "$shapes" "${all[@]}"
    prove AsyncDebug "$before/AsyncDebug.dll" dotnet csc,class "$shapes" "${all[@]}"
    # Mono has what mcs does not compile.
    by_csc_for_mono AsyncMono -optimize "${all[@]}" && prove AsyncMono "$before/AsyncMono.exe" mono csc,struct guarded-full "${all[@]}"
else
    skip "async methods are seen on CoreCLR, value tasks and async iterators on Mono" "no .NET SDK"
fi
finish
