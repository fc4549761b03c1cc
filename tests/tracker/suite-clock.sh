#!/usr/bin/env bash
# The clocks: tests/tracker/Clocked.cs, instrumented, timed by each of them on both runtimes. Counts are exact with every one, times
# are compared with each other.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
here=$ROOT/tests/tracker

if ! has mono || ! has mcs; then
    skip "each clock times a program" "mono and mcs are not installed"
    finish
fi
mkdir in app baked bare
cp "$BUILD/ProfileInfoTracker.dll" in
mcs -nologo -out:in/Clocked.exe -r:in/ProfileInfoTracker.dll "$here/Clocked.cs" || exit 1
cat >in/Clocked.runtimeconfig.json <<'END'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
END
"$ILINJECT" in/Clocked.exe -o app/ --native-clock=host --quiet && "$ILINJECT" in/Clocked.exe -o bare/ --quiet || exit 1

# ---- Where the native library goes -----------------------------------------------------------------------------------

library=libilinject_clock.so
machine() { od -An -tu2 -j18 -N2 "$1" | tr -d ' '; } # e_machine: 62 x64, 183 arm64
host=$(machine "$BUILD/ilinject")
is_there() { [ "$(machine "$1/$library")" = "$host" ]; }
not_there() { [ ! -e "$1/$library" ]; }
with() { rm -rf out && mkdir out && "$ILINJECT" in/Clocked.exe -o out/ --quiet "$@"; }
check "--native-clock=host puts this machine's library beside the output" is_there app
check "nothing is put there unasked" not_there bare
for clock in fast fast-unfenced cpu; do check "--set clock=$clock brings it along" eval "with --set clock=$clock && is_there out"; done
for clock in mixed stopwatch ticking coarse none type:A.B; do check "--set clock=$clock does not" eval "with --set clock=$clock && not_there out"; done
check "of several --set clock the last one counts" eval "with --set clock=fast --set clock=none && not_there out"
check "--dry-run writes none" eval "rm -rf out && mkdir out && '$ILINJECT' in/Clocked.exe -o out/ --quiet --dry-run --set clock=fast && not_there out"
check "a tracker of one's own gets it when asked for" eval "with --tracker in/ProfileInfoTracker.dll --native-clock=host && is_there out"
check "and not by a setting, which is its own affair" eval "with --tracker in/ProfileInfoTracker.dll --set clock=fast && not_there out"
several() { # several inputs, several threads: one library, and what lies there with the same bytes is left alone
    rm -rf many out && mkdir many out && for i in 1 2 3 4; do cp in/Clocked.exe many/Clocked$i.exe; done
    "$ILINJECT" many/*.exe -o out/ --quiet -j4 --native-clock=host && is_there out || return 1
    touch -d 2001-01-01 out/$library && "$ILINJECT" many/*.exe -o out/ --quiet -j4 --native-clock=host && [ "$(date -r out/$library +%Y)" = 2001 ] || return 1
    echo other >out/$library && "$ILINJECT" many/*.exe -o out/ --quiet -j4 --native-clock=host && is_there out && [ -z "$(ls out | grep -v -E "^(Clocked.\.exe|ProfileInfoTracker.dll|$library)$")" ] || { ls out; return 1; }
}
check "several inputs have one; another file of its name gives way, the same one stays" several
for cpu in x64 arm64; do
    if with --native-clock=$cpu 2>err.txt; then
        check "--native-clock=$cpu is for that processor" test "$(machine out/$library)" = "$([ $cpu = x64 ] && echo 62 || echo 183)"
    else
        check "--native-clock=$cpu without such a compiler is an error, and nothing is written" eval "grep -q 'error ILJ0437: .* for $cpu' err.txt && [ ! -e out/Clocked.exe ]"
    fi
done
needs_nothing() { ! readelf -d "$1" | grep -q NEEDED; }
if has readelf; then
    check "the library needs no other" needs_nothing app/$library
else
    skip "the library needs no other" "readelf is not installed"
fi

# The library by itself, on the processors that there are compilers and emulators for.
cat >clock.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "clock.h"
static void expect(int holds, const char *what) { if (!holds) { printf("%s\n", what); exit(1); } }
int main(void) {
    int64_t start = 0, end = 0, first = ilinject_clock_match(&start), cpu = ilinject_clock_cpu();
    volatile unsigned spun = 0;
    while (ilinject_clock_cpu() - cpu < 20000000) spun++;
    int64_t ticks = ilinject_clock_match(&end) - first, own = ilinject_clock_cpu();
    double rate = (double)ticks * 1e9 / (double)(end - start), stated = (double)ilinject_clock_frequency();
    expect(ilinject_clock_version() == ILINJECT_CLOCK_VERSION, "version");
    expect(end - start >= 20000000 && ticks > 0, "the monotonic clock goes on");
    expect(rate > 1e6 && rate < 2e10, "a rate that processors have");
    expect(stated == 0 || (rate / stated > 0.98 && rate / stated < 1.02), "the stated rate is the measured one");
    int64_t a = ilinject_clock_fenced(), b = ilinject_clock_fenced(), c = ilinject_clock_unfenced();
    expect(a <= b && c > first, "the counter goes on");
    expect(ilinject_clock_cpu_of(ilinject_clock_thread()) >= own, "a thread's clock by its number");
    expect(ilinject_clock_cpu_of(~(int64_t)(1 << 27) * 8 | 6) == -1, "no such thread");
    expect(ilinject_clock_function(1) == (void *)ilinject_clock_fenced && ilinject_clock_function(0) == (void *)ilinject_clock_unfenced, "addresses");
    return 0;
}
END
alone() { # COMPILER RUNNER
    "$1" -std=gnu11 -O2 -static -I"$ROOT/runtime-tracker/clock" -o clock-test clock.c "$ROOT/runtime-tracker/clock/clock.c" && ${2:-env} ./clock-test
}
if [ "$host" = 62 ]; then foreign=aarch64-linux-gnu-gcc emulator=qemu-aarch64-static; else foreign=x86_64-linux-gnu-gcc emulator=qemu-x86_64-static; fi
check "the library does what its header says" alone gcc
compiles_for_it() { has $foreign && echo '#include <stdio.h>' | $foreign -x c -fsyntax-only - 2>/dev/null; } # with its C library
if compiles_for_it && { has $emulator || has ${emulator%-static}; }; then
    check "and for the other processor, emulated" alone $foreign "$(command -v $emulator || command -v ${emulator%-static})"
else
    skip "the library does what its header says on the other processor" "$foreign with its C library or $emulator is not installed"
fi

# ---- Runs ------------------------------------------------------------------------------------------------------------

drive() { # FOLDER CLOCK SCENARIO: the clock from the environment; -: none there
    local setting=ILINJECT_CLOCK=$2
    [ "$2" != - ] || setting=ILINJECT_BEAT=10
    rm -rf run && mkdir run
    (cd run && exec timeout -k 1 120 env "$setting" "$runtime" "../$1/Clocked.exe" "$3") >out.txt 2>err.txt || { head -n 20 out.txt err.txt; return 1; }
    dump tree run/Clocked.ilprof >tree.txt
}
value() { sed -n "s/^run $1=//p" tree.txt | grep . || echo absent; }
is() { [ "$(value "$1")" = "$2" ] || { echo "$1=$(value "$1"), expected $2"; return 1; }; }
silent() { [ ! -s err.txt ] || { cat err.txt; return 1; }; }
# The line of a dear clock, with a price that a call of the operating system has: 20 ns to 1 ms.
says_price() {
    says 'clock=cpu: a reading is a call of the operating system and takes about ([0-9]+) ns, twice for each call of an instrumented method' || return 1
    local price
    price=$(sed 's/.* about \([0-9]*\) ns.*/\1/' err.txt)
    [ "$price" -ge 20 ] && [ "$price" -le 1000000 ] || { echo "$price ns"; return 1; }
}
says_no_more() { if [ "$1" = cpu ]; then says_price; else silent; fi; } # CLOCK
says() { [ "$(wc -l <err.txt)" -eq 1 ] && grep -q -E -x -- "ilinject: $1" err.txt || { echo "expected: $1"; cat err.txt; return 1; }; }
counted() { # the work's calls, each exactly
    diff - <(sed -n -E 's/^ *(Program\..*) calls=([0-9]+) .* resynchronised=0 open=0.*/\1 \2/p' tree.txt) <<'END'
Program.Main(string[]) 1
Program.Sleeps() 1
Program.Spins() 1
Program.Calls(int) 1
Program.Small() 1000
END
}
ticks() { sed -n -E "s/^ *Program\.$1\(.* ticks=([0-9]+) .*/\1/p" tree.txt | head -n 1; }
milliseconds() { echo $(($(ticks "$1") * 1000 / $(value ticks_per_second))); }
wall() { echo $(($(value wall_ticks) * 1000 / $(value ticks_per_second))); }
add_up() { [ "$(ticks Main)" -ge $(($(ticks Sleeps) + $(ticks Spins) + $(ticks Calls))) ] && [ "$(ticks Calls)" -ge "$(ticks Small)" ]; }
# Sleeping takes 60 ms or more (less two steps of a coarse clock), computing something, and all no more than there was.
wall_times() {
    add_up && [ "$(milliseconds Sleeps)" -ge 28 ] && [ "$(ticks Spins)" -gt 0 ] && [ "$(milliseconds Main)" -le "$(($(wall) + 20))" ] && [ "$(wall)" -lt 60000 ] ||
        { cat tree.txt; return 1; }
}
cpu_times() { add_up && [ "$(ticks Spins)" -gt "$(ticks Sleeps)" ] && [ "$(milliseconds Sleeps)" -lt 28 ] && [ "$(wall)" -ge 60 ] || { cat tree.txt; return 1; }; }
no_times() { ! grep ' ticks=[1-9]' tree.txt && [ "$(wall)" -ge 60 ]; }
works() { # CLOCK TIMES
    drive app "$1" work && says_no_more "$1" && counted && is clock "$1" && is clock_wanted absent && "$2"
}
threads() { drive app "$1" threads && says_no_more "$1" && dump sums run/Clocked.ilprof | grep -F -x 'Program.Small() 208010 0 0'; }
falls_back() { # CLOCK REASON [FOLDER]: to Stopwatch, in one line
    drive "${3:-app}" "$1" work && says "clock=$1: $2; using stopwatch" && counted && is clock stopwatch && is clock_wanted "$1" && wall_times
}
baked() { rm -rf baked && mkdir baked && "$ILINJECT" in/Clocked.exe -o baked/ --quiet --set clock=fast && drive baked - work && silent && is clock fast && drive baked none work && is clock none; }
user() { drive app "type:Clocks.$1" work && silent && counted && is clock "type:Clocks.$1" && is ticks_per_second "$2" && wall_times; }
backwards() { drive app type:Clocks.Backwards work && silent && counted && no_times; }
jumps() { # SCENARIO
    drive app type:Clocks.Jumps "$1" && silent && is clock type:Clocks.Jumps && "$ILINJECT" report --json run/Clocked.ilprof >report.json &&
        ! grep -E -m 3 '_ns": -' report.json && "$ROOT/tests/consistent" report.json
}
jumps_one() { ILINJECT_TIMELINE=1 ILINJECT_HISTOGRAM=1 jumps work && counted && dump nested run/Clocked.ilprof; }
jumps_eight() { jumps threads && dump sums run/Clocked.ilprof | grep -F -x 'Program.Small() 208010 0 0'; }
throws_later() { drive app type:Clocks.ThrowsLater work && says 'the clock Clocks\.ThrowsLater has thrown System\.NotSupportedException; going on in wall time' && counted && is clock type:Clocks.ThrowsLater && [ "$(ticks Small)" -gt 0 ]; }
open_cpu() { # a thread that sleeps behind its computing, seen from another one
    drive app cpu open && says_price && [ "$(milliseconds '<Open[^(]*')" -lt 900 ] && [ "$(ticks '<Open[^(]*')" -gt 0 ] || { cat tree.txt; return 1; }
}
# 100 ms of waiting are in an async call's wall time, and not in the time that it ran.
async_cpu() {
    drive app cpu async && says_price && read -r _ running awaiting wall < <(dump asynctime run/Clocked.ilprof | sed 's/.*MoveNext() /- /') &&
        [ "$wall" -ge 90000 ] && [ "$wall" -ge "$awaiting" ] && [ "$running" -lt "$awaiting" ] || { dump asynctime run/Clocked.ilprof; return 1; }
}
# Calls of 10 and 30 us, each far shorter than a tick: their sums are right by five times the root of the number of ticks.
sums_of_ticks() {
    local long long_with short short_with
    drive app ticking ticks && silent && read -r long long_with short short_with <out.txt && near Long "$long" "$long_with" && near Short "$short" "$short_with" ||
        { cat out.txt tree.txt; return 1; }
}
near() { # METHOD NANOSECONDS NANOSECONDS: not below the first, nor above the second
    awk -v ticks="$(ticks "$1")" -v rate="$(value ticks_per_second)" -v least="$2" -v most="$3" -v step="$(value clock_step_ns)" '
        function error(time) { return 5 * sqrt(time * step) + 2 * step }
        BEGIN { time = ticks * 1e9 / rate; exit time < least - error(least) || time > most + error(most) }'
}
# The report's range is that of the number of ticks, both at once; counts are exact.
ranges_of_ticks() {
    "$ILINJECT" report --json run/Clocked.ilprof | python3 -c '
import json, sys
profile = json.load(sys.stdin)
step = profile["runs"][0]["clock_step_ns"]
assert profile["runs"][0]["clock_ticks"] > 20
assert profile["totals"]["open"] == 0, profile["totals"]
for function in profile["functions"]:
    if "Long" in function["name"] or "Short" in function["name"]:
        assert function["calls"] == 20000
        assert function["min_ns"] is None
        time, low, high = (function["inclusive_" + kind] for kind in ("ns", "low_ns", "high_ns"))
        error = 2 * (time * step) ** 0.5
        assert low <= time - 0.9 * error and high >= time + 0.9 * error, function
'
}
# Two runs merged: one file's ranges are no narrower than the root of their ticks allows.
merged_ticks() {
    cp run/Clocked.ilprof "first-$runtime.ilprof" && drive app ticking ticks && rm -f merged.ilprof &&
        "$ILINJECT" merge "first-$runtime.ilprof" run/Clocked.ilprof -o merged.ilprof && "$ILINJECT" report --json merged.ilprof | python3 -c '
import json, sys
profile = json.load(sys.stdin)
step = min(run["clock_step_ns"] for run in profile["runs"])
for function in profile["functions"]:
    if "Long" in function["name"] or "Short" in function["name"]:
        assert function["calls"] == 40000
        time, low, high = (function["inclusive_" + kind] for kind in ("ns", "low_ns", "high_ns"))
        error = 2 * (time * step) ** 0.5
        assert low <= time - 0.9 * error and high >= time + 0.9 * error, function
'
}
stops_at_a_call() { # a call that takes no tick ends the recording all the same
    ILINJECT_STOP=Program.Small drive app ticking work && silent && grep -q -E '^ *Program\.Small\(\) calls=1 ' tree.txt || { cat tree.txt; return 1; }
}
no_histogram() {
    ILINJECT_HISTOGRAM=1 drive app ticking work && says 'histogram=1: with clock=ticking no single call is timed; there are no histograms' &&
        counted && ! grep -q -a HIST run/Clocked.ilprof
}
rests() { # two ticks are half a millisecond apart, or more: there are no more than until recording stops, and the process was 10 ms older
    drive app ticking later && silent && [ "$(value clock_ticks)" -le $((2 * ($(cat out.txt) + 10))) ] || { cat out.txt tree.txt; return 1; }
}
# While the program waits, ticks come 16 times as seldom; the wait is the waiting method's all the same.
quiet() {
    local often
    drive app ticking quiet && silent && often=$(cat out.txt) && [ "$often" -ge 20 ] && [ "$often" -le 300 ] || { cat out.txt err.txt; return 1; }
    [ "$(milliseconds Quiet)" -ge 2450 ] && [ "$(milliseconds Quiet)" -le $(($(wall) + 20)) ] && [ "$(ticks Spins)" -gt 0 ] ||
        { cat tree.txt; return 1; }
}
# The JIT compiler calls the function as it is, without telling the garbage collector.
no_transition() {
    DOTNET_JitDisasm=Fenced DOTNET_JitStdOutFile=$SCRATCH/code.txt DOTNET_TieredCompilation=0 drive app fast work &&
        grep -q 'call .*ilinject_clock_fenced' code.txt && ! grep -q -E 'PINVOKE|STOP_FOR_GC' code.txt || { grep call code.txt; return 1; }
}

