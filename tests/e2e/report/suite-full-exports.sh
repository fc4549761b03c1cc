#!/usr/bin/env bash
# level: full
# Each program that an export of report --format is for opens it, and says what the JSON says: of made profiles, and of that of
# a real program under Mono. With an argument the pictures of speedscope go to that folder.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/browser.sh"
pictures=${1:-}
cd "$SCRATCH" || exit 1
export PPROF_TMPDIR=$SCRATCH

profiles=(sample events times)
for made in "${profiles[@]}"; do "$BUILD/tests/unit/test_report" "$made" "$made.ilprof"; done
if has mcs && has mono; then
    mcs -nologo -out:before/Shop.exe "$ROOT/fixtures/cs/Shop.cs" && "$ILINJECT" -q before/Shop.exe -o after/Shop.exe || exit 1
    (cd after && ILINJECT_TIMELINE=1 ILINJECT_OUT=$SCRATCH/real.ilprof mono Shop.exe >/dev/null) || exit 1
    profiles+=(real)
else
    skip "the exports of a real program" "mono and mcs are not installed"
fi
for profile in "${profiles[@]}"; do
    for format in json csv speedscope collapsed callgrind pprof; do
        "$ILINJECT" report "$profile.ilprof" --format=$format -o "$profile.$format" 2>/dev/null || exit 1
    done
    mv "$profile.speedscope" "$profile.speedscope.json"
    mv "$profile.callgrind" "callgrind.$profile.out"
    mv "$profile.pprof" "$profile.pb.gz"
    mv "$profile.collapsed" "$profile.collapsed.txt"
done

# ---- The truth: "figure<tab>name" by name, of the functions --------------------------------------------------------------

if ! has jq; then
    skip "the tools say what the JSON says" "jq is not installed"
    finish
fi
# Functions that were folded, or are async, are several in the tools: their names are left out where that matters.
truth() { jq -r --arg f "$2" '.functions[] | "\(.[$f])\t\(.name)\(if .machine then " [\(.machine)]" else "" end)"' "$1.json" | LC_ALL=C sort -t "$(printf '\t')" -k 2; }
# Waits are a frame of their own in stacks.
waits() { jq -r '"\(.totals.waiting_ns // 0)\t(waiting)"' "$1.json"; }
with_waits() { truth "$@" && waits "$1"; }
plain() { grep -v -F -e '[async]' -e '[iterator]' -e 'Fib(int)' -e '検索' -e 'M!#2'; }
added() { # "figure<tab>name" lines: one for each name, without what is 0
    awk -F '\t' '{ sum[$2] += $1 } END { for (name in sum) if (sum[name] > 0) printf "%.0f\t%s\n", sum[name], name }' | LC_ALL=C sort -t "$(printf '\t')" -k 2
}
total() { jq '[.functions[].exclusive_ns] | add' "$1.json"; }
agree() { # what the tool says is on standard input
    cat >said.txt
    [ -s said.txt ] || { echo "nothing was said"; return 1; }
    diff <("$@" | added) <(added <said.txt) | head -n 10
    return "${PIPESTATUS[0]}"
}
plain_truth() { truth "$@" | plain; }
plain_with_waits() { plain_truth "$@" && waits "$1"; }
for profile in "${profiles[@]}"; do
    check "jq reads the JSON of $profile" test "$(total "$profile")" -gt 0
done

# ---- Programs of the terminal --------------------------------------------------------------------------------------------

