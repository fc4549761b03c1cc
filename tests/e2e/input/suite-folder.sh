#!/usr/bin/env bash
# A folder as input: its own assemblies are instrumented, all else is copied byte for byte with permissions, links and empty folders; the
# result runs; a run that was killed and is started again gives the same bytes; what cannot be meant is refused before anything is written.
. "$(dirname "$0")/../../lib.sh"
has mcs && has mono || { skip "a folder as input" "no mono or no mcs"; finish; }
cd "$SCRATCH" || exit 1
tracker=ProfileInfoTracker.dll

# ---- A program of Mono with all that may stand around one -----------------------------------------------------------------------

cat >lib.cs <<'CS'
public static class Lib { public static int Twice(int n) { return 2 * n; } }
CS
cat >app.cs <<'CS'
class Program {
    static void Main(string[] words) { System.Console.WriteLine("{0} {1}", Lib.Twice(words.Length), System.Vendor.Half(8)); }
}
CS
echo 'namespace System { public static class Vendor { public static int Half(int n) { return n / 2; } } }' >vendor.cs
echo '[assembly: System.Reflection.AssemblyCulture("de")]' >culture.cs
echo '[assembly: System.Runtime.CompilerServices.ReferenceAssembly] public static class Lib { public static int Twice(int n) { return 0; } }' >reference.cs
mkdir -p in/de in/data/empty in/ref in/plugins/one 'in/with space' outside
mcs -nologo -target:library -out:in/lib.dll lib.cs && mcs -nologo -target:library -out:in/System.Vendor.dll vendor.cs &&
    mcs -nologo -debug -r:in/lib.dll -r:in/System.Vendor.dll -out:in/app.exe app.cs &&
    mcs -nologo -target:library -out:in/de/app.resources.dll culture.cs && mcs -nologo -target:library -out:in/ref/lib.dll reference.cs &&
    mcs -nologo -target:library -out:in/plugins/one/plugin.dll lib.cs && mcs -nologo -target:library -out:in/old.dll lib.cs || exit 1
"$ILINJECT" -q --in-place in/old.dll && rm "in/$tracker" || exit 1
head -c 3000 /dev/urandom >in/native.so
echo '<configuration/>' >in/app.exe.config
echo '{}' >in/strange.deps.json
echo text >'in/with space/a file'
echo secret >outside/elsewhere.txt
printf '#!/bin/sh\n' >in/start && chmod 751 in/start && chmod 600 in/native.so && chmod 750 in/data
ln -s lib.dll in/link.dll && ln -s ../lib.dll in/data/up.dll && ln -s nowhere in/dangling && ln -s data in/data.link && ln -s "$SCRATCH/outside" in/outside && ln -s "$SCRATCH/outside/elsewhere.txt" in/elsewhere.txt
own=(app.exe lib.dll old.dll plugins/one/plugin.dll ref/lib.dll)

told() { # TEXT: the last run said it
    grep -qF -- "$1" said.out said.err || { echo "not said: $1"; cat said.out said.err; return 1; }
}
run() { # VALUE arguments…
    local wanted=$1 got
    shift
    "$ILINJECT" "$@" >said.out 2>said.err
    got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat said.out said.err; return 1; }
}
instrumented() { for f; do "$ILINJECT" dump --tables "$f" | grep -q ProfileInfoTracker || { echo "$f is not instrumented"; return 1; }; done; }

check "a folder is taken whole" eval 'run 0 in -o out && told "in: 5 assemblies to instrument, " && told "total of 5" && told "2 copied unchanged"'
check "its own assemblies are instrumented" instrumented out/{app.exe,lib.dll,old.dll,plugins/one/plugin.dll}
# All entries with kind and permissions and where links lead, but for what is instrumented or stands beside that.
entries() { (cd "$1" && find . -mindepth 1 ! -name "$tracker" ! -name '*.mdb' -printf '%P %y %m %l\n' | grep -v '^elsewhere.txt ' | sort); }
check "what is in it, and with what permissions, stays" diff <(entries in) <(entries out)
untouched() {
    local f
    (cd in && find . -type f ! -name '*.mdb' -printf '%P\n') | while IFS= read -r f; do
        case " app.exe lib.dll plugins/one/plugin.dll " in *" $f "*) ;; *) cmp "in/$f" "out/$f" || echo "$f" ;; esac
    done
}
check "all else is what it was to the byte" eval '[ -z "$(untouched)" ] || { untouched; false; }'
check "a link to a file elsewhere becomes that file" eval '[ ! -L out/elsewhere.txt ] && cmp outside/elsewhere.txt out/elsewhere.txt'
check "the tracker stands once in each folder with an instrumented assembly" diff <(printf '%s\n' "$tracker" "plugins/one/$tracker") <(cd out && find . -name "$tracker" -printf '%P\n' | sort)
works() { [ "$(mono in/app.exe a b)" = "4 4" ] && [ "$(ILINJECT_OUT=$SCRATCH/run.ilprof mono out/app.exe a b)" = "4 4" ] && "$ILINJECT" report run.ilprof | grep -q Twice; }
check "the copy runs as the original does, and is measured" works
check "instrumented already is copied with one line" eval 'told "in/old.dll: info ILJ0400"'

