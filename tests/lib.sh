# tests/lib.sh - what every suite script starts with: counting, skipping, a scratch folder.
#   . "$(dirname "$0")/../lib.sh"
#   check "a sentence about behaviour" command args…      passes when the command succeeds
#   skip "a sentence about behaviour" "the reason"
#   in_turn "a sentence" command args…                    check, on one of the runtimes
#   halves FUNCTION [REST]                                does FUNCTION for $runtime mono and dotnet at the same time, beside them REST
#   within SECONDS command args…                          does the command again and again until it succeeds; fails when the time is up
#   finish                                                last line of the suite
# With CHECK=WORDS in the environment only checks with these words in their sentence count. Those before the first one are
# done in silence, as it may need what they leave; those after it are not.
# $FULL is 1 in make check-full, else empty: what is long and rarely breaks is done there alone.
# $ILINJECT is the program, $BUILD the build folder, $ROOT the tree, $SCRATCH an empty folder of this suite's own.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
FULL=${FULL:-} && export -n FULL
ILINJECT=${ILINJECT:-$BUILD/ilinject}
# A build's helpers end with it: none of them waits for the builds of other suites, in this one's environment.
export MSBUILDDISABLENODEREUSE=1
# Where there is gdb, Mono has it look at each crash, which takes a second of the processor; nothing that a suite reads is in that.
export MONO_DEBUG=no-gdb-backtrace
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/ilinject-test.XXXXXX")
# One that is ended early still says how far its halves came.
trap 'cat "$SCRATCH"/half.*.log 2>/dev/null; rm -rf "$SCRATCH" "$SCRATCH.kept"' EXIT
passed=0 failed=0 skipped=0
words_wanted=${CHECK:-} # not for what a suite starts
consistent=${CONSISTENT:-} reader=$BUILD/ilinject # a suite may have another, or none
unset CHECK CONSISTENT
# Beside the suite, and no job of its shell.
if [ "$consistent" ] && { [ ! -x "$ROOT/tests/keep-profiles" ] || ! command -v python3 >/dev/null; }; then consistent=; fi
if [ "$consistent" ]; then
    ("$ROOT/tests/keep-profiles" "$SCRATCH" "$SCRATCH.kept" </dev/null >/dev/null 2>&1 &)
    until [ -e "$SCRATCH.kept/ready" ]; do sleep 0.02; done
fi

