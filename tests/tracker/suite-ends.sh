#!/usr/bin/env bash
# Every way to end (Ends.cs), on both runtimes: exit code and output are those of the program without the tracker, and the profile
# holds what docs/configuration.md says. A full disk, a folder that can't be written and closed streams change nothing either.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
ulimit -c 0
export TMPDIR=$SCRATCH/tmp
mkdir "$TMPDIR" plain out
if ! has mono || ! has mcs; then
    skip "programs end as they did" "mono and mcs are not installed"
    finish
fi
mcs -nologo -nowarn:0162,0465,0649 -out:plain/Ends.exe "$ROOT/tests/tracker/Ends.cs" || exit 1
touch a-file
"$ILINJECT" plain/Ends.exe -o out/ --quiet || exit 1
if can dotnet; then runtimeconfig plain/Ends.exe; runtimeconfig out/Ends.exe; fi

# Runs the program, plain or instrumented ($variant), in its folder; its exit code goes to a file of that name. $limits is done before.
run() { # [NAME=VALUE…] WAY…
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -rf "$variant"/*.ilprof* "$variant"/mono_crash*
    if [ "$variant" = out ]; then rm -rf tmp/*; fi
    (
        cd "$variant" && ${limits:-true} &&
            exec timeout -k 1 150 env DOTNET_EnableWriteXorExecute=0 "${settings[@]}" "$runtime" Ends.exe "$@" >"../$variant.stdout" 2>"../$variant.stderr" </dev/null
    ) 2>/dev/null
    echo $? >"$variant.code"
}
# Mono says where in the code an exception was thrown. The messages of runtimes about crashes have
# addresses in them.
normal() { sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' "$1"; }
as_plain() {
    diff plain.code out.code && { [ "${crash:-}" ] || { diff plain.stdout out.stdout && diff <(normal plain.stderr) <(normal out.stderr); }; }
}
kept() { # REASON LEAVES, "+": that many or more
    local reason leaves
    reason=$(dump run "${profile:-out/Ends.ilprof}" reason) leaves=$(dump sums "${profile:-out/Ends.ilprof}" | sed -n 's/^Ends.Leaf() \([0-9]*\) .*/\1/p')
    [ "$reason" = "$1" ] && { [ "${leaves:-0}" = "$2" ] || [[ $2 == *+ && ${leaves:-0} -ge ${2%+} ]]; } || { echo "reason $reason, $leaves leaves, expected $*"; return 1; }
}
alone() { diff <(ls -A out | grep -v -e '^mono_crash' -e '\.runtimeconfig\.json$') <(printf '%s\n' Ends.exe Ends.ilprof ProfileInfoTracker.dll); }
both() {
    variant=plain run "$@" &
    variant=out run "$@"
    wait
    as_plain
}
ends() { # WAY REASON LEAVES
    both "$1" && kept "$2" "$3" && alone
}
# Mono's own exit from several threads ends with 1 instead now and then, without the tracker, too: 1 of
# 60 runs of a busy machine. Five such runs in a row are a fault.
ends_twice() {
    for _ in 1 2 3 4 5; do
        both exit-twice >/dev/null
        [ "$(sort -u plain.code out.code)" != 11 ] || break
    done
    as_plain && told 11 && kept exit 4+ && alone
}
crashes() { # once the beat's profile holds what it did
    rm -f out/*.ilprof* out/end
    touch plain/end
    (until_true beaten; touch out/end) &
    crash=yes both "$1"
    local status=$?
    rm -f plain/end out/end
    [ $status -eq 0 ] && kept "${2:-beat}" 3 && alone
}
told() { grep -q -x "$1" out.code || { echo "exit code $(cat out.code)"; return 1; }; }

# Left running until it is ready, then sent a signal; instrumented, once its profile holds what it did.
beaten() { grep -q -a THRD out/Ends.ilprof && dump sums out/Ends.ilprof | grep -q 'Ends.Leaf() 3 '; }
until_true() { within 100 "$@" >/dev/null 2>&1; }
signal() { # SIGNAL WAY READY
    rm -f "$variant"/*.ilprof*
    : >"$variant.stdout"
    (cd "$variant" && exec env --default-signal=TERM,INT,HUP,QUIT "$runtime" Ends.exe "$2" 60000 >"../$variant.stdout" 2>"../$variant.stderr" </dev/null) &
    local pid=$!
    until_true grep -q ready "$variant.stdout" && until_true "$3"
    kill "-$1" "$pid"
    wait "$pid" 2>/dev/null
    echo $? >"$variant.code"
}
there() { if [ "$runtime" = mono ]; then beaten; else [ -s out/Ends.ilprof ]; fi; }
signalled() { # SIGNAL REASON
    variant=plain signal "$1" wait true
    variant=out signal "$1" wait there
    as_plain && kept "$2" 3 && alone
}
goes_on() { # the signal is taken by the runtime, which prints its threads' stacks, and the program goes on
    rm -f out/end
    : >out.stdout
    : >out.stderr
    (until_true grep -q -i thread out.stdout out.stderr; touch out/end) &
    variant=out signal QUIT until there
    rm out/end
    grep -q -i thread out.stdout out.stderr && told 17 && kept exit 3
}
cancels() {
    variant=plain signal INT cancel true
    variant=out signal INT cancel there
    as_plain && told 19 && kept exit 3
}
closed() {
    local variant
    for variant in plain out; do
        rm -f out/*.ilprof
        (cd "$variant" && exec "$runtime" Ends.exe errors >&- 2>&- <&-) 2>/dev/null
        echo $? >$variant.code
    done
    diff plain.code out.code && kept "$(if [ "$runtime" = mono ]; then echo exit; else echo unhandled; fi)" 3
}
# The tracker says this and nothing else, once; the rest of standard error is the program's own.
said() { # EXPRESSION
    [ "$(grep -c '^ilinject: ' out.stderr)" -eq 1 ] && grep -q "^ilinject: $1\$" out.stderr || { cat out.stderr; return 1; }
}
own_console() { both own-console && variant=out && run ILINJECT_BEAT=x own-console && diff plain.stdout out.stdout && [ "$(wc -l <out.stderr)" -eq 1 ] && told 22; }
small_files() { # those of the process; no place is left for the profile
    local limits="ulimit -f 8" problem="Ends.ilprof: the process may not write files of [0-9]* bytes"
    variant=plain run LARGE=1 exit-hammered
    variant=out run LARGE=1 exit-hammered
    diff plain.code out.code && diff plain.stdout out.stdout && diff plain.stderr <(grep -v '^ilinject: ' out.stderr) && told 10 && kept beat 0 &&
        said "the profile can't be written: $PWD/out/$problem; $TMPDIR/$problem"
}
# On a file system of 64 KiB of its own: full when the program starts, and while it runs.
on_small_disk() { # FREE KEPT
    unshare -Urm bash -c '
        mkdir -p small && mount -t tmpfs -o size=64k tmpfs small && head -c $((65536 - $1)) /dev/zero >small/fill
        cd out && shift && timeout -k 1 150 env TMPDIR="$PWD/../small" ILINJECT_OUT="$PWD/../small/" "$@" Ends.exe exit-hammered >../out.stdout 2>../out.stderr
        code=$?
        cd ../small && echo "$code $(ls)" | tr "\n" " " >../out.code' bash "$1" "$runtime"
    [ "$(cat out.code)" = "10 $2" ] && grep -q 'worked' out.stdout && said "the profile can't be written: $PWD/.*/small/Ends.ilprof: .*" && ! grep -q Unhandled out.stderr || { cat out.code out.stderr; return 1; }
}
read_only() { # to any but the super-user, who has to be shut out another way
    rm -f out/*.ilprof
    unshare -Urm bash -c '
        mount --bind out out && mount -o remount,bind,ro out && cd out && "$1" Ends.exe exit >../out.stdout 2>../out.stderr; echo $? >../out.code' bash "$runtime"
    told 4 && profile=tmp/Ends.ilprof kept exit 3 && [ ! -e out/Ends.ilprof ] && said "$PWD/out/Ends.ilprof can't be written (.*); the profile is at $TMPDIR/Ends.ilprof"
}
no_devices() { # a container may have an empty /dev
    rm -f out/*.ilprof tmp/*
    unshare -Urm bash -c '
        mount -t tmpfs none /dev && cd out && ILINJECT_OUT=../a-file/a.ilprof "$1" Ends.exe exit >../out.stdout 2>../out.stderr; echo $? >../out.code' bash "$runtime"
    told 4 && profile=tmp/a.ilprof kept exit 3 && said ".*a.ilprof can't be written (.*); the profile is at $TMPDIR/a.ilprof"
}
below_a_file() { # there is no folder; said once, however often it is written
    variant=out run ILINJECT_OUT="$PWD/a-file/a.ilprof" rewritten-thrice && told 23 && profile=tmp/a.ilprof kept exit 3 &&
        said "$PWD/a-file/a.ilprof can't be written (.*); the profile is at $TMPDIR/a.ilprof"
}
full_device() { variant=out run ILINJECT_OUT=/dev/full return && told 3 && profile=tmp/full kept exit 3 && said "/dev/full can't be written (.*); the profile is at $TMPDIR/full"; }
nowhere() { # said once, however often it is tried; the next writing that can be done is
    variant=out run ILINJECT_OUT="$PWD/a-file/a.ilprof" TMPDIR="$PWD/a-file" rewritten-thrice && told 23 && said "the profile can't be written: $PWD/a-file/a.ilprof: .*"
}
nobody_hears() { # what is said goes nowhere then, and into no file that has the number of standard error
    rm -rf tmp/* out/*.ilprof
    (cd out && ILINJECT_OUT=../a-file/a.ilprof exec "$runtime" Ends.exe return >&- 2>&- <&-)
    [ $? -eq 3 ] && profile=tmp/a.ilprof kept exit 3 && ! grep -r -l -a "can't be written" out tmp
}
room_again() { # its own name is free for the run that could not write it meanwhile
    variant=out run ILINJECT_OUT="$PWD/out/later/Ends.ilprof" TMPDIR="$PWD/a-file" room && told 25 && grep -q 'True False True' out.stdout && profile=out/later/Ends.ilprof kept exit 3 &&
        [ "$(ls out/later)" = Ends.ilprof ] && rm -r out/later && said "the profile can't be written: $PWD/out/later/Ends.ilprof: .*"
}

# The beat's first writing can take ten seconds on a busy machine.
slow_writing() { both ILINJECT_BEAT=0 slow-writing && told 27 && kept exit 3; }
stuck_writing() { variant=out run ILINJECT_BEAT=0 stuck-writing && told 27 && said "the profile can't be written: one that is under way stands still" && kept beat 0; }

half() {
    if ! can "$runtime"; then
        skip "programs end as they did on $runtime" "$runtime is not installed"
        return
    fi
    check "$runtime: the end of Main keeps all" ends return exit 3
    check "$runtime: Environment.Exit keeps all" ends exit exit 3
    check "$runtime: so it does from another thread" ends exit-elsewhere exit 3
    if [ "$runtime" = mono ]; then
        check "$runtime: and from a finalizer" ends exit-finalizer exit 4
    else # it says nothing of the end then
        check "$runtime: from a finalizer the program ends as it did" eval 'both exit-finalizer && told 20'
    fi
    check "$runtime: in a finally block" ends exit-finally exit 3
    check "$runtime: in a type initializer" ends exit-initializer exit 4
    check "$runtime: with a lock held that others, and the program's own handler, wait for" ends exit-locked exit 4
    check "$runtime: from several threads at once" ends_twice
    check "$runtime: while threads make calls and threads" ends exit-hammered exit 3+
    check "$runtime: a handler of the program's at the end is run" ends handler exit 4
    check "$runtime: an unhandled exception keeps all" ends throw unhandled 3
    check "$runtime: so it does on another thread" ends throw-elsewhere unhandled 3
    check "$runtime: out of a type initializer" ends throw-initializer unhandled 3
    check "$runtime: in a task nobody looks at, it is no end" ends throw-task exit 3
    if [ "$runtime" = mono ]; then
        check "$runtime: out of a handler at the end" ends throw-handler exit 3
        check "$runtime: the clock's thread has ended before others are suspended" ends handler-alone exit 3+
    else
        check "$runtime: out of a handler at the end" ends throw-handler unhandled 3
    fi
    check "$runtime: a foreground thread is waited for" ends foreground exit 4
    check "$runtime: a background thread in native code holds up nothing at the end of Main" ends native exit 3
    check "$runtime: nor at Environment.Exit" ends native-exit exit 3
    check "$runtime: FailFast leaves the last beat's profile" crashes fail-fast
    check "$runtime: so does abort in native code" crashes abort
    # Mono makes an exception of it.
    check "$runtime: a stack that overflows" crashes overflow "$(if [ "$runtime" = mono ]; then echo unhandled; else echo beat; fi)"
    check "$runtime: and SIGKILL" crashes kill
    for name in TERM INT HUP; do
        check "$runtime: SIG$name ends the program as it did" signalled "$name" "$(if [ "$runtime" = mono ]; then echo beat; else echo signal; fi)"
    done
    if [ "$runtime" = mono ]; then
        check "$runtime: SIGQUIT is no end" goes_on
    else
        check "$runtime: SIGQUIT ends the program as it did" signalled QUIT signal
    fi
    if [ "$runtime" = dotnet ]; then check "$runtime: SIGINT that the program takes is no end" cancels; fi
    check "$runtime: closed streams change nothing" closed
    check "$runtime: what the tracker has to say is not said to the program's own Console.Error" own_console
    check "$runtime: where files must stay small, the program is not killed for the profile, and that is told" small_files
    check "$runtime: a place that can't be written is told once, and where the profile is" below_a_file
    check "$runtime: so is a device that is full" full_device
    check "$runtime: that there is no place at all is told once" nowhere
    check "$runtime: with closed streams it is told nobody, in no file either" nobody_hears
    check "$runtime: a name that could not be written for a while is the run's again" room_again
    check "$runtime: the end waits for a writing that comes forward, however slowly" slow_writing
    check "$runtime: it does not wait for one that stands still, and says so" stuck_writing
    if unshare -Urm true 2>/dev/null; then
        check "$runtime: a disk that is full from the start changes nothing, and no file is left" on_small_disk 0 'fill '
        check "$runtime: one that becomes too full leaves what was there" on_small_disk 4096 'Ends.ilprof fill '
        check "$runtime: a read-only folder sends the profile to the temp folder" read_only
        check "$runtime: a place that can't be written is told without devices, too" no_devices
    else
        skip "$runtime: full disks and read-only folders change nothing" "no file systems can be mounted here"
    fi
}
halves half
finish
