#!/usr/bin/env bash
# tests/run itself, over a tree of suites that fail in every way there is: each fault counts once,
# hanging suites and what they have started end, suites run side by side and in the order that was
# asked for.
. "$(dirname "$0")/../../lib.sh"
mkdir -p "$SCRATCH"/tree/tests/{fake,data} "$SCRATCH"/tree/build/tests/unit && cd "$SCRATCH/tree" || exit 1
cp "$ROOT/tests/run" "$ROOT/tests/lib.sh" "$ROOT/tests/kit.py" tests/
unset BUILD ILINJECT

suite() { # NAME: its commands are on standard input
    { echo '#!/usr/bin/env bash' && cat; } >"tests/fake/suite-$1.sh" && chmod +x "tests/fake/suite-$1.sh"
}
fresh() { rm -rf tests/fake/* tests/data/longest build/tests/unit/*; }
runs() { # EXIT-VALUE ARGUMENTS…: what it prints goes to `said`, without times
    local wanted=$1 got
    shift
    timeout 300 tests/run "$@" >said 2>err
    got=$?
    cp said said.times
    sed -i 's/ ([0-9]*\.[0-9] s, processor [0-9]*\.[0-9] s)$//' said
    [ "$got" -eq "$wanted" ] && { [ ! -s err ] || [ "${noisy:-}" ]; } || { echo "exit value $got"; cat said err; return 1; }
}
has_line() { grep -q -x -e "$1" said || { cat said; return 1; }; }
sum_is() { [ "$(tail -n 1 said)" = "$1" ] || { cat said; return 1; }; }

# ---- The end of a suite, as it is counted -----------------------------------------------------------------------------

passing() {
    fresh
    suite good <<<'echo "ok: a"; echo "skipped: b: no tool"; echo "1 passed, 0 failed, 1 skipped"'
    suite full-long <<<$'# level: full\necho "1 passed, 0 failed, 0 skipped"'
    echo 'exit 1' >tests/fake/suite-no-program.sh
    runs 0 && has_line 'fake/good: *1 passed, 0 failed, 1 skipped' && has_line 'skipped: b: no tool' && sum_is '1 passed, 0 failed, 1 skipped' &&
        runs 0 --full && sum_is '2 passed, 0 failed, 1 skipped' && runs 0 --full --only long && sum_is '1 passed, 0 failed, 0 skipped'
}
failing() {
    fresh
    suite bad <<<'echo "ok: a"; echo "FAILED: b"; echo "    because"; echo "1 passed, 1 failed, 0 skipped"; exit 1'
    suite good <<<'echo "4 passed, 0 failed, 0 skipped"'
    runs 1 && has_line 'fake/bad: *1 passed, 1 failed, 0 skipped' && has_line '    | FAILED: b' && has_line 'FAILED: b' && sum_is '5 passed, 1 failed, 0 skipped'
}
counts_as_failed() { # its suite is on standard input
    fresh
    suite odd
    suite good <<<'echo "4 passed, 0 failed, 0 skipped"'
    runs 1 "$@" && sum_is '4 passed, 1 failed, 0 skipped'
}
unit_program() {
    fresh
    cat >unit.c <<'C'
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
static void passes(void **state) { (void)state; assert_true(1); }
static void fails(void **state) { (void)state; assert_true(0); }
static void skips(void **state) { (void)state; skip(); }
int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(passes), cmocka_unit_test(fails), cmocka_unit_test(skips), cmocka_unit_test(passes)};
    const struct CMUnitTest more[] = {cmocka_unit_test(fails), cmocka_unit_test(passes)};
    return cmocka_run_group_tests(all, NULL, NULL) + cmocka_run_group_tests(more, NULL, NULL);
}
C
    gcc -o build/tests/unit/test_odd unit.c -lcmocka && runs 1 && has_line 'unit/odd: *3 passed, 2 failed, 1 skipped' && sum_is '3 passed, 2 failed, 1 skipped'
}
check "suites that pass are added up; only programs are suites, and full ones run when asked for" passing
check "what failed is counted, and told once more at the end" failing
check "a suite that fails behind its closing line has failed" counts_as_failed <<<'echo "0 passed, 0 failed, 0 skipped"; exit 3'
check "so has one without a closing line" counts_as_failed <<<'echo "ok: a"'
check "and one that ran nothing" counts_as_failed <<<'echo "0 passed, 0 failed, 0 skipped"'
# The shell of the runner says so.
noisy=1 check "and one whose shell is killed, with what runs it" counts_as_failed <<<'for pid in $(cut -d " " -f 4 /proc/$PPID/stat) $PPID $$; do kill -KILL $pid; done'
check "which is told" has_line "killed from outside"
if has gcc && printf '#include <%s.h>\n' stdarg stddef stdint setjmp cmocka | gcc -x c -fsyntax-only - 2>/dev/null; then
    check "each test of a unit program counts once, in whatever group" unit_program
else
    skip "each test of a unit program counts once" "gcc or cmocka is not installed"
fi

# ---- Some of them -----------------------------------------------------------------------------------------------------

by_name() {
    fresh
    for name in ab abc abcd; do suite "$name" <<<"echo '1 passed, 0 failed, 0 skipped'"; done
    runs 0 --only fake/abc && sum_is '1 passed, 0 failed, 0 skipped' && has_line 'fake/abc: *1 passed, 0 failed, 0 skipped' &&
        runs 0 --only abc && sum_is '2 passed, 0 failed, 0 skipped' && runs 0 --only fake/ && sum_is '3 passed, 0 failed, 0 skipped'
}
quick() {
    fresh
    for name in a b c; do suite "$name" <<<"echo '1 passed, 0 failed, 0 skipped'"; done
    printf '#!/bin/sh\necho "3 passed, 0 failed, 0 skipped"\n' >build/tests/unit/test_z && chmod +x build/tests/unit/test_z
    printf '# short\nfake/a\nfake/c\n' >tests/data/quick
    runs 0 --quick && sum_is '5 passed, 0 failed, 0 skipped' && ! grep -q fake/b said && grep -q -x '3 suites in [0-9]*\.[0-9] s, processor [0-9]* s, [0-9]* at a time' said.times
}
# The second check needs what the first one leaves, the third one would spoil it.
three='. tests/lib.sh; check "a door" touch "$SCRATCH/door"; check "the door opens" test -e "$SCRATCH/door"
    check "no window" false; check "the door opens twice" test -e "$SCRATCH/door"; skip "a door in the snow" "it is summer"; finish'
by_sentence() {
    fresh
    suite three <<<"$three"
    suite other <<<'. tests/lib.sh; check "a roof" true; finish'
    runs 0 --check 'door opens' && sum_is '2 passed, 0 failed, 0 skipped' && ! grep -q other said &&
        CHECK='in the snow' runs 0 && sum_is '0 passed, 0 failed, 1 skipped' &&
        runs 1 --check window && has_line '    | FAILED: no window' && sum_is '0 passed, 1 failed, 0 skipped'
}
no_such_check() {
    noisy=1 runs 1 --check chimney && sum_is '0 passed, 1 failed, 0 skipped' && grep -q -x "no check's sentence contains 'chimney'" err
}
ends_too_early() { # a suite that does not come to its end has failed, whatever was asked for
    fresh
    suite early <<<'. tests/lib.sh; exit 1'
    runs 1 --check door && sum_is '0 passed, 1 failed, 0 skipped'
}
by_itself() {
    fresh
    suite three <<<"$three"
    CHECK=twice tests/fake/suite-three.sh >said || return 1
    printf '%s\n' 'ok: the door opens twice' '1 passed, 0 failed, 0 skipped' | diff - <(grep -v '^not counted' said) || return 1
    ! CHECK=chimney tests/fake/suite-three.sh >said && has_line "no check's sentence contains 'chimney'"
}
are_there() { # LIST
    local name
    grep '^[^#]' "$1" | while read -r name; do
        { compgen -G "$ROOT/tests/${name%/*}/suite-${name#*/}.*" || compgen -G "$ROOT/tests/${name%/*}/*/suite-${name#*/}.*"; } >/dev/null || { echo "$name"; exit 1; }
    done
}
check "a whole name is one suite, a part of one all that have it" by_name
check "--quick runs unit programs and the suites that are listed, and says how long it took" quick
check "each suite that is listed as quick is there" are_there "$ROOT/tests/data/quick"
check "a check runs by its sentence, behind those that it may need" by_sentence
check "a sentence that no check has is a failure" no_such_check
check "a suite that ends too early has failed, whatever was asked for" ends_too_early
check "one check of a suite that is run by itself" by_itself

# ---- In Python --------------------------------------------------------------------------------------------------------

python_suite() { # NAME: its code is on standard input
    { printf '#!/usr/bin/env -S python3 -B\nimport sys\nsys.path[0] += "/.."\nfrom kit import *\n' && cat; } >"tests/fake/suite-$1.py"
    chmod +x "tests/fake/suite-$1.py"
}
python_counts() {
    fresh
    python_suite good <<<'check("a", true, 1); skip("b", "no tool"); finish()'
    python_suite bad <<<'check("a", true, 1); check("b", equal, [1, 2], [1, 3]); check("c", lambda: none); finish()'
    python_suite early <<<'check("a", true, 1)'
    runs 1 && has_line 'fake/good: *1 passed, 0 failed, 1 skipped' && has_line 'skipped: b: no tool' &&
        has_line 'fake/bad: *1 passed, 2 failed, 0 skipped' && has_line '    | FAILED: b' && has_line '    |     -3' && has_line '    |     +2' &&
        has_line "    |     NameError: name 'none' is not defined" && has_line 'fake/early: *0 passed, 1 failed, 0 skipped' &&
        sum_is '2 passed, 3 failed, 1 skipped'
}
# Each is wrong in one way; beside it the right one.
python_commands() {
    fresh
    python_suite right <<<'check("a", command, "true"); check("b", lambda: command("sh -c '"'echo x; echo y >&2; kill -9 \$\$'"'", status=137)
    .shows("x", like("^x$")).says("y", lines=1).lacks("z")); check("c", fails, "false"); check("d", within, 9, lambda: 1)
write("one", "1"); write("two", "2"); check("e", differ, "one", "two"); check("f", same, "one", "one"); finish()'
    python_suite wrong <<<'said = command("sh -c '"'echo x; echo y >&2'"'"); write("one", "1"); write("two", "2")
for wrong in (lambda: command("false"), lambda: command("true", status=1), lambda: said.shows("y"), lambda: said.says("x"),
              lambda: said.says(lines=2), lambda: said.lacks("x"), said.silent, lambda: fails("true"), lambda: same("one", "two"),
              lambda: differ("one", "one"), lambda: within(0, lambda: 0), lambda: equal(1, 2), lambda: command("sleep 9", seconds=0.1)):
    check("a", wrong)
finish()'
    runs 1 && has_line 'fake/right: *6 passed, 0 failed, 0 skipped' && has_line 'fake/wrong: *0 passed, 13 failed, 0 skipped'
}
python_by_sentence() {
    fresh
    python_suite three <<<'door = scratch() / "door"; check("a door", door.touch)
check("the door opens", door.stat); check("no window", true, 0)
check("the door opens twice", door.unlink)
skip("a door in the snow", "it is summer"); finish()'
    runs 0 --check 'door opens' && sum_is '2 passed, 0 failed, 0 skipped' && CHECK='in the snow' runs 0 && sum_is '0 passed, 0 failed, 1 skipped' &&
        runs 1 --check window && has_line '    | FAILED: no window' && noisy=1 runs 1 --check chimney && sum_is '0 passed, 1 failed, 0 skipped'
}
python_lacking() { # between its checks, or in a half
    fresh
    python_suite lacking <<<'check("a door", true, 1); check("a key", write, "key", "x"); read("key"); check("a door with it", read, "key"); finish()'
    python_suite halved <<<'def half(runtime):
    check(f"a door {runtime}", true, 1); check("a key", write, "key", "x"); read("key"); check("a door with it", read, "key")
halves(half); finish()'
    mkdir -p scratch && TMPDIR=$PWD/scratch runs 0 --check 'a door' && has_line 'fake/lacking: *2 passed, 0 failed, 0 skipped' &&
        has_line 'fake/halved: *4 passed, 0 failed, 0 skipped' && [ -z "$(ls scratch)" ]
}
python_halves() {
    fresh
    python_suite halves <<<'write("both", "x")
def half(runtime):
    check(f"{runtime} has its copy", same, "both", "both"); write("both", runtime); check(f"{runtime} writes", lambda: equal(read("both"), runtime))
    true(runtime == "mono", "early")
halves(half, lambda: check("and the rest", lambda: equal(read("both"), "x"))); check("the whole stays", lambda: equal(read("both"), "x")); finish()'
    runs 1 && has_line 'fake/halves: *4 passed, 1 failed, 0 skipped' && has_line '    | FAILED: the half of dotnet ended too early'
}
python_ended() {
    local pid
    rm -rf pids scratch
    fresh
    mkdir scratch
    python_suite hangs <<<'write(f"{ROOT}/pids", f"{os.getpid()}\n"); command("sleep 600")'
    TMPDIR=$PWD/scratch tests/run >said 2>&1 &
    pid=$!
    within 100 test -s pids && kill -TERM "$pid"
    wait "$pid"
    [ $? -eq 143 ] && within 60 eval '! kill -0 $(cat pids) 2>/dev/null' && [ -z "$(ls scratch)" ] || { ls scratch; return 1; }
}
narrow() {
    find "$ROOT/tests" \( -name 'suite-*.py' -o -name kit.py -o -name images.py -o -path '*/refusals/*' \) -type f -exec grep -H -n -E '^.{121}' {} + >wide
    [ ! -s wide ] || { cut -c 1-200 wide; return 1; }
}
check "no line of suites in Python, of their kit and of messages has more than 120 columns" narrow
if has python3; then
    check "a suite in Python is counted as one in bash is; an error in it is a failure" python_counts
    check "what its commands end with and say is compared" python_commands
    check "its checks are chosen by their sentences" python_by_sentence
    check "one that lacks what a check leaves that was left out begins again, and does all" python_lacking
    check "its halves do not see each other, and one that does not come to its end has failed" python_halves
    check "its scratch folder goes when it is ended" python_ended
