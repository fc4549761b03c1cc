#!/usr/bin/env bash
# Captured values and the setting `post`: they reach a server of this machine, and another machine's only encrypted, or where
# the user allows it. The profile's file is written either way.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
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
trap 'kill -KILL $server 2>/dev/null; rm -rf "$SCRATCH"' EXIT
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
kill -TERM $server
wait $server
finish
