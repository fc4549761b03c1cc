#!/usr/bin/env bash
# level: full
# A thousand assemblies in one run: the same for every number of threads, memory that one of them needs, progress on a terminal alone, and
# a run that is killed again and again at random moments and started again gives the same bytes.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/kills.sh"
cd "$SCRATCH" || exit 1
grep -q __asan_init "$ILINJECT" && sanitized=1 || sanitized=
mapfile -t libraries < <(ls -L /usr/lib/mono/4.5/*.dll 2>/dev/null | LC_ALL=C sort)
[ "${#libraries[@]}" -ge 40 ] || { skip "a thousand assemblies in one run" "Mono's folder has fewer than 40"; finish; }
mkdir thousand
for i in $(seq 0 999); do
    f=${libraries[$((i % ${#libraries[@]}))]}
    cp -L "$f" "thousand/$(printf %03d "$i")-$(basename "$f")"
done
check "there are a thousand" test "$(ls thousand | wc -l)" -eq 1000

for n in 1 2 4; do "$ILINJECT" -j "$n" thousand/*.dll -o "out.$n/" >"said.$n" 2>"err.$n" || echo "-j $n fails"; done
check "they come out the same for every number of threads" eval 'diff -r out.1 out.2 && diff -r out.1 out.4 && [ "$(ls out.1 | wc -l)" -eq 1001 ]'
check "each has its line, and all of them one" eval '[ "$(wc -l <said.2)" -eq 1001 ] && tail -n 1 said.2 | grep -q "^total of 1000: [0-9]* methods instrumented, "'
check "nothing is said of progress in a pipe" eval '! grep -q "of 1000" err.2'
if has script; then
    terminal() { script -qec "'$ILINJECT' -j 1 --json thousand/*.dll thousand -o '$1' --all >json" typescript </dev/null >/dev/null && tr '\r' '\n' <typescript | grep -a -q -E 'instrumenting [0-9]+ of [0-9]+'; }
    check "on a terminal progress is told" terminal shown/
else
    skip "on a terminal progress is told" "no script"
fi

if [ -x "$BUILD/tests/measure" ] && [ -z "$sanitized" ]; then
    kib() { "$BUILD/tests/measure" "$ILINJECT" -q "$@" 2>/dev/null | cut -d' ' -f2; }
    largest=$(ls -LS /usr/lib/mono/4.5/*.dll | head -n 1)
    one=$(kib "$largest" -o memory/) thousand=$(kib -j 1 thousand/*.dll -o memory/) two=$(kib -j 2 thousand/*.dll -o memory/)
    # 8 MiB for the list of them, and for what the C library keeps of each thread's memory.
    check "one worker takes the memory of the largest ($one KiB, $thousand KiB)" test "$thousand" -le $((one + 8192))
    check "two take that of two ($two KiB)" test "$two" -le $((one * 2 + 3 * 8192))
else
    skip "memory is that of the largest" "the measuring program is missing, or a sanitizer is in the way"
fi

check "a thousand files: killed and started again (seed 5)" killed 5 10 thousand files
check "a folder of a thousand: killed and started again (seed 6)" killed 6 10 thousand folder
check "a thousand in place: killed and started again (seed 7)" killed 7 10 thousand place
finish
