#!/usr/bin/env bash
# level: full
# The page of `report --html` in a browser: what stands in it, by keys and clicks. Its data: tests/unit/report/test_page.c.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/browser.sh"

if ! browser_can; then
    skip "the page in a browser" "chromium, chromium-driver and curl are not all there"
    finish
fi
cd "$SCRATCH" || exit 1
"$BUILD/tests/unit/test_report" sample sample.ilprof
"$BUILD/tests/unit/test_report" events events.ilprof
"$ILINJECT" report sample.ilprof --html sample.html
"$ILINJECT" report events.ilprof --html events.html 2>/dev/null
"$ILINJECT" report sample.ilprof --before sample.ilprof --html same.html
"$ILINJECT" report events.ilprof --before sample.ilprof --html other.html 2>/dev/null
if ! browser_start; then
    skip "the page in a browser" "chromedriver does not start: $(tail -n 1 chromedriver.log)"
    finish
fi
trap 'browser_stop; rm -rf "$SCRATCH"' EXIT
page() {
    browser_open "file://$SCRATCH/$1.html"
    is 'document.documentElement.dataset.ready' yes
}
text() { echo "document.querySelector('$1').textContent"; }
frames="document.querySelectorAll('g.frame')"
row() { echo "[...document.querySelectorAll('#$1 tbody tr')][$2].cells[$3].textContent"; }
sort_of() { echo "[...document.querySelectorAll('#function-table th')].map(e => e.ariaSort[0]).join('')"; }

check "the page opens from a file" page sample
check "nothing is asked from elsewhere" is "performance.getEntriesByType('resource').length" 0
check "nothing went wrong in it" is "document.documentElement.dataset.failed" undefined
check "a script that comes from elsewhere does not run" is "(() => { const s = document.createElement('script'); s.textContent = 'window.foreign = 1'; document.body.append(s); return window.foreign; })()" undefined
check "nor does a handler in a name" is "(() => { document.body.insertAdjacentHTML('beforeend', '<a id=x onclick=window.foreign=1>x</a>'); document.getElementById('x').click(); return window.foreign; })()" undefined
check "the head says calls, threads and wall time" is "$(text '#facts').includes('12,345,852 calls')" true

