# tests/lib.sh - what every suite script starts with: counting, skipping, a scratch folder.
#   . "$(dirname "$0")/../lib.sh"
#   check "a sentence about behaviour" command args…      passes when the command succeeds
#   skip "a sentence about behaviour" "the reason"
#   finish                                                last line of the suite
# $ILINJECT is the program, $BUILD the build folder, $ROOT the tree, $SCRATCH an empty folder of this suite's own.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
ILINJECT=${ILINJECT:-$BUILD/ilinject}
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/ilinject-test.XXXXXX")
trap 'rm -rf "$SCRATCH"' EXIT
passed=0 failed=0 skipped=0

check() {
    local sentence=$1 output
    shift
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "ok: $sentence"
    else
        failed=$((failed + 1))
        echo "FAILED: $sentence"
        printf '%s\n' "$output" | tail -n 30 | sed 's/^/    /'
    fi
}
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1: $2"
}
has() { command -v "$1" >/dev/null 2>&1; }
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}
