#!/usr/bin/env bash
# Switches and triggers in programs that ilinject has instrumented: async methods and iterators, and patterns that name the
# same methods while a program runs as they name for `list`.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ladder.sh"
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
mcs -nologo -nowarn:1998 -out:app.exe app.cs && mcs -nologo -out:dump.exe "$ROOT"/tests/tracker/ProfileDump*.cs && mkdir app && "$ILINJECT" app.exe -o app/ --quiet || exit 1
can dotnet && runtimeconfig app/app.exe

runs() { # FOLDER settings…: the program, which says nothing
    local folder=$1
    shift
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 300 env "$@" "$runtime" "../$folder/app.exe") >out.txt 2>&1 && [ ! -s out.txt ] || { cat out.txt; return 1; }
}
# Of the steps of async methods and iterators the name of the method, which compilers hide.
# The rest of what these hide, and the type initializer, are left out.
sums_are() { diff <(printf '%s\n' "$@" | sort) <(mono dump.exe sums run/app.ilprof | sed 's/^App\/<\([A-Za-z]*\)>[^.]*\.MoveNext()/\1 steps/; s/^App\.//' | grep -v '^App/<\|^\.cctor()' | sort); }
all() { runs app && sums_are 'Main() 1 0 0' 'Run() 1 0 0' 'Run steps 2 0 0' 'Sync() 1 0 0' 'Sync steps 1 0 0' 'Numbers() 1 0 0' 'Numbers steps 3 0 0' 'Work() 5 0 0'; }
# The steps are off with their methods; what they call stands below whoever runs them.
off() {
    runs app ILINJECT_OFF='App.Run;App.Numbers' && sums_are 'Main() 1 0 0' 'Sync() 1 0 0' 'Sync steps 1 0 0' 'Work() 5 0 0' &&
        [ "$(mono dump.exe tree run/app.ilprof | grep -c '^ *App\.Work() calls=4 ')" -eq 1 ] || { mono dump.exe tree run/app.ilprof; return 1; }
}
below() { runs app ILINJECT_BELOW=App.Run && sums_are 'Run() 1 0 0' 'Run steps 2 0 0' 'Work() 2 0 0'; }
# Slices of a call that has awaited are kept, and their callers; a call that has not is like any other.
longer() { runs app ILINJECT_LONGER=3600s && sums_are 'Main() 1 0 0' 'Run() 1 0 0' 'Run steps 2 0 0'; }
baked_in() {
    mkdir -p "set-$runtime" && "$ILINJECT" app.exe -o "set-$runtime/" --quiet --set 'only=App.Sync;**.Work' --set depth=1 && { [ "$runtime" = mono ] || runtimeconfig "set-$runtime/app.exe"; } &&
        runs "set-$runtime" && sums_are 'Sync() 1 0 0' 'Work() 4 0 0' && runs "set-$runtime" ILINJECT_DEPTH=0 && sums_are 'Sync() 1 0 0' 'Sync steps 1 0 0' 'Work() 5 0 0'
}
half() {
    can "$runtime" || { skip "switches and triggers hold in instrumented programs ($runtime)" "$runtime is not there"; return; }
    check "without any, all calls are recorded ($runtime)" all
    check "async methods and iterators are off with their steps ($runtime)" off
    check "below an async method, its later slices are recorded ($runtime)" below
    check "slices of a call that has awaited are kept ($runtime)" longer
    check "settings that are baked in hold from the first call on ($runtime)" baked_in
}
halves half

# A program whose names have all that patterns know.
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
reachable() { [ -n "$(find "/proc/$pid/fd" -lname '*/.ilinject-ctl-* (deleted)' 2>/dev/null)" ]; }
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