# The flame graph: 1.00 s of Main and what stands beside it.
check "the graph's root is all time" is "d3.select('#chart').datum().value" "$(sed -n 's/.*"totals":{[^}]*"exclusive":\([0-9]*\).*/\1/p' sample.html)"
check "Main is a frame" is "[...$frames].filter(e => e.__data__.data.frame.name.startsWith('Shop.Program.Main(')).length" 1
check "/ goes to the search" browser_keys /
check "it has the focus" is 'document.activeElement.id' search
browser_keys fib
check "what is found is told" is "$(text '#found').split(' ').slice(0, 2).join(' ')" "4 frames,"
check "what is found is marked" is "[...document.querySelectorAll('g.frame rect')].filter(e => e.getAttribute('fill') === '#e8a1f0').length" 4
check "what is not found fades" is "[...document.querySelectorAll('g.frame rect')].every(e => (getComputedStyle(e).fillOpacity < 0.5) === (e.getAttribute('fill') !== '#e8a1f0'))" true
browser_value "document.getElementById('search').select()" >/dev/null
# System.Collections.Generic.Dictionary is a parameter's type alone.
browser_keys 'dictionary'
check "names are searched, not the types of parameters" is "$(text '#found').split(',')[0]" "0 frames"
browser_value "document.getElementById('search').select()" >/dev/null
browser_keys '(k, system'
check "with a parenthesis these too" is "$(text '#found').split(',')[0] !== '0 frames'" true
browser_value "(document.getElementById('search').value = '', document.getElementById('search').dispatchEvent(new Event('input')))" >/dev/null
check "an empty search marks nothing" is "$(text '#found')" ""
check "and nothing is faded" is "[...document.querySelectorAll('g.frame rect')].every(e => getComputedStyle(e).fillOpacity === '1')" true
check "no frame looks as if it had been found" is "[...document.querySelectorAll('g.frame rect')].every(e => { const [r, g, b] = getComputedStyle(e).fill.match(/[0-9]+/g).map(Number); return r <= g || b <= g || Math.abs(r - b) > 60 || r - g < 12; })" true
check "labels have the page's font" is "getComputedStyle(document.querySelector('.d3-flame-graph-label')).fontFamily === getComputedStyle(document.body).fontFamily" true
check "the legend says what pink means" is "$(text '#legend').includes('pink: found')" true
check "and red only where two profiles are compared" is "document.getElementById('legend').innerText.includes('red')" false
browser_value "document.getElementById('chart').focus()" >/dev/null
# Main stands above the root, its largest callee above it.
browser_keys '\uE013\uE013'
check "arrow up goes to the largest callee" is "$(text '#details').startsWith('Shop.Program.Main(')" true
browser_keys '\uE013'
check "and on" is "$(text '#details').startsWith('Shop.Data.Store<T>.Find')" true
browser_keys '\uE014'
check "arrow right goes to the next one" is "$(text '#details').startsWith('Shop.Data.Store<T>.')" true
browser_keys '\uE007'
check "Enter zooms in: its callers take the whole width" is "[...$frames].filter(e => !e.__data__.data.hide && e.__data__.data.fade).every(e => Math.round(e.__data__.x1 - e.__data__.x0) === 1)" true
check "and frames beside it go" is "[...$frames].some(e => e.__data__.data.frame.name.startsWith('Shop.商品カタログ') && e.getAttribute('width') > 1)" false
browser_keys '\uE00C'
check "Escape shows the whole graph" is "[...$frames].some(e => e.__data__.data.frame.name.startsWith('Shop.商品カタログ') && e.getAttribute('width') > 1)" true
check "a click zooms in" browser_click 'g.frame[name*=Find] rect'
check "to where it was clicked" is "[...$frames].filter(e => !e.__data__.data.hide && e.__data__.data.fade).length > 1" true
check "the button shows the whole graph" browser_click '#reset'
check "again" is "[...$frames].filter(e => e.__data__.data.fade).length" 0
browser_value "(document.getElementById('shape').value = 'icicle', document.getElementById('shape').dispatchEvent(new Event('change')))" >/dev/null
browser_value "document.getElementById('chart').focus()" >/dev/null
browser_keys '\uE013\uE015'
check "the next frame below is a method" is "document.getElementById('open-frame').disabled" false
check "a button opens its callers and callees" browser_click '#open-frame'
check "of Main" is "$(text '#subject').startsWith('Shop.Program.Main(')" true
browser_click '#tab-flame'
check "an icicle has its root at the top" is "[...$frames].find(e => e.__data__.depth === 0).getAttribute('transform')" "translate(0,0)"
check "threads can be seen alone" is "[...document.getElementById('thread').options].length > 2" true
browser_value "(document.getElementById('thread').selectedIndex = 1, document.getElementById('thread').dispatchEvent(new Event('change')))" >/dev/null
check "then the graph has only what they did" is "d3.select('#chart').datum().value < +d3.select('#chart').datum().data.frame.total + 1 && document.getElementById('thread').selectedIndex" 1

