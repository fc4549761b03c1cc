#!/usr/bin/env bash
# Switches and triggers in programs that ilinject has instrumented: async methods and iterators, and patterns that name the
# same methods while a program runs as they name for `list`.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
if ! has mono || ! has mcs; then
    skip "switches and triggers hold in instrumented programs" "mono and mcs are not installed"
    finish
fi

cat >app.cs <<'END'
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
public static class App
{
    static readonly TaskCompletionSource<int> source = new TaskCompletionSource<int>();
    public static void Main()
    {
        Task run = Run();
        source.SetResult(1);
        run.Wait();
        Sync().Wait();
        foreach (int number in Numbers()) Work();
    }
    static async Task Run() { Work(); await source.Task; Work(); }
    static async Task<int> Sync() { if (source == null) await source.Task; Work(); return 1; }
    static IEnumerable<int> Numbers() { yield return 1; yield return 2; }
    static void Work() { }
}
END
mcs -nologo -nowarn:1998 -out:app.exe app.cs && mkdir app && "$ILINJECT" app.exe -o app/ --quiet || exit 1
can dotnet && runtimeconfig app/app.exe

runs() { # FOLDER settings…: the program, which says nothing
    local folder=$1
    shift
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 300 env "$@" "$runtime" "../$folder/app.exe") >out.txt 2>&1 && [ ! -s out.txt ] || { cat out.txt; return 1; }
}
# The steps of async methods and iterators have the name of the method, which compilers hide.
# The rest of what these hide, and the type initializer, are left out.
sums_are() { diff <(printf '%s\n' "$@" | sort) <(dump sums run/app.ilprof | sed 's/^App\/<\([A-Za-z]*\)>[^.]*\.MoveNext()/\1 steps/; s/^App\.//' | grep -v '^App/<\|^\.cctor()' | sort); }
all() { runs app && sums_are 'Main() 1 0 0' 'Run() 1 0 0' 'Run steps 2 0 0' 'Sync() 1 0 0' 'Sync steps 1 0 0' 'Numbers() 1 0 0' 'Numbers steps 3 0 0' 'Work() 5 0 0'; }
# The steps are off with their methods; what they call stands below their caller.
off() {
    runs app ILINJECT_OFF='App.Run;App.Numbers' && sums_are 'Main() 1 0 0' 'Sync() 1 0 0' 'Sync steps 1 0 0' 'Work() 5 0 0' &&
        [ "$(dump tree run/app.ilprof | grep -c '^ *App\.Work() calls=4 ')" -eq 1 ] || { dump tree run/app.ilprof; return 1; }
}
below() { runs app ILINJECT_BELOW=App.Run && sums_are 'Run() 1 0 0' 'Run steps 2 0 0' 'Work() 2 0 0'; }
# Slices of a call that has awaited are kept, and their callers; a call that has not is like any other.
longer() { runs app ILINJECT_LONGER=3600s && sums_are 'Main() 1 0 0' 'Run() 1 0 0' 'Run steps 2 0 0'; }
baked_in() {
    mkdir -p "set-$runtime" && "$ILINJECT" app.exe -o "set-$runtime/" --quiet --set 'only=App.Sync;**.Work' --set depth=1 && { [ "$runtime" = mono ] || runtimeconfig "set-$runtime/app.exe"; } &&
        runs "set-$runtime" && sums_are 'Sync() 1 0 0' 'Work() 4 0 0' && runs "set-$runtime" ILINJECT_DEPTH=0 && sums_are 'Sync() 1 0 0' 'Sync steps 1 0 0' 'Work() 5 0 0'
}
reachable() { [ -n "$(find "/proc/$pid/fd" -lname '*/.ilinject-ctl-* (deleted)' 2>/dev/null)" ]; }
# 64 threads count their calls themselves, each before it makes it.
cat >crowd.cs <<'END'
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
public static class Crowd
{
    const int Threads = 64, Apart = 16;
    static long[] hot, cold;
    static volatile bool ends;
    public static void Main()
    {
        hot = new long[Threads * Apart];
        cold = new long[Threads * Apart];
        Thread[] threads = new Thread[Threads];
        for (int i = 0; i < Threads; i++) (threads[i] = new Thread(Work)).Start(i * Apart);
        Await(10);
        Console.WriteLine(Process.GetCurrentProcess().Id + " " + Sum(hot));
        Console.ReadLine();
        long then = Sum(hot);
        Await(10);
        ends = true;
        foreach (Thread thread in threads) thread.Join();
        Console.WriteLine(then + " " + Sum(hot) + " " + Sum(cold));
    }
    // Until each thread has made so many more calls.
    static void Await(long more)
    {
        long[] before = (long[])cold.Clone();
        for (int i = 0; i < cold.Length; i += Apart)
            while (Volatile.Read(ref cold[i]) < before[i] + more) Thread.Sleep(1);
    }
    static long Sum(long[] counts)
    {
        long sum = 0;
        for (int i = 0; i < counts.Length; i += Apart) sum += Volatile.Read(ref counts[i]);
        return sum;
    }
    static void Work(object place)
    {
        int at = (int)place;
        for (int sum = 0; !ends; Thread.Sleep(0)) { cold[at]++; sum = Cold(at, sum); }
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Cold(int at, int sum)
    {
        for (int i = 0; i < 50; i++) { hot[at]++; sum += Hot(i); }
        return sum;
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Hot(int i) { return i ^ 3; }
}
END
mcs -nologo -optimize+ -out:crowd.exe crowd.cs && mkdir crowd && "$ILINJECT" crowd.exe -o crowd/ --quiet || exit 1
! can dotnet || runtimeconfig crowd/crowd.exe
# The method that `only` leaves on loses no call, and no other gains one: calls are at least those that were made before it was asked,
# but for one a thread that was about to begin, and at most those made when it had answered. A thread within a call of a
# method that went off ends it. How long it takes is reported; a process that has not answered after 5 seconds has failed.
only_in_a_crowd() {
    local before then all cold pid started took
    rm -rf run
    mkdir run
    mkfifo run/in run/out
    (cd run && exec timeout -k 1 300 "$runtime" ../crowd/crowd.exe <in >out 2>err.txt) &
    exec 3<>run/in 4<>run/out
    read -r -t 200 pid before <&4 && within 100 reachable || return 1
    started=$(date +%s%N)
    "$ILINJECT" ctl "$pid" only Crowd.Cold >said.txt 2>&1 || { cat said.txt; return 1; }
    took=$((($(date +%s%N) - started) / 1000000))
    echo >&3
    read -r -t 200 then all cold <&4
    wait $!
    exec 3>&- 4>&-
    echo "# $runtime: \`ctl only\` held in 64 threads after $took ms" >&2
    dump sums run/crowd.ilprof | sed 's/^Crowd\.//' | sort >sums.txt
    grep -q ': only: 1 method of 1 type, ' said.txt && grep -q "^Cold(int, int) $cold 0 0\$" sums.txt && grep -q '^Work(object) 64 0 0$' sums.txt &&
        grep -q '^Main() 1 0 0$' sums.txt && [ "$all" -ge $((then + 64 * 10 * 50 - 64)) ] &&
        awk -v least=$((before - 64)) -v most="$then" '/^Hot/ { found = $(NF - 2) >= least && $(NF - 2) <= most }
            $(NF - 1) || $NF { bad = 1 } END { exit bad || !found }' sums.txt || { echo "$before $then $all $cold"; cat said.txt sums.txt; return 1; }
}
half() {
    can "$runtime" || { skip "switches and triggers hold in instrumented programs ($runtime)" "$runtime is not there"; return; }
    check "without any, all calls are recorded ($runtime)" all
    check "async methods and iterators are off with their steps ($runtime)" off
    check "below an async method, its later slices are recorded ($runtime)" below
    check "slices of a call that has awaited are kept ($runtime)" longer
    check "only= asked for in a program of 64 threads loses no frame and leaves none open ($runtime)" only_in_a_crowd
    check "settings that are baked in hold from the first call on ($runtime)" baked_in
}
halves half

# A program with names that have all that patterns know.
cat >names.cs <<'END'
using System;
using System.Collections.Generic;
namespace Shop
{
    public class Orders : IDisposable
    {
        static int count = int.Parse("1");
        public int Count { get { return count; } set { count = value; } }
        public event Action Changed { add { } remove { } }
        public Orders() { }
        public Orders(int size) { }
        public void Write(int a) { }
        public void Write(int a, out string b) { b = ""; }
        public void Write(int[] a, Dictionary<string, List<int>> b) { }
        public T Read<T>(T one, ref int two) { return one; }
        void IDisposable.Dispose() { }
        public class Line { public void Write() { } public struct Part { public void Load() { } public static unsafe void At(int* a, int** b) { } } }
    }
    public class Bag<T> { public void Put(T one) { } public class In<U> { public void Put(T one, U two) { } } }
    namespace Deep { public class Orders { public void Load() { } public void LoadAll(object o) { } } }
}
class Program { static void Main() { Wait(); Console.ReadLine(); } static void Wait() { } public static void Überschrift() { } }
END
mcs -nologo -unsafe -out:names.exe names.cs && mkdir -p named && "$ILINJECT" names.exe -o named/ --quiet || exit 1
listed() { "$ILINJECT" list names.exe --include "$1" --json 2>/dev/null | grep -o '"action":"instrument"' | wc -l; }
asks() { "$ILINJECT" ctl "$pid" only "$1" 2>err.txt | sed 's/.*: only: \([0-9]*\) method.*/\1/'; }
asked() {
    local found
    for ((tries = 0; tries < 20; tries++)); do
        found=$(asks "$1")
        grep -q 'has not answered within' err.txt || break
    done
    echo "$found"
}
same() {
    local pattern bad=0 named=0 pid
    mkfifo in || return 1
    (cd named && exec mono names.exe <../in >/dev/null 2>&1) &
    pid=$!
    exec 3<>in
    within 100 reachable || return 1
    while read -r pattern; do
        [ "$(listed "$pattern")" = "$(asked "$pattern")" ] || { echo "$pattern: $(listed "$pattern") listed, $(asked "$pattern") while it runs"; bad=1; }
        [ "$(listed "$pattern")" = 0 ] || named=$((named + 1))
    done <patterns.txt
    echo >&3
    exec 3>&-
    wait "$pid"
    [ $bad -eq 0 ] && [ $named -ge 30 ] || { echo "$named name something"; return 1; }
}
cat >patterns.txt <<'END'
**
*
Shop
Shop.Orders
Shop.Orders.Write
Shop.Orders.Write(int)
Shop.Orders.Write(int, out *)
Shop.Orders.Write(int,out string)
Shop.Orders.Write(*)
Shop.Orders.Write(**)
Shop.Orders.Write(int, **)
Shop.Orders.Write(int[], Dictionary<string, List<int>>)
Shop.Orders.Write()
**.Write
**.Write()
Shop.*.Write
Shop.**.Write
Shop.Orders/Line
Shop.Orders.Line.Part.Load
Shop/Orders/Line/**
**.Load*
**.Load*(**)
**.Load?ll
**.Orders..ctor
Shop.Orders..ctor(int)
**..cctor
**.get_*(**)
**.*_C*
**.System.IDisposable.Dispose
**.Dispose
Shop.Orders.Read
Shop.Orders.Read(T, ref int)
**.At(int*, int**)
Shop.Bag
Shop.Bag`1
Shop.Bag`2
Shop.Bag.Put
Shop.Bag.In.Put(T, U)
Shop.Bag`1.In`1
[names]
[name*]Shop.Deep
[other]Shop
[names]**.Load
**.Orders
Deep
**.Deep.**
Program.?berschrift
Program.Überschrift
shop.Orders
END
if [ -d /proc/self/fd ]; then
    check "a pattern names the same methods while a program runs as for list" same
else
    skip "a pattern names the same methods while a program runs as for list" "there is no /proc"
fi
finish
