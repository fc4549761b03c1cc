#!/usr/bin/env bash
# --overhead: what is left out for a price, by the counts of profiles and without one. The counts of fixtures/cs/Priced.cs
# were made by hand: between the 20,000 calls that may stay in any case and the 1,000,000 of others there is nothing, so that
# the processor time of a busy machine changes nothing either.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"

if ! has mcs; then
    skip "methods are left out for a price" "no mcs"
    finish
fi
mcs -nologo -optimize+ -out:Priced.exe "$ROOT/fixtures/cs/Priced.cs" || exit 1
mcs -nologo -out:Selected.exe "$ROOT/fixtures/cs/Selected.cs" || exit 1

run() { # value arguments…: output in out, diagnostics in err
    local wanted=$1
    shift
    "$ILINJECT" "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat out err; return 1; }
}
# list says this REASON of the method NAME, and this DECISION behind it.
says() { # REASON NAME [DECISION]
    grep -q -E "^ *0x06[0-9a-f]+ +[0-9]+  $1 +[a-z ]+  $2\([^)]*\)${3:+  <- $3}$" out || { echo "not so: $*"; cat out; return 1; }
}
one_line() { [ "$(wc -l <err)" -eq 1 ] && grep -q -E "$1" err || { cat err; return 1; }; }

# ---- Refusals --------------------------------------------------------------------------------------------------------

for value in 0 1001 -1 10%% x '' 1.5 10000000000; do
    check "--overhead=$value is wrong usage" eval "run 2 list Priced.exe --overhead='$value' && one_line overhead"
done
check "--profile needs --overhead" eval 'run 2 list Priced.exe --profile a.ilprof && one_line "profile needs --overhead"'
check "a report's --overhead needs --suggest" eval 'run 2 report a.ilprof --overhead=10 && one_line "overhead is for --suggest"'
check "a file that is no profile is one line" eval 'run 1 list Priced.exe --overhead=10 --profile Priced.exe && one_line "^Priced.exe: error ILJ0600"'
check "so is one that is not there" eval 'run 1 Priced.exe -o x.exe --overhead=10 --profile none && one_line "^none: error ILJ0900" && [ ! -e x.exe ]'

# ---- Without a profile -----------------------------------------------------------------------------------------------

guesses() {
    run 0 list Priced.exe --overhead=10 || return 1
    says "likely inlined" get_Field "--overhead=10%: fewer than 20 bytes of IL, no loop" && says "likely inlined" Wraps "--overhead=10%: one call, no branch" &&
        says "likely inlined" Takes "--overhead=10%: no call, no loop" && says "likely inlined" Forced "--overhead=10%: AggressiveInlining" &&
        says instrument Busy && says instrument Loops && says instrument Handles && says instrument Throws && says instrument Main
}
check "without a profile the IL decides" guesses
check "10 and 10% are the same" eval 'run 0 list Priced.exe --overhead=10; mv out plain; run 0 list Priced.exe --overhead=10%; cmp plain out'
check "what an include names exactly stays" eval 'run 0 list Priced.exe --overhead=10 --include "Priced.**" --include "Priced.Hot.get_Field" && says instrument get_Field ".*" && says "likely inlined" set_Field "--overhead.*"'
check "but not for its type's name" eval 'run 0 list Priced.exe --overhead=10 --include Priced.Hot && says "likely inlined" get_Field "--overhead.*"'
check "nor by a wildcard" eval 'run 0 list Priced.exe --overhead=10 --include "Priced.Hot.get_*" && says "likely inlined" get_Field "--overhead.*"'
check "the JSON says it as well" eval 'run 0 list Priced.exe --overhead=10 --json && grep -q "\"name\":\"get_Field()\".*\"reason\":\"likely inlined\",\"rule\":\"--overhead=10%: fewer than 20 bytes of IL, no loop\"" out'
check "the summary counts them" eval 'run 0 Priced.exe -o guessed.exe --overhead=10 && grep -q -E "left out \([0-9]+ likely inlined\)" out'

# ---- A choice in a file ----------------------------------------------------------------------------------------------

