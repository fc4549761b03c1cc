#!/usr/bin/env bash
# level: full
# A program in a browser: one thread, no waiting, files in memory only. .NET for WebAssembly, put together by hand from the runtime's package, in Chromium;
# its profile comes by HTTP, when the program asks for it and on the beat, from a page of one address to `ilinject serve` at another.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/tracker/dump.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
for needed in chromium python3 mono; do
    has $needed && continue
    skip "a program in a browser posts its profile" "$needed is not installed"
    finish
done
if ! can dotnet || ! ldconfig -p | grep -q libmicrohttpd; then
    skip "a program in a browser posts its profile" "dotnet or libmicrohttpd is not installed"
    finish
fi
packages=$("$ROOT/tests/nuget-fetch" Microsoft.NETCore.App.Runtime.Mono.browser-wasm/10.0.12) || {
    skip "a program in a browser posts its profile" "$packages"
    finish
}
pack=$(echo "$packages"/microsoft.netcore.app.runtime.mono.browser-wasm/10.0.12/runtimes/browser-wasm)
mkdir site site/_framework got plain
compiled csc plain/app.dll "$ROOT/tests/tracker/WasmApp.cs" "-r:$BUILD/ProfileInfoTracker.dll" || {
    skip "a program in a browser posts its profile" "there is no compiler"
    finish
}
cp "$pack"/native/{dotnet.js,dotnet.native.js,dotnet.runtime.js,dotnet.native.wasm,System.Private.CoreLib.dll} site/_framework || exit 1
for name in mscorlib System System.{Runtime,Console,Collections,Threading,Linq,Memory} System.Runtime.{InteropServices,InteropServices.JavaScript,Extensions} System.Net.{Http,Primitives} System.Private.Uri \
    System.Diagnostics.{DiagnosticSource,Tracing} System.Threading.{Tasks,Thread,ThreadPool,Channels} System.Text.Encoding.Extensions System.ComponentModel System.Collections.{Concurrent,Specialized} System.Security.Cryptography; do
    cp "$pack/lib/net10.0/$name.dll" site/_framework || exit 1
done

"$ILINJECT" serve -o got --listen 127.0.0.1:0 >serve.txt 2>&1 &
server=$!
python3 -u -c 'import functools, http.server
site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(http.server.SimpleHTTPRequestHandler, directory="site"))
print(site.server_port, flush=True)
site.serve_forever()' >port.txt 2>site.log &
site=$!
within 100 grep -s -q 'post=http' serve.txt && within 100 grep -s -q . port.txt || exit 1
"$ILINJECT" plain/app.dll -o site/_framework/app.dll --quiet --set verbose=1 --set "$(grep -o -m 1 'post=http[^ ]*' serve.txt)" || exit 1
pairs() { local name; for name in "$@"; do printf '{"name":"%s","virtualPath":"%s"},' "$name" "$name"; done | sed 's/,$//'; }
core=(System.Private.CoreLib.dll System.Runtime.InteropServices.JavaScript.dll)
others=()
for file in site/_framework/*.dll; do
    case " ${core[*]} " in *" ${file##*/} "*) ;; *) others+=("${file##*/}") ;; esac
done
cat >site/index.html <<END
<html><body><script type=module>
import { dotnet } from "./_framework/dotnet.js";
await dotnet.withConfig({ mainAssemblyName: "app.dll", globalizationMode: "invariant", resources: { hash: "x", jsModuleNative: [{ name: "dotnet.native.js" }],
  jsModuleRuntime: [{ name: "dotnet.runtime.js" }], wasmNative: [{ name: "dotnet.native.wasm" }], coreAssembly: [$(pairs "${core[@]}")], assembly: [$(pairs "${others[@]}")] } }).run();
</script></body></html>
END
chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$SCRATCH/browser" --enable-logging=stderr "http://127.0.0.1:$(cat port.txt)/index.html" >browser.txt 2>&1 &
browser=$!

by_request() { within 120 eval '[ "$(grep -c "\.ilprof: .* methods" serve.txt)" -ge 1 ]' && within 120 grep -q 'CONSOLE.*flush True' browser.txt || { cat serve.txt; grep CONSOLE browser.txt; return 1; }; }
by_beat() { within 120 eval 'grep -q "\.ilprof: .* methods, again$" serve.txt' || { cat serve.txt; grep CONSOLE browser.txt; return 1; }; }
whole() { [ "$(find got -name '*.ilprof' | wc -l)" -eq 1 ] && [ "$(dump run got/*.ilprof reason)" = beat ] && dump sums got/*.ilprof >sums.txt && grep -q '^App.Outer() 10 0 0$' sums.txt && grep -q '^App.Inner() 30 0 0$' sums.txt || { cat sums.txt; return 1; }; }
quiet() { ! grep 'CONSOLE' browser.txt | grep -v 'ilinject: /app.ilprof written\|ilinject: posted to\|flush True'; }
check "a program in a browser posts its profile when it asks for that, and goes on" by_request
check "and on the beat, without a thread" by_beat
check "the profile is whole" whole
check "nothing else is said" quiet
kill $browser $server $site
gone() { ! kill -0 $browser 2>/dev/null; }
within 100 gone || kill -KILL $browser
wait $browser $server $site 2>/dev/null
finish