else
    skip "a suite in Python is counted as one in bash is" "python3 is not installed"
fi

# ---- Suites that hang, a run that is ended ----------------------------------------------------------------------------

# It and what it has started: in its own process group, in another one, and after its back.
hangs='echo $$ >>pids; sleep 600 & echo $! >>pids; timeout 600 sh -c "echo \$\$ >>pids; sleep 600" & (trap "" TERM; echo $BASHPID >>pids; exec sleep 600) & '
none_is_left() {
    local pid
    [ "$(wc -l <pids)" -eq 4 ] || { cat pids; return 1; }
    for pid in $(cat pids); do
        ! grep -q -s -v '^State:.*Z' <(grep '^State:' "/proc/$pid/status" 2>/dev/null) || { cat "/proc/$pid/status"; return 1; }
    done
}
hanging() {
    rm -f pids
    counts_as_failed --limit 15 <<<"$hangs echo FAILED: a; wait" && has_line 'still at it after 15 s: ended' && within 60 none_is_left
}
leaving() { # what a suite leaves behind it ends, too
    rm -f pids
    fresh
    suite leaves <<<"$hangs while [ \$(wc -l <pids) -lt 4 ]; do sleep 0.1; done; echo '1 passed, 0 failed, 0 skipped'"
    runs 0 && within 60 none_is_left
}
started() { [ -s pids ] && [ "$(wc -l <pids)" -eq 4 ] && [ -n "$(ls scratch)" ]; }
ended() { # SIGNAL EXIT-VALUE
    local pid got
    rm -rf pids scratch
    fresh
    mkdir scratch
    suite hangs <<<". tests/lib.sh; $hangs wait"
    TMPDIR=$PWD/scratch env --default-signal=INT tests/run >said 2>&1 &
    pid=$!
    within 100 started && kill "-$1" "$pid"
    wait "$pid"
    got=$?
    [ "$got" -eq "$2" ] && within 60 none_is_left && [ ! -s said ] && [ -z "$(ls scratch)" ] || { echo "exit value $got"; cat said; ls scratch; return 1; }
}
interruptible() { # as in the foreground, which a background job of a shell is not
    fresh
    suite signals <<<'bash -c "kill -INT \$\$; echo alive" | grep alive && echo "0 passed, 1 failed, 0 skipped" || echo "1 passed, 0 failed, 0 skipped"'
    runs 0
}
check "a suite that hangs is ended with all that it has started, and has failed" hanging
check "what a suite leaves running is ended" leaving
check "SIGTERM ends the suites, their scratch folders and what they have started" ended TERM 143
check "so does SIGINT" ended INT 130
check "SIGINT ends what a suite starts, as usual" interruptible