for runtime in mono dotnet; do
    turn=0
    if ! has "$runtime"; then
        skip "each clock times a program on $runtime" "$runtime is not installed"
        continue
    fi
    for clock in stopwatch ticking fast fast-unfenced coarse; do check "$runtime: $clock counts and times" works $clock wall_times; done
    check "$runtime: ticking: sums of calls shorter than a tick are right" sums_of_ticks
    if has python3; then
        check "$runtime: ticking: ranges are those of the number of ticks, and single calls have no time" ranges_of_ticks
        check "$runtime: ticking: so are those of merged runs" merged_ticks
    else
        skip "$runtime: ticking: ranges are those of the number of ticks" "python3 is not installed"
        skip "$runtime: ticking: so are those of merged runs" "python3 is not installed"
    fi
    check "$runtime: ticking: the end of a call within a tick stops the recording" stops_at_a_call
    check "$runtime: ticking: there are no histograms, and a line says so" no_histogram
    check "$runtime: ticking: nothing ticks while nothing is recorded" rests
    if [[ $(cat /proc/$$/schedstat 2>/dev/null) =~ ^[1-9] ]]; then
        check "$runtime: ticking: ticks are few while the program waits" quiet
    else
        skip "$runtime: ticking: ticks are few while the program waits" "the kernel does not count how long threads run and wait"
    fi
    check "$runtime: cpu counts, times computing alone, and says its price once" works cpu cpu_times
    check "$runtime: an open frame has its own thread's CPU time" open_cpu
    check "$runtime: with cpu an async call waits in wall time" async_cpu
    check "$runtime: none counts, and times nothing" works none no_times
    for clock in stopwatch ticking fast fast-unfenced coarse cpu none type:Clocks.Good; do
        in_turn "$runtime: $clock: 8 threads lose no call, and none allocates" threads $clock
    done
    in_turn "$runtime: a clock baked in is there, and the environment counts for more" baked
    for clock in fast fast-unfenced cpu; do
        in_turn "$runtime: $clock without the library falls back" falls_back $clock 'libilinject_clock is not beside the tracker, or not for this system' bare
    done
    in_turn "$runtime: a damaged library falls back" eval "cp -r bare damaged && echo no library >damaged/$library && falls_back fast 'libilinject_clock is not beside the tracker, or not for this system' damaged"
    rm -rf damaged
    in_turn "$runtime: a clock of the program's, instrumented itself" user Good 1000000000
    in_turn "$runtime: one that says its rate" user Slow 1000
    in_turn "$runtime: a static one" user Static 1000
    in_turn "$runtime: one that throws inside, and catches" user Catches 1000000000
    in_turn "$runtime: its type with the assembly" eval "drive app 'type:Clocks.Good, Clocked' work && silent && is clock 'type:Clocks.Good, Clocked'"
    in_turn "$runtime: one that goes backwards gives no negative times" backwards
    if has python3; then
        in_turn "$runtime: one that jumps to and fro counts, and no figure contradicts another" jumps_one
        in_turn "$runtime: nor on eight threads" jumps_eight
    else
        skip "$runtime: no figure contradicts another when a clock jumps" "python3 is not installed"
    fi
    in_turn "$runtime: one that throws later is given up" throws_later
    in_turn "$runtime: a type that is not there falls back" falls_back type:Clocks.Missing 'there is no such type'
    in_turn "$runtime: an assembly that is not there falls back" falls_back 'type:Clocks.Good, Missing' '.*'
    in_turn "$runtime: a type that is no clock falls back" falls_back type:Clocks.Nothing 'it is no Instrumenter\.IHighResolution, and has no public static long Ticks'
    in_turn "$runtime: a constructor that throws falls back" falls_back type:Clocks.FailsToBegin 'its constructor has thrown System\.NotSupportedException'
    in_turn "$runtime: no constructor falls back" falls_back type:Clocks.NeedsMore 'it has no public constructor without parameters'
    in_turn "$runtime: a reading that throws falls back" falls_back type:Clocks.ThrowsAtOnce 'it has thrown System\.NotSupportedException'
    in_turn "$runtime: a rate of 0 falls back" falls_back type:Clocks.StandsStill 'its TicksPerSecond is not above 0'
    in_turn "$runtime: an unknown clock is named" eval "drive app sundial work && says 'ILINJECT_CLOCK: expected mixed, stopwatch, ticking, fast, fast-unfenced, coarse, cpu, none or type:NAME, found \"sundial\"' && is clock mixed && is clock_wanted absent"
done
runtime=dotnet
if has dotnet; then
    check ".NET reads the counter without leaving managed code" no_transition
else
    skip ".NET reads the counter without leaving managed code" "dotnet is not installed"
fi
finish
