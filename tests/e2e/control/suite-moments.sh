#!/usr/bin/env bash
# Recording that starts and stops by itself, in real programs: methods of every kind by their names, overloads, recursion, exceptions,
# async methods to their end, seconds.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
if ! has mono || ! has mcs; then
    skip "recording starts and stops by itself" "mono and mcs are not installed"
    finish
fi

cat >app.cs <<'END'
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
namespace Shop
{
    public interface ISale { void Sell(); }
    public class Item<T> : ISale
    {
        public class Part<U> { public void Fit<V>(V v) { App.Inside(); } }
        public Item() { App.Inside(); }
        public Item(int i) : this() { }
        public int Price { get { App.Inside(); return 1; } }
        void ISale.Sell() { App.Inside(); }
    }
    public static class App
    {
        public static void Main(string[] args)
        {
            Before();
            switch (args[0])
            {
                case "kinds":
                    Item<int> item = new Item<int>(3);
                    Before();
                    new Item<int>.Part<string>().Fit(1.5);
                    Before();
                    int price = item.Price;
                    Before();
                    ((ISale)item).Sell();
                    Before();
                    break;
                case "overloads": Over("text"); Before(); Over(1); break;
                case "recursion": Recurse(5); break;
                case "throws": try { Throws(); } catch (InvalidOperationException) { } break;
                case "async": Async(2).Wait(); After(); break;
                case "iterator": foreach (int i in Iterator()) Before(); break;
                case "time": Stopwatch watch = Stopwatch.StartNew(); while (watch.ElapsedMilliseconds < int.Parse(args[1])) { Before(); Thread.Sleep(5); } break;
                case "threads":
                    List<Thread> threads = new List<Thread>();
                    for (int i = 0; i < 8; i++) { Thread thread = new Thread(delegate() { for (int n = 0; n < 20000; n++) Before(); Over(1); }); threads.Add(thread); thread.Start(); }
                    foreach (Thread thread in threads) thread.Join();
                    break;
            }
            After();
        }
        public static void Inside() { }
        static void Before() { }
        static void After() { }
        static void Over(int i) { Inside(); }
        static void Over(string s) { Inside(); }
        static void Recurse(int depth) { Inside(); if (depth > 1) Recurse(depth - 1); }
        static void Throws() { Inside(); throw new InvalidOperationException(); }
        static async Task Async(int times)
        {
            for (int i = 0; i < times; i++) { Inside(); await Task.Yield(); }
            Inside();
        }
        static IEnumerable<int> Iterator() { yield return 1; yield return 2; }
    }
}
END
mcs -nologo -langversion:latest -out:app.exe app.cs && mkdir app && "$ILINJECT" app.exe -o app/ --quiet || exit 1
can dotnet && runtimeconfig app/app.exe

