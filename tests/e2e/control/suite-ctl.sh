#!/usr/bin/env bash
# Control from outside: ilinject ctl and a running program, which calls what its standard input says. Counts after a
# reset, a stop and a start are exact; what cannot be done is one line; nothing remains.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
if ! has mono || ! has mcs; then
    skip "programs are controlled from outside" "mono and mcs are not installed"
    finish
fi
if [ ! -d /proc/self/fd ]; then
    skip "programs are controlled from outside" "there is no /proc"
    finish
fi

cat >app.cs <<'END'
using System;
using System.Reflection;
using System.Threading;
public static class App
{
    public static void Main(string[] args)
    {
        if (args.Length > 0) { new Thread(delegate() { Step(1); Thread.Sleep(60000); }) { IsBackground = true }.Start(); return; }
        for (string line; (line = Console.ReadLine()) != null; Console.WriteLine("done"))
            if (line == "domain") AppDomain.CreateDomain("second").ExecuteAssembly(typeof(App).Assembly.Location, new[] { "hold" });
            else if (line == "context") Context();
            else if (line == "lib") UseLib();
            else Step(int.Parse(line));
    }
    // The program once more, with a tracker of its own. By reflection: the compiler does not know it.
    static void Context()
    {
        Type type = Type.GetType("System.Runtime.Loader.AssemblyLoadContext, System.Runtime.Loader");
        MethodInfo load = type.GetMethod("LoadFromAssemblyPath");
        object context = Activator.CreateInstance(type, "second", false);
        string here = typeof(App).Assembly.Location;
        load.Invoke(context, new object[] { System.IO.Path.Combine(System.IO.Path.GetDirectoryName(here), "ProfileInfoTracker.dll") });
        ((Assembly)load.Invoke(context, new object[] { here })).EntryPoint.Invoke(null, new object[] { new[] { "hold" } });
    }
    // The library is loaded by the first of them.
    static void UseLib() { Lib.Called(); }
    static void Step(int count) { for (int i = 0; i < count; i++) Work(); }
    static void Work() { }
}
END
echo 'public static class Lib { public static void Called() { } }' >lib.cs
mcs -nologo -target:library -out:lib.dll lib.cs && mcs -nologo -r:lib.dll -out:app.exe app.cs && mkdir app && "$ILINJECT" app.exe lib.dll -o app/ --quiet || exit 1
can dotnet && runtimeconfig app/app.exe

