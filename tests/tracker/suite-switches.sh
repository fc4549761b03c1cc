#!/usr/bin/env bash
# Methods that are switched off and on while the program runs, by whomever, and the governor that does so. The driver calls the
# tracker as injected code would; counts are those that follow from it.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}

here=$ROOT/tests/tracker
if ! has mono || ! has mcs; then
    skip "methods are switched off and on" "mono and mcs are not installed"
    finish
fi
mkdir app
names=(Main Outer Inner Leaf Recurse Throws)
for ((i = ${#names[@]}; i < 600; i++)); do names+=("M$i"); done
dump names names.bin "${names[@]}" && cp "$BUILD/ProfileInfoTracker.dll" app &&
    mcs -nologo -out:app/driver.exe -resource:names.bin,ilinject.names -r:app/ProfileInfoTracker.dll "$here/SwitchDriver.cs" || exit 1
cat >app/driver.runtimeconfig.json <<'JSON'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
JSON

drive() { # settings… scenario
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 240 env "${settings[@]}" "$runtime" ../app/driver.exe "$@") >out.txt 2>err.txt || { cat err.txt; return 1; }
    [ ! -s err.txt ] || { cat err.txt; return 1; }
}
file=run/driver.ilprof
sums_are() { diff <(printf 'N.T.%s\n' "$@") <(dump sums $file); } # "name calls resynchronised open"
# name, calls, whether it is off by the governor and by the user: of each method that was ever switched, as the report says it
switched_are() {
    "$ILINJECT" report --format=json $file >report.json || return 1
    diff <(printf 'N.T.%s\n' "$@") <(sed -n 's/^{"name": "\([^"]*\)", "run": 0, "calls": \([0-9]*\), "at_ns": [0-9]*, "off_by_governor": \([a-z]*\), "off_by_user": \([a-z]*\)}.*/\1 \2 \3 \4/p' report.json)
}
calls() { drive calls && sums_are 'Main() 1 0 0' 'Outer() 7 0 0' 'Inner() 4 0 0' 'Leaf() 14 0 0' && switched_are 'Inner() 2 false false' && [ "$(dump switches $file)" = 'N.T.Inner() 8 2' ]; }
places() {
    drive calls && dump tree $file >tree.txt && diff <(sed -n 's/^\( *\)N\.T\.\([A-Za-z]*\)() calls=\([0-9]*\) .*/\1\2 \3/p' tree.txt | sed 's/^ *//') \
        <(printf '%s\n' 'Main 1' 'Outer 7' 'Inner 4' 'Leaf 4' 'Leaf 10')
}
under_way() { drive underway && sums_are 'Main() 1 0 0' 'Outer() 2 0 0' 'Inner() 2 0 0' 'Leaf() 4 0 0'; }
recursion() { drive recursion && sums_are 'Main() 1 0 0' 'Leaf() 1 0 0' 'Recurse() 3 0 0' && switched_are 'Recurse() 3 false true'; }
exception() {
    drive exception && sums_are 'Main() 1 0 0' 'Outer() 1 0 0' 'Leaf() 1 0 0' 'Throws() 1 0 0' &&
        diff <(printf '%s\n' 'Main 1 = 1 0 0 0' 'Outer 1 = 1 0 0 0' 'Leaf 1 = 1 0 0 0' 'Throws 1 = 0 1 0 0') <(dump ways $file | sed 's/^N\.T\.//')
}
machine() { drive machine && sums_are 'Main() 1 0 0' 'Outer() 1 0 0' 'Inner() 1 0 0' 'Leaf() 2 0 0'; }
threads() { drive threads && dump sums $file >sums.txt && awk '$(NF - 1) || $NF { bad = 1 } END { exit bad || NR != 4 }' sums.txt || { cat sums.txt; return 1; }; }
reset() { drive reset && sums_are 'Main() 1 0 0' 'Outer() 2 0 0' 'Leaf() 4 0 0' && switched_are 'Inner() 0 false true'; }
reasons() { drive reasons && sums_are 'Main() 1 0 0' 'Leaf() 1 0 0' && switched_are 'Leaf() 0 false false'; }
many() { drive many && sums_are 'Main() 1 0 0' 'Outer() 1 0 0' 'Inner() 2 0 0' 'M599() 1 0 0' && "$ILINJECT" report --format=json $file >report.json && [ "$(grep -c '"off_by_user": true' report.json)" -eq 590 ]; }
behind() { drive behind; }
own() { drive own; }
# All of the calls that Leaf had are in the list; the report shows the method nowhere else.
governor() {
    drive ILINJECT_OVERHEAD=5% governor && dump sums $file >sums.txt && grep -q '^N\.T\.Outer() 10 0 0$' sums.txt || { cat sums.txt; return 1; }
    local had
    had=$(sed -n 's/^N\.T\.Leaf() \([0-9]*\) 0 0$/\1/p' sums.txt)
    # A call costs more than a nanosecond, and less than a tenth of a millisecond: the figure is in picoseconds.
    local cost
    cost=$(dump run $file call_ps) && [ "$cost" -ge 1000 ] && [ "$cost" -lt 100000000 ] || { echo "call_ps $cost"; return 1; }
    switched_are "Leaf() $had true false" && [ "$(dump run $file overhead)" = 5 ] && ! grep -q '"type": "N.T", "method": "Leaf' report.json &&
        "$ILINJECT" report -v $file >report.txt && grep -q '^Governor allows recording 5 % of the program' report.txt && grep -q 'calls  by the governor at .*  N\.T\.Leaf()$' report.txt || { cat report.txt; return 1; }
}
# The program's own text says so as well.
text() {
    drive ILINJECT_OVERHEAD=5% text && grep -A1 '^off now ' out.txt | diff - <(
        echo 'off now 1: by the governor 0, by hand 1; on again 1; their calls till then stand below'
        echo '  off by hand         N.T.Inner()'
    ) && grep -q -E '^price asked for 5 %, taken ([0-9]+\.[0-9] %|not known)\r?$' out.txt && drive text && ! grep '^price' out.txt || { cat out.txt; return 1; }
}
pinned() { drive ILINJECT_OVERHEAD=5% pinned; }
refused() { # a value of the setting that cannot be used is told, and the program runs on
    local value
    for value in 0 1001 5x '%' 5%%; do
        ! drive "ILINJECT_OVERHEAD=$value" recursion >/dev/null && grep -q '^ilinject: ILINJECT_OVERHEAD: expected a price from 1% to 1000%, found "' err.txt && sums_are 'Main() 1 0 0' 'Leaf() 1 0 0' 'Recurse() 3 0 0' || { echo "$value"; cat err.txt; return 1; }
        ! "$ILINJECT" app/driver.exe -o refused.exe --set "overhead=$value" 2>set.txt && grep -q 'setting overhead: expected a price from 1% to 1000%, found' set.txt || { echo "$value"; cat set.txt; return 1; }
    done
}
half() {
    has "$runtime" || { skip "methods are switched off and on ($runtime)" "$runtime is not there"; return; }
    check "calls that begin while a method is off are not recorded ($runtime)" calls
    check "what they call stands below their caller ($runtime)" places
    check "calls under way end as usual, at either switch ($runtime)" under_way
    check "so does a recursion ($runtime)" recursion
    check "an exception may pass a call that is off ($runtime)" exception
    check "state machines and their starters are switched apart ($runtime)" machine
    check "threads that call on while methods are switched ($runtime)" threads
    check "off stays off behind a reset ($runtime)" reset
    check "a method is off while there is a reason ($runtime)" reasons
    check "hundreds of methods ($runtime)" many
    check "those behind the first 65,000 ids ($runtime)" behind
    check "a module's own array says what is off in it ($runtime)" own
    check "what SnapshotText says of it ($runtime)" text
    check "the governor switches off what is called all the time ($runtime)" governor
    check "it leaves on what was switched on by hand ($runtime)" pinned
    check "another value of the setting is told ($runtime)" refused
}
# .NET compiles each method once, with all that it knows, when it is called first. Leaf is called after the first call of
# the tracker, as hot code is that .NET compiles again.
cat >Look.cs <<'X'
using System.Runtime.CompilerServices;

public static class Look
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int x) { return ((x * 31 + 7) * 17 + x) * 3 + x * 5; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Visited(int x) { return x * 31 + 7; }

    public static int Main()
    {
        return Leaf(1) == 1946 && Visited(1) == 38 ? 0 : 1;
    }
}
X
# In the program's own code: the helper type looks into the module's array, which a type of its own makes and nothing else. One that
# has but one of the two methods is called as one that has neither.
module_look() {
    mcs -nologo -optimize+ Look.cs && "$ILINJECT" -q Look.exe -o own.exe && monodis own.exe | sed -n "/class .*'<ilinject>/,\$p" >own.il || return
    il() { sed -n "/$1/,/end of method/{s/^\\tIL_[0-9a-f]*: *\\([a-z0-9.]*\\).*/\\1/p;/end of method/q}" own.il | tr '\n' ' '; }
    [ "$(il "'.cctor'")" = 'ldc.i4 newarr stsfld ret ' ] &&
        [ "$(il 'default int32 Enter')" = 'ldsfld ldarg.0 ldelem.u1 brfalse.s ldc.i4.0 ret ldsfld ldarg.0 add call ret ' ] &&
        grep -q 'call void .*::RegisterSwitches(int32, unsigned int8\[\])' own.il && ! grep -q 'WhenEnteringMethod' own.il || { cat own.il; return 1; }
    local has=' public static void RegisterSwitches(int first, byte[] off) { }'
    for has in '' "$has" "$has public static int WhenEnteringSwitchedOn(long id) { return 0; }"; do
        echo 'namespace Instrumenter { public static class ProfileInfoTracker { public static int Register(System.RuntimeTypeHandle h, int n) { return 1; }
            public static int WhenEnteringMethod(int id) { return 1; } public static void WhenLeavingMethod(int token) { }'"$has"' } }' >Small.cs
        mcs -nologo -target:library -out:small/ProfileInfoTracker.dll Small.cs && "$ILINJECT" -q Look.exe -o own.exe --tracker=small/ProfileInfoTracker.dll &&
            monodis own.exe >own.il && ! grep -q "<ilinject>Off" own.il && [ "$(il 'default int32 Enter')" = 'ldsfld ldarg.0 add call ret ' ] || { cat own.il; return 1; }
    done
}
# Up to the tracker's call: no reference is loaded, no length, one byte is compared.
one_look() {
    mcs -nologo -optimize+ Look.cs && mkdir -p look && cp app/driver.runtimeconfig.json look/Look.runtimeconfig.json &&
        "$ILINJECT" -q Look.exe -o look/Look.exe --exits=ret || return
    local method calls
    for method in Leaf:EnterRecorded Visited:WhenVisitingMethod; do
        calls=${method#*:} && rm -f look.txt
        DOTNET_TieredCompilation=0 DOTNET_JitDisasm=${method%:*} DOTNET_JitStdOutFile=$PWD/look.txt ILINJECT_OUT=$PWD/look.ilprof \
            timeout 300 dotnet look/Look.exe || return
        grep -q "call .*:$calls(int)\(:int\)*\]\$" look.txt && [ "$(grep -c 'byte  *ptr \[[a-z0-9]*+0x[0-9A-F]*\], 0$' look.txt)" -eq 1 ] &&
            ! grep -E 'gword|qword +ptr|dword +ptr \[r[a-z0-9]*\+0x08\]' look.txt || { cat look.txt; return 1; }
    done
}
halves half
mkdir small
check "an instrumented module looks into its own array" module_look
major=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([0-9]*\).*/\1/p' | sort -n | tail -n 1)
sentence=".NET's last code compares one byte to see whether a method is off"
if [ "${major:-0}" -lt 8 ] || [ "$(uname -m)" != x86_64 ]; then
    skip "$sentence" "needs .NET 8 or later on x64"
else
    check "$sentence" one_look
fi
finish
