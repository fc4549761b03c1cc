#!/usr/bin/env bash
# Captured calls of async methods: what the awaited whole gives, how it fails, and that it lasts to its end; on Mono, and on .NET in
# optimised and debug builds and where the runtime suspends them itself.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
fixtures=$ROOT/fixtures before=$SCRATCH/before
if ! has mcs || ! can mono; then
    skip "captured calls of async methods" "no mono or no mcs"
    finish
fi

words='args, return, exception'
rules=(--capture "Awaited: $words" --capture "Shelf*.Swap: $words")
for name in Main Show End Wait; do rules+=(--capture "Awaited.$name: throws"); done

# The calls of a profile, a line each after the microseconds that they took, without the stacks of exceptions, and without
# what fields the core library's exceptions have.
calls_of() { # PROFILE OPTIONS…
    "$ILINJECT" report --calls --top=0 --width=0 "$@" | sed -E '0,/Calls with their values$/d; /^ {8,}/{/^ *[^ ]+ (ns|µs|ms|s) /!d}' |
        sed -nE 's/(was cancelled: [^{]*[^ {]) *\{.*/\1/
            s/^ *[^ ]+ [a-zµ]+ +([^ ]+) ([a-zµ]+) +([0-9.,]+ (ns|µs|ms|s) +)?[0-9,]+  (.*)$/\1 \2 \5/p' |
        awk '{ of["ns"] = 0.001; of["µs"] = 1; of["ms"] = 1000; of["s"] = 1000000; n = $1; gsub(",", "", n); us = n * of[$2]
               sub(/^[^ ]+ [^ ]+ /, ""); printf "%d %s\n", us, $0 }'
}
# As many lines with the same text; each took half the time of its waits at least.
as_by_hand() { # EXPECTED: lines "WAITS TEXT"; calls on stdin
    LC_ALL=C sort -k2 >took
    diff <(cut -d' ' -f2- "$1" | LC_ALL=C sort) <(cut -d' ' -f2- took) || return
    # The longest wait of equal texts goes with the longest call.
    awk 'NR == FNR { n = $1; $1 = ""; waits[$0] = n > waits[$0] ? n : waits[$0]; next }
         { us = $1; $1 = ""; if (us < waits[$0] * 10000) { print us " µs for " waits[$0] " waits of 20 ms:" $0; bad = 1 } }
         END { exit bad }' "$1" took
}
instrumented() { # NAME PROGRAM OPTIONS…
    local name=$1 program=$2
    shift 2
    mkdir -p "after/$name" && { cp "${program%.*}".runtimeconfig.json "$(dirname "$program")"/FSharp.Core.dll "after/$name/" 2>/dev/null; :; }
    "$ILINJECT" -q "$program" -o "after/$name/" "$@"
}
# The program prints what it did; its profile is said/NAME.RUNTIME.ilprof.
ran() { # NAME RUNTIME PROGRAM OPTIONS…
    local name=$1 runtime=$2 program=$3
    shift 3
    run_program "$name-before" "$runtime" "$program"
    instrumented "$name" "$program" "$@" && run_program "$name" "$runtime" "after/$name/$(basename "$program")" && same_run "$name-before" "$name" "$runtime"
}
seen() { # NAME RUNTIME PROGRAM EXPECTED OPTIONS…
    ran "$1" "$2" "$3" "${@:5}" && calls_of "said/$1.$2.ilprof" | as_by_hand "$4"
}
expected_for() { if [ "$1" = dotnet ]; then sed 's/^core: //' "$fixtures/cs/Awaited.calls"; else grep -v '^core: ' "$fixtures/cs/Awaited.calls"; fi; }

