#!/usr/bin/env bash
# What the probes cost is in each profile whose clock can tell, and nowhere else does it show that it was measured.
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
if ! has mono || ! has mcs; then
    skip "what the probes cost is measured" "mono and mcs are not installed"
    finish
fi
cat >Calls.cs <<'X'
using System;
using System.Runtime.CompilerServices;
using Instrumenter;

public class Steps : IHighResolution
{
    static long now;
    public long Ticks { get { return now += 1000; } }
    public long Avg { get { return 0; } }
}

public static class Calls
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int x) { return x * 31 + 7; }

    static int Loop(int calls) { int x = 0; for (int i = 0; i < calls; i++) x = Leaf(x); return x; }

    public static void Main(string[] arguments)
    {
        Loop(10000);
        if (arguments.Length > 0)
            ProfileInfoTracker.Stop();
    }
}
X
cat >Calls.runtimeconfig.json <<'X'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
X
mcs -nologo -optimize+ -r:"$BUILD/ProfileInfoTracker.dll" Calls.cs && mkdir out && cp Calls.runtimeconfig.json out &&
    "$ILINJECT" -q Calls.exe -o out/Calls.exe --exclude Steps && mcs -nologo -out:dump.exe "$ROOT"/tests/tracker/ProfileDump*.cs || exit 1

keys='inside_empty_ps outside_empty_ps inside_work_ps outside_work_ps outside_last_ps clock_read_ps'
# NAME=VALUE are settings, the rest are arguments; the profile is p.ilprof.
profile() {
    local settings=()
    while [[ ${1-} == *=* ]]; do settings+=("$1"); shift; done
    rm -f p.ilprof
    env "${settings[@]}" ILINJECT_OUT=p.ilprof timeout 60 "$runtime" out/Calls.exe "$@" 2>err.txt || { cat err.txt; return 1; }
}
value() { mono dump.exe run p.ilprof "$1"; }
# Each is a number, below a tenth of a millisecond; a call takes time, and so does the clock.
calibrated() {
    local key
    profile "$@" || return 1
    for key in $keys; do
        [[ $(value "$key") =~ ^[0-9]{1,8}$ ]] || { echo "$key: '$(value "$key")'"; return 1; }
    done
    [ $(($(value inside_empty_ps) + $(value outside_empty_ps))) -gt 0 ] && [ "$(value clock_read_ps)" -gt 0 ]
}
not_calibrated() {
    local key
    profile "$@" || return 1
    for key in $keys; do [ "$(value "$key")" = absent ] || { echo "$key: '$(value "$key")'"; return 1; }; done
    "$ILINJECT" report p.ilprof | grep -q '^Times    as recorded: the profile is not calibrated$'
}
# The methods that were measured are the tracker's own secret.
only_the_program() {
    profile || return 1
    diff <(printf '%s\n' 'Calls.Leaf(int) 10000' 'Calls.Loop(int) 1' 'Calls.Main(string[]) 1') \
        <("$ILINJECT" report --json p.ilprof | sed -n 's/^{"module".*"name": "\([^"]*\)".*"calls": \([0-9]*\).*/\1 \2/p' | sort) &&
        [ "$("$ILINJECT" report --json p.ilprof | sed -n 's/.*"totals": {"enters": \([0-9]*\).*/\1/p')" -eq 10002 ] &&
        [ "$("$ILINJECT" report --json p.ilprof | grep -c '^{"id": ')" -eq 1 ]
}
# FIELD: of Leaf, with the options that follow.
leaf() { "$ILINJECT" report --json "${@:2}" p.ilprof | sed -n "s/^{\"module\".*\"name\": \"Calls.Leaf(int)\".*\"$1\": \(-\{0,1\}[0-9]*\).*/\1/p"; }
shown() {
    profile || return 1
    local raw corrected
    raw=$(leaf exclusive_ns --raw) corrected=$(leaf exclusive_ns)
    [ "$corrected" -ge 0 ] && [ "$corrected" -lt "$raw" ] || { echo "raw $raw, corrected $corrected"; return 1; }
    "$ILINJECT" report p.ilprof | grep -q "^Times    without the probes', about .* %" || { echo "no head"; return 1; }
    "$ILINJECT" report --raw p.ilprof | grep -q "^Times    as recorded, with the probes', about .* %" || { echo "no raw head"; return 1; }
    "$ILINJECT" report --offset=article p.ilprof | grep -q '^Times    less two clock readings'
}

for runtime in mono dotnet; do
    if ! has $runtime; then
        skip "$runtime: what the probes cost is measured" "$runtime is not installed"
        continue
    fi
    check "$runtime: a profile says what the probes cost" calibrated
    check "$runtime: also by a clock that stands still meanwhile" calibrated ILINJECT_CLOCK=coarse
    check "$runtime: also while nothing is recorded" calibrated x
    check "$runtime: not by a clock that counts nothing" not_calibrated ILINJECT_CLOCK=none
    check "$runtime: nor by one of the program's own" not_calibrated "ILINJECT_CLOCK=type:Steps, Calls"
    check "$runtime: the calls that were measured are not in it" only_the_program
    check "$runtime: the report takes the cost off, or says that it did not" shown
done
finish
