#!/usr/bin/env bash
# Settings that an output brings with it (--set): what ilinject refuses, and what the tracker does with them on each runtime.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
if ! has mono || ! has mcs; then
    skip "settings in the output" "mono and mcs are not installed"
    finish
fi

cat >library.cs <<'END'
public static class Library { public static int Deep(int depth) { return depth == 0 ? 0 : 1 + Deep(depth - 1); } }
END
cat >app.cs <<'END'
static class App { static void Main() { System.Console.WriteLine(Library.Deep(20)); Other.Do(); } }
END
cat >other.cs <<'END'
public static class Other { public static void Do() { System.Console.WriteLine("done"); } }
END
mkdir in
mcs -nologo -target:library -out:in/library.dll library.cs && mcs -nologo -target:library -out:in/other.dll other.cs &&
    mcs -nologo -out:in/app.exe -r:in/library.dll -r:in/other.dll app.cs && mcs -nologo -out:dump.exe "$ROOT"/tests/tracker/ProfileDump*.cs || exit 1
can dotnet && runtimeconfig in/app.exe

refused() { # text, options…
    local text=$1
    shift
    "$ILINJECT" in/app.exe -o refused.exe "$@" >out.txt 2>err.txt
    [ $? -eq 2 ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q -F -- "$text" err.txt && [ ! -e refused.exe ] || { cat err.txt; return 1; }
}
check "an unknown setting is refused, with the list" refused "unknown setting 'bead'; known are out, beat, start, stop, " --set bead=1
check "a setting without a value is refused" refused "a setting is name=value, found 'beat'" --set beat
check "a setting without a name is refused" refused "a setting is name=value, found '=1'" --set =1
check "a number that is too large is refused" refused "setting beat: expected a whole number from 0 to 86400, found '86401'" --set beat=86401
check "a number that is too small is refused" refused "setting recursion: expected a whole number from 1 to 1000000000, found '0'" --set recursion=0
check "what is no number is refused" refused "setting nodes: expected a whole number from 0 to 1000000000, found '1k'" --set nodes=1k
check "what is neither 0 nor 1 is refused" refused "setting verbose: expected 0 or 1, found 'yes'" --set verbose=yes
check "what is neither 0 nor 1 is refused, for a histogram" refused "setting histogram: expected 0 or 1, found 'on'" --set histogram=on
check "what is neither 0 nor 1 is refused, for a timeline" refused "setting timeline: expected 0 or 1, found '2'" --set timeline=2
check "a timeline of no events is refused" refused "setting events: expected a whole number from 1 to 100000000, found '0'" --set events=0
check "what is neither 0 nor 1 is refused, for the call log" refused "setting log: expected 0 or 1, found 'calls.txt'" --set log=calls.txt
check "what is neither off nor bytes is refused, for allocations" refused "setting alloc: expected off or bytes, found '1'" --set alloc=1
check "a price of nothing is refused" refused "setting overhead: expected a price from 1% to 1000%, found '0%'" --set overhead=0%
check "a call log of no size is refused" refused "setting log_size: expected a whole number from 1 to 1048576, found '0'" --set log_size=0
check "a clock that there is none of is refused" refused "setting clock: expected stopwatch, fast, fast-unfenced, coarse, cpu, none or type:NAME, found 'sundial'" --set clock=sundial
check "a part of a clock's name is refused" refused "found 'fast-'" --set clock=fast-
check "there is no sampled timing, and the clocks that there are are named" refused "expected stopwatch, fast, fast-unfenced, coarse, cpu, none or type:NAME, found '1/32'" --set clock=1/32
check "a clock of no type is refused" refused "found 'type:'" --set clock=type:
check "what is no moment to start is refused" refused "setting start: expected on, off, seconds up to 86400, or a method's name with a dot, found 'maybe'" --set start=maybe
check "what is no moment to stop is refused" refused "setting stop: expected never, seconds up to 86400, or a method's name with a dot, found '86401'" --set stop=86401
check "nor are seconds that go on as text" refused "found '5s'" --set start=5s
check "nor is a point without a fraction" refused "found '5.'" --set stop=5.
check "an address without http:// is refused" refused "setting post: expected an address that begins with http:// or https://, found 'shop.example/token'" --set post=shop.example/token
check "an address without a host is refused" refused "found 'https:///token'" --set post=https:///token
check "a pattern that is none is refused" refused "setting off: 'My.App.Write(': ( is not closed" --set 'off=My.App;My.App.Write('
check "a pattern of nothing is refused" refused "setting only: '': it is empty" --set 'only=My.App;'
check "an attribute is refused, which a running program does not know" refused "setting below: '@My.Hot': attributes are not known while the program runs" --set below=@My.Hot
check "a depth that is no number is refused" refused "setting depth: expected a whole number from 0 to 1000000, found 'deep'" --set depth=deep
check "a time without a unit is refused" refused "setting longer: expected a time of at most a day as 5ms, 20us, 800ns or 1.5s, found '5'" --set longer=5
check "so is one of more than a day" refused "found '86401s'" --set longer=86401s
check "seconds are no method whose end writes the profile" refused "setting flush: expected a method's name with a dot, found '2.5'" --set flush=2.5
check "nor is a name without a dot" refused "found 'Handle'" --set flush=Handle
check "a wait of more than half a minute is refused" refused "setting post_wait: expected a whole number from 0 to 30000, found '30001'" --set post_wait=30001
check "values go encrypted or plain" refused "setting post_values: expected encrypted or plain, found '1'" --set post_values=1
check "messages are there or not" refused "setting exception_messages: expected yes or no, found '0'" --set exception_messages=0
check "control is 0 or 1" refused "setting control: expected 0 or 1, found 'on'" --set control=on
check "a pattern with an unknown letter is refused" refused "setting out: expected n, p, h, t or % behind each %, found '%x'" --set out=%x
check "a pattern that ends in % is refused" refused "found '100%'" --set out=100%
check "more than a line is refused" refused "setting out: expected one line of text" --set $'out=a\nbeat=3'
check "one broken among several is refused" refused "unknown setting 'bead'" --set beat=1 --set bead=1
check "a tracker without Configure is refused" eval 'mcs -nologo -target:library -out:plain.dll "$ROOT/fixtures/cs/PlainTracker.cs" &&
    type=$(monodis --typedef plain.dll | sed -n "s/^[0-9]*: \([A-Za-z.]*Tracker\) .*/\1/p" | head -n 1) && refused "Configure" --tracker plain.dll --tracker-type "$type" --set beat=1'

check "with another tracker the form alone is looked at" refused "error ILJ0436: a setting is name=value, found 'beat'" --tracker "$BUILD/ProfileInfoTracker.dll" --set beat

put() { # options…: the whole program to out/
    rm -rf out
    mkdir out
    cp in/*.json out 2>/dev/null
    "$ILINJECT" in/app.exe in/library.dll in/other.dll -o out/ --quiet "$@" || return 1
}
put_one() { "$ILINJECT" "in/$1" -o out/ --quiet "${@:2}"; } # one of them anew
run() { (cd out && rm -f ./*.ilprof && timeout -k 1 150 env "$@" "$runtime" app.exe) >out.txt 2>err.txt && printf '20\ndone\n' | diff - out.txt; }
silent() { [ ! -s err.txt ] || { cat err.txt; return 1; }; }
folded() { [ "$(mono dump.exe run "out/${2:-app.ilprof}" folded)" = "$1" ] || { mono dump.exe run "out/${2:-app.ilprof}" folded; return 1; }; }
says() { [ "$(wc -l <err.txt)" -eq "${2:-1}" ] && grep -q -F -- "$1" err.txt || { cat err.txt; return 1; }; }

baked() { put --set recursion=5 --set 'out=über %n.ilprof' && run && silent && folded 16 'über app.ilprof'; }
last_holds() { put --set recursion=3 --set recursion=5 && run && silent && folded 16; }
starts_off() { put --set start=off && run && silent && [ "$(mono dump.exe sums out/app.ilprof)" = "" ] && run ILINJECT_START=on && [ "$(mono dump.exe sums out/app.ilprof)" != "" ]; }
single_calls() { # 22 on three lines, of which the last five are kept
    put --set histogram=1 --set timeline=1 --set events=5 && run && silent && mono dump.exe recorded out/app.ilprof && mono dump.exe tree out/app.ilprof | grep -q ' events=5 overwritten=18 ' &&
        run ILINJECT_TIMELINE=0 && ! mono dump.exe tree out/app.ilprof | grep stream && mono dump.exe tree out/app.ilprof | grep -q histogram
}
logged() { # the lines are the report's, thread by thread, and baked in
    put --set log=1 --set log_size=1 && run LOG_FILENAME=calls.txt && silent && grep -q -x ' *Library.Deep, id=[0-9]*, call count = 21' out/calls.txt &&
        diff <(sed '1,/^$/d' out/calls.txt) <("$ILINJECT" report --format=calllog out/app.ilprof | sed '1,/^$/d') && rm out/calls.txt &&
        run ILINJECT_LOG=0 LOG_FILENAME=calls.txt && [ ! -e out/calls.txt ]
}
sums() { mono dump.exe sums out/app.ilprof | cut -d ' ' -f 1-2 | tr '\n' ';'; }
sums_are() { [ "$(sums)" = "$1" ] || { sums; return 1; }; }
# Deep calls itself 21 times, below Main; Do comes behind it.
from_a_method() { put --set start=Library.Deep && run && silent && sums_are 'Library.Deep(int) 21;Other.Do() 1;'; }
one_call() { put --set start=Library.Deep --set stop=Library.Deep && run && silent && sums_are 'Library.Deep(int) 21;'; }
to_a_method() { put --set stop=Library.Deep && run && silent && sums_are 'App.Main() 1;Library.Deep(int) 21;'; }
of_none() { put && run ILINJECT_START=Library.Deeq ILINJECT_STOP=App.Main && says 'setting start=Library.Deeq: no instrumented module has such a method' && sums_are ''; }
in_time() { put && run ILINJECT_START=0 && silent && run ILINJECT_START=3600 && silent && sums_are ''; }
broken_moment() { put && run ILINJECT_START=soon ILINJECT_BEAT=5 && says 'ILINJECT_START: expected on, off, seconds up to 86400' && sums_are 'App.Main() 1;Library.Deep(int) 21;Other.Do() 1;'; }
broken_stop() { put && run ILINJECT_STOP=1.5.2 && says 'ILINJECT_STOP: expected never, seconds up to 86400' && sums_are 'App.Main() 1;Library.Deep(int) 21;Other.Do() 1;'; }
no_control() { put --set control=0 && run && silent && run ILINJECT_CONTROL=2 && says 'ILINJECT_CONTROL: expected 0 or 1'; }
file_over_baked() { put --set recursion=5 && echo recursion=6 >out/ilinject.settings && run && silent && folded 15; }
environment_over_file() { put --set recursion=5 && echo recursion=6 >out/ilinject.settings && run ILINJECT_RECURSION=7 && silent && folded 14; }
broken_file() { put --set recursion=5 && echo recursion=0 >out/ilinject.settings && run && says 'ilinject.settings:1: recursion: expected' && folded 16; }
unknown_at_run_time() { # which only a tracker that ilinject did not check can be given
    put --tracker "$BUILD/ProfileInfoTracker.dll" --set bead=1 --set recursion=5 && run && says '--set bead: unknown setting' && folded 16
}
broken_at_run_time() { put --tracker "$BUILD/ProfileInfoTracker.dll" --set recursion=x && run && says '--set recursion: expected a whole number' && folded absent; }
first_wins() { put --set recursion=5 && put_one library.dll --set recursion=6 && put_one other.dll --set recursion=7 && run && silent && folded 16; }
first_wins_said() {
    first_wins && run ILINJECT_VERBOSE=1 && [ "$(grep -c 'modules bring different settings; those of the first count' err.txt)" -eq 1 ] || { cat err.txt; return 1; }
}
same_not_said() { put --set recursion=5 && run ILINJECT_VERBOSE=1 && ! grep different err.txt; }
for runtime in mono dotnet; do
    can "$runtime" || { skip "settings in the output ($runtime)" "$runtime is not there"; continue; }
    check "settings in the output hold ($runtime)" baked
    check "of one setting the last value holds ($runtime)" last_holds
    check "start=off records nothing, unless the environment says on ($runtime)" starts_off
    check "single calls are recorded, as many as is said ($runtime)" single_calls
    check "the call log is written ($runtime)" logged
    check "recording starts with the first call of a method ($runtime)" from_a_method
    check "records one call and nothing else ($runtime)" one_call
    check "stops when the outermost call leaves ($runtime)" to_a_method
    check "a method that no module has is told at the end ($runtime)" of_none
    check "recording that would start later has not by the end ($runtime)" in_time
    check "what is no moment to start is told, and recording starts ($runtime)" broken_moment
    check "what is no moment to stop is told, and recording goes on ($runtime)" broken_stop
    check "control can be forbidden; another value is told ($runtime)" no_control
    check "ilinject.settings counts for more ($runtime)" file_over_baked
    check "the environment counts for most ($runtime)" environment_over_file
    check "what is broken in the file leaves what the output brings ($runtime)" broken_file
    check "an unknown setting is told in one line by the tracker ($runtime)" unknown_at_run_time
    check "so is a broken one ($runtime)" broken_at_run_time
    check "of several modules' settings the first one's count ($runtime)" first_wins
    check "that is said once with verbose ($runtime)" first_wins_said
    check "equal settings are not different ($runtime)" same_not_said
done

mvid() { "$ILINJECT" list --json "$1" | grep -o '"mvid":"[^"]*"'; }
check "the settings are part of the identity" eval 'put --set beat=5 && a=$(mvid out/app.exe) && put --set beat=6 && b=$(mvid out/app.exe) && [ "$a" != "$b" ]'
check "equal settings give equal bytes" eval 'put --set beat=5 && cp out/app.exe one.exe && put --set beat=5 && cmp one.exe out/app.exe'
check "the output is sound" eval 'monodis out/app.exe >/dev/null && ! mono --compile-all out/app.exe 2>&1 | grep -i -E "invalid|fail"'
finish