mcs -nologo -out:before/Awaited.exe "$fixtures/cs/Awaited.cs" || exit 1
expected_for mono >mono.calls
expected_for dotnet >dotnet.calls
check "each call is the awaited whole on Mono" seen mono mono before/Awaited.exe mono.calls "${rules[@]}"
check "so it is with calls before each return alone" seen ret mono before/Awaited.exe mono.calls "${rules[@]}" --exits=ret
check "and while exceptions are followed" seen full mono before/Awaited.exe mono.calls "${rules[@]}" --exceptions=full
for build in optimised debug runtime; do
    options=(-define:CORE -optimize+)
    if [ $build = debug ]; then options=(-define:CORE -optimize-); fi
    if [ $build = runtime ]; then
        export DOTNET_RuntimeAsync=1
        options+=(-features:runtime-async=on -nowarn:SYSLIB5007)
    fi
    mkdir -p "$build"
    if ! can dotnet; then
        skip "each call is the awaited whole in an $build build" "no .NET"
    elif "$ROOT/tests/dotnet-csc" "$build/Awaited.dll" "${options[@]}" "$fixtures/cs/Awaited.cs" >log.txt 2>&1 &&
        { [ $build != runtime ] || ! grep -aq '<Once>d__' "$build/Awaited.dll"; } && dotnet "$build/Awaited.dll" >log.txt 2>&1; then
        check "each call is the awaited whole on .NET, build: $build" seen "$build" dotnet "$build/Awaited.dll" dotnet.calls "${rules[@]}"
    else
        skip "each call is the awaited whole on .NET, build: $build" "this SDK does not make or run it"
    fi
done
unset DOTNET_RuntimeAsync

# ---- Other languages and builders ----------------------------------------------------------------------------------------

drawn() { sed -n "s,^['/]*= ,,p" "$1"; }
drawn "$fixtures/vb/Awaited.vb" >vb.calls
drawn "$fixtures/fs/Awaited.fs" >fs.calls
fs_rules=()
for name in atOnce find refuses length work; do fs_rules+=(--capture "Awaited.$name: $words"); done
mkdir -p vb vbdebug fs custom customdebug
if can dotnet && compiled vbc vb/Awaited.dll -optimize+ "$fixtures/vb/Awaited.vb"; then
    compiled vbc vbdebug/Awaited.dll -optimize- "$fixtures/vb/Awaited.vb"
    check "so are those of Visual Basic" seen vb dotnet vb/Awaited.dll vb.calls --capture "Awaited: $words" --capture 'Awaited.Main: throws'
    check "so are those of Visual Basic, debug" seen vbdebug dotnet vbdebug/Awaited.dll vb.calls --capture "Awaited: $words" --capture 'Awaited.Main: throws'
else
    skip "so are those of Visual Basic" "no compiler"
fi
if can dotnet && compiled fsc fs/Awaited.dll --optimize+ "$fixtures/fs/Awaited.fs"; then
    check "so are those of F#, but for a task that is worked on with" seen fs dotnet fs/Awaited.dll fs.calls "${fs_rules[@]}"
else
    skip "so are those of F#" "no compiler"
fi
cat >custom.calls <<'END'
1 Custom.Wrapped(a: 1) → 6
1 Custom.Wrapped(a: 2) → 7
0 Custom.Hidden(a: 1) → 1
0 Custom.Hidden(a: 2) → (not known)
1 Custom.Fails(a: 3) threw InvalidOperationException: no 3
4 Custom.Work() → 116
END
if can dotnet && compiled csc custom/AwaitedBuilders.dll -optimize+ "$fixtures/cs/AwaitedBuilders.cs"; then
    compiled csc customdebug/AwaitedBuilders.dll -optimize- "$fixtures/cs/AwaitedBuilders.cs"
    check "builders of the program's own are read, not asked; what they do not keep is not known" seen custom dotnet custom/AwaitedBuilders.dll \
        custom.calls --capture "Custom: $words" --capture 'Custom.Main: throws'
    sed -i 's/^0 \(.*\) → (not known)$/1 \1 → 2/' custom.calls
    check "of a machine that is an object all is known" seen customdebug dotnet customdebug/AwaitedBuilders.dll custom.calls \
        --capture "Custom: $words" --capture 'Custom.Main: throws'
else
    skip "builders of the program's own are read, not asked" "no .NET SDK"
fi

