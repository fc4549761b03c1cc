#!/usr/bin/env bash
# The made profiles' reports beside tests/golden/report/*.txt; the figures there were worked out by hand (the tables stand in
# tests/unit/profile_maker.h and profile_events.h). `tests/golden/suite-report.sh --rewrite` writes the expectations again; look at the difference.
. "$(dirname "$0")/../lib.sh"
program=$BUILD/tests/unit/test_report
expected=$ROOT/tests/golden/report
rewrite=
[ "${1:-}" = --rewrite ] && rewrite=1

golden() { # name, arguments of `show`
    local name=$1
    shift
    "$program" show "$@" >"$SCRATCH/$name.txt" || return 1
    if [ -n "$rewrite" ]; then cp "$SCRATCH/$name.txt" "$expected/$name.txt"; fi
    diff -u "$expected/$name.txt" "$SCRATCH/$name.txt"
}
# Whatever stands in them, wide characters counting as two.
fit() { # WIDTH
    local file columns
    for file in "$expected"/*-"$1".txt; do
        columns=$(LC_ALL=C.UTF-8 wc -L <"$file")
        [ "$columns" -le "$1" ] || { echo "$file: $columns columns"; return 1; }
    done
}
# The program shows what the library does; $1 is the expectation, the rest are options.
by_program() {
    local name=$1 made=sample
    [[ $name != events-* ]] || made=events
    [[ $name != times-* ]] || made=times
    shift
    (cd "$SCRATCH" && "$program" $made sample.ilprof && "$ILINJECT" report sample.ilprof "$@" 2>told) >"$SCRATCH/by-program.txt" &&
        diff -u "$expected/$name.txt" "$SCRATCH/by-program.txt" || return 1
    [ $made != sample ] || grep -q '^sample.ilprof: warning ILJ0603: names of Plug' "$SCRATCH/told"
}

# As `by_program`, and with --rewrite the expectation is written.
view() { # NAME MADE options…
    local name=$1 made=$2
    shift 2
    (cd "$SCRATCH" && "$program" "$made" sample.ilprof && "$ILINJECT" report sample.ilprof --color=never "$@" 2>told) >"$SCRATCH/$name.txt" || return 1
    if [ -n "$rewrite" ]; then cp "$SCRATCH/$name.txt" "$expected/$name.txt"; fi
    diff -u "$expected/$name.txt" "$SCRATCH/$name.txt"
}

for width in 80 200; do
    for made in sample events; do
        for by in type namespace assembly thread; do
            check "the table of $made by $by in $width columns is as expected" \
                view "$made-$by-$width" $made --view=functions --by=$by --width=$width
        done
        for what in callers hot exceptions async tree; do
            check "the $what view of $made in $width columns is as expected" view "$made-$what-$width" $made --view=$what --width=$width
        done
    done
    check "the table has the columns that are asked for, in $width columns" view "sample-columns-$width" sample --view=functions \
        --columns=own,calls,min,probes,inclusive --sort=inclusive --top=3 --width=$width
    check "a filter leaves what a pattern names, in $width columns" view "sample-filter-$width" sample --filter='Shop.Data' --width=$width
done
# Cut where the line is full, not before.
cut_message() { # WIDTH…
    local width
    for width in "$@"; do
        (cd "$SCRATCH" && "$program" events sample.ilprof && "$ILINJECT" report sample.ilprof --color=never --view=exceptions --width="$width") |
            grep '"Sequence.*…"$' >"$SCRATCH/cut.txt" && [ "$(LC_ALL=C.UTF-8 wc -L <"$SCRATCH/cut.txt")" -eq "$width" ] ||
            { cat "$SCRATCH/cut.txt"; return 1; }
    done
}
check "a message is cut where the line is full" cut_message 50 54 58
top_of_async() {
    (cd "$SCRATCH" && "$program" events sample.ilprof && "$ILINJECT" report sample.ilprof --color=never --view=async --async --top=1 --width=100) |
        sed -n '/Async call tree$/,$p' >"$SCRATCH/top.txt"
    grep -q '^ *3 .*  Bank.Program.FetchAsync(string)$' "$SCRATCH/top.txt" && grep -q '^ *… 1 more, 1 call$' "$SCRATCH/top.txt" || { cat "$SCRATCH/top.txt"; return 1; }
}
check "with --top=1 the async tree shows one call and says what is left" top_of_async
for width in 80 200; do
    check "the text report in $width columns is as expected" golden "text-$width" text $width
    check "the tree in $width columns is as expected" golden "calltree-$width" calltree $width
done
check "none of these is wider than 80 columns" fit 80
check "nor those of 200" fit 200
check "the JSON report is as expected" golden json json 80
# pprof is binary: tests/unit/report/test_export.c reads it.
for format in tree calllog csv speedscope collapsed callgrind; do
    check "the sample as $format is as expected" golden "$format" $format 0
    check "exceptions, steps and async methods as $format are as expected" golden "events-$format" $format 0 events
    check "the report command writes the same $format" by_program $format --format=$format
done
for format in chrome calllog csv; do
    check "a timeline as $format is as expected" golden "times-$format" $format 0 times
    check "the report command writes the same timeline as $format" by_program times-$format --format=$format
done
check "threads stand apart in collapsed stacks" golden events-collapsed-threads collapsed 0 events threads
for made in sample events; do
    for width in 80 200; do
        check "the whole head of $made in $width columns is as expected" view "$made-verbose-$width" $made --verbose --view=functions --top=1 --width=$width
    done
done
check "colours mark the head and what is hot" golden text-color text 80 color
check "names can stay as in the metadata" golden text-raw text 200 raw
check "exceptions, steps and async methods are as expected" golden events-80 text 80 events
check "the async call tree and threads apart are as expected" golden events-200 text 200 events async threads
check "slices stay where they ran when that is asked for" view events-physical events --view=tree --physical
check "with them, the tree and the async call tree are as expected" golden events-calltree calltree 80 events async
check "so is the JSON" golden events-json json 80 events
check "the report command writes the same text" by_program text-80 --width=80 --color=never
check "the report command writes the same tree" by_program calltree-200 --width=200 --format=calltree --color=never
check "the report command writes the same JSON" by_program json --json
check "the report command takes --async and --threads" by_program events-200 --width=200 --async --threads --color=never
check "the report command shows what happened" by_program events-80 --width=80 --color=never
if has python3; then
    check "python reads the JSON" python3 -m json.tool "$SCRATCH/json.txt"
else
    skip "python reads the JSON" "python3 is missing"
fi
finish