check() {
    local sentence=$1 output
    shift
    if [[ $sentence != *"$words_wanted"* ]]; then
        [ $((passed + failed)) -ne 0 ] || output=$("$@" 2>&1) || echo "not counted, but it failed: $sentence"
        return 0
    fi
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "ok: $sentence"
    else
        failed=$((failed + 1))
        echo "FAILED: $sentence"
        printf '%s\n' "$output" | tail -n 30 | sed 's/^/    /'
    fi
}
# A check that does not hang on the runtime: of each two, Mono has one and .NET the other. In make check-full, and where only one
# of them is there, $runtime has both. `turn` is 0 before the first one.
in_turn() {
    turn=$((turn + 1))
    case $runtime.$((turn % 2)) in mono.0 | dotnet.1) if [ -z "$FULL$words_wanted" ] && has mono && has dotnet; then return; fi ;; esac
    check "$@"
}
skip() {
    [[ $1 == *"$words_wanted"* ]] || return 0
    skipped=$((skipped + 1))
    echo "skipped: $1: $2"
}
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { echo "$* did not come about in time"; return 1; }
        sleep 0.05
    done
}
has() { command -v "$1" >/dev/null 2>&1; }
is_checkout() { git -C "$ROOT" rev-parse -q --verify HEAD >/dev/null 2>&1; }
# The tree's make, for programs and packages of other systems: one suite at a time, as two would write the same files.
make_alone() {
    mkdir -p "$BUILD/tests" && flock -o "$BUILD/tests/make.lock" env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -C "$ROOT" "$@"
}
# Each in a copy of the scratch folder as it is now; what they say comes one after the other, and their checks count. SIGINT and SIGQUIT are
# ignored in there, as in all of a shell's background jobs.
halves() {
    local whole=$SCRATCH name half p f s
    local -A parts=([mono]=$1 [dotnet]=$1)
    if [ $# -gt 1 ]; then parts[rest]=$2; fi
    for name in "${!parts[@]}"; do
        half=$whole/half.$name
        mkdir "$half" && find "$whole" -mindepth 1 -maxdepth 1 ! -name 'half.*' -exec cp -a -t "$half" {} + || return
        (
            SCRATCH=$half passed=0 failed=0 skipped=0 runtime=${name/rest/mono}
            if [ "${TMPDIR:-}" ]; then TMPDIR=${TMPDIR/#"$whole"/"$half"}; fi
            cd "$half" || exit
            "${parts[$name]}"
            echo "$passed $failed $skipped" >"$half.counts"
        ) >"$half.log" 2>&1 &
    done
    wait
    for name in mono dotnet rest; do
        half=$whole/half.$name
        [ "${parts[$name]:-}" ] || continue
        cat "$half.log"
        rm "$half.log"
        # One that does not come to its end has failed.
        [ -e "$half.counts" ] || { echo "FAILED: the half of $name ended too early"; echo "0 1 0" >"$half.counts"; }
        read -r p f s <"$half.counts"
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done
}
# A merged profile's report is that of its files. The reports of all profiles that a suite has written, those of halves too and those that others took the place of, hold no figure
# that contradicts another, whichever order their calls stand in. A profile that no report is made of has been damaged on purpose; one of a name with "odd" in it is made up.
consistent_profiles() {
    local file options count=0 bad=0 merged=()
    local -A seen=()
    while read -r file; do
        options=$(cksum <"$file")
        [ -z "${seen[$options]:-}" ] || continue
        seen[$options]=1
        for options in "" --physical; do
            # shellcheck disable=SC2086
            timeout 20 "$reader" report --json $options "$file" >"$SCRATCH/.report.json" 2>/dev/null || continue 2
            # shellcheck disable=SC2086
            {
                timeout 20 "$reader" report -q --width=0 --top=0 --view=functions --idle --columns=calls,inclusive,exclusive,average $options "$file"
                timeout 20 "$reader" report -q --width=0 --view=callers $options "$file"
            } >"$SCRATCH/.report.txt" 2>/dev/null
            "$ROOT/tests/consistent" "$SCRATCH/.report.json" "$SCRATCH/.report.txt" >"$SCRATCH/.contradictions" ||
                { echo "$file $options:"; head -n 5 "$SCRATCH/.contradictions"; bad=1; }
        done
        merged+=("$file")
        count=$((count + 1))
    done < <(find "$SCRATCH.kept" -name '*.ilprof' ! -name '*odd*' -type f | LC_ALL=C sort -V)
    echo "# $count profiles were checked, $(cat "$SCRATCH.kept/ended")" >"$SCRATCH.kept/checked"
    [ ${#merged[@]} -eq 0 ] || timeout 3000 "$ROOT/tests/same-merged" "$reader" "${merged[@]}" >"$SCRATCH/.differences" ||
        { echo "merged, a report has other figures:"; head -n 10 "$SCRATCH/.differences"; bad=1; }
    return $bad
}
finish() {
    if [ "$consistent" ]; then
        touch "$SCRATCH/.end"
        until [ -e "$SCRATCH.kept/ended" ]; do sleep 0.02; done
    fi
    if [ "$consistent" ] && find "$SCRATCH.kept" -name '*.ilprof' -type f | grep -q .; then
        check "no figure of a report of its profiles contradicts another" consistent_profiles
        cat "$SCRATCH.kept/checked"
    fi
    if [ "$words_wanted" ] && [ $((passed + failed + skipped)) -eq 0 ]; then
        echo "no check's sentence contains '$words_wanted'"
        echo "0 passed, 0 failed, 0 skipped"
        exit 1
    fi
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}
