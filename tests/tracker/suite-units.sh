#!/usr/bin/env bash
# The tracker's inner classes, compiled together with a program that calls them by themselves: the call tree, scopes on a
# frame, histograms, what holds after a reset. Profiles show these only together.
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export TMPDIR=$SCRATCH
if ! has mono || ! has mcs; then
    skip "the tracker's classes by themselves" "mono and mcs are not installed"
    finish
fi
mcs -nologo -nowarn:436 -out:units.exe -main:Units "$ROOT"/tests/tracker/Units*.cs "$ROOT"/runtime-tracker/*/*.cs "$BUILD"/runtime-tracker/facts/*.cs >mcs.txt 2>&1 || { cat mcs.txt; exit 1; }
cat >units.runtimeconfig.json <<'EOF'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
EOF
units() { mkdir -p "in-$1" && (cd "in-$1" && timeout 300 mono ../units.exe "$1"); }
check "the topmost of the scopes on a frame is found" units scopes
check "each child is found under its caller, however many share a slot" units nodes
check "a time falls into the bucket that the format names" units buckets
check "numbers and text are written as the format says" units bytes
check "calls of async methods that are under way go on behind a reset" units async
check "a frame is told from those that stand at its place later" units stamps
check "a profile that a reset disturbs is made again, and not for ever" units disturbed
export ILINJECT_CLOCK=stopwatch
check "a profile that is written between two stores of an enter or leave has each call once" units between
export ILINJECT_CLOCK=ticking
check "a tick within a probe is the probe's, one before it the caller's" units ticks
unset ILINJECT_CLOCK
check "folded calls go the fast way, all but the first" units folded
export ILINJECT_CLOCK=stopwatch
check "a trigger by depth takes no call back whose time is below 0" units triggered
unset ILINJECT_CLOCK
check "names become those of files, and quantities have places of their own" units names
check "time does not go back when a clock does" units steady
check "an address is encrypted, of this machine, or neither" units addresses
check "names of secrets are known by their words, and names that only hold such letters are shown" units masks
check "the table of Report stands by time, and its head adds it up" units report
finish
