#!/usr/bin/env bash
# level: full
# Control from outside on Windows: ilinject.exe and a .NET program for Windows, both under Wine. The commands and answers are
# those of e2e/ctl. Another user's memory, or memory that others may open, is not taken for a tracker's.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../lib/sh/windows.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
all="programs are controlled from outside on Windows"
for need in mono mcs dotnet x86_64-w64-mingw32-gcc; do
    if ! has "$need"; then skip "$all" "$need is not installed"; finish; fi
done
windows_ready "$all"
cat >App.cs <<'END'
using System;
using System.Reflection;
using System.Threading;
public static class App
{
    public static void Main(string[] args)
    {
        if (args.Length > 0) { new Thread(delegate() { Step(1); Thread.Sleep(60000); }) { IsBackground = true }.Start(); return; }
        Console.WriteLine(Environment.ProcessId);
        for (string line; (line = Console.ReadLine()) != null; Console.WriteLine("done"))
            if (line == "context") Context();
            else if (line == "end") return;
            else Step(int.Parse(line));
    }
    // The program once more, with a tracker of its own.
    static void Context()
    {
        var context = new System.Runtime.Loader.AssemblyLoadContext("second");
        string here = AppContext.BaseDirectory;
        context.LoadFromAssemblyPath(here + "ProfileInfoTracker.dll");
        context.LoadFromAssemblyPath(here + "App.dll").EntryPoint.Invoke(null, new object[] { new[] { "hold" } });
    }
    static void Step(int count) { for (int i = 0; i < count; i++) Work(); }
    static void Work() { }
}
END
said=$(windows_publish App App.cs)
case $? in
0) ;;
77) skip "$all" "$said"; finish ;;
*) check "the program is published for Windows" eval 'echo "$said"; false'; finish ;;
esac
cp -al App out && rm out/App.dll &&
    "$ILINJECT" -q App/App.dll -o out/ 2>/dev/null && x86_64-w64-mingw32-gcc -o liar.exe "$ROOT/tests/e2e/control/windows_liar.c" -ladvapi32 || exit 1

