#!/usr/bin/env bash
# Captured values, messages of exceptions and the setting `post`: they reach a server of this machine, and another machine's only encrypted, or where
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
# An address of this machine that a program takes for another machine's.
address=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -v '^127\.' | grep -m 1 -E '^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$')

mkdir plain values throws both
cat >app.cs <<'END'
public static class App
{
    static string Secret(string s) { return s + "!"; }
    public static void Main() { Secret("what was captured"); Secret("what was captured"); }
}
END
mcs -nologo -out:app.exe app.cs && "$ILINJECT" -q app.exe -o plain/ && "$ILINJECT" -q '--capture=App.Secret: args' app.exe -o values/ || exit 1
sed 's/Secret("what was captured"); S/try { Fail("a message"); } catch (System.FormatException) { } S/; s/static string Secret/static void Fail(string s) { throw new System.FormatException(s + " of zq7"); } &/' app.cs >throws.cs
mcs -nologo -out:throws/app.exe throws.cs && mv throws/app.exe throws.exe && "$ILINJECT" -q throws.exe -o throws/app.exe && "$ILINJECT" -q '--capture=App.Fail: args, exception' throws.exe -o both/app.exe || exit 1
if can dotnet; then for app in plain values throws both; do runtimeconfig $app/app.exe; done; fi

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
umask 022
mode() { stat -c %a "$1"; }
throws() { (cd throws && exec env "$@" "$runtime" app.exe) </dev/null >out 2>err && [ ! -s err ] || { cat out err; return 1; }; }
has_message() { grep -q -a 'a message of zq7' "$1"; }
private_message() { # whatever stood there, and at each writing
    rm -f throws/app.ilprof && throws A=1 && has_message throws/app.ilprof && [ "$(mode throws/app.ilprof)" = 600 ] || return
    chmod 644 throws/app.ilprof && throws ILINJECT_FLUSH=App.Secret && has_message throws/app.ilprof && [ "$(mode throws/app.ilprof)" = 600 ] || { ls -l throws; return 1; }
    rm -f made.json && "$ILINJECT" report throws/app.ilprof --json -o made.json && has_message made.json && [ "$(mode made.json)" = 600 ] && "$ILINJECT" merge throws/app.ilprof -o made.ilprof && has_message made.ilprof && [ "$(mode made.ilprof)" = 600 ]
}
no_message() {
    rm -f throws/app.ilprof && throws ILINJECT_EXCEPTION_MESSAGES=no && ! has_message throws/app.ilprof && [ "$(mode throws/app.ilprof)" = 644 ] && "$ILINJECT" report throws/app.ilprof | grep -q '^ *1 .*FormatException' || return
    (cd both && exec env ILINJECT_EXCEPTION_MESSAGES=no "$runtime" app.exe) </dev/null && "$ILINJECT" report --calls --thrown both/app.ilprof | grep -q 'Fail(s: "a message") threw' && ! has_message both/app.ilprof && [ "$(mode both/app.ilprof)" = 600 ]
}
nothing_private() { rm -f plain/app.ilprof && (cd plain && "$runtime" app.exe) && [ "$(mode plain/app.ilprof)" = 644 ]; }
newest_received() { find received -name '*.ilprof' -printf '%T@ %p\n' | sort -n | sed -n '$s/^[^ ]* //p'; }
message_arrives() { arrives throws "$@" && has_message "$(newest_received)"; }
message_stays() { # the profile arrives, the message does not
    sends throws "$address" "$@" && [ ! -s err ] && [ "$(count_received)" -eq $((before + 1)) ] && ! has_message "$(newest_received)" && "$ILINJECT" report "$(newest_received)" | grep -q '^ *1 .*FormatException'
}
for runtime in mono dotnet; do
    can $runtime || { skip "$runtime: messages of exceptions are their owner's" "$runtime is not installed"; continue; }
    check "$runtime: a profile with messages of exceptions is its owner's alone, and so is what is made of it" private_message
    check "$runtime: exception_messages=no leaves them out, of captured calls, too" no_message
    check "$runtime: a profile without any has the usual rights" nothing_private
    check "$runtime: messages reach a server of this machine" message_arrives 127.0.0.1
    [ "$address" ] || continue
    check "$runtime: a profile goes to another machine without them" message_stays
    check "$runtime: with them where the user allows it" message_arrives "$address" ILINJECT_POST_VALUES=plain
done

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
