#!/usr/bin/env bash
# The tracker as a guest in the program: what it asks the process for goes with it, what is the program's stays the program's
# (interrupts, aborts, the count of exceptions), and calls at the very end are in the profile.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
lib=$ROOT/tests/e2e/lib/cs
if ! can mono || ! can dotnet || ! has mcs; then
    skip "the tracker is a guest in the program" "mono, mcs and dotnet are not all installed"
    finish
fi
mkdir app app/plugins in
compiled csc app/PluginHost.dll "$lib/PluginHost.cs" && compiled csc in/Plugin.dll -target:library "$lib/Plugin.cs" && rm in/Plugin.runtimeconfig.json &&
    compiled csc Hook.dll -target:library "$lib/StartupHook.cs" || exit 1
for name in Interrupted FirstChances Late; do
    compiled csc "in/$name.dll" -optimize+ -nowarn:169 "$lib/$name.cs" && mcs -nologo -nowarn:649 -define:MONO -out:"in/$name.exe" "$lib/$name.cs" || exit 1
done
mcs -nologo -out:in/Domains.exe "$lib/Domains.cs" || exit 1

calls() { "$ILINJECT" report --view=functions --columns=calls --sort=name "$@"; }
# The program instrumented in a folder of its own, run there: settings and a -- before its arguments, options in $options.
guest() { # NAME NAME=VALUE… -- ARGUMENTS…
    local settings=() name=$1 ending=exe
    shift
    while [ "$1" != -- ]; do settings+=("$1"); shift; done
    shift
    if [ "$runtime" = dotnet ]; then ending=dll; fi
    rm -rf out
    mkdir out && cp in/*.runtimeconfig.json out/ || return
    # shellcheck disable=SC2086
    "$ILINJECT" "in/$name.$ending" -o out/ --quiet ${options:-} || return
    (cd out && exec timeout -k 5 300 env "${settings[@]}" "$runtime" ${trace:-} "$name.$ending" "$@" >../told 2>&1 </dev/null)
}

# ---- Plug-ins -----------------------------------------------------------------------------------------------------------------------

plugin() { # own|shared unload|drop PROFILES NAME=VALUE…
    local tracker=$1 how=$2 profiles=$3
    shift 3
    rm -rf run
    cp -r app run && "$ILINJECT" in/Plugin.dll -o run/plugins/ --quiet ${options:+"$options"} || return
    if [ "$tracker" = shared ]; then mv run/plugins/ProfileInfoTracker.dll run/; fi
    (cd run && timeout -k 5 300 env "$@" dotnet PluginHost.dll plugins/Plugin.dll 3 "$how") >told 2>&1 || { cat told; return 1; }
    grep -qx 'contexts that were not collected: 0' told && [ "$(find run -name '*.ilprof' | wc -l)" -eq "$profiles" ] || { cat told; ls run; return 1; }
    if [ "$tracker" = own ] && grep left told; then return 1; fi
    calls run/*.ilprof | grep '^ *15  Plugin.Count(Order)$' || { calls run/*.ilprof; return 1; }
}
plugins() {
    local options=
    check "a plug-in that brings its tracker along is collected, three times, and leaves no thread and a profile each" plugin own unload 3 X=
    check "so is one that is not unloaded, but forgotten" plugin own drop 3 X=
    check "so is one whose host has the tracker" plugin shared unload 1 X=
    check "with single calls, bytes, collections, a price and a log" plugin own unload 3 ILINJECT_TIMELINE=1 ILINJECT_HISTOGRAM=1 ILINJECT_ALLOC=bytes \
        ILINJECT_COLLECTIONS=1 ILINJECT_LOG=1 LOG_FILENAME=log
    check "with an address that nobody answers at" plugin own unload 3 ILINJECT_POST=http://127.0.0.1:9/
    options=--capture=**:args,return
    check "with captured values" plugin own unload 3 X=
    check "with captured values in its host's tracker" plugin shared unload 1 X=
}

# ---- Interrupts and aborts ----------------------------------------------------------------------------------------------------------

interrupted() { # NAME=VALUE…
    guest Interrupted "$@" -- interrupt 15 || { cat told; return 1; }
    grep -qx 'interrupt: 0 lost, 0 early, 0 wrong, 240 done' told || { cat told; return 1; }
}

# Mono puts an abort off in a finally block alone: one in the midst of the tracker's work left a lock held, or a file half-written.
aborted() { # NAME=VALUE…
    local options="${options:-} --exclude=Interrupted.Abort*"
    guest Interrupted "$@" -- abort-anywhere 12 || { cat told; return 1; }
    grep -qx 'abort-anywhere: 0 lost, 0 early, 0 wrong, 192 done' told && calls out/Interrupted.ilprof | grep 'Interrupted.Work(int)$' || { cat told; return 1; }
}

# ---- Exceptions that need not be ----------------------------------------------------------------------------------------------------

# A culture that Mono does not know, and its timer's thread that it aborts at the end, are the plain program's own.
throws_nothing() { # NAME=VALUE…
    local DOTNET_STARTUP_HOOKS=$PWD/Hook.dll trace=
    export DOTNET_STARTUP_HOOKS
    if [ "$runtime" = mono ]; then trace=--trace=E:all; fi
    guest FirstChances "$@" -- || { tail -n 30 told; return 1; }
    grep -qx done told && ! grep -a -e '^thrown:' -e 'EXCEPTION handling:' told | grep -v -e CultureNotFoundException -e ThreadAbortException
}
# Another run has the name meanwhile.
throws_nothing_beside_another() {
    local status first
    (cd in && exec env ILINJECT_OUT="$PWD/../taken.ilprof" "$runtime" "../held/FirstChances.$1" wait </dev/null >/dev/null 2>&1) &
    first=$!
    within 100 test -s taken.ilprof && throws_nothing ILINJECT_OUT="$PWD/taken.ilprof" && ls taken.*.ilprof
    status=$?
    kill "$first" 2>/dev/null
    wait "$first" 2>/dev/null
    return $status
}

# ---- Calls at the end ---------------------------------------------------------------------------------------------------------------

# Of the class's own finalizer there is one more on Mono: .NET runs none at the end.
late() { # WAY LEAVES [NAME=VALUE…]
    local way=$1 leaves=$2
    shift 2
    if [ "$runtime" = mono ]; then leaves=$((leaves + 1)); fi
    guest Late "$@" X= -- "$way" && [ ! -s told ] && calls out/Late.ilprof | grep "^ *$leaves  Late.Leaf()\$" &&
        [ "$("$ILINJECT" report -v out/Late.ilprof | grep -c 'written at: exit')" -eq 1 ] || { cat told; calls out/Late.ilprof; return 1; }
}

# More outermost calls than the profile is written again for. Mono's last finalizer sees them all.
endless() {
    guest Late -- endless || { cat told; return 1; }
    if [ "$runtime" = mono ]; then calls out/Late.ilprof | grep '^ *5,004  Late.Leaf()$'; return; fi
    "$ILINJECT" report -v out/Late.ilprof >told && grep '^Late  *handlers of the program.s end made more calls' told && ! grep '5,003.*Late.Leaf()$' told &&
        "$ILINJECT" merge out/Late.ilprof -o out/merged.ilprof && "$ILINJECT" report -v out/merged.ilprof | grep '^Late '
}

# ---- Domains, and the machine's clock -----------------------------------------------------------------------------------------------

# Mono gives the second one the number of the first, which was unloaded.
domains() {
    guest Domains ILINJECT_OUT=given.ilprof -- || { cat told; return 1; }
    calls out/given.ilprof | grep '^ *2  Domains.Leaf()$' && calls out/given.d1.ilprof | grep '^ *3  Domains.Leaf()$' && calls out/given.d1.[0-9]*.ilprof | grep '^ *4  Domains.Leaf()$' ||
        { ls out; return 1; }
}
before_1970() {
    guest Late LD_PRELOAD="$BUILD/tests/faults.so" FAULT_CLOCK=-86400 -- short || { cat told; return 1; }
    calls out/Late.ilprof | grep 'Late.Leaf()$'
}
after_2262() {
    guest Late LD_PRELOAD="$BUILD/tests/faults.so" FAULT_CLOCK=9500000000 -- short || { cat told; return 1; }
    calls out/Late.ilprof | grep 'Late.Leaf()$'
}
# The run before left a profile there; this one is killed before its first writing.
not_the_run_before() {
    guest Late -- short && calls out/Late.ilprof | grep -q 'Late.Leaf()$' || { cat told; return 1; }
    (cd out && exec env ILINJECT_BEAT=0 "$runtime" "Late.$ending" wait </dev/null >/dev/null 2>&1) &
    within 100 eval '! calls out/Late.ilprof | grep -q "Late.Leaf()"'
    local status=$?
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    [ $status -eq 0 ] && "$ILINJECT" report out/Late.ilprof | grep -q "^This is the profile of the run's start"
}

each() {
    local options='' ending=exe
    if [ "$runtime" = dotnet ]; then ending=dll; plugins; fi
    options=
    check "$runtime: a pending interrupt is left to the program where calls write the profile" interrupted ILINJECT_FLUSH=Interrupted.Flushed
    check "$runtime: and where single calls are recorded" interrupted ILINJECT_TIMELINE=1
    check "$runtime: and where the profile is posted, to nobody" interrupted ILINJECT_FLUSH=Interrupted.Flushed ILINJECT_POST=http://127.0.0.1:9/
    if [ "$runtime" = mono ]; then
        check "mono: an abort within the tracker comes when it has written the profile" aborted ILINJECT_FLUSH=Interrupted.Work
        check "mono: an abort comes behind the recording of single calls" aborted ILINJECT_TIMELINE=1 ILINJECT_HISTOGRAM=1
    fi
    options=--capture=**:args,return
    check "$runtime: and with captured values" interrupted X=
    if [ "$runtime" = mono ]; then check "mono: an abort comes behind the recording of captured values" aborted X=; fi
    options=
    check "$runtime: a healthy run throws nothing" throws_nothing X=
    check "$runtime: nor with single calls, bytes, collections, a price, a log" throws_nothing ILINJECT_TIMELINE=1 ILINJECT_HISTOGRAM=1 ILINJECT_ALLOC=bytes \
        ILINJECT_COLLECTIONS=1 ILINJECT_LOG=1 ILINJECT_OVERHEAD=50 LOG_FILENAME=log
    check "$runtime: nor into a new folder, with a beat, moments and switches" throws_nothing ILINJECT_OUT=new/%n-%p-%t.ilprof ILINJECT_BEAT=1 \
        ILINJECT_START=FirstChances.Made ILINJECT_FLUSH=FirstChances.Made ILINJECT_OFF=FirstChances.Nothing ILINJECT_LONGER=1us
    options='--capture=FirstChances.Made:args,return --leaves'
    check "$runtime: nor with captured values and leaves" throws_nothing X=
    options=
    mkdir -p held && cp in/*.runtimeconfig.json held/ && "$ILINJECT" "in/FirstChances.$ending" -o held/ --quiet || exit
    check "$runtime: nor beside another run that has the profile's name" throws_nothing_beside_another "$ending"
    check "$runtime: calls of a handler of the end are in the profile" late short 3
    check "$runtime: also of a program that ran longer" late long 3
    check "$runtime: of two handlers, and an exit with frames open" late exit 5
    check "$runtime: on a thread that a handler starts" late thread 5
    check "$runtime: of many handlers, with single calls and a log" late many 43 ILINJECT_TIMELINE=1 ILINJECT_LOG=1 LOG_FILENAME=log
    options='--exclude=Late.Endless'
    check "$runtime: when there are too many of them all the same, or the report says so" endless
    options=--counts
    check "$runtime: where calls are only counted" late long 3
    options=
    if [ "$runtime" = mono ]; then check "mono: each AppDomain has a profile of its own where the name is given" domains; fi
    check "$runtime: a clock before 1970 makes a profile that can be read" before_1970
    check "$runtime: and one behind 2262" after_2262
    check "$runtime: the profile of a run that dies early is not the one of the run before" not_the_run_before
}
halves each
finish
