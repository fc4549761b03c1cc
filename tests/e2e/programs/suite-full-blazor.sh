#!/usr/bin/env bash
# level: full
# A Blazor WebAssembly page (fixtures/net/blazor), published and trimmed as `dotnet publish` does it, instrumented by the package, and visited in
# Chromium: nothing stands in its console, and its profile comes to `ilinject serve` with the counts that its source has, also of a page that is left, and
# of one that runs as a progressive web app, from what the browser has kept.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/package.sh"
. "$(dirname "$0")/../lib/sh/browser.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
all="a published Blazor page is profiled"
if ! has dotnet || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then skip "$all" "no .NET SDK"; finish; fi
if missing=$(package_missing); then skip "$all" "$missing"; finish; fi
if ! browser_can || ! has python3; then skip "$all" "chromium, chromium-driver, curl or python3 is not installed"; finish; fi
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then skip "$all" "libmicrohttpd is not installed"; finish; fi
check "the package is made" make_package
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 MSBUILDDISABLENODEREUSE=1
export NUGET_PACKAGES=$BUILD/tests/packages-msbuild TestedFeed=$SCRATCH/feed TestedVersion=$version TestedFramework=net10.0
mkdir -p feed "$NUGET_PACKAGES" && rm -rf "$NUGET_PACKAGES/ilinject.msbuild" && cp "$package" feed/ || exit 1

# ---- The page is published, and served --------------------------------------------------------------------------------

: >serve.txt
"$ILINJECT" serve -o got --listen 127.0.0.1:0 >serve.txt 2>serve.err &
jobs="$!"
trap 'browser_stop; kill $jobs 2>/dev/null; rm -rf "$SCRATCH"' EXIT
within 100 grep -q post=http serve.txt || exit 1
post=$(grep -o -m 1 'post=http[^ ]*' serve.txt)

cp -r "$ROOT/fixtures/net/blazor" page
publishes() {
    timeout 1500 dotnet publish page/Shop/Shop.csproj -c Release -o page/out --disable-build-servers -p:UseSharedCompilation=false -p:ILInjectEnabled=true \
        -p:ILInjectApi=true "-p:ILInjectSettings=\"$post;beat=1\"" >publish.log 2>&1 || { tail -n 20 publish.log; return 1; }
}
if ! publishes >said.txt && grep -q -E 'NU1101|NU1102|NU1103|NU1301' publish.log; then
    skip "$all" "$(grep -o -m 1 -E 'NU1[0-9]*: .*' publish.log | cut -c 1-120)"
    finish
fi
check "a Blazor page is published, trimmed" eval 'cat said.txt; grep -q "Optimizing assemblies for size" publish.log && [ -e page/out/wwwroot/index.html ]'
check "both of its assemblies are instrumented" eval '[ "$(grep -c "ILInject: \(Shop\|Cider\).dll [0-9]* methods" publish.log)" -eq 2 ]'
check "and nothing is said of the tracker" eval '! grep -E "warning|error" publish.log | grep -v "ILJ2004"'

: >port.txt
python3 -u -c 'import functools, http.server
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments): pass
site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory="page/out/wwwroot"))
print(site.server_port, flush=True)
site.serve_forever()' >port.txt 2>site.log &
site=$!
jobs="$jobs $site"
within 100 grep -s -q . port.txt && browser_start || exit 1
browser_post goog/cdp/execute "{\"cmd\":\"Browser.setDownloadBehavior\",\"params\":{\"behavior\":\"allow\",\"downloadPath\":\"$SCRATCH/downloads\"}}" >/dev/null

# ---- Counts, by hand: fixtures/net/blazor/Shop/Orchard.cs --------------------------------------------------------------

# 10 rows of 30 trees; 10 trees throw: 20 x 1 + 10 in even rows, 20 x 2 + 10 in odd ones, 400; 0 + 1 + 2 + 3 + 4 of
# crates, 1 and 2 of what is grown.
shown='413 apples, 413 litres'
counts() { # PROFILE SOLD
    "$ILINJECT" report --format=csv "$1" >functions.csv || return 1
    python3 - "$2" <<'PYTHON'
import csv, sys
expected = {"Orchard.Harvest()": 1, "Orchard.Row(int)": 10, "Orchard.Pick(int, int)": 300, "Orchard.Rest()": 1, "Orchard.Crates(int)": 1,
            "Orchard.Grown<T>(T)": 2, "Orchard.Store()": 1, "Shop.App.Litres(int)": 1, "Mill.Press(int)": 1, "Mill.Turn(int)": 7,
            "Shop.App.OnInitializedAsync()": 1, "Shop.App.Sell()": int(sys.argv[1])}
rows = {row["name"]: row for row in csv.DictReader(open("functions.csv"))}
found = {name: int(rows[name]["calls"]) if name in rows else 0 for name in expected}
if found != expected:
    sys.exit(f"{found}")
PYTHON
}
# The file of the run that came last.
profile() { find got -name '*.ilprof' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2; }
runs() { [ "$(find got -name '*.ilprof' | wc -l)" -eq "$1" ]; }
written_at() { "$ILINJECT" report --json "$(profile)" | grep -q "\"reason\": \"$1\""; }
silent() { browser_console >console.txt; [ ! -s console.txt ] || { cat console.txt; return 1; }; }
visit() {
    browser_open "http://127.0.0.1:$(cat port.txt)/"
    is "document.getElementById('result').textContent" "$shown"
}
sell() { # TIMES
    local i
    for ((i = 1; i <= $1; i++)); do browser_click '#sell' && is "document.getElementById('sold').textContent" "$i" || return 1; done
}
leave() { browser_open about:blank; }
left() { # RUNS SOLD
    within 100 runs "$1" && within 100 counts "$(profile)" "$2" && written_at leave || { cat serve.txt serve.err; return 1; }
}

