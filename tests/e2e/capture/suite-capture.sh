#!/usr/bin/env bash
# Calls with their values: what is seen of each kind of type, which calls are kept and how many, what is masked, and that nothing is there
# unless it is asked for.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
fixtures=$ROOT/fixtures/cs before=$SCRATCH/before
if ! has mcs || ! can mono; then
    skip "calls are seen with their values" "no mono or no mcs"
    finish
fi

rules=(--capture 'Captured: args, return, exception' --capture 'Person: args, return, this' --capture 'Point: args, return, this'
    --capture 'Box*: args, return, this' --capture 'Captured.Later: args' --capture 'Captured.Numbers: args')

# The calls of a profile, a line each, without their times and the stacks of exceptions.
calls_of() { # PROFILE OPTIONS…
    "$ILINJECT" report --calls --top=0 --width=0 "$@" | sed -E '0,/Calls with their values$/d; /^ {8,}(at|←) /d; s/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +([0-9.,]+ (ns|µs|ms|s) +)?[0-9,]+  //'
}
# The fixture's calls by hand; those marked are for what mcs cannot compile.
expected_for() { # RUNTIME
    if [ "$1" = dotnet ]; then sed 's/^core: //' "$fixtures/Captured.calls"; else grep -v '^core: ' "$fixtures/Captured.calls"; fi
}
instrumented() { # NAME PROGRAM OPTIONS…
    local name=$1 program=$2
    shift 2
    mkdir -p "after/$name" && cp "$(dirname "$program")"/Other.dll "$(dirname "$program")"/*.runtimeconfig.json "after/$name/" 2>/dev/null
    "$ILINJECT" -q "$program" -o "after/$name/" "$@"
}
# The program prints what it did, and its calls are seen as written down.
seen() { # NAME RUNTIME PROGRAM OPTIONS…
    local name=$1 runtime=$2 program=$3
    shift 3
    run_program "$name-before" "$runtime" "$program"
    instrumented "$name" "$program" "$@" && run_program "$name" "$runtime" "after/$name/$(basename "$program")" && same_run "$name-before" "$name" "$runtime" || return
    calls_of "said/$name.$runtime.ilprof" >calls
}
seen_as_expected() { seen "$@" && diff <(expected_for "$2") calls; }
# Without a guard a call that an exception leaves is not seen.
seen_but_thrown() { seen "$@" --exits=ret && diff <(expected_for "$2" | grep -v ' threw ') calls; }

mcs -nologo -define:MONO -target:library -out:before/Other.dll "$fixtures/CapturedOther.cs" &&
    mcs -nologo -define:MONO -unsafe -optimize -r:before/Other.dll -out:before/Captured.exe "$fixtures/Captured.cs" || exit 1
mkdir core
programs=(mono before/Captured.exe)
if can dotnet && compiled csc core/Other.dll -target:library "$fixtures/CapturedOther.cs"; then
    compiled csc core/Captured.dll -unsafe -optimize -r:core/Other.dll "$fixtures/Captured.cs"
    programs+=(dotnet core/Captured.dll)
else
    skip "calls are seen with their values under dotnet" "no .NET SDK"
fi
for ((i = 0; i < ${#programs[@]}; i += 2)); do
    runtime=${programs[i]} program=${programs[i + 1]} slice=()
    if [ "$runtime" = dotnet ]; then slice=(--capture 'Slice: args, return, this'); fi
    check "each kind of value is seen as it is under $runtime" seen_as_expected "values-$runtime" "$runtime" "$program" "${rules[@]}" "${slice[@]}"
    check "so it is with calls before each return alone under $runtime" seen_but_thrown "ret-$runtime" "$runtime" "$program" "${rules[@]}" "${slice[@]}"
    check "and while exceptions are followed under $runtime" seen_as_expected "full-$runtime" "$runtime" "$program" "${rules[@]}" "${slice[@]}" --exceptions=full
done

# ---- Nothing new for those who judge code ----------------------------------------------------------------------------

compiles_ahead() { mono --compile-all=1 after/values-mono/Captured.exe; }
check "mono compiles all methods of it" compiles_ahead
verifies() { new_lines <("$ROOT/tests/verify" before/Captured.exe | sed 's/ at 0x[0-9a-f]*$//') <("$ROOT/tests/verify" after/values-mono/Captured.exe | sed 's/ at 0x[0-9a-f]*$//'); }
if has peverify; then check "a verifier has nothing new to say" verifies; else skip "a verifier has nothing new to say" "no peverify"; fi

# ---- Secrets -----------------------------------------------------------------------------------------------------------

holds() { grep -a -q -- "$1" "$2"; }
lacks() { ! holds "$@" || { echo "it holds $1"; return 1; }; }
masked() {
    local secret
    for secret in hunter2 'Bearer x'; do lacks "$secret" said/values-mono.mono.ilprof || return; done
}
check "what looks like a secret is not in the profile" masked
shown_and_hidden() {
    instrumented masks before/Captured.exe "${rules[@]}" --mask '*name*' --mask '!*pass*' && run_program masks mono after/masks/Captured.exe &&
        holds hunter2 said/masks.mono.ilprof && lacks Ann said/masks.mono.ilprof && calls_of said/masks.mono.ilprof | grep -q '^Captured.Secrets(password: "p", userName: \*\*\*, headers:'
}
pairs() { # RUNTIME PROGRAM: 17 places are shown, no secret is
    "$ILINJECT" -q "$2" -o "after/pairs-$1/" --capture 'Program: args, return; depth=5' && { cp core/Pairs.runtimeconfig.json "after/pairs-$1" 2>/dev/null || true; } && run_program pairs "$1" "after/pairs-$1/$(basename "$2")" || return
    calls_of "said/pairs.$1.ilprof" >pairs && [ "$(grep -c '^Program\.\(Send\|Put\|Get\|Fetch\|Later\)(' pairs)" = 23 ] && lacks zq7 "said/pairs.$1.ilprof" || { cat pairs; return 1; }
    local place
    for place in pair listed array map enum entry tuple field claim option inner argument fetched later; do grep -q "seen-$place" pairs || { echo "no seen-$place"; cat pairs; return 1; }; done
}
mcs -nologo -out:before/Pairs.exe "$ROOT/tests/e2e/lib/cs/Pairs.cs" || exit 1
check "values are masked under names that are values: in pairs, lists of them, options and arguments, under mono" pairs mono before/Pairs.exe
if [ "${programs[2]:-}" ] && compiled csc core/Pairs.dll "$ROOT/tests/e2e/lib/cs/Pairs.cs"; then
    check "so they are under dotnet" pairs dotnet core/Pairs.dll
fi
check "--mask hides names and shows what would be hidden" shown_and_hidden

# ---- Which calls, and how many ----------------------------------------------------------------------------------------

cat >Many.cs <<'END'
using System;
static class Many
{
    static int Work(int i, string text) { return i + text.Length; }
    static int Slow(int i) { if (i == 3) System.Threading.Thread.Sleep(60); return i; }
    static int Bad(int i) { if (i % 4 == 0) throw new Exception("bad " + i); return i; }
    static void Main(string[] args)
    {
        long sum = 0;
        for (int i = 0; i < int.Parse(args[0]); i++) sum += Work(i, "text");
        for (int i = 0; i < 6; i++) sum += Slow(i);
        for (int i = 0; i < 8; i++) try { sum += Bad(i); } catch (Exception) { }
        Console.WriteLine(sum);
    }
}
END
mcs -nologo -out:before/Many.exe Many.cs || exit 1
kept() { # NUMBER EXPECTED-LINES RULE
    "$ILINJECT" -q before/Many.exe -o after/many/ --capture "$3" && run_program many mono after/many/Many.exe "$1" || return
    diff <(printf '%s\n' "$2") <(calls_of said/many.mono.ilprof)
}
check "the first calls are kept" kept 50 "$(printf 'Many.Work(i: %d, text: "text")\n' 0 1 2)" 'Many.Work: args; first=3'
check "every so manieth is" kept 50 "$(printf 'Many.Work(i: %d, text: "text")\n' 0 20 40)" 'Many.Work: args; every=20'
check "or the first and then every so manieth" kept 50 "$(printf 'Many.Work(i: %d, text: "text")\n' 0 1 20 40)" 'Many.Work: args; first=2, every=20'
check "only slow ones are" kept 1 'Many.Slow(i: 3) → 3' 'Many.Slow: args, return; slower=50ms'
check "only those that threw are" kept 1 "$(printf 'Many.Bad(i: %d) threw Exception: bad %d\n' 0 0 4 4)" 'Many.Bad: args, throws'
check "texts are cut" kept 1 'Many.Work(i: 0, text: "te"…(4))' 'Many.Work: args; string=2'

# One value never takes the room of another: 256 bytes are a call's here, and 12 lines.
cat >Wide.cs <<'END'
class Part { public string A = "an address", B = "a base", C = "a connection", D = "a driver", E = "an engine", F = "a format", G = "a group"; }
class Wide { public Part First = new Part(), Second = new Part(), Third = new Part(), Fourth = new Part(), Fifth = new Part(), Sixth = new Part(), Seventh = new Part(); }
static class Program
{
    static string Load(Wide db, int id, string why, Wide other) { return why + id; }
    static string Say(string text, int id) { return text; }
    static void Main() { Load(new Wide(), 7, "asked", new Wide()); Say(new string('x', 5000), 8); }
}
END
mcs -nologo -out:before/Wide.exe Wide.cs || exit 1
wide() { "$ILINJECT" -q before/Wide.exe -o after/wide/ --capture "Program: args, return; $1" && run_program wide mono after/wide/Wide.exe; }
shared_bytes() {
    wide 'bytes=1k; string=5000' && calls_of said/wide.mono.ilprof >calls &&
        grep -q '^Program.Load(db: Wide { First = Part { A = "an address", .*…, Seventh = … }, id: 7, why: "asked", other: Wide { First = .* }) → "asked7"$' calls &&
        grep -q '^Program.Say(text: "x\{16,128\}"…(5000), id: 8) → "x\{16,\}"…(5000)$' calls && return
    cat calls
    return 1
}
check "values share the bytes of a call, each has a piece" shared_bytes
shared_lines() { # WIDTH
    wide 'bytes=1m' && "$ILINJECT" report --calls --width="$1" --filter=Program.Load said/wide.mono.ilprof | sed '0,/Calls with their values$/d; /^1 of 3/d' >calls &&
        [ "$(wc -l <calls)" -le 12 ] && ! sed 's/[µ…→]/-/g' calls | grep -q ".\{$(($1 + 1))\}" && tr -s ' \n' ' ' <calls >line &&
        [ "$(tr -cd '{' <line)" = "$(tr -cd '}' <line | tr '}' '{')" ] && grep -q '… }, id: 7, why: "asked", other: Wide { First = .*… }) → "asked7" $' line && return
    cat calls
    return 1
}
check "they share the lines of a call" shared_lines 80
check "and those of a wide terminal" shared_lines 160
all_without_width() { calls_of said/wide.mono.ilprof >calls && [ "$(grep -o 'A = "an address", B = "a base"' calls | wc -l)" -eq 14 ] && ! grep -q '…[ ,]' calls; }
check "without a width each value is whole" all_without_width

# The chosen fields of objects, and all fields of value types.
chosen() {
    instrumented chosen before/Captured.exe --capture 'Captured.References: args; fields=Age+Friend' --capture 'Captured.Structs: args; fields=Age' &&
        run_program chosen mono after/chosen/Captured.exe && calls_of said/chosen.mono.ilprof >calls &&
        grep -q '^Captured.References(person: Person { Age = 30, Friend = Person { Age = 31, Friend = {Person, again}, … }, … }, hidden:' calls &&
        grep -q '^Captured.Structs(point: Point { X = 1, Y = 2 }, line:' calls && return
    cat calls
    return 1
}
check "chosen fields alone are shown" chosen

# The newest calls stay, the profile does not grow with the number of calls, nor does the process.
bounded() {
    "$ILINJECT" -q before/Many.exe -o after/many/ --capture 'Many.Work: args, return; bytes=64k' && LIMIT=300 run_program bound mono after/many/Many.exe "$1" || return
    local size
    size=$(stat -c %s said/bound.mono.ilprof)
    [ "$size" -lt 80000 ] && [ "$(calls_of said/bound.mono.ilprof | tail -n 2 | head -n 1)" = "Many.Work(i: $(($1 - 1)), text: \"text\") → $(($1 + 3))" ] &&
        "$ILINJECT" report --calls said/bound.mono.ilprof | grep -Eq 'earlier calls of Many.Work: args, return; bytes=64k have gone' && return
    echo "$size bytes"
    calls_of said/bound.mono.ilprof | tail -n 3
    return 1
}
check "what is kept has a limit, and the newest stays" bounded "${MANY:-200000}"

# Where room is short, what has gone is the oldest, and nothing in between: however often the place for the newest starts again at the front.
in_a_row() {
    "$ILINJECT" -q before/Many.exe -o after/many/ --capture 'Many.Work: args; bytes=1k' && run_program row mono after/many/Many.exe 997 || return
    calls_of said/row.mono.ilprof | sed -n 's/^Many\.Work(i: \([0-9]*\), text: "text")$/\1/p' >row
    local first
    first=$(head -n 1 row)
    [ "$first" -gt 900 ] && [ "$first" -lt 980 ] && diff row <(seq "$first" 996) && "$ILINJECT" report --calls said/row.mono.ilprof | grep -q "^ *$first earlier calls of Many.Work" && return
    "$ILINJECT" report --calls said/row.mono.ilprof | tail -n 3
    return 1
}
check "the oldest calls go first, one by one" in_a_row

# ---- The report ---------------------------------------------------------------------------------------------------------

profile=said/values-mono.mono.ilprof
filtered() { [ "$(calls_of "$profile" "${@:2}" | grep -vc ' calls that were kept$')" -eq "$1" ] || { calls_of "$profile" "${@:2}"; return 1; }; }
check "--filter chooses by method" filtered 2 --filter=Captured.Fails --value=Captured
check "--value chooses by what stands in the line" filtered 2 --value='code: 3'
check "--slower chooses by time" filtered 0 --slower=1000s --value=nothing
in_json() {
    "$ILINJECT" report --json "$profile" >json &&
        grep -q '"arguments": \[{"name": "number", "value": 1, "becomes": 2}, {"name": "text", "becomes": "out"}' json &&
        grep -q '"password": {"kind": "masked"}' json && grep -q '"kind": "list", "type": "int\[\]", "length": 1000, "items": \[0, 0,' json &&
        grep -q '"exception": {"kind": "exception", "type": "Failure", "message": "it failed", "stack": "at Captured.Fails' json
}
check "the JSON has them" in_json
no_calls() { "$ILINJECT" report --calls "$1" | grep -q "$2"; }
check "that none was kept is said" no_calls said/many.mono.ilprof 'Many.Work'
merged() { "$ILINJECT" merge "$profile" "$profile" -o twice.ilprof && "$ILINJECT" report --verbose twice.ilprof | grep -Eq '^ +[0-9]+ calls with their values were left out in merging$'; }
check "a merged profile says how many it leaves out" merged

# ---- Asking -------------------------------------------------------------------------------------------------------------

same_without() {
    "$ILINJECT" -q before/Captured.exe -o after/plain/ && "$ILINJECT" -q before/Captured.exe -o after/none/ --capture Nothing.Here 2>none.err &&
        cmp after/plain/Captured.exe after/none/Captured.exe && grep -q "ILJ0431.*capture 'Nothing.Here' matches no method" none.err
}
check "a rule that names no method changes no byte, and is told" same_without
# The cost of calls that no rule names: their method's code is the same, to the token (but the row
# of the signature of its locals).
others_unchanged() {
    local name
    "$ILINJECT" -q before/Many.exe -o after/plain/ && "$ILINJECT" -q before/Many.exe -o after/one/ --capture Many.Work || return
    for name in plain one; do "$ILINJECT" dump --il "after/$name/Many.exe" | awk '/^method /{ on = /Many\.(Slow|Bad|Main)/ } on' | sed -E 's/ rva 0x[0-9a-f]*//; s/0x11[0-9a-f]{6}/LOCALS/' >"$name.il"; done
    [ "$(grep -c '^method' one.il)" -eq 3 ] && cmp plain.il one.il
}
check "methods that no rule names keep their code" others_unchanged
from_file() {
    cat >rules.xml <<'END'
<ilinject>
  <calls>
    <capture pattern="Captured" values="args, return; first=100"/>
    <mask pattern="*name*"/>
  </calls>
</ilinject>
END
    "$ILINJECT" -q before/Captured.exe -o after/file/ --config rules.xml && "$ILINJECT" -q before/Captured.exe -o after/line/ --capture 'Captured: args, return; first=100' --mask '*name*' &&
        cmp after/file/Captured.exe after/line/Captured.exe
}
if "$ILINJECT" list --config /dev/null before/Captured.exe 2>&1 | grep -q ILJ0440; then skip "a configuration file says the same" "no libxml2"; else
    check "a configuration file says the same" from_file