# ---- Side by side -----------------------------------------------------------------------------------------------------

two() { # that wait for each other
    local one
    fresh
    rm -f left right
    for one in "left right" "right left"; do
        suite "${one% *}" <<<". tests/lib.sh; touch ${one% *}; check both within \${PATIENCE:-100} test -e ${one#* }; finish"
    done
    runs "$@"
}
by_order() {
    local name
    fresh
    for name in a b c d; do suite $name <<<"echo '1 passed, 0 failed, 0 skipped'"; done
    printf '#!/bin/sh\necho "1 passed, 0 failed, 0 skipped"\n' >build/tests/unit/test_z && chmod +x build/tests/unit/test_z
    printf '# most time first\nfake/d\nfake/missing\nfake/b\n' >tests/data/longest
    runs 0 --jobs 1 && diff <(printf '%s\n' unit/z: fake/d: fake/b: fake/a: fake/c:) <(grep -o '^[a-z]*/[a-z]*:' said)
}
# The failure waits for the suite beside it; its folder and processes have to be gone in the end.
first_failure() {
    local was=$PWD/begun
    rm -rf pids scratch begun
    fresh
    mkdir scratch
    suite b-hangs <<<". tests/lib.sh; $hangs wait"
    suite a-fails <<<". tests/lib.sh; check good within 100 eval '[ \"\$(wc -l <\"$PWD/pids\")\" -eq 4 ]'; check bad false; finish"
    suite c-later <<<"touch $was; echo '1 passed, 0 failed, 0 skipped'"
    TMPDIR=$PWD/scratch runs 1 --jobs 2 --fail-fast && within 60 none_is_left && [ ! -e begun ] && [ -z "$(ls scratch)" ] &&
        has_line 'fake/a-fails: *1 passed, 1 failed, 0 skipped' && has_line 'stopped at the first failure; without their results: 2 suites' &&
        has_line 'FAILED: bad' && sum_is '1 passed, 1 failed, 0 skipped'
}
without_failure() {
    fresh
    suite good <<<'echo "4 passed, 0 failed, 0 skipped"'
    runs 0 --fail-fast && sum_is '4 passed, 0 failed, 0 skipped' && ! grep stopped said
}
refuses() { # EXIT-VALUE TEXT ARGUMENTS…
    local wanted=$1 text=$2 got
    shift 2
    tests/run "$@" >said 2>err
    got=$?
    [ "$got" -eq "$wanted" ] && [ ! -s said ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -F -e "$text" err || { echo "exit value $got"; cat said err; return 1; }
}
by_processors() { # PROCESSORS JOBS: `nproc` is a stand-in
    fresh
    suite good <<<'echo "1 passed, 0 failed, 0 skipped"'
    mkdir -p tools && printf '#!/bin/sh\necho %s\n' "$1" >tools/nproc && chmod +x tools/nproc
    PATH=$PWD/tools:$PATH runs 0 && grep -q "^1 suites in [0-9.]* s, processor [0-9]* s, $2 at a time$" said.times || { cat said.times; return 1; }
}
check "one processor runs two suites at a time" by_processors 1 2
check "two run three" by_processors 2 3
check "64 run eight" by_processors 64 8
check "two at a time wait for each other" two 0 --jobs 2
check "one at a time do not" eval 'PATIENCE=1 two 1 --jobs 1 && sum_is "1 passed, 1 failed, 0 skipped"'
check "unit programs come first, then the longest suites as they are listed, then the others" by_order
check "with --fail-fast the first failure ends those beside it, and none begins any more" first_failure
check "without a failure it changes nothing" without_failure
# The suite fails at its first try; `fake/bad` fails at both.
again() {
    fresh
    suite good <<<'echo "4 passed, 0 failed, 0 skipped"'
    suite flaky <<<$'[ -e been ] && { echo "3 passed, 0 failed, 0 skipped"; exit 0; }\ntouch been; echo "FAILED: x"; echo "2 passed, 1 failed, 0 skipped"; exit 1'
    rm -f been && runs 1 && sum_is '6 passed, 1 failed, 0 skipped' &&
        rm -f been && runs 0 --again && sum_is '7 passed, 0 failed, 0 skipped' && has_line 'once more, alone: fake/flaky' &&
        has_line 'passed only at the second try, alone: fake/flaky' && grep -q 'FAILED: x' build/tests/logs/fake-flaky.first.log
}
again_fails() {
    suite bad <<<'echo "FAILED: b"; echo "1 passed, 1 failed, 0 skipped"; exit 1'
    rm -f been && runs 1 --again && sum_is '8 passed, 1 failed, 0 skipped' && has_line 'fake/bad:' && has_line 'FAILED: b'
    for name in b c d; do cp tests/fake/suite-bad.sh "tests/fake/suite-bad-$name.sh"; done
    rm -f been && runs 1 --again && sum_is '10 passed, 5 failed, 0 skipped' && ! grep -q 'once more' said
}
check "with --again a suite that failed runs a second time, alone; the second try counts, and is named" again
check "one that fails twice has failed; more than three are not tried again" again_fails
for count in 0 x -1 ''; do check "'$count' suites at a time is wrong usage" refuses 2 usage --jobs "$count"; done
check "a name that no suite has is told" refuses 1 "no suite's name contains 'nowhere'" --only nowhere
check "each suite that is listed as long is there" are_there "$ROOT/tests/data/longest"

# ---- Mutations --------------------------------------------------------------------------------------------------------

# Each is one line of a file with one change; the seed alone decides which. All files are looked at in make check-full.
listed_mutants() { "$ROOT/tests/mutate" --list --seed "$1" --count 40 "${few[@]}"; }
few=(--files 'src/select/*.c' 'runtime-tracker/Host/*.cs')
[ -z "$FULL" ] || few=()
chosen_mutants() {
    listed_mutants 5 >one && listed_mutants 5 | diff one - &&
        listed_mutants 6 >other && [ "$(wc -l <one)" -eq 40 ] && ! cmp -s one other || return 1
    local place file line old new first
    while read -r place old; do
        file=${place%%:*} line=${place#*:} line=${line%:} new=${old#*  =>  } old=${old%%  =>  *}
        # A statement that goes on in the next line is shown as one.
        first=$(sed -n "${line}p" "$ROOT/$file" | tr -s ' \t' ' ' | sed 's/^ //; s/ $//')
        [ "$old" != "$new" ] && [ "$first" ] && [[ "$old" == "$first" || ( "$old" == "$first "* && "$new" == "return 0;" ) ]] || { echo "$place $old"; return 1; }
    done <one
    "$ROOT/tests/mutate" --list --files src/report/print/format.c --seed 5 --count 3 >one && [ "$(grep -c '^src/report/print/format.c:' one)" -eq 3 ]
}
named_equals() { # each of them still is a line of its file, and has a reason
    local file old new reason
    grep -v '^#' "$ROOT/tests/data/mutants-equal" | while IFS=$'\t' read -r file old new reason; do
        [ "$reason" ] && [ "$old" != "$new" ] && tr -s ' \t' ' ' <"$ROOT/$file" | sed 's/^ //' | grep -q -x -F -e "$old" || { echo "$file: $old"; exit 1; }
    done
}
# Each has another content, and is soon gone: a name that is written twice, a file that takes its place, one in a new folder.
kept_profiles() {
    rm -rf "$SCRATCH/w" "$SCRATCH/kept"
    mkdir "$SCRATCH/w" && ("$ROOT/tests/keep-profiles" "$SCRATCH/w" "$SCRATCH/kept" &)
    within 60 test -e "$SCRATCH/kept/ready" || return
    (cd "$SCRATCH/w" && echo 1 >a.ilprof && echo 2 >b && mv b a.ilprof && mkdir -p c/d && echo 3 >c/d/e.ilprof &&
        rm -r c && echo 4 >other.txt && touch .end)
    within 60 test -e "$SCRATCH/kept/ended" && diff <(printf '%s\n' 1 2 3) <(cat "$SCRATCH"/kept/*.ilprof) &&
        grep -qx '0 were above 4 MB, 0 gone too soon' "$SCRATCH/kept/ended"
}
# Only who runs before others is sure to see them.
if has python3 && python3 -c 'import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))' 2>/dev/null; then
    check "each profile that a suite writes is kept" kept_profiles
else
    skip "each profile that a suite writes is kept" "no python3, or not allowed to run before others"
fi

if has python3 && is_checkout; then
    check "a seed chooses the mutants, each one change in one line" chosen_mutants
    check "those that no test can see are lines of the tree, with a reason" named_equals
else
    skip "a seed chooses the mutants" "python3 or git is missing"
fi
finish
