#!/usr/bin/env bash
# The methods that .NET compiles just in time for the tracker, in a program that calls little: most of
# what its start, its calibrations, its samples of the machine and its writings cost there. Bounds are a
# twentieth above what was counted; who makes it dearer on purpose raises them here and says why.
# (Raised for a module's own switches and for figures of one moment of each node: 388 methods, 39,297 bytes.)
# (Raised for what the clock's thread notes ahead of a tick: 2 methods, 200 bytes.)
# (Raised for what is looked up late, so that short programs go without it: 4 methods, 330 bytes; and 1,400
# bytes of the core library's, which looks through names of methods for a type that it would take 10 ms to name.)
# (Steps after the first depend on how fast the machine is, so they have more room.)
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*} ${!DOTNET_Tiered*} ${!DOTNET_TC_*} ${!COMPlus_*}
if ! has dotnet || ! has mcs; then
    skip ".NET compiles little for the tracker" "dotnet and mcs are not installed"
    finish
fi
# It works for as long as its first argument says, in ms: for several calibrations, and a writing while it runs.
# The second is the number of calls.
cat >Calls.cs <<'X'
using System;
using System.Runtime.CompilerServices;
using System.Threading;

public static class Calls
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int x) { return x * 31 + 7; }

    public static int Main(string[] arguments)
    {
        int x = 0;
        for (int i = int.Parse(arguments[1]); i > 0; i--) x = Leaf(x);
        Thread.Sleep(int.Parse(arguments[0]));
        return x == 1 ? 1 : 0;
    }
}
X
cat >Calls.runtimeconfig.json <<'X'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},
"rollForward":"Major"}}
X
mcs -nologo -optimize+ Calls.cs && mkdir out && cp Calls.runtimeconfig.json out &&
    "$ILINJECT" -q Calls.exe -o out/Calls.exe || exit 1
newest=$(dotnet --list-runtimes 2>/dev/null |
    sed -n 's/^Microsoft\.NETCore\.App \([0-9]*\).*/\1/p' | sort -n | tail -n 1)
if [ "$newest" != 10 ]; then
    skip ".NET compiles little for the tracker" "bounds are for .NET 10"
    finish
fi

# FOLDER FILE MS CALLS: what the runtime compiled in a run of it, a line each: NAME STEP BYTES; the step is 0
# for a first one, be it the last at once, and 1 for what is compiled again as it is called often.
compiled() {
    rm -f jit.txt
    DOTNET_JitStdOutFile=$PWD/jit.txt DOTNET_JitDisasmSummary=1 ILINJECT_OUT=$PWD/p.ilprof \
        timeout 300 dotnet "$1/Calls.exe" "$3" "$4" >"$2.said" 2>&1 || { cat "$2.said"; return 1; }
    sed -n 's/^ *[0-9]*: JIT compiled //p' jit.txt |
        sed -n 's/^\(.*\) \[\([^][]*\), IL size=\([0-9]*\), .*\]$/\1\t\2\t\3/p' |
        awk -F '\t' -v OFS='\t' '{ print $1, seen[$1]++ || $2 ~ /Tier1/ ? 1 : 0, $3 }' >"$2"
    [ "$(wc -l <"$2")" -gt 0 ]
}
compiled . plain 1400 200 && compiled out instrumented 1400 200 && [ -s p.ilprof ] || exit 1

# KIND STEP FILE: how many, and how many bytes of IL, "tracker" or "others", these beyond the plain program's.
counted() {
    awk -F '\t' -v kind="$1" -v step="$2" '
        FNR == 1 { file++ }
        ($1 ~ /^Instrumenter\./) == (kind == "tracker") && $2 == step {
            n[file]++
            bytes[file] += $3
        }
        END { print n[2] - n[1], bytes[2] - bytes[1] }' plain "${3-instrumented}"
}
# METHODS BYTES KIND STEP FILE
at_most() {
    local methods bytes
    read -r methods bytes < <(counted "${@:3}")
    echo "$methods methods with $bytes bytes of IL; the bounds are $1 and $2"
    [ "$methods" -le "$1" ] && [ "$bytes" -le "$2" ]
}
# These need dozens of the core library's methods, or make code at run time.
none_of() {
    ! grep -E "$1" instrumented
}
# Some dozen of these 425 begin, sum up and write what is counted or switched off, which is nothing
# here. Some look whether the clock goes in steps, whether a method's end writes the profile, whether
# the governor may look later, and read a thread's waits again where it lost its processor meanwhile.
# Some hear the end of a plug-in's context and the last handlers of the program's end, and mask more.
# Others look for a link in the profile's place, and open the place of requests by the system's kind.
# Labels are looked for in the environment, and open frames copied again while they move. Probes look
# for ticks when they end, too; a loop says how fast the machine is, and the first to notice a tick after
# a long time ends the clock's long pauses. Before a tick it is noted what runs; a calibration looks for work
# since the last one, and a node whether it stands for those that are folded below it. Names and paths are encoded here:
# the core library's way is compiled ahead, but takes 2 ms for the first.
check "the tracker's own methods are few" at_most 550 51000 tracker 0
check "the core library's that it needs, and that are not compiled ahead, are few" \
    at_most 15 1650 others 0