cat >choice.xml <<'X'
<ilinject>
  <choice>
    <exclude pattern="Priced.Hot.get_Field()"/>
    <exclude pattern="Priced.Hot.set_*"/>
  </choice>
</ilinject>
X
sed 's/choice>/selection>/' choice.xml >rules.xml
chosen() { says "by rule" get_Field "choice.xml:3 exclude 'Priced.Hot.get_Field\\(\\)'" && says "by rule" set_Field "choice.xml:4 exclude .*"; }
check "a choice leaves out what it names" eval 'run 0 list Priced.exe --config choice.xml && chosen && says instrument Busy'
check "also behind a wide include" eval 'run 0 list Priced.exe --config choice.xml --include "Priced.**" --include Priced.Hot && chosen && says instrument Busy ".*"'
check "which does not bring back more than it names" eval 'run 0 list Priced.exe --config choice.xml --include Priced.Hot.Busy && says instrument Busy ".*" && says "by rule" Loops "no include names it" && says "by rule" get_Field "no include names it"'
check "an include of the method's own name takes it back" eval 'run 0 list Priced.exe --config choice.xml --include "Priced.**" --include Priced.Hot.get_Field && says instrument get_Field ".*" && says "by rule" set_Field "choice.xml:4 .*"'
check "other rules of a file do not do that" eval 'run 0 list Priced.exe --config rules.xml --include Priced.Hot && says instrument get_Field ".*"'
check "a choice holds excludes alone" eval 'sed "s/exclude/include/" choice.xml >wrong.xml; run 2 list Priced.exe --config wrong.xml && grep -q "^wrong.xml(3): error" err'

# ---- Settings --------------------------------------------------------------------------------------------------------

texts() { tr -d '\0' <"$1" | grep -a -o 'overhead=[0-9]*%\?'; }
check "an output brings the price with it" eval 'run 0 Priced.exe -o priced.exe --overhead=12 && [ "$(texts priced.exe)" = overhead=12% ]'
if "$ILINJECT" Priced.exe --dry-run --set bead=1 2>&1 | grep -q ' overhead,'; then
    check "unless --set says another" eval 'run 0 Priced.exe -o priced.exe --overhead=12 --set overhead=7 && [ "$(texts priced.exe)" = overhead=7 ]'
else
    skip "unless --set says another" "the tracker has no such setting"
fi
check "without --overhead there is none" eval 'run 0 Priced.exe -o priced.exe && [ -z "$(texts priced.exe)" ]'

# ---- Counts alone ----------------------------------------------------------------------------------------------------

# All methods but Main and Leaf are called as often, 5,000 times, and all cannot stay. Top calls Inner, virtually, and
# Inner Leaf, which is nearly all of the work. The 40 others are larger than these two, and do nothing else.
deep_source() {
    echo 'using System; using System.Runtime.CompilerServices; abstract class Base { public abstract int Inner(int n); }'
    echo 'class Deep : Base { public override int Inner(int n) { int s = 0; for (int i = 0; i < 400; i++) s += Leaf(i); return s; }'
    echo '[MethodImpl(MethodImplOptions.NoInlining)] static int Leaf(int n) { return n * 3 ^ n; }'
    echo 'static int Top(Base b, int n) { return b.Inner(n); }'
    for i in {1..40}; do
        echo "[MethodImpl(MethodImplOptions.NoInlining)] static int Other$i(int n) { return (n * 3 ^ n) + (n * 5 ^ n << 2) + (n * 7 ^ n << 3) + (n * 9 ^ n << 4); }"
    done
    echo 'static void Main() { Base b = new Deep(); int s = 0; for (int i = 0; i < 5000; i++) { s += Top(b, i);'
    for i in {1..40}; do echo "s += Other$i(i);"; done
    echo '} Console.WriteLine(s); } }'
}
deep_chooses() {
    run 0 list Deep.exe --overhead=10 --profile deep.ilprof || return 1
    says instrument Top && says instrument Inner && says instrument Main && says "called too often" Leaf "--overhead=10%: 2000000 calls" &&
        [ "$(grep -c 'called too often .* Other' out)" -ge 20 ]
}
# An output that counts says that Go calls a delegate, which is a method of the framework's. Its
# list of calls is packed (RFC 1951), wherever in the file.
cat >Delegate.cs <<'X'
using System;
class Delegate1 { static int Go(Func<int, int> f) { return f(3); } static void Main() { Console.WriteLine(Go(x => x + 1)); } }
X
packed() { # FILE NAME: does any part of the file unpack to what lists the name, one parameter, and no type?
    python3 - "$@" <<'X'
import sys, zlib
data, text = open(sys.argv[1], "rb").read(), sys.argv[2].encode() + b"\0\1\0"
def unpacked(at):
    try:
        return zlib.decompressobj(-15).decompress(data[at:])
    except zlib.error:
        return b""
sys.exit(not any(text in unpacked(at) for at in range(len(data))))
X
}
delegates() {
    run 0 Delegate.exe -o timed.exe && run 0 Delegate.exe -o counting.exe --counts && packed counting.exe Invoke &&
        ! packed timed.exe Invoke
}
if has python3; then
    check "a delegate's call stands in the list beside counts" eval 'mcs -nologo -optimize+ Delegate.cs && delegates'
