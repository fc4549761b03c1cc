#!/usr/bin/env bash
# The Makefile over a build folder that is older than the tree: sources have moved, gone and come since.
# The compilers are stand-ins: what one makes names what it was made of.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
if ! is_checkout; then
    skip "an older build folder goes on being of use" "the tree is not a git checkout"
    finish
fi
unset MAKEFLAGS MAKELEVEL BUILD ILINJECT SAN

# The files that git knows, as they stand in the folder now.
mkdir tree tools
(cd "$ROOT" && git ls-files -z --deduplicate | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
done | tar -c --null --files-from=-) | tar -x -C tree || exit 1

# gcc: the output has the names of the sources, objects and archives; the file of dependencies has the
# source and one header, as -MMD -MP write it.
cat >tools/gcc <<'SH'
#!/bin/sh
case $1 in -dumpmachine | -print*) echo x86_64-linux-gnu && exit ;; esac
in='' out='' depend=''
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2 && shift ;;
    -MMD) depend=1 ;;
    -*) ;;
    *.c | *.S) in="$in $1" && [ -e "$1" ] || exit 1 ;;
    *.o | *.a) in="$in $1" && [ -e "$1" ] || exit 1 ;;
    esac
    shift
done
printf '#!/bin/sh\n#%s\n' "$in" >"$out" && chmod +x "$out"
[ -z "$depend" ] || printf '%s:%s include/ilinject.h\ninclude/ilinject.h:\n' "$out" "$in" >"${out%.o}.d"
SH
# ar rcs LIBRARY OBJECT…; mcs … -out:FILE …; sn does nothing.
printf '#!/bin/sh\nshift\nout=$1\nshift\necho "$@" >"$out"\n' >tools/ar
printf '#!/bin/sh\nfor a; do case $a in -out:*) : >"${a#-out:}" ;; esac; done\n' >tools/mcs
printf '#!/bin/sh\n' >tools/sn
for tool in aarch64-linux-gnu-gcc x86_64-linux-gnu-gcc; do cp tools/gcc "tools/$tool"; done
chmod +x tools/*
PATH=$SCRATCH/tools:$PATH
cd tree || exit 1

made() { make CC=gcc all tests >../made 2>&1 || { tail -n 5 ../made; return 1; }; }
up_to_date() { made && ! grep -E '^ +(CC|LINK|AR|AS|MCS) ' ../made; }
library() { tr ' ' '\n' <build/libilinject.a; }
check "the stand-ins build the tree" made
check "then there is nothing left to do" up_to_date

# A unit program's source, a helper's and one of the library go to other folders.
sources_move() {
    mkdir tests/unit/moved src/moved &&
        mv tests/unit/choice/test_choice.c tests/unit/moved/ && mv src/report/export/csv.c src/moved/ &&
        mv tests/e2e/lib/c/zips.c tests/corpus/ && sed -i 's|e2e/lib/c/zips\.c|corpus/zips.c|' tests/tests.mk &&
        made && grep -q -w tests/obj/unit/moved/test_choice.o build/tests/unit/test_choice &&
        grep -q -w tests/obj/corpus/zips.o build/tests/zips || return 1
    diff <(printf '%s\n' build/src/moved/csv.o) <(library | grep '/csv\.o$')
}
check "sources that have moved are built where they are now" sources_move
check "and that is all there is to do" up_to_date

sources_go() {
    rm tests/unit/platform/test_os.c src/report/export/pprof.c && made && up_to_date || return 1
    [ ! -e build/tests/unit/test_os ] && [ -e build/tests/unit/test_choice ] || return 1
    ! library | grep pprof && [ ! -e build/src/report/export/pprof.o ] && library | grep -q '^build/src/report/export/json.o$'
}
check "those that have gone are neither in the library nor among the tests" sources_go

# The header that each object's file of dependencies names.
header_changes() {
    touch -d '+1 second' include/ilinject.h && made && grep -q 'CC .*build/src/cli/options.o$' ../made &&
        grep -q 'CC .*build/tests/obj/unit/moved/test_choice.o$' ../made && grep -q 'CC .*build/tests/obj/corpus/zips.o$' ../made
}
check "a changed header compiles anew what includes it" header_changes
finish
