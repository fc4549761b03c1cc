#!/usr/bin/env bash
# The arrows between folders hold, and tests/arrows sees when one does not.
. "$(dirname "$0")/../../lib.sh"

check "each folder uses what its README.md names, and no file names a machine's path" "$ROOT/tests/arrows"

# The tree with one fault each: tests/arrows has to name the file.
mkdir "$SCRATCH/whole" && cp -r "$ROOT"/{ecma335,include,src,runtime-tracker} "$SCRATCH/whole/" || exit 1
from=whole
fresh() { rm -rf "$SCRATCH/tree" && cp -r "$SCRATCH/$from" "$SCRATCH/tree"; }
seen() { # expected
    local output
    if output=$("$ROOT/tests/arrows" "$SCRATCH/tree"); then echo "nothing was seen"; return 1; fi
    grep -q -F -- "$1" <<<"$output" || { echo "$output"; return 1; }
}
faulty_too() { printf '%s\n' "$2" >>"$SCRATCH/tree/$1" && seen "$3"; } # file text expected
faulty() { fresh && faulty_too "$@"; }
fresh
check "a copy of the tree has no fault" "$ROOT/tests/arrows" "$SCRATCH/tree"
# Includes that must not be, all of them in one tree.
sentences=() expected=()
planted() { # sentence file text expected
    printf '%s\n' "$3" >>"$SCRATCH/tree/$2"
    sentences+=("$1") expected+=("$4")
}
planted "base includes nothing above it" ecma335/base/x.c '#include "pe/image.h"' 'ecma335/base must not include ecma335/pe/image.h'
planted "pe does not include metadata" ecma335/pe/x.h '#include "metadata/view.h"' 'ecma335/pe must not include ecma335/metadata/view.h'
planted "metadata does not include il" ecma335/metadata/x.c ' # include "il/body.h"' 'ecma335/metadata must not include ecma335/il/body.h'
planted "il does not include pdb" ecma335/il/x.c '#include "pdb/mdb.h"' 'ecma335/il must not include ecma335/pdb/mdb.h'
planted "ecma335 does not include the public header" ecma335/il/x.c '#include <ilinject.h>' 'ecma335/il must not include include/ilinject.h'
planted "ecma335 does not include src by a way round" ecma335/il/x.c '#include "../../src/input/context.h"' 'ecma335/il must not include src/input/context.h'
planted "the command line includes no part of the library" src/cli/x.c '#include "../input/context.h"' 'src/cli must not include src/input/context.h'
planted "the library does not include the command line" src/input/x.c '#include "cli/options.h"' 'src/input must not include src/cli/options.h'
planted "opening a file does not select methods" src/input/x.c '#include "select/bodies.h"' 'src/input must not include src/select/bodies.h'
planted "a profile is read without a report" src/profile/x.c '#include "report/model/aggregate.h"' 'src/profile must not include src/report/model/aggregate.h'
planted "the formats for people do not include the exports" src/report/text/x.c '#include "report/export/export.h"' 'src/report/text must not include src/report/export/export.h'
planted "the public header includes nothing of the library" include/x.h '#include "input/image.h"' 'include must not'
planted "an include that leads nowhere is found" src/x.c '#include "nowhere/x.h"' 'not in the tree'
"$ROOT/tests/arrows" "$SCRATCH/tree" >"$SCRATCH/arrows"
for i in "${!sentences[@]}"; do check "${sentences[i]}" grep -F -m 1 -e "${expected[i]}" "$SCRATCH/arrows"; done
check "ecma335 includes no more of the interface than the statuses" faulty ecma335/base/x.c '#include "ilinject/x.h"' 'more of the interface than its statuses: ecma335/base/x.c'
# The tracker's floors, and the list of arrows that go up. A line of it is "from -> to: why"; the first is "most N".
upward=runtime-tracker/upward
from=tracker # without the C code, which takes longer
mkdir -p "$SCRATCH"/tracker/{ecma335,src} && cp -r "$ROOT"/{include,runtime-tracker} "$SCRATCH/tracker/" || exit 1
check "a type of a higher floor is found in the tracker" \
    faulty runtime-tracker/Host/X.cs 'class X { Governor x; }' "$upward: an arrow goes up: Host/X -> Switches/Governor"
fine() { fresh && printf '%s\n' "$2" >>"$SCRATCH/tree/$1" && "$ROOT/tests/arrows" "$SCRATCH/tree"; } # file text
check "one of a lower floor is not" fine runtime-tracker/Contract/X.cs 'class X { Governor x; }'
check "a member that has a type's name is not that type" \
    fine runtime-tracker/Host/X.cs $'class X\n{\n        internal bool Governor;\n        bool y = Governor;\n}'
check "nor is a word of a text or of a comment" fine runtime-tracker/Host/X.cs 'class X { string x = "Governor"; } // Governor'
unplaced() { fresh && mkdir "$SCRATCH/tree/runtime-tracker/New" && faulty_too runtime-tracker/New/X.cs 'class X { }' "$1"; }
check "a folder without a floor is found" unplaced 'does not say on which floor New is'
check "so is one without a README.md" unplaced 'runtime-tracker/New: has no README.md'
needless='Host/Host -> Switches/Governor'
check "a line that no code needs is found" faulty "$upward" "$needless: gone" "names $needless, which does not go up"
check "so is one more than there may be" faulty "$upward" "$needless: gone" ' arrows, and may have '
edited() { fresh && sed -i "$2" "$SCRATCH/tree/$1" && seen "$3"; } # file commands expected
check "a line less lowers the number" edited "$upward" '$d' ': write "most '
check "a line without a reason is found" edited "$upward" '$s/: .*/:/' 'does not say why'
check "a floor without a folder is found" edited runtime-tracker/README.md 's/^    Host < /&Cellar < /' 'names Cellar, which has no file'
list() { "$ROOT/tests/arrows" --upward "$SCRATCH/tree"; }
listed() { # an arrow with its reason, if it has one; the number does not rise
    fresh && list | cmp - "$ROOT/$upward" || return 1
    echo 'class X { Governor x; }' >"$SCRATCH/tree/runtime-tracker/Host/X.cs"
    diff <(list | diff "$ROOT/$upward" - | sed -n 's/^[<>] //p') <(echo 'Host/X -> Switches/Governor: ')
}
check "the list is printed as the sources have it" listed
from=whole
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
check "no two objects take symbols of one another" "$ROOT/tests/circles" "$ROOT/build"
object() { # name; its code comes in
    mkdir -p "$SCRATCH/built/src/util" && gcc -xc -c -o "$SCRATCH/built/src/util/$1.o" -
}
taking() { # the circle of two objects with sources of the tree
    object map <<<'int unicode(void); int map(void) { return unicode(); }' && object unicode <<<'int map(void); int unicode(void) { return map(); }' &&
        ! "$ROOT/tests/circles" "$SCRATCH/built" >"$SCRATCH/circles" && grep -q 'util/map.o takes unicode of src/util/unicode.o' "$SCRATCH/circles"
}
check "two that do are found" taking
long() { fresh && seq -f '// %g' 601 >"$SCRATCH/tree/$1" && seen "601 $1"; }
check "a source of more than 600 lines is found" long src/input/x.c
check "so is one of the tracker" long runtime-tracker/Host/X.cs
check "a machine's path is found" faulty src/x.c "const char *p = \"/$(echo home)/user/x\";" 'src/x.c'
finish