# Starts the program in run/; its first call has been made, and its tracker listens. Sets pid.
begin() { # settings…
    rm -rf run
    mkdir run && mkfifo run/in run/out
    (cd run && HOME=$SCRATCH/home exec env "$@" timeout -k 1 500 "$wine" ../out/App.exe <in >out 2>err.txt) &
    unix=$!
    exec 3<>run/in 4<>run/out # for both ends: a program that ends too early is not waited for
    read -r -t 100 pid <&4 && pid=${pid%$'\r'} && tell 1 && { [ "${unreachable:-}" ] || within 100 reachable; }
}
tell() { # what to do: waits until it is done
    local line
    printf '%s\n' "$1" >&3 && read -r -t 100 line <&4 && [ "${line%$'\r'}" = done ]
}
reachable() { run start; }
run() { "$wine" "$exe" ctl "$pid" "$@" >out.txt 2>err.txt </dev/null; }
end() { # the program ends by itself, and said nothing on standard error
    echo end >&3
    wait "$unix"
    local code=$?
    exec 3>&- 4<&-
    [ $code -eq 0 ] && [ ! -s run/err.txt ] || { echo "exit code $code"; cat run/err.txt; return 1; }
}
# ctl waits five seconds for the answer, which may be too few here.
ctl() {
    local tries result
    for ((tries = 0; tries < 20; tries++)); do
        run "$@"
        result=$?
        [ $result -ne 0 ] && grep -q 'has not answered within' err.txt || break
    done
    [ $result -eq 0 ] || cat err.txt
    return $result
}
place="Z:${SCRATCH//\//\\}\\run\\App.ilprof"
says() { [ "$(cat out.txt)" = "$1" ] && [ ! -s err.txt ] || { cat out.txt err.txt; return 1; }; }
answers() { says "$place: $1"; }
sums_are() { # FILE, then "name calls resynchronised open"
    diff <(printf 'App.%s\n' "${@:2}") <(dump sums "$1")
}
fails() { # text, arguments…
    local text=$1
    shift
    "$wine" "$exe" ctl "$@" >out.txt 2>err.txt </dev/null
    [ $? -eq "${value:-1}" ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q -F -- "$text" err.txt || { cat out.txt err.txt; return 1; }
}

resets() {
    begin ILINJECT_BEAT=0 && tell 5 && ctl reset && answers "begun anew" && tell 7 && ctl flush && says "$place" &&
        [ "$(dump run run/App.ilprof reason)" = request ] && sums_are run/App.ilprof 'Main(string[]) 1 0 1' 'Step(int) 1 0 0' 'Work() 7 0 0' &&
        tell 1 && end && sums_are run/App.ilprof 'Main(string[]) 1 0 0' 'Step(int) 2 0 0' 'Work() 8 0 0'
}
stops() {
    begin && ctl stop && answers stopped && ctl stop && tell 5 && ctl start && answers recording && tell 2 && end &&
        sums_are run/App.ilprof 'Main(string[]) 1 0 0' 'Step(int) 2 0 0' 'Work() 3 0 0'
}
snapshots() {
    rm -rf snapshots ./*.ilprof
    mkdir snapshots
    begin && ctl snapshot && says App.snapshot.ilprof && tell 2 && ctl snapshot && says App.snapshot-2.ilprof && tell 3 && echo old >mine.ilprof && ctl snapshot -o mine.ilprof &&
        says mine.ilprof && ctl snapshot -o snapshots && says snapshots/App.snapshot.ilprof && end &&
        sums_are App.snapshot.ilprof 'Main(string[]) 1 0 1' 'Step(int) 1 0 0' 'Work() 1 0 0' && sums_are App.snapshot-2.ilprof 'Main(string[]) 1 0 1' 'Step(int) 2 0 0' 'Work() 3 0 0' &&
        sums_are mine.ilprof 'Main(string[]) 1 0 1' 'Step(int) 3 0 0' 'Work() 6 0 0' && [ "$(dump run mine.ilprof reason)" = snapshot ] &&
        [ -z "$(find . snapshots -maxdepth 1 -name '*.ilprof.*')" ]
}
switched() {
    begin && tell 3 && ctl off App.Work && answers 'off: 1 method of 1 type, 4 calls so far' && tell 5 && ctl on '**.Work()' && answers 'on: 1 method of 1 type, 4 calls so far' &&
        tell 2 && ctl only App.Step 'App.Main(string[])' && answers 'only: 2 methods of 1 type, 5 calls so far' && tell 7 && ctl all && answers 'all: no switch and no trigger is left' && end &&
        sums_are run/App.ilprof 'Main(string[]) 1 0 0' 'Step(int) 5 0 0' 'Work() 6 0 0' || { cat out.txt; return 1; }
}
triggered() {
    begin && ctl below 'App.Work' && answers 'below: 1 method of 1 type' && tell 3 && ctl depth 1 && answers 'depth: 1 frame' && tell 2 && ctl longer 60000s && answers 'longer: calls of 60000s and more' &&
        tell 4 && ctl all && tell 1 && end && sums_are run/App.ilprof 'Main(string[]) 1 0 0' 'Step(int) 2 0 0' 'Work() 7 0 0'
}
no_pattern() { begin && ! ctl off 'App.Work(' >told.txt && grep -q "process $pid: 'App.Work(': ( is not closed" told.txt && [ ! -s out.txt ] && end; }
one() { # its turn comes, or the answer comes too late: then once more
    local tries
    for ((tries = 0; tries < 20; tries++)); do
        "$wine" "$exe" ctl "$pid" "$([ $(($1 % 2)) -eq 0 ] && echo flush || echo stop)" >"one.$1" 2>&1 </dev/null && return
        grep -q 'has not answered within' "one.$1" || return
    done
}
at_once() {
    local i asked=()
    begin || return 1
    for i in {1..6}; do
        one "$i" &
        asked+=($!)
    done
    for i in "${asked[@]}"; do wait "$i" || { cat one.*; return 1; }; done
    end && [ "$(cat one.* | tr -d '\r' | sort | uniq -c | tr -s ' ')" = " 3 $place
 3 $place: stopped" ] || { cat one.*; return 1; }
}
both_say() { ctl reset && [ "$(grep -c ': begun anew$' out.txt)" -eq 2 ]; }
several() {
    begin && tell context && within 100 both_say && rm -f both*.ilprof && ctl snapshot -o both.ilprof && says 'both.ilprof
both-2.ilprof' && end && [ "$(for file in both*.ilprof; do dump run "$file" reason; done)" = 'snapshot
snapshot' ]
}
forbidden() { unreachable=1 begin ILINJECT_CONTROL=0 && sleep 1 && fails "has no tracker that listens" "$pid" stop && end; }
ended() { begin && end && fails "there is no process $pid" "$pid" stop; }
unwritable() { begin && fails "none/x.ilprof cannot be written: No such file or directory" "$pid" snapshot -o none/x.ilprof && end; }
# Memory that is no tracker's, made with these rights; then what ctl says.
liar() { # RIGHTS ANSWER TEXT
    local line result
    : >liar.txt
    timeout -k 1 100 "$wine" liar.exe "$1" "$2" >liar.txt </dev/null &
    line=$!
    within 60 test -s liar.txt && fails "$3" "$(head -n 1 liar.txt | tr -d '\r')" snapshot -o lie.ilprof && [ ! -e lie.ilprof ]
    result=$?
    kill "$line"
    wait "$line" 2>/dev/null
    return $result
}
owned='D:P(A;;GA;;;OW)(A;;GA;;;SY)(A;;GA;;;BA)'

check "reset forgets what was recorded, flush writes" resets
check "what is called between stop and start is not recorded" stops
check "snapshots go to files of their own" snapshots
check "methods are switched off and on by their names" switched
check "triggers record below a method, to a depth, from a length on" triggered
check "what is no pattern is told" no_pattern
check "several that ask at once are all answered" at_once
check "all load contexts of a process are asked" several
check "control=0 forbids it" forbidden
check "a process that has ended is told" ended
check "so is a place where a snapshot cannot go" unwritable
check "memory that everybody may open is not asked" liar "$owned(A;;GA;;;WD)" '@ 1 0 0 @' "other users may open its control file"
check "memory that somebody else owns is no tracker's" liar "O:S-1-5-21-1-2-3-4444$owned" '@ 1 0 0 @' "has no tracker that listens"
check "an answer with more than there is harms nobody" liar "$owned" '@ 1 0 9999999999 @' "lie.ilprof cannot be written"
check "a process that does not exist is told" fails "there is no process 999999999" 999999999 stop
value=2
check "a process is a number" fails "'app' is no process's number" app stop
check "an unknown word is told with the near one" fails "did you mean 'reset'" 4 rest
finish