# Uncertain times: figures of tests/unit/report/test_trust.c.
"$BUILD/tests/unit/test_trust" uneven uneven.ilprof
"$ILINJECT" report uneven.ilprof --html uneven.html
check "a page of uncertain times opens" page uneven
check "a frame whose time may be off by half is pale" is "[...document.querySelectorAll('g.frame')].find(e => e.getAttribute('name').startsWith('T.m1')).querySelector('rect').getAttribute('fill').includes(' 30%,')" true
check "a sure one is not" is "[...document.querySelectorAll('g.frame')].find(e => e.getAttribute('name').startsWith('T.m3')).querySelector('rect').getAttribute('fill').includes(' 62%,')" true
check "which the legend says" is "$(text '#legend').includes('Pale:')" true
check "nothing went wrong in it, either" is "document.documentElement.dataset.failed" undefined
check "its functions open" browser_click '#tab-functions'
check "what took most, as estimated, stands first" is "$(row function-table 0 0)" "N.T.m1()"
check "with its time, which is marked" is "$(row function-table 0 2)" "~2.20 s"
check "its range is shown where the mouse points" is "document.querySelector('#function-table tbody tr').cells[2].title" "0 ns to 5.44 s"
check "a time without an estimate is at most its high end" is "[...document.querySelectorAll('#function-table tbody tr')].find(e => e.textContent.startsWith('N.T.m0()')).cells[2].textContent" "≤ 9.47 s"
check "a heading says the same of it" is "[...document.querySelectorAll('#function-table tbody button')].find(e => e.textContent.startsWith('N.T.m0()')).click() || $(text '#subject-facts').includes(', ≤ 9.47 s exclusive (0 ns to 9.47 s)')" true
browser_click '#tab-functions'
check "the marks are explained, and why they are there" is "document.getElementById('rough').innerText.includes('10 %: recording. ≤: at most')" true
browser_click '#tab-about'
check "About has the whole head" is "['Machine ', 'Probes ', 'Times '].every(title => document.getElementById('runs').innerText.includes(title))" true
page sample

# The function table.
check "a click opens the functions" browser_click '#tab-functions'
check "the most own time stands first" is "$(row function-table 0 0).startsWith('Shop.Data.Store<T>.Cursor.MoveNext()')" true
check "sorted by exclusive time" is "$(sort_of)" nndnnn
check "which an arrow shows" is "[...document.querySelectorAll('#function-table th button')].map(e => getComputedStyle(e, '::after').content !== 'none').join()" false,false,true,false,false,false
check "calls stand grouped" is "$(row function-table 0 1)" 9,876,543
check "a click on a header sorts" browser_click '#function-table th:nth-child(2) button'
check "by that column" is "$(sort_of)" ndnnnn
browser_keys '\uE007'
check "Enter on it sorts the other way" is "$(sort_of)" nannnn
browser_value "document.getElementById('filter').focus()" >/dev/null
browser_keys find
check "a filter leaves what has its text" is "[...document.querySelectorAll('#function-table tbody tr')].every(e => e.textContent.includes('Find'))" true
check "and says how many" is "$(text '#matches').split(' ')[0] > 0" true

