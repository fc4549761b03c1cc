# raw.sh - what every benchmark starts with: it says how loud the machine is, and keeps what is measured.
#   . tests/bench/raw.sh
#   raw_begin NAME "COMMAND"                       says the load; with $BENCH_RAW, a folder, begins $BENCH_RAW/NAME.tsv
#   raw SUBJECT VARIANT METRIC VALUE               a figure of one run: a line there
#   raw_lines                                      the same, of lines in that form on standard input, parted by tabs
#   raw_missing WHAT REASON                        what could not be had
# Without $BENCH_RAW nothing is kept. Tables are made of these files by tests/bench/tables.
#
# A machine is loud when its load is above 1.0, or, since a benchmark's own load lasts for minutes, in the midst of many when others take more
# than a quarter of a processor in a second without a measurement.
RAW_FILE=

# Processors that were busy in a second, with what other machines on the same one took.
raw_others() {
    { head -n 1 /proc/stat; sleep 1; head -n 1 /proc/stat; } |
        awk '{ busy[NR] = $2 + $3 + $4 + $7 + $8 + $9; all[NR] = busy[NR] + $5 + $6 }
             END { printf "%.2f", (all[2] > all[1] ? (busy[2] - busy[1]) / (all[2] - all[1]) * processors : 0) }' processors="$(nproc)"
}
raw_versions() {
    printf '%s' "$("${ILINJECT:-${BUILD:-build}/ilinject}" --version 2>/dev/null | head -n 1)"
    mono --version 2>/dev/null | sed -n '1s/.*version \([^ ]*\).*/; Mono \1/p' | tr -d '\n'
    dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/; .NET \1/p' | tail -n 1 | tr -d '\n'
    printf '; SDK %s' "$(dotnet --version 2>/dev/null || echo none)"
    go version 2>/dev/null | sed -n 's/^go version go\([^ ]*\).*/; Go \1/p' | tr -d '\n'
}
raw_begin() {
    local load others state=quiet
    load=$(cut -d ' ' -f 1 /proc/loadavg)
    others=$(raw_others)
    if awk -v load="$load" -v others="$others" -v among="${BENCH_AMONG:-}" 'BEGIN { exit !(among ? others > 0.25 : load > 1.0) }'; then state=loud; fi
    echo "$1: load $load, others take $others processors: $state"
    [ "${BENCH_RAW:-}" ] || return 0
    mkdir -p "$BENCH_RAW"
    RAW_FILE=$BENCH_RAW/$1.tsv
    printf '#\t%s\t%s\n' part "$1" command "$2" began "$(date -u '+%Y-%m-%d %H:%M')" load "$load" others "$others" state "$state" \
        machine "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, Linux $(uname -r)" versions "$(raw_versions)" >"$RAW_FILE"
}
raw() { [ -z "$RAW_FILE" ] || printf '%s\t%s\t%s\t%s\n' "$@" >>"$RAW_FILE"; }
raw_lines() { if [ "$RAW_FILE" ]; then cat >>"$RAW_FILE"; else cat >/dev/null; fi; }
# Without what is of this machine alone: paths, and where packages come from.
raw_reason() { tr '\n' ' ' <<<"$1" | sed -E 's#(^| )(/[[:alnum:]._-]+){2,}[: ]*# #g; s|,? [^ ]* packages exist with this id.*||; s| +$||'; }
raw_missing() { [ -z "$RAW_FILE" ] || printf '#\t%s\t%s\t%s\n' missing "$1" "$(raw_reason "$2")" >>"$RAW_FILE"; }
