#!/usr/bin/env bash
# level: full
# A range that is chosen in the page's timeline filters the other views, the search makes pale what has not its text in all of them, and what they show can be
# saved: in a browser, by keys and clicks.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/browser.sh"

if ! browser_can || ! has mono || ! has mcs; then
    skip "a range of the timeline in a browser" "chromium, chromium-driver, curl, mono and mcs are not all there"
    finish
fi
cd "$SCRATCH" || exit 1
cat >P.cs <<'END'
using System;
using System.Threading;
static class P
{
    static int Sum(int a, int b) { return a + b; }
    static void Early(int n) { for (int i = 0; i < n; i++) Sum(i, 1); Thread.Sleep(20); }
    static void Late(int n) { try { for (int i = 0; i < n; i++) Sum(i, 2); throw new FormatException("x"); } catch (FormatException) { } Thread.Sleep(20); }
    static void Other() { Late(3); }
    static void Main()
    {
        Early(5);
        Late(7);
        var other = new Thread(Other) { Name = "other" };
        other.Start();
        other.Join();
    }
}
END
mcs -nologo -debug P.cs && "$ILINJECT" -q P.exe --capture=P.Sum -o made/ || exit 1
for i in 1 2; do
    ILINJECT_TIMELINE=1 ILINJECT_LABELS=release=1.$i ILINJECT_OUT=$i.ilprof mono made/P.exe || exit 1
done
"$ILINJECT" report 1.ilprof --with-source --html one.html
"$ILINJECT" report 2.ilprof --before 1.ilprof --html two.html
"$ILINJECT" report 1.ilprof 2.ilprof --html many.html
if ! browser_start; then
    skip "a range of the timeline in a browser" "chromedriver does not start: $(tail -n 1 chromedriver.log)"
    finish
