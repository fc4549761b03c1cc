#!/usr/bin/env bash
# Captured values and the setting `post`: they reach a server of this machine, and another machine's only encrypted, or where
# the user allows it. The profile's file is written either way.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
has mono && has mcs || { skip "captured values are not sent unencrypted" "mono and mcs are not installed"; finish; }
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    skip "captured values are not sent unencrypted" "libmicrohttpd is not installed"
    finish
fi
# An address of this machine by which a program is taken to send to another one.
address=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -v '^127\.' | grep -m 1 -E '^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$')

mkdir plain values
cat >app.cs <<'END'
public static class App
{
    static string Secret(string s) { return s + "!"; }
    public static void Main() { Secret("what was captured"); Secret("what was captured"); }
}
END
mcs -nologo -out:app.exe app.cs && "$ILINJECT" -q app.exe -o plain/ && "$ILINJECT" -q '--capture=App.Secret: args' app.exe -o values/ || exit 1
if can dotnet; then runtimeconfig plain/app.exe && runtimeconfig values/app.exe; fi

env --default-signal=INT "$ILINJECT" serve --listen :0 -o received >serve.txt 2>serve.err &
server=$!
helpers=
# shellcheck disable=SC2086
trap 'kill -KILL $server $helpers 2>/dev/null; rm -rf "$SCRATCH"' EXIT
within 100 grep -q post= serve.txt || { cat serve.err; exit 1; }
place=$(sed -n 's,.*--set post=http://.*\(:[0-9]*/[^/]*\)$,\1,p' serve.txt)

count_received() { find received -name '*.ilprof' | wc -l; }
has_values() { "$ILINJECT" report --calls "$1" | grep -q 'what was captured'; }
sends() { # FOLDER HOST NAME=VALUE…: runs the program; what it says goes to err
    local folder=$1 host=$2
    shift 2
    before=$(count_received)
    rm -f "$folder/app.ilprof"
    (cd "$folder" && exec env ILINJECT_POST="http://$host$place" ILINJECT_POST_WAIT=30000 "$@" "$runtime" app.exe) >out 2>err </dev/null && [ -s "$folder/app.ilprof" ] || { cat out err; return 1; }
}
arrives() { sends "$@" && [ ! -s err ] && [ "$(count_received)" -eq $((before + 1)) ] || { cat err; return 1; }; }
stays() { # nothing arrives, one line says so, the file has the values
    sends "$@" && [ "$(count_received)" -eq "$before" ] && has_values values/app.ilprof && [ "$(wc -l <err)" -eq 1 ] &&
        grep -q "^ilinject: post=http://$2:[0-9]*/\.\.\.: captured values are not sent unencrypted to another machine; use https://, or post_values=plain\$" err || { cat err; return 1; }
}
for runtime in mono dotnet; do
    can $runtime || { skip "$runtime: captured values are not sent unencrypted" "$runtime is not installed"; continue; }
    check "$runtime: captured values reach a server of this machine" arrives values 127.0.0.1
    check "$runtime: by its name, too" arrives values localhost
    if [ -z "$address" ]; then
        skip "$runtime: captured values are not sent unencrypted to another machine" "this machine has no address but the loopback's"
        continue
    fi
    check "$runtime: a profile without captured values goes to another machine" arrives plain "$address"
    check "$runtime: one with captured values stays, which one line says" stays values "$address"
    check "$runtime: so it does at each writing, with one line in all" stays values "$address" ILINJECT_FLUSH=App.Secret
    check "$runtime: where the user allows it, it is sent" arrives values "$address" ILINJECT_POST_VALUES=plain
done

# ---- Ways that lead further -----------------------------------------------------------------------------------------

# Sets port to that of a server of this machine that sends its clients elsewhere; what it is asked for goes to NAME.log.
redirects() { # NAME LOCATION [CERTIFICATE KEY]
    : >"$1.log"
    : >"$1.port"
    python3 "$ROOT/tests/e2e/lib/py/redirects.py" "$1.log" "${@:2}" >"$1.port" 2>"$1.err" &
    helpers="$helpers $!"
    disown
    within 100 test -s "$1.port" || { cat "$1.err"; return 1; }
    port=$(cat "$1.port")
}
asked() { [ "$(wc -l <"$1.log")" -eq "$2" ] || { cat "$1.log" err; return 1; }; }
posts() { # FOLDER ADDRESS NAME=VALUE…: runs the program, whose profile goes to a whole address
    local folder=$1 to=$2
    shift 2
    before=$(count_received)
    rm -f "$folder/app.ilprof"
    : >elsewhere.log
    : >secret.log
    (cd "$folder" && exec env ILINJECT_POST="$to" ILINJECT_POST_WAIT=30000 "$@" "$runtime" app.exe) >out 2>err </dev/null && [ -s "$folder/app.ilprof" ] || { cat out err; return 1; }
}
reaches_server() { [ "$(count_received)" -eq $((before + 1)) ] || { cat err elsewhere.log; return 1; }; }
goes_no_further() { # NAME
    asked "$1" 1 && [ "$(count_received)" -eq "$before" ] && [ "$(wc -l <err)" -eq 1 ] &&
        grep -q ': the server answers 307, and captured values follow no redirect$' err || { cat err; return 1; }
}
directly() { asked elsewhere 0 && reaches_server && [ ! -s err ]; }
by_proxy() { asked elsewhere 1 && [ "$(count_received)" -eq "$before" ]; }

if ! has python3 || ! redirects elsewhere "http://${address:-localhost}$place"; then
    skip "captured values follow no redirect and no proxy" "python3 is not installed"
    kill -TERM $server
    wait $server
    finish
fi
elsewhere=http://127.0.0.1:$port
secret=
if has openssl && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out secret.pem 2>/dev/null &&
    redirects secret "http://127.0.0.1$place" secret.pem key.pem; then
    secret=https://localhost:$port
fi
# The certificate is trusted by OpenSSL, which .NET asks, and in the user's store of Mono.
trusting=("SSL_CERT_FILE=$SCRATCH/secret.pem" "HOME=$SCRATCH/home" "XDG_CONFIG_HOME=$SCRATCH/home/.config")
mkdir -p home/.config
if [ "$secret" ] && has cert-sync; then env "${trusting[@]}" cert-sync --quiet --user secret.pem >/dev/null 2>&1; fi

for runtime in mono dotnet; do
    can "$runtime" || continue
    check "$runtime: captured values follow no redirect" eval 'posts values "$elsewhere/x" && goes_no_further elsewhere'
    check "$runtime: they take no proxy to this machine" eval 'posts values "http://127.0.0.1$place" "http_proxy=$elsewhere" && directly'
    if [ $runtime = dotnet ]; then
        check "$runtime: a profile without them follows it" eval 'posts plain "$elsewhere/x" && reaches_server'
        check "$runtime: and takes it" eval 'posts plain "http://127.0.0.1$place" "http_proxy=$elsewhere" && by_proxy'
        check "$runtime: where the user allows it, they follow it, too" eval 'posts values "$elsewhere/x" ILINJECT_POST_VALUES=plain && reaches_server'
    fi
    if [ -z "$secret" ] || { [ $runtime = mono ] && ! has cert-sync; }; then
        skip "$runtime: captured values that were sent encrypted follow no redirect" "openssl or cert-sync is not installed"
        continue
    fi
    check "$runtime: captured values that were sent encrypted follow no redirect" eval 'posts values "$secret/x" "${trusting[@]}" && goes_no_further secret'
done
kill -TERM $server
wait $server
finish
