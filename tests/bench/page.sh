#!/usr/bin/env bash
# The page's benchmark: of a profile of 1,000,000 call-tree nodes and 20,000 functions, the time to write the page, the time until it can be
# used, and the time of a search.
#   tests/bench/page.sh [--build DIR] [--runs N]
# Least of N runs (5). Chromium opens the page from disk, each time in a new window of a new profile; without it that part is left out.
set -u
build=build runs=5
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "usage: tests/bench/page.sh [--build DIR] [--runs N]" >&2; exit 2 ;;
    esac
done
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(cd "$build" && pwd)
. tests/lib.sh
. tests/bench/raw.sh
raw_begin page "tests/bench/page.sh --runs $runs"
. tests/e2e/lib/sh/browser.sh
"$BUILD/tests/large_profile" "$SCRATCH/large.ilprof" 1000000 20000 || exit 1
# Lines "MS [KIB]" on standard input are kept; prints the least one.
least() { # WHAT
    sort -n >"$SCRATCH/figures"
    awk -v OFS='\t' -v what="$1" '{ print "page", what, "ms", $1; if (NF > 1) print "page", what, "kib", $2 }' "$SCRATCH/figures" | raw_lines
    head -n 1 "$SCRATCH/figures"
}
for _ in $(seq "$runs"); do
    "$BUILD/tests/measure" "$ILINJECT" report "$SCRATCH/large.ilprof" --html "$SCRATCH/large.html" | tail -n 1
done | awk '{ print $1 * 1000, $2 }' >"$SCRATCH/written"
echo "a profile of 1,000,000 nodes, $(du -k "$SCRATCH/large.ilprof" | cut -f1) KiB; its page, $(du -k "$SCRATCH/large.html" | cut -f1) KiB; least of $runs"
least written <"$SCRATCH/written" | awk '{ printf "  %-36s %8.0f ms %8.1f MiB\n", "written", $1, $2 / 1024 }'
if ! browser_can; then
    echo "  opened: chromium, chromium-driver and curl are not all there"
    raw_missing "opened" "chromium, chromium-driver and curl are not all there"
    exit 0
fi
# From the key to the marked frames: the page waits for a moment whether more is typed, then says how many frames it has found.
search="(s => { const found = document.getElementById('found'), from = performance.now(); new MutationObserver(() => { document.body.getBoundingClientRect(); found.dataset.after = Math.round(performance.now() - from); }).observe(found, { childList: true }); s.value = 'method1'; s.dispatchEvent(new Event('input')); })(document.getElementById('search'))"
for _ in $(seq "$runs"); do
    browser_start || { echo "  opened: chromedriver does not start" >&2; raw_missing "opened" "chromedriver does not start"; exit 1; }
    browser_open "file://$SCRATCH/large.html"
    is 'document.documentElement.dataset.ready' yes >&2 || exit 1
    echo "$(browser_value 'document.documentElement.dataset.milliseconds')"
    browser_value "$search" >/dev/null
    is "document.getElementById('found').textContent.includes(' frames, ') && 'after' in document.getElementById('found').dataset" true >&2 || exit 1
    echo "$(browser_value "document.getElementById('found').dataset.after")" >>"$SCRATCH/searched"
    browser_stop
    rm -rf "$SCRATCH/chromium"
done >"$SCRATCH/opened"
least opened <"$SCRATCH/opened" | awk '{ printf "  %-36s %8d ms\n", "opened, from the start to the graph", $1 }'
least searched <"$SCRATCH/searched" | awk '{ printf "  %-36s %8d ms\n", "searched, from the key to the frames", $1 }'