# ---- Slices that overtake the first one -----------------------------------------------------------------------------------

cat >Race.cs <<'END'
using System;
using System.Threading.Tasks;
static class Race
{
    static async Task<int> Step(int i)
    {
        await Task.Yield();
        if (i % 3 == 0) await Task.Yield();
        if (i % 7 == 0) throw new Exception("e" + i);
        return i * 2;
    }
    static async Task<string> Value(int i) { await Task.Yield(); return "v" + i; }
    static void Main()
    {
        int failed = 0;
        for (int round = 0; round < 300; round++)
        {
            Task[] all = new Task[20];
            for (int k = 0; k < 10; k++) { all[2 * k] = Step(round * 10 + k); all[2 * k + 1] = Value(round * 10 + k); }
            try { Task.WaitAll(all); } catch (AggregateException e) { failed += e.InnerExceptions.Count; }
        }
        Console.WriteLine(failed);
    }
}
END
for ((i = 0; i < 3000; i++)); do
    if ((i % 7 == 0)); then echo "0 Race.Step(i: $i) threw Exception: e$i"; else echo "0 Race.Step(i: $i) → $((i * 2))"; fi
    echo "0 Race.Value(i: $i) → \"v$i\""
done >race.calls
race=(--capture "Race: $words; bytes=60m" --capture 'Race.Main: throws')
mcs -nologo -out:before/Race.exe Race.cs || exit 1
check "calls that go on on another thread at once are each known" seen race mono before/Race.exe race.calls "${race[@]}"
if can dotnet && compiled csc before/Race.dll -optimize+ Race.cs; then
    check "so they are on .NET" seen race dotnet before/Race.dll race.calls "${race[@]}"
else
    skip "calls that go on on another thread at once are each known on .NET" "no .NET SDK"
fi
# The first calls alone: the others run beside them.
some() {
    ran some mono before/Race.exe --capture "Race.Step: $words; first=150" && calls_of said/some.mono.ilprof | LC_ALL=C sort -k2 >took &&
        head -n 300 race.calls | grep Step | cut -d' ' -f2- | LC_ALL=C sort | diff - <(cut -d' ' -f2- took)
}
check "calls past a limit end nobody else's" some

# ---- Which calls, and how many ---------------------------------------------------------------------------------------------

kept() { # EXPECTED-LINES RULE…
    local expected=$1 rule options=()
    shift
    for rule; do options+=(--capture "$rule"); done
    ran kept mono before/Awaited.exe "${options[@]}" && diff <(printf '%s\n' "$expected") <(calls_of said/kept.mono.ilprof | cut -d' ' -f2-)
}
check "slower goes by the whole" kept 'Awaited.Often(times: 3) → "012"' "Awaited.Often: $words; slower=30ms" "Awaited.Once: $words; slower=1000s"
check "throws goes by the whole" kept 'Awaited.Quiet(a: -1) threw Refused: too small { Code = -1 }' 'Awaited.Quiet: args, throws' 'Awaited.Once: throws' 'Awaited.Never: throws'
check "without return and exception neither is there" kept "$(printf 'Awaited.Find(id: 7)\nAwaited.Quiet(a: 1)\nAwaited.Quiet(a: -1) threw (not known)')" \
    'Awaited.Find: args' 'Awaited.Quiet: args'
# The newest of a thousand that do not end are kept, and the others are reported.
cat >Endless.cs <<'END'
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
static class Endless
{
    static List<Task> all = new List<Task>();
    static async Task Forever(int i, Task never) { await never; Console.WriteLine(i); }
    static void Main()
    {
        TaskCompletionSource<int> never = new TaskCompletionSource<int>();
        for (int i = 0; i < 1000; i++) all.Add(Forever(i, never.Task));
        Console.WriteLine(all.Count);
    }
}
END
mcs -nologo -out:before/Endless.exe Endless.cs || exit 1
bounded() {
    ran endless mono before/Endless.exe --capture "Endless.Forever: args; bytes=64k" && calls_of said/endless.mono.ilprof >endless.calls || return
    local count
    count=$(grep -c 'has not ended$' endless.calls)
    [ "$count" -ge 10 ] && [ "$count" -le 64 ] && grep -q "Forever(i: 999, " endless.calls && grep -q "Forever(i: $((1000 - count)), " endless.calls &&
        "$ILINJECT" report --calls said/endless.mono.ilprof | grep -q "^$((1000 - count)) earlier calls of Endless.Forever" && return
    tail -n 3 endless.calls
    echo "$count calls"
    return 1
}
check "calls that do not end have a limit, and the newest stay" bounded

