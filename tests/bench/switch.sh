#!/usr/bin/env bash
# The cost of a call of a method that is switched off while the program runs, and of the look for it in one that is not.
#   tests/bench/switch.sh [--build DIR] [--calls N]
# On Mono and on CoreCLR: nanoseconds per call of a method that no compiler inlines, the least of 15 windows of N calls (10,000,000): without
# probes; recorded; switched off; recorded while another method is off. Exits 77 without mcs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build calls=10000000
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --calls) calls=$2; shift 2 ;;
    *) echo "usage: tests/bench/switch.sh [--build DIR] [--calls N]" >&2; exit 2 ;;
    esac
done
. tests/bench/raw.sh
raw_begin switch "tests/bench/switch.sh --calls $calls"
command -v mcs >/dev/null || { echo "skipped: switch: no mcs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ILINJECT_OUT=$work/profile.ilprof ILINJECT_BEAT=0
mkdir "$work/plain" "$work/probes"
mcs -nologo -optimize+ -out:"$work/plain/Switch.exe" tests/bench/Switch.cs &&
    "$build/ilinject" "$work/plain/Switch.exe" -o "$work/probes" --include 'Switch.Small' --include 'Switch.Other' >/dev/null || exit 1
for folder in plain probes; do
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}' >"$work/$folder/Switch.runtimeconfig.json"
done
per_call() { "$runtime" "$work/$1/Switch.exe" "$calls" "$2"; }
printf '%-10s %16s %16s %16s %24s\n' "" "plain, ns" "recorded, ns" "off, ns" "recorded, other off, ns"
for runtime in mono dotnet; do
    command -v $runtime >/dev/null || continue
    printf '%-10s %16s %16s %16s %24s\n' $runtime "$(per_call plain none)" "$(per_call probes none)" "$(per_call probes Small)" "$(per_call probes Other)"
done
