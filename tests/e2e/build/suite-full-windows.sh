#!/usr/bin/env bash
# level: full
# The tests on Windows: the unit programs, compiled for it, and suites with ilinject.exe in place of this system's program, under
# Wine. tests/on-windows says which, and what is left out for what reason. `serve` receives with a libmicrohttpd that is a file of its own.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/windows.sh"
cd "$ROOT" || exit 1
all="the tests run on Windows"
if ! has x86_64-w64-mingw32-gcc; then skip "$all" "x86_64-w64-mingw32-gcc is not installed"; finish; fi
windows_ready "$all"
# One server for all: each suite has a temporary folder of its own, where else a server would put its files.
TMPDIR=/tmp "$wineserver" -p
left_out() { sed -n "s,^-$1 -- ,,p" tests/on-windows; }

# ---- Unit programs ---------------------------------------------------------------------------------------------------

units=$SCRATCH/units
mkdir "$units"
# What tests/tests.mk adds to a program.
wrapped() { # NAME
    sed -n "s/^UNIT_LDFLAGS_$1 := *//p" tests/tests.mk | sed 's/\$(UNIT_LDFLAGS_test_report)/-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc/; s,\$(BUILD),build/windows,'
}
unit() { # SOURCE
    local name
    name=$(basename "$1" .c)
    # shellcheck disable=SC2046
    x86_64-w64-mingw32-gcc -std=gnu11 -O1 -w -include src/platform/windows/missing.h -D_GNU_SOURCE= -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0601 -DLIBXML_STATIC \
        -I"$cmocka/include" -isystem build/windows/foreign/include -Iinclude -Iecma335 -Isrc -Itests/unit -o "$units/$name.exe" "$1" tests/unit/chosen.c "$units/cmocka.o" \
        build/windows/libilinject.a build/windows/foreign/libforeign.a -lbcrypt -lws2_32 -ladvapi32 -lshell32 -static $(wrapped "$name") >"$units/$name.log" 2>&1 || return
    # Some have thousands of steps, each with files.
    HOME=$SCRATCH/home timeout -k 5 1800 "$wine" "$units/$name.exe" >"$units/$name.log" 2>&1 </dev/null && touch "$units/$name.passed"
}
unit_passed() { # NAME
    [ -e "$units/test_$1.passed" ] || { tail -n 8 "$units/test_$1.log"; return 1; }
}
cmocka=build/sources/cmocka-1.1.7
if src/platform/fetch-sources build/sources windows-tests >"$SCRATCH/fetch.log" 2>&1; then
    for header in assert inttypes malloc memory setjmp signal stdarg stddef stdint stdio stdlib strings string sys_stat sys_types time; do
        echo "#define HAVE_${header^^}_H 1"
    done >"$units/config.h"
    printf '#define HAVE_%s 1\n' STRUCT_TIMESPEC SNPRINTF VSNPRINTF GCC_THREAD_LOCAL_STORAGE >>"$units/config.h"
    x86_64-w64-mingw32-gcc -O2 -w -std=gnu11 -DHAVE_CONFIG_H -D__USE_MINGW_ANSI_STDIO=1 -I"$units" -I"$cmocka/include" -c "$cmocka/src/cmocka.c" -o "$units/cmocka.o" || exit 1
    sources=()
    for source in tests/unit/test_*.c tests/unit/*/test_*.c; do
        name=$(basename "$source" .c)
        [ "$(left_out "unit/${name#test_}")" ] || sources+=("$source")
    done
    export -f unit wrapped
    export units cmocka wine SCRATCH
    printf '%s\n' "${sources[@]}" | xargs -P 2 -n 1 bash -c 'unit "$0"'
    for source in "${sources[@]}"; do
        name=$(basename "$source" .c)
        check "unit/${name#test_} passes" unit_passed "${name#test_}"
    done
else
    skip "the unit programs pass" "$(head -n 1 "$SCRATCH/fetch.log")"
fi

# ---- Suites ----------------------------------------------------------------------------------------------------------

suite_passes() { # NAME: but for the checks that tests/on-windows names
    local file failed log=$SCRATCH/suite.log
    file=$(compgen -G "tests/${1%%/*}/suite-${1##*/}.sh"; compgen -G "tests/${1%%/*}/*/suite-${1##*/}.sh")
    env -u CHECK -u CONSISTENT ILINJECT="$ROOT/tests/ilinject-wine" BUILD="$BUILD" TMPDIR=/tmp timeout -k 10 1800 bash "$file" >"$log" 2>&1 </dev/null
    grep -q -E '^[1-9][0-9]* passed, [0-9]+ failed, [0-9]+ skipped$' "$log" || { tail -n 5 "$log"; return 1; }
    failed=$(sed -n 's/^FAILED: //p' "$log" | grep -v -x -F -f <(sed -n "s,^$1: \(.*\) -- .*,\1,p" tests/on-windows))
    [ -z "$failed" ] || { grep -A 4 '^FAILED' "$log"; return 1; }
}
while read -r name; do
    check "$name passes" suite_passes "$name"
done < <(grep -E '^[a-z0-9]+/[a-z0-9-]+$' tests/on-windows)

# ---- Receiving -------------------------------------------------------------------------------------------------------

# Beside the program, which looks for it there.
if env -u MAKEFLAGS -u MAKELEVEL make windows-serve >"$SCRATCH/serve.log" 2>&1; then
    mkdir "$SCRATCH/serve" && cd "$SCRATCH/serve" || exit 1
    cp "$exe" "$BUILD/windows/libmicrohttpd-12.dll" .
    mkdir got alone && cp "$exe" alone/
    check "without libmicrohttpd serve says so" eval '! "$wine" alone/ilinject.exe serve --listen 127.0.0.1:0 -o got 2>err; [ "$(wc -l <err)" -eq 1 ] && grep -q "ILJ0720.*libmicrohttpd-12.dll" err'
    if has curl && has mono && has mcs; then
        mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" && "$ILINJECT" -q Demo.exe -o out/ && (cd out && mono Demo.exe >/dev/null) || exit 1
        timeout 300 "$wine" ./ilinject.exe serve --listen 127.0.0.1:0 -o got >serve.out 2>&1 </dev/null &
        server=$!
        posts() {
            local address i
            within 100 grep -q http: serve.out && address=$(grep -o 'http://[^ ]*' serve.out | head -n 1) || return
            for i in 1 2 3 4 5 6; do
                [ "$(curl -s -m 100 -o said."$i" -w '%{http_code}' --data-binary @out/Demo.ilprof "${address%$'\r'}")" = 200 ] || return
            done
            [ "$(ls got | wc -l)" -eq 1 ] && cmp out/Demo.ilprof "$(echo got/*.ilprof)"
        }
        check "serve takes profiles, as they are" posts
        check "a wrong token is refused" eval '[ "$(curl -s -m 100 -o no -w "%{http_code}" --data-binary @out/Demo.ilprof "$(sed -n "s,.*\(http://[^/]*\)/.*,\1/none,p" serve.out | head -n 1)")" = 403 ]'
        kill "$server"
        wait "$server" 2>/dev/null
    else
        skip "serve takes profiles" "curl or Mono is not installed"
    fi
else
    skip "serve takes profiles" "$(tail -n 1 "$SCRATCH/serve.log")"
fi
finish
