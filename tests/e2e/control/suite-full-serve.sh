#!/usr/bin/env bash
# level: full
# `ilinject serve` for longer: connections that hold on, bodies that come too slowly, thousands of profiles in bounded memory.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
for tool in curl mono mcs; do
    if ! has $tool; then
        skip "a server holds out" "$tool is not installed"
        finish
    fi
done
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    skip "a server holds out" "libmicrohttpd is not installed"
    finish
fi
mkdir app && mcs -nologo -out:app/plain.exe "$ROOT/fixtures/cs/Demo.cs" && "$ILINJECT" app/plain.exe -o app/Demo.exe --quiet &&
    (cd app && ILINJECT_OUT=$SCRATCH/a.ilprof mono Demo.exe >/dev/null) || exit 1

"$ILINJECT" serve --listen 127.0.0.1:0 -o out --rate 1000000 >out.txt 2>err.txt &
server=$!
trap 'kill -KILL "$server" 2>/dev/null; rm -rf "$SCRATCH"' EXIT
within 100 grep -q 'post=http' out.txt || { cat err.txt; exit 1; }
url=$(sed -n 's/.*--set post=//p' out.txt)
port=${url##*:} port=${port%/*}
post() { [ "$(curl -s --max-time "${1:-150}" -o /dev/null -w '%{http_code}' --data-binary @a.ilprof "$url")" = 200 ]; }
memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$server/status"; }
open_files() { find "/proc/$server/fd" -mindepth 1 | wc -l; }
check "a profile is taken" post
files=$(open_files)

# ---- Silent clients -------------------------------------------------------------------------------------------------------

crowd() {
    local connections=() fd i
    for ((i = 0; i < 140; i++)); do
        exec {fd}<>"/dev/tcp/127.0.0.1/$port" && connections+=("$fd")
    done
    [ ${#connections[@]} -eq 140 ] && post 120
}
check "140 connections that say nothing keep nobody out for long" crowd
few_files() { [ "$(open_files)" -le "$files" ]; }
check "and are gone" within 200 few_files
slow() {
    local i
    exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'POST /%s HTTP/1.1\r\nHost: x\r\nContent-Length: 1403\r\n\r\n' "${url##*/}" >&3 || return
    for ((i = 0; i < 400; i++)); do
        printf I >&3 || return 0
        sleep 0.25
    done
    return 1
}
check "a body that comes letter by letter is not waited for" bash -c "$(declare -f slow); port=$port url=$url; trap '' PIPE; slow 2>/dev/null"
check "which is told" grep -q 'it sends too slowly' err.txt

# ---- Talkative clients ----------------------------------------------------------------------------------------------------

many() { # each sender has one connection for all
    local i senders=
    printf 'url = "%s"\ndata-binary = "@a.ilprof"\noutput = "/dev/null"\nwrite-out = "%%{http_code}\\n"\n' "$url" >one
    for ((i = 0; i < 200; i++)); do
        [ $i -eq 0 ] || echo next
        cat one
    done >config
    for ((i = 0; i < 20; i++)); do
        curl -s --max-time 600 -K config >"many.$i" &
        senders="$senders $!"
    done
    # shellcheck disable=SC2086
    wait $senders
    [ "$(cat many.* | sort | uniq -c | tr -s ' ')" = " 4000 200" ] || { cat many.* | sort | uniq -c; return 1; }
}
before=$(memory)
check "4,000 profiles from 20 senders are all taken" many
check "no file stays open" within 200 few_files
check "nor does memory grow by more than 8 MiB" test "$(memory)" -le $((before + 8192))
check "there is one file" test "$(find out -mindepth 1 | wc -l)" -eq 1
check "which is whole" cmp a.ilprof out/*
kill -TERM "$server"
wait "$server"
status=$?
check "SIGTERM ends it with value 0" test $status -eq 0
check "it has counted them all" grep -q '^4002 profiles of 1 run received$' out.txt
finish
