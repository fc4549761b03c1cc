#!/usr/bin/env bash
# Two builds of a program are compared, the second of which regresses: what is found, and what a gate
# says. Counts were worked out by hand from fixtures/cs/Regress.cs, whose clock counts work: a busy
# machine changes no time.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1

run() { # STATUS ARGUMENTS…: the outputs are in `out` and `err`
    local expected=$1 status
    shift
    "$ILINJECT" "$@" >out 2>err
    status=$?
    [ "$status" -eq "$expected" ] && return
    echo "exit $status, not $expected"
    cat out err
    return 1
}
says() { grep -q -E -e "$1" err || { cat err; return 1; }; }
shows() { grep -q -E -e "$1" out || { cat out; return 1; }; }
silent() { [ ! -s err ] || { cat err; return 1; }; }

check "one profile is not enough" eval 'run 2 diff a && says "two profiles are needed"'
check "three without -- are refused" eval 'run 2 diff a b c && says "Put -- between them"'
check "nothing after -- is refused" eval 'run 2 diff a b -- && says "no profile after"'
for condition in "X" "X: calls" "X: speed > +1%" "X: calls > +1ms" "X: exclusive > +1" "X: exclusive > 10%" "X: calls > +" "a(: calls > +1" "@A: calls > 1" \
    "X: calls > +1 and" "X: calls > and +1" "X: calls > 1 and 2 and 3 and 4 and 5"; do
    check "a condition that is none is refused: $condition" eval 'run 2 diff a b --fail-if "$condition" && says "^--fail-if: error ILJ0607: "'
done

check "a profile that is not there is named, and the run has failed" eval 'run 1 diff none1 -- none2 && says "^none1: error ILJ0900" && says "^none2: error ILJ0900"'
if ! has mcs || ! has mono; then
    skip "two builds are compared" "mono is not installed"
    finish
fi
mkdir old new
mcs -nologo -out:old/Regress.exe "$ROOT/fixtures/cs/Regress.cs" && mcs -nologo -define:SLOWER -out:new/Regress.exe "$ROOT/fixtures/cs/Regress.cs" || exit 1
for side in old new; do
    "$ILINJECT" -q "$side/Regress.exe" -o "$side/bin/" || exit 1
    for i in 1 2 3; do
        ILINJECT_CLOCK=type:Bench.Work ILINJECT_OUT=$SCRATCH/$side$i.ilprof mono "$side/bin/Regress.exe" >said 2>&1 || { cat said; exit 1; }
    done
done
before="old1.ilprof old2.ilprof old3.ilprof" after="new1.ilprof new2.ilprof new3.ilprof"

# ---- Findings --------------------------------------------------------------------------------------------------------

check "the two builds are compared" eval "run 0 diff --width=0 --top=0 $before -- $after && silent"
cp out compared
section() { sed -n "/ $1\$/,/^\$/p" compared; }
holds() { section "$1" | grep -q -E -e "$2" || { cat compared; return 1; }; }
check "it has no line for methods that were switched off, as none were" eval '! grep -q "^Switched" compared'
check "the head says whose noise is judged" grep -q '^Noise    judged from 3 and 3 runs' compared
check "the method that takes longer is slower" holds Slower '^ *4\.00 ms +82\.0 ms +x20\.5 .* 40 +40 .*Bench\.Program\.Spin\(int\)$'
check "the method that was added is new" holds New 'Bench\.Program\.Added\(int\)$'
check "with its lambda" holds New ' 40 .*Bench\.Program\.Added\.lambda'
check "the one that was taken away is gone" holds Gone ' 20 .*Bench\.Program\.Removed\(int\)$'
check "nothing else is new or gone" eval 'test "$(section New | grep -c Bench)" -eq 2 -a "$(section Gone | grep -c Bench)" -eq 1'
check "no exchange of names: lambdas and iterators are matched" eval '! section New | grep -q -E "Main|Numbers" && ! section Gone | grep -q -E "Main|Numbers"'
run 0 diff --json $before -- $after && cp out compared.json
counted() { # NAME BEFORE AFTER [EXCEPTIONS]
    grep -F "\"name\": \"$1\"" compared.json >line || { echo "no $1"; return 1; }
    grep -q -F "\"calls\": {\"verdict\": \"$4\", \"before\": $2, \"after\": $3, \"noise\": null, \"runs_before\": [$2, $2, $2], \"runs_after\": [$3, $3, $3]}" line || { cat line; return 1; }
}
check "calls before and after: Visit" counted "Bench.Program.Visit(int)" 20 40 more
check "calls before and after: Steady" counted "Bench.Program.Steady()" 20 20 same
check "calls before and after: a lambda" counted "Bench.Program.Main.lambda#1(int)" 20 20 same
check "calls before and after: the second lambda" counted "Bench.Program.Main.lambda#2(int)" 20 20 same
check "exceptions: Load" eval 'counted "Bench.Program.Load(int)" 20 20 same && grep -q "\"exceptions\": {\"verdict\": \"more\", \"before\": 0, \"after\": 10," line'
if has python3; then
    check "python reads the JSON" python3 -c 'import json; d = json.load(open("compared.json")); assert d["before"]["runs"] == 3 and d["noise"]["exclusive"] >= 0'
