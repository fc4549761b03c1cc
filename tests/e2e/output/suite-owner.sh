#!/usr/bin/env bash
# Captured values belong to their owner: files that hold values are for the user alone, from the moment at which they are
# made; and nothing is written through a link that the user did not name.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
has mcs && has mono || { skip "files belong to their owner" "no mono or no mcs"; finish; }
mode() { [ "$(stat -L -c %a "$2")" = "$1" ] || { stat -L -c '%a %n' "$2"; return 1; }; }

# ---- Links -------------------------------------------------------------------------------------------------------------

mcs -nologo -debug -target:library -out:lib.dll "$ROOT/fixtures/cs/TestClass.cs" || exit 1
mkdir linked real in && echo untouched >victim && cp victim intact
for name in ProfileInfoTracker.dll lib.dll lib.dll.mdb; do ln -s ../victim "linked/$name"; done
to_folder() { "$ILINJECT" -q lib.dll -o linked/ && cmp victim intact && [ ! -L linked/ProfileInfoTracker.dll ] && [ ! -L linked/lib.dll ] && [ ! -L linked/lib.dll.mdb ] && [ -s linked/lib.dll.mdb ]; }
check "links in the folder of the outputs are replaced, and what they lead to stays" to_folder
to_named() { ln -s real/target.dll named.dll && : >real/target.dll && "$ILINJECT" -q lib.dll -o named.dll && [ -L named.dll ] && [ -s real/target.dll ]; }
check "an output that is named is followed" to_named
cp lib.dll real/lib.dll && ln -s ../real/lib.dll in/lib.dll && cp lib.dll in/other.dll
in_place() {
    "$ILINJECT" --in-place in >told 2>&1 && cmp lib.dll real/lib.dll && [ -L in/lib.dll ] && ! cmp -s lib.dll in/other.dll &&
        grep -q 'in/lib.dll: warning ILJ0468: a link that leads out of the folder' told || { cat told; return 1; }
}
check "a link in a folder that is instrumented in place is left alone, and told" in_place
check "one that is named is followed" eval '"$ILINJECT" -q --in-place in/lib.dll && ! cmp -s lib.dll real/lib.dll && [ -L in/lib.dll ]'
check "in a copy of a folder a file is made of it" eval 'cp lib.dll real/lib.dll && "$ILINJECT" -q in -o copied && [ ! -L copied/lib.dll ] && ! cmp -s lib.dll copied/lib.dll && cmp lib.dll real/lib.dll'
if has zip; then
    zip -q a.zip lib.dll && ln -s ../victim linked/a.zip
    check "a link at an archive that goes to a folder is replaced" eval '"$ILINJECT" -q a.zip -o linked/ && cmp victim intact && [ ! -L linked/a.zip ]'
else
    skip "a link at an archive that goes to a folder is replaced" "no zip"
fi

# ---- Power ------------------------------------------------------------------------------------------------------------

