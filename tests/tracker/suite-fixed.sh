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
# It works for as long as its argument says, in ms: for several calibrations, and a writing while it runs.
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
        for (int i = 0; i < 100; i++) x = Leaf(x);
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

# FOLDER FILE MS: what the runtime compiled in a run of it, a line each: NAME STEP BYTES; the step is 0
# for a first one, be it the last at once, and 1 for what is compiled again as it is called often.
compiled() {
    rm -f jit.txt
    DOTNET_JitStdOutFile=$PWD/jit.txt DOTNET_JitDisasmSummary=1 ILINJECT_OUT=$PWD/p.ilprof \
        timeout 300 dotnet "$1/Calls.exe" "$3" >"$2.said" 2>&1 || { cat "$2.said"; return 1; }
    sed -n 's/^ *[0-9]*: JIT compiled //p' jit.txt |
        sed -n 's/^\(.*\) \[\([^][]*\), IL size=\([0-9]*\), .*\]$/\1\t\2\t\3/p' |
        awk -F '\t' -v OFS='\t' '{ print $1, seen[$1]++ || $2 ~ /Tier1/ ? 1 : 0, $3 }' >"$2"
    [ "$(wc -l <"$2")" -gt 0 ]
}
compiled . plain 1400 && compiled out instrumented 1400 && [ -s p.ilprof ] || exit 1

# KIND STEP: how many, and how many bytes of IL, "tracker" or "others", these beyond the plain program's.
counted() {
    awk -F '\t' -v kind="$1" -v step="$2" '
        FNR == 1 { file++ }
        ($1 ~ /^Instrumenter\./) == (kind == "tracker") && $2 == step {
            n[file]++
            bytes[file] += $3
        }
        END { print n[2] - n[1], bytes[2] - bytes[1] }' plain instrumented
}
# METHODS BYTES KIND STEP
at_most() {
    local methods bytes
    read -r methods bytes < <(counted "$3" "$4")
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
# since the last one, and a node whether it stands for those that are folded below it.
check "the tracker's own methods are few" at_most 530 51500 tracker 0
check "the core library's that it needs, and that are not compiled ahead, are few" \
    at_most 16 1700 others 0
check "few of its own are called so often that they are compiled again" at_most 40 1800 tracker 1
check "few of the core library's are" at_most 50 7000 others 1
check "nothing is sorted by the core library" none_of 'ArraySortHelper|SortUtils'
check "no folder is listed by it, and no file opened again and again" \
    none_of 'FileSystemEnumera|OSFileStreamStrategy|SafeFileHandle'
check "no code is made for calls by reflection" none_of 'InvokeStub_'
# The first name of a type that .NET looks up costs as much as all the rest of a start. A busy machine may let a run
# take longer than the 0.1 s without.
asks_for_no_type() {
    local run
    for run in 1 2 3 4 5; do
        compiled out short 0 || return 1
        grep -q 'SearchValues' short || return 0
    done
    cat short
    return 1
}
check "a program that ends at once asks for no type by its name" asks_for_no_type
finish
