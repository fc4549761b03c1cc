#!/usr/bin/env bash
# The include arrows hold, and tests/arrows sees when one does not.
. "$(dirname "$0")/../lib.sh"

check "includes go along the arrows, and no file names a machine's path" "$ROOT/tests/arrows"

# A tree with one fault each: tests/arrows has to name the file.
faulty() { # file text expected
    local tree=$SCRATCH/tree
    rm -rf "$tree"
    mkdir -p "$tree"/ecma335/{base,pe,metadata,il,pdb} "$tree/src/cli" "$tree/include"
    touch "$tree"/ecma335/{base/bytes,pe/image,metadata/rows,il/body,pdb/rows}.h "$tree/src/context.h" "$tree/include/ilinject.h"
    printf '%s\n' "$2" >"$tree/$1"
    local output
    if output=$("$ROOT/tests/arrows" "$tree"); then return 1; fi
    grep -q -F -- "$3" <<<"$output" || { echo "$output"; return 1; }
}
check "base includes nothing above it" faulty ecma335/base/x.c '#include "pe/image.h"' 'base must not include ecma335/pe/image.h'
check "pe does not include metadata" faulty ecma335/pe/x.h '#include "metadata/rows.h"' 'pe must not'
check "metadata does not include il" faulty ecma335/metadata/x.c ' # include "il/body.h"' 'metadata must not'
check "il does not include pdb" faulty ecma335/il/x.c '#include "pdb/rows.h"' 'il must not'
check "ecma335 does not include the public header" faulty ecma335/il/x.c '#include <ilinject.h>' 'il must not include include/ilinject.h'
check "ecma335 does not include src by a way round" faulty ecma335/il/x.c '#include "../../src/context.h"' 'il must not include src/context.h'
check "src does not include the command line" faulty src/x.c '#include "cli/x.h"' 'not in the tree'
check "the command line includes only the public header" faulty src/cli/x.c '#include "../context.h"' 'cli must not include src/context.h'
check "the public header includes nothing of ours" faulty include/x.h '#include "ilinject.h"' 'include must not'
check "the operating system is asked in its place" faulty src/x.c '#include <unistd.h>' 'src/x.c:1'
check "a machine's path is found" faulty src/x.c "const char *p = \"/$(echo home)/user/x\";" 'src/x.c'
finish
