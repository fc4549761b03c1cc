#!/usr/bin/env bash
# level: full
# The WASI build, by node (the npm package) and by the .NET tool's Wasmtime: what they write and say is what this system's program
# writes and says. The packages come from folders here.
. "$(dirname "$0")/../../lib.sh"
cd "$ROOT" || exit 1
if [ "$BUILD" != "$ROOT/build" ]; then skip "the WASI build" "it is made from build/"; finish; fi
if ! make_alone wasi >"$SCRATCH/made" 2>&1; then
    reason=$(grep -m 1 'cannot be had\|: no [^ ]* (Debian' "$SCRATCH/made")
    if [ "$reason" ]; then skip "the WASI build" "$reason"; else tail -n 5 "$SCRATCH/made"; check "the WASI build is made" false; fi
    finish
fi
wasm=$ROOT/build/wasi/ilinject.wasm

# ---- The two that run it ----------------------------------------------------------------------------------------------

# One word for each in $ways: node, tool. `by WAY ARGUMENTS…` runs it.
ways=()
by() {
    local way=$1
    shift
    case $way in
    native) "$ILINJECT" "$@" ;;
    node) node "$SCRATCH/npm/node_modules/ilinject/ilinject.js" "$@" ;;
    tool) ILINJECT_WASMTIME=$engine "$SCRATCH/tools/ilinject" "$@" ;;
    esac
}
export NUGET_PACKAGES=$SCRATCH/packages DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 npm_config_update_notifier=false npm_config_offline=true
export npm_config_cache=$SCRATCH/npm-cache XDG_CACHE_HOME=$SCRATCH/cache
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
engine=$ROOT/build/sources/wasmtime/linux-x64/libwasmtime.so
mkdir "$SCRATCH/npm"
if ! has node || ! has npm; then
    skip "the npm package" "no node or npm"
else
    check "make npm makes a package" make_alone npm
    check "made again, it is the same" eval 'cksum build/ilinject-*.tgz >"$SCRATCH/first" && make_alone npm && cksum build/ilinject-*.tgz | diff - "$SCRATCH/first"'
    check "npm installs it from a file" eval '(cd "$SCRATCH/npm" && npm install --no-audit --no-fund "$ROOT/build/ilinject-$version.tgz" >log 2>&1) || { cat "$SCRATCH/npm/log"; false; }'
    ways+=(node)
fi
# The packages of all systems are made for the tool; a machine without a compiler of them has a folder instead.
if ! has dotnet; then
    skip "the .NET tool" "no dotnet"
elif ! src/tool/fetch-engine build/sources/wasmtime 2>"$SCRATCH/engine"; then
    skip "the .NET tool" "$(cat "$SCRATCH/engine")"
elif [ "$(uname -m)" != x86_64 ]; then
    skip "the .NET tool" "Wasmtime's library is fetched for x64"
elif ! make_alone tool >"$SCRATCH/made" 2>&1; then
    reason=$(grep -m 1 'cannot be had\|: no [^ ]* (Debian' "$SCRATCH/made")
    if [ "$reason" ]; then skip "the .NET tool" "$reason"; else tail -n 5 "$SCRATCH/made"; check "make tool makes a package" false; fi
else
    mkdir "$SCRATCH/feed" && cp "build/ilinject.any.$version.nupkg" "$SCRATCH/feed"
    echo "<configuration><packageSources><clear/><add key=\"local\" value=\"$SCRATCH/feed\"/></packageSources></configuration>" >"$SCRATCH/nuget.config"
    check "dotnet installs the tool from a folder" eval '(cd "$SCRATCH" && timeout 400 dotnet tool install ilinject.any --tool-path tools --configfile nuget.config >log 2>&1) || { cat "$SCRATCH/log"; false; }'
    check "it has Wasmtime for macOS on both processors, and the program for neither" eval '
        unzip -l "build/ilinject.any.$version.nupkg" >"$SCRATCH/list" && grep -q wasi/osx-x64/libwasmtime.dylib "$SCRATCH/list" &&
        grep -q wasi/osx-arm64/libwasmtime.dylib "$SCRATCH/list" && grep -q wasi/wasmtime.LICENSE "$SCRATCH/list" && ! grep -q native/osx "$SCRATCH/list"'
    ways+=(tool)
