#!/usr/bin/env bash
# Another user of the same machine reads nothing that was captured, opens no control file, and gets nothing out of a server
# by a request within a request. The user of the programs has the umask 0: each file of a careless program is
# open to all.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
for tool in mono mcs python3; do
    has $tool || { skip "another user gets nothing" "$tool is not installed"; finish; }
done
other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
# One that stands in root's own folder is not for others.
python=
for one in "$(command -v python3)" /usr/bin/python3; do
    if [ "$(id -u)" -eq 0 ] && has setpriv && [ ! "$python" ] && other "$one" -c '' 2>/dev/null; then python=$one; fi
done
if [ ! "$python" ]; then
    skip "another user gets nothing" "only root can become two other users, and they need python3"
    finish
fi
user() { (umask 0 && exec setpriv --reuid=65533 --regid=65533 --clear-groups env HOME="$SCRATCH/home" TMPDIR="$SCRATCH/shared" "$@"); }
chmod 755 . && mkdir app home && chmod 777 home || exit 1
cp "$ROOT/tests/e2e/lib/py/attacker.py" "$ILINJECT" . && chmod 755 attacker.py ilinject || exit 1
cat >app.cs <<'END'
using System;
public static class App
{
    static string Secret(string s) { return s + "!"; }
    public static void Main() { for (int i = 0; i < 20; i++) { Secret("password of mine"); System.Threading.Thread.Sleep(10); } Console.WriteLine("done"); }
}
END
mcs -nologo -out:app.exe app.cs && "$ILINJECT" -q '--capture=App.Secret: args' app.exe -o app/ && chmod -R a+rX app || exit 1
if can dotnet; then runtimeconfig app/app.exe; fi
servers=
# shellcheck disable=SC2086
trap 'kill -KILL $servers 2>/dev/null; rm -rf "$SCRATCH"' EXIT

# ---- Files and processes --------------------------------------------------------------------------------------------

# The program ten times, with a profile, a call log and snapshots in a folder of all users, while the other one watches.
watched() {
    local i right=0
    rm -rf shared theirs && mkdir -m 1777 shared && mkdir -m 777 theirs
    other "$python" attacker.py theirs shared 65533 2>attacker.err &
    local attacker=$!
    within 60 test -e theirs/ready || { cat attacker.err; return 1; }
    for ((i = 0; i < 10; i++)); do
        user ILINJECT_OUT="$SCRATCH/shared/p$i.ilprof" ILINJECT_BEAT=0 ILINJECT_FLUSH=App.Secret ILINJECT_LOG=1 LOG_FILENAME="$SCRATCH/shared/calls$i.log" \
            "$runtime" app/app.exe >told 2>err </dev/null && grep -q done told && [ ! -s err ] || { cat told err; right=1; }
    done
    touch theirs/enough
    wait $attacker
    return $right
}
values_are_there() { [ "$(grep -l -a 'password of mine' shared/*.log | wc -l)" -eq 10 ] && [ "$("$ILINJECT" report --calls shared/*.ilprof | grep -c 'password of mine')" -gt 0 ]; }
nothing_opened() { [ -s theirs/tries ] && [ ! -s theirs/opened ] || { cat theirs/opened attacker.err; return 1; }; }
was_refused() { # it did try
    read -r _ refused <theirs/tries && [ "$refused" -gt 100 ] || { cat theirs/tries; return 1; }
}
for runtime in mono dotnet; do
    can $runtime || { skip "$runtime: another user reads no captured value" "$runtime is not installed"; continue; }
    watched >watched.log 2>&1
    check "$runtime: a program with captured values runs ten times in a folder of all users" eval "cat watched.log; [ $? -eq 0 ]"
    check "$runtime: its profiles and logs have the values" values_are_there
    check "$runtime: another user, who watches, has opened none of its files" nothing_opened
    check "$runtime: but has tried" was_refused
done

# ---- Requests -------------------------------------------------------------------------------------------------------

cat >smuggle.py <<'END'
import socket, sys
port, whole = int(sys.argv[1]), sys.argv[2]
inner = f"GET {whole} HTTP/1.1\r\nHost: x\r\n\r\n"
heads = ["Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: 5\r\nContent-Length: 9", "Transfer-Encoding: xchunked",
         "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Content-Length: +5", "Content-Length: 5, 5", "Transfer-Encoding:\x0bchunked", "Content-Length : 5"]
wrong = 0
for path in ("/" + "0" * 32, "/clientaccesspolicy.xml", "/"):
    for head in heads:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
            answer = b""
            try:
                s.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n0\r\n\r\n{inner}".encode())
                s.shutdown(socket.SHUT_WR)
                while part := s.recv(65536):
                    answer += part
            except ConnectionError:
                pass
        # The library says some of its own refusals twice; the request within is one that would be answered 200.
        lines = [line for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
        if any(line[9:12] not in (b"400", b"403") for line in lines) or b"access-policy" in answer:
            print(path, repr(head), lines)
            wrong += 1
sys.exit(wrong > 0)
END
begin() {
    mkdir -m 777 received
    user ./ilinject serve --listen 127.0.0.1:0 -o received >serve.txt 2>serve.err &
    server=$!
    disown
    servers="$servers $server"
    within 100 grep -q 'post=http' serve.txt || { cat serve.err; return 1; }
    port=$(sed -n 's,.*post=http://127.0.0.1:\([0-9]*\)/.*,\1,p' serve.txt)
}
nothing_received() { [ -z "$(ls -A received)" ] || { ls -lA received; return 1; }; }
if PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    begin >begin.log 2>&1
    check "a user's server starts" eval "cat begin.log; [ $? -eq 0 ]"
    check "another user's requests within requests are refused, and nothing within them is answered" other "$python" smuggle.py "$port" /clientaccesspolicy.xml
    check "nothing of them is kept" nothing_received
    check "it goes on" eval '[ "$(other "$python" -c "import http.client as h; c = h.HTTPConnection(\"127.0.0.1\", $port); c.request(\"GET\", \"/crossdomain.xml\"); print(c.getresponse().status)")" = 200 ]'
    check "its files are not open to others" eval '! other ls "/proc/$server/fd" 2>/dev/null'
else
    skip "another user's requests within requests are refused" "libmicrohttpd is not installed"
fi
finish
