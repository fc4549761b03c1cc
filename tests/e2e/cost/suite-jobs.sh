#!/usr/bin/env bash
# Several inputs by several threads: outputs, modes, diagnostics, summary and exit value are those of one thread, byte for byte and in
# the same order, whatever fails, whatever shares a file; memory stays bounded; a run that is ended by a signal leaves no half of a file.
. "$(dirname "$0")/../../lib.sh"
has mcs && has mono || { skip "any number of threads gives the same" "no mono or no mcs"; finish; }
fixtures=$ROOT/fixtures
# A sanitizer takes memory for itself, and looks for leaks with a thread of its own that traces the others.
grep -q __asan_init "$ILINJECT" && sanitized=1 || sanitized=
cd "$SCRATCH" || exit 1
timeless() { sed -E 's/, [0-9]+(\.[0-9])? m?s$//; s/, [0-9.]+ ms$//; s/"elapsed_ns": [0-9]+/"elapsed_ns": 0/'; }

# run N VALUE arguments…: in a fresh folder work/, made by `prepare`, which is kept as got.N with what was said.
prepare() { mkdir -p work; }
run() {
    local n=$1 wanted=$2 got
    shift 2
    rm -rf work "got.$n"
    prepare
    (cd work && "$ILINJECT" -j "$n" "$@" >../out.log 2>../err.log)
    got=$?
    [ "$got" -eq "$wanted" ] || { echo "-j $n: exit value $got instead of $wanted"; tail -n 5 out.log err.log; return 1; }
    mv work "got.$n" && timeless <out.log >"got.$n/said.out" && cp err.log "got.$n/said.err" && (cd "got.$n" && find . ! -name 'said.*' -printf '%P %y %m\n' | sort >../modes && mv ../modes said.modes)
}
# same VALUE arguments…: with 8 threads as with 1; where $others are named, and in make check-full, with those, too
same() {
    local n
    run 1 "$@" || return 1
    for n in ${others:-${FULL:+2 4}} 8; do
        run "$n" "$@" && diff -r got.1 "got.$n" || { echo "-j $n differs"; return 1; }
    done
}
holds() { # COUNT TEXT: that many lines of what was said of the last run have it
    local found
    found=$(cat got.8/said.out got.8/said.err | grep -c -- "$2")
    [ "$found" -eq "$1" ] || { echo "$found lines with '$2' instead of $1"; head -n 20 got.8/said.*; return 1; }
}

# ---- Many --------------------------------------------------------------------------------------------------------------