annotated() { # PROFILE OPTION…: "figure<tab>name"; of functions that ran already "name'2"
    callgrind_annotate --threshold=100 --auto=no "${@:2}" "callgrind.$1.out" |
        sed -n -E 's/^ *([0-9,]+)( \([^)]*\))? +([0-9,]+( \([^)]*\))? +)?\?\?\?:(.*) \[[^][]*\]$/\1\t\5/p' | sed -E ':again s/^([0-9]+),/\1/; t again'
}
callgrind_says() {
    annotated "$1" | sed -E "s/'2\$//; s/ \(resumed\)\$//" | grep -v -E '	(Thread|Ended threads|\(folded)' | agree with_waits "$1" exclusive_ns
}
callgrind_adds_up() {
    annotated "$1" --inclusive=yes | grep -v -E "'2\$|	(Thread|Ended threads|\(folded)" | plain | agree plain_with_waits "$1" inclusive_ns
}
if has callgrind_annotate; then
    for profile in "${profiles[@]}"; do
        check "callgrind_annotate has the own times of $profile" callgrind_says "$profile"
        check "callgrind_annotate has the inclusive times of $profile" callgrind_adds_up "$profile"
    done
else
    skip "callgrind_annotate reads callgrind files" "valgrind is not installed"
fi

pprof() { go tool pprof -top -nodecount=1000000 -nodefraction=0 -edgefraction=0 -unit=ns "$@" 2>/dev/null; }
flat() { sed -n '/flat%/,$p' | sed 1d | sed -E 's/^ *([0-9.e+]+)(ns)? .*% +(.*)$/\1\t\3/; s/ \(resumed\)$//'; }
go_says() { # PROFILE SAMPLE-TYPE FIELD
    local of=truth
    [ "$2" != exclusive ] || of=with_waits
    pprof -sample_index="$2" "$1.pb.gz" | flat | agree $of "$1" "$3"
}
cumulated() { pprof -cum "$1.pb.gz" | sed -n '/flat%/,$p' | sed -E '1d; s/^ *[0-9]+(ns)? +[0-9.e+-]+% +[0-9.e+-]+% +([0-9]+)(ns)? +[0-9.e+-]+% +(.*)$/\2\t\4/' |
    grep -v -E '	\(folded|\(resumed\)$' | plain | agree plain_with_waits "$1" inclusive_ns; }
if has go; then
    for profile in "${profiles[@]}"; do
        check "go tool pprof has the own times of $profile" go_says "$profile" exclusive exclusive_ns
        check "go tool pprof has the calls of $profile" go_says "$profile" calls calls
        check "go tool pprof has the inclusive times of $profile" go_says "$profile" inclusive inclusive_ns
    done
    thrown() { [ "$(pprof -sample_index=exceptions "$1.pb.gz" | sed -n -E 's/.*Total samples = ([0-9]+)(ns)? *$/\1/p')" = "$(jq '[.exceptions[].count] | add' "$1.json")" ]; }
    check "go tool pprof has as many exceptions" thrown events
    awaited() { [ "$(pprof -sample_index=awaiting "$1.pb.gz" | flat | added | cut -f 1 | paste -sd + | bc)" = "$(jq '[.async[].awaiting_ns] | add' "$1.json")" ]; }
    if has bc; then check "go tool pprof has the time awaited" awaited events; else skip "go tool pprof has the time awaited" "bc is not installed"; fi
    check "threads are labels" eval 'go tool pprof -tags events.pb.gz 2>/dev/null | grep -q "Thread 7 .NET TP Worker"'
    if [ -f real.ilprof ]; then check "what callees took is added up by go tool pprof, too" cumulated real; fi
    twice() { pprof sample.pb.gz sample.pb.gz | flat | awk -F '\t' '{ printf "%.0f\t%s\n", $1 / 2, $2 }' | agree truth sample exclusive_ns; }
    check "files are added up" twice
else
    skip "go tool pprof reads pprof files" "go is not installed"
fi