else
    skip "python reads the JSON" "python3 is not installed"
fi
check "Markdown has a table" eval "run 0 diff --format=markdown $before -- $after && shows '^#### Slower' && shows '^\\| [0-9.]+ .*Bench.Program.Spin'"
# Names that a forge would make mentions, links and markup of; a rule of its own reads the code spans away (CommonMark 6.1, and GFM 4.10 for cells).
odd_names() { # WHAT: the methods that are called
    printf '.assembly extern mscorlib {}\n.assembly Odd {}\n.class public Odd extends [mscorlib]System.Object\n{\n'
    printf "  .method static void '%s'() cil managed { ret }\n" '@team/all' 'http://ex' 'a`b`' '``' 'x|y' 'Größe' '#12' '<img src=x>' '*b*'
    printf '  .method static void Main() cil managed {\n    .entrypoint\n'
    [ "$1" = none ] || printf "    call void Odd::'%s'()\n" '@team/all' 'http://ex' 'a`b`' '``' 'x|y' 'Größe' '#12' '<img src=x>' '*b*'
    printf '    ret\n  }\n}\n'
}
odd_profile() { odd_names "$1" >"odd$1.il" && ilasm -quiet -output:Odd.exe "odd$1.il" && "$ILINJECT" -q Odd.exe -o odd/ && (cd odd && mono Odd.exe) && mv odd/Odd.ilprof "odd$1.ilprof"; }
cat >spans.py <<'END'
import re, sys
text, shown = open(sys.argv[1], encoding="utf-8").read(), []
def span(m):
    inner = m.group(2).replace("\n", " ").replace("\\|", "|")
    if inner[0] == " " == inner[-1] and inner.strip():
        inner = inner[1:-1]
    shown.append(inner)
    return "code"
rest = re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", span, text)
for line in rest.split("\n"):
    assert not line.startswith("| ") or line.count("|") - line.count("\\|") in (4, 7), line
assert not re.search(r"[@`<]|www|#\d|http|\*b", rest), rest
for name in ["@team/all", "http://ex", "a`b`", "``", "x|y", "Gr\u00f6\u00dfe", "#12", "<img src=x>", "*b*"]:
    assert any(("Odd." + name if sys.argv[2] == "method" else name) in s for s in shown), (name, shown)
END
odd_markdown() { odd_profile none && odd_profile all && for by in method path; do run 0 diff --format=markdown --by=$by --top=0 oddnone.ilprof oddall.ilprof && python3 spans.py out $by || { cat out; return 1; }; done; }
odd_gate() { run 4 diff --format=markdown --fail-if '**.@team: calls > +0' oddnone.ilprof oddall.ilprof && shows '^- `.*@team.*`: \*\*failed'; }
if has ilasm && has python3; then
    check "in Markdown names are code, whatever they hold, and letters are themselves" odd_markdown
    check "and so are conditions" odd_gate
