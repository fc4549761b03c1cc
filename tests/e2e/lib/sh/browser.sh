# tests/e2e/lib/sh/browser.sh - a headless Chromium, driven by WebDriver (https://www.w3.org/TR/webdriver2/) with curl: real keys and clicks.
#   browser_start || skip …     browser_open URL     browser_keys 'text or \uE007'     browser_stop
#   browser_console                                  what the page's console was reported since it was asked last, a line each
#   is 'JavaScript expression' 'expected'            what the page says; waits for it, a minute and a half at most
# Expressions hold neither double quotes nor line ends.
browser_driver=

browser_can() { has chromedriver && has chromium && has curl; }

browser_start() { # further arguments for Chromium
    local port id arguments='"--headless","--no-sandbox","--disable-gpu","--disable-quic","--no-first-run","--disable-background-networking","--disable-component-update","--disable-sync","--window-size=1300,900"' argument
    for argument in "$@"; do arguments="$arguments,\"$argument\""; done
    : >"$SCRATCH/chromedriver.log"
    rm -rf "$SCRATCH/chromium"
    chromedriver --port=0 >"$SCRATCH/chromedriver.log" 2>&1 &
    browser_pid=$!
    within 100 grep -q 'started successfully on port [0-9]' "$SCRATCH/chromedriver.log" || return 1
    port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$SCRATCH/chromedriver.log")
    id=$(curl -s "http://127.0.0.1:$port/session" -d "{\"capabilities\":{\"alwaysMatch\":{\"goog:chromeOptions\":{\"binary\":\"$(command -v chromium)\",\"args\":[$arguments,\"--user-data-dir=$SCRATCH/chromium\"]},\"goog:loggingPrefs\":{\"browser\":\"ALL\"}}}}" |
        sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
    [ -n "$id" ] || { kill $browser_pid; return 1; }
    browser_driver=http://127.0.0.1:$port/session/$id
}
browser_stop() {
    [ -z "$browser_driver" ] || curl -s -X DELETE "$browser_driver" >/dev/null
    kill $browser_pid 2>/dev/null
    wait $browser_pid 2>/dev/null
    browser_driver=
}
browser_post() { curl -s "$browser_driver/$1" -d "$2"; }
browser_open() { browser_post url "{\"url\":\"$1\"}" >/dev/null; }

browser_console() {
    browser_post se/log '{"type":"browser"}' | sed 's/"level"/\n&/g' | sed -n 's/^"level":"\([A-Z]*\)","message":"\(.*\)","source".*/\1 \2/p'
}

# The value of an expression, as text.
browser_value() {
    browser_post execute/sync "{\"script\":\"return String($1)\",\"args\":[]}" | sed 's/^{"value":"\(.*\)"}$/\1/'
}
is() {
    local value
    browser_says() { value=$(browser_value "$1") && [ "$value" = "$2" ]; }
    within 90 browser_says "$1" "$2" >/dev/null && return
    echo "$1 is $value, expected $2"
    return 1
}
browser_keys() {
    local keys='' text=$1
    while [ -n "$text" ]; do
        local one=${text:0:1}
        case $text in '\u'*) one=${text:0:6} ;; esac
        keys="$keys${keys:+,}{\"type\":\"keyDown\",\"value\":\"$one\"},{\"type\":\"keyUp\",\"value\":\"$one\"}"
        text=${text:${#one}}
    done
    browser_post actions "{\"actions\":[{\"type\":\"key\",\"id\":\"k\",\"actions\":[$keys]}]}" >/dev/null
}
# A CSS selector without double quotes. Again, where the element has moved or gone meanwhile: a graph still moves.
browser_click() {
    browser_clicks() {
        local element
        element=$(browser_post element "{\"using\":\"css selector\",\"value\":\"$1\"}" | sed -n 's/.*:"\([^"]*\)"}}$/\1/p')
        browser_post "element/$element/click" '{}' | grep -q '^{"value":null}'
    }
    within 100 browser_clicks "$1"
}
browser_picture() { browser_post_get screenshot | sed 's/^{"value":"\(.*\)"}$/\1/' | base64 -d >"$1"; }
browser_post_get() { curl -s "$browser_driver/$1"; }