# The largest ones in make check-full; else the first of them and 39 of its middling ones, a third of the bytes.
mapfile -t many < <(ls -LS /usr/lib/mono/4.5/*.dll | if [ "$FULL" ]; then head -n 40; else sed -n '1p; 12,50p'; fi)
if [ "${#many[@]}" -eq 40 ]; then
    check "40 assemblies come out the same for every number of threads" eval 'others="2 4" same 0 "${many[@]}" -o out/ && holds 40 " -> out/" && holds 1 "total of 40" && [ "$(ls got.8/out | wc -l)" -ge 41 ]'
    check "and those of one process each" eval 'mkdir each && for f in "${many[@]}"; do "$ILINJECT" -q "$f" -o each/ 2>/dev/null || break; done && diff -r each got.8/out'
    check "the summary for machines, too" eval 'same 0 --json "${many[@]}" -o out/ && holds 40 "\"outcome\""'
    check "in the order of the command line" eval 'diff <(sed -n "s/^ *\"input\": \"\(.*\)\",$/\1/p" got.8/said.out) <(printf "%s\n" "${many[@]}")'
    check "a dry run says the same and writes nothing" eval 'same 0 --dry-run "${many[@]}" && holds 40 "would be" && [ "$(ls got.8)" = "$(printf "said.err\nsaid.modes\nsaid.out")" ]'
    echo 'no image' >broken.dll
    head -c 100000 /usr/lib/mono/4.5/mscorlib.dll >cut.dll
    check "inputs that fail lose nothing of the others" eval 'same 1 "${many[@]:0:10}" "$SCRATCH/broken.dll" "${many[@]:10:20}" "$SCRATCH/cut.dll" "$SCRATCH/missing.dll" "${many[@]:30}" -o out/ &&
        holds 3 ": error ILJ" && holds 1 "3 failed" && diff -r each got.8/out'
    check "-q leaves the errors" eval 'same 1 -q "$SCRATCH/broken.dll" "${many[@]}" -o out/ && holds 1 "error ILJ" && [ ! -s got.8/said.out ]'
    # No include: what is in the libraries is near, in several of them.
    check "rules without a match are counted over all, and the same name is meant" eval 'same 3 "${many[@]}" -o out/ --strict --include "System.**" --include "**.StringBulider" --include Nowhere.Xqz --exclude "[mscorlib]System.Strnig" &&
        holds 1 "ILJ0431.*StringBulider.*did you mean" && holds 2 ILJ0431 && holds 1 "ILJ0432.*did you mean .System.String.?"'
    check "a rule that only one of them matches has matched" eval 'same 0 "${many[@]}" -o out/ --strict --include "System.Text.StringBuilder.Append" && holds 0 "ILJ043[12]" && holds 1 "^/usr/lib/mono/4.5/mscorlib.dll: .* instrumented"'
else
    skip "many assemblies come out the same for every number of threads" "Mono's folder has fewer than 40"
fi

# ---- Shared by several of them -------------------------------------------------------------------------------------------

cat >part.cs <<'EOF2'
public static class Part { public static int Plus(int n) { return n + 1; } }
EOF2
cat >main.cs <<'EOF2'
class Program { static void Main() { System.Console.WriteLine(Part.Plus(41)); } }
EOF2
mkdir in
for i in 1 2 3 4; do
    mcs -nologo -target:module -out:in/part.netmodule part.cs && (cd in && mcs -nologo -addmodule:part.netmodule -out:main.exe ../main.cs) || exit 1
    mcs -nologo -target:library -out:in/lib$i.dll part.cs || exit 1
done
mcs -nologo -debug -out:in/app.exe "$fixtures/cs/TestClass.cs" || exit 1
modules() { same 0 ../in/main.exe ../in/lib1.dll ../in/lib2.dll ../in/app.exe ../in/part.netmodule -o out/ && [ "$(cd got.8/out && mono main.exe)" = 42 ] && holds 0 "not beside" && [ "$(sed 1q got.8/said.out | grep -c part.netmodule)" -eq 1 ]; }
check "modules come before the manifest that holds their hashes" modules

deps() { # NAME LISTED…
    local name=$1 listed
    shift
    printf '{\n  "runtimeTarget": { "name": ".NETCoreApp,Version=v8.0" },\n  "targets": { ".NETCoreApp,Version=v8.0": { "%s/1.0.0": { "runtime": { "%s.dll": {}' "$name" "$name"
    for listed; do printf ', "%s": {}' "$listed"; done
    printf ' } } } },\n  "libraries": { "%s/1.0.0": { "type": "project" } }\n}\n' "$name"
}
cp in/lib1.dll in/one.dll
cp in/lib2.dll in/two.dll
deps one lib1.dll lib2.dll lib3.dll >in/one.deps.json
deps two lib4.dll >in/two.deps.json
echo '{ "runtimeOptions": {} }' >in/one.runtimeconfig.json
echo '<configuration/>' >in/app.exe.config
chmod 750 in/lib1.dll && chmod 604 in/lib2.dll
prepare() { # an older output, whose files are looked at by all
    mkdir -p work/out && deps one older.dll lib1.dll >work/out/one.deps.json && echo '{ "targets": "lib3.dll' >work/out/other.deps.json
}
shared() { # the first and the last decide about permissions and deps.json
    same 0 "$@" -o out/ && holds 1 "lib3.dll: warning ILJ0500: .*other.deps.json" && holds 1 ILJ0500 || return 1
    grep -q '"ProfileInfoTracker.dll"' got.8/out/one.deps.json && grep -q '"ProfileInfoTracker.dll"' got.8/out/two.deps.json && cmp in/app.exe.config got.8/out/app.exe.config && cmp in/one.runtimeconfig.json got.8/out/one.runtimeconfig.json
}
others="2 4" check "files that belong to several outputs are as after one thread" shared ../in/lib1.dll ../in/lib2.dll ../in/lib3.dll ../in/lib4.dll ../in/one.dll ../in/two.dll ../in/app.exe
check "the first output's permissions are the tracker's" grep -qx 'out/ProfileInfoTracker.dll f 750' got.8/said.modes
check "in another order, too" shared ../in/lib2.dll ../in/two.dll ../in/one.dll ../in/app.exe ../in/lib4.dll ../in/lib3.dll ../in/lib1.dll
check "the first output's permissions are the tracker's then as well" grep -qx 'out/ProfileInfoTracker.dll f 604' got.8/said.modes

echo 'public class Older { public static void Nothing() { } }' >older.cs
mcs -nologo -target:library -out:ProfileInfoTracker.dll older.cs || exit 1
prepare() { mkdir work && cp -p in/* ProfileInfoTracker.dll work/ && cp -p in/lib3.dll work/app.dll; }
check "in place, beside an older tracker that is replaced and given as an input" eval 'same 0 --in-place app.exe lib1.dll lib2.dll ProfileInfoTracker.dll app.dll one.dll two.dll && holds 1 "^ProfileInfoTracker.dll: left as it is (the tracker itself)" &&
    ! cmp -s ProfileInfoTracker.dll got.8/ProfileInfoTracker.dll && holds 1 "ProfileInfoTracker.dll.* $(stat -c %s got.8/ProfileInfoTracker.dll) bytes"'
prepare() { mkdir -p work; }

# ---- How many ------------------------------------------------------------------------------------------------------------

usage() { # N
    "$ILINJECT" -j "$1" in/lib1.dll in/lib2.dll -o out/ >out.log 2>err.log
    [ $? -eq 2 ] && [ "$(wc -l <err.log)" -eq 1 ] && grep -q -- '--jobs' err.log && [ ! -e out ] || { cat err.log; return 1; }
}
for n in 0 1025 -1 two ''; do check "-j '$n' is no number of threads" usage "$n"; done
# threads OPTION… : the most threads that the process had
if has strace && [ -z "$sanitized" ]; then
    threads() { strace -f -qq -e trace=clone,clone3 -o trace "$ILINJECT" -q "$@" -o threads/ 2>/dev/null; grep -c -E 'clone3?\(' trace; }
    check "one input makes no thread" test "$(threads in/lib1.dll -j 8)" -eq 0
    check "-j 1 makes none" test "$(threads in/lib1.dll in/lib2.dll -j 1)" -eq 0
    check "there are no more than inputs" test "$(threads in/lib1.dll in/lib2.dll -j 64)" -le 3
    if has taskset; then check "by default as many as there are processors" test "$(taskset -c "$(awk '/^processor/ { print $3; exit }' /proc/cpuinfo)" strace -f -qq -e trace=clone,clone3 -o trace "$ILINJECT" -q in/lib1.dll in/lib2.dll in/lib3.dll -o threads/; grep -c -E 'clone3?\(' trace)" -eq 0; fi
    # listings OUTPUT INPUT… : how often the folder of the outputs is read
    listings() { strace -f -qq -e trace=openat -o trace "$ILINJECT" -q "${@:2}" -o "$1/" 2>/dev/null; grep -c "\"$1/*\".*O_DIRECTORY" trace; }
    listed_once() { # JOBS
        local few many
        few=$(listings "few.$1" in/lib1.dll in/lib2.dll -j "$1") many=$(listings "many.$1" in/*.dll -j "$1")
        echo "two outputs: $few listings, $(ls in/*.dll | wc -l): $many"
        [ "$few" -gt 0 ] && [ "$many" -eq "$few" ]
    }
    for n in 1 2; do check "the folder of the outputs is not listed for each, -j $n" listed_once "$n"; done
else
    skip "threads are made as asked" "no strace, or a sanitizer is in the way"
    skip "the folder of the outputs is not listed for each" "no strace, or a sanitizer is in the way"
fi
no_threads() { (ulimit -u 1 && setpriv --reuid=65534 --regid=65534 --clear-groups "$SCRATCH/program" -j 4 in/lib1.dll in/lib2.dll -o unthreaded/ >/dev/null) && cmp unthreaded/lib2.dll got.1/lib2.dll; }
if [ "$(id -u)" -eq 0 ] && has setpriv && [ -z "$sanitized" ]; then
    chmod 755 . && cp "$ILINJECT" program && chmod -R a+rX in && mkdir -m 777 unthreaded && run 1 0 ../in/lib1.dll ../in/lib2.dll -o .
    check "where no thread can be made, it is done without" no_threads
else
    skip "where no thread can be made, it is done without" "not root, or a sanitizer is in the way"
fi

# ---- Memory, signals -----------------------------------------------------------------------------------------------------

if [ "${#many[@]}" -eq 40 ] && [ -x "$BUILD/tests/measure" ] && [ -z "$sanitized" ]; then
    kib() { "$BUILD/tests/measure" "$ILINJECT" -q "$@" 2>/dev/null | cut -d' ' -f2; }
    small() { for i in $(seq $((FULL ? 400 : 100))); do cp "${many[12]}" "copies/$i.dll"; done; }
    mkdir copies && small
    one=$(kib -j 1 copies/*.dll -o memory/) two=$(kib -j 2 copies/*.dll -o memory/)
    check "two threads take the memory of two inputs ($one KiB, $two KiB)" test "$two" -le $((one * 2 + 8192))
    largest=$(kib "${many[0]}" -o memory/) all=$(kib -j 2 "${many[@]}" copies/*.dll -o memory/)
    check "what is made ahead of a large one is bounded ($largest KiB, $all KiB)" test "$all" -le $((largest * 2 + 65536))
else
    skip "memory is bounded by the threads" "Mono's folder or the measuring program is missing, or a sanitizer is in the way"
fi
begun() { compgen -G 'signal/*.dll' >begun; }
ended() { # ends it after its first output and at five other moments (eleven in make check-full); there are whole files alone, and started again it makes the rest
    local i pid value length moment ended=0
    rm -rf signal
    length=$EPOCHREALTIME
    "$ILINJECT" -q -j 3 "${many[@]}" -o undisturbed/ 2>/dev/null
    length=$((${EPOCHREALTIME/./} - ${length/./}))
    for i in 0 1 3 5 7 9 ${FULL:+2 4 6 8 10 11}; do
        "$ILINJECT" -q -j 3 "${many[@]}" -o signal/ 2>/dev/null &
        pid=$!
        if [ "$i" -eq 0 ]; then within 100 begun; else
            moment=$((length * i / 12))
            sleep $((moment / 1000000)).$(printf %06d $((moment % 1000000)))
        fi
        kill -TERM "$pid" 2>/dev/null
        wait "$pid"
        value=$?
        [ "$value" -ne 143 ] || ended=$((ended + 1))
        [ -z "$(find signal -name '.ilinject-*' 2>/dev/null)" ] || { ls -la signal | head; return 1; }
    done
    [ "$ended" -gt 0 ] || { echo "no run was ended"; return 1; }
    begun || { echo "no run came to a first output"; return 1; }
    for f in signal/*.dll; do cmp "$f" "each/$(basename "$f")" || return 1; done
    "$ILINJECT" -q -j 3 "${many[@]}" -o signal/ 2>/dev/null && diff -r each signal
}
if [ -d each ]; then check "a run that is ended leaves whole files alone, and is started again" ended; else skip "a run that is ended is started again" "Mono's folder has fewer than 40"; fi

# ---- Killed, and started again -------------------------------------------------------------------------------------------

. "$ROOT/tests/e2e/lib/sh/kills.sh"
mkdir symbols twenty
{
    echo 'public class Long {'
    for i in $(seq 300); do echo "public static int M$i(int x) { if (x > $i) return M$i(x - 1); System.Console.WriteLine(x); return x * $i; }"; done
    echo '}'
} >long.cs
mcs -nologo -debug -target:library -out:symbols/1.dll long.cs || exit 1
if has dotnet && "$ROOT/tests/dotnet-csc" symbols/2.dll long.cs -debug:portable -target:library >/dev/null; then rm -f symbols/*.json; fi
for i in $(seq 3 2 60); do for f in symbols/[12].dll symbols/1.dll.mdb symbols/2.pdb; do
    [ ! -f "$f" ] || cp "$f" "$(sed "s/1\.dll/$i.dll/; s/2\./$((i + 1))./" <<<"$f")"
done; done
# The files that a process leaves that is killed after the assembly and before its symbols, and
# before both.
half() { # ASSEMBLY SYMBOLS
    rm -rf half whole && mkdir half && cp "symbols/$1" "symbols/$2" half && cp -r half whole && "$ILINJECT" -q --in-place "whole/$1" || return 1
    cp "whole/$2" "half/.ilinject-$2" && cp -r half before && cp "whole/$1" whole/ProfileInfoTracker.dll half && "$ILINJECT" -q --in-place "half/$1" 2>/dev/null && diff -r whole half || return 1
    rm -rf half && mv before half && "$ILINJECT" -q --in-place "half/$1" && diff -r whole half
}
strange() { # prepared symbols of another build do not take a place
    rm -rf half && cp -r whole half && cp symbols/1.dll.mdb half/.ilinject-1.dll.mdb && "$ILINJECT" -q --in-place half/1.dll 2>/dev/null && diff -r whole half
}
check "Mono's symbols follow their assembly in the next run" half 1.dll 1.dll.mdb
check "others' do not" strange
if [ -f symbols/2.pdb ]; then check "a portable PDB follows its assembly in the next run" half 2.dll 2.pdb; else skip "a portable PDB follows its assembly in the next run" "there is no .NET SDK"; fi
for seed in 1 2; do
    check "in place, with symbols: killed and started again (seed $seed)" killed $seed 8 symbols place
done
if [ -d each ]; then
    cp -L "${many[@]:20}" twenty && mkdir twenty/more && cp -L "${many[@]:10:10}" twenty/more
    check "several files: killed and started again (seed 3)" killed 3 8 twenty files
    check "a folder: killed and started again (seed 4)" killed 4 8 twenty folder
else
    skip "several files: killed and started again" "Mono's folder has fewer than 40"
fi
finish