# Callers and callees: Find is called by Main and by 検索.
check "a function opens its callers and callees" browser_click '#function-table tbody tr td button'
check "of that function" is "$(text '#subject').startsWith('Shop.Data.Store<T>.Find')" true
check "its callers are there" is "[...document.querySelectorAll('#caller-table tbody tr')].length" 2
check "with their calls" is "$(row caller-table 0 1)" 1,234,567
check "its callees are there" is "[...document.querySelectorAll('#callee-table tbody tr')].length" 2
check "the tab has the focus" is 'document.activeElement.id' tab-callers
check "all that calls it stands above it, all that it calls below" is "['caller-graph', 'callee-graph'].map(id => document.querySelectorAll('#' + id + ' g.frame').length > 1).join()" true,true
check "both graphs are as wide as its time" is "new Set(['caller-graph', 'callee-graph'].map(id => d3.select('#' + id).datum().value)).size" 1
subject=$(browser_value "$(text '#subject')")
check "the address says what is seen" is "new URLSearchParams(location.hash.slice(1)).get('method')" "$subject"
browser_value "[...document.querySelectorAll('#caller-graph g.frame')].find(e => e.__data__.depth === 1).dispatchEvent(new MouseEvent('click', { bubbles: true }))" >/dev/null
check "a click on a caller puts it into the middle" is "$(text '#subject') !== '$subject'" true
check "going back shows the one before" eval 'browser_value "history.back()" >/dev/null; within 20 is "$(text "#subject")" "$subject"'
browser_value "location.hash = '#view=functions&filter=fib'" >/dev/null
check "an address opens its view, with its words" is "document.getElementById('filter').value + document.getElementById('functions').hidden" fibfalse
browser_value "location.hash = ''" >/dev/null
check "none is the first view" is "document.getElementById('flame').hidden + document.getElementById('filter').value" false
check "the graph is an SVG that a reader of XML takes" is "(() => { let text = ''; HTMLAnchorElement.prototype.click = function () { text = decodeURIComponent(this.href.slice(this.href.indexOf(',') + 1)); }; document.getElementById('save-svg').click(); const made = new DOMParser().parseFromString(text, 'image/svg+xml'); return made.documentElement.tagName + (made.querySelectorAll('g > rect').length === document.querySelectorAll('#chart g.frame').length); })()" svgtrue
browser_click '#tab-callers'
browser_value "document.getElementById('find').focus()" >/dev/null
browser_keys fib
check "the search of the callers names the methods with a text" is "[...document.querySelectorAll('#find-list button')].length > 0 && [...document.querySelectorAll('#find-list button')].every(e => e.textContent.toLowerCase().includes('fib'))" true
first=$(browser_value "$(text '#find-list button')")
browser_keys '\uE007'
check "Enter shows the first of them" is "$(text '#subject')" "$first"
browser_click '#tab-callers'
browser_keys '\uE014'
check "arrow right opens the next tab" is "[...document.querySelectorAll('section')].find(e => !e.hidden).id" threads

# Light and dark.
check "the theme changes with a click" browser_click '#theme'
check "from light to dark" is "getComputedStyle(document.body).backgroundColor" "rgb(21, 24, 28)"

# A telephone: 390 pixels wide.
narrow() { browser_post goog/cdp/execute '{"cmd":"Emulation.setDeviceMetricsOverride","params":{"width":390,"height":760,"deviceScaleFactor":1,"mobile":true}}' | grep -q '^{"value":{}}'; }
wide() { browser_post goog/cdp/execute '{"cmd":"Emulation.clearDeviceMetricsOverride","params":{}}' | grep -q '^{"value":{}}'; }
# Each view in turn; the names of those that make the page wider than the window, or a control is cut off.
views="[...document.querySelectorAll('[role=tab]')].filter(e => !e.hidden)"
wider="$views.filter(e => { e.click(); return document.documentElement.scrollWidth > 390 || innerWidth !== 390 || [...document.querySelectorAll('button, input, select, h1, h2, p, details')].some(e => !e.closest('table') && e.getBoundingClientRect().right > 390); }).map(e => e.textContent).join()"
names="[...document.querySelectorAll('table')].filter(e => e.getBoundingClientRect().width > 0 && e.querySelector('td') && e.querySelector('td').getBoundingClientRect().width < 140).length"
narrows() {
    check "$1: the page opens on a telephone" page "$2"
    check "$1: no view is wider than it" is "$wider" ""
    check "$1: names of functions have room" is "document.getElementById('tab-functions').click() || $names" 0
}
check "a window of 390 pixels" narrow
narrows "one profile" sample
narrows "exceptions and async methods" events
narrows "two profiles" other
check "a long text above the graph does not move it" is "document.getElementById('tab-flame').click() || (d => { const top = () => document.getElementById('chart').getBoundingClientRect().top; const before = top(); d.textContent = 'one word '.repeat(90); const after = top(); d.textContent = ''; return after - before; })(document.getElementById('details'))" 0
check "a wide table moves in its own box" is "document.getElementById('tab-functions').click() || (e => e.scrollWidth > e.clientWidth && e.clientWidth <= 390)(document.querySelector('#function-table .box'))" true
check "its names stay in sight" is "(e => { e.scrollLeft = 1000; return e.querySelector('td').getBoundingClientRect().left - e.getBoundingClientRect().left; })(document.querySelector('#function-table .box'))" 0
check "a wide window again" wide