# ARGUMENT...: a line for each file in the order of their getting names, with "synced" or "late" before it.
written() {
    strace -f -qq -y -e trace=fdatasync,rename,renameat,renameat2 -o trace "$ILINJECT" -q "$@" || return
    awk -F '[<>"]' '
        function name(path) { sub(/.*\//, "", path); return path }
        /fdatasync/ { there[name($2)] = 1 }
        /rename/ { from = name($2); to = name($(NF - 1)); print from in there ? "synced" : "late", to; if (from in there) there[to] = 1 }' trace
}
on_the_disk() {
    mkdir power && cp lib.dll lib.dll.mdb power/ && written --in-place -j 1 power/lib.dll >synced || return
    # The symbols are prepared under another name: after a loss of power they are all that fits the new library.
    diff <(sed 's/\.ilinject-[^ ]*lib/prepared lib/' synced) - <<<$'synced ProfileInfoTracker.dll\nsynced prepared lib.dll.mdb\nsynced lib.dll\nsynced lib.dll.mdb' || { cat trace; return 1; }
}
# A program of .NET in place: what its host reads and loads is there before it.
host_on_the_disk() {
    mkdir host && cp lib.dll host/app.dll && cp lib.dll host/other.dll && runtimeconfig host/app.dll || return
    echo '{"runtimeTarget":{"name":"n"},"targets":{"n":{"app/1.0.0":{"runtime":{"app.dll":{}}}}},"libraries":{"app/1.0.0":{"type":"project"}}}' >host/app.deps.json
    written --set clock=fast --in-place -j 1 host/app.dll host/other.dll >synced || return
    diff synced - <<<$'synced ProfileInfoTracker.dll\nsynced libilinject_clock.so\nsynced app.deps.json\nsynced app.dll\nsynced other.dll' || { cat trace; return 1; }
}
# The host of another program refuses to start when its deps.json names a tracker that is empty.
other_on_the_disk() {
    mkdir others || return
    echo '{"runtimeTarget":{"name":"n"},"targets":{"n":{"app/1.0.0":{"runtime":{"app.dll":{},"lib.dll":{}}}}},"libraries":{"app/1.0.0":{"type":"project"}}}' >others/app.deps.json
    written -j 1 lib.dll -o others/ >synced || return
    head -n 2 synced | diff - <(printf 'synced %s\n' ProfileInfoTracker.dll app.deps.json) || { cat trace; return 1; }
}
# The first output of a run is new, the second replaces one.
later_on_the_disk() {
    mkdir later && cp lib.dll later/b.dll && cp lib.dll a.dll && cp lib.dll b.dll && written -j 1 a.dll b.dll -o later/ >synced || return
    diff <(grep -v mdb synced) - <<<$'synced ProfileInfoTracker.dll\nlate a.dll\nsynced b.dll' || { cat trace; return 1; }
}
in_a_new_folder() { mkdir new && written lib.dll -o new/ >synced && grep -q 'late lib.dll$' synced && ! grep synced synced; }
if has strace && ! grep -q __asan_init "$ILINJECT"; then
    check "what replaces a file is on the disk before it does, and so is what that needs" on_the_disk
    check "so are the clock and the deps.json of a program of .NET" host_on_the_disk
    check "so is the tracker, before another program's deps.json names it" other_on_the_disk
    check "so is the tracker, when the first output of a run replaces nothing" later_on_the_disk
    check "outputs that replace nothing do not wait for the disk" in_a_new_folder
else
    skip "what replaces a file is on the disk before it does, and so is what that needs" "no strace"
    skip "outputs that replace nothing do not wait for the disk" "no strace"
fi

# ---- Values ------------------------------------------------------------------------------------------------------------

cat >app.cs <<'END'
using System;
public static class App
{
    static string Secret(string s) { return s + "!"; }
    public static void Main() { Secret("word"); Console.WriteLine("ready"); Console.ReadLine(); Secret("word"); }
}
END
umask 0
mkdir mono dotnet plain
mcs -nologo -out:app.exe app.cs && "$ILINJECT" -q '--capture=App.Secret: args, return' app.exe -o mono/ && "$ILINJECT" -q app.exe -o plain/ || exit 1
commands=(mono)
if can dotnet && mkdir core && "$ROOT/tests/dotnet-csc" core/app.dll app.cs && "$ILINJECT" -q '--capture=App.Secret: args, return' core/app.dll -o dotnet/; then
    runtimeconfig dotnet/app.dll
    commands+=(dotnet)
else
    skip "the same on .NET" "no compiler of .NET"
fi
control_file() { # PID: prints the descriptor
    local file
    for file in /proc/"$1"/fd/*; do
        case $(readlink "$file") in */.ilinject-ctl-*) echo "$file"; return ;; esac
    done
    return 1
}
alone() { # RUNTIME FILE: while it runs, and behind its end
    local pid file
    rm -rf run tmp
    mkdir run tmp
    mkfifo run/go
    (cd run && TMPDIR=$SCRATCH/tmp ILINJECT_OUT=values.ilprof exec "$1" "$2") <>run/go >run/out 2>run/err &
    pid=$!
    within 60 grep -q ready run/out && within 60 control_file "$pid" >/dev/null && file=$(control_file "$pid") && mode 600 "$file" &&
        "$ILINJECT" ctl "$pid" flush >/dev/null && mode 600 run/values.ilprof
    local right=$?
    echo >run/go
    wait "$pid"
    [ "$right" = 0 ] && mode 600 run/values.ilprof && "$ILINJECT" report --calls run/values.ilprof | grep -q word && [ -z "$(ls -A tmp)" ] || { ls -la run; cat run/err; return 1; }
}
for runtime in "${commands[@]}"; do
    program=$SCRATCH/$runtime/app.exe
    if [ "$runtime" = dotnet ]; then program=$SCRATCH/dotnet/app.dll; fi
    check "$runtime: the control file and a profile with values are for their owner alone" alone "$runtime" "$program"
done
check "a profile without values has the rights that the user chose" eval 'mkdir free && (cd free && echo | ILINJECT_OUT=$SCRATCH/free/p.ilprof mono ../plain/app.exe >/dev/null) && mode 666 free/p.ilprof'
in_temporary() { mkdir shared && echo | TMPDIR=$SCRATCH/shared ILINJECT_OUT=$SCRATCH/shared/p.ilprof mono plain/app.exe >/dev/null && mode 600 shared/p.ilprof; }
check "in the temporary folder every profile is for its owner alone" in_temporary
log() { echo | (mkdir logged && cd logged && ILINJECT_LOG=1 LOG_FILENAME=calls.log mono ../mono/app.exe >/dev/null); [ -s logged/calls.log ] && mode 600 logged/calls.log; }
check "so is a call log" log
# A control file as trackers of old made it.
exposed() {
    printf 'ILCTL\r\n\001\0\0\0\0\0\0\0\0' >.ilinject-ctl-old && chmod 644 .ilinject-ctl-old || return
    sleep 300 9<>.ilinject-ctl-old &
    local pid=$!
    within 60 control_file "$pid" >/dev/null
    "$ILINJECT" ctl "$pid" stop >told 2>&1
    [ $? = 1 ] && grep -q "is not asked: other users may open its control file" told && [ "$(wc -l <told)" = 1 ] && [ "$(stat -c %s .ilinject-ctl-old)" = 16 ]
    local right=$?
    kill "$pid"
    wait "$pid" 2>/dev/null
    [ "$right" = 0 ] || { cat told; return 1; }
}
check "a control file that others may open is not asked" exposed
finish
