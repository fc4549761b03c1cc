#!/usr/bin/env bash
# How the machine was while a program ran: what its profile says of that, beside what the program
# (Machine.cs) reads itself from the system and the runtime.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
if ! has mono || ! has mcs; then
    skip "a profile says how the machine was" "mono and mcs are not installed"
    finish
fi
if ! [[ $(cat /proc/$$/schedstat 2>/dev/null) =~ ^[1-9] ]]; then
    skip "a profile says how the machine was" "the kernel does not count how long threads run and wait"
    finish
fi
cat >Machine.runtimeconfig.json <<'X'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
X
mcs -nologo -optimize+ -r:"$BUILD/ProfileInfoTracker.dll" "$ROOT/tests/tracker/Machine.cs" -out:Machine.exe && mkdir out && cp Machine.runtimeconfig.json out &&
    "$ILINJECT" -q Machine.exe -o out/Machine.exe && mkdir counted && cp Machine.runtimeconfig.json counted &&
    "$ILINJECT" -q Machine.exe -o counted/Machine.exe --counts || exit 1

# The profile is p.ilprof, what the program said out.txt. Settings before the mode.
profile() {
    local settings=()
    while [[ ${1-} == *=* ]]; do settings+=("$1"); shift; done
    rm -f p.ilprof
    env "${settings[@]}" ILINJECT_OUT=p.ilprof timeout 300 "$runtime" out/Machine.exe "$@" >out.txt 2>err.txt && [ ! -s err.txt ] || { cat out.txt err.txt; return 1; }
}
value() { dump run p.ilprof "$1"; }
said() { sed -n "s/^$1 //p" out.txt; }
# KEY: its value is a number.
known() { [[ $(value "$1") =~ ^[0-9]{1,18}$ ]] || { echo "$1: '$(value "$1")'"; return 1; }; }
# KEY NAME: between two thirds of what the program said and half as much again.
close_to() {
    known "$1" && [ $(($(value "$1") * 3)) -ge $(($(said "$2") * 2)) ] && [ $(($(value "$1") * 2)) -le $(($(said "$2") * 3)) ] ||
        { echo "$1: $(value "$1"), the program: $(said "$2")"; return 1; }
}
said_of_the_machine() {
    local key
    profile sleep 300 || return 1
    for key in cpu_ns ready_ns ran_ns slices processors collections; do known $key || return 1; done
    [ "$(value processors)" = "$(said processors)" ] && [ "$(value slices)" -gt 0 ]
}
# Twice as many threads as processors work at the same time: half of the time each waits.
# Without the clock's thread, which the profile leaves out.
waits() {
    profile ILINJECT_CLOCK=stopwatch stay || return 1
    close_to ran_ns ran && close_to ready_ns ready && close_to slices slices && close_to cpu_ns cpu || return 1
    [ "$(value ready_ns)" -gt $(($(value ran_ns) * 3 / 10)) ] || { echo "ready $(value ready_ns), ran $(value ran_ns)"; return 1; }
    # More than half of all processors were in use meanwhile, and no more than there are.
    known load_permille && [ "$(value load_permille)" -gt 500 ] &&
        [ "$(value load_permille)" -le 1000 ] &&
        known stolen_permille && [ "$(value stolen_permille)" -le 1000 ]
}
# A thread can end between opening its file and reading it (ESRCH, 3): that is not reported.
unheard() {
    profile LD_PRELOAD="$BUILD/tests/faults.so" FAULT_READ=/schedstat FAULT_ERROR=3 sleep 300
}
# Only their work after the last sample is left out. That is most of it where the thread that takes the samples gets no
# processor meanwhile: such a run is made again, twice.
ended() {
    local run
    for run in 1 2 3; do
        profile end && known ran_ns && known ready_ns || return 1
        [ "$(value ran_ns)" -lt $(($(value cpu_ns) * 3 / 2)) ] || break
        [ "$(value ran_ns)" -le $(($(value cpu_ns) * 4 / 10)) ] ||
            [ "$(value ready_ns)" -le $(($(value ran_ns) * 3 / 10)) ] || return 0
    done
    echo "run $run: ran $(value ran_ns), ready $(value ready_ns), cpu $(value cpu_ns)"
    return 1
}
# Each thread has waited once more when the profile is written, where the runtime stops all threads
# for that: on a busy machine as long as all before.
many() {
    profile many && close_to ran_ns ran && known ready_ns || return 1
    [ $(($(value ready_ns) * 3)) -ge $(($(said ready) * 2)) ] ||
        { echo "ready_ns: $(value ready_ns), the program: $(said ready)"; return 1; }
}
# A program that sleeps for 3 s runs for less than half of its time, calibrations and all.
sleeps() {
    local wall
    profile sleep 3000 && known ran_ns || return 1
    wall=$(($(value wall_ticks) * 1000 / $(value ticks_per_second)))
    [ "$wall" -ge 2900 ] && [ $(($(value ran_ns) / 1000000)) -lt $((wall / 2)) ] &&
        [ $(($(value cpu_ns) / 1000000)) -lt $((wall / 2)) ] ||
        { echo "wall $wall ms, ran $(value ran_ns), cpu $(value cpu_ns)"; return 1; }
    # At 0.2 s, and then one when 100 ms of processor time or a second have gone by, or later.
    [ "$(value calibrations)" -ge 2 ] &&
        [ "$(value calibrations)" -le $((1 + wall / 1000 + $(value cpu_ns) / 100000000)) ] ||
        { echo "$(value calibrations) calibrations in $wall ms, cpu $(value cpu_ns)"; return 1; }
}
from_reset() {
    profile reset && known cpu_ns && known ran_ns && known calibrations || return 1
    [ "$(value cpu_ns)" -lt $(($(said before) / 2)) ] &&
        [ "$(value ran_ns)" -lt $(($(said ran) / 2)) ] ||
        { cat out.txt; echo "cpu $(value cpu_ns), ran $(value ran_ns)"; return 1; }
}
# The runtime's own counts: at least what the program had of them.
of_the_runtime() {
    # It collects 20 times.
    profile runtime && known collections && [ "$(value collections)" -ge 20 ] || { cat out.txt; echo "collections: $(value collections)"; return 1; }
    if [ $runtime = mono ]; then
        [ "$(value jit_methods) $(value jit_ns) $(value collection_ns)" = "absent absent absent" ]
    else
        known jit_methods && [ "$(said compiled)" -ge 30 ] &&
            [ "$(value jit_methods)" -ge "$(said compiled)" ] &&
            known jit_ns && [ "$(value jit_ns)" -gt 0 ] && [ "$(value collection_ns)" -gt 0 ]
    fi
}
# As long as the tracker's thread may take to begin: what came before is not lost.
from_the_start() {
    profile collect || return 1
    [ "$(value collections)" = absent ] || [ "$(value collections)" -ge 20 ] || { echo "collections: $(value collections)"; return 1; }
}
# Also with a clock that no call can be calibrated with.
without_calibration() {
    profile ILINJECT_CLOCK=none stay && [ "$(value calibrations)" = absent ] &&
        close_to ran_ns ran && close_to ready_ns ready
}
# All time is the program's threads' or the tracker's (its thread has ended when the profile is written). Its start ran
# on a thread of the program's. 20 ms for steps and for what is read one after the other.
own_work() {
    profile sleep 1000 && known tracker_ns && known cpu_ns && known ran_ns || return 1
    [ "$(value tracker_ns)" -gt 0 ] &&
        [ "$(value tracker_ns)" -ge $(($(value cpu_ns) - $(value ran_ns) - 20000000)) ] ||
        { echo "cpu $(value cpu_ns), ran $(value ran_ns), tracker $(value tracker_ns)"; return 1; }
}
# No processor loads, multiplies and calls in half a nanosecond; nothing that runs code as it is takes a microsecond.
fast_or_slow() {
    local folder
    for folder in out counted; do
        rm -f p.ilprof
        ILINJECT_OUT=p.ilprof timeout 300 "$runtime" $folder/Machine.exe sleep 300 >out.txt && known machine_step_ps || return 1
        [ "$(value machine_step_ps)" -ge 500 ] && [ "$(value machine_step_ps)" -le 1000000 ] || { value machine_step_ps; return 1; }
    done
}
# Few calls are made; what was recorded cost as much as the tracker's threads took.
price_of_its_own() {
    profile ILINJECT_OVERHEAD=10% sleep 1000 && known overhead_permille && known tracker_ns && [ "$(value overhead_permille)" -gt 0 ] ||
        { echo "overhead $(value overhead_permille), cpu $(value cpu_ns), tracker $(value tracker_ns)"; return 1; }
}
shown() {
    profile runtime && "$ILINJECT" report --json p.ilprof >p.json &&
        grep -q "\"machine\": {\"cpu_ns\": $(value cpu_ns), \"ready_ns\": $(value ready_ns), " p.json
}

for runtime in mono dotnet; do
    if ! has $runtime; then
        skip "$runtime: a profile says how the machine was" "$runtime is not installed"
        continue
    fi
    check "$runtime: a profile says how the machine was" said_of_the_machine
    check "$runtime: how long threads ran, and waited for a processor, is what the system says" waits
    check "$runtime: also of threads that have ended" ended
    check "$runtime: a thread that ends while it is looked at makes no word" unheard
    check "$runtime: and of more threads than are looked at each time" many
    check "$runtime: a program that sleeps runs little" sleeps
    check "$runtime: what was before a reset is not in it" from_reset
    check "$runtime: compiling and collecting are what the runtime says" of_the_runtime
    check "$runtime: collections are counted from the first call" from_the_start
    check "$runtime: the tracker's own work is told apart" own_work
    check "$runtime: how fast it runs code is measured" fast_or_slow
    check "$runtime: the price has the tracker's own work" price_of_its_own
    check "$runtime: it does not hang on the clock" without_calibration
    check "$runtime: the report shows it" shown
done
finish
