#!/usr/bin/env bash
# The arrows between folders hold, and tests/arrows sees when one does not.
. "$(dirname "$0")/../../lib.sh"

check "each folder uses what its README.md names, and no file names a machine's path" "$ROOT/tests/arrows"

# The tree with one fault each: tests/arrows has to name the file.
mkdir "$SCRATCH/whole" && cp -r "$ROOT"/{ecma335,include,src,runtime-tracker} "$SCRATCH/whole/" || exit 1
fresh() { rm -rf "$SCRATCH/tree" && cp -r "$SCRATCH/whole" "$SCRATCH/tree"; }
seen() { # expected
    local output
    if output=$("$ROOT/tests/arrows" "$SCRATCH/tree"); then echo "nothing was seen"; return 1; fi
    grep -q -F -- "$1" <<<"$output" || { echo "$output"; return 1; }
}
faulty() { # file text expected
    fresh && printf '%s\n' "$2" >>"$SCRATCH/tree/$1" && seen "$3"
}
fresh
check "a copy of the tree has no fault" "$ROOT/tests/arrows" "$SCRATCH/tree"
check "base includes nothing above it" faulty ecma335/base/x.c '#include "pe/image.h"' 'ecma335/base must not include ecma335/pe/image.h'
check "pe does not include metadata" faulty ecma335/pe/x.h '#include "metadata/view.h"' 'ecma335/pe must not'
check "metadata does not include il" faulty ecma335/metadata/x.c ' # include "il/body.h"' 'ecma335/metadata must not'
check "il does not include pdb" faulty ecma335/il/x.c '#include "pdb/mdb.h"' 'ecma335/il must not'
check "ecma335 does not include the public header" faulty ecma335/il/x.c '#include <ilinject.h>' 'must not include include/ilinject.h'
check "ecma335 does not include src by a way round" faulty ecma335/il/x.c '#include "../../src/input/context.h"' 'must not include src/input/context.h'
check "the command line includes no part of the library" faulty src/cli/x.c '#include "../input/context.h"' 'src/cli must not include src/input/context.h'
check "the library does not include the command line" faulty src/input/x.c '#include "cli/options.h"' 'src/input must not include src/cli/options.h'
check "opening a file does not select methods" faulty src/input/x.c '#include "select/bodies.h"' 'src/input must not'
check "a profile is read without a report" faulty src/profile/x.c '#include "report/model/aggregate.h"' 'src/profile must not'
check "the formats for people do not include the exports" faulty src/report/text/x.c '#include "report/export/export.h"' 'src/report/text must not'
check "the public header includes nothing of the library" faulty include/x.h '#include "input/image.h"' 'include must not'
check "an include that leads nowhere is found" faulty src/x.c '#include "nowhere/x.h"' 'not in the tree'
check "a type of another folder is found in the tracker" \
    faulty runtime-tracker/Host/X.cs 'class X { Governor x; }' 'runtime-tracker/Host must not use Governor'
circle() {
    fresh && sed -i 's/^May include: /&`src\/select`, /' "$SCRATCH/tree/src/input/README.md" &&
        echo '#include "select/bodies.h"' >"$SCRATCH/tree/src/input/x.c" && seen 'the arrows have a circle'
}
check "a circle is found, also where each README.md allows its part" circle
needless() { fresh && sed -i 's/^May include: /&`src\/serve`, /' "$SCRATCH/tree/src/dump/README.md" && seen 'names src/serve, which no file there includes'; }
check "an arrow that nothing needs is found" needless
undescribed() { fresh && mkdir "$SCRATCH/tree/src/new" && touch "$SCRATCH/tree/src/new/x.c" && seen 'src/new/README.md: has no line'; }
check "a folder without a README.md is found" undescribed
check "the operating system is asked in its place" faulty src/input/x.c '#include <unistd.h>' 'src/input/x.c:1'
check "a file that is made in another place is found" faulty src/platform/posix/x.c 'int x(void) { return open("x", O_CREAT); }' 'src/platform/posix/x.c:1'
check "so is a stream" faulty src/cli/x.c 'FILE *x(void) { return fopen("x", "we"); }' 'src/cli/x.c:1'
check "a machine's path is found" faulty src/x.c "const char *p = \"/$(echo home)/user/x\";" 'src/x.c'
finish