# Starts the program in run/, its temporary folder beside it; its first call has been made. Sets pid.
begin() { # settings…
    rm -rf run temp
    mkdir run temp
    mkfifo run/in run/out
    (cd run && TMPDIR=$SCRATCH/temp exec env "$@" "$runtime" ../app/app.exe <in >out 2>err.txt) &
    pid=$!
    exec 3<>run/in 4<>run/out # for both ends: a program that ends too early is not waited for
    tell 1 && reachable
}
tell() { # what to do: waits until it is done
    local line
    echo "$1" >&3 && read -r -t 100 line <&4 && [ "$line" = done ]
}
# The tracker's thread makes its file a moment after the first call.
reachable() { within 100 one_way; }
# The file loses its name before its header is written; a file of no bytes is not read yet.
one_way() { [ -n "$(open_ways)" ]; }
two_ways() { [ "$(open_ways | wc -l)" -ge 2 ]; }
# A file without a name: one that still has it may remain after a kill.
ways() { find "/proc/$pid/fd" -lname '*/.ilinject-ctl-* (deleted)' 2>/dev/null; }
open_ways() { local way; for way in $(ways); do [ ! -s "$way" ] || echo "$way"; done; }
end() { # exit value of the program, and nothing is left in the temporary folder but what the runtime itself puts there
    exec 3>&- 4<&-
    wait "$pid"
    [ $? -eq "${1:-0}" ] && [ -z "$(find temp -name '*ilinject*')" ] && [ ! -s run/err.txt ] || { ls -lA temp; cat run/err.txt; return 1; }
}
# ctl waits five seconds for the answer, which may be too few here. It takes back a request that
# was not answered: then the test asks once more.
patiently() { # FILE with what is said on standard error, COMMAND…
    local err=$1 tries result
    shift
    for ((tries = 0; tries < 20; tries++)); do
        "$@"
        result=$?
        [ $result -ne 0 ] && grep -q 'has not answered within' "$err" || break
    done
    return $result
}
asks() { "$ILINJECT" ctl "$pid" "$@" >out.txt 2>err.txt; }
ctl() { patiently err.txt asks "$@" || { cat err.txt; return 1; }; }
says() { [ "$(cat out.txt)" = "$1" ] && [ ! -s err.txt ] || { cat out.txt err.txt; return 1; }; }
sums_are() { # FILE, then "name calls resynchronised open"
    diff <(printf 'App.%s\n' "${@:2}") <(dump sums "$1")
}
fails() { # text, arguments…
    local text=$1
    shift
    "$ILINJECT" ctl "$@" >out.txt 2>err.txt
    [ $? -eq "${value:-1}" ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q -F -- "$text" err.txt || { cat out.txt err.txt; return 1; }
}

resets() {
    begin ILINJECT_BEAT=0 && tell 5 && ctl reset && says "$SCRATCH/run/app.ilprof: begun anew" && tell 7 && ctl flush && says "$SCRATCH/run/app.ilprof" &&
        [ "$(dump run run/app.ilprof reason)" = request ] && sums_are run/app.ilprof 'Main(string[]) 1 0 1' 'Step(int) 1 0 0' 'Work() 7 0 0' &&
        tell 1 && end && sums_are run/app.ilprof 'Main(string[]) 1 0 0' 'Step(int) 2 0 0' 'Work() 8 0 0'
}
stops() {
    begin && ctl stop && says "$SCRATCH/run/app.ilprof: stopped" && ctl stop && tell 5 && ctl start && says "$SCRATCH/run/app.ilprof: recording" && tell 2 && end &&
        sums_are run/app.ilprof 'Main(string[]) 1 0 0' 'Step(int) 2 0 0' 'Work() 3 0 0'
}
starts() { begin ILINJECT_START=off && ctl start && tell 4 && end && sums_are run/app.ilprof 'Step(int) 1 0 0' 'Work() 4 0 0'; }
snapshots() {
    rm -rf snapshots ./*.ilprof
    mkdir snapshots
    begin && ctl snapshot && says app.snapshot.ilprof && tell 2 && ctl snapshot && says app.snapshot-2.ilprof && tell 3 && echo old >mine.ilprof && ctl snapshot -o mine.ilprof &&
        says mine.ilprof && ctl snapshot -o snapshots && says snapshots/app.snapshot.ilprof && end &&
        sums_are app.snapshot.ilprof 'Main(string[]) 1 0 1' 'Step(int) 1 0 0' 'Work() 1 0 0' && sums_are app.snapshot-2.ilprof 'Main(string[]) 1 0 1' 'Step(int) 2 0 0' 'Work() 3 0 0' &&
        sums_are mine.ilprof 'Main(string[]) 1 0 1' 'Step(int) 3 0 0' 'Work() 6 0 0' && cmp mine.ilprof snapshots/app.snapshot.ilprof 2>&1 | grep -v 'differ:' | diff /dev/null - &&
        [ "$(dump run mine.ilprof reason)" = snapshot ] && [ -z "$(find . snapshots -maxdepth 1 -name '*.ilprof.*')" ]
}
answers() { says "$SCRATCH/run/app.ilprof: $1"; }
switched() {
    begin && tell 3 && ctl off App.Work && answers 'off: 1 method of 1 type, 4 calls so far' && tell 5 && ctl on '**.Work()' && answers 'on: 1 method of 1 type, 4 calls so far' &&
        tell 2 && ctl only App.Step 'App.Main(string[])' && answers 'only: 2 methods of 1 type, 5 calls so far' && tell 7 && ctl all && answers 'all: no switch and no trigger is left' && end &&
        sums_are run/app.ilprof 'Main(string[]) 1 0 0' 'Step(int) 5 0 0' 'Work() 6 0 0' || { cat out.txt; return 1; }
}
# The switch holds for a module that is not there yet.
switched_later() {
    begin && ! ctl off Lib 2>/dev/null && [ "$(cat out.txt)" = "$SCRATCH/run/app.ilprof: off: 0 methods" ] && [ "$(wc -l <err.txt)" -eq 1 ] &&
        grep -q "process $pid: 'Lib' names no method of the modules that are there" err.txt && tell lib && tell lib && ctl all && tell lib && end &&
        diff <(printf '%s\n' 'App.Main(string[]) 1 0 0' 'App.UseLib() 3 0 0' 'App.Step(int) 1 0 0' 'App.Work() 1 0 0' 'Lib.Called() 1 0 0' | sort) <(dump sums run/app.ilprof | sort)
}
triggered() {
    begin && ctl below 'App.Work' && answers 'below: 1 method of 1 type' && tell 3 && ctl depth 1 && answers 'depth: 1 frame' && tell 2 && ctl longer 60000s && answers 'longer: calls of 60000s and more' &&
        tell 4 && ctl all && tell 1 && end && sums_are run/app.ilprof 'Main(string[]) 1 0 0' 'Step(int) 2 0 0' 'Work() 7 0 0'
}
# The number of seconds is what it is.
states() { sed -E 's/ in [0-9]+ s$/ in N s/' out.txt | diff - <(printf "$SCRATCH/run/app.ilprof: %s\n" "$@") && [ ! -s err.txt ]; }
status() {
    begin && tell 3 && ctl status && states 'recording, 7 calls in N s' && ctl stop && ctl status && states 'stopped, 7 calls in N s' && ctl start &&
        ctl off App.Work && ctl below 'App.Step' 'App.Main*' && ctl depth 7 && ctl longer 5ms && ctl status &&
        states 'recording, 7 calls in N s' 'off: App.Work' 'below: App.Step App.Main*' 'depth: 7 frames' 'longer: calls of 5000000 ns and more' &&
        ctl all && ctl status && states 'recording, 7 calls in N s' && end
}
programs() {
    begin && kill -STOP "$pid" && "$ILINJECT" ctl >out.txt 2>err.txt && kill -CONT "$pid" && [ ! -s err.txt ] && grep -q "^ *$pid  .*$runtime.* \.\./app/app.exe$" out.txt &&
        ! grep -q "^ *$$ " out.txt && end && "$ILINJECT" ctl >out.txt 2>/dev/null && ! grep -q "^ *$pid " out.txt || { cat out.txt err.txt; return 1; }
}
no_pattern() { begin && ! ctl off 'App.Work(' >told.txt && grep -q "process $pid: 'App.Work(': ( is not closed$" told.txt && [ ! -s out.txt ] && end; }
# Each waits for its turn, all of them for longer than one waits for its answer.
one() { "$ILINJECT" ctl "$pid" "$([ $(($1 % 2)) -eq 0 ] && echo flush || echo stop)" >"one.$1" 2>&1; }
at_once() {
    local i asked=()
    begin || return 1
    for i in {1..14}; do
        patiently "one.$i" one "$i" &
        asked+=($!)
    done
    for i in "${asked[@]}"; do wait "$i" || { cat one.*; return 1; }; done
    end && [ "$(cat one.* | sort | uniq -c | tr -s ' ')" = " 7 $SCRATCH/run/app.ilprof
 7 $SCRATCH/run/app.ilprof: stopped" ] || { cat one.*; return 1; }
}
several() { # what makes another one
    begin && tell "$1" || return 1
    within 100 two_ways || return 1
    ctl reset && [ "$(grep -c ': begun anew$' out.txt)" -eq 2 ] && rm -f both*.ilprof && ctl snapshot -o both.ilprof && says 'both.ilprof
both-2.ilprof' || { cat out.txt; return 1; }
    kill -9 "$pid"
    end 137 2>/dev/null && [ "$(for file in both*.ilprof; do dump run "$file" reason; done)" = 'snapshot
snapshot' ] && dump sums both.ilprof | cat - <(dump sums both-2.ilprof) | grep -q '^App.Main(string\[\]) 1 0 1$'
}
# The tracker names the place in one line, which `end` would take for a fault.
in_temporary_folder() {
    begin ILINJECT_OUT=/proc/none/x.ilprof && ctl flush && says "$SCRATCH/temp/x.ilprof" &&
        [ "$(wc -l <run/err.txt)" -eq 1 ] && grep -q "the profile is at $SCRATCH/temp/x.ilprof$" run/err.txt &&
        sed -i d run/err.txt && end
}
# Content of the file that is no request, an unknown one, and one of an asker that is gone.
refused() { [ "$(dd if="$way" bs=1 skip=512 count=4 2>/dev/null)" = "77 0" ]; }
rubbish() {
    local way
    begin || return 1
    way=$(ways)
    printf '%0100d' 7 | dd of="$way" bs=1 seek=16 conv=notrunc 2>/dev/null
    sleep 0.6
    printf '77 nonsense\n' | dd of="$way" bs=1 seek=16 conv=notrunc 2>/dev/null
    within 100 refused || return 1
    ctl reset && [ "$(stat -L -c %s "$way")" -eq 16 ] && end
}
forbidden() { begin_unreachable ILINJECT_CONTROL=0 && fails "has no tracker that listens" "$pid" stop && [ -z "$(ways)" ] && end; }
begin_unreachable() {
    reachable() { sleep 1; }
    begin "$@"
    local result=$?
    eval "$reachable_again"
    return $result
}
reachable_again=$(declare -f reachable)
killed() { begin && kill -9 "$pid" && end 137 2>/dev/null && fails "there is no process $pid" "$pid" stop; }
half() {
    can "$runtime" || { skip "programs are controlled from outside ($runtime)" "$runtime is not there"; return; }
    check "reset forgets what was recorded, flush writes ($runtime)" resets
    check "what is called between stop and start is not recorded ($runtime)" stops
    check "a program with start=off is started ($runtime)" starts
    check "snapshots go to files of their own ($runtime)" snapshots
    check "methods are switched off and on by their names ($runtime)" switched
    check "so are those of a module that loads later ($runtime)" switched_later
    check "triggers record below a method, to a depth, from a length on ($runtime)" triggered
    check "status says what is recorded, and by which rules ($runtime)" status
    check "without a process all that can be controlled are listed ($runtime)" programs
    check "what is no pattern is told ($runtime)" no_pattern
    check "several that ask at once are all answered ($runtime)" at_once
    check "a profile in the temporary folder is no other matter ($runtime)" in_temporary_folder
    check "rubbish is passed over, an unknown request refused ($runtime)" rubbish
    check "control=0 forbids it ($runtime)" forbidden
    check "a killed process leaves nothing ($runtime)" killed
    if [ "$runtime" = mono ]; then
        check "all AppDomains of a process are asked" several domain
    else
        check "all load contexts of a process are asked" several context
    fi
}
stopped() {
    begin && kill -STOP "$pid" && fails "has not answered within 5 s" "$pid" reset && kill -CONT "$pid" && [ "$(stat -L -c %s "$(ways)")" -eq 16 ] && sleep 0.6 && end &&
        sums_are run/app.ilprof 'Main(string[]) 1 0 0' 'Step(int) 1 0 0' 'Work() 1 0 0'
}
requested() { [ -n "$(dd if="$(ways)" bs=1 skip=16 count=40 2>/dev/null | tr -d '\0')" ]; }
ends_meanwhile() {
    begin && kill -STOP "$pid" || return 1
    "$ILINJECT" ctl "$pid" reset >out.txt 2>err.txt &
    local asking=$!
    within 100 requested
    kill -9 "$pid"
    end 137 2>/dev/null
    wait $asking
    [ $? -eq 1 ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q "has ended before it answered" err.txt || { cat err.txt; return 1; }
}
anothers() { begin && chmod 755 "$SCRATCH" "$SCRATCH/.." && setpriv --reuid 65534 --regid 65534 --clear-groups "$ILINJECT" ctl "$pid" stop >out.txt 2>err.txt; [ $? -eq 1 ] && grep -q "belongs to another user" err.txt && [ "$(wc -l <err.txt)" -eq 1 ] && end || { cat err.txt; return 1; }; }
# A process that only looks as if it had a tracker: what it answers is taken for what it is.
asked() { # sets number
    number=$(dd if="$way" bs=1 skip=16 count=40 2>/dev/null | tr -d '\0' | sed -n 's/ snapshot$//p') && [ -n "$number" ]
}
asked_or_late() { asked || ! kill -0 $i 2>/dev/null; }
liar() { # the answer, in which NUMBER stands for the request's
    local way i number
    mkdir -p lies
    printf 'ILCTL\r\n\001\0\0\0\0\0\0\0\0' >lies/.ilinject-ctl-0
    chmod 600 lies/.ilinject-ctl-0
    exec 9<>lies/.ilinject-ctl-0
    rm lies/.ilinject-ctl-0
    sleep 300 &
    pid=$!
    exec 9>&-
    way=/proc/$pid/fd/9
    "$ILINJECT" ctl "$pid" snapshot -o lie.ilprof >out.txt 2>err.txt &
    i=$!
    within 100 asked_or_late
    printf '\033[31m\nred/x' | dd of="$way" bs=1 seek=1024 conv=notrunc 2>/dev/null
    printf 'PART' | dd of="$way" bs=1 seek=8192 conv=notrunc 2>/dev/null
    printf '%s\n' "${1//NUMBER/$number}" | dd of="$way" bs=1 seek=512 conv=notrunc 2>/dev/null
    wait $i
    local result=$?
    kill "$pid"
    wait "$pid" 2>/dev/null
    return $result
}
lies() {
    rm -f lie.ilprof
    ! patiently err.txt liar 'NUMBER 1 10 9999999999 NUMBER' && [ ! -e lie.ilprof ] && grep -q 'lie.ilprof cannot be written: Input/output error' err.txt || { cat err.txt; return 1; }
    patiently err.txt liar 'NUMBER 1 99999 4 NUMBER' && [ "$(cat lie.ilprof)" = PART ] && rm lie.ilprof && patiently err.txt liar 'NUMBER 1 10 4 NUMBER' && [ "$(cat lie.ilprof)" = PART ] &&
        ! grep -q "$(printf '\033')" out.txt err.txt
}
unwritable() { begin && fails "none/x.ilprof cannot be written: No such file or directory" "$pid" snapshot -o none/x.ilprof && end; }
rest() {
    check "a liar's answer harms nobody" lies
    check "a request that nobody answered is taken back" stopped
    check "a process that ends meanwhile is told" ends_meanwhile
    check "so is a place where a snapshot cannot go" unwritable
    if [ "$(id -u)" -eq 0 ] && has setpriv; then
        check "another user's process is not touched" anothers
    else
        skip "another user's process is not touched" "that takes root and setpriv"
    fi
    check "a process that does not exist is told" fails "there is no process 999999999" 999999999 stop
    check "a process without a tracker is told" fails "has no tracker that listens" $$ stop
    value=2
    check "a process is a number" fails "'app' is no process's number" app stop
    check "an unknown word is told with the near one" fails "did you mean 'reset'" 1 rest
    check "a process alone is wrong usage" fails "expected PID and one of" 1
    check "off without a pattern is wrong usage" fails "off wants at least one PATTERN" 1 off
    check "so is more than one depth" fails "depth wants one N" 1 depth 2 3
    check "so is a word behind stop" fails "stop takes nothing after it, found 'now'" 1 stop now
    check "so is a pattern of two lines" fails "found one with a line break" 1 off $'A\nB'
    check "-o is for snapshots" fails "--output is for snapshot" 1 stop -o x
}
halves half rest
finish
