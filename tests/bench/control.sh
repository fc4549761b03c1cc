#!/usr/bin/env bash
# The cost of recording while it is stopped, and of being ready for `ilinject ctl` in a program that
# does nothing.
#   tests/bench/control.sh [--build DIR] [--seconds N]
# On Mono and on CoreCLR: nanoseconds per enter and leave while recording is stopped, and while it waits for a method (start=METHOD), the
# least of 60 windows of 100,000; processor time of the tracker's own thread per second, over N seconds (20) of a program that sleeps, from
# the system's own count, with control=1 and control=0. Exits 77 without mcs.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build seconds=20
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    *) echo "usage: tests/bench/control.sh [--build DIR] [--seconds N]" >&2; exit 2 ;;
    esac
done
. tests/bench/raw.sh
raw_begin control "tests/bench/control.sh --seconds $seconds"
command -v mcs >/dev/null || { echo "skipped: control: no mcs"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ILINJECT_OUT=$work/profile.ilprof ILINJECT_BEAT=0
mcs -nologo -out:"$work/dump.exe" tests/tracker/ProfileDump*.cs &&
    (cd "$work" && mono dump.exe names names.bin Main Outer Inner 'Inner(int)' Recurse Throws Work Sleep) && cp "$build/ProfileInfoTracker.dll" "$work" &&
    mcs -nologo -nowarn:414 -out:"$work/driver.exe" -resource:"$work/names.bin,ilinject.names" -r:"$work/ProfileInfoTracker.dll" tests/tracker/{Driver,ControlDriver,TriggerDriver}.cs || exit 1
echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}' >"$work/driver.runtimeconfig.json"

pairs() { "$runtime" "$work/driver.exe" benchstopped | sed -n 's/.*leave \([0-9.]*\) ns.*/\1/p'; }
# Nanoseconds that the thread named ilinject has run so far; false without one.
thread_ns() {
    local task
    for task in /proc/"$1"/task/*; do
        [ "$(cat "$task/comm")" = ilinject ] && cut -d ' ' -f 1 "$task/schedstat" && return
    done
    return 1
}
# In its first seconds the thread measures more often what the probes cost than later.
idle() { # settings: microseconds per second
    local pid before after
    env "$@" "$runtime" "$work/driver.exe" wait 600000 >/dev/null &
    pid=$!
    sleep 8
    before=$(thread_ns $pid)
    sleep "$seconds"
    if after=$(thread_ns $pid); then echo $(((after - before) / seconds / 1000)); else echo 0; fi
    kill $pid
    wait $pid 2>/dev/null
}
printf '%-10s %28s %28s %28s %28s\n' "" "stopped, ns per pair" "waiting for a method, ns" "thread, us per s" "with control=0, us per s"
for runtime in mono dotnet; do
    command -v $runtime >/dev/null || continue
    stopped=$(pairs) waiting=$(ILINJECT_START=N.T.Recurse pairs) thread=$(idle ILINJECT_CONTROL=1) without=$(idle ILINJECT_CONTROL=0)
    raw $runtime stopped ns "$stopped"
    raw $runtime waiting ns "$waiting"
    raw $runtime thread us "$thread"
    raw $runtime without us "$without"
    printf '%-10s %28s %28s %28s %28s\n' $runtime "$stopped" "$waiting" "$thread" "$without"
done