# As flamegraph.pl reads a line.
flamegraph() {
    perl -e '
        while (<>) { chomp; my ($stack, $count) = /^(.*)\s+?(\d+(?:\.\d*)?)$/ or die "not a stack: $_";
            my @frames = split /;/, $stack; die "an empty frame: $_" if grep { $_ eq "" } @frames; $own{$frames[-1] =~ s/ \(resumed\)$//r} += $count; }
        print "$own{$_}\t$_\n" for keys %own' "$1.collapsed.txt" | agree with_waits "$1" exclusive_ns
}
if has perl; then
    for profile in "${profiles[@]}"; do check "collapsed stacks of $profile are read as flamegraph.pl does" flamegraph "$profile"; done
else
    skip "collapsed stacks are read as flamegraph.pl does" "perl is not installed"
fi

csv() { # FIELD
    python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True):
    print(row[sys.argv[2]], row["name"] + (" [%s]" % row["machine"] if row["machine"] else ""), sep="\t")' "$1.csv" "$2" | agree truth "$1" "$2"
}
if has python3; then
    for profile in "${profiles[@]}"; do
        check "python's csv reads the CSV of $profile" csv "$profile" exclusive_ns
        check "with its calls" csv "$profile" calls
    done
else
    skip "python's csv reads the CSV" "python3 is not installed"
fi

# ---- Chrome's events -----------------------------------------------------------------------------------------------------

# Each thread's calls are nested, time does not go back, and there are as many calls as were counted.
nested() {
    jq -e '[.traceEvents[] | select(.ph != "M")] | group_by(.tid) | all(
        reduce .[] as $e ({open: [], good: true, ts: 0};
            .good = (.good and $e.ts >= .ts and ($e.ph == "B" or $e.name == .open[-1])) | .ts = $e.ts |
            if $e.ph == "B" then .open += [$e.name] else .open |= .[:-1] end) | .good and .open == [])' "$1" >/dev/null
}
counted() { # TRACE PROFILE
    jq -r '[.traceEvents[] | select(.ph == "B" and (.cat | startswith("call")))] | group_by(.name)[] | "\(length)\t\(.[0].name)"' "$1" | agree truth "$2" calls
}
for profile in times real; do
    [ -f "$profile.ilprof" ] || continue
    "$ILINJECT" report "$profile.ilprof" --format=chrome -o "$profile.trace.json" 2>/dev/null
    check "the trace events of $profile are nested" nested "$profile.trace.json"
done
if [ -f real.ilprof ]; then
    check "the trace of a real program has each call" counted real.trace.json real
    "$ILINJECT" report real.ilprof --format=calllog >real.log
    check "so has the call log" eval '[ "$(sed "/^\$/,\$d" real.log | grep -c ", id=[0-9]*, call count = [0-9]*\$")" = "$(jq ".totals.enters" real.json)" ]'
    # The last line of each function has the number of its summary.
    last_counts() { sed -n -E 's/^ *(.*), (id=[0-9]+), call count = ([0-9]+)$/\1 : call count = \3/p' real.log | awk -F ' : ' '{ last[$1] = $0 } END { for (f in last) print last[f] }' | LC_ALL=C sort | diff - <(sed '1,/^$/d' real.log | LC_ALL=C sort -u); }
    check "the counts of its last lines are those of the summary" last_counts
fi

# ---- speedscope ----------------------------------------------------------------------------------------------------------

if ! browser_can; then
    skip "speedscope opens the files" "chromium, chromium-driver and curl are not all there"
    finish
fi
packages=$("$ROOT/tests/npm-fetch" speedscope@1.25.0) || { skip "speedscope opens the files" "$packages"; finish; }
browser_start --allow-file-access-from-files || { skip "speedscope opens the files" "chromedriver does not start"; finish; }
trap 'browser_stop; rm -rf "$SCRATCH"' EXIT
opens() { # FILE TITLE
    local input
    browser_open "file://$packages/speedscope/dist/release/index.html"
    is "document.querySelectorAll('input[type=file]').length" 1 || return 1
    input=$(browser_post element '{"using":"css selector","value":"input[type=file]"}' | sed -n 's/.*:"\([^"]*\)"}}$/\1/p')
    browser_post "element/$input/value" "{\"text\":\"$SCRATCH/$1\"}" >/dev/null
    is "document.body.innerText.includes('Sandwich') && document.body.innerText.split(String.fromCharCode(10)).includes('$2')" true || return 1
    is "document.querySelectorAll('canvas').length > 0" true || return 1
    if [ -n "$pictures" ]; then sleep 1; browser_picture "$pictures/$1.png"; fi
    browser_keys 3
    is "document.querySelectorAll('table').length > 0" true
}
# The row of a function: its total, its own time.
row() { is "[...document.querySelectorAll('tr')].map(e => [...e.cells].map(c => c.innerText.trim().replace(/ .(<|)[0-9.]+%.\$/, '')).join('|')).filter(t => t.endsWith('|$1')).join()" "$2|$3|${1//</\\u003C}"; }

