#!/usr/bin/env bash
# Code that measures itself: fixtures/cs/Measured.cs against the tracker, by itself and
# instrumented. Its output and how often each scope stands where in the call tree is worked out by
# hand from its source.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
here=$ROOT/tests/tracker

if ! has mono || ! has mcs; then
    skip "a program measures its own code" "mono and mcs are not installed"
    finish
fi
mkdir app after
cp "$BUILD/ProfileInfoTracker.dll" app
mcs -nologo -out:app/Measured.exe -r:app/ProfileInfoTracker.dll "$ROOT/fixtures/cs/Measured.cs" || exit 1
cat >app/Measured.runtimeconfig.json <<'EOF'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
EOF
"$ILINJECT" app/Measured.exe --exits=guarded -o after/Measured.exe 2>summary.txt >&2 || { cat summary.txt; exit 1; }
cp app/Measured.runtimeconfig.json after

drive() { # FOLDER ARGUMENTS
    local folder=$1
    shift
    rm -rf run
    mkdir run
    (cd run && exec timeout -k 1 120 "$runtime" "../$folder/Measured.exe" "$@") >out.txt 2>err.txt || { head -n 20 out.txt err.txt; return 1; }
}
profile=run/Measured.ilprof
sums() { dump sums "$profile"; }
report() { "$ILINJECT" report "$profile" "$@"; }
scopes='"Inside" 1 0 0
"Loading" 2 0 0
"Measured clock" 1 0 0
"Nothing inside" 1 0 0
"Parsing" 2 0 0
"Pushed by hand" 1 0 0
"Reading first" 1 0 0
"Reading second" 1 0 0
"Your comment here" 1 0 0'
prints_as_worked_out() { drive "$1" && diff "$ROOT/fixtures/cs/Measured.expected" out.txt && [ ! -s err.txt ]; }
scopes_are_counted() { diff <(echo "$scopes") <(sums | grep '^"' | LC_ALL=C sort); }
# "depth name calls" of the merged tree.
paths() {
    report --format=json |
        sed -n -E 's/^\{"module": .*"name": "(.*)", "type": .*/F \1/p; s/^\{"function": (-?[0-9]+), "depth": ([0-9]+), .*"calls": ([0-9]+), .*/N \1 \2 \3/p' |
        awk 'BEGIN { count = 0 } /^F/ { name[count] = substr($0, 3); gsub(/\\"/, "\"", name[count++]) } /^N/ && $2 >= 0 { print $3, name[$2], $4 }' | LC_ALL=C sort
}
own_methods_between() {
    diff - <(paths) <<'EOF'
1 Program.Main(string[]) 1
2 "Measured clock" 1
2 "Pushed by hand" 1
2 Program.Nest() 1
3 "Inside" 1
3 "Your comment here" 1
4 "Nothing inside" 1
4 Program.Load(string) 2
5 "Loading" 2
6 "Reading first" 1
6 "Reading second" 1
6 Program.Parse() 2
7 "Parsing" 2
EOF
}
shown() { report >shown.txt && grep -q '"Your comment here"' shown.txt && report --format=calltree | grep -q '"Loading"' || { cat shown.txt; return 1; }; }
json_tells_scopes() {
    [ "$(report --format=json | grep -c '^{"module": [0-9]*, "token": null, "name": "\\"Loading\\"", "type": "", ')" = 1 ]
}
merges_by_text() { # the runs measure other scopes first: the same text is one line all the same
    drive app error && cp "$profile" first.ilprof && drive app threads && cp "$profile" second.ilprof && drive app error &&
        "$ILINJECT" report first.ilprof second.ilprof "$profile" --format=json >merged.json &&
        diff - <(sed -n -E 's/^\{"module": .*"name": "(\\".*\\")", "type": .*"calls": ([0-9]+), .*/\1 \2/p' merged.json | LC_ALL=C sort) <<'EOF'
\"Inner\" 32000
\"Outer\" 32000
\"to standard error\" 2
EOF
}
threads() { drive app threads && [ "$(cat out.txt)" = "32000 roots, 32000 inside" ] && diff <(printf '"%s" 32000 0 0\n' Inner Outer) <(sums | LC_ALL=C sort); }
# Scopes end by themselves, whether an exception leaves them or is caught inside; the methods see it as without them.
# Each of the exceptions leaves one frame, that of Fails.
exceptions() {
    drive after exceptions && diff <(printf '%s\n' "${ways[@]}") <(dump ways "$profile" | LC_ALL=C sort) &&
        diff <(printf '%s\n' "${ways_of_exceptions[@]}") <(dump paths "$profile")
}
ways=('"Parsing" 1 = 1 0 0 0' '"around" 3 = 3 0 0 0' '"failing" 4 = 4 0 0 0' '"handler" 1 = 1 0 0 0' '"inside" 3 = 3 0 0 0' 'Program.Exceptions 1 = 1 0 0 0'
    'Program.Fails 4 = 0 4 0 0' 'Program.Main(string[]) 1 = 1 0 0 0' 'Program.Parse 1 = 1 0 0 0')
e='System.InvalidOperationException 0' said='"on purpose"'
ways_of_exceptions=("$e x1 searched=0 unwound=1 Program.Fails < \"handler\" $said" "$e x3 searched=0 unwound=3 Program.Fails < \"inside\" < \"around\" < Program.Exceptions $said $said $said")
standard_error() { drive app error && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -Eqx 'to standard error took [0-9]{1,3}(,[0-9]{3})*' err.txt; }
misuse() { # two clocks throw; of 5,000 texts and the 8 before, 4,096 are told apart
    drive app misuse && [ ! -s out.txt ] || { cat out.txt; return 1; }
    [ "$(grep -c '^ilinject: the clock Throwing has thrown System.InvalidOperationException; using the tracker.s own$' err.txt)" -eq 2 ] && [ "$(wc -l <err.txt)" -eq 2 ] || { head err.txt; return 1; }
    [ "$(sums | grep -c '^"')" -eq 4097 ] && sums | grep -q '^"(others)" 9[0-9][0-9] 0 0$' || { sums | tail -n 3; return 1; }
}
attributes() { "$ILINJECT" list app/Measured.exe | grep 'ByHand' | grep -q 'NoProfile'; }

check "the tracker's own attribute [NoProfile] leaves a method out" attributes
for runtime in mono dotnet; do
    if ! has "$runtime"; then
        skip "a program measures its own code on $runtime" "$runtime is not installed"
        continue
    fi
    check "$runtime: scopes are printed as worked out by hand" prints_as_worked_out app
    check "$runtime: they stand in the profile, too" scopes_are_counted
    check "$runtime: the report shows them" shown
    check "$runtime: in JSON a scope has no token and no type" json_tells_scopes
    check "$runtime: an instrumented program prints the same" prints_as_worked_out after
    check "$runtime: scopes and instrumented methods are one tree" own_methods_between
    check "$runtime: reports on several runs know a scope by its text" merges_by_text
    check "$runtime: 64 threads have scopes of their own" threads
    check "$runtime: exceptions go through scopes, which end by themselves" exceptions
    check "$runtime: without a writer standard error is printed to" standard_error
    check "$runtime: wrong use, failing clocks and writers, deep nesting and too many texts are borne" misuse
done
finish
