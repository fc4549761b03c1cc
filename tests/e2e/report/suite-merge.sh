#!/usr/bin/env bash
# Profiles of real runs, folded in many ways: the same bytes each time, and the report of the files given together.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1

# A command that has to end with a status; its outputs are in `out` and `err`.
run() { # STATUS ARGUMENTS…
    local expected=$1 status
    shift
    "$ILINJECT" "$@" >out 2>err
    status=$?
    [ "$status" -eq "$expected" ] && return
    echo "exit $status, not $expected"
    cat out err
    return 1
}
says() { grep -q -e "$1" err || { cat err; return 1; }; }

check "merge without an output is refused" eval 'run 2 merge a.ilprof && says "no output"'
check "merge of nothing is refused" eval 'run 2 merge -o x && says "no profile is given"'
check "an empty list is told" eval ': >list; run 1 merge @list -o x && says "the lists are empty"'
check "a list that is missing is told" eval 'run 1 merge @nowhere -o x && says "nowhere cannot be read: No such file"'
check "what is no profile is told" eval 'echo hello >hello; run 1 merge hello -o x && says "^hello: error ILJ0600"'
check "failures leave nothing" test ! -e x

if ! has mcs || ! has mono; then
    skip "runs of a program are merged" "mono is not installed"
    finish
fi

mcs -nologo -out:Shop.exe "$ROOT/fixtures/cs/Shop.cs" || exit 1
mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" || exit 1
check "the programs are instrumented" "$ILINJECT" Shop.exe Demo.exe -o bin/
profiles=()
for i in 1 2 3 4 5 6; do
    program=Shop
    [ "$i" -gt 4 ] && program=Demo
    ILINJECT_OUT=$SCRATCH/$i.ilprof mono bin/$program.exe >said 2>&1 || { cat said; exit 1; }
    profiles+=("$i.ilprof")
done

check "six runs are merged" run 0 merge "${profiles[@]}" -o all.ilprof
check "the other way round the bytes are the same" eval \
    'run 0 merge 6.ilprof 5.ilprof 4.ilprof 3.ilprof 2.ilprof 1.ilprof -o x.ilprof && cmp all.ilprof x.ilprof'
check "merging a merged one again changes nothing" eval 'run 0 merge all.ilprof -o x.ilprof && cmp all.ilprof x.ilprof'
check "(1+(2+3)) + ((4+5)+6) is the same" eval 'run 0 merge 2.ilprof 3.ilprof -o 23 && run 0 merge 1.ilprof 23 -o 123 &&
    run 0 merge 4.ilprof 5.ilprof -o 45 && run 0 merge 45 6.ilprof -o 456 && run 0 merge 123 456 -o x.ilprof && cmp all.ilprof x.ilprof'
folded() { # each worker of xargs folds two, the last line of a shell the rest
    printf '%s\n' "${profiles[@]}" | xargs -P 3 -n 2 sh -c '"$0" merge "$@" -o "part-$1"' "$ILINJECT" &&
        run 0 merge part-* -o x.ilprof && cmp all.ilprof x.ilprof
}
check "parts that workers have merged give the same" folded
one_by_one() {
    cp 3.ilprof sum
    for i in 6 1 5 2 4; do run 0 merge sum "$i.ilprof" -o sum || return 1; done
    cmp all.ilprof sum
}
check "an output that is an input, too, grows run by run" one_by_one

check "a list of names" eval 'printf "%s\n" "${profiles[@]}" >list; run 0 merge @list -o x.ilprof && cmp all.ilprof x.ilprof'
check "a list on standard input" eval 'printf "%s\n" "${profiles[@]}" | run 0 merge @- -o x.ilprof && cmp all.ilprof x.ilprof'
check "a list with zero bytes" eval 'printf "%s\0" "${profiles[@]}" | run 0 merge @- -o x.ilprof && cmp all.ilprof x.ilprof'
check "names and a list" eval 'printf "3.ilprof\r\n\n4.ilprof" >list; run 0 merge 1.ilprof 2.ilprof @list 5.ilprof 6.ilprof -o x.ilprof && cmp all.ilprof x.ilprof'
check "the output may be a device" run 0 merge "${profiles[@]}" -o /dev/null

# A reader that shares nothing with the program adds the runs up by itself.
if has python3; then
    reads() { python3 "$ROOT/tests/e2e/lib/py/merged.py" "$@" >out 2>&1 || { head -n 20 out; return 1; }; }
    check "another reader's sums of the runs are what the merged profile says" reads all.ilprof "${profiles[@]}"
    check "of each of the parts, too" reads 456 4.ilprof 5.ilprof 6.ilprof
    check "a run that is missing is noticed" eval '! reads all.ilprof "${profiles[@]:1}" >x'
else
    skip "another reader's sums of the runs are what the merged profile says" "python3 is not installed"
fi

# The head lists the runs, the rest is figures; a hint names the file that it is for.
figures() { "$ILINJECT" report -v --width=0 --top=0 --async --columns=calls,steps,exceptions,inclusive,exclusive,range,average,min,max,probes,own "$@" | sed -n '/^Threads /,$p' | sed 's/--suggest=less.xml .*/--suggest=less.xml/'; }
for option in "" --raw --offset=article --raw-names; do
    check "the report is that of the files together ${option:+with $option}" \
        eval 'figures $option "${profiles[@]}" >apart; figures $option all.ilprof >together; test -s apart && diff apart together'
done
check "the call tree, too" eval \
    '"$ILINJECT" report --format=calltree --width=0 "${profiles[@]}" >apart; "$ILINJECT" report --format=calltree --width=0 all.ilprof >together; diff apart together'
if has python3; then
    mcs -nologo -out:Logical.exe "$ROOT/fixtures/cs/Logical.cs" && "$ILINJECT" -q Logical.exe -o bin/ || exit 1
    for i in 7 8; do ILINJECT_OUT=$SCRATCH/$i.ilprof mono bin/Logical.exe >said 2>&1 || { cat said; exit 1; }; done
    ILINJECT_NODES=12 ILINJECT_OUT=$SCRATCH/9.ilprof mono bin/Logical.exe >said 2>&1 || { cat said; exit 1; }
    check "each figure of the report is that of the files together, in each view; slices of async calls are their calls'" \
        "$ROOT/tests/same-merged" "$ILINJECT" 1.ilprof 5.ilprof 7.ilprof 8.ilprof
    check "folded calls, too" "$ROOT/tests/same-merged" "$ILINJECT" 9.ilprof 8.ilprof
else
    skip "each figure of the report is that of the files together, in each view" "python3 is not installed"
fi
check "the head tells of the runs" eval '"$ILINJECT" report -v all.ilprof --width=0 >out; grep -q "^Program  Demo (2), Shop (4), 6 runs$" out'
check "threads are merged by name" eval '"$ILINJECT" report all.ilprof --threads --format=calltree --width=0 >out; grep -q " threads without a name$" out'

# ---- Bad ones --------------------------------------------------------------------------------------------------------

head -c 300 1.ilprof >torn
check "a torn profile stops all, in one line" eval 'rm -f x; run 1 merge 1.ilprof torn hello 2.ilprof -o x && test ! -e x &&
    test "$(wc -l <err)" -eq 2 && says "^torn: error ILJ0601" && says "^hello: error ILJ0600"'
check "with --keep-going it is left out" eval 'run 1 merge -k 1.ilprof torn hello 23 -o x && says "^torn: error ILJ0601" && cmp x 123'
check "an output that cannot be written is told" eval 'run 1 merge 1.ilprof -o nowhere/x && says "nowhere/x cannot be written: No such file"'
finish
