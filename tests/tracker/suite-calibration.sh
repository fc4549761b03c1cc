#!/usr/bin/env bash
# The cost of the probes is in each profile of a clock that can measure it, and nowhere else does it show that
# it was measured.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
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
    "$ILINJECT" -q Calls.exe -o out/Calls.exe --exclude Steps --exclude Stated || exit 1

quantities='inside_empty outside_empty inside_work outside_work outside_last'
# shellcheck disable=SC2086
keys="$(printf '%s_mean_ps ' $quantities)$(printf '%s_high_ps ' $quantities)$(printf '%s_ps ' $quantities)clock_read_ps"
# NAME=VALUE are settings, the rest are arguments; the profile is p.ilprof.
profile() {
    local settings=()
    while [[ ${1-} == *=* ]]; do settings+=("$1"); shift; done
    rm -f p.ilprof
    env "${settings[@]}" ILINJECT_OUT=p.ilprof timeout 150 "$runtime" out/Calls.exe "$@" 2>err.txt || { cat err.txt; return 1; }
}
value() { dump run p.ilprof "$1"; }
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
    "$ILINJECT" report -v p.ilprof | grep -q '^Times    as recorded: the profile is not calibrated$'
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
    profile ILINJECT_CLOCK=stopwatch || return 1
    local raw corrected
    raw=$(own Leaf --raw) corrected=$(own Leaf)
    [ "$corrected" -ge 0 ] && [ "$corrected" -lt "$raw" ] || { echo "raw $raw, corrected $corrected"; return 1; }
    "$ILINJECT" report -v p.ilprof | grep -q "^Times    overhead removed, about .* %" || { echo "no head"; return 1; }
    "$ILINJECT" report -v --raw p.ilprof | grep -q "^Times    as recorded, overhead included, about .* %" || { echo "no raw head"; return 1; }
    "$ILINJECT" report -v --offset=article p.ilprof | grep -q '^Times    less two clock readings'
}
# CLASS: its methods that are to be optimised at once, a line each.
hot() { sed -n '/MethodImpl(.*Hot)/{n;s/.* \([A-Za-z]*\)(.*/\1/p}' "$ROOT"/runtime-tracker/*/"$1.cs" | sort; }
# CLASS, and NAME=VALUE: those that the runtime says that it has compiled, and how.
compiled() {
    rm -f jit.txt
    # shellcheck disable=SC2086
    unset ${!DOTNET_Tiered*} ${!DOTNET_TC_*} ${!COMPlus_*}
    profile DOTNET_JitStdOutFile="$PWD/jit.txt" DOTNET_JitDisasmSummary=1 "${@:2}" || return 1
    sed -n "s/.* JIT compiled Instrumenter\\.$1:\([A-Za-z]*\)(.*\[\([^],]*\).*/\1 \2/p" jit.txt | grep -v '^Prepare \|^get_\|^IsOff ' | sort
}
# All that is timed is optimised at its first call, by this runtime's defaults, and so is what it calls there: the ways in
# and out of a recorded call, which stay as they are for the whole run.
optimised() {
    local calls
    calls=$(compiled CalibrationCalls) || return 1
    ! grep -v 'FullOpts$' <<<"$calls" || return 1
    diff <(hot CalibrationCalls) <(cut -d ' ' -f 1 <<<"$calls") &&
        diff <(printf '%s\n' 'EnterByClock Tier-0 switched to FullOpts' 'EnterRecorded Tier-0 switched to FullOpts' 'LeaveRecorded Tier-0 switched to FullOpts') \
            <(sed -n 's/.* JIT compiled Instrumenter\.ProfileInfoTracker:\([A-Za-z]*Recorded\|[A-Za-z]*ByClock\)(.*\[\([^],]*\).*/\1 \2/p' jit.txt | sort)
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
# In many rounds each that many is quiet; in the others a probe around work costs half as much again,
# and all the rest what it costs in those.
quiet_rounds() {
    cat >Rounds.cs <<'X' && mcs -nologo -out:rounds.exe Rounds.cs "$ROOT"/runtime-tracker/{Calibration/CalibrationRounds,Calibration/Ascending}.cs && timeout 150 mono rounds.exe
using System;
using Instrumenter;

public static class Rounds
{
    // The first `quietly` are quiet, too.
    static bool Hold(int count, int each, int quietly, int expected)
    {
        CalibrationRounds rounds = new CalibrationRounds(CalibrationRounds.Kept), one = new CalibrationRounds(1);
        for (int i = 0; i < count; i++)
        {
            int rows = 3 + i % 7, body = rows * 10000 + i % 3, inside = i < quietly || i % each == 0 ? 16000 : 24000;
            double[] values = one.Values;
            const int at = 0;
            one.Made = 1;
            values[at + CalibrationRounds.Whole] = 100000 + 8 * body + 4 * inside;
            values[at + CalibrationRounds.Body] = body;
            values[at + CalibrationRounds.Rows] = rows;
            values[at + CalibrationRounds.InsideEmpty] = 25000;
            values[at + CalibrationRounds.InsideWork] = inside;
            rounds.Take(one);
        }
        int[] quiet = rounds.Quiet();
        double[] middles = rounds.Middles(quiet);
        double empty = middles[CalibrationRounds.InsideEmpty], work = middles[CalibrationRounds.InsideWork];
        Console.WriteLine("{0} quiet of {1}: {2} empty, {3} with work", quiet.Length, rounds.Count, empty, work);
        return quiet.Length == expected && rounds.Count == Math.Min(count, 512) && rounds.Made == count && empty == 25000 && work == 16000;
    }

    public static int Main()
    {
        // An eighth; as many as there are; all that there is. An hour whose first twelve minutes alone were quiet: of 512
        // rounds that are kept of 30,000 some 102 are of these.
        return Hold(400, 5, 0, 50) & Hold(40, 8, 0, 5) & Hold(3, 1, 0, 3) & Hold(30000, 40000, 6000, 64) ? 0 : 1;
    }
}
X
}

# Numbers in all orders of few, and of many as they come, beside the core library's sort; no more than it is reported.
ascending() {
    cat >Order.cs <<'X' && mcs -nologo -out:order.exe Order.cs "$ROOT/runtime-tracker/Calibration/Ascending.cs" && timeout 150 mono order.exe
using System;
using Instrumenter;

public static class Order
{
    static bool Right(double[] values, int count)
    {
        double[] expected = (double[])values.Clone();
        Array.Sort(expected, 0, count);
        bool right = Ascending.Sort(values, count) == count;
        for (int i = 0; i < values.Length; i++)
            right &= values[i] == expected[i];
        return right;
    }

    public static int Main()
    {
        bool right = Right(new double[0], 0) && Right(new double[] { 2, 1 }, 1);
        // Each number of five digits below 5.
        for (int n = 0; n < 3125; n++)
            right &= Right(new double[] { n % 5, n / 5 % 5, n / 25 % 5, n / 125 % 5, n / 625 }, 5);
        Random random = new Random(7);
        for (int length = 6; length <= 512; length += 11)
        {
            double[] values = new double[length + 3];
            for (int i = 0; i < values.Length; i++)
                values[i] = random.NextDouble() * 2000 - 1000;
            right &= Right(values, length);
        }
        return right ? 0 : 1;
    }
}
X
}

# Moments by hand: what each stands for, the mean, and what nine tenths of the time did not exceed.
moments() {
    cat >Moments.cs <<'X' && mcs -nologo -out:moments.exe Moments.cs "$ROOT"/runtime-tracker/{Calibration/CalibrationMoments,Calibration/Ascending}.cs && timeout 150 mono moments.exe
using System;
using Instrumenter;

public static class Moments
{
    static bool failed;

    static CalibrationMoments Of(int capacity, params double[] timesAndValues)
    {
        CalibrationMoments moments = new CalibrationMoments(capacity);
        for (int i = 0; i < timesAndValues.Length; i += 2)
            Add(moments, (long)timesAndValues[i], timesAndValues[i + 1], long.MinValue);
        return moments;
    }

    // The quantities have the value, and multiples of it; one is below 0.
    static void Add(CalibrationMoments moments, long time, double value, long start)
    {
        moments.Add(time, new double[] { value, 2 * value, 3 * value, -value, 5 * value }, start);
    }

    static void Is(CalibrationMoments moments, string what, long start, long end, int count, double mean, double high)
    {
        double[] means = new double[5], highs = new double[5];
        int counted = moments.Weigh(start, end, means, highs);
        bool right = counted == count;
        for (int q = 0; q < 5 && count > 0; q++)
        {
            double factor = q == 3 ? -1 : q == 4 ? 5 : q + 1;
            right &= Math.Abs(means[q] - mean * factor) < 1e-6;
            // Figures below 0 stand in the other order.
            right &= q == 3 || Math.Abs(highs[q] - high * factor) < 1e-6;
        }
        if (!right)
            Console.WriteLine("{0}: {1} calibrations, mean {2}, high {3}", what, counted, means[0], highs[0]);
        failed |= !right;
    }

    public static int Main()
    {
        Is(Of(8), "none", 0, 100, 0, 0, 0);
        Is(Of(8, 50, 7), "one is of all", 0, 1000, 1, 7, 7);
        Is(Of(8, 50, 7), "also before it", 0, 10, 1, 7, 7);
        Is(Of(8, 50, 7, 60, 9), "no time has passed", 60, 60, 1, 9, 9);

        // 10 stands for 0 to 150, 20 to 250, 60 to 300.
        CalibrationMoments three = Of(8, 100, 10, 200, 20, 300, 60);
        Is(three, "half-way to each other", 0, 300, 3, (150 * 10 + 100 * 20 + 50 * 60) / 300.0, 60);
        Is(three, "the last to the end", 0, 3000, 3, (150 * 10 + 100 * 20 + 2750 * 60) / 3000.0, 60);
        Is(three, "the first two from a later start", 100, 250, 2, (50 * 10 + 100 * 20) / 150.0, 20);
        Is(three, "what ended before the start is out", 260, 300, 1, 60, 60);

        // Bursts: 4 of 40 take eight times as long. One of them beyond a tenth shows in what nine tenths do not exceed.
        CalibrationMoments bursts = new CalibrationMoments(64), more = new CalibrationMoments(64);
        for (int i = 0; i < 40; i++)
        {
            Add(bursts, 5 + i * 10, i % 10 == 3 ? 240 : 30, 0);
            Add(more, 5 + i * 10, i % 10 == 3 || i == 20 ? 240 : 30, 0);
        }
        Is(bursts, "bursts of a tenth", 0, 400, 40, (4 * 240 + 36 * 30) / 40.0, 30);
        Is(more, "bursts of more", 0, 400, 40, (5 * 240 + 35 * 30) / 40.0, 240);

        // Six stand for 0 to 15, 35, 55, 76, 150 and to the end. With one more the second and the third, which stand for
        // the least time together, 40, are one: 2.5.
        CalibrationMoments full = Of(6, 10, 1, 20, 2, 50, 3, 60, 9, 92, 5, 208, 6, 308, 8);
        Is(full, "joined", 0, 358, 7, (15 * 1 + 20 * 2 + 20 * 3 + 21 * 9 + 74 * 5 + 108 * 6 + 100 * 8) / 358.0, 8);
        Is(full, "what was joined", 15, 35, 2, 2.5, 2.5);
        Is(full, "what was not", 55, 76, 1, 9, 9);

        // Each second for hours: all of it counts alike, however often moments were joined.
        CalibrationMoments day = new CalibrationMoments(512);
        const int Seconds = 30000;
        double sum = 0;
        for (int i = 0; i < Seconds; i++)
        {
            // The first 300 s of each 1,000 are dear.
            double value = i % 1000 < 300 ? 100 : 20;
            sum += value;
            Add(day, i * 1000L + 500, value, 0);
        }
        Is(day, "all of a long run", 0, Seconds * 1000L, Seconds, sum / Seconds, 100);

        // After a start anew the past is gone, and the store has room for what comes: 100 more moments, none of them joined.
        long anew = Seconds * 1000L;
        for (int i = 0; i < 100; i++)
            Add(day, anew + 500 + i * 1000L, i < 5 ? 70 : i < 95 ? 30 : 10, anew);
        Is(day, "from a start anew", anew, anew + 100 * 1000L, 100, (5 * 70 + 90 * 30 + 5 * 10) / 100.0, 30);
        return failed ? 1 : 0;
    }
}
X
}
# A calibration of eight rounds: the mean of those that the thread kept its processor for, without the least and the most.
undisturbed_rounds() {
    cat >Undisturbed.cs <<'X' && mcs -nologo -out:undisturbed.exe Undisturbed.cs "$ROOT"/runtime-tracker/{Calibration/CalibrationRounds,Calibration/Ascending}.cs && timeout 150 mono undisturbed.exe
using System;
using Instrumenter;

public static class Undisturbed
{
    static void Add(CalibrationRounds rounds, double window, double slower, int hit, double by, double inside)
    {
        int at = rounds.Made++ * CalibrationRounds.Quantities;
        double whole = 0;
        for (int w = 0; w < CalibrationRounds.Windows; w++)
        {
            double length = (w == 0 ? 10 : window) * slower + (w == hit ? by : 0);
            whole += length;
            rounds.Lengths[(rounds.Made - 1) * CalibrationRounds.Windows + w] = length;
        }
        rounds.Values[at + CalibrationRounds.Whole] = whole;
        rounds.Values[at + CalibrationRounds.InsideEmpty] = inside;
    }

    static bool Is(CalibrationRounds rounds, int left, double mean)
    {
        int[] places = rounds.Undisturbed();
        double found = places.Length == 0 ? 0 : rounds.Means(places)[CalibrationRounds.InsideEmpty];
        Console.WriteLine("{0} of {1} left, mean {2}", places.Length, rounds.Count, found);
        return places.Length == left && Math.Abs(found - mean) < 1e-9;
    }

    public static int Main()
    {
        CalibrationRounds rounds = new CalibrationRounds(64);
        // A whole round is some 6,010. A window of 1,000 that takes 2,200 more was interrupted, also when the round is not
        // three times as long; one of 10 that takes 50 more was not, as a 64th of a round is 94.
        double[] inside = { 20, 21, 22, 23, 24, 25 };
        for (int i = 0; i < 6; i++)
            Add(rounds, 1000, 1, i == 2 ? 0 : -1, 50, inside[i]);
        Add(rounds, 1000, 1, 3, 2200, 7000);
        Add(rounds, 1000, 1, 5, 30000, 8000);
        bool right = Is(rounds, 6, (20 + 21 + 22 + 23 + 24 + 25) / 6.0);
        // Slowness of all of half the rounds is a part of what calls cost. The least of eight, 30, and the most,
        // 200, are out.
        rounds.Made = 0;
        for (int i = 0; i < 8; i++)
            Add(rounds, 1000, i % 2 + 1, -1, 0, i == 0 ? 30 : i == 7 ? 200 : i % 2 == 0 ? 40 : 80);
        right &= Is(rounds, 8, (3 * 40 + 3 * 80) / 6.0);
        return right ? 0 : 1;
    }
}
X
}

check "figures are put in order" ascending
check "the mean of a run weighs each calibration by the time that it stands for" moments
check "a calibration is the mean of the rounds that were not interrupted" undisturbed_rounds
check "quiet rounds are told by what a busy core slows" quiet_rounds
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