# A profile of 600,000 places in the call tree.
"$BUILD/tests/large_profile" large.ilprof 600000 20000 && "$ILINJECT" report large.ilprof --html large.html
check "a large profile's page opens" page large
check "how many frames are too narrow is told" is "+$(text '#left-out').replace(/ frames too narrow.*/, '').replace(/,/g, '') > 1000" true
browser_value "document.getElementById('search').focus()" >/dev/null
browser_keys 'method1'
check "its search answers" is "$(text '#found').includes(' frames, ')" true

# Exceptions and async methods.
check "a profile with exceptions opens" page events
check "licences are folded" is "document.querySelector('#about details').open" false
check "their tab is there" browser_click '#tab-exceptions'
check "with types, most exceptions first" is "$(text '#exception-tree summary').startsWith('System.InvalidOperationException 14')" true
check "how often is told in words" is "$(text '#exception-tree summary')" 'System.InvalidOperationException 14 times, 101 µs each'
check "and messages" is "$(text '#exception-tree').includes('名前')" true
check "async methods have theirs" browser_click '#tab-async'
check "and their figures" is "[...document.querySelectorAll('#async-table tbody tr')].length > 0" true

# Two profiles.
check "a comparison opens" page same
check "what has not changed is grey" is "[...document.querySelectorAll('g.frame rect')].every(e => e.getAttribute('fill') === 'rgb(222,222,222)')" true
check "another opens" page other
check "its legend says what red means" is "document.getElementById('legend').innerText.includes('red: slower than before')" true
check "what is new is red" is "[...document.querySelectorAll('g.frame rect')].filter(e => e.getAttribute('fill') === 'rgb(246,102,102)').length > 5" true
browser_click '#tab-functions'
check "new functions are named so" is "[...document.querySelectorAll('#function-table tbody tr')].find(e => e.textContent.startsWith('Bank.Db.Query')).cells[4].textContent" new
check "gone ones too" is "[...document.querySelectorAll('#function-table tbody tr')].find(e => e.textContent.startsWith('Shop.Program.Main(')).cells[4].textContent" gone

headers() { echo "[...document.querySelectorAll('#$1 th')].map(e => e.textContent).join()"; }
browser_value "location.hash = '#view=callers&method=Shop.Program.Main(string[])'" >/dev/null
check "the callers of a gone one have what was before" is "$(text '#subject-facts').includes('before 1, gone')" true
check "so has the table of what it called" is "$(headers callee-table)" Function,Calls,Before,Change,Time,Before,Change
check "the graph has the widths of before" is "document.querySelectorAll('#callee-graph g.frame').length > 1" true
browser_click '#tab-threads'
check "threads have both" is "$(headers thread-table)" Thread,Calls,Before,Change,Time,Before,Change
browser_click '#tab-exceptions'
check "and exceptions" is "[...document.querySelectorAll('#exception-tree .figures')].every(e => e.textContent.includes('; before '))" true
browser_click '#tab-async'
check "and async methods" is "$(headers async-table).startsWith('Method,Calls,Before,Change,Completed,Before')" true
browser_click '#tab-about'
check "About has the conditions of both" is "[...document.querySelectorAll('#runs h3')].map(e => e.textContent).join()" 'Now,Before,Conditions now,Conditions before'
check "the head has both" is "/calls .before [0-9,]+. in .* wall time .before /.test($(text '#facts'))" true

