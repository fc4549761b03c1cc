#!/usr/bin/env bash
# `ilinject serve`: what is sent arrives, whole and under its run's name; what must not is refused, and nothing of it stays.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
for tool in curl mono mcs; do
    if ! has $tool; then
        skip "profiles are received over HTTP" "$tool is not installed"
        finish
    fi
done
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    skip "profiles are received over HTTP" "libmicrohttpd is not installed"
    finish
fi
servers=
trap 'for one in $servers; do kill -KILL "$one" 2>/dev/null; done; rm -rf "$SCRATCH"' EXIT

# ---- Servers and senders --------------------------------------------------------------------------------------------

# Starts one that writes to the folder NAME; sets server, url (with the token), base (without) and port. SIGINT is ignored in background jobs
# unless it is said otherwise.
begin() { # NAME OPTIONS…
    local name=$1
    shift
    # A background job empties its log when its turn comes; until then the log is the one before's.
    : >"$name.out"
    : >"$name.err"
    env --default-signal=INT "$ILINJECT" serve --listen 127.0.0.1:0 -o "$name" "$@" >"$name.out" 2>"$name.err" &
    server=$!
    servers="$servers $server"
    within 100 grep -q 'post=http' "$name.out" || { cat "$name.err"; return 1; }
    url=$(sed -n 's/.*--set post=//p' "$name.out")
    base=${url%/*} port=${base##*:}
}
# A command that changes this shell, and so is none for `check`, which has a shell of its own.
done_here() { # SENTENCE COMMAND…
    local sentence=$1
    shift
    "$@" >done_here.log 2>&1
    check "$sentence" eval "cat done_here.log; [ $? -eq 0 ]"
}
gone() { ! kill -0 "$server" 2>/dev/null; }
ended_with() { # CODE
    local code
    within 100 gone || return 1
    wait "$server"
    code=$?
    servers=${servers/ $server/}
    [ $code -eq "$1" ] || { echo "exit value $code"; return 1; }
}
stop() { kill -"$1" "$server" && ended_with 0; }
sent() { curl -s --max-time 150 -o answer -w '%{http_code}' "$@"; }
# Sends and expects a status; what curl itself says goes to its own file.
gives() { # STATUS CURL'S ARGUMENTS…
    local status=$1 got
    shift
    got=$(sent "$@" 2>curl.err)
    [ "$got" = "$status" ] || { echo "status $got"; cat answer; return 1; }
}
post() { gives "$1" --data-binary "@$2" -H 'Content-Type: application/octet-stream' "${@:3}"; }
files() { find "$1" -mindepth 1 | wc -l; }
has_files() { [ "$(files "$1")" -eq "$2" ] || { ls -lA "$1"; return 1; }; }
same() { cmp "$1" "$2/$(cat answer)"; }
one_line() { # FILE TEXT
    [ "$(wc -l <"$1")" -eq 1 ] && grep -q -e "$2" "$1" || { cat "$1"; return 1; }
}

# ---- Two runs of one program ------------------------------------------------------------------------------------------

mkdir plain app && mcs -nologo -out:plain/Demo.exe "$ROOT/fixtures/cs/Demo.cs" && "$ILINJECT" plain/Demo.exe -o app/ --quiet || exit 1
for run in a b; do (cd app && ILINJECT_OUT=$SCRATCH/$run.ilprof mono Demo.exe >/dev/null) || exit 1; done
calls=$("$ILINJECT" report --json a.ilprof | sed -n 's/.*"enters": \([0-9]*\).*/\1/p')
leaves=$("$ILINJECT" report --json a.ilprof | sed -n 's/.*Tree\.Leaf(.*"calls": \([0-9]*\).*/\1/p' | head -n 1)
head -c 500 a.ilprof >cut.ilprof
head -c 2000000 /dev/zero >large
head -c 1100000 /dev/zero >larger-by-little

# A head that comes letter by letter, far below every limit on silence: the connection is ended for it. Runs beside the others.
dribble() {
    local i
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return
    printf 'POST / HTTP/1.1\r\nX: ' >&3
    for ((i = 0; i < 300; i++)); do
        printf x >&3 || return 0
        sleep 0.2
    done
    return 1
}

# ---- Profiles arrive ----------------------------------------------------------------------------------------------------

done_here "it starts and prints where to send to" begin out
check "with a token of 128 bits" grep -q -x -E "Receiving in out; instrument with --set post=http://127\.0\.0\.1:$port/[0-9a-f]{32}" out.out
(trap '' PIPE; dribble 2>/dev/null; echo $? >dribbled) &
first=$url
check "a profile is taken" post 200 a.ilprof "$url"
check "and stands under the name that the answer gives, byte for byte" same a.ilprof out
name_a=$(cat answer)
check "the name is of the program and the run's start" grep -q -x -E 'Demo-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{16}\.ilprof' answer
check "one line says what came" grep -q -x -F "$name_a: $(stat -c %s a.ilprof) bytes, $calls calls, $(grep -c '"token"' <("$ILINJECT" report --json a.ilprof)) methods" out.out
check "the same run again takes its place" post 200 a.ilprof "$url"
check "which is said" grep -q -x -E "$name_a: .* methods, again" out.out
check "another run stands beside it" post 200 b.ilprof "$url"
check "byte for byte" same b.ilprof out
check "under another name" test "$(cat answer)" != "$name_a"
"$ILINJECT" merge a.ilprof b.ilprof -o both.ilprof
check "a merged profile is taken, too" post 200 both.ilprof "$url"
check "as it is" same both.ilprof out
gzip -k a.ilprof
check "a compressed one is taken" post 200 a.ilprof.gz -H 'Content-Encoding: gzip' "$url"
check "and kept as it was before" same a.ilprof out
check "a file that was compressed is known without being told" post 200 a.ilprof.gz -H 'Transfer-Encoding: chunked' "$url"
check "and kept as it was before, too" same a.ilprof out
check "parts without a stated length are put together" post 200 a.ilprof -H 'Transfer-Encoding: chunked' "$url"
check "and are whole" same a.ilprof out
check "there are three files and nothing else" has_files out 3
check "a report of the folder is of all in it" test "$("$ILINJECT" report --json out)" = "$("$ILINJECT" report --json out/*.ilprof)"
check "which are four runs" test "$("$ILINJECT" report --json out | sed -n 's/.*"enters": \([0-9]*\).*/\1/p')" -eq $((calls * 4))

many() {
    local i senders=
    for ((i = 0; i < 10; i++)); do
        for run in a b; do
            curl -s --max-time 150 -o /dev/null -w '%{http_code}\n' --data-binary "@$run.ilprof" "$url" >"many.$i.$run" &
            senders="$senders $!"
        done
    done
    # shellcheck disable=SC2086
    wait $senders
    [ "$(cat many.* | sort | uniq -c | tr -s ' ')" = " 20 200" ] || { cat many.*; return 1; }
}
check "twenty at a time are all taken" many
check "each in its run's place" has_files out 3
check "the first one is whole" cmp a.ilprof "out/$name_a"
check "nobody was refused" test ! -s out.err

# ---- Refusals -------------------------------------------------------------------------------------------------------------

# The first of them: each is reported until there are too many in a minute.
incomplete() {
    exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'POST /%s HTTP/1.1\r\nHost: x\r\nContent-Length: 1403\r\n\r\nILPROF' "${url##*/}" >&3
    exec 3>&-
    within 100 grep -q 'before the profile was whole' out.err
}
check "an upload that ends too early is told" incomplete
check "a wrong token is refused" post 403 a.ilprof "${url%?}x"
check "and told nothing more" test "$(cat answer)" = forbidden
check "one that is cut, too" post 403 a.ilprof "${url%?}"
check "one that is longer, too" post 403 a.ilprof "${url}0"
check "no token, too" post 403 a.ilprof "$base/"
check "a long path, too" post 403 a.ilprof "$base/$(head -c 8000 /dev/zero | tr '\0' a)"
for path in /../out/x //"${url##*/}" "/${url##*/}/" "/${url##*/}/../x" /%2e%2e/x "/x/..%2f${url##*/}" /clientaccesspolicy.xml; do
    check "the path ${path//"${url##*/}"/TOKEN} is refused" post 403 a.ilprof --path-as-is "$base$path"
done
check "a large one with a wrong token is not waited for" post 403 large --expect100-timeout 60 "${url%?}x"
check "what is no profile is refused" post 400 answer "$url"
check "with what is wrong" grep -q 'not a profile: offset 0' answer
check "nothing is no profile" post 400 /dev/null "$url"
check "a profile that was cut is refused" post 400 cut.ilprof "$url"
check "by what is missing in it" grep -q 'expected' answer
(head -c 700 a.ilprof; printf 'xxx'; tail -c +704 a.ilprof) >damaged.ilprof
check "one with other bytes is refused" post 400 damaged.ilprof "$url"
check "by its checksum" grep -q CRC-32 answer
head -c -1 a.ilprof.gz >cut.gz
cat a.ilprof.gz a.ilprof.gz >twice.gz
check "what says it is compressed, and is not, is refused" post 400 a.ilprof -H 'Content-Encoding: gzip' "$url"
check "by its place" grep -q -x 'the gzip body is damaged: offset 2: incorrect header check' answer
check "so is one that was cut" post 400 cut.gz -H 'Content-Encoding: gzip' "$url"
check "by its end" grep -q "offset $(stat -c %s cut.gz): expected more of it" answer
check "and one with something behind its end" post 400 twice.gz -H 'Content-Encoding: gzip' "$url"
check "by its end, too" grep -q "offset $(stat -c %s a.ilprof.gz): expected nothing after its end" answer
check "other codings are refused" post 415 a.ilprof.gz -H 'Content-Encoding: br' -D head "$url"
check "with those that are taken" grep -q -i '^Accept-Encoding: gzip, identity' head
check "one coding on top of the other is refused" post 415 a.ilprof.gz -H 'Content-Encoding: gzip' -H 'Content-Encoding: gzip' "$url"
check "GET is refused at the token's path" gives 405 "$url"
check "so is PUT" gives 405 -T a.ilprof "$url"
check "and GET elsewhere" gives 403 "$base/"
# HEAD-LINES...: a request with the token and a body that a proxy may read as one more request.
smuggled() {
    local line head=
    trap '' PIPE # it may have closed the connection before all is written
    for line; do head+="$line"$'\r\n'; done
    exec 3<>"/dev/tcp/127.0.0.1/$port" &&
        printf 'POST /%s HTTP/1.1\r\nHost: x\r\n%s\r\n0\r\n\r\nGET /%s HTTP/1.1\r\nHost: x\r\n\r\n' "${url##*/}" "$head" "${url##*/}" >&3 2>/dev/null
    timeout 100 cat <&3 >answer 2>/dev/null
    exec 3>&-
    # Refused, by the server or the library, which may just end the connection; nothing that follows is answered.
    [ "$(grep -c '^HTTP/1.1' answer)" -le 1 ] && ! grep '^HTTP/1.1' answer | grep -v '^HTTP/1.1 400' || { cat answer; return 1; }
}
check "a length beside chunks is refused, and what follows is not read" smuggled 'Content-Length: 5' 'Transfer-Encoding: chunked'
check "so are two lengths" smuggled 'Content-Length: 5' 'Content-Length: 9'
check "and one length twice" smuggled 'Content-Length: 5' 'Content-Length: 5'
check "a coding that is none" smuggled 'Transfer-Encoding: xchunked'
check "and two codings" smuggled 'Transfer-Encoding: chunked' 'Transfer-Encoding: identity'
# VERSION HEAD-LINES...: a whole profile with an end that another reader of these lines would look for elsewhere: one answer, 400, and the
# connection ends.
doubtful() {
    local version=$1 line head=
    shift
    trap '' PIPE
    for line; do head+="$line"$'\r\n'; done
    exec 3<>"/dev/tcp/127.0.0.1/$port" && { printf 'POST /%s HTTP/%s\r\nHost: x\r\n%b\r\n' "${url##*/}" "$version" "$head" && cat a.ilprof; } >&3 2>/dev/null
    timeout 100 cat <&3 >answer 2>/dev/null
    local ended=$?
    exec 3>&-
    [ $ended -eq 0 ] && [ "$(grep -a '^HTTP/1.1' answer | cut -d ' ' -f 2)" = 400 ] || { cat answer; return 1; }
}
length="Content-Length: $(stat -c %s a.ilprof)"
for name in 'Transfer-Encoding ' 'Transfer-Encoding\t' ' Transfer-Encoding' 'Transfer-Encoding\x0b' 'Transfer-Encoding\r' Transfer_Encoding 'Transfer-Encoding;' 'X: y\rTransfer-Encoding' 'X: y\x0bTransfer-Encoding'; do
    check "a whole profile with '$name: chunked' beside its length is refused" doubtful 1.1 "$name: chunked" "$length"
done
check "so is one with a second length before a space" doubtful 1.1 'Content-Length : 9' "$length"
check "and one in chunks by HTTP/1.0" doubtful 1.0 'Transfer-Encoding: chunked'
check "garbage instead of HTTP ends the connection" timeout 150 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && head -c 100000 /dev/urandom >&3 2>/dev/null; cat <&3 >/dev/null 2>&1; true' bash "$port"
check "of all that nothing is kept" has_files out 3
check "each has one line" test "$(grep -v -c 'warning ILJ0722: ' out.err)" -eq 0
check "of which there are twenty a minute at most" test "$(wc -l <out.err)" -le 45
check "the token is in none" eval '! grep -q "${url##*/}" out.err'

check "OPTIONS is answered for pages of other sites" gives 204 -X OPTIONS -D head "$url"
check "which may send it compressed" grep -q -i '^Access-Control-Allow-Headers:.*Content-Encoding' head
check "which may post" grep -q -i '^Access-Control-Allow-Methods: POST' head
check "from anywhere" grep -q -i '^Access-Control-Allow-Origin: \*' head
check "an answer says so, too" eval 'post 200 a.ilprof -D head "$url" && grep -q -i "^Access-Control-Allow-Origin: \*" head'
for policy in clientaccesspolicy crossdomain; do
    check "$policy.xml is given without a token" gives 200 "$base/$policy.xml"
    if has xmllint; then
        check "$policy.xml is XML" xmllint --nonet --noout answer
    else
        skip "$policy.xml is XML" "xmllint is not installed"
    fi
done

# ---- The end ------------------------------------------------------------------------------------------------------------

slow_is_gone() { within 200 test -s dribbled && [ "$(cat dribbled)" -eq 0 ]; }
check "who sends a head without end is not waited for" slow_is_gone
check "it still receives" post 200 b.ilprof "$url"
# 400 connections that say nothing: of the oldest ones some have to go, so that a profile is taken while others are still there.
# A slow machine may need too long for them all; then they go for their silence, and it is tried again.
crowd() {
    local fd left held=()
    for ((left = 400; left > 0; left--)); do exec {fd}<>"/dev/tcp/127.0.0.1/$port" && held+=("$fd"); done
    [ ${#held[@]} -eq 400 ] && post 200 b.ilprof "$url" || return 1
    left=0
    for fd in "${held[@]}"; do
        read -r -t 0 <&"$fd" || left=$((left + 1)) # there is an end to be read
        exec {fd}>&-
    done
    [ "$left" -gt 100 ] && [ "$left" -lt 400 ] || { echo "$left of 400 are left"; return 1; }
}
crowds() { crowd || crowd || crowd; }
check "who says nothing makes room for a profile" crowds
confined() {
    grep -q -x -E 'NoNewPrivs:[[:space:]]*1' "/proc/$server/status" || return
    grep -q -E '^CapEff:.*0{14}(00|01|1f)$' "/proc/$server/status" || { grep Cap "/proc/$server/status"; return 1; }
    case $(uname -m) in x86_64 | aarch64) ! head -c 4 "$ILINJECT" | grep -q ELF || grep -q __asan_init "$ILINJECT" || grep -q -x -E 'Seccomp:[[:space:]]*2' "/proc/$server/status" ;; esac
}
if head -c 4 "$ILINJECT" | grep -q ELF && [ -e "/proc/$server/status" ]; then
    check "it has given up what it does not need" confined
else
    skip "it has given up what it does not need" "another program around it, or no /proc"
fi
half_an_upload() {
    local out
    exec 3<>"/dev/tcp/127.0.0.1/$port" && printf 'POST /%s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1403\r\n\r\n' "${url##*/}" >&3
    read -r -t 100 out <&3 && [[ $out = *' 100 '* ]] && printf ILPROF >&3
}
done_here "an upload is under way" half_an_upload
done_here "SIGINT ends it all the same" stop INT
exec 3>&-
check "nothing half-written is left" has_files out 3
check "its last line adds up" grep -q -x -E '[0-9]+ profiles of 3 runs received' <(tail -n 1 out.out)

done_here "it starts anew in the same folder" begin out
check "with another token" test "${url##*/}" != "${first##*/}"
check "a run that came before takes its own place" post 200 a.ilprof "$url"
check "which is known" grep -q 'methods, again' out.out
echo untouched >victim
rm "out/$name_a" && ln -s ../victim "out/$name_a"
check "a link that stands there is not followed" eval 'post 200 a.ilprof "$url" && [ ! -L "out/$name_a" ] && cmp a.ilprof "out/$name_a" && [ "$(cat victim)" = untouched ]'
rm "out/$name_a" && mkdir "out/$name_a"
check "a folder that stands there is an error of this side" post 500 a.ilprof "$url"
check "the folder's name is not the client's business" test "$(cat answer)" = "the profile cannot be kept"
check "but is told here" grep -q 'a profile cannot be kept: .*directory' out.err
rmdir "out/$name_a"
done_here "SIGTERM ends it" stop TERM

# ---- Limits and options ---------------------------------------------------------------------------------------------------

token=A-token_of.mine~0123
echo $token >token
chmod 600 token
done_here "a token from a file, and limits" begin few --token-file token --max-files 1 --max-size 1
check "a token that was given is not shown" test "$url" = "$base/TOKEN"
url=$base/$token
check "the first run is taken" post 200 a.ilprof "$url"
check "and again" post 200 a.ilprof "$url"
check "one more file would be too many" post 507 b.ilprof "$url"
check "what is too large is refused" post 413 large --expect100-timeout 60 "$url"
check "without being asked for" post 413 large -H Expect: "$url"
check "also when its length comes out at the end" post 413 larger-by-little -H 'Transfer-Encoding: chunked' "$url"
head -c 9000000 /dev/zero >huge
gzip -c large >bomb.gz
check "what is too large once it is inflated is, too" post 413 bomb.gz -H 'Content-Encoding: gzip' "$url"
check "what goes on and on is cut off" eval '! sent -H "Transfer-Encoding: chunked" --data-binary @huge "$url" >/dev/null'
check "nothing of it is kept" has_files few 1
rm few/*
check "where there is room again, it is taken" post 200 b.ilprof "$url"
done_here "it ends" stop TERM
# Five times as many as there are places. One that is waited for keeps its place for ten seconds; all of them together
# would keep a profile out for fifty.
left_early() {
    local fd i
    for ((i = 0; i < 1600; i++)); do
        exec {fd}<>"/dev/tcp/127.0.0.1/$port" &&
            printf 'POST /%s HTTP/1.1\r\nHost: x\r\nContent-Length: 1403\r\n\r\nILPROF' "${url##*/}" >&"$fd" || return
        exec {fd}>&-
    done
    post 200 b.ilprof "$url" --max-time 25
}
done_here "a server for those that end early" begin early --rate 1000000
check "those that send a part and end keep nobody out" left_early
check "nothing of them is kept" has_files early 1
# It comes in two parts, with a pause for the server to look for ends.
whole_and_end() {
    python3 - "$port" "/${url##*/}" a.ilprof <<'END'
import socket, sys, time
with open(sys.argv[3], "rb") as file:
    body = file.read()
for pause in (0, 0.05, 0.15, 0.3) * 5:
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=100) as s:
        s.sendall(f"POST {sys.argv[2]} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:500])
        time.sleep(pause)
        s.sendall(body[500:])
        s.shutdown(socket.SHUT_WR)
        answer = s.recv(65536)
    assert answer.startswith(b"HTTP/1.1 200 "), (pause, answer)
END
}
if has python3; then
    check "those that send all and end are answered" whole_and_end
else
    skip "those that send all and end are answered" "python3 is not installed"
fi
done_here "it ends, too" stop TERM

done_here "a rate" begin slow --rate 1 --quiet
check "one is taken" post 200 a.ilprof "$url"
check "the next one is too early" post 429 a.ilprof -D head "$url"
check "and told when to come again" grep -q -i '^Retry-After: 60' head
check "--quiet says nothing but where to send to" test "$(wc -l <slow.out)" -eq 1

refused() { # CODE TEXT ARGUMENTS…
    local code=$1 text=$2 got
    shift 2
    timeout 150 "$ILINJECT" serve "$@" >refused.out 2>refused.err
    got=$?
    [ $got -eq "$code" ] && [ ! -s refused.out ] && one_line refused.err "$text" || { echo "exit value $got"; return 1; }
}
chmod 644 token
check "a token file that others may read is refused" refused 1 'the token file token can be read by others; chmod 600' --token-file token
check "a port in use is one line" refused 1 "127.0.0.1:$port: error ILJ0721: .*in use" --listen "127.0.0.1:$port" -o slow
check "without the library there is one line" eval 'mkdir lacking && : >lacking/libmicrohttpd.so.12 && LD_LIBRARY_PATH=$PWD/lacking refused 1 "ILJ0720: .*libmicrohttpd.so.12" --listen 127.0.0.1:0 -o slow'
check "what is no address is wrong usage" refused 2 'ILJ0723: expected ADDRESS:PORT' --listen 127.0.0.1:x
check "neither is what has no brackets" refused 2 'ILJ0723: expected ADDRESS:PORT' --listen ::1:80
check "nor a port that there is none of" refused 2 'ILJ0723: expected ADDRESS:PORT' --listen 127.0.0.1:65536
check "a token that is short is refused" refused 2 'token: error ILJ0723: a token has 16 to 128' --token short
check "so is one that a URL cannot hold" refused 2 'token: error ILJ0723' --token 'a/token/of/0123456789'
check "and an empty file" refused 1 'the token file large-not-there cannot be read' --token-file large-not-there
check "limits are at least 1" refused 2 'are at least 1' --rate 0
check "--live needs a terminal" refused 2 'draws on a terminal' --live
check "a folder that cannot be made is one line" refused 1 'victim/x cannot be made' -o victim/x
check "a file in its place as well" refused 1 'victim.* cannot be' -o victim --listen 127.0.0.1:0
done_here "the one with a rate ends" stop TERM

# ---- A program sends --------------------------------------------------------------------------------------------------------

# The end of a process waits two seconds for what is on its way, which a busy machine may not do in; the next run may.
arrives() { # FOLDER PROGRAM RECEIVED
    local file
    (cd "$1" && "$runtime" "$2" >/dev/null) || return
    for file in "$3"/*; do
        if cmp -s "$1/Demo.ilprof" "$file"; then
            cp "$file" arrived.ilprof
            return 0
        fi
    done
    return 1
}
for runtime in mono dotnet; do
    if ! can $runtime; then
        skip "$runtime: a program's profile arrives" "$runtime is not installed"
        continue
    fi
    done_here "$runtime: a server for a program" begin "sent-$runtime"
    check "$runtime: a program is told where to send to" "$ILINJECT" plain/Demo.exe -o "sends-$runtime/" --set "post=$url" --quiet
    if [ $runtime = dotnet ]; then runtimeconfig "sends-$runtime/Demo.exe"; fi
    check "$runtime: the profile of its end arrives, as it stands in its file" within 100 arrives "sends-$runtime" Demo.exe "sent-$runtime"
    check "$runtime: with all calls" grep -q "\"enters\": $calls," <("$ILINJECT" report --json arrived.ilprof)
    check "$runtime: with a random number of the run" grep -a -q -E 'run [0-9a-f]{32}' arrived.ilprof
    check "$runtime: of that end" grep -q '"reason": "exit"' <("$ILINJECT" report --json arrived.ilprof)
    check "$runtime: nothing was refused" eval '! grep "refused with" "sent-$runtime.err"' # the end of a process may cut a sending off
    done_here "$runtime: the server ends" stop TERM
done

# From a XAP to a profile; Mono takes the browser's part.
cat >manifest.xaml <<'XML'
<Deployment xmlns="http://schemas.microsoft.com/client/2007/deployment" xmlns:x="http://schemas.microsoft.com/winfx/2006/xaml" EntryPointAssembly="Demo" EntryPointType="Demo" RuntimeVersion="5.0.61118.0">
  <Deployment.Parts><AssemblyPart x:Name="Demo" Source="Demo.dll" /></Deployment.Parts>
</Deployment>
XML
runtime=mono
mkdir xap && "$BUILD/tests/zips" make xap/shop.xap AppManifest.xaml=manifest.xaml Demo.dll=plain/Demo.exe &&
    mcs -nologo -r:System.IO.Compression.dll -r:System.IO.Compression.FileSystem.dll -out:entries.exe "$ROOT/fixtures/xap/Entries.cs" || exit 1
done_here "a server for a XAP" begin sent-xap
check "a XAP is told where to send to" "$ILINJECT" xap/shop.xap -o xap/shop.prof.xap --set "post=$url" --quiet
check "it is unpacked" mono entries.exe xap/shop.prof.xap xap/unpacked
check "its profile arrives" within 100 arrives xap/unpacked Demo.dll sent-xap
check "with all calls" grep -q "\"enters\": $calls," <("$ILINJECT" report --json arrived.ilprof)
done_here "the server of the XAP ends" stop TERM

# ---- The table --------------------------------------------------------------------------------------------------------------

# On a terminal of 40 rows, with its text in FILE; sets server to the process itself.
live() {
    mkdir shown && : >shown.out || return 1
    # shellcheck disable=SC2016
    env --default-signal=INT script -q -e -f -c 'stty rows 40 cols 100; echo $$ >shown.pid; exec "$ILINJECT" serve --live --listen 127.0.0.1:0 -o shown' shown.out </dev/null >/dev/null 2>&1 &
    terminal=$!
    servers="$servers $terminal"
    within 100 grep -a -s -q 'post=http.*K' shown.out || return 1
    url=$(tr -d '\033\r' <shown.out | sed -n 's/.*--set post=\([^[]*\).*/\1/p' | head -n 1)
    server=$(cat shown.pid)
}
live_ends() { kill -INT "$server" && server=$terminal && ended_with 0; }
drawn() { # TEXT of one screen
    tr '\n\r' '\001 ' <shown.out | sed 's/\x1b\[H/\n/g' | grep -a -q -e "$1"
}
export ILINJECT
if has script; then
    done_here "on a terminal it shows what comes" live
    check "a profile is taken" post 200 a.ilprof "$url"
    check "its functions are drawn" within 100 drawn "1 received, the last one Demo-.*Tree.Leaf"
    check "another one is taken" post 200 b.ilprof "$url"
    check "both are drawn, merged, in the first one's place" within 100 drawn "2 received, the last one Demo-.* $(sed -E ':a;s/([0-9])([0-9]{3})($|,)/\1,\2\3/;ta' <<<$((leaves * 2))) .*Tree.Leaf"
    check "no screen has more lines than the terminal" test "$(tr '\n' '\001' <shown.out | sed 's/\x1b\[H/\n/g' | tr -c -d '\001\n' | awk '{ if (length > most) most = length } END { print most }')" -le 40
    done_here "SIGINT ends it" live_ends
    check "the last thing is what was received" grep -a -q '^.*2 profiles of 2 runs received' shown.out
else
    skip "on a terminal it shows what comes" "script is not installed"
fi
finish
