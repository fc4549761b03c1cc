#!/usr/bin/env bash
# How the program is built: with the checks that compilers and linkers have, and without a word of where.
. "$(dirname "$0")/../../lib.sh"
if grep -q __asan_init "$ILINJECT" || ! head -c 4 "$ILINJECT" | grep -q ELF; then
    skip "the program is hardened" "it is built with a sanitizer, or called through another program"
    finish
fi
cd "$SCRATCH" || exit 1
readelf -W -h -l -d "$ILINJECT" >elf && nm -D "$ILINJECT" >symbols || exit 1
check "it is position-independent" grep -q 'Type: *DYN' elf
check "what is resolved at its start is read-only from then on" grep -q GNU_RELRO elf
check "that is everything" grep -q 'FLAGS_1.*NOW' elf
check "its stack is no code" grep -q 'GNU_STACK .* RW ' elf
check "no segment is written and run" eval '! grep -q "LOAD.* RWE " elf'
check "no code is changed while it is loaded" eval '! grep -q TEXTREL elf'
check "it looks for libraries where the system does" eval '! grep -q -E "RPATH|RUNPATH" elf'
check "its stack frames are guarded" grep -q __stack_chk_fail symbols
check "its calls of the C library know the sizes of buffers" grep -q -E '__(mem|str|v?snprintf|v?fprintf|v?asprintf|printf|pread|read).*_chk' symbols
case $(uname -m) in
x86_64)
    readelf -n "$BUILD/src/instrument/instrument.o" "$BUILD/ecma335/pe/image.o" >notes 2>/dev/null
    check "jumps and returns of its code are those that were compiled (CET)" eval '[ "$(grep -c "IBT, SHSTK" notes)" -eq 2 ]' ;;
*) skip "jumps and returns are those that were compiled" "not an x86-64 processor" ;;
esac

# The same bytes from two folders.
check "no path of the tree is in it" eval '! grep -q -a -F "$ROOT/" "$ILINJECT"'
for folder in one another-folder; do
    mkdir "$folder" && cp -r "$ROOT"/{Makefile,ecma335,include,src,runtime-tracker,tests} "$folder/" || exit 1
    (cd "$folder" && env -u MAKEFLAGS -u MAKELEVEL make -s -j1 build/src/instrument/instrument.o build/ecma335/pe/image.o build/src/cli/main.o >/dev/null 2>../said) || { cat said; exit 1; }
done
for object in src/instrument/instrument ecma335/pe/image src/cli/main; do
    check "two folders give the same $object.o" cmp "one/build/$object.o" "another-folder/build/$object.o"
done
finish