# ---- Again, by other ways ---------------------------------------------------------------------------------------------------------

same_as_out() { diff -r --no-dereference out "$1" && diff <(entries out) <(entries "$1"); }
check "any number of threads gives the same" eval 'run 0 -j 1 in -o out1 && same_as_out out1 && run 0 -j 4 in/ -o out4/ && same_as_out out4'
check "once more changes nothing, not even times" eval 'cp -a out before && find out -name "*.so" -o -name "start" -o -name "*.config" | xargs stat -c %y >times && run 0 in -o out && same_as_out before && find out -name "*.so" -o -name "start" -o -name "*.config" | xargs stat -c %y | cmp - times'
dirty() {
    cp -a out worn && echo old >worn/start && rm -r worn/plugins && ln -sf "$SCRATCH/outside/elsewhere.txt" worn/native.so && ln -sf "$SCRATCH/outside/elsewhere.txt" worn/lib.dll &&
        echo half >worn/de/.ilinject-0123456789abcdef && chmod 777 worn/native.so && run 0 in -o worn && same_as_out worn && [ "$(cat outside/elsewhere.txt)" = secret ]
}
check "what is old in the output is replaced, what a killed run left goes, and no link is written through" dirty
check "what else stands in the output stays" eval 'cp -a out kept && echo mine >kept/notes.txt && run 0 in -o kept && [ "$(cat kept/notes.txt)" = mine ]'
check "the files without the folder give the same" eval 'run 0 in/app.exe in/lib.dll -o single/ && for f in app.exe lib.dll app.exe.mdb; do cmp "single/$f" "out/$f" || exit 1; done'
check "--all takes those of frameworks, too" eval 'run 0 --all in -o all && instrumented all/System.Vendor.dll && [ "$(mono all/app.exe a)" = "2 4" ] && cmp in/de/app.resources.dll all/de/app.resources.dll'
check "rules select in all of them" eval 'run 0 in -o chosen --include "Lib.*" && cmp in/app.exe chosen/app.exe && instrumented chosen/lib.dll chosen/plugins/one/plugin.dll'
check "--in-place takes the folder itself, and leaves it when done" eval 'cp -a in place && touch place/.ilinject-fedcba9876543210 && run 0 --in-place place && rm -f place/elsewhere.txt && cp out/elsewhere.txt place/ && same_as_out place && cp -a place twice && run 0 --in-place place && same_as_out place'
check "--dry-run writes nothing" eval 'run 0 --dry-run in -o never && [ ! -e never ] && told "would be" && told "5 assemblies to instrument"'
check "several inputs go by their names" eval 'run 0 in in/de in/lib.dll -o several && same_as_out several/in && cmp out/lib.dll several/lib.dll && cmp in/de/app.resources.dll several/de/app.resources.dll'
check "and a machine is told" eval 'run 0 --json in -o out && told "\"assemblies\": 5" && told "\"foreign\": 1" && told "\"satellites\": 1" && told "\"links\": 5"'

# ---- Refusals ---------------------------------------------------------------------------------------------------------------------

