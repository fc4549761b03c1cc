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

// Microseconds; a reading takes 250, it says.
public class Stated : Steps, IHighResolution
{
    public static long TicksPerSecond = 1000000;
    long IHighResolution.Avg { get { return 250; } }
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
    "$ILINJECT" -q Calls.exe -o out/Calls.exe --exclude Steps --exclude Stated && mcs -nologo -out:dump.exe "$ROOT"/tests/tracker/ProfileDump*.cs || exit 1

keys='inside_empty_ps outside_empty_ps inside_work_ps outside_work_ps outside_last_ps clock_read_ps'
# NAME=VALUE are settings, the rest are arguments; the profile is p.ilprof.
profile() {
    local settings=()
    while [[ ${1-} == *=* ]]; do settings+=("$1"); shift; done
    rm -f p.ilprof
    env "${settings[@]}" ILINJECT_OUT=p.ilprof timeout 150 "$runtime" out/Calls.exe "$@" 2>err.txt || { cat err.txt; return 1; }
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
    for key in ${only_keys:-$keys}; do [ "$(value "$key")" = absent ] || { echo "$key: '$(value "$key")'"; return 1; }; done
    "$ILINJECT" report p.ilprof | grep -q '^Times    as recorded: the profile is not calibrated$'
}
# By a clock of the program's own one reading costs what it says, or what it takes on average, and no more is known: of two
# readings for each of its 10,000 calls Loop's own time is less by the historic rule.
reading_known() { # CLOCK PICOSECONDS NS
    only_keys=${keys% *} not_calibrated "ILINJECT_CLOCK=type:$1, Calls" || return 1
    [ "$(value clock_read_ps)" = "$2" ] || { echo "clock_read_ps: $(value clock_read_ps)"; return 1; }
    [ $(($(own Loop --raw) - $(own Loop --offset=article))) -eq $((10000 * 2 * $3)) ] || { echo "$(own Loop --raw), $(own Loop --offset=article)"; return 1; }
}
# The methods that were measured are the tracker's own secret.
only_the_program() {
    profile || return 1
    diff <(printf '%s\n' 'Calls.Leaf(int) 10000' 'Calls.Loop(int) 1' 'Calls.Main(string[]) 1') \
        <("$ILINJECT" report --json p.ilprof | sed -n 's/^{"module".*"name": "\([^"]*\)".*"calls": \([0-9]*\).*/\1 \2/p' | sort) &&
        [ "$("$ILINJECT" report --json p.ilprof | sed -n 's/.*"totals": {"enters": \([0-9]*\).*/\1/p')" -eq 10002 ] &&
        [ "$("$ILINJECT" report --json p.ilprof | grep -c '^{"id": ')" -eq 1 ]
}
# METHOD: its own time, with the options that follow.
own() { "$ILINJECT" report --json "${@:2}" p.ilprof | sed -n "s/^{\"module\".*\"name\": \"Calls.$1(int)\".*\"exclusive_ns\": \(-\{0,1\}[0-9]*\).*/\1/p"; }
shown() {
    profile || return 1
    local raw corrected
    raw=$(own Leaf --raw) corrected=$(own Leaf)
    [ "$corrected" -ge 0 ] && [ "$corrected" -lt "$raw" ] || { echo "raw $raw, corrected $corrected"; return 1; }
    "$ILINJECT" report p.ilprof | grep -q "^Times    without the probes', about .* %" || { echo "no head"; return 1; }
    "$ILINJECT" report --raw p.ilprof | grep -q "^Times    as recorded, with the probes', about .* %" || { echo "no raw head"; return 1; }
    "$ILINJECT" report --offset=article p.ilprof | grep -q '^Times    less two clock readings'
}
# CLASS: its methods that are to be optimised at once, a line each.
hot() { sed -n '/MethodImpl(.*Hot)/{n;s/.* \([A-Za-z]*\)(.*/\1/p}' "$ROOT/runtime-tracker/$1.cs" | sort; }
# CLASS, and NAME=VALUE: those that the runtime says that it has compiled, and how.
compiled() {
    rm -f jit.txt
    # shellcheck disable=SC2086
    unset ${!DOTNET_Tiered*} ${!DOTNET_TC_*} ${!COMPlus_*}
    profile DOTNET_JitStdOutFile="$PWD/jit.txt" DOTNET_JitDisasmSummary=1 "${@:2}" || return 1
    sed -n "s/.* JIT compiled Instrumenter\\.$1:\([A-Za-z]*\)(.*\[\([^],]*\).*/\1 \2/p" jit.txt | grep -v '^Prepare \|^get_\|^IsOff ' | sort
}
# All that is timed is optimised at its first call, by this runtime's defaults. Where it puts the probes' code into the program's methods, so
# do those that are timed: Enter and Leave are none of their own.
optimised() {
    local calls inlined
    inlined=$(compiled CalibrationInlined) && calls=$(compiled CalibrationCalls) || return 1
    ! grep -v 'FullOpts$' <<<"$inlined"$'\n'"$calls" || return 1
    diff <(hot CalibrationInlined) <(cut -d ' ' -f 1 <<<"$inlined") &&
        diff <(comm -23 <(hot CalibrationCalls) <(hot CalibrationInlined)) <(cut -d ' ' -f 1 <<<"$calls")
}
# NAME=VALUE, where the runtime does not do that: then these call the probes as the program's do.
called() {
    local calls
    calls=$(compiled CalibrationCalls "$@") && diff <(hot CalibrationCalls) <(cut -d ' ' -f 1 <<<"$calls")
}
called_by_configuration() {
    sed 's/"framework":/"configProperties":{"System.Runtime.TieredPGO":false},&/' Calls.runtimeconfig.json >out/Calls.runtimeconfig.json
    called
    local status=$?
    cp Calls.runtimeconfig.json out/
    return $status
}
# FILE METHOD: what stands between its braces.
body() { sed -n "/ static [a-z]* $2(int [a-z]*)\$/,/^        }/p" "$ROOT/runtime-tracker/$1.cs" | sed 1d; }
copied() {
    [ "$(body ProfileInfoTracker WhenEnteringMethod | wc -l)" -gt 10 ] && [ "$(body ProfileInfoTracker WhenLeavingMethod | wc -l)" -gt 10 ] &&
        diff <(body ProfileInfoTracker WhenEnteringMethod) <(body CalibrationInlined Enter) &&
        diff <(body ProfileInfoTracker WhenLeavingMethod) <(body CalibrationInlined Leave)
}
# Of many rounds each so many is quiet; in the others a probe around work costs half as much again, and all the rest what it costs in those.
quiet_rounds() {
    cat >Rounds.cs <<'X' && mcs -nologo -out:rounds.exe Rounds.cs "$ROOT/runtime-tracker/CalibrationRounds.cs" && timeout 150 mono rounds.exe
using System;
using Instrumenter;

public static class Rounds
{
    static bool Hold(int count, int each, int expected)
    {
        CalibrationRounds rounds = new CalibrationRounds();
        for (int i = 0; i < count; i++)
        {
            int rows = 3 + i % 7, body = rows * 10000 + i % 3, inside = i % each == 0 ? 16000 : 24000;
            double[] values = rounds.Values;
            int at = rounds.Add();
            values[at + CalibrationRounds.Whole] = 100000 + 8 * body + 4 * inside;
            values[at + CalibrationRounds.Body] = body;
            values[at + CalibrationRounds.Rows] = rows;
            values[at + CalibrationRounds.InsideEmpty] = 25000;
            values[at + CalibrationRounds.InsideWork] = inside;
        }
        int[] quiet = rounds.Quiet();
        long empty = rounds.Middle(CalibrationRounds.InsideEmpty, quiet), work = rounds.Middle(CalibrationRounds.InsideWork, quiet);
        Console.WriteLine("{0} quiet of {1}: {2} empty, {3} with work", quiet.Length, rounds.Count, empty, work);
        return quiet.Length == expected && rounds.Count == count && empty == 25000 && work == 16000;
    }

    public static int Main()
    {
        // An eighth; as many as there are; all that there is.
        return Hold(400, 5, 50) & Hold(40, 8, 5) & Hold(3, 1, 3) ? 0 : 1;
    }
}
X
}

check "quiet rounds are told by what a busy core slows" quiet_rounds
check "what is measured within a method is what it calls otherwise" copied
for runtime in mono dotnet; do
    if ! has $runtime; then
        skip "$runtime: what the probes cost is measured" "$runtime is not installed"
        continue
    fi
    check "$runtime: a profile says what the probes cost" calibrated
    check "$runtime: also by a clock that stands still meanwhile" calibrated ILINJECT_CLOCK=coarse
    check "$runtime: also while nothing is recorded" calibrated x
    check "$runtime: not by a clock that counts nothing" not_calibrated ILINJECT_CLOCK=none
    check "$runtime: by one of the program's own a reading alone is measured" reading_known Steps 1001000 1001
    check "$runtime: or it says itself what that costs" reading_known Stated 250000000 250000
    check "$runtime: the calls that were measured are not in it" only_the_program
    check "$runtime: the report takes the cost off, or says that it did not" shown
done
if ! has dotnet; then
    skip "what is measured is optimised code" "dotnet is not installed"
    skip "probes are measured within methods only where they are so in the program's" "dotnet is not installed"
else
    check "what is measured is optimised code" optimised
    check "probes are called where the environment says so" called DOTNET_TieredPGO=0
    check "probes are called where tiers are off" called DOTNET_TieredCompilation=0
    check "probes are called where the configuration says so" called_by_configuration
fi
finish
