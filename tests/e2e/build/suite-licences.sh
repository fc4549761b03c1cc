#!/usr/bin/env bash
# Libraries of others inside programs: their licences are those that this project takes, docs/dependencies.md and Debian's copyright file
# name them, and no program has glibc or libmicrohttpd inside.
. "$(dirname "$0")/../../lib.sh"
cd "$ROOT" || exit 1
rows() { grep -v '^#' src/packaging/libraries.tsv; }
# Those in a program, in the order of names.
inside() { rows | awk -F '\t' -v program="$1" '("," $6 ",") ~ ("," program ",") { print $1 }' | LC_ALL=C sort -u; }
# MIT, BSD, zlib, Apache 2.0 and what is freer; libgcc by its exception.
taken() {
    ! rows | cut -f 3 | sort -u | grep -v -x -e MIT -e BSD-2-Clause -e ISC -e Zlib -e Apache-2.0 -e 'Apache-2.0 WITH LLVM-exception' -e ZPL-2.1 \
        -e 'GPL-3.0-or-later WITH GCC-exception-3.1'
}
check "each library's licence is one that a program may have inside" taken
check "docs/dependencies.md says which program has which library" \
    diff <(tests/facts/libraries) <(sed -n '/^<!-- facts: libraries -->$/,/^<!-- end -->$/p' docs/dependencies.md | grep -v '^<!--')
check "Debian's shared library has none inside" test -z "$(inside lib)"
stanzas() { # PROGRAM…: Debian's copyright has each library, with a licence that is told below
    local name licence
    while read -r name; do
        licence=$(awk -v RS= -v file="Files: inside/$name" -F '\n' '$1 == file' src/debian/copyright | sed -n 's/^License: //p')
        [ "$licence" ] && awk -v RS= -v head="License: $licence" -F '\n' '$1 == head && NF > 2 { found = 1 } END { exit !found }' src/debian/copyright ||
            { echo "$name"; return 1; }
    done < <(for program in all "$@"; do inside "$program"; done)
}
check "Debian's copyright file has the licence of each library in its programs" stanzas deb linux-arm64
linked() { python3 tests/e2e/lib/py/linked.py "$@" 2>/dev/null; }
if has python3 && has readelf; then
    check "this system's program asks for the C library alone, and has neither it nor libmicrohttpd inside" linked "$ILINJECT"
    printf 'int main(void) { return 0; }\n' >"$SCRATCH/empty.c"
    if gcc -static -o "$SCRATCH/empty" "$SCRATCH/empty.c" 2>/dev/null; then
        check "… which of a program with glibc inside would be seen" eval '! linked "$SCRATCH/empty" >"$SCRATCH/said" && grep -q "the GNU C library is inside" "$SCRATCH/said"'
    else
        skip "a program with glibc inside is seen" "gcc makes no static programs here"
    fi
    library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libmicrohttpd\.so\.12 .*=> //p' | head -n 1)
    if [ "$library" ]; then
        check "… and what libmicrohttpd has" eval '! linked "$library" >"$SCRATCH/said" && grep -q "libmicrohttpd is inside" "$SCRATCH/said"'
    else
        skip "what libmicrohttpd has is seen" "it is not installed"
    fi
else
    skip "no program has glibc or libmicrohttpd inside" "no python3 or readelf"
fi
finish
