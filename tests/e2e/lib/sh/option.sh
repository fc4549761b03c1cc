# tests/e2e/lib/sh/option.sh - what an option that puts more into methods does to libraries and programs of others. Sourced after
# tests/corpus/many.sh by suites that set `extent` to sample or all.
plain=$ILINJECT

# Mono's libraries, instrumented by a wrapper of ilinject: no verifier and no compiler finds a new fault. Sets `images`, a file with
# a line for each; false when there are none.
libraries_with() { # WRAPPER WORDS
    local count changed verdicts=$SCRATCH/verdicts
    images=$SCRATCH/images
    "$ROOT/tests/corpus/images.sh" "$extent" >"$images"
    count=$(wc -l <"$images")
    if [ "$count" -eq 0 ]; then
        skip "images come through whole $2" "no Mono libraries on this machine"
        return 1
    fi
    ILINJECT=$1
    judge_all "$images" "$SCRATCH/out"
    ILINJECT=$plain
    changed=$((count - $(grep -c '^ok copied' "$verdicts")))
    echo "$count images, $changed instrumented $2"
    check "each of $count images is instrumented $2" no_fault instrument "$count"
    judged mono compile "$changed" "mono --compile-all finds no new fault in $changed outputs"
    judged peverify verify "$changed" "peverify finds no new fault in $changed outputs"
}

# Prints how many images are changed, and the sums of their sizes: of the originals, of outputs without options, and with each.
sizes_with() { # OPTION…
    local image option i sizes changed=0 all=()
    while IFS= read -r image; do
        rm -rf "$SCRATCH/g"
        "$plain" -q "$image" -o "$SCRATCH/g/0/" || return
        ! cmp -s "$image" "$SCRATCH/g/0/${image##*/}" || continue
        i=0
        for option in "$@"; do
            i=$((i + 1))
            "$plain" -q "$image" "$option" -o "$SCRATCH/g/$i/" || return
        done
        mapfile -t sizes < <(stat -c %s "$image" "$SCRATCH"/g/*/"${image##*/}")
        for i in "${!sizes[@]}"; do all[i]=$((${all[i]:-0} + sizes[i])); done
        changed=$((changed + 1))
    done <"$images"
    echo "$changed ${all[*]}"
}

# mcs, Newtonsoft.Json and Roslyn, instrumented by a wrapper, do what they did.
programs_with() { # WRAPPER WORDS
    local suite=$ROOT/tests/e2e/programs/suite-full-programs.sh
    [ "$extent" = all ] || suite=$ROOT/tests/e2e/programs/suite-programs.sh
    check "mcs, Newtonsoft.Json and Roslyn do their work $2, and CoreCLR compiles them" suite_with "$1" "$suite"
    grep -v '^ok' "$SCRATCH/programs"
}
suite_with() { # WRAPPER SUITE
    ILINJECT=$1 "$2" >"$SCRATCH/programs" 2>&1 || { grep -v '^ok' "$SCRATCH/programs"; return 1; }
}
