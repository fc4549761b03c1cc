# tests/e2e/lib/sh/trees.sh - the logical call tree of a report beside the one that is drawn in a
# fixture's source. A line of the drawing begins with `//= ` or `'= `: two blanks for each level, the
# calls, the method. Sourced after tests/lib.sh and tests/e2e/lib/sh/ladder.sh; `source` is the fixture,
# `marks` the characters that may stand in the place of `=`.

# The tree without times, gates, and methods that compilers made: each node's line after those above
# it, sorted. Steps of an async iterator stand below its class's MoveNextAsync, later ones below its
# call: the methods of that class are left out of the ways.
paths_of() { # lines of "INDENT CALLS NAME"
    awk '{ match($0, /^ */); depth = RLENGTH / 2; sub(/^ */, ""); calls = $1
           name = $0; sub(/^[0-9]+ /, "", name)
           made = name ~ /\.I(Async|ValueTask)[A-Za-z]*(<[^ ]*>)?\./
           way[depth] = made ? way[depth - 1] : depth ? way[depth - 1] " > " name : name
           if (!made) count[way[depth]] += calls }
         END { for (w in count) print w ": " count[w] }' |
        grep -v -e 'Gate\.' -e SetStateMachine -e 'machine(' -e PrivateImpl -e ProjectData |
        grep -v -E '(\.(Current\.get|Dispose\(\)|GetEnumerator\(\)|closure\(\))|lambda#[0-9]+\([^)]*\)): ' | LC_ALL=C sort
}
drawn() { sed -n -E "s,^ *(//|')[${marks:-=}] ,,p" "$source" | paths_of; }
# A time in seconds has a blank after its unit, which is as wide as that of ms.
# A time that is not certain has a sign before it, "at most".
shown() { # PROFILE OPTIONS…
    "$ILINJECT" report --format=calltree --raw --width=0 --color=never "$@" |
        sed -e '1d' -e '/(waiting)$/d' |
        sed -E 's/≤ ([0-9])/\1/g; s/([0-9]) s /\1 xs/g; s/^ *([0-9]+) +[^ ]+ [^ ]+ +[^ ]+ [^ ]+ ( *)(.*)$/\2\1 \3/; s/^ //' |
        sed -E 's/ \([0-9]+ steps?\)$//' | paths_of
}
as_drawn() { # PROFILE
    [ -n "$(drawn)" ] && diff <(drawn) <(shown "$1")
}
consistent() { # PROFILE
    local options
    for options in "" --physical; do
        # shellcheck disable=SC2086
        "$ILINJECT" report --json $options -o "$SCRATCH/report.json" "$1" &&
            "$ROOT/tests/consistent" "$SCRATCH/report.json" || return 1
    done
}
# The program is instrumented and run, and its profile held against the drawing.
tree_of() { # NAME RUNTIME FILE
    check "$1 is instrumented" instrument "$1" "$3" guarded-paths
    run_program "$1" "$2" "$SCRATCH/after/$1-guarded-paths/$(basename "$3")"
    check "the logical tree of $1 is the one drawn by hand" as_drawn "$SCRATCH/said/$1.$2.ilprof"
    check "the report of $1 does not contradict itself" consistent "$SCRATCH/said/$1.$2.ilprof"
}
