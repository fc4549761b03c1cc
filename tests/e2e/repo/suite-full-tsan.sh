#!/usr/bin/env bash
# level: full
# The thread sanitizer sees no data race: threads over folders and archives, contexts of the library side by side, and `serve` under a load.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
for tool in clang mcs mono zip python3; do
    has $tool || { skip "there is no data race" "$tool is not installed"; finish; }
done
# Where addresses are too random for it, the sanitizer ends at once.
plainly=
if has setarch && setarch -R true 2>/dev/null; then plainly='setarch -R'; fi
cat >race.c <<'END'
#include <pthread.h>
static int shared;
static void *add(void *user) { shared++; return user; }
int main(void) { pthread_t one; pthread_create(&one, 0, add, 0); shared++; return pthread_join(one, 0); }
END
clang -g -fsanitize=thread -o race race.c 2>said || { skip "there is no data race" "clang has no thread sanitizer here"; finish; }
export TSAN_OPTIONS=exitcode=66
$plainly ./race >said 2>&1
[ $? -eq 66 ] || { skip "there is no data race" "the thread sanitizer finds none here in a program that has one"; finish; }

(cd "$ROOT" && env -u MAKEFLAGS -u MAKELEVEL -u BUILD -u ILINJECT -u SAN make TSAN=1 build/tsan/ilinject) >said 2>&1 || { tail -n 20 said; exit 1; }
tsan=$ROOT/build/tsan/ilinject
quietly() { # COMMAND…: ends as it should, and the sanitizer says nothing
    $plainly "$@" >said 2>&1
    local code=$?
    ! grep -q 'ThreadSanitizer' said && [ $code -eq 0 ] || { echo "exit value $code"; head -n 40 said; return 1; }
}

# ---- Threads of the command line ----------------------------------------------------------------------------------------

mkdir in many
for source in "$ROOT"/fixtures/cs/*.cs; do
    name=$(basename "$source" .cs)
    mcs -nologo -warn:0 -debug -target:library -out:"in/$name.dll" "$source" >/dev/null 2>&1
done
for i in 1 2 3 4; do
    for file in in/*.dll; do cp "$file" "many/$(basename "$file" .dll)$i.dll"; cp "$file.mdb" "many/$(basename "$file" .dll)$i.dll.mdb" 2>/dev/null; done
done
(cd many && zip -q ../many.zip ./*.dll)
same() { # OPTIONS…: by four threads as by one
    rm -rf one four
    quietly "$tsan" -q -j4 "$@" -o four && quietly "$tsan" -q -j1 "$@" -o one && diff -r one four
}
check "$(find many -name '*.dll' | wc -l) assemblies by four threads, with symbols" same --all many
check "with captured values, rules and a price" same --all '--capture=**: args, return' '--exclude=**.Main' --overhead=10% many
check "with counts of objects, and leaves" same --all --allocations --leaves many
archive() { rm -f one.zip four.zip; quietly "$tsan" -q -j4 --all many.zip -o four.zip && quietly "$tsan" -q -j1 --all many.zip -o one.zip && cmp one.zip four.zip; }
check "an archive of them" archive
broken() { # several threads tell of what they do not understand
    mkdir -p bad && for i in 1 2 3 4 5 6 7 8; do head -c 4000 "in/TestClass.dll" >"bad/$i.dll"; done
    $plainly "$tsan" -j4 bad/*.dll -o bad-out/ >said 2>&1
    [ $? -eq 1 ] && ! grep -q ThreadSanitizer said && [ "$(grep -c ' error ' said)" -eq 8 ] || { head -n 30 said; return 1; }
}
check "broken ones are told in their order" broken

# ---- The library ---------------------------------------------------------------------------------------------------------

mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" && "$tsan" -q Demo.exe -o app/ && (cd app && mono Demo.exe >/dev/null) || exit 1
contexts() {
    clang -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=thread -I"$ROOT/include" -o contexts "$ROOT/tests/e2e/lib/c/contexts.c" "$ROOT/build/tsan/libilinject.a" \
        -l:libdeflate.a -l:libxxhash.a -l:libjansson.a -l:libz.a || return
    rm -rf made && mkdir made && quietly ./contexts made app/Demo.ilprof Demo.exe in/TestClass.dll || return
    for thread in 1 2 3 4 5 6 7; do
        for i in 0 1; do cmp "made/0.$i" "made/$thread.$i" || return; done
    done
}
check "eight threads with contexts of their own make the same" contexts

# ---- serve ---------------------------------------------------------------------------------------------------------------

if PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    env --default-signal=INT $plainly "$tsan" serve --listen 127.0.0.1:0 -o received --rate 1000000 >serve.txt 2>serve.err &
    server=$!
    trap 'kill -KILL $server 2>/dev/null; rm -rf "$SCRATCH"' EXIT
    within 100 grep -q post= serve.txt || { cat serve.err; exit 1; }
    # Some clients of a crowd get no answer on a busy machine: e2e/full-soak is for that.
    python3 "$ROOT/tests/e2e/lib/py/crowd.py" "$(sed -n 's/.*--set post=//p' serve.txt)" app/Demo.ilprof "${TSAN_SECONDS:-20}" >crowd.txt
    received() { grep -q -E '^posts: .*[0-9]+ x 200' crowd.txt && cmp app/Demo.ilprof received/*.ilprof; }
    check "profiles of a crowd arrive" received
    ends() { kill -TERM $server && wait $server && ! grep -q ThreadSanitizer serve.err || { grep -v 'ILJ0722' serve.err | head -n 40; return 1; }; }
    ends >ended 2>&1
    check "the server has had no race" eval "cat ended; [ $? -eq 0 ]"
else
    skip "the server has had no race" "libmicrohttpd is not installed"
fi
finish