else
    skip "a delegate's call stands in the list beside counts" "python3 is not installed"
fi

counts_alone() { # by "${runner[@]}"
    [ "$runtime" = mono ] || runtimeconfig counted/Deep.exe
    (cd counted && ILINJECT_OUT="$SCRATCH/deep.ilprof" "${runner[@]}" Deep.exe >/dev/null)
    check "counts alone tell what explains the tree on $runtime" deep_chooses
}
deep_source >Deep.cs
mcs -nologo -optimize+ -out:Deep.exe Deep.cs && "$ILINJECT" -q Deep.exe -o counted/ --counts || exit 1

# ---- With profiles ---------------------------------------------------------------------------------------------------

"$ILINJECT" -q Priced.exe -o full/ || exit 1
profiled() { # NAME [SETTING…]: a profile of a run of all methods
    (cd full && env ILINJECT_OUT="$SCRATCH/$1.ilprof" "${@:2}" "${runner[@]}" Priced.exe >"$SCRATCH/$1.said")
}
chooses() {
    run 0 list Priced.exe --overhead=1 --profile first.ilprof || return 1
    says "called too often" Busy "--overhead=1%: 1000000 calls" && says "called too often" get_Field "--overhead=1%: 1000000 calls" &&
        says instrument set_Field && says instrument Loops && says instrument Wraps && says instrument Takes && says instrument Throws && says instrument Main &&
        says "called too often" Counts "--overhead=1%: 1000002 calls" && says "called too often" MoveNext "--overhead=1%: 1000002 calls"
}
same_for() { # NAME…: the choice by these profiles is that by the first
    local files=("${@/%/.ilprof}")
    "$ILINJECT" report --suggest=other.xml --overhead=1 "${files[@]}" -o text && diff <(tail -n +3 first.xml) <(tail -n +3 other.xml)
}
as_configured() {
    run 0 list Priced.exe --config first.xml && sed 's/  <- .*//; s/by rule         /called too often/' out >by-rule
    run 0 list Priced.exe --overhead=1 --profile first.ilprof && sed 's/  <- .*//' out >by-counts
    diff <(head -n -1 by-rule) <(head -n -1 by-counts)
}
with_profiles() {
    if ! can "$runtime"; then
        skip "a profile decides on $runtime" "$runtime is not there"
        return
    fi
    runner=(mono)
    if [ "$runtime" = dotnet ]; then
        runner=(dotnet)
        runtimeconfig full/Priced.exe
    fi
    profiled first && profiled second ILINJECT_CLOCK=none && profiled third ILINJECT_CLOCK=coarse ILINJECT_HISTOGRAM=1 || { echo "FAILED: it runs"; failed=$((failed + 1)); return; }
    "$ILINJECT" report --suggest=first.xml --overhead=1 first.ilprof -o text || return
    check "counts decide on $runtime" chooses
    check "a suggested configuration leaves out the same on $runtime" as_configured
    check "a run without times gives the same choice on $runtime" same_for second
    check "so does one with other times on $runtime" same_for third
    "$ILINJECT" merge -o merged.ilprof first.ilprof || return
    check "so does a merged one on $runtime" same_for merged
    "$ILINJECT" report --suggest=ab.xml --overhead=1 first.ilprof third.ilprof -o text
    "$ILINJECT" report --suggest=ba.xml --overhead=1 third.ilprof first.ilprof -o text
    check "the order of profiles does not matter on $runtime" cmp ab.xml ba.xml
    check "what an include names exactly stays, with its calls, on $runtime" eval 'run 0 list Priced.exe --overhead=1 --profile first.ilprof --include "**" --include "Priced.Hot.Busy(int)" && says instrument Busy ".*" && says "called too often" get_Field ".*1000000 calls"'
    check "a profile of another program is told on $runtime" eval 'run 0 list Selected.exe --overhead=1 --profile first.ilprof && one_line "warning ILJ0439" && grep -q "likely inlined" out'
    check "a depfile names the profile on $runtime" eval 'run 0 Priced.exe -o out.exe --overhead=1 --profile first.ilprof --depfile out.d && grep -q "first.ilprof" out.d'
    check "the output is the same each time on $runtime" eval 'run 0 Priced.exe -o again.exe --overhead=1 --profile first.ilprof && cmp out.exe again.exe'
    mkdir -p kept && cp full/* kept && "$ILINJECT" -q Priced.exe -o kept/Priced.exe --overhead=1 --profile first.ilprof
    (cd kept && ILINJECT_OUT="$SCRATCH/kept.ilprof" "${runner[@]}" Priced.exe >"$SCRATCH/kept.said")
    check "it says the same on $runtime" diff first.said kept.said
    check "and its profile has what stays on $runtime" eval '"$ILINJECT" report kept.ilprof --json >kept.json && ! grep -q -E "Busy|Field.get|Counts[(]int[)]" kept.json && grep -q "Priced.Hot.Loops" kept.json'
    # Methods that the profile does not know are judged by their IL, and not taken for ones that are never called.
    check "a profile of a choice does not know what was left out on $runtime" eval 'run 0 list Priced.exe --overhead=1 --profile kept.ilprof && says "likely inlined" get_Field "--overhead.*" && says instrument Loops'
    counts_alone
}
halves with_profiles

# ---- A busy machine --------------------------------------------------------------------------------------------------

# A compiler's counts, but for the chances of a hash table: alone, and beside twenty loops, which end with this suite in any case.
mcs=/usr/lib/mono/4.5/mcs.exe
chosen_by() { # NAME: what is kept and what is left out, and why
    ILINJECT_OUT=$PWD/$1.ilprof mono counted/mcs.exe -nologo -out:demo.exe "$ROOT/fixtures/cs/Demo.cs" && run 0 list $mcs --overhead=10 --profile "$1.ilprof" && sed 's/  <- .*//' out >"$1.choice"
}
beside_loops() { # COMMAND…
    local loops=() value i
    for ((i = 0; i < 20; i++)); do
        timeout 100 bash -c 'while kill -0 "$0" 2>/dev/null; do for ((i = 0; i < 100000; i++)); do :; done; done' $$ &
        loops+=($!)
    done
    "$@"
    value=$?
    kill "${loops[@]}"
    wait "${loops[@]}" 2>/dev/null
    return $value
}
if can mono && [ -f $mcs ]; then
    "$ILINJECT" -q $mcs -o counted/ --counts || exit 1
    check "counts of a compiler decide" eval 'chosen_by alone && [ "$(grep -c "called too often" alone.choice)" -gt 1000 ] && [ "$(grep -c "  instrument  " alone.choice)" -gt 1000 ]'
    check "and decide the same when they were made beside twenty busy loops" eval 'beside_loops chosen_by busy && cmp alone.choice busy.choice'
