#!/usr/bin/env bash
# Work on threads of every kind: the program does what it did, every piece of work is counted once, and no thread's tree holds another's.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
ready || { skip "threads are told apart" "no mono or no mcs"; finish; }
shapes="guarded-paths guarded-full ret-paths"

check "the threads compile with mcs" by_mcs Threads "$fixtures/Threads.cs"
prove Threads "$before/Threads.exe" mono mcs "$shapes" "$fixtures/Threads.cs"
if can dotnet; then prove Threads "$before/Threads.exe" dotnet mcs "$shapes" "$fixtures/Threads.cs"; else skip "threads are told apart on CoreCLR" "no .NET runtime"; fi
finish
