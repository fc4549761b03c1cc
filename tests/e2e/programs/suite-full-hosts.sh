#!/usr/bin/env bash
# level: full
# One program on every host that can be had: fixtures/cs/Everywhere.cs is compiled and instrumented once, and the same bytes are
# run by each. Output, exit code, counts, call tree and the messages of exceptions are those that stand in the fixture, worked out
# by hand. The table at the end (docs/how-good.md, "Compatibility", has a summary) has a row for each host.
#   HOSTS="mono aot" tests/e2e/programs/suite-full-hosts.sh    hosts with one of these words in their function's name
# Publishing takes minutes for each host. The output for the same bytes and project is kept in build/tests/hosts,
# so a run that was ended goes on where it was.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/trees.sh"
. "$(dirname "$0")/../lib/sh/hosts.sh"

# A host is a line: its name in the table, and a function. The function is called in an empty folder of its own. It runs the program
# there with the arguments in $arguments, and leaves its standard output in `said`, its standard error in `told`, its exit code in
# `code` and the profile in `profile`. It may set arguments=single (a host of one thread), code=CODE (it does not end by itself) and
# told=PATTERN (what the tracker says there). A host that cannot be had: it prints the reason and returns 77.
hosts="
CoreCLR 10, JIT, x64|coreclr
… without tiers|coreclr_untiered
… DOTNET_EnableDiagnostics=0|coreclr_undiagnosed
… a heap of 64 MiB|coreclr_small
… a tenth of a processor|coreclr_slow
… stopped and continued (SIGSTOP, SIGCONT)|coreclr_frozen
… killed (SIGKILL) after a beat|coreclr_killed
… a user without a name|coreclr_nameless
… a read-only root|coreclr_read_only
… no /dev|coreclr_no_dev
… no /proc|coreclr_no_proc
self-contained, .NET 10|self_contained
single file|single_file
trimmed|trimmed
ReadyToRun|ready_to_run
ReadyToRun, composite|composite
CoreCLR 10, arm64 (qemu)|arm64
CoreCLR 10, Windows x64 (Wine)|windows
NativeAOT, .NET 8|aot8
NativeAOT, .NET 9|aot9
NativeAOT, .NET 10|aot10
… a read-only root|aot_read_only
… no /dev|aot_no_dev
… no /proc|aot_no_proc
… a heap of 64 MiB|aot_small
… killed (SIGKILL) after a beat|aot_killed
.NET 10, WebAssembly, node|wasm_node
… published (trimmed)|wasm_node_trimmed
.NET 10, WebAssembly, Chromium|wasm_browser
… published (trimmed)|wasm_browser_trimmed
.NET 10 on Mono's runtime|mono_core
Mono 6.8, JIT|mono_jit
… a user without a name|mono_nameless
… a read-only root|mono_read_only
… no /dev|mono_no_dev
… stopped and continued (SIGSTOP, SIGCONT)|mono_frozen
… killed (SIGKILL) after a beat|mono_killed
Mono 6.8, interpreter|mono_interpreter
Mono 6.8, full AOT|mono_full
"

source=$ROOT/fixtures/cs/Everywhere.cs
ready_hosts || finish
rows=
while IFS='|' read -r name host <&3; do
    case $name in …*) ;; *) of=$name ;; esac
    [ "$name" ] && wanted "$host" || continue
    on_host "$name" "$host"
    rows+=$row$'\n'
done 3<<<"$hosts"
printf 'Host|Counts and tree|Output|Times|A call|Remark\n%s' "$rows" | column -t -s '|'
finish
