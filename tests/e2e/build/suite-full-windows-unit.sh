#!/usr/bin/env bash
# level: full
# The unit programs, compiled for Windows, under Wine. tests/data/on-windows says which are left out for what reason.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/windows.sh"
cd "$ROOT" || exit 1
all="the unit programs pass on Windows"
if ! has x86_64-w64-mingw32-gcc; then skip "$all" "x86_64-w64-mingw32-gcc is not installed"; finish; fi
windows_ready "$all"
TMPDIR=/tmp "$wineserver" -p
left_out() { sed -n "s,^-$1 -- ,,p" tests/data/on-windows; }

units=$SCRATCH/units
mkdir "$units"
# The options that tests/tests.mk adds to a program's link.
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
        [[ "unit/${name#test_} passes" == *"$words_wanted"* ]] || continue
        [ "$(left_out "unit/${name#test_}")" ] || sources+=("$source")
    done
    export -f unit wrapped
    export units cmocka wine SCRATCH
    printf '%s\n' "${sources[@]}" | xargs -r -P 2 -n 1 bash -c 'unit "$0"'
    for source in "${sources[@]}"; do
        name=$(basename "$source" .c)
        check "unit/${name#test_} passes" unit_passed "${name#test_}"
    done
else
    skip "the unit programs pass" "$(head -n 1 "$SCRATCH/fetch.log")"
fi
finish