fi
trap 'browser_stop; rm -rf "$SCRATCH"' EXIT
page() {
    browser_open "file://$SCRATCH/$1.html${2:-}"
    is 'document.documentElement.dataset.ready' yes
}
text() { echo "document.querySelector('$1').textContent"; }
run() { browser_value "$1" >/dev/null; }
names() { echo "[...document.querySelectorAll('#$1 tbody tr')].map(e => e.cells[0].textContent)"; }
figure() { echo "[...document.querySelectorAll('#$1 tbody tr')].find(e => e.cells[0].textContent.startsWith('$2')).cells[$3].textContent"; }
shown() { echo "!document.getElementById('$1').hidden"; }
type_search() { run "(e => { e.value = '$1'; e.dispatchEvent(new Event('input')); })(document.getElementById('search'))"; }
# The range of the call of Early: with its five calls of Sum, and nothing of Late.
early() { "$ILINJECT" report --format=chrome 1.ilprof | python3 -c "
import json, sys
calls = [e for e in json.load(sys.stdin)['traceEvents'] if e['ph'] in 'BE']
at = next(i for i, e in enumerate(calls) if e.get('name') == 'P.Early(int)')
deep, end = 0, at
while True:
    deep += 1 if calls[end]['ph'] == 'B' else -1
    if deep == 0: break
    end += 1
print('from=%d&to=%d' % (calls[at]['ts'] * 1000, calls[end]['ts'] * 1000))"; }
range=$(early)

# ---- The range ----

check "an address opens a range in another view" page one "#view=functions&$range"
check "the page says so" is "$(shown range) && $(text '#range-text').startsWith('Only ')" true
check "functions are those that ran in it" is "$(names function-table).sort().join()" 'P.Early(int),P.Main(),P.Sum(int, int)'
check "with their calls there" is "$(figure function-table 'P.Sum' 1)" 5
check "their parts are those of the range" is "Math.round([...document.querySelectorAll('#function-table tbody tr')].map(e => parseFloat(e.cells[4].textContent)).reduce((a, b) => a + b)) " 100
check "the address keeps it from view to view" browser_click '#tab-flame'
check "with its two ends" is "['from', 'to'].every(key => +new URLSearchParams(location.hash.slice(1)).get(key) > 0)" true
check "the graph has what ran in it" is "[...document.querySelectorAll('#chart g.frame')].map(e => e.__data__.data.frame.name).sort().join()" 'P.Early(int),P.Main(),P.Sum(int, int),all'
check "as wide as the range" is "(r => Math.abs(d3.select('#chart').datum().value - (r.get('to') - r.get('from'))) < 10)(new URLSearchParams('$range'))" true
check "threads are those that ran" browser_click '#tab-threads'
check "one of two" is "$(names thread-table).length" 1
check "callers and callees are those of the range" browser_click '#tab-functions'
run "[...document.querySelectorAll('#function-table tbody button')].find(e => e.textContent.startsWith('P.Sum')).click()"
check "one caller" is "$(names caller-table).join()" 'P.Early(int)'
check "with its calls" is "$(figure caller-table P.Early 1)" 5
check "so has its line in the source" is "document.querySelector('#listing tr[aria-current] button').textContent" 5
run "document.getElementById('find').value = 'late', document.getElementById('find').dispatchEvent(new Event('input')), document.querySelector('#find-list button').click()"
check "a method that did not run in it says so" is "$(text '#subject-facts')" 'It did not run in this range.'
check "calls with values are those that ran" browser_click '#tab-calls'
check "five of them" is "document.querySelectorAll('#call-table tbody tr').length" 5
check "exceptions stay whole" browser_click '#tab-exceptions'
check "which the page says" is "$(text '#range-text').includes('does not say when exceptions')" true
check "a button ends the range" browser_click '#range-end'
check "the page says nothing more" is "$(shown range)" false
browser_click '#tab-functions'
check "all functions are there again" is "$(names function-table).length" 5
check "with all their calls" is "$(figure function-table 'P.Sum' 1)" 15
run "[...document.querySelectorAll('#function-table tbody button')].find(e => e.textContent.startsWith('P.Sum')).click()"
check "in the source, too" is "document.querySelector('#listing tr[aria-current] button').textContent" 15
check "a click opens the timeline" browser_click '#tab-timeline'
run "document.getElementById('lanes').focus()"
browser_keys '+'
check "what is zoomed into there" is "$(text '#timeline-range').startsWith('the whole run')" false
check "is the range of the others" browser_click '#tab-functions'
check "as they say" is "$(shown range)" true
run "history.back()"
check "going back shows the timeline" is "$(shown timeline)" true
check "nothing went wrong" is "document.documentElement.dataset.failed" undefined

# ---- The search ----

page one
pale() { echo "[...document.querySelectorAll('$1 tr.dim')].map(e => e.cells[0].textContent).sort().join()"; }
type_search early
check "the search marks the graph" is "[...document.querySelectorAll('#chart g.frame rect')].filter(e => e.getAttribute('fill') === '#e8a1f0').length" 1
browser_click '#tab-functions'
check "functions without its text are pale" is "$(pale '#function-table')" 'P.Late(int),P.Main(),P.Other(),P.Sum(int, int)'
check "the page says how many have it" is "$(text '#found')" '1 method'
check "sorting leaves them so" browser_click '#function-table th:nth-child(2) button'
check "still" is "$(pale '#function-table')" 'P.Late(int),P.Main(),P.Other(),P.Sum(int, int)'
run "location.hash = '#view=callers&method=P.Sum(int, int)&search=early'"
check "so are callers" is "$(pale '#caller-table')" 'P.Late(int)'
check "and frames of their graph" is "(all => all.length > 2 && all.every(e => e.classList.contains('dim') !== e.__data__.data.frame.name.includes('Early')))([...document.querySelectorAll('#caller-graph g.frame')])" true
browser_click '#tab-exceptions'
check "and exceptions" is "document.querySelectorAll('#exception-tree .dim').length > 1" true
browser_click '#tab-timeline'
light="(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let sum = 0; for (let i = 0; i < d.length; i += 4) sum += d[i] + d[i + 1] + d[i + 2]; return Math.round(sum / d.length); })(document.querySelector('#lanes canvas'))"
is "$light > 0" true
found=$(browser_value "$light")
type_search ''
check "and calls in the timeline" is "$light !== $found" true
check "an empty search leaves nothing pale" is "document.querySelectorAll('.dim').length" 0
browser_keys '/'
check "/ goes to the search in every view" is "document.activeElement.id + $(shown timeline)" searchtrue

# ---- Pictures ----

saved() { echo "(() => { let text = ''; HTMLAnchorElement.prototype.click = function () { text = decodeURIComponent(this.href.slice(this.href.indexOf(',') + 1)); }; document.getElementById('save-svg').click(); const made = new DOMParser().parseFromString(text, 'image/svg+xml'); return made.documentElement.tagName + ($1); })()"; }
check "the timeline is an SVG" is "$(saved "made.querySelectorAll('rect').length > 5 && made.documentElement.textContent.includes('Thread 1')")" svgtrue
run "location.hash = '#view=callers&method=P.Sum(int, int)'"
check "so is the sandwich, both halves" is "$(saved "made.querySelectorAll('g > rect').length === document.querySelectorAll('.half g.frame').length && made.documentElement.textContent.includes('Early')")" svgtrue
browser_click '#tab-functions'
check "a view without a picture offers none" is "document.getElementById('save-svg').disabled && document.getElementById('save-png').disabled" true
page many '#view=trend'
check "so is the trend" is "$(saved "made.querySelectorAll('polyline').length > 2 && made.querySelectorAll('text').length > 3")" svgtrue
check "with colours of its own" is "$(saved "[...made.querySelectorAll('polyline')].every(e => e.getAttribute('stroke').startsWith('rgb') && e.getAttribute('fill') === 'none')")" svgtrue
run "(HTMLAnchorElement.prototype.click = function () { window.png = this.href.slice(0, 22); }, document.getElementById('save-png').click())"
check "a PNG is made of it" is "window.png" 'data:image/png;base64,'
type_search early
check "the search makes its lines pale, too" is "[...document.querySelectorAll('#trend-keys .dim')].length === document.querySelectorAll('#trend-keys li').length - 1" true
check "nothing went wrong with them" is "document.documentElement.dataset.failed" undefined

# ---- Two profiles ----

check "a range of two profiles" page two "#view=functions&$range"
check "has both" is "$(names function-table).includes('P.Early(int)') && $(shown range)" true
browser_click '#tab-flame'
check "in the graph, too" is "[...document.querySelectorAll('#chart g.frame')].some(e => e.__data__.data.frame.totalBefore > 0)" true
check "and nothing went wrong" is "document.documentElement.dataset.failed" undefined
finish