run() { # settings…, scenario
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("ILINJECT_$1"); shift; done
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 150 env "${settings[@]}" "$runtime" ../app/app.exe "$@") >out.txt 2>err.txt && [ ! -s err.txt ] || { cat out.txt err.txt; return 1; }
}
# Every function's calls, and all of it closed.
calls() { dump sums run/app.ilprof | sed 's/^Shop\.//'; }
calls_are() { diff <(printf '%s 0 0\n' "$@" | LC_ALL=C sort) <(calls | LC_ALL=C sort); }
# From its first call to its end a method calls Inside and nothing else.
only() { # scenario, name, rows…
    local scenario=$1 name=$2
    shift 2
    run "START=$name" "STOP=$name" "$scenario" && calls_are "$@" || { echo "$name"; calls; return 1; }
}
kinds() {
    only kinds 'Shop.Item<T>..ctor' 'Item`1..ctor(int) 1' 'Item`1..ctor() 1' 'App.Inside() 1' &&
        { [ "$runtime" = mono ] || return 0; } && # names are read by the same code everywhere
        only kinds 'Shop.Item.Item' 'Item`1..ctor(int) 1' 'Item`1..ctor() 1' 'App.Inside() 1' &&
        only kinds 'Shop.Item<T>.Part<U>.Fit<V>' 'Item`1/Part`1.Fit(V) 1' 'App.Inside() 1' &&
        only kinds 'Shop.Item`1/Part`1::Fit' 'Item`1/Part`1.Fit(V) 1' 'App.Inside() 1' &&
        only kinds Shop.Item.get_Price 'Item`1.get_Price() 1' 'App.Inside() 1' &&
        only kinds 'Shop.Item<T>.Price.get' 'Item`1.get_Price() 1' 'App.Inside() 1' &&
        only kinds Shop.Item.Shop.ISale.Sell 'Item`1.Shop.ISale.Sell() 1' 'App.Inside() 1'
}
overloads() {
    only overloads Shop.App.Over 'App.Over(string) 1' 'App.Inside() 1' && run START=Shop.App.Over overloads &&
        calls_are 'App.Over(string) 1' 'App.Over(int) 1' 'App.Inside() 2' 'App.Before() 1' 'App.After() 1'
}
recursion() { only recursion Shop.App.Recurse 'App.Recurse(int) 5' 'App.Inside() 5'; }
throws() { only throws Shop.App.Throws 'App.Throws() 1' 'App.Inside() 1'; }
# Its steps are the state machine's: three, with what they call; nothing after the last one.
asyncs() {
    run START=Shop.App.Async STOP=Shop.App.Async async && [ "$(calls | sed -n 's/^App\.Inside() //p')" = "3 0 0" ] && [ "$(calls | grep -c MoveNext)" -eq 1 ] &&
        [ "$(calls | sed -n 's/.*MoveNext() //p')" = "3 0 0" ] && ! calls | grep 'Before\|After\|Main' || { calls; return 1; }
}
iterator() { run START=Shop.App.Iterator STOP=Shop.App.Iterator iterator && ! calls | grep 'Before\|After\|Main' && calls | grep -q 'MoveNext() 1 0 0' || { calls; return 1; }; }
folded() { run NODES=1 STOP=Shop.App.Recurse recursion && calls_are 'App.Main(string[]) 1' 'App.Before() 1' 'App.Recurse(int) 5' 'App.Inside() 5' || { calls; return 1; }; }
# The shortest and the longest call of a method that is watched are what they would be.
spans() {
    run STOP=Shop.App.Throws recursion && dump tree run/app.ilprof >tree.txt && "$ILINJECT" report --format=json -o report.json run/app.ilprof &&
        "$BUILD/tests/counts" report.json && run STOP=Shop.App.Recurse recursion && "$ILINJECT" report --format=json -o report.json run/app.ilprof &&
        grep -o '"name":"Shop.App.Recurse(int)".*' report.json | grep -o '"min_ns":[0-9]*,"max_ns":[0-9]*' | head -n 1 | awk -F '[:,]' '{ exit !($4 >= $2) }'
}
# Half a second and more is recorded; of the rest, before and after, nothing is. On a busy machine the tracker's thread comes late: then a program
# that runs for longer has to show it.
in_time() { timed 1600 || timed 6000 || timed 20000; }
timed() { # MILLISECONDS
    run START=0.4 STOP=0.6 time "$1" && calls | awk -v most=$(($1 / 8)) '/App.Before/ { n = $2 } /Main|After/ { bad = 1 } END { exit bad || n < 1 || n > most }' &&
        dump run run/app.ilprof stopped_ticks | grep -q '^[1-9]' && run STOP=0.3 time "$1" && calls | grep -q '^App.Main(string\[\]) 1 0 0' && ! calls | grep After || { calls; return 1; }
}
threads() { run START=Shop.App.Over threads && [ "$(calls | sed -n 's/^App\.Over(int) //p' | cut -d ' ' -f 1)" -ge 1 ] && ! calls | awk '$(NF - 1) || $NF' | grep . || { calls; return 1; }; }
half() {
    can "$runtime" || { skip "recording starts and stops by itself ($runtime)" "$runtime is not there"; return; }
    check "constructors, generic and nested types, accessors, explicit implementations have names ($runtime)" kinds
    check "all overloads count ($runtime)" overloads
    check "recursion stops with its outermost call ($runtime)" recursion
    check "so does a call that an exception leaves ($runtime)" throws
    check "an async method stops when its call has ended ($runtime)" asyncs
    check "an iterator stops after a step ($runtime)" iterator
    check "calls that are folded stop as well ($runtime)" folded
    check "shortest and longest calls are not changed by it ($runtime)" spans
    check "seconds start and stop ($runtime)" in_time
    check "of many threads that call at once none is left open ($runtime)" threads
}
halves half
finish
