#!/usr/bin/env bash
# Hosts without files, environment, Stopwatch or full trust, Silverlight above all: what the tracker needs there, where its profile goes, and the
# profile by HTTP (the setting post), which every host has. There is no Silverlight here: Mono runs a tracker whose every reference to what Silverlight
# lacks, or refuses to applications, leads nowhere (Lacking.cs, silverlight.txt), and programs built for Silverlight by a host (SilverlightHost.cs).
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../e2e/lib/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
here=$ROOT/tests/tracker
if ! has mono || ! has mcs; then
    skip "a tracker without files and by HTTP" "mono and mcs are not installed"
    finish
fi
export TMPDIR=$SCRATCH/tmp XDG_CONFIG_HOME='' XDG_DATA_HOME=''
mkdir "$TMPDIR" app plain
mcs -nologo -out:dump.exe "$here"/ProfileDump*.cs && mcs -nologo -out:receiver.exe "$here/Receiver.cs" && mcs -nologo -out:host.exe "$here/SilverlightHost.cs" &&
    cp "$BUILD/ProfileInfoTracker.dll" plain && mcs -nologo -out:plain/post.exe -r:plain/ProfileInfoTracker.dll "$here/PostDriver.cs" &&
    "$ILINJECT" plain/post.exe -o app --quiet || exit 1
if can dotnet; then runtimeconfig app/post.exe; fi
dump() { mono dump.exe "$@"; }

# A receiver, on $port; what it has got before goes.
receive() { # [STATUS [DELAY [UNANSWERED]]]
    if [ "${receiver:-}" ]; then kill -KILL "$receiver" 2>/dev/null; fi
    rm -rf got run
    mkdir got run
    mono receiver.exe got "$@" &
    receiver=$!
    within 100 test -e got/port || return 1
    port=$(cat got/port)
}
received() { # ends it
    kill -KILL "$receiver" && ! wait "$receiver" 2>/dev/null
}
run() { # [NAME=VALUE…] SCENARIO…: the program in the folder run
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    (cd run && exec timeout -k 1 100 env "${settings[@]}" "$runtime" ../app/post.exe "$@") >out.txt 2>err.txt
}
post() { echo "ILINJECT_POST=http://127.0.0.1:$port/s3cret"; }
said() { # LINE…: on standard error, and nothing else
    diff <(printf '%s\n' "$@") err.txt
}
# A program that ends waits two seconds for the answer, which may be too few here: then once more.
patiently() {
    local tries
    for ((tries = 0; tries < 10; tries++)); do
        "$@" && return
        grep -q 'no answer within' err.txt || return 1
    done
    return 1
}
sums_are() { diff <(printf 'App.%s\n' "${@:2}") <(dump sums "$1"); }
nested=('Main(string[]) 1 0 0' 'Outer() 10 0 0' 'Inner() 30 0 0')

