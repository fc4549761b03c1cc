#!/usr/bin/env bash
# level: full
# Where a request's time goes: a service of ASP.NET Core with SQLite under load, with leaves, bytes and objects. Each lock,
# query and request to another service is counted, and one page says what part of the time each of them took.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/browser.sh"
. "$(dirname "$0")/../lib/sh/shop.sh"
requests=200
if ! has curl || ! has dotnet || ! why=$(shop_make "$SCRATCH/shop"); then
    skip "where the time of a request goes" "${why:-no curl or no .NET}"
    finish
fi
check "it is instrumented with leaves, bytes and objects" "$ILINJECT" -q "$SCRATCH/shop/Shop.dll" --in-place \
    --include=Shop.Orders --leaves --allocations --set alloc=bytes
check "it answers $requests requests of eight clients" shop_load "$SCRATCH/shop" $requests
"$ILINJECT" report --format=json -o "$SCRATCH/shop.json" "$SCRATCH/shop/shop.ilprof"
# By hand from the source: a request opens a connection, asks for the lines (4 rows, and a Read that finds nothing) and for
# 4 prices, takes the lock and asks for the rate.
cat >"$SCRATCH/parts" <<END
databases $((requests * (1 + 1 + 5 + 4)))
locks $requests
networks $requests
END
parts() {
    python3 - "$SCRATCH/shop.json" "$SCRATCH/parts" <<'PY'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    expected = {part: int(calls) for part, calls in map(str.split, file)}
found = {}
for f in report["functions"]:
    if f.get("leaf"):
        found[f["part"]] = found.get(f["part"], 0) + f["calls"]
print(found)
lines = sum(o["objects"] for o in report["objects"] if o["type"] == "Shop.Line")
sys.exit(found != expected or lines != expected["networks"] * 4 or report["totals"]["exclusive_bytes"] == 0)
PY
}
check "each lock, query and request is counted, by part" parts
if ! browser_can || ! browser_start; then
    skip "the page says where the time of a request goes" "chromium, chromium-driver and curl are not all there"
    finish
fi
trap 'browser_stop; rm -rf "$SCRATCH"' EXIT
"$ILINJECT" report --html "$SCRATCH/shop.html" "$SCRATCH/shop/shop.ilprof"
browser_open "file://$SCRATCH/shop.html"
check "the page opens" is document.documentElement.dataset.ready yes
frames="[...document.querySelectorAll('g.frame')]"
items="[...document.querySelectorAll('#parts li')]"
check "the graph is with waiting" is "document.getElementById('waits').checked" true
check "the parts of all time are there" is "$items.map(e => e.querySelector('b').textContent).sort().join()" 'databases,locks,networks,other waiting,work'
browser_value "$frames.find(e => e.__data__.data.frame.name.startsWith('Shop.Orders.Show')).dispatchEvent(new MouseEvent('click'))" >/dev/null
check "those of a request, by request" is "document.querySelector('#parts p').textContent.replace(/: .*,/, ':')" "Where the time of Orders.Show goes: on average of $requests calls"
calls_of() { echo "$items.find(e => e.textContent.includes('$1')).textContent.replace(/.*, /, '')"; }
check "with the lock" is "$(calls_of locks)" '1 call)'
check "eleven calls of the database" is "$(calls_of databases)" '11 calls)'
check "and one of the other service" is "$(calls_of networks)" '1 call)'
check "all parts together are the time of the request" is "Math.abs(100 - $items.reduce((sum, e) => sum + +e.textContent.match(/[(]([0-9.]+) %/)[1], 0)) < 0.6" true
check "leaves have the colour of their part" is "(() => { const e = $frames.find(e => e.__data__.data.frame.name.startsWith('System.Net.Http.HttpClient.GetStringAsync')); const key = $items.find(e => e.textContent.includes('networks')).querySelector('.key'); return e.querySelector('rect').getAttribute('fill') === key.style.getPropertyValue('--key'); })()" true
browser_value "(document.getElementById('measure').value = 'bytes', document.getElementById('measure').dispatchEvent(new Event('change')))" >/dev/null
check "by bytes there are no parts" is "document.getElementById('parts').hidden" true
check "nothing went wrong in it" is document.documentElement.dataset.failed undefined
finish
