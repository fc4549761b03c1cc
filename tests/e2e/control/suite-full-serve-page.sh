#!/usr/bin/env bash
# level: full
# The page of `serve --page` in a browser: it renews itself, and keeps what is seen.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/browser.sh"
cd "$SCRATCH" || exit 1
if ! browser_can || ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    skip "the page that renews itself in a browser" "chromium, chromium-driver, curl and libmicrohttpd are not all there"
    finish
fi
"$BUILD/tests/unit/test_report" sample sample.ilprof
"$BUILD/tests/unit/test_report" events events.ilprof
: >out
env --default-signal=INT "$ILINJECT" serve --listen 127.0.0.1:0 -o kept --page >out 2>&1 &
server=$!
trap 'browser_stop; kill -KILL $server 2>/dev/null; rm -rf "$SCRATCH"' EXIT
within 100 grep -q '^Shown at ' out
url=$(sed -n 's/.*--set post=//p' out) page=$(sed -n 's/^Shown at \([^;]*\);.*/\1/p' out)
if ! browser_start; then
    skip "the page that renews itself in a browser" "chromedriver does not start: $(tail -n 1 chromedriver.log)"
    finish
fi
sends() { curl -s -f --data-binary "@$1" "$url" >/dev/null; }
renewed() { is "document.documentElement.dataset.renewed" "$1"; }
report="document.querySelector('iframe').contentDocument"
browser_open "$page#view=functions&filter=a"
check "it waits for the first profile" is "document.getElementById('state').textContent" "Waiting for the first profile"
check "a profile comes" sends sample.ilprof
check "its report is shown" renewed 1
check "with the view of the address" is "$report.getElementById('filter').value + $report.getElementById('functions').hidden" afalse
check "of its program" is "$report.getElementById('facts').textContent.includes('12,345,852 calls')" true
browser_value "($report.defaultView.location.hash = '#view=functions&filter=find')" >/dev/null
check "another profile comes" sends events.ilprof
check "the report is renewed" renewed 2
check "and has both" is "$report.getElementById('facts').textContent.includes('of 2 runs')" true
check "what was seen is kept" is "$report.getElementById('filter').value + document.querySelectorAll('iframe').length" find1
check "the address says it" is "location.hash" "#view=functions&filter=find"
check "a tick holds it" browser_click '#hold'
check "the same profile comes again" sends sample.ilprof
check "a window of 390 pixels" eval "browser_post goog/cdp/execute '{\"cmd\":\"Emulation.setDeviceMetricsOverride\",\"params\":{\"width\":390,\"height\":760,\"deviceScaleFactor\":1,\"mobile\":true}}' | grep -q '^{\"value\":{}}'"
check "is as wide as the page" is "document.documentElement.scrollWidth" 390
check "and nothing was renewed" renewed 2
check "without the tick it goes on" browser_click '#hold'
check "then it is renewed" renewed 3
check "nothing went wrong" test -z "$(browser_console)"
kill -INT $server
check "a server that has ended is said to be gone" is "document.getElementById('state').textContent" "The server does not answer"
finish