fi
# Its MoveNext is called with the id of the method that starts it, after the beginning of the call.
plain_machine() {
    mcs -nologo -out:before/HandMachine.exe "$fixtures/HandMachine.cs" && "$ILINJECT" -q before/HandMachine.exe -o after/machine/ --capture '**: args, return' &&
        (cd after/machine && timeout 100 mono HandMachine.exe >said.txt 2>&1; [ "$(cat said.txt)" = 7 ] || { cat said.txt; exit 1; })
}
check "a state machine with a plain name runs when its calls are seen with their values" plain_machine
refused() { # RULE MESSAGE
    ! "$ILINJECT" -q before/Many.exe -o after/refused/ --capture "$1" 2>refused.err && grep -q -F -- "$2" refused.err && return
    cat refused.err
    return 1
}
check "an unknown word is refused" refused 'Many: colour' "capture 'Many: colour': 'colour' is not known; known are args,"
check "so is a number out of its range" refused 'Many: depth=11' "depth: expected a whole number from 0 to 10"
check "a time without a unit" refused 'Many: slower=3' "slower: expected a time as 500us, 1ms or 2s"
check "fields without a name" refused 'Many: fields=A++B' "fields: expected names as Id+Name"
check "a size that is none" refused 'Many: bytes=x' "bytes: expected a size as 4096, 64k or 1m"
check "and a pattern that is none" refused 'a.**b: args' "capture 'a.**b'"
own_tracker() {
    mcs -nologo -target:library -out:Plain.dll "$fixtures/PlainTracker.cs" || return
    ! "$ILINJECT" -q before/Many.exe -o after/refused/ --tracker Plain.dll --capture Many 2>refused.err &&
        grep -q -e '--capture' refused.err && return
    cat refused.err
    return 1
}
check "a tracker that cannot take them is told" own_tracker
finish
