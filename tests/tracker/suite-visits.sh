#!/usr/bin/env bash
# Methods that are only visited: which they are, and that the profile says of them what it says of those that are entered and left. The
# counts follow from the program (Visits.cs); a stopwatch has frames for all calls, so what it records is the measure.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}

if ! has mono || ! has mcs; then
    skip "small methods are only visited" "mono and mcs are not installed"
    finish
fi
mcs -nologo -warn:0 -optimize+ -out:Visits.exe "$ROOT/tests/tracker/Visits.cs" && "$ILINJECT" -q Visits.exe -o app/ || exit 1
cat >app/Visits.runtimeconfig.json <<'JSON'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
JSON
cp app/Visits.runtimeconfig.json .
mkdir small

# heads FILE ENTER|VISIT: the methods that call it at their heads, in the order of the file.
heads() {
    monodis "$1" | awk -v calls="'<ilinject>'::$2(" '/^ *\.method/ { for (name = $0; name !~ /cil managed/ && (getline line) > 0;) name = name line; next }
        index($0, calls) { print name }' | sed "s/ *(.*//; s/<.*//; s/'//g; s/.*[ .]//"
}
visited() {
    diff <(heads app/Visits.exe Visit) <(printf '%s\n' get_Sides get_Side set_Side get_IsSet Nothing Self ctor get_Sum Same ctor) || return
    heads app/Visits.exe Enter | grep -qx Of && heads app/Visits.exe Enter | grep -qx Loop && heads app/Visits.exe Enter | grep -qx Twice
}
# A tracker without the method, and what a rule or an option wants to see the ends of.
not_visited() {
    echo 'namespace Instrumenter { public static class ProfileInfoTracker { public static int Register(System.RuntimeTypeHandle h, int n) { return 1; }
        public static void RegisterSwitches(int first, byte[] off) { } public static int WhenEnteringSwitchedOn(int id) { return 1; }
        public static int WhenEnteringMethod(int id) { return 1; } public static void WhenLeavingMethod(int token) { } } }' >Small.cs
    mcs -nologo -target:library -out:small/ProfileInfoTracker.dll Small.cs && "$ILINJECT" -q Visits.exe -o small/ --tracker=small/ProfileInfoTracker.dll &&
        [ -z "$(heads small/Visits.exe Visit)" ] && "$ILINJECT" -q Visits.exe -o seen/ --capture='Square.get_Side' || return
    diff <(heads app/Visits.exe Visit | sed '/get_Side$/d') <(heads seen/Visits.exe Visit)
}

go() { # settings… threads depth n
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    rm -f it.ilprof
    timeout -k 1 240 env ILINJECT_OUT=it.ilprof "${settings[@]}" "$runtime" ../app/Visits.exe "$@" >out.txt || return
    diff out.txt <("$runtime" ../Visits.exe "$@")
}
counts() { # threads depth n: a line for each method
    local rounds=$(($1 * (1 + $2 / 2))) each=$(($1 * (1 + $2 / 2) * $3)) name
    for name in 'Pair..ctor(int, int)' 'Pair.get_Sum()' 'Square.'{Divided,Loop,Of,Part}'(int)' 'Square.'{Nothing,Self,Twice,get_IsSet,get_Sides}'()' 'Square.set_Side(int)' 'Visits.Made()'; do
        echo "${name/Of(int)/Of(Square)} $each 0 0"
    done
    echo "Square.get_Side() $((3 * each)) 0 0"
    echo "Visits.Same(T) $((each + $1 * (($2 + 1) / 2))) 0 0"
    printf '%s 0 0\n' "Square..ctor() $rounds" "Square..ctor(int) $rounds" "Visits.Round(int) $rounds" "Visits.Down(int, int) $(($1 * ($2 + 1)))" 'Visits.Main(string[]) 1' 'Visits..cctor() 1'
    [ "$2" -eq 0 ] || echo "Visits.Other(int, int) $(($1 * $2)) 0 0"
}
counted() { diff <(counts "$@" | sort) <(dump sums it.ilprof | grep -v '<Main>' | sort); }
each_setting() {
    local with
    for with in CLOCK=mixed CLOCK=ticking CLOCK=stopwatch TIMELINE=1 HISTOGRAM=1 ALLOC=bytes NODES=40 NODES=3; do
        go "ILINJECT_$with" 3 9 500 && counted 3 9 500 || { echo "with $with"; return 1; }
    done
}
# By ticks far apart, so that no node is made for a folded call meanwhile.
folded() {
    local nodes
    for nodes in 3 25 40; do
        go ILINJECT_NODES=$nodes ILINJECT_CLOCK=stopwatch 1 9 500 && dump folds it.ilprof >stopwatch.txt && go ILINJECT_NODES=$nodes ILINJECT_TICK=100 1 9 500 &&
            dump folds it.ilprof >ticks.txt && [ -s ticks.txt ] && diff stopwatch.txt ticks.txt || { echo "$nodes nodes"; return 1; }
    done
}
# With frames each of them would have some of the hundreds of ticks. One may find the thread within a visit, where that
# has lost its processor.
times() {
    go 1 0 2000000 && "$ILINJECT" report --format=json it.ilprof >report.json || return
    python3 - <<'PY'
import json
own = {f["name"]: f["exclusive_ns"] for f in json.load(open("report.json"))["functions"]}
visited = [name for name in own if name.split("(")[0] in ("Square.Side.get", "Square.Side.set", "Square.Sides.get", "Square.Nothing", "Square.Self", "Pair.Sum.get")]
assert len(visited) == 6, own
assert sum(own[name] for name in visited) <= sum(own.values()) / 20, own
assert own["Square.Loop(int)"] + own["Square.Part(int)"] + own["Square.Of(Square)"] > 0, own
PY
}
on_runtime() {
    mkdir "$runtime" && cd "$runtime" || return
    check "counts are those of the program, whatever is recorded, on $runtime" each_setting
    check "folded calls are what they are with frames, on $runtime" folded
    check "the time of visited methods is their callers', on $runtime" times
}
check "small methods that call nothing and cannot throw are only visited" visited
check "one that a rule or an older tracker wants to see left is entered and left" not_visited
halves on_runtime
finish