else
    skip "in Markdown names are code" "no ilasm or no python3"
fi
check "paths are compared" eval "run 0 diff --by=path --width=0 $before -- $after && shows 'Main > Parse > Bench.Program.Spin\\(int\\)'"
check "a build and itself: nothing is new, gone or slower" eval "run 0 diff old1.ilprof old1.ilprof && shows '0 slower, 0 faster, 0 new, 0 gone'"
check "one run a side: noise is not known" eval "run 0 diff old1.ilprof new1.ilprof && shows '^Noise    not known: one run a side'"
check "the comparison goes to a file" eval "run 0 diff old1.ilprof new1.ilprof -o report.md --format=markdown && test ! -s out && grep -q 'Profile comparison' report.md"
check "lists of names" eval "printf '%s\n' $before >a; run 0 diff @a -- $after && shows 'Before   3 runs'"
"$ILINJECT" merge $before -o old.ilprof
check "a merged profile is the mean of its runs" eval "run 0 diff --json old.ilprof new1.ilprof && grep -F '\"name\": \"Bench.Program.Visit(int)\"' out | grep -q '\"before\": 20, \"after\": 40'"

# ---- Gates -----------------------------------------------------------------------------------------------------------

check "a regression fails the build and names the method" eval "run 4 diff --fail-if 'Bench.*: exclusive > +10%' $before -- $after &&
    says '^--fail-if: error ILJ0608: Bench.Program.Spin\\(int\\): .* -> .* \\((\\+[0-9]+ %|x[0-9.]+)\\): Bench\\.\\*: exclusive > \\+10%\$' && shows 'failed for'"
check "so do calls" eval "run 4 diff --fail-if 'Bench.Program.*: calls > +10%' $before -- $after && test \"\$(wc -l <err)\" -eq 1 && says 'Visit\\(int\\): 20 -> 40 \\(\\+100 %\\)'"
check "so do exceptions" eval "run 4 diff --fail-if '**: exceptions > +5' $before -- $after && says 'Load\\(int\\): 0 -> 10: '"
check "so does inclusive time" eval "run 4 diff --fail-if 'Bench.Program.Parse: inclusive > +50%' $before -- $after && says 'Parse\\(\\)'"
check "a new method counts from 0" eval "run 4 diff --fail-if '**.Added: calls > +19' $before -- $after && says 'Added\\(int\\): 0 -> 20: '"
check "but has no percentage" eval "run 0 diff --fail-if '**.Added: calls > +10%' $before -- $after && silent && shows 'Added: calls > \\+10%: passed'"
check "a limit that is not reached passes" eval "run 0 diff --fail-if 'Bench.Program.V*: calls > +20' --fail-if 'Bench.Program.Visit: calls > +100%' $before -- $after && silent"
check "a value is what there is after" eval "run 4 diff --fail-if '**.Removed: calls > 0' --fail-if '**.Visit: calls > 39' $before -- $after && test \"\$(wc -l <err)\" -eq 1"
check "a pattern names what it stands for alone" eval "run 0 diff --allow-missing --fail-if '[Other]**: calls > 0' --fail-if 'Benc: calls > 0' --fail-if '**.Visit(string): calls > 0' $before -- $after &&
    test \"\$(grep -c '^--fail-if: warning ILJ0611: ' err)\" -eq 3 -a \"\$(wc -l <err)\" -eq 3"
check "assembly and parameters are matched" eval "run 4 diff --fail-if '[Regress]Bench.Program.Visit(int): calls > +0' $before -- $after && test \"\$(wc -l <err)\" -eq 1"
check "of several conditions one is enough" eval "run 4 diff --fail-if 'Bench: calls > +100' --fail-if '**.Visit: calls > +0' $before -- $after && shows 'calls > \\+100: passed' && shows 'failed for 1 method'"
check "the same build passes gates on counts" eval "run 0 diff --fail-if '**: calls > +0' --fail-if '**: exceptions > +0' old1.ilprof old2.ilprof -- old3.ilprof && silent"
check "a gate on time says when noise is not known" eval "run 4 diff --fail-if '**.Spin: exclusive > +50%' old1.ilprof new1.ilprof && says 'noise is not known'"