# ---- Where they show ---------------------------------------------------------------------------------------------------------

has_line() { grep -qE -- "$1" "$2" || { echo "no line $1"; grep -nE -- "$3" "$2" | head -n 5; return 1; }; }
shown() {
    ILINJECT_TIMELINE=1 ILINJECT_LOG=1 LOG_FILENAME=$SCRATCH/own.log ran show mono before/Awaited.exe "${rules[@]}" && "$ILINJECT" report --json said/show.mono.ilprof >show.json &&
        "$ILINJECT" report --format=calllog said/show.mono.ilprof >show.log && "$ILINJECT" report --html show.html said/show.mono.ilprof &&
        "$ILINJECT" report --calls --width=0 said/show.mono.ilprof >show.txt
}
check "a program shows its calls everywhere" shown
in_json() {
    has_line '"value": 11}\], "synchronous_ns": [0-9]+, "ended": false, "cancelled": false, "thrown": false}' show.json '"value": 11' &&
        has_line '"synchronous_ns": [0-9]+, "ended": true, "cancelled": true, "thrown": true, "exception": .*TaskCanceled' show.json TaskCanceled &&
        has_line '"value": 21}\], "result": 42, "synchronous_ns": [0-9]+, "ended": true, "cancelled": false, "thrown": false}' show.json '"value": 21'
}
check "the JSON has the synchronous part, and how they ended" in_json
in_text() { has_line ' +At +Took +Synchronous +Thread  Calls with their values$' show.txt Took; }
check "the report has a column of the synchronous part" in_text
synchronous_alone() {
    ran column mono before/Awaited.exe --capture 'Awaited.AtOnce: return' && "$ILINJECT" report --calls --width=0 said/column.mono.ilprof >column.txt &&
        has_line ' +At +Took +Thread  Calls with their values$' column.txt Took
}
check "without calls that went on there is none" synchronous_alone
in_logs() {
    local log
    for log in show.log own.log; do
        has_line '^# +Awaited.Once, call 1 → 2$' "$log" Once && has_line '^# +Awaited.Quiet, call 2 threw Refused: too small' "$log" Quiet &&
            has_line '^# +Awaited.Cancelled, call 1 was cancelled: TaskCanceledException' "$log" Cancelled &&
            has_line '^ +Awaited.Never\(a: 11\), id=[0-9]+, call count = 1$' "$log" Never || return
        ! grep -E '^#.*Never' "$log" || return
    done
    # The end of a call stands after the slice that it ends in.
    awk '/^ *Awaited.Once \(steps\), .*count = 2$/ { slice = NR } /^# +Awaited.Once, call 1/ { end = NR } END { exit !(slice && end > slice) }' show.log
}
check "both call logs have them where they end" in_logs
in_page() { has_line '"synchronous":[0-9]+,"unended":true' show.html unended && has_line '"synchronous":[0-9]+,"cancelled":true' show.html cancelled; }
check "the page has them" in_page

# ---- The program is as before ------------------------------------------------------------------------------------------------