check "speedscope opens its own format" opens sample.speedscope.json 'Thread 1 main (1/2)'
check "it shows Main" row 'Shop.Program.Main(string[])' 980.00ms 179.95ms
check "and a generic method" row 'Shop.Data.Store<T>.Cursor.MoveNext()' 400.00ms 400.00ms
check "recursion is added up once" row 'Shop.Program.Fib(int)' 115.00ms 115.00ms
check "speedscope opens a profile with async methods" opens events.speedscope.json 'Thread 1 main (1/3)'
check "it shows an async method" row 'Bank.Program.FetchAsync(string) [async]' 1.00ms 500.00µs
check "speedscope opens collapsed stacks" opens sample.collapsed.txt sample.collapsed.txt
check "it shows Main of all threads" row 'Shop.Program.Main(string[])' 980,000,000 179,950,000
check "speedscope opens callgrind files" opens callgrind.sample.out 'callgrind.sample.out -- exclusive_ns'
check "it shows Main with what was folded" row 'Shop.Program.Main(string[])' 1,000,000,000 180,000,000
check "speedscope opens pprof files" opens sample.pb.gz sample.pb.gz
check "it shows Main by its own time" row 'Shop.Program.Main(string[])' 980.00ms 179.95ms
check "speedscope opens Chrome's events" opens times.trace.json 'Times (pid 0), Thread 1 main (tid 1) (1/3)'
check "it shows an open call" row 'M!#0' 1.99ms 990.00µs
check "and four calls that ended" row 'M!#1' 1.00ms 970.00µs
# Boxes side by side are not nested: a method's part of the time, in percent, is what its calls
# took.
part_is() { # NAME
    local part
    part=$(jq --arg name "$1" '[.traceEvents[] | select(.tid == 1 and .ph != "M")] | (last.ts - first.ts) as $all |
        reduce (.[] | select(.name == $name)) as $e ({depth: 0, sum: 0};
            if $e.ph == "B" then (if .depth == 0 then .from = $e.ts else . end) | .depth += 1
            else .depth -= 1 | (if .depth == 0 then .sum += $e.ts - .from else . end) end) | .sum / $all * 100 | floor' real.trace.json)
    is "[...document.querySelectorAll('tr')].filter(e => e.innerText.trim().endsWith('$1')).map(e => Math.abs(parseFloat(e.cells[0].innerText.split('(')[1].replace('<', '')) - $part) <= 1).join()" true
}
if [ -f real.ilprof ]; then
    for file in real.speedscope.json real.trace.json real.pb.gz; do
        title=$(jq -r '.profiles[.activeProfileIndex].name + " (\(.activeProfileIndex + 1)/\(.profiles | length))"' real.speedscope.json)
        case $file in
        *.trace.json) title=$(jq -r '[.traceEvents[] | select(.ph == "M")] | "\(.[0].args.name) (pid \(.[0].pid)), \(.[1].args.name) (tid 1) (1/\(length - 1))"' $file) ;;
        *.pb.gz) title=$file ;;
        esac
        check "speedscope opens $file" opens $file "$title"
        [ $file != real.trace.json ] || check "calls that follow each other are not nested" part_is 'Shop.Orders.TryGet(int)'
        check "it has Main" is "[...document.querySelectorAll('tr')].filter(e => e.innerText.includes('Shop.Program.Main()')).length" 1
    done
fi
finish