listing() { find in -printf '%P %s %m\n' | sort; }
refused() { # TEXT arguments…
    local text=$1
    shift
    listing >in.before
    run 2 "$@" && told "$text" && listing | diff in.before -
}
check "the output is not inside the input" refused "is inside the folder in" in -o in/out
check "nor the input itself" refused "is inside the folder in" in -o ./in/
check "nor by another name" eval 'ln -s in alias && refused "is inside the folder in" in -o alias/deep/er'
check "nor the input inside the output" refused "the folder in is inside the output ." in -o .
check "a folder does not become a file" eval 'echo x >file && refused "file is a file; a folder needs a folder" in -o file && [ "$(cat file)" = x ]'
check "two folders of one name do not become one" refused "would both become" in ./in/ -o both
check "a folder without a name is not among several" refused "has no name" in/. in/lib.dll -o both
check "a folder with nothing of its own is said" eval 'mkdir -p nothing && cp in/System.Vendor.dll nothing && run 0 nothing -o nothing.out && told ILJ0466 && told "1 of packages and frameworks, which --all instruments" && cmp in/System.Vendor.dll nothing.out/System.Vendor.dll'
check "what runs tests is not its own" eval 'mkdir tests && cp in/lib.dll tests/Shop.Tests.dll && cp in/lib.dll tests/NUnit3.TestAdapter.dll && cp in/lib.dll tests/nunit.engine.dll && echo "{\"runtimeTarget\":{\"name\":\"n\"},\"targets\":{\"n\":{}}}" >tests/t.deps.json && run 0 tests -o tests.out && told "1 assembly to instrument" "2 assemblies of packages" && cmp in/lib.dll tests.out/nunit.engine.dll && instrumented tests.out/Shop.Tests.dll'
check "… but with --all" eval 'run 0 tests --all -o tests.all && told "3 assemblies to instrument" && instrumented tests.all/nunit.engine.dll'
if has mkfifo; then
    check "a pipe is left out, with a word" eval 'cp -a in piped && mkfifo piped/pipe && run 0 piped -o piped.out && told "piped/pipe: warning ILJ0467" && same_as_out piped.out'
fi
mark='\x8b\x12\x02\xb9\x6a\x61\x20\x38\x72\x7b\x93\x02\x14\xd7\xa0\x32\x13\xf5\xb9\xe6\xef\xae\x33\x18\xee\x3b\x2d\xce\x24\xb3\x6a\xae'
bundle() {
    cp -a in bundled && printf "\\x7fELF some code\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00${mark}and more" >bundled/launcher &&
        printf "\\x7fELF some code\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00${mark}and more" >bundled/single &&
        run 1 bundled -o bundled.out && told "bundled/single: error ILJ0465" && told "PublishSingleFile" && told "1 failed" && [ ! -e bundled.out/single ] &&
        cmp bundled/launcher bundled.out/launcher && rm bundled.out/launcher && same_as_out bundled.out
}
check "a single-file program is refused with advice, and loses nothing of the others" bundle
# ---- Folders that a run makes ---------------------------------------------------------------------------------------------------

check "the folder of an output is made" eval 'run 0 in/app.exe -o "made/by it/app.exe" && instrumented "made/by it/app.exe"'
check "one that cannot be made is named" eval 'run 1 in/app.exe -o file/by/app.exe && told "the folder file/by cannot be made" && [ "$(wc -l <said.err)" = 1 ]'
nothing_left() { run "$@" && [ ! -e gone ] && [ ! -e still/gone ] || { find gone still; return 1; }; } # VALUE ARGUMENT…
left_as_it_was() { mkdir -p still && echo x >still/file && nothing_left 1 in -o still/gone/deep --tracker none.dll && [ "$(ls still)" = file ]; }
check "a run that fails leaves no folder that it has made: a tracker that is not there" left_as_it_was
check "… a pattern that is wrong" nothing_left 2 in -o gone --include '(('
check "… of a file, too" nothing_left 1 in/app.exe -o gone/deep/app.exe --tracker none.dll
single_alone() { mkdir -p lonely && printf "\\x7fELF some code\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00${mark}and more" >lonely/single && cp in/app.exe.config lonely/ 2>/dev/null || echo x >lonely/notes; nothing_left 1 lonely -o gone; }
check "… nothing but a single-file program" single_alone
check "… one that was there stays, with what was in it" eval 'mkdir -p stays && echo x >stays/file && run 1 in -o stays --tracker none.dll && [ -e stays/file ]'

# ---- Assemblies in other files --------------------------------------------------------------------------------------------------