# Several profiles.
"$ILINJECT" report sample.ilprof events.ilprof uneven.ilprof --html several.html 2>/dev/null
lines="document.querySelectorAll('#trend-chart polyline')"
check "a page of several profiles opens" page several
check "it has a trend" browser_click '#tab-trend'
check "with lines of seven methods at most, and the one that is chosen" is "[7, 8].includes($lines.length)" true
check "each has a point for each profile" is "[...$lines].every(e => e.getAttribute('points').split(' ').length === 3)" true
check "the table has all profiles side by side" is "document.querySelectorAll('#trend-table th').length" 6
browser_value "document.getElementById('trend-chart').focus()" >/dev/null
browser_keys '\uE011\uE015'
check "arrows move between methods and profiles, which are told" is "$(text '#trend-details').includes(': ') && $(text '#trend-details').endsWith('ilprof)')" true
browser_keys '\uE007'
check "Enter chooses the method" is "$(text '#trend-details').startsWith(new URLSearchParams(location.hash.slice(1)).get('method'))" true
check "whose line is thick" is "document.querySelectorAll('#trend-chart polyline.chosen').length" 1
browser_value "(document.getElementById('trend-figure').value = 'calls', document.getElementById('trend-figure').dispatchEvent(new Event('change')))" >/dev/null
check "the address has the figure" is "new URLSearchParams(location.hash.slice(1)).get('figure')" calls
check "a click on a name of the table" browser_click '#trend-table tbody tr:nth-child(2) button'
check "chooses that method" is "$(row trend-table 1 0)" "$(browser_value "new URLSearchParams(location.hash.slice(1)).get('method')")"
check "a button opens its callers" browser_click '#trend-open'
check "of the one that was chosen" is "document.getElementById('callers').hidden" false
check "nothing went wrong in it" is "document.documentElement.dataset.failed" undefined
narrow
narrows "several profiles" several
wide

# Calls with their values: 3,000 of one method, and one that has markup for a value and throws.
if ! has mono || ! has mcs; then
    skip "calls with their values in a browser" "no mono or no mcs"
    finish