at_exit() {
    receive && run "$(post)" ILINJECT_BEAT=0 nested && received && [ ! -s err.txt ] && [ "$(cd got && echo *.ilprof)" = 1.ilprof ] && cmp got/1.ilprof run/post.ilprof &&
        sums_are got/1.ilprof "${nested[@]}" && [ "$(dump run got/1.ilprof reason)" = exit ] && "$ILINJECT" report got/1.ilprof >/dev/null &&
        grep -q '^POST /s3cret HTTP/1.1' got/1.txt && grep -qi $'^Content-Type: application/octet-stream\r$' got/1.txt && compressed_where_it_can_be
}
# The length that was sent, beside that of what came out of it.
compressed_where_it_can_be() {
    local sent
    sent=$(grep -i '^Content-Length:' got/1.txt | tr -dc 0-9)
    case $runtime in
    dotnet) grep -q $'^Content-Encoding: gzip\r$' got/1.txt && [ "$sent" -lt "$(stat -c %s got/1.ilprof)" ] ;;
    *) ! grep -qi '^Content-Encoding' got/1.txt && [ "$sent" -eq "$(stat -c %s got/1.ilprof)" ] ;;
    esac || { cat got/1.txt; return 1; }
}
at_beat() {
    local last
    receive && run "$(post)" beat ../got/1.ilprof && received && [ "$(dump run got/1.ilprof reason)" = beat ] && sums_are got/1.ilprof 'Main(string[]) 1 0 1' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Await(string) 1 0 1' &&
        last=$(find got -name '*.ilprof' | sort -V | tail -n 1) && sums_are "$last" 'Main(string[]) 1 0 0' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Await(string) 1 0 0' && [ "$(dump run "$last" reason)" = exit ]
}
at_flush() {
    receive && run "$(post)" ILINJECT_BEAT=0 flush ../got/1.ilprof && received && [ "$(cat out.txt)" = True ] && [ "$(dump run got/1.ilprof reason)" = request ] &&
        dump sums got/1.ilprof | grep -q 'Outer() 1 0 0' && dump sums got/2.ilprof | grep -q 'Outer() 2 0 0'
}
unhandled() {
    receive && ! run "$(post)" ILINJECT_BEAT=0 throws && received && [ "$(dump run got/1.ilprof reason)" = unhandled ] && dump sums got/1.ilprof | grep -q 'Outer() 1 0 0'
}
# Without files a program that waits for the answer can tell.
refused() {
    receive 403 && run "$(post)" ILINJECT_BEAT=0 ILINJECT_OUT=/proc/none TMPDIR=/proc/none twice && received && [ "$(cat out.txt)" = 'False False' ] && [ -e got/3.ilprof ] && [ ! -e got/4.ilprof ] &&
        [ "$(wc -l <err.txt)" -eq 2 ] && grep -q "^ilinject: the profile can't be written: /proc/none" err.txt && grep -q "^ilinject: post=http://127.0.0.1:$port/\.\.\.: .*403" err.txt || { cat out.txt err.txt; return 1; }
}
each_refused() {
    receive 500 && run "$(post)" ILINJECT_BEAT=0 ILINJECT_VERBOSE=1 twice && received && [ "$(grep -c "^ilinject: post=http://127.0.0.1:$port/\.\.\.: .*500" err.txt)" -eq 3 ] && ! grep -q s3cret err.txt || { cat err.txt; return 1; }
}
unanswered_once() {
    receive 200 1 1 && run "$(post)" ILINJECT_BEAT=0 nested && received && [ ! -s err.txt ] && [ -e got/2.ilprof ] && [ ! -e got/3.ilprof ] && cmp got/2.ilprof run/post.ilprof || { cat err.txt; return 1; }
}
unanswered_twice() {
    receive 200 1 2 && run "$(post)" ILINJECT_BEAT=0 nested && received && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q "^ilinject: post=http://127.0.0.1:$port/\.\.\.: " err.txt &&
        [ -e got/2.ilprof ] && [ ! -e got/3.ilprof ] && sums_are run/post.ilprof "${nested[@]}" || { cat err.txt; return 1; }
}
nobody() {
    rm -rf run
    mkdir run
    run ILINJECT_POST=http://127.0.0.1:1/s3cret nested && sums_are run/post.ilprof "${nested[@]}" && [ "$(wc -l <err.txt)" -eq 1 ] && grep -q '^ilinject: post=http://127.0.0.1:1/\.\.\.: ' err.txt || { cat err.txt; return 1; }
}
never_answered() {
    receive 200 0 && run "$(post)" ILINJECT_BEAT=0 nested && received && said "ilinject: post=http://127.0.0.1:$port/...: no answer within 2 seconds" && sums_are got/1.ilprof "${nested[@]}" && sums_are run/post.ilprof "${nested[@]}"
}
no_address() {
    rm -rf run
    mkdir run
    run ILINJECT_POST=shop.example/x nested && said 'ilinject: ILINJECT_POST: expected an address that begins with http:// or https://, found "shop.example/x"'
}
text() {
    rm -rf run
    mkdir run
    run ILINJECT_CLOCK=none text && grep -q '^calls 6, open 2, functions 4, threads 1$' out.txt && tail -n 1 out.txt | grep -q True || { cat out.txt; return 1; }
}
posting() {
    if ! can $runtime; then
        skip "the profile is posted on $runtime" "$runtime is not installed"
        return
    fi
    check "a profile is posted when the program ends, as it stands in the file, compressed by .NET ($runtime)" patiently at_exit
    check "it is posted while the program runs ($runtime)" patiently at_beat
    check "and when the program asks for it ($runtime)" patiently at_flush
    check "and when an unhandled exception ends the program ($runtime)" patiently unhandled
    check "what a server refuses is told once, without the token, and Flush knows ($runtime)" patiently refused
    check "with verbose each time ($runtime)" patiently each_refused
    check "a connection that ends without an answer is made once more ($runtime)" patiently unanswered_once
    check "and no third time ($runtime)" patiently unanswered_twice
    check "where nobody listens the program ends as ever, and the file is written ($runtime)" nobody
    check "a server that does not answer is waited for a bounded time ($runtime)" never_answered
    check "what is no address is named, and the program runs ($runtime)" no_address
    check "the program gets its profile as the text that Report writes, and as bytes ($runtime)" text
}

# ---- Without what Silverlight lacks ---------------------------------------------------------------------------------

known() { mono lacking.exe "$BUILD/ProfileInfoTracker.dll" - "@$here/silverlight.txt"; }
bare() { # SCENARIO…: post.exe with that tracker, its settings in it
    export HOME=$PWD/home
    rm -rf bared run home
    mkdir run home && cp -r bare bared && cp network/System.Net.dll bared && "$ILINJECT" plain/post.exe -o bared/post.exe --quiet "${settings[@]}" && cp bare/ProfileInfoTracker.dll bared || return 1
    (cd run && exec timeout -k 1 100 env AT_ONCE=1 mono ../bared/post.exe "$@") >out.txt 2>err.txt
}
isolated() { find home -name post.ilprof; }
by_beat() {
    receive && settings=(--set "post=http://127.0.0.1:$port/s3cret") && bare beat ../got/1.ilprof && received && [ ! -s err.txt ] && [ -z "$(ls -A run)" ] &&
        sums_are got/1.ilprof 'Main(string[]) 1 0 1' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Await(string) 1 0 1' && [ "$(dump run got/1.ilprof reason)" = beat ] &&
        [ "$(dump run got/1.ilprof name)" = post ] && [[ $(dump run got/1.ilprof runtime) == Silverlight* ]] && sums_are "$(isolated)" 'Main(string[]) 1 0 1' 'Outer() 1 0 0' 'Inner() 3 0 0' 'Await(string) 1 0 1' ||
        { cat out.txt err.txt; ls -A run; find home; return 1; }
}
by_flush() {
    settings=(--set beat=0)
    bare twice && [ "$(cat out.txt)" = 'True True' ] && [ ! -s err.txt ] && [ -z "$(ls -A run)" ] && dump sums "$(isolated)" | grep -q 'Main(string\[\]) 1 0 1'
}
in_memory() { settings=(--set clock=none); bare text && grep -q '^calls 6, open 2, functions 4, threads 1$' out.txt && [ ! -s err.txt ]; }
refused_there() {
    receive 403 && settings=(--set "post=http://127.0.0.1:$port/s3cret") && bare messages && received && grep -q '403' out.txt && [ -e got/1.ilprof ] && [ ! -e got/2.ilprof ] || { cat out.txt err.txt; ls got; return 1; }
}
kept() {
    settings=(--set post=http://127.0.0.1:1/x)
    bare messages && [ ! -s err.txt ] && [ "$(wc -l <out.txt)" -eq 1 ] && grep -q '^ilinject: post=http://127.0.0.1:1/\.\.\.: ' out.txt || { cat out.txt err.txt; return 1; }
}

# ---- Libraries that were built for Silverlight ----------------------------------------------------------------------

prepare() { # VERSION of Newtonsoft.Json, TRACKER'S FOLDER
    rm -rf sl out
    mkdir sl out && cp "$packages/nlog/4.7.13/lib/sl5/NLog.dll" "$packages/newtonsoft.json/$1"/lib/portable-net40+sl5*/Newtonsoft.Json.dll sl &&
        mcs -nologo -out:sl/app.exe -r:sl/NLog.dll -r:sl/Newtonsoft.Json.dll "$here/SilverlightApp.cs" && cp host.exe sl && (cd sl && mono host.exe app.exe) >plain.txt
    [ $? -eq 3 ] && [ "$(head -n 1 plain.txt)" = '57 Info|shop|order 0 Warn|shop|late 6' ] &&
        [ "$(tail -n 2 plain.txt | head -n 1)" = '{"Number":19,"Customer":"c19","Prices":[1.5,19.0]} 19 c19 19' ] && receive &&
        "$ILINJECT" sl/app.exe sl/NLog.dll sl/Newtonsoft.Json.dll -o out --quiet --set "post=http://127.0.0.1:$port/s3cret" --set beat=0 && cp host.exe network/System.Net.dll out && cp "$2/ProfileInfoTracker.dll" out
}
counts() { # PROFILE: has what the program does, counted by hand
    dump sums "$1" >sums.txt
    diff <(printf '%s\n' 'App.AndBack(int) 20' 'App.Main() 1' 'Lines.Write(LogEventInfo) 57' 'NLog.Logger.Debug(string) 30' 'NLog.Logger.Info(string) 50' 'NLog.Logger.Warn(string) 7' \
        'Newtonsoft.Json.JsonConvert.SerializeObject(object) 20' 'Newtonsoft.Json.Linq.JArray.Parse(string) 1' 'Order.get_Number() 40' 'Order.set_Number(int) 40') \
        <(cut -d' ' -f1-2 sums.txt | grep -E '^(App\.(Main|AndBack)|Lines\.Write|NLog\.Logger\.(Info|Debug|Warn)\(string\)|Newtonsoft\.Json\.JsonConvert\.SerializeObject\(object\)|Newtonsoft\.Json\.Linq\.JArray\.Parse\(string\)|Order\.[gs]et_Number)' | sort)
}
as_ever() { # VERSION
    prepare "$1" plain || return 1
    (cd out && exec timeout -k 1 100 mono host.exe app.exe) >out.txt 2>err.txt
    [ $? -eq 3 ] && received && diff plain.txt out.txt && [ ! -s err.txt ] && counts got/1.ilprof
}
# `ilinject serve` instead, whose address and token are baked in.
served() {
    kill -KILL "$receiver" && ! wait "$receiver" 2>/dev/null
    rm -rf got out/app.exe out/*.dll
    : >serve.txt # the one before has said its address in there
    "$ILINJECT" serve -o got --listen 127.0.0.1:0 >serve.txt 2>&1 &
    receiver=$!
    within 100 grep -q 'post=http' serve.txt || { cat serve.txt; return 1; }
    "$ILINJECT" sl/app.exe sl/NLog.dll sl/Newtonsoft.Json.dll -o out --quiet --set beat=0 --set "$(grep -o -m 1 'post=http[^ ]*' serve.txt)" && cp network/System.Net.dll out
}
by_serve() { # VERSION
    prepare "$1" plain && served || return 1
    (cd out && exec timeout -k 1 100 mono host.exe app.exe) >out.txt 2>err.txt
    [ $? -eq 3 ] && kill -TERM "$receiver" && wait "$receiver" && diff plain.txt out.txt && [ ! -s err.txt ] && [ "$(find got -name '*.ilprof' | wc -l)" -eq 1 ] && counts got/*.ilprof ||
        { cat err.txt serve.txt; return 1; }
}
# As its user has it: one archive in, one out, settings baked in. Its program runs as the plug-in
# would run it.
as_xap() { # VERSION
    prepare "$1" plain || return 1
    mv sl/app.exe app.dll
    cat >manifest.xaml <<'END'
<Deployment xmlns="http://schemas.microsoft.com/client/2007/deployment" xmlns:x="http://schemas.microsoft.com/winfx/2006/xaml" EntryPointAssembly="app" EntryPointType="App" RuntimeVersion="5.0.61118.0">
  <Deployment.Parts>
    <AssemblyPart x:Name="app" Source="app.dll" />
    <AssemblyPart x:Name="NLog" Source="NLog.dll" />
    <AssemblyPart x:Name="Newtonsoft.Json" Source="Newtonsoft.Json.dll" />
  </Deployment.Parts>
</Deployment>
END
    rm -f shop.xap shop.prof.xap
    "$BUILD/tests/zips" make shop.xap AppManifest.xaml=manifest.xaml app.dll=app.dll NLog.dll=sl/NLog.dll Newtonsoft.Json.dll=sl/Newtonsoft.Json.dll &&
        "$ILINJECT" shop.xap -o shop.prof.xap --quiet --set beat=0 --set "post=http://127.0.0.1:$port/s3cret" && rm -rf unpacked && mono entries.exe shop.prof.xap unpacked >/dev/null &&
        grep -q '<AssemblyPart x:Name="ProfileInfoTracker" Source="ProfileInfoTracker.dll" />' unpacked/AppManifest.xaml && cp host.exe unpacked || return 1
    (cd unpacked && exec timeout -k 1 100 mono host.exe app.dll) >out.txt 2>err.txt
    [ $? -eq 3 ] && received && diff plain.txt out.txt && [ ! -s err.txt ] && counts got/1.ilprof
}
bare_too() { # VERSION
    prepare "$1" bare || return 1
    export HOME=$PWD/home
    rm -rf home && mkdir home
    (cd out && exec timeout -k 1 100 mono host.exe app.exe ../got/1.ilprof) >out.txt 2>err.txt
    [ $? -eq 3 ] && received && diff plain.txt out.txt && [ "$(cat err.txt)" = True ] && counts got/1.ilprof && [[ $(dump run got/1.ilprof runtime) == Silverlight* ]]
}

silverlight() {
    local cecil version packages more
    cecil=$(find /usr/lib/mono/gac/Mono.Cecil -name Mono.Cecil.dll 2>/dev/null | sort | tail -n 1)
    if [ -z "$cecil" ]; then
        skip "the tracker runs without what Silverlight lacks" "Mono.Cecil is not installed"
        return
    fi
    # System.Net of Silverlight, with the one type that matters.
    cat >net.cs <<'END'
[assembly: System.Reflection.AssemblyVersion("5.0.5.0")]
[assembly: System.Runtime.CompilerServices.TypeForwardedTo(typeof(System.Net.WebRequest))]
END
    mkdir bare network && mcs -nologo -target:library -out:network/System.Net.dll net.cs && cp "$cecil" . && mcs -nologo -r:Mono.Cecil.dll -out:lacking.exe "$here/Lacking.cs" &&
        mono lacking.exe "$BUILD/ProfileInfoTracker.dll" bare/ProfileInfoTracker.dll "@$here/silverlight.txt" >lacking.txt
    check "all that the tracker uses is known to be in Silverlight's core library, or to be missing there" known
    check "without what is missing there the profile goes to isolated storage and by HTTP while the program runs" by_beat
    check "and to isolated storage when the program asks for it" by_flush
    check "the program has it as bytes and text" in_memory
    check "an answer that says no is not asked for again there" refused_there
    check "what could not be said on standard error can be asked for" kept
    packages=$("$ROOT/tests/nuget-fetch" NLog/4.7.13 Newtonsoft.Json/9.0.1 2>&1) && more=$("$ROOT/tests/nuget-fetch" Newtonsoft.Json/12.0.3 2>&1)
    # shellcheck disable=SC2181
    if [ $? -ne 0 ]; then
        skip "libraries for Silverlight run instrumented, and their profile arrives" "$(echo "$packages${more:-}" | tail -n 1)"
        return
    fi
    for version in 9.0.1 12.0.3; do
        check "NLog for Silverlight 5 and Newtonsoft.Json $version work instrumented as ever, and every call arrives by HTTP" patiently as_ever $version
        check "and do with nothing that Silverlight lacks (Newtonsoft.Json $version)" bare_too $version
    done
    mcs -nologo -r:System.IO.Compression.dll -r:System.IO.Compression.FileSystem.dll -out:entries.exe "$ROOT/fixtures/xap/Entries.cs"
    check "a XAP of these is instrumented as one, runs, and its profile arrives" patiently as_xap 9.0.1
    if ldconfig -p | grep -q libmicrohttpd; then
        check "and the profile arrives at ilinject serve" patiently by_serve 12.0.3
    else
        skip "and the profile arrives at ilinject serve" "libmicrohttpd is not installed"
    fi
}
halves posting silverlight
finish