# By what the formats' makers write at the head of each, and by the names that they give.
hide() { # FOLDER: a file of each kind
    mkdir -p "$1/lib" && printf 'XALZ\x01\x00\x00\x00\x10\x00\x00\x00' >"$1/Packed.dll" && printf 'XABA\x03\x00\x00\x00' >"$1/assemblies.blob" &&
        printf '\x7fELF\x02\x01' | tee "$1/lib/libassemblies.arm64-v8a.blob.so" >"$1/lib/lib_Shop.dll.so" && printf '\x00asm\x01\x00\x00\x00 some sections WbIL' >"$1/Shop.wasm" &&
        printf '\xaf\x1b\xb1\xfa\x1d\x00' >"$1/global-metadata.dat" && cp in/app.exe "$1/Shop.exe.deploy"
}
hidden=$'Packed.dll maui\nShop.exe.deploy framework\nShop.wasm browser\nassemblies.blob maui\nglobal-metadata.dat unity\nlib/lib_Shop.dll.so maui'
alone() {
    hide hidden && run 1 hidden -o hidden.out || return
    while read -r file page; do grep -q "^hidden/$file: error ILJ0492: .*(docs/[a-z]*/$page.md)" said.err || { echo "$file"; cat said.err; return 1; }; done <<<"$hidden"
    told "1 more like it" && [ "$(wc -l <said.err)" = 6 ] && ! told ILJ0466 && [ ! -e hidden.out ]
}
check "a folder whose assemblies are packed in other files fails, and names each kind and the page that says what to do" alone
beside_others() { hide mixed && cp in/app.exe mixed/ && run 0 mixed -o mixed.out && [ "$(grep -c "^mixed/.*: warning ILJ0493: left as it is" said.err)" = 6 ] && cmp mixed/Packed.dll mixed.out/Packed.dll && instrumented mixed.out/app.exe; }
check "beside assemblies they are copied as they are, with a word" beside_others
named() {
    while read -r file page; do
        [ "$file" = Shop.exe.deploy ] || { run 1 "hidden/$file" -o named.out && [ "$(grep -c "^hidden/$file: error ILJ0492: .*(docs/[a-z]*/$page.md)" said.err)" = 1 ] && [ "$(wc -l <said.err)" = 1 ]; } || { cat said.err; return 1; }
    done <<<"$hidden"
}
check "named, each is told for what it is" named
packed_in() { # ENDING
    (cd hidden && zip -q -r "../app.$1" .) && run 1 "app.$1" -o "packed.$1" && told "app.$1/Packed.dll: error ILJ0492" && told "app.$1/lib/lib_Shop.dll.so: error ILJ0492" && [ ! -e "packed.$1" ]
}
if has zip; then
    check "so it is in a package for Android" packed_in apk
    check "and in a bundle of such" packed_in aab
else
    skip "so it is in a package for Android" "no zip"
fi
manifest() { mkdir -p click && cp in/app.exe click/ && echo '<asmv1:assembly><dsig:DigestValue>x</dsig:DigestValue></asmv1:assembly>' >click/app.exe.manifest && echo '<assembly/>' >click/plain.manifest && run 0 click -o click.out && told "click/app.exe.manifest: warning ILJ0493" && ! told plain.manifest; }
check "a manifest with hashes of files that change is told" manifest
native_program() {
    mkdir -p native && printf '\x7fELF code DotNetRuntimeDebugHeader' | tee native/shop >native/libshop.so && run 1 native -o native.out && told "native/shop: error ILJ0465: a program that NativeAOT" && told docs/tasks/nativeaot.md && [ "$(wc -l <said.err)" = 1 ] &&
        cp in/app.exe native/ && run 0 native -o native.out && ! told NativeAOT && run 1 native/shop -o x && told "native/shop: error ILJ0465"
}
check "a program of NativeAOT's is told, where nothing else is" native_program
single_named() { cp in/lib.dll bundled/single.dll && run 1 bundled/single -o x && told "bundled/single: error ILJ0465: a program in a single file" && told PublishSingleFile && ! told "single.dll" && rm bundled/single.dll; }
check "a single-file program that is named gets the true reason" single_named
check "what is called .dll and cannot be read as an assembly is copied" eval 'cp -a in broken && head -c 1500 in/lib.dll >broken/lib.dll && run 0 broken -o broken.out && cmp broken/lib.dll broken.out/lib.dll && cmp out/app.exe broken.out/app.exe'

# ---- Unreadable files -----------------------------------------------------------------------------------------------------------

# Named, an error, and the rest is done as ever: no file that cannot be read is taken for one that is no assembly.
unread_in_place() { # FILE
    rm -rf unread && cp -a in unread && cp in/lib.dll unread/prog || return
    FAULT_READ=/unread/$1 LD_PRELOAD=$faults run 1 --in-place unread && told "unread/$1: error ILJ0900: cannot be read: Input/output error" &&
        [ "$(grep -c "unread/$1" said.err)" = 1 ] && told "1 that cannot be read" && instrumented unread/app.exe && cmp in/lib.dll "unread/$1"
}
unread_copy() {
    rm -rf unread unread.out && cp -a in unread || return
    FAULT_READ=/unread/lib.dll LD_PRELOAD=$faults run 1 unread -o unread.out && told "unread/lib.dll: error ILJ0900" && [ ! -e unread.out/lib.dll ] && cmp out/app.exe unread.out/app.exe
}
if grep -q __asan_init "$BUILD/ilinject"; then
    skip "what cannot be read is an error" "a sanitizer wants to be the first library"