fi
cat >Calls.cs <<'END'
using System;
static class Calls
{
    static int Work(int number, string text, ref int sum) { sum += number; return number % 7; }
    static void Bad(string markup, string password) { throw new InvalidOperationException("<img src=x onerror=document.title=1>", new Exception("the cause")); }
    static void Main()
    {
        int sum = 0;
        for (int i = 0; i < 3000; i++) Work(i, new string('y', 5000), ref sum);
        try { Bad("</script><script>document.title=2</script><img src=x onerror=document.title=3>", "hunter2"); } catch (InvalidOperationException) { }
        Console.WriteLine(sum);
    }
}
END
captured() {
    mcs -nologo Calls.cs && "$ILINJECT" -q Calls.exe -o out/ --capture 'Calls.Work: string=5000, bytes=64m' --capture 'Calls.Bad: string=100' &&
        ILINJECT_OUT=calls.ilprof timeout -k 1 150 mono out/Calls.exe >/dev/null && "$ILINJECT" report calls.ilprof --html calls.html
}
rows="[...document.querySelectorAll('#call-table tbody tr')]"
first_row() { echo "document.querySelector('#call-table tbody tr').cells[$1].textContent"; }
value_of() { echo "[...document.querySelectorAll('td.below dt')].find(e => e.textContent === '$1').nextSibling.textContent"; }
type_into() { browser_value "document.getElementById('$1').focus()" >/dev/null && browser_keys "$2"; }
set_to() { browser_value "(document.getElementById('$1').$2, document.getElementById('$1').dispatchEvent(new Event('input')))" >/dev/null; }
check "a program with captured calls runs" captured
check "their page opens" page calls
check "they have a tab" browser_click '#tab-calls'
check "500 rows stand there at first" is "$rows.length" 500
check "the slowest first" is "[...document.querySelectorAll('#call-table th')].map(e => e.ariaSort[0]).join('')" ndnn
check "the others come with a button" browser_click '#call-table > button'
check "500 more" is "$rows.length" 1000
check "what is filtered is told" is "$(text '#call-matches')" '3,001 of 3,001 calls'
type_into call-text 'number: 2999,'
check "a text leaves the calls that have it" is "$(text '#call-matches')" '1 of 3,001 calls'
check "as the report has them" is "$(first_row 0).startsWith('Calls.Work(number: 2999, text: ')" true
browser_value "document.querySelector('#call-table tbody tr button').focus()" >/dev/null
browser_keys '\uE007'
check "Enter unfolds a call" is "document.querySelector('#call-table tbody tr button').ariaExpanded" true
check "with what it changed" is "$(value_of sum)" '4495501 ⇒ 4498500'
check "and returned" is "$(value_of returned)" 3
check "a long value is cut" is "$(value_of text).length" 4097
check "where it was called from is told" is "$(value_of 'called by')" 'Calls.Main()'
browser_keys '\uE007'
check "Enter folds it again" is "document.querySelectorAll('td.below').length" 0
set_to call-text "value = ''"
type_into call-time 'soon'
check "what is no time is told" is "$(text '#call-matches').includes('a time is written as')" true
set_to call-time "value = ''"
type_into call-time '1000 s\uE007'
check "a time leaves what took as long, and Enter does not leave the page" is "$(text '#call-matches')" '0 of 3,001 calls'
set_to call-time "value = ''"
set_to call-method 'selectedIndex = 1'
check "a method leaves its calls" is "$(text '#call-matches')" '1 of 3,001 calls'
set_to call-method 'selectedIndex = 0'
check "a click leaves what an exception left" browser_click '#call-thrown'
check "one" is "$(text '#call-matches')" '1 of 3,001 calls'
check "a click unfolds it" browser_click '#call-table tbody tr button'
check "markup in a value is text" is "$(value_of markup).includes('</script><script>document.title=2')" true
check "in an exception too" is "$(value_of from).startsWith('System.InvalidOperationException: <img src=x')" true
check "nothing of it has run" is "document.images.length + document.title" '0Calls – profile'
check "secrets are masked" is "$(value_of password)" '***'
check "a header sorts" browser_click '#call-table th:nth-child(3) button'
check "by that column" is "[...document.querySelectorAll('#call-table th')].map(e => e.ariaSort[0]).join('')" nndn
check "nothing went wrong on the way" is "document.documentElement.dataset.failed" undefined