# A context's work, and failed tasks that were not looked at.
cat >Quiet.cs <<'END'
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
sealed class Loop : SynchronizationContext
{
    private readonly Queue<Action> queue = new Queue<Action>();
    public int Posts, Started, Ended;
    public override void Post(SendOrPostCallback d, object state) { Posts++; lock (queue) queue.Enqueue(() => d(state)); }
    public override void OperationStarted() { Started++; }
    public override void OperationCompleted() { Ended++; }
    // Is done when the loop comes by, and not before.
    public Task Turn()
    {
        TaskCompletionSource<int> turn = new TaskCompletionSource<int>();
        lock (queue) queue.Enqueue(() => turn.SetResult(0));
        return turn.Task;
    }
    public void Run(Task until)
    {
        while (!until.IsCompleted)
        {
            Action next = null;
            lock (queue) if (queue.Count > 0) next = queue.Dequeue();
            if (next == null) Thread.Sleep(1); else next();
        }
    }
}
static class Quiet
{
    static int unobserved;
    static Loop loop = new Loop();
    static async Task<int> Once(int i) { await loop.Turn(); return i; }
    static async Task Fails(int i) { await Task.Delay(1); throw new Exception("e" + i); }
    static async void Fire(TaskCompletionSource<int> done) { await loop.Turn(); done.SetResult(1); }
    static async Task<int> Work()
    {
        TaskCompletionSource<int> done = new TaskCompletionSource<int>();
        int sum = await Once(1) + await Once(2);
        Fire(done);
        return sum + await done.Task;
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Forget() { for (int i = 0; i < 50; i++) ((IAsyncResult)Fails(i)).AsyncWaitHandle.WaitOne(); }
    static void Main()
    {
        TaskScheduler.UnobservedTaskException += (o, e) => { Interlocked.Increment(ref unobserved); e.SetObserved(); };
        SynchronizationContext.SetSynchronizationContext(loop);
        Task<int> work = Work();
        loop.Run(work);
        SynchronizationContext.SetSynchronizationContext(null);
        Console.WriteLine(work.Result + ": " + loop.Posts + " posts, " + loop.Started + " started, " + loop.Ended + " ended");
        Thread other = new Thread(Forget);
        other.Start();
        other.Join();
        for (int i = 0; i < 100 && Interlocked.CompareExchange(ref unobserved, 0, 0) < 50; i++) { GC.Collect(); GC.WaitForPendingFinalizers(); Thread.Sleep(10); }
        // Mono takes what looks like a reference on a stack for one.
        Console.WriteLine(unobserved > 40 && unobserved <= 50);
    }
}
END
mcs -nologo -out:before/Quiet.exe Quiet.cs || exit 1
quiet=(--capture "Quiet: $words")
check "no context and no handler of lost exceptions sees anything of it" ran quiet mono before/Quiet.exe "${quiet[@]}"
if can dotnet && compiled csc before/Quiet.dll -optimize+ Quiet.cs; then
    check "nor on .NET" ran quiet dotnet before/Quiet.dll "${quiet[@]}"
    compiled csc before/QuietDebug.dll -optimize- Quiet.cs
    check "nor on .NET in a debug build" ran quietdebug dotnet before/QuietDebug.dll "${quiet[@]}"
else
    skip "no context and no handler of lost exceptions sees anything of it on .NET" "no .NET SDK"
fi
# A rule for plain methods leaves async ones as they are without any: their code is the same.
untouched() {
    instrumented none before/Awaited.exe && instrumented plain before/Awaited.exe --capture 'Awaited.Show: args' --capture 'Awaited.End: args' &&
        instrumented async before/Awaited.exe --capture 'Awaited.Once: args' &&
        ! grep -aq WhenCallRuns after/none/Awaited.exe && ! grep -aq WhenCallRuns after/plain/Awaited.exe &&
        grep -aq WhenCallRuns after/async/Awaited.exe
}
check "what async calls need is named only where one is captured" untouched
compiles_ahead() { mono --compile-all=1 after/mono/Awaited.exe; }
check "mono compiles all methods of it" compiles_ahead
verifies() { new_lines <("$ROOT/tests/verify" before/Awaited.exe | sed 's/ at 0x[0-9a-f]*$//') <("$ROOT/tests/verify" after/mono/Awaited.exe | sed 's/ at 0x[0-9a-f]*$//'); }
if has peverify; then check "a verifier has nothing new to say" verifies; else skip "a verifier has nothing new to say" "no peverify"; fi
finish