check "the page shows what it has computed, with an assembly that it loads when it wants it" visit
check "its console has no message" silent
check "its profile comes on the beat" within 100 runs 1
check "with the counts that its source has" within 100 counts "$(profile)" 0
check "as it was sent: on the beat" written_at beat
# Store works for 50 ms. Turn is called seven times, each in less time than Chromium's clock can measure.
steps() {
    "$ILINJECT" report -v "$(profile)" | grep -q '^Times    as recorded by a clock that goes in steps of 100 µs: shorter calls are counted, and hardly timed$' &&
        "$ILINJECT" report --format=csv "$(profile)" >functions.csv && python3 - <<'PYTHON'
import csv, sys
rows = {row["name"]: row for row in csv.DictReader(open("functions.csv"))}
store, turn = rows["Orchard.Store()"], rows["Mill.Turn(int)"]
ok = 48_000_000 < int(store["exclusive_low_ns"]) == int(store["exclusive_ns"]) - 100_000 and int(turn["exclusive_high_ns"]) - int(turn["exclusive_ns"]) == 300_000
sys.exit(0 if ok else f"{store} {turn}")
PYTHON
}
check "the report says by how coarse a clock, and knows the time of what lasts longer" steps
check "three clicks" sell 3
keeps() {
    browser_value "keepProfile()" >/dev/null && within 100 test -s downloads/shop.ilprof && counts downloads/shop.ilprof 3 &&
        "$ILINJECT" report --json downloads/shop.ilprof | grep -q '"reason": "snapshot"'
}
check "the page's own script keeps the profile as a download" keeps
leave
check "the page is left: the browser sends a last profile, with all calls" left 1 3
check "still without a message" silent
check "JSON says by how coarse a clock, too" eval '"$ILINJECT" report --json "$(profile)" | grep -q "\"clock_step_ns\": 100000,"'

check "it is visited again" visit
check "one click" sell 1
sleep 0.5 # it is left that soon: this is no waiting for something
leave
check "left after half a second it has sent all, as another run" left 2 1
# The picture is for those who look: build/tests/blazor.png.
drawn() {
    "$ILINJECT" report --html report.html got && browser_open "file://$SCRATCH/report.html" && is "Math.max(...Array.from(document.querySelectorAll('svg rect')).map(r => r.getBoundingClientRect().width)) > 1000" true &&
        browser_picture "$BUILD/tests/blazor.png" && [ "$(head -c 4 "$BUILD/tests/blazor.png" | tail -c 3)" = PNG ]
}
check "the report of both visits draws in the browser" drawn
check "and the console has no message" silent

# ---- A progressive web app -----------------------------------------------------------------------------------------------

kept() { visit && is "document.body.dataset.kept" yes && leave && within 100 runs 3; }
check "the browser keeps all of the page, each file with the hash that the build gave it" kept
alone() {
    kill $site && wait $site 2>/dev/null
    ! curl -s -o /dev/null "http://127.0.0.1:$(cat port.txt)/" && visit && is "navigator.serviceWorker.controller !== null" true
}
check "its site is gone, and it runs from what was kept" alone
check "one click there" sell 1
leave
check "the profile of that visit comes, too" left 4 1
check "without a message" silent

# ---- A profile that no beacon takes --------------------------------------------------------------------------------------

# The server has that of a beat; what the page sent when it was left may have got through as well. WebDriver gets no messages
# while a page goes, so the page hears first that it is left, and stays.
large() {
    visit && sell 1 && browser_click '#graft' && is "document.getElementById('grafted').textContent" 1092 && grafted() {
        "$ILINJECT" report --format=csv "$(profile)" | grep -F '"Orchard.Pear(int)"' | grep -q ',364,'
    } && within 100 grafted && browser_value "window.dispatchEvent(new Event('pagehide'))" >/dev/null && said() { browser_console >>console.txt && [ -s console.txt ]; } &&
        : >console.txt && within 100 said && leave && cat console.txt && echo "$(gzip -c "$(profile)" | wc -c) bytes compressed" &&
        [ "$(gzip -c "$(profile)" | wc -c)" -gt 65536 ] && [ "$(grep -c ilinject console.txt)" -eq 1 ] &&
        grep -q 'ilinject: post=.*: the page is left, and the browser does not take [0-9]* bytes' console.txt
}
check "one of more than 64 KiB is said once to go as on the beat, and that of the beat is there" large
check "nobody was refused" test ! -s serve.err
finish