# ---- Gates that name no method -----------------------------------------------------------------------------------------

check "a gate that names no method fails, in one line" eval "run 4 diff --fail-if '**.Vist: calls > +0' old1.ilprof old2.ilprof &&
    says '^--fail-if: error ILJ0609: the pattern names no method .*\\*\\*\\.Vist: calls > \\+0\$' && test \"\$(wc -l <err)\" -eq 1 && shows 'Vist: calls > .*: failed, it names no method'"
check "also when other gates pass" eval "run 4 diff --fail-if '**.Visit: calls > +0' --fail-if '**.Vist: calls > +0' old1.ilprof old2.ilprof && test \"\$(wc -l <err)\" -eq 1"
check "with --allow-missing it warns and passes" eval "run 0 diff --allow-missing --fail-if '**.Vist: calls > +0' old1.ilprof old2.ilprof &&
    says '^--fail-if: warning ILJ0611: .*\\*\\*\\.Vist' && shows 'Vist: calls > .*: not judged, it names no method'"
check "and the other gates are judged" eval "run 4 diff --allow-missing --fail-if '**.Vist: calls > +0' --fail-if '**.Visit: calls > +0' $before -- $after && says ILJ0608 && says ILJ0611"
check "a method that is only before is one" eval "run 0 diff --fail-if '**.Removed: calls > +0' $before -- $after && silent"
check "so is one that is only after" eval "run 0 diff --fail-if '**.Added(int): calls > 20' $before -- $after && silent"
check "JSON has how many a gate names" eval "run 4 diff --json --fail-if '**.Vist: calls > +0' --fail-if '**.Visit: calls > +0' $before -- $after &&
    shows '\"fail_if\": \\[\\{\"condition\": \"\\*\\*.Vist: calls > \\+0\", \"named\": 0, \"methods\": 0\\}, \\{\"condition\": \"\\*\\*.Visit: calls > \\+0\", \"named\": 1, \"methods\": 1\\}\\]'"
check "Markdown has the gate that names none in bold" eval "run 4 diff --format=markdown --fail-if '**.Vist: calls > +0' old1.ilprof old2.ilprof && shows '\\*\\*failed, it names no method\\*\\*'"

# ---- Limits that are joined: Visit is called 20 times before, 40 times after -----------------------------------------------

check "both limits are exceeded: it holds" eval "run 4 diff --fail-if '**.Visit: calls > +10% and +19' $before -- $after && says ': \\*\\*.Visit: calls > \\+10% and \\+19\$'"
check "only the percentage is: it passes" eval "run 0 diff --fail-if '**.Visit: calls > +10% and +20' $before -- $after && silent"
check "only the count is: it passes" eval "run 0 diff --fail-if '**.Visit: calls > +100% and +5' $before -- $after && silent"
check "a new method has no percentage here, either" eval "run 0 diff --fail-if '**.Added: calls > +10% and +5' $before -- $after && silent"
check "times are joined" eval "run 4 diff --fail-if '**.Spin: exclusive > +10% and +10us' $before -- $after && says Spin && run 0 diff --fail-if '**.Spin: exclusive > +10% and +900s' $before -- $after && silent"

# ---- Options behind -- -----------------------------------------------------------------------------------------------------

check "options may stand behind the names after" eval "run 0 diff $before -- $after --json && shows '\"fail_if\"'"
check "and a wrong one is told there, too" eval "run 2 diff $before -- $after --widht=3 && says 'unknown option --widht; did you mean --width'"
check "behind a second -- all are names" eval "cp new1.ilprof ./--json; run 0 diff old1.ilprof -- new1.ilprof -- --json && shows '^After .* 2 runs'; rm ./--json"

check "a profile that is torn is one line" eval 'head -c 200 old1.ilprof >torn; run 1 diff torn new1.ilprof && says "^torn: error ILJ0601" && test ! -s out -a "$(wc -l <err)" -eq 1'
finish