check "few of its own are called so often that they are compiled again" at_most 40 1800 tracker 1
check "few of the core library's are" at_most 50 7000 others 1
check "nothing is sorted by the core library" none_of 'ArraySortHelper|SortUtils'
check "no folder is listed by it, and no file opened again and again" \
    none_of 'FileSystemEnumera|OSFileStreamStrategy|SafeFileHandle'
check "no code is made for calls by reflection" none_of 'InvokeStub_'
# Three calls, and the end. A busy machine may let a run take longer than the 40 ms without the machine's facts, or
# the 0.1 s without names of types: the best of five.
short_run() {
    local run
    for run in 1 2 3 4 5; do
        compiled out short 0 2 || return 1
        "$@" && return 0
    done
    return 1
}
little_alone() { at_most 405 33000 tracker 0 short && at_most 9 660 others 0 short; }
check "a program that ends at once compiles little of it" short_run little_alone
# The first name of a type that .NET looks up costs as much as all the rest of a start.
asks_for_no_type() { ! grep 'SearchValues' short; }
check "it asks for no type by its name" short_run asks_for_no_type
# What so few probes cost is nothing.
without_calibration() { ! grep 'CalibrationCalls\|MachineSpeed:Step' short; }
check "it calibrates nothing" short_run without_calibration

# The compiled methods of a run on Mono.
compiled_by_mono() {
    ILINJECT_OUT=$PWD/p.ilprof timeout 300 mono --stats "$1/Calls.exe" 0 2 | sed -n 's/^Compiled methods *: *//p'
}
little_on_mono() {
    local run plain most=0
    plain=$(compiled_by_mono .) || return 1
    for run in 1 2 3 4 5; do
        most=$(($(compiled_by_mono out) - plain))
        [ "$most" -gt 0 ] && [ "$most" -le 490 ] && return 0
    done
    echo "$most methods more"
    return 1
}
enters() { "$ILINJECT" report --json "$1" | sed -n 's/.*"totals": {"enters": \([0-9]*\).*/\1/p'; }
# FILE: a run writes it, and no other.
writes() {
    ILINJECT_OUT=$PWD/place/$1 timeout 300 "$runtime" out/Calls.exe 0 2 && [ "$(ls place)" = "$1" ] &&
        [ ! -L "place/$1" ] && [ "$(enters "place/$1")" = 3 ] || { ls -l place; return 1; }
}
takes_the_place() {
    local runtime
    for runtime in dotnet mono; do
        rm -rf place && mkdir place && writes p.ilprof && writes p.ilprof && rm place/p.ilprof &&
            ln -s elsewhere place/link.ilprof && writes link.ilprof || return 1
    done
}
leaves_names_alone() {
    local runtime
    for runtime in dotnet mono; do
        rm -rf place && mkdir place && echo other >place/p.ilprof
        python3 -B - "$runtime" <<'X' || { ls -l place; return 1; }
import fcntl, os, subprocess, sys
out = os.path.abspath("place/p.ilprof")
with open(out, "r+b") as held:
    fcntl.lockf(held, fcntl.LOCK_EX, 1)
    subprocess.run([sys.argv[1], "out/Calls.exe", "0", "2"], env={**os.environ, "ILINJECT_OUT": out}, check=True)
    sys.exit(open(out, "rb").read() != b"other\n" or len(os.listdir("place")) != 2)
X
    done
}
if has mono; then
    check "Mono compiles little of it" little_on_mono
    check "its profile takes the place of the one before, or of a link" takes_the_place
    check "another run's name is left to it" leaves_names_alone
fi
finish