else
    skip "a busy machine gives the same choice" "no Mono with mcs.exe"
fi
# `ilinject run` with a price: twice, unseen the first time; once where it has to be. A call's count stands beside each method of Twice.cs.
calls_of() { # METHOD PROFILE: its calls, or nothing
    "$ILINJECT" report "$2" --json | tr -d '\n' | sed 's/"name"/\n&/g' | sed -n "s/^\"name\": \"Twice.$1(.*\"calls\": \([0-9]*\).*/\1/p" | head -n 1
}
twice() { # CODE RUNS SAID OPTIONS…: of Twice.exe below $SCRATCH/twice, with its input from the file `given`
    local code=$1 runs=$2 said=$3
    shift 3
    rm -f runs ./*.ilprof
    "$ILINJECT" run "$@" ../twice/Twice.exe <given >out 2>err
    [ $? -eq "$code" ] && [ "$(wc -l <runs)" -eq "$runs" ] && [ "$(wc -l <out)" -eq 1 ] && grep -q "$said" err || { cat err out runs; return 1; }
}
governed() { grep -q "^Governor allows recording $1 % " err || { cat err; return 1; }; }
priced_runs() {
    mkdir -p ../twice
    case $runtime in
    mono) mcs -nologo -optimize+ -out:../twice/Twice.exe "$ROOT/tests/e2e/lib/Twice.cs" ;;
    dotnet) "$ROOT/tests/dotnet-csc" ../twice/Twice.exe -optimize+ "$ROOT/tests/e2e/lib/Twice.cs" ;;
    esac || { echo "FAILED: Twice.cs is compiled on $runtime"; failed=$((failed + 1)); return; }
    echo seven77 >given
    check "run counts calls first, unseen, on $runtime" twice 3 2 "calls counted in a run of its own" --overhead=10%
    check "both runs get all of a file that is their input, on $runtime" test "$(sort -u runs)" = 7
    check "what is called often is left out of the second, on $runtime" test "$(calls_of Tiny Twice.ilprof)/$(calls_of Work Twice.ilprof)" = /5
    check "and the tracker holds the price, on $runtime" governed 10
    cp Twice.ilprof ../before.ilprof
    check "with a profile it runs once, on $runtime" twice 3 1 "instrumented, in a copy" --overhead=10% --profile ../before.ilprof
    check "with --once, too, on $runtime" twice 3 1 "instrumented, in a copy" --overhead=10% --once
    check "where the tracker alone holds the price, on $runtime" governed 10
    rm -f runs
    check "a pipe can be read once, on $runtime" eval 'echo seven77 | "$ILINJECT" run --overhead=10% ../twice/Twice.exe >out 2>err; [ "$(cat runs)" = 7 ] && grep -q "standard input is a pipe" err'
    check "any price: every call is recorded, on $runtime" twice 3 1 "^Calls " --overhead=any
    check "so the counts are exact, on $runtime" test "$(calls_of Tiny Twice.ilprof)/$(calls_of Work Twice.ilprof)" = 3000000/5
    check "nothing said: the tracker keeps a price, on $runtime" twice 3 1 "^Calls "
    check "of 100 %, on $runtime" governed 100
    check "a setting of one's own: nothing is kept, on $runtime" twice 3 1 "^Calls " --set verbose=0
    check "so no price is told, on $runtime" eval '! grep -q ^Governor err'
    check "a run that a signal ends is the last, on $runtime" eval 'rm -f runs; "$ILINJECT" run --overhead=10% ../twice/Twice.exe dies <given >out 2>err; [ $? -eq 137 ] && [ "$(wc -l <runs)" -eq 1 ] && grep -q "ended by signal 9" err && [ ! -s out ]'
}
for options in "--once" "--once --overhead=10 --profile x" "--counts --overhead=10" "--overhead=0" "--profile x"; do
    # shellcheck disable=SC2086
    check "run $options is wrong usage" eval "run 2 run $options Priced.exe && [ \$(wc -l <err) -eq 1 ]"
done
"$ILINJECT" -q Priced.exe -o instrumented.exe
check "a price is for what is not instrumented yet" eval 'run 125 run --overhead=10 ./instrumented.exe && grep -q "not instrumented yet" err'
for runtime in mono dotnet; do
    if ! has "$runtime"; then skip "run with a price on $runtime" "$runtime is not installed"; continue; fi
    mkdir -p "here-$runtime"
    cd "here-$runtime" || exit 1
    priced_runs
    cd ..
    rm -rf twice
done
finish
