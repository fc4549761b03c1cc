#!/usr/bin/env bash
# The tracker by itself: a driver program that calls it as injected code would, and a reader of profiles that was written
# from the format's description alone. Everything on Mono, and on .NET where dotnet is there.
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export TMPDIR=$SCRATCH/tmp
mkdir "$TMPDIR"
here=$ROOT/tests/tracker

if ! has mono || ! has mcs; then
    skip "the tracker counts and times calls" "mono and mcs are not installed"
    finish
fi
compile_driver() { # FOLDER: against the tracker in it
    mcs -nologo -nowarn:414 -out:"$1/driver.exe" -resource:names.bin,ilinject.names -r:"$1/ProfileInfoTracker.dll" "$here/Driver.cs" "$here/ControlDriver.cs" "$here/TriggerDriver.cs" &&
        cp driver.runtimeconfig.json "$1"
}
cat >driver.runtimeconfig.json <<'EOF'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
EOF
mkdir app stub clockless
mcs -nologo -out:dump.exe "$here"/ProfileDump*.cs &&
    mono dump.exe names names.bin Main Outer Inner 'Inner(int)' Recurse Throws Work Sleep &&
    cp "$BUILD/ProfileInfoTracker.dll" app && compile_driver app &&
    mcs -nologo -target:library -out:stub/ProfileInfoTracker.dll "$here/StubTracker.cs" && compile_driver stub &&
    mcs -nologo -target:library -out:AbsentClock.dll "$here/AbsentClock.cs" &&
    mcs -nologo -target:library -nostdlib -noconfig -r:/usr/lib/mono/2.0-api/mscorlib.dll -r:AbsentClock.dll \
        -out:clockless/ProfileInfoTracker.dll "$ROOT"/runtime-tracker/*/*.cs "$BUILD"/runtime-tracker/facts/*.cs && compile_driver clockless || exit 1

# An empty folder to run in; what an unsuccessful test before has left running ends.
fresh() {
    if [ -e pid ]; then kill -KILL "$(cat pid)" 2>/dev/null; fi
    rm -rf run tmp/* pid end
    mkdir run
}
# The driver in the folder run. NAME=VALUE before the scenario are settings; $app is the folder it comes from.
drive() {
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    (cd run && exec timeout -k 1 120 env "${settings[@]}" "$runtime" "../${app:-app}/driver.exe" "$@") >out.txt 2>err.txt
}
# The same, left running ($pid), once it is at work (the tracker's thread is when the profile is there); with the usual signal handling, which a shell's background jobs lack.
start() {
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    : >out.txt
    (cd run && exec env --default-signal=INT,TERM "${settings[@]}" "$runtime" "../${app:-app}/driver.exe" "$@") >out.txt 2>err.txt &
    pid=$!
    echo "$pid" >pid
    until_true grep -q ready out.txt
}
until_true() { within 100 "$@" 2>/dev/null; }
ended_with() { # STATUS: of $pid
    local status
    wait "$pid" 2>/dev/null
    status=$?
    rm -f pid
    [ "$status" -eq "$1" ] || { echo "exit status $status, expected $1"; return 1; }
}
dump() { mono dump.exe "$@"; }
value() { dump run "${2:-run/driver.ilprof}" "$1"; }
value_is() { # KEY PATTERN [FILE]
    [[ $(value "$1" ${3:+"$3"}) == $2 ]] || { echo "$1=$(value "$1" ${3:+"$3"}), expected $2"; return 1; }
}
sums_are() { diff <(printf 'N.T.%s\n' "${@:2}") <(dump sums "$1"); } # FILE, then "name calls resynchronised open"
beaten() { dump sums run/driver.ilprof | grep -q 'Outer() 1 0 0'; }
one_line() { [ "$(wc -l <err.txt)" -eq 1 ] && grep -q "$1" err.txt || { cat err.txt; return 1; }; }
files_are() { diff <(printf '%s\n' "${@:2}") <(ls -A "$1"); }
nested=('Main() 1 0 0' 'Outer() 10 0 0' 'Inner() 30 0 0' 'Inner(int) 10 0 0')
waiting=('Main() 1 0 1' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Inner(int) 1 0 0' 'Sleep() 1 0 1')
# The sum of own times is the time of all roots to the microsecond, and nothing is negative.
time_adds_up() {
    local own roots wall negative
    IFS='= ' read -r _ own _ roots _ wall _ negative < <(dump time run/driver.ilprof)
    [ $((own - roots)) -lt 1000 ] && [ $((roots - own)) -lt 1000 ] && [ "$negative" -eq 0 ] && [ "$roots" -gt 0 ] && [ "$roots" -le "$((wall * ${1:-1}))" ] ||
        { dump time run/driver.ilprof; return 1; }
}

# Callees stand in the order of their first calls.
in_order() {
    local calls
    calls=$(dump tree run/driver.ilprof | grep -o 'Inner([a-z]*)' | tr '\n' ' ')
    [ "$calls" = "Inner() Inner(int) " ] || { echo "in this order: $calls"; return 1; }
}
nested_counts() { fresh; drive nested && sums_are run/driver.ilprof "${nested[@]}" && in_order && value_is reason exit && value_is clock stopwatch && time_adds_up; }
nothing_printed() { [ ! -s out.txt ] && [ ! -s err.txt ] && files_are run driver.ilprof && [ -z "$(ls -A tmp)" ]; }
recursion() { fresh; drive recursion 20 && sums_are run/driver.ilprof 'Main() 1 0 0' 'Recurse() 20 0 0' && time_adds_up; }
threads() {
    fresh
    drive threads 2000 && sums_are run/driver.ilprof 'Main() 1 0 0' 'Outer() 128000 0 0' 'Inner() 384000 0 0' 'Inner(int) 128000 0 0' 'Work() 64 0 0' && time_adds_up 64
}
short_threads() {
    fresh
    drive shortthreads "$1" && sums_are run/driver.ilprof 'Main() 1 0 0' "Outer() $1 0 0" "Inner() $(($1 * 3)) 0 0" "Inner(int) $1 0 0" "Work() $1 $1 0" &&
        dump tree run/driver.ilprof | grep -q "thread 0 \"\" x$1 nodes=5" && in_order && value_is folded absent && time_adds_up
}
resync() { fresh; drive resync && sums_are run/driver.ilprof 'Main() 1 0 0' 'Outer() 10 0 0' 'Recurse() 20 0 0' 'Throws() 10 10 0' && time_adds_up; }
tokens() { fresh; drive tokens && sums_are run/driver.ilprof 'Main() 1 0 0' 'Outer() 1 0 0' 'Inner() 1 0 0'; }
unregistered() { fresh; drive unregistered && sums_are run/driver.ilprof 'Main() 1 0 0' && value_is dropped 5; }
exit_called() {
    fresh
    drive exit
    [ $? -eq 7 ] && sums_are run/driver.ilprof 'Main() 1 0 1' 'Sleep() 1 0 1' && value_is reason exit && time_adds_up &&
        [ "$(dump time run/driver.ilprof | sed -n 's/.* roots=\([0-9]*\) .*/\1/p')" -ge 50000000 ] || { dump time run/driver.ilprof; return 1; } # it slept so long, or longer
}
unhandled() { # SCENARIO
    local status plain
    fresh
    app=stub drive "$1"
    plain=$?
    sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' err.txt >plain.txt
    drive "$1"
    status=$?
    [ "$status" -eq "$plain" ] && diff plain.txt <(sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' err.txt) && value_is reason unhandled && sums_are run/driver.ilprof 'Main() 1 0 1' 'Throws() 1 0 1'
}
signalled() { # SIGNAL STATUS
    fresh
    start ILINJECT_BEAT=0 wait 60000 && until_true test -s run/driver.ilprof && kill "-$1" "$pid" && ended_with "$2" && sums_are run/driver.ilprof "${waiting[@]}" && value_is reason signal && files_are run driver.ilprof
}
signal_after_beat() { # for runtimes that say nothing of signals
    fresh
    start wait 60000 && until_true beaten && kill "-$1" "$pid" && ended_with "$2" && sums_are run/driver.ilprof "${waiting[@]}" && value_is reason beat
}
ignored_signal() { # what the program was started to ignore stays ignored
    fresh
    : >out.txt
    (cd run && trap '' INT && exec "$runtime" ../app/driver.exe until) >out.txt 2>err.txt &
    pid=$!
    echo "$pid" >pid
    until_true grep -q ready out.txt && until_true test -s run/driver.ilprof && kill -INT "$pid" && touch end && ended_with 0 && value_is reason exit
}
killed() {
    fresh
    start wait 60000 && until_true beaten && kill -KILL "$pid" && ended_with 137 && value_is reason beat &&
        drive nested && files_are run driver.ilprof && sums_are run/driver.ilprof "${nested[@]}"
}
held() { # by a run on $1
    local other=$runtime
    fresh
    runtime=$1
    start wait 60000 && until_true beaten || return 1
    runtime=$other
    drive nested && drive nested && [ "$(ls run | wc -l)" -eq 3 ] && [ "$(value reason)" = beat ] || { ls run; return 1; }
    for file in run/driver.*.ilprof; do
        [ "run/driver.$(value pid "$file").ilprof" = "$file" ] && sums_are "$file" "${nested[@]}" || return 1
    done
    kill -KILL "$pid"
    ended_with 137 && drive nested && value_is reason exit && [ "$(ls run | wc -l)" -eq 3 ]
}
unwritable() {
    fresh
    (cd /proc && exec timeout -k 1 120 "$runtime" "$SCRATCH/app/driver.exe" nested) >out.txt 2>err.txt && sums_are tmp/driver.ilprof "${nested[@]}" &&
        [ "$(wc -l <err.txt)" -eq 1 ] && grep -q "^ilinject: /proc/driver.ilprof can't be written (.*); the profile is at $TMPDIR/driver.ilprof\$" err.txt || { cat err.txt; return 1; }
}
ends_in_time() { # although the tracker's thread is still busy with exceptions of its own when the program ends
    local i
    fresh
    for ((i = 0; i < 30; i++)); do
        (cd /proc && exec timeout -k 1 150 "$runtime" "$SCRATCH/app/driver.exe" nested) || return 1
    done
}
folder_lost() { # after the start
    fresh
    start ILINJECT_BEAT=0 until && until_true test -s run/driver.ilprof && rm -r run && touch end && ended_with 0 && value_is reason exit tmp/driver.ilprof
}
out_pattern() {
    fresh
    drive ILINJECT_OUT='a/%n-%p-%h-%t-%%.x' nested && ls run/a && ls run/a | grep -Eqx "driver-[0-9]+-$(hostname)-20[0-9]{6}T[0-9]{6}Z-%\.x" && sums_are run/a/* "${nested[@]}"
}
out_folder() { fresh; drive ILINJECT_OUT=b/ nested && sums_are run/b/driver.ilprof "${nested[@]}" && files_are run b; }
out_device() { fresh; drive ILINJECT_OUT=/dev/null nested && [ -c /dev/null ] && [ -z "$(ls -A run)" ]; }
broken() { # SETTING WORDS
    fresh
    drive "$1" nested && one_line "$2" && sums_are run/driver.ilprof "${nested[@]}"
}
settings_file() {
    fresh
    printf '# ours\n\nout = from-file.ilprof\nbeat=0\n' >app/ilinject.settings
    drive nested && files_are run from-file.ilprof && [ ! -s err.txt ] && fresh && drive ILINJECT_OUT=from-env.ilprof nested && files_are run from-env.ilprof || return 1
    fresh
    printf 'nonsense\nbeat=10\ncolour=red\n' >app/ilinject.settings
    drive nested && [ "$(wc -l <err.txt)" -eq 2 ] && grep -q 'ilinject.settings:1: ' err.txt && grep -q 'ilinject.settings:3: colour: unknown' err.txt
}
deep() {
    fresh
    drive ILINJECT_RECURSION=1000000 deep 100000 && sums_are run/driver.ilprof 'Main() 1 0 0' 'Recurse() 100000 0 0' && value_is folded absent && time_adds_up 2
}
deep_folded() { fresh; drive deep 100000 && sums_are run/driver.ilprof 'Main() 1 0 0' 'Recurse() 100000 0 0' && value_is folded 90000 && time_adds_up 2; }
chain() {
    fresh
    drive chain 100000 && sums_are run/driver.ilprof 'Main() 1 0 0' 'Outer() 20000 0 0' 'Inner() 20000 0 0' 'Inner(int) 20000 0 0' 'Recurse() 20000 0 0' 'Throws() 20000 0 0' &&
        value_is folded 50000 && time_adds_up 2
}
fold() { # BUDGET FOLDED: all words of up to eight letters over four methods
    fresh
    drive ILINJECT_NODES="$1" fold 8 && sums_are run/driver.ilprof 'Main() 1 0 0' 'Outer() 21845 0 0' 'Inner() 21845 0 0' 'Inner(int) 21845 0 0' 'Recurse() 21845 0 0' &&
        value_is folded "$2" && time_adds_up && dump tree run/driver.ilprof | grep -q "nodes=$3"
}
# Whose calls were folded, and how many stood below: by the driver's source.
folds_are() { diff <(printf '%sN.T.%s\n' "$@") <(dump folds run/driver.ilprof); }
folds_of_recursion() { fresh; drive ILINJECT_RECURSION=10 recursion 20 && folds_are '*' 'Recurse() 9 45 0 0 0 0' '' 'Recurse() 1 10 0 0'; }
folds_of_callees() {
    fresh
    drive ILINJECT_NODES=2 nested && folds_are '*' 'Inner() 0 0 0 0 30 0' '*' 'Inner(int) 0 0 0 0 10 0' '' 'Outer() 40 40 0 0' &&
        [ "$(dump run run/driver.ilprof inside_folded_ps)" -ge 1 ] && [ "$(dump run run/driver.ilprof outside_folded_ps)" -ge 1 ]
}
folds_of_callers() {
    fresh
    drive ILINJECT_NODES=1 nested &&
        folds_are '*' 'Inner() 0 0 0 0 30 0' '*' 'Inner(int) 0 0 0 0 10 0' '*' 'Outer() 40 40 0 0 10 40' '' 'Main() 10 50 0 0'
}
wide() { # more callees of a caller than it has slots for
    fresh
    drive wide 300 && dump tree run/driver.ilprof >tree.txt && grep -q 'nodes=602' tree.txt && dump sums run/driver.ilprof >sums.txt && grep -q '"callee0" 9 0 0' sums.txt &&
        [ "$(grep -c '"callee[0-9]*" 6 0 0' sums.txt)" -eq 299 ]
}
open_fold() {
    fresh
    drive ILINJECT_NODES=2 openfold && sums_are run/driver.ilprof 'Main() 1 0 1' 'Outer() 1 0 1' 'Inner() 1 0 1' 'Sleep() 1 0 1' && value_is folded 2 && time_adds_up
}
allocates_nothing() { fresh; drive ILINJECT_BEAT=0 alloc || { cat out.txt; return 1; }; }
culture() { fresh; drive culture && dump sums run/driver.ilprof | grep -q 'Outer() [1-3] 0 0' && value_is reason exit && time_adds_up 4; }
without_stopwatch() { fresh; app=clockless drive nested && sums_are run/driver.ilprof "${nested[@]}" && value_is clock utc; }
# Members of the core library that some host lacks, or does not allow: what is recorded can still be asked for from inside.
bare_host() {
    mkdir bare && cp "$cecil" . && mcs -nologo -r:"$cecil" -out:lacking.exe "$here/Lacking.cs" &&
        mono lacking.exe app/ProfileInfoTracker.dll bare/ProfileInfoTracker.dll System.AppDomain::{get_BaseDirectory,get_FriendlyName,IsDefaultAppDomain} \
            System.AppDomain::add_{ProcessExit,DomainUnload,UnhandledException} System.Environment::{GetEnvironmentVariables,get_CurrentDirectory,get_MachineName} \
            System.IO.Path::Get{TempPath,InvalidFileNameChars} System.IO.{File,Directory}::Exists System.IO.FileStream::.ctor \
            System.Reflection.Assembly::GetEntryAssembly System.Console::OpenStandardError && compile_driver bare
}
lacks() { fresh; app=bare drive report && grep -q '^calls 714, open 2, functions 7, threads 65$' out.txt && [ ! -s err.txt ] && [ -z "$(ls -A run)" ] || { cat out.txt err.txt; ls -A run; return 1; }; }
contexts() {
    local file
    fresh
    drive contexts || return 1
    files_are run "driver.$(value pid)-2.ilprof" "driver.$(value pid).ilprof" driver.ilprof || return 1
    for file in run/*; do
        sums_are "$file" "${nested[@]}" && value_is reason exit "$file" || return 1
    done
}
domain() { fresh; drive domain && files_are run driver.d1.ilprof driver.ilprof && sums_are run/driver.d1.ilprof "${nested[@]}" && [ "$(value reason run/driver.d1.ilprof)" = domain ]; }
collectible() { fresh; drive collectible && dump sums run/driver.ilprof | grep -q 'Outer() 10 0 0' && [ "$(dump tree run/driver.ilprof | grep -c '^module .* names=[1-9]')" -eq 2 ]; }
references() {
    [ "$(monodis --assemblyref app/ProfileInfoTracker.dll | grep -Ec 'Version=2.0.5.0|Name=(mscorlib|System)$|Flags=0x00000100|7C EC 85 D7 BE A7 79 8E')" -eq 8 ] &&
        monodis --assembly app/ProfileInfoTracker.dll | grep -q 'Version: *1.0.0.0' && sn -q -v app/ProfileInfoTracker.dll
}
members() { # exist in every core library that there is reference assemblies of, from .NET 2.0 to 4.8, and of .NET
    local folders=(/usr/lib/mono/2.0-api /usr/lib/mono/4.0-api /usr/lib/mono/4.8-api) pack
    mcs -nologo -r:"$cecil" -out:references.exe "$here/References.cs" && cp "$cecil" . || return 1
    for pack in "$(dirname "$(readlink -f "$(command -v dotnet)")")"/packs/Microsoft.NETCore.App.Ref/*/ref/net*; do
        if [ -d "$pack" ]; then folders+=("$pack"); fi
    done
    mono references.exe app/ProfileInfoTracker.dll "${folders[@]}"
}
# Its instructions: an array is made and stored, nothing is called that could wait.
one_initializer() {
    monodis app/ProfileInfoTracker.dll | sed -n "/ '\.cctor' /,/end of method/p" >initializer
    [ "$(grep -c "'\.cctor'" initializer)" -eq 1 ] && grep -q 'end of method FirstSwitches' initializer &&
        [ "$(sed -n 's/^\tIL_[0-9a-f]*: *\([a-z0-9.]*\).*/\1/p' initializer | tr '\n' ' ')" = 'ldc.i4 newarr stsfld ret ' ]
}

check "the tracker is signed, its version is 1.0.0.0, its references are retargetable 2.0.5.0" references
check "no class of the tracker has a type initializer, but one that only makes an array" one_initializer
if has peverify; then
    check "the tracker is valid and verifiable" peverify app/ProfileInfoTracker.dll
else
    skip "the tracker is valid and verifiable" "peverify is not installed"
fi
cecil=$(ls /usr/lib/mono/gac/Mono.Cecil/*/Mono.Cecil.dll 2>/dev/null | sort -V | tail -n 1)
if [ "$cecil" ]; then
    check "what the tracker refers to exists from .NET 2.0 on" members
    check "a tracker is made for a host that lacks much" bare_host
else
    skip "what the tracker refers to exists from .NET 2.0 on" "Mono.Cecil is not there"
fi
half() {
    if ! has "$runtime"; then
        skip "the tracker works on $runtime" "$runtime is not installed"
        return
    fi
    check "$runtime: nested calls and overloads are counted exactly, their times add up" nested_counts
    check "$runtime: nothing is printed, no other file is left" nothing_printed
    check "$runtime: recursion is counted exactly" recursion
    check "$runtime: of folded recursion no frame is the outermost of its method" folds_of_recursion
    check "$runtime: a caller knows how many of its calls were folded" folds_of_callees
    check "$runtime: so does a folded one, and those above it" folds_of_callers
    check "$runtime: 64 threads are counted exactly" threads
    check "$runtime: many short threads are folded into one tree, their open frames closed" short_threads 3000
    check "$runtime: frames left by an exception are closed and counted when an outer one leaves" resync
    check "$runtime: token 0, a token above the top and one used twice do nothing" tokens
    check "$runtime: methods of a module without a base are dropped and counted" unregistered
    check "$runtime: Environment.Exit writes open frames with their time so far" exit_called
    check "$runtime: an unhandled exception writes the profile; exit status and message stay" unhandled unhandled
    check "$runtime: so they do when the program listens to it" unhandled listens
    if [ "$runtime" = dotnet ]; then
        check "$runtime: SIGTERM writes the profile and ends the program with its status" signalled TERM 143
        check "$runtime: SIGINT writes the profile and ends the program with its status" signalled INT 130
        check "$runtime: a signal that is ignored stays ignored" ignored_signal
        check "$runtime: a collectible load context keeps its names, and is collected" collectible
        check "$runtime: trackers of several load contexts write a profile each" contexts
    else
        check "$runtime: SIGTERM ends the program with its status, the last beat's profile stays" signal_after_beat TERM 143
        check "$runtime: SIGINT ends the program with its status, the last beat's profile stays" signal_after_beat INT 130
        check "$runtime: an AppDomain has a profile of its own, written when it is unloaded" domain
    fi
    check "$runtime: SIGKILL leaves the last beat's profile, which the next run replaces" killed
    check "$runtime: the name of a living run on mono is not taken" held mono
    if has dotnet; then check "$runtime: the name of a living run on dotnet is not taken" held dotnet; fi
    check "$runtime: a folder that can't be written sends the profile to the temp folder" unwritable
    check "$runtime: the end of the program does not wait for the tracker" ends_in_time
    check "$runtime: so does a folder that was deleted meanwhile" folder_lost
    check "$runtime: the setting out takes %n %p %h %t %% and makes folders" out_pattern
    check "$runtime: the setting out takes a folder" out_folder
    check "$runtime: the setting out leaves a device alone" out_device
    check "$runtime: a broken number is named in one line" broken ILINJECT_BEAT=abc 'ILINJECT_BEAT: expected a whole number from 0 to 86400, found "abc"; using 10'
    check "$runtime: a broken pattern is named in one line" broken ILINJECT_OUT=%q 'ILINJECT_OUT: after %'
    check "$runtime: an unknown setting is named in one line" broken ILINJECT_BEET=1 'ILINJECT_BEET: unknown setting'
    check "$runtime: ilinject.settings counts, the environment counts more, mistakes are named" settings_file
    rm -f app/ilinject.settings
    check "$runtime: recursion 100,000 deep is kept whole" deep
    check "$runtime: recursion past the limit is folded" deep_folded
    check "$runtime: a chain of five methods 100,000 deep is folded past the limit" chain
    check "$runtime: more callees of a caller than it has slots for" wide
    check "$runtime: without folding there is a node for every path" fold 1000000 absent 87382
    check "$runtime: past the budget calls are folded, counts and times stay whole" fold 100 "[1-9]*" 106
    check "$runtime: a budget of no node folds everything" fold 0 87381 7
    check "$runtime: open folded frames have their own time so far" open_fold
    check "$runtime: a call allocates nothing" allocates_nothing
    check "$runtime: odd cultures change nothing" culture
    check "$runtime: without Stopwatch another clock serves" without_stopwatch
    if [ "$cecil" ]; then check "$runtime: where there are no files, domains and environment it records" lacks; fi
    fresh
}
# Steps, not seconds: compiled together with the tracker, whose methods and tables it looks into.
steps() { # WHICH
    mono steps.exe "$1"
}
check "the tracker compiles with what counts its steps" \
    mcs -nologo -nowarn:414,649,169 -out:steps.exe "$here/Steps.cs" "$ROOT"/runtime-tracker/*/*.cs "$BUILD"/runtime-tracker/facts/*.cs
check "a place of the tree is found in a few steps, however many children a caller has" steps finding
check "methods that share a slot and take turns are entered by one call" steps entering
halves half
finish