else
    faults=$BUILD/tests/faults.so
    check "in place an assembly that cannot be read is named, an error, and the rest is done" unread_in_place lib.dll
    check "so is what may be a launcher" unread_in_place prog
    check "in a copy, too" unread_copy
fi
if [ "$(id -u)" = 0 ] && has setpriv && id nobody >/dev/null 2>&1; then
    as_nobody() { setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups "$@"; }
    closed() {
        rm -rf closed && mkdir -p closed/below && cp in/lib.dll closed/a.dll && cp in/lib.dll closed/b.dll && cp in/lib.dll closed/below/ || return
        cp "$BUILD/ilinject" . && chmod 755 ilinject && chmod 000 closed/below closed/a.dll && chown -R nobody closed && chmod 755 "$SCRATCH" || return
        as_nobody ./ilinject --in-place closed >said.out 2>said.err
        [ $? = 1 ] && told "closed/a.dll: error ILJ0900: cannot be read: Permission denied" &&
            told "closed/below cannot be listed: Permission denied" && told "2 that cannot be read" && instrumented closed/b.dll
    }
    if as_nobody test -x "${TMPDIR:-/tmp}"; then
        check "what its rights keep from us is named, files and folders" closed
    else
        skip "what its rights keep from us is named" "another user cannot reach the program"
    fi
else
    skip "what its rights keep from us is named" "only root can become another user"
fi

check "what stands in the way is said, and nothing else is lost" eval 'mkdir -p blocked/native.so blocked/app.exe && run 1 in -o blocked && told "blocked/native.so" && told "blocked/app.exe" && cmp out/lib.dll blocked/lib.dll && cmp in/start blocked/start'

# ---- Killed, and started again ------------------------------------------------------------------------------------------------------

mkdir many many/below
i=0
for f in $(ls -S /usr/lib/mono/4.5/*.dll | sed -n '2,25p'); do
    i=$((i + 1))
    cp "$f" "many/$([ $((i % 3)) -eq 0 ] && echo below/)$(basename "$f")"
done
killed() {
    local wait pid ended=0
    run 0 -q --all -j 2 many -o whole || return 1
    for wait in 0.01 0.05 0.1 0.2 0.4; do
        rm -rf half
        "$ILINJECT" -q --all -j 2 many -o half 2>/dev/null &
        pid=$!
        sleep "$wait"
        kill -KILL "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null || ended=$((ended + 1))
        run 0 -q --all -j 2 many -o half && diff -r whole half || { echo "killed after $wait s"; return 1; }
    done
    [ "$ended" -gt 0 ] || echo "no run was killed in time"
}
check "a run that was killed is started again, and gives the same bytes" killed

# ---- A folder that the SDK built ----------------------------------------------------------------------------------------------------

if ! has dotnet || [ -z "$(dotnet --list-sdks 2>/dev/null)" ]; then
    skip "what the SDK built" "no .NET SDK"
    finish
fi
export DOTNET_CLI_HOME=$SCRATCH/home DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 MSBUILDDISABLENODEREUSE=1
cp -r "$ROOT/fixtures/net" net
check "the SDK builds a program" dotnet build net/app/app.csproj -o bin -v q --disable-build-servers -p:UseSharedCompilation=false
sdk() {
    run 0 bin -o bin-prof && told "2 assemblies to instrument" && instrumented bin-prof/app.dll bin-prof/lib.dll || return 1
    grep -q "$tracker" bin-prof/app.deps.json && grep -q "$tracker" bin-prof/lib.deps.json && cmp bin/app.runtimeconfig.json bin-prof/app.runtimeconfig.json && cmp bin/app bin-prof/app &&
        [ "$(ILINJECT_OUT=$SCRATCH/sdk.ilprof dotnet bin-prof/app.dll argument)" = "$(dotnet bin/app.dll argument)" ] &&
        [ "$(ILINJECT_OUT=$SCRATCH/launched.ilprof bin-prof/app argument)" = "twice 10" ] && "$ILINJECT" report sdk.ilprof | grep -q Twice && "$ILINJECT" report launched.ilprof | grep -q Twice
}
check "it runs instrumented from the copy, by dotnet and its launcher" sdk
# The library as a package: no longer its own.
check "what a package brings is left alone" eval 'sed -i "/\"lib\/1.0.0\": {/,/}/s/\"project\"/\"package\"/" bin/app.deps.json && rm bin/lib.deps.json && run 0 bin -o packaged && cmp bin/lib.dll packaged/lib.dll && instrumented packaged/app.dll && told "1 assembly of packages"'
finish