fi
if [ ${#ways[@]} -eq 0 ]; then finish; fi
each() { # COMMAND…: done for each way, which stands in $way
    local way
    for way in "${ways[@]}"; do "$@" || { echo "by $way"; return 1; }; done
}
# The output of a way, its errors and its exit value are the program's.
says_same() { # ARGUMENTS…
    local mine its
    by native "$@" >mine.out 2>mine.err
    mine=$?
    by "$way" "$@" >its.out 2>its.err
    its=$?
    [ $mine -eq $its ] && diff mine.out its.out && diff mine.err its.err || { echo "exit values $mine and $its: $*"; return 1; }
}
mkdir "$SCRATCH/w" && cd "$SCRATCH/w" && mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" || exit 1
"$ILINJECT" -q Demo.exe -o here/ && (cd here && ILINJECT_OUT=../demo.ilprof mono Demo.exe >/dev/null) || exit 1

# ---- The bytes --------------------------------------------------------------------------------------------------------

# 300 assemblies of the machine, of every size, as in e2e/full-systems; in one run, under names of their own.
take_assemblies() {
    local i=0 file
    mkdir many
    while read -r file; do
        i=$((i + 1))
        cp -L "$file" "many/$i.dll" && echo "many/$i.dll"
    done < <(find /usr/lib/mono/4.5 /usr/share/dotnet/shared /usr/share/dotnet/sdk -name '*.dll' -size +3k 2>/dev/null |
        LC_ALL=C sort -u | awk '{ all[NR] = $0 } END { step = NR > 300 ? NR / 300 : 1; for (i = 1; i <= NR; i += step) print all[int(i)] }') >files
}
same_bytes() {
    local its
    by "$way" -q @files -o "by.$way/" >"out.$way" 2>"err.$way"
    its=$?
    [ $its -eq $native_value ] || { echo "exit value $its, here $native_value"; return 1; }
    echo "# $(find "by.$way" -name '*.dll' | wc -l) files compared" >&2
    diff -rq by.native "by.$way" && diff out.native "out.$way" && diff err.native "err.$way"
}
take_assemblies
by native -q @files -o by.native/ >out.native 2>err.native
native_value=$?
check "there are assemblies to compare" eval '[ "$(find by.native -name "*.dll" | wc -l)" -ge 100 ]'
check "300 assemblies become the same bytes, with the same messages" each same_bytes
rm -rf by.* many

# ---- README's example -------------------------------------------------------------------------------------------------

example_by_npx() {
    mkdir bin && cp Demo.exe bin/ && cp "$SCRATCH"/npm/package.json . && ln -s ../npm/node_modules node_modules &&
        npx ilinject bin -o out >said 2>err && ! grep -qi warning err && (cd out && mono Demo.exe >/dev/null) && mv out/*.ilprof . &&
        npx ilinject report Demo.ilprof >its && "$ILINJECT" report Demo.ilprof | diff - its && grep -q Plant its
    local value=$?
    rm -rf bin out Demo.ilprof node_modules package.json
    return $value
}
example_by_tool() {
    mkdir bin && cp Demo.exe bin/ && by tool bin -o out && (cd out && mono Demo.exe >/dev/null) && mv out/*.ilprof . &&
        by tool report Demo.ilprof >its && "$ILINJECT" report Demo.ilprof | diff - its && grep -q Plant its
    local value=$?
    rm -rf bin out Demo.ilprof
    return $value
}
[[ " ${ways[*]} " != *" node "* ]] || check "npx does README's example, and node's warnings stay away" example_by_npx
[[ " ${ways[*]} " != *" tool "* ]] || check "the installed tool does it" example_by_tool

# ---- Commands ---------------------------------------------------------------------------------------------------------

reports_same() {
    local format
    for format in text json csv calltree speedscope collapsed html suggestions; do
        says_same report --format=$format demo.ilprof || return 1
    done
}
other_commands_same() {
    says_same list Demo.exe && says_same list --explain '*.Grow' Demo.exe && says_same dump --tables Demo.exe && says_same diff demo.ilprof demo.ilprof &&
        says_same diff demo.ilprof demo.ilprof --fail-if 'calls > 0' && says_same --help && says_same report --help &&
        by native merge -q demo.ilprof demo.ilprof -o mine.ilprof && by "$way" merge -q demo.ilprof demo.ilprof -o its.ilprof && cmp mine.ilprof its.ilprof
}
options_same() {
    echo '<ilinject><selection><exclude pattern="*.Main"/></selection></ilinject>' >some.xml
    local options
    for options in '--config some.xml' '--exits=ret' '--counts' '--capture **:args' '--overhead=10% --profile demo.ilprof' '--exceptions=full'; do
        # shellcheck disable=SC2086
        by native -q $options Demo.exe -o mine.exe && by "$way" -q $options Demo.exe -o its.exe && cmp mine.exe its.exe || { echo "$options"; return 1; }
    done
}
errors_same() {
    echo 'no assembly' >text.dll && echo '<ilinject><odd/></ilinject>' >odd.xml && head -c 2000 Demo.exe >short.exe && mkdir -p folder.dll
    says_same none.dll -o x.dll && says_same text.dll -o x.dll && says_same short.exe -o x.exe && says_same folder.dll/none -o x.dll &&
        says_same -q Demo.exe -o folder.dll/none/x.exe && says_same Demo.exe && says_same --no-such && says_same lost && says_same -q Demo.exe -o x.exe --config odd.xml &&
        says_same -q Demo.exe -o x.exe --config none.xml && says_same report none.ilprof && says_same report text.dll && says_same -q Demo.exe -o x.exe --exclude '[' &&
        says_same report && [ ! -e x.exe ] && [ ! -e x.dll ] && ! compgen -G '.ilinject-*' >/dev/null
}
xap_same() {
    cat >AppManifest.xaml <<'XAML'
<Deployment xmlns="http://schemas.microsoft.com/client/2007/deployment" xmlns:x="http://schemas.microsoft.com/winfx/2006/xaml" EntryPointAssembly="Demo" EntryPointType="X" RuntimeVersion="5.0">
  <Deployment.Parts><AssemblyPart x:Name="Demo" Source="Demo.dll" /></Deployment.Parts>
</Deployment>
XAML
    rm -f app.xap mine.xap its.xap
    cp Demo.exe Demo.dll && zip -q -X app.xap AppManifest.xaml Demo.dll && by native -q app.xap -o mine.xap && by "$way" -q app.xap -o its.xap && cmp mine.xap its.xap
}
# Node 20 damages its heap in long runs, unless ilinject.js keeps it from doing so: 3 of 14 runs of this ended by a signal.
long_runs_same() {
    local i
    for i in 1 2 3 4 5 6 7 8; do says_same report large.ilprof >said || { head -n 5 said; return 1; }; done
}
check "reports are the same" each reports_same
if [ -x "$BUILD/tests/made_hostile" ] && "$BUILD/tests/made_hostile" same 50000 large.ilprof; then
    check "one of 50,000 functions is, each time" each long_runs_same
else
    skip "one of 50,000 functions is, each time" "build/tests/made_hostile is not built (make tests)"
fi
rm -f large.ilprof
check "list, dump, merge, diff and help are the same" each other_commands_same
check "so are outputs with options" each options_same
check "so are errors, and nothing is left behind" each errors_same
if has zip; then check "so is an archive" each xap_same; else skip "so is an archive" "no zip"; fi

# ---- What is not there ------------------------------------------------------------------------------------------------

refuses() { # VALUE WORDS ARGUMENTS…
    local value=$1 words=$2
    shift 2
    by "$way" "$@" >out 2>err
    [ $? -eq "$value" ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -- "$words" err && [ ! -s out ] || { echo "$*:"; cat out err; return 1; }
}
refusals() {
    rm -f x.exe
    refuses 125 'Demo.exe is not run: this build of ilinject cannot start programs' run Demo.exe &&
        refuses 1 'process 1 is not asked: from this build of ilinject there is no way to a tracker' ctl 1 flush &&
        refuses 1 'ILJ0721: cannot be listened at: this build of ilinject has no network' serve --listen 127.0.0.1:0 &&
        refuses 1 'ILJ0454: it is not signed: the WASI build of ilinject does not sign' -q Signed.exe -o x.exe --key "$ROOT/runtime-tracker/ilinject.snk" && [ ! -e x.exe ] &&
        by "$way" -j 4 Demo.exe Signed.exe -o x/ 2>err >/dev/null; grep -q -- '--jobs=4: this build of ilinject works on one input at a time' err
}
mcs -nologo -keyfile:"$ROOT/runtime-tracker/ilinject.snk" -out:Signed.exe "$ROOT/fixtures/cs/Demo.cs" || exit 1
check "what it cannot do it says in one line" each refusals

# ---- Paths and permissions --------------------------------------------------------------------------------------------

paths_work() {
    rm -rf p && mkdir -p "p/gemäß 測試/b" && cp Demo.exe "p/gemäß 測試/" && ln -s "gemäß 測試" p/link && ln -s "gemäß 測試/Demo.exe" p/Link.exe
    (cd "p/gemäß 測試/b" && by "$way" -q ../Demo.exe -o ../../up/ && by "$way" -q "$SCRATCH/w/p/gemäß 測試/Demo.exe" -o "$SCRATCH/w/p/absolute/") &&
        by "$way" -q p/link/Demo.exe -o p/linked/ && by "$way" -q ./p/../p/Link.exe -o "./p/new/folders/" && by "$way" --in-place -q "p/gemäß 測試/Demo.exe" &&
        cmp here/Demo.exe p/up/Demo.exe && cmp here/Demo.exe p/absolute/Demo.exe && cmp here/Demo.exe p/linked/Demo.exe &&
        cmp here/Demo.exe p/new/folders/Link.exe && [ "$(stat -c %s "p/gemäß 測試/Demo.exe")" -eq "$(stat -c %s here/Demo.exe)" ]
}
folder_same() {
    rm -rf app mine its && mkdir -p app/sub && cp Demo.exe app/ && printf '#!/bin/sh\n' >app/start && chmod 750 app/start app/sub && chmod 640 app/Demo.exe &&
        ln -s start app/begin && echo x >app/sub/x && by native -q app -o mine && by "$way" -q app -o its && diff -r mine its &&
        diff <(cd mine && find . -printf '%m %p %l\n' | sort) <(cd its && find . -printf '%m %p %l\n' | sort) && [ "$(stat -c %a its/start)" = 750 ]
}
unharmed() { # nothing is replaced when the disk is full, and a link that a file's name has is followed
    echo kept >target && ln -sf target named.html && by "$way" report --html named.html demo.ilprof >/dev/null && [ -L named.html ] && grep -q '<html' target &&
        { by "$way" report --format=json demo.ilprof >/dev/full 2>err; [ $? -eq 1 ]; } && [ "$(wc -l <err)" -eq 1 ]
}
input_passed() {
    [ "$(printf 'Demo.exe\n-o\nlisted/\n' >arguments; by "$way" -q @arguments; cksum <listed/Demo.exe)" = "$(cksum <here/Demo.exe)" ] && rm -r listed
}
check "paths are relative, absolute, upwards, through links, and of any letters" each paths_work
check "a folder becomes the same, with its permissions and links" each folder_same
check "results go where links lead, and a full disk is told" each unharmed
check "arguments come from a file" each input_passed

# Windows has drives and backslashes: a host that says so, with a folder here as its drive.
cat >windows.mjs <<'JS'
process.emitWarning = () => {};
const { WASI } = await import('node:wasi');
import fs from 'node:fs';
const [wasm, drive, server, folder, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: ['ilinject', ...rest], env: { PWD: folder, ILINJECT_WINDOWS: '1' },
    preopens: { '/C:': drive, '//server/share': server }, returnOnExit: true });
const module = await WebAssembly.compile(fs.readFileSync(wasm));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
JS
windows_paths() {
    rm -rf drive server && mkdir -p drive/a/b server/s && cp Demo.exe drive/a/b/ && cp Demo.exe server/s/
    w() { node windows.mjs "$wasm" drive server /C:/a "$@"; }
    w -q 'b\Demo.exe' -o 'relative\' && w -q 'C:\a\b\Demo.exe' -o 'c:/absolute\' && w -q '\a\b\Demo.exe' -o '..\upwards\' && w -q '\\server\share\s\Demo.exe' -o '\\server\share\out\' &&
        w -q '\\?\C:\a\b\Demo.exe' -o '\\?\UNC\server\share\long\' && w --in-place -q 'b\Demo.exe' &&
        cmp here/Demo.exe drive/a/relative/Demo.exe && cmp here/Demo.exe drive/absolute/Demo.exe && cmp here/Demo.exe drive/upwards/Demo.exe &&
        cmp here/Demo.exe server/out/Demo.exe && cmp here/Demo.exe server/long/Demo.exe && [ "$(stat -c %s drive/a/b/Demo.exe)" -eq "$(stat -c %s here/Demo.exe)" ] &&
        { w 'C:\none.dll' -o x.dll 2>err; [ $? -eq 1 ]; } && grep -qF 'C:\none.dll: error ILJ0900: cannot be read: No such file or directory' err
}
[[ " ${ways[*]} " != *" node "* ]] || check "of a host that is Windows, paths have drives, servers and backslashes" windows_paths

# ---- The .NET tool's choice ---------------------------------------------------------------------------------------------

# As on macOS: no program, but a library of Wasmtime for this system; and as where there is neither.
falls_back() {
    local all
    all=$(dirname "$(find "$SCRATCH/tools/.store" -name ilinject.dll | head -n 1)")
    rm -rf fallen && cp -r "$all" fallen && rm -r fallen/native/linux-x64 || return 1
    dotnet fallen/ilinject.dll --version >out 2>err
    [ $? -eq 1 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
        grep -q 'no program for linux-x64; it has those for linux-arm64, osx-arm64, osx-x64, win-x64; .*ILINJECT_WASMTIME' err || { cat out err; return 1; }
    mkdir fallen/wasi/linux-x64 && cp "$engine" fallen/wasi/linux-x64/libwasmtime.dylib && dotnet fallen/ilinject.dll -q Demo.exe -o fallen/out/ && cmp here/Demo.exe fallen/out/Demo.exe
}
bad_engine() {
    ILINJECT_WASMTIME=$SCRATCH/w/some.xml "$SCRATCH/tools/ilinject" --version >out 2>err
    [ $? -eq 1 ] && [ ! -s out ] && grep -q "error: the WASI build cannot be run with $SCRATCH/w/some.xml: " err || { cat out err; return 1; }
}
if [[ " ${ways[*]} " = *" tool "* ]]; then
    check "without a program the tool takes its own library of Wasmtime, and says what it has" falls_back
    check "a library that is none is told" bad_engine
fi

# ---- The package for MSBuild ------------------------------------------------------------------------------------------

build_by_msbuild() {
    mkdir project && cp "$ROOT/fixtures/cs/Demo.cs" project/ && cat >"project/It's.csproj" <<CSPROJ
<Project Sdk="Microsoft.NET.Sdk">
  <Import Project="$ROOT/build/nupkg/build/ILInject.MSBuild.props" />
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><DefineConstants>CORE</DefineConstants></PropertyGroup>
  <Import Project="$ROOT/build/nupkg/build/ILInject.MSBuild.targets" />
</Project>
CSPROJ
    (cd project && ILINJECT_WASMTIME=$engine timeout 400 dotnet build -c Release -p:ILInjectEnabled=true -p:ILInjectRuntime=any -v:n >log 2>&1) || { tail -n 5 project/log; return 1; }
    local compiled woven
    compiled=$(find project/obj -path '*compiled*' -name '*.dll' | head -n 1) woven=$(find project/obj -path '*woven*' -name '*.dll' | head -n 1)
    grep -q 'tools/any/ilinject.dll' project/log && "$ILINJECT" -q "$compiled" -o plain/ && cmp plain/It*.dll "$woven" && dotnet project/bin/Release/*/*.dll >/dev/null
}
if [[ " ${ways[*]} " = *" tool "* ]]; then
    make_alone packages >"$SCRATCH/made" 2>&1 || tail -n 5 "$SCRATCH/made"
    check "the package for MSBuild has it, too, and a build by it gives the same bytes" build_by_msbuild
fi

# ---- Two folders ------------------------------------------------------------------------------------------------------

twice_same() {
    mkdir -p "$SCRATCH/another" && (cd "$ROOT" && { git ls-files -z; find build/sources -not -path '*/wasmtime/*' -not -type d -print0; } | xargs -0 cp -a --parents -t "$SCRATCH/another") && cd "$SCRATCH/another" &&
        env -u MAKEFLAGS -u MAKELEVEL make npm >log 2>&1 && cmp build/wasi/ilinject.wasm "$wasm" && cmp build/ilinject-*.tgz "$ROOT/build/ilinject-$version.tgz" ||
        { tail -n 5 log; return 1; }
}
check "made in another, it is the same" twice_same
finish
