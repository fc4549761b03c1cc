#!/usr/bin/env bash
# Functions that are frozen between their invocations, and killed when they are not needed (flush=METHOD): what had ended before is in the
# profile, in its file and where it was posted to.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
if ! has mono || ! has mcs; then
    skip "functions that are frozen and killed leave their profile" "mono and mcs are not installed"
    finish
fi

# A host reads a line for each event, calls the handler and answers. Each call of Handle calls Price three times. Every tenth event is bad.
cat >function.cs <<'END'
using System;
using System.IO;
using System.Threading.Tasks;
namespace Shop
{
    public class Function
    {
        public int Handle(int n) { return Work(n); }
        public async Task<int> HandleAsync(int n) { await Task.Delay(1); return Work(n); }
        public int Again(int n) { return n == 0 ? 0 : 1 + Again(n - 1); }
        static int Work(int n)
        {
            int sum = 0;
            for (int i = 0; i < 3; i++) sum += Price(i);
            if (n % 10 == 0) throw new InvalidDataException();
            return sum;
        }
        static int Price(int i) { return i; }
    }
    public static class Host
    {
        public static void Main(string[] args)
        {
            Function function = new Function();
            for (string line; (line = Console.ReadLine()) != null;)
            {
                int n = int.Parse(line);
                try
                {
                    int answer = args[0] == "sync" ? function.Handle(n) : args[0] == "again" ? function.Again(n) : function.HandleAsync(n).Result;
                }
                catch (Exception) { }
                Console.WriteLine("done");
            }
        }
    }
}
END
mkdir app && mcs -nologo -out:function.exe function.cs && "$ILINJECT" function.exe -o app/ --quiet --set beat=0 || exit 1
can dotnet && runtimeconfig app/function.exe
mkfifo events answers

stopped() { grep -q '^State:.T' "/proc/$pid/status"; }
# That many invocations, frozen after each, killed at the end. The program says nothing else than its answers.
invoke() { # EVENTS KIND NAME=VALUE…
    local i line events=$1 kind=$2
    shift 2
    rm -rf run
    mkdir run
    (cd run && exec env "$@" "$runtime" ../app/function.exe "$kind" <../events >../answers 2>../err.txt) &
    pid=$!
    exec 3>events 4<answers
    for ((i = 1; i <= events; i++)); do
        echo "$i" >&3
        read -r -t 300 line <&4 && [ "$line" = done ] || break
        kill -STOP $pid && within 100 stopped || break
        [ "$i" -eq "$events" ] || kill -CONT $pid
    done
    kill -KILL $pid
    wait $pid 2>/dev/null
    exec 3>&- 4<&-
    [ "$i" -gt "$events" ] && [ ! -s err.txt ] || { echo "event $i: $line"; cat err.txt; return 1; }
}
calls() { # FILE NAME=CALLS…
    local file=$1 pair
    shift
    "$ILINJECT" report --format=csv "$file" >calls.csv || return 1
    for pair; do
        grep -q -F -e "\"Shop.${pair%=*}\"" calls.csv && [ "$(grep -F -e "\"Shop.${pair%=*}\"" calls.csv | sed 's/.*)",[a-z]*,\([0-9]*\),.*/\1/')" = "${pair#*=}" ] || { echo "$pair"; cat calls.csv; return 1; }
    done
}
opens() { [ "$("$ILINJECT" report --json "$1" | sed -n 's/.*"open": \([0-9]*\), "folded".*/\1/p')" -eq "$2" ]; }
reason() { "$ILINJECT" report --json "$1" | grep -q "\"reason\": \"$2\""; }

# Main is open; of what was invoked all has ended.
frozen() {
    invoke 100 sync ILINJECT_FLUSH=Shop.Function.Handle && calls run/function.ilprof 'Function.Handle(int)=100' 'Function.Price(int)=300' &&
        opens run/function.ilprof 1 && reason run/function.ilprof flush && "$ILINJECT" report --json run/function.ilprof | grep -q '"by_exception": 20,'
}
# An async call ends before its result is set, in the last of its slices, which is open then.
frozen_async() {
    invoke 20 async ILINJECT_FLUSH=Shop.Function.HandleAsync && calls run/function.ilprof 'Function.HandleAsync(int)=20' 'Function.Price(int)=60' &&
        "$ILINJECT" report --json run/function.ilprof | grep -q '"calls": 20, "completed": 18, "failed": 2, "cancelled": 0, "open": 0'
}
# The frame that the call has ended in closes later, and writes nothing more.
once() {
    invoke 4 async ILINJECT_FLUSH=Shop.Function.HandleAsync ILINJECT_VERBOSE=1 >said.txt 2>&1
    grep -q '^event 5: done$' said.txt && [ "$(grep -c 'written (flush)' err.txt)" -eq 4 ] || { cat said.txt err.txt; return 1; }
}
# Calls of its own are part of the outermost one: a writing each would be 1 + 2 + 3 more.
recursive() {
    invoke 3 again ILINJECT_FLUSH=Shop.Function.Again ILINJECT_VERBOSE=1 2>&1 | grep -q '^event 4: done$'
    calls run/function.ilprof 'Function.Again(int)=9' && [ "$(grep -c 'written (flush)' err.txt)" -eq 3 ]
}
# An empty profile takes the file's name early in the run, if the tracker's thread comes to it: no thread is in it.
without() { invoke 3 sync && ! grep -s -q -a THRD run/function.ilprof; }
posted() {
    rm -rf got
    : >serve.txt
    "$ILINJECT" serve -o got --listen 127.0.0.1:0 >serve.txt 2>serve.err &
    local server=$!
    within 100 grep -q post=http serve.txt &&
        invoke 20 sync ILINJECT_FLUSH=Shop.Function.Handle ILINJECT_POST_WAIT=30000 "ILINJECT_POST=$(sed -n 's/.*--set post=//p' serve.txt)" &&
        [ "$(find got -name '*.ilprof' | wc -l)" -eq 1 ] && calls got/*.ilprof 'Function.Handle(int)=20' 'Function.Price(int)=60' && opens got/*.ilprof 1
    local result=$?
    kill $server
    wait $server 2>/dev/null
    return $result
}
absent() {
    rm -rf run
    mkdir run
    (cd run && ILINJECT_FLUSH=Shop.Function.Handel "$runtime" ../app/function.exe sync </dev/null 2>../err.txt)
    [ "$(cat err.txt)" = 'ilinject: setting flush=Shop.Function.Handel: no instrumented module has such a method' ]
}
for runtime in mono dotnet; do
    if ! can $runtime; then
        skip "a function that is frozen and killed has all of its calls in the profile ($runtime)" "$runtime is not installed"
        continue
    fi
    check "a function that is frozen and killed has all of its calls in the profile ($runtime)" frozen
    check "so has an async one ($runtime)" frozen_async
    check "which writes once for each call ($runtime)" once
    check "a call that calls itself writes once ($runtime)" recursive
    check "without the setting nothing is left ($runtime)" without
    if has curl && PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
        check "it has arrived where it is posted to before the function is frozen ($runtime)" posted
    else
        skip "it has arrived where it is posted to before the function is frozen ($runtime)" "libmicrohttpd is not installed"
    fi
    check "a method that there is none of is named ($runtime)" absent
done
finish