# Threads that wait: the text report says how long, apart from the page.
waited() {
    mcs -nologo -out:Waits.exe "$ROOT/tests/e2e/lib/cs/Waits.cs" && "$ILINJECT" -q Waits.exe -o out/ &&
        ILINJECT_OUT=waits.ilprof timeout -k 1 150 mono out/Waits.exe >/dev/null && "$ILINJECT" report waits.ilprof --html waits.html &&
        "$ILINJECT" report -v waits.ilprof --width=0 | awk '$1 == "Waiting" { print $2 * ($3 == "s" ? 1e9 : 1e6) }' >waiting && [ -s waiting ]
}
waiting_frames="[...$frames].filter(e => e.__data__.data.frame.name === '(waiting)')"
check "a program that waits runs" waited
check "its page opens" page waits
# On a busy machine its work takes longer than it waits, and the box is empty at first.
browser_value "document.getElementById('waits').checked || document.getElementById('waits').click()" >/dev/null
check "its graph has the waiting" is "document.getElementById('waits').checked" true
check "below the methods that waited" is "$waiting_frames.length > 3 && $waiting_frames.every(e => e.__data__.data.frame.parent.function !== null)" true
check "all of it" is "Math.abs(1 - ($waiting_frames.reduce((sum, e) => sum + e.__data__.data.frame.total, 0)) / $(cat waiting)) < 0.05" true
check "a click leaves work alone" browser_click '#waits'
check "without any of it" is "$waiting_frames.length" 0
check "a further click adds it again" browser_click '#waits'
check "in grey" is "$waiting_frames.every(e => e.querySelector('rect').getAttribute('fill') === '#c9ced6')" true
# A recorded timeline.
timed() {
    ILINJECT_TIMELINE=1 ILINJECT_OUT=timed.ilprof timeout -k 1 150 mono out/Waits.exe >/dev/null && "$ILINJECT" report timed.ilprof --html timed.html
}
in_range() { echo "[...document.querySelectorAll('#range-table tbody tr')]"; }
range="$(text '#timeline-range')"
drawn="(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] * 65536 + d[i + 1] * 256 + d[i + 2]); return seen.size > 20; })(document.querySelector('#lanes canvas'))"
check "a program runs with a timeline" timed
check "its page opens" page timed
check "the timeline has a tab" browser_click '#tab-timeline'
check "its lanes are drawn" is "$drawn" true
check "the whole run is in sight" is "$range.startsWith('the whole run')" true
check "the table has what ran in it" is "$(in_range).length > 3" true
browser_value "document.getElementById('lanes').focus()" >/dev/null
browser_keys '\uE015\uE007'
check "Enter chooses the method of a call" is "new URLSearchParams(location.hash.slice(1)).get('method') === $(text '#subject')" true
check "and zooms in" is "$range.startsWith('the whole run')" false
check "the address has the range" is "+new URLSearchParams(location.hash.slice(1)).get('to') > 0" true
browser_keys '\uE00C'
check "Escape shows the whole run" is "$range.startsWith('the whole run')" true
browser_keys '+'
check "plus zooms in" is "$range.startsWith('the whole run')" false
browser_value "location.hash = '#view=timeline&from=1000000&to=2000000'" >/dev/null
check "an address shows its range" is "$range.includes('1.00 ms of')" true
check "a click opens the callers of the method" browser_click '#timeline-open'
check "of the one that was chosen" is "document.getElementById('callers').hidden" false
check "nothing went wrong with it" is "document.documentElement.dataset.failed" undefined
check "a window of 390 pixels again" narrow
check "a timeline's page opens on a telephone" page timed
check "no view of it is wider" is "$wider" ""
check "a wide window once more" wide
# The source of a method.
sourced() { mcs -nologo -debug Calls.cs && "$ILINJECT" -q Calls.exe -o sourced/ && ILINJECT_OUT=sourced.ilprof timeout -k 1 150 mono sourced/Calls.exe >/dev/null && "$ILINJECT" report sourced.ilprof --with-source --html sourced.html; }
line="document.querySelector('#listing tr[aria-current]')"
check "a program runs with symbols" sourced
check "its page with source opens" page sourced
browser_value "location.hash = '#view=callers&method=Calls.Work(int, string, ref int)'" >/dev/null
check "the line of the method is marked" is "$line.lastChild.textContent.includes('static int Work(int number')" true
check "with its calls" is "$line.cells[1].textContent" 3,000
check "it is in sight" is "(b => b.scrollTop <= $line.offsetTop && $line.offsetTop < b.scrollTop + b.clientHeight)(document.querySelector('#listing .box'))" true
check "markup in the source is text" is "document.querySelector('#listing').textContent.includes('</script><script>document.title=2') && document.querySelector('#listing img') === null" true
check "a click on the figures of another method" browser_click '#listing tr.method:not([aria-current]) button'
check "puts it into the middle" is "$(text '#subject').startsWith('Calls.Work')" false
check "nothing went wrong in the source" is "document.documentElement.dataset.failed" undefined
check "a window of 390 pixels for it" narrow
check "the source opens on a telephone" page sourced
check "no view with source is wider" is "$wider" ""
check "and wide" wide
check "a profile without waits offers none" page sample
check "nor source" is "document.getElementById('listing')" null
check "nor a timeline" is "document.getElementById('tab-timeline')" null
check "nothing to click" is "document.getElementById('waits-label').hidden" true
finish
