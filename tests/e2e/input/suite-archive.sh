#!/usr/bin/env bash
# Zips and NuGet packages as inputs: their own assemblies are instrumented, all other entries stay byte for byte, readers that are not ours
# take the output, the program in it runs; what is not safe to unpack is refused in a line, and nothing is written.
. "$(dirname "$0")/../../lib.sh"
has mcs && has mono || { skip "archives as inputs" "no mono or no mcs"; finish; }
cd "$SCRATCH" || exit 1
. "$ROOT/tests/e2e/lib/sh/archives.sh"
for reader in unzip python3; do has "$reader" || skip "$reader reads what is written" "no $reader"; done

# ---- A program with all that may stand around one, in entries of all kinds ------------------------------------------------------

cat >lib.cs <<'CS'
public static class Lib { public static int Twice(int n) { return 2 * n; } }
CS
cat >app.cs <<'CS'
class Program { static void Main(string[] words) { System.Console.WriteLine("{0} {1}", Lib.Twice(words.Length), System.Vendor.Half(8)); } }
CS
echo 'namespace System { public static class Vendor { public static int Half(int n) { return n / 2; } } }' >vendor.cs
echo '[assembly: System.Reflection.AssemblyCulture("de")]' >culture.cs
mcs -nologo -target:library -out:lib.dll lib.cs && mcs -nologo -target:library -out:System.Vendor.dll vendor.cs &&
    mcs -nologo -debug -r:lib.dll -r:System.Vendor.dll -out:app.exe app.cs && mcs -nologo -target:library -out:app.resources.dll culture.cs || exit 1
cp lib.dll other.dll
head -c 5000 /dev/urandom >noise
head -c 300000 /dev/zero >zeros
echo text >text
cat >old.deps.json <<'JSON'
{"runtimeTarget":{"name":".NETCoreApp,Version=v8.0"},"targets":{".NETCoreApp,Version=v8.0":{"old/1.0.0":{"runtime":{"old.dll":{}}}}},"libraries":{"old/1.0.0":{"type":"project","serviceable":false,"sha512":""}}}
JSON
"$zips" make in.zip comment='a comment, kept' before='something in front' 'readme.txt=text|note=read me' 'app.exe=app.exe|extra=fedc0300616263|note=the program' \
    'app.exe.mdb=app.exe.mdb' 'lib.dll=lib.dll|stored' 'Images\noise.bin=noise|local=Images/noise.bin|dd' 'System.Vendor.dll=System.Vendor.dll|dd|extra=01020000' \
    'de\app.resources.dll=app.resources.dll|local=de/app.resources.dll' 'empty/=|stored' 'nothing=|stored' 'link=text|stored|link' 'secret.bin=noise|encrypted' \
    'squeezed.bin=noise|method=14' 'zeros.bin=zeros|padding=7' 'wide.bin=noise|zip64' 'later.bin=noise|zip64|dd64' 'plugins/one/other.dll=other.dll|dd|record=0a00040000000000' \
    'plugins/core/old.dll=lib.dll' 'plugins/core/old.deps.json=old.deps.json' 'inner.zip=text|stored' || exit 1

changed=(app.exe app.exe.mdb lib.dll plugins/one/other.dll plugins/core/old.dll plugins/core/old.deps.json "$tracker" "plugins/one/$tracker" "plugins/core/$tracker")
check "a zip is taken like a folder" eval 'run 0 in.zip -o out.zip && told "in.zip: 4 assemblies to instrument, 14 files copied (1 assembly of packages and frameworks, 1 of resources) -> out.zip" "in.zip/plugins/one/other.dll: 1 method instrumented" " -> out.zip/lib.dll, " "total of 4: 5 methods" "inner.zip) is copied as it is"'
check "what is not instrumented stays byte for byte, in its order, under its names" others_are_raw in.zip out.zip "${changed[@]}"
check "nothing is left where it was unpacked" left_nothing
check "a new entry takes time and attributes from what is beside it" eval 'has python3 || exit 0; python3 -c "import zipfile; z = zipfile.ZipFile(\"out.zip\"); i = z.getinfo(\"plugins/one/$tracker\"); assert i.date_time == z.getinfo(\"lib.dll\").date_time and i.compress_type == 8, i; assert z.getinfo(\"lib.dll\").compress_type == 0"'
# Entries of unknown methods cannot be read.
"$zips" make plain.zip 'app.exe=app.exe' 'app.exe.mdb=app.exe.mdb|dd' 'lib.dll=lib.dll|stored' 'System.Vendor.dll=System.Vendor.dll|zip64' 'a\noise.bin=noise|local=a/noise.bin' \
    'plugins/core/old.dll=lib.dll' 'plugins/core/old.deps.json=old.deps.json' || exit 1
mkdir plain
check "other readers take the output" eval 'run 0 plain.zip -o plain.out.zip && unzip_value=1 readers_take plain.out.zip plain'
check "it runs and leaves a profile" eval '[ "$(mono plain/app.exe a b)" = "4 4" ] && "$ILINJECT" report plain/app.ilprof | grep -q "Lib.Twice" || "$ILINJECT" report app.ilprof | grep -q "Lib.Twice"'
check "its symbols are moved with it" eval 'unzip -p plain.out.zip app.exe.mdb >moved.mdb 2>/dev/null || cp plain/app.exe.mdb moved.mdb; ! cmp -s moved.mdb app.exe.mdb'
check "a deps.json gets the tracker" grep -q "$tracker" plain/plugins/core/old.deps.json
check "with --all those of frameworks, too" eval 'run 0 --all plain.zip -o all.zip && others_are_raw plain.zip all.zip app.exe app.exe.mdb lib.dll System.Vendor.dll plugins/core/old.dll plugins/core/old.deps.json "$tracker" "plugins/core/$tracker"'

# ---- The same bytes, always -----------------------------------------------------------------------------------------------------

check "the number of workers changes nothing" eval 'run 0 -j 1 in.zip -o one.zip && run 0 -j 7 in.zip -o seven.zip && cmp one.zip seven.zip && cmp one.zip out.zip'
check "an output goes through unchanged" eval 'run 0 out.zip -o again.zip && cmp out.zip again.zip'
check "a machine is told of its folders" eval '"$zips" make folders.zip "lib.dll=lib.dll" "one/=" "one/two/=" && run 0 folders.zip -o folders.out.zip --json && grep -q "\"folders\": 2\(,\|$\)" said.out said.err'
check "a zip without assemblies, too" eval '"$zips" make none.zip comment=x readme=text && run 0 none.zip -o none.out.zip && told "no assembly to instrument" && cmp none.zip none.out.zip'
check "in its own place" eval 'cp in.zip place.zip && chmod 640 place.zip && run 0 --in-place place.zip && cmp place.zip out.zip && [ "$(stat -c %a place.zip)" = 640 ]'
check "and not otherwise" eval 'cp in.zip same.zip && ln -s same.zip alias.zip && run 2 same.zip -o same.zip && told "--in-place replaces" && run 2 same.zip -o alias.zip && cmp in.zip same.zip'
check "a dry run writes nothing" eval 'run 0 --dry-run in.zip -o dry.zip && told "would be" && [ ! -e dry.zip ] && left_nothing'
check "by its content, whatever its name" eval 'cp plain.zip in.bin && run 0 in.bin -o out.bin && cmp out.bin plain.out.zip'
check "zip64 end records are kept" eval '"$zips" make large.zip zip64 comment=long "a.txt=text|place64" "lib.dll=lib.dll|place64" "b.txt=text|zip64|place64" && run 0 large.zip -o large.out.zip && others_are_raw large.zip large.out.zip lib.dll "$tracker" && readers_take large.out.zip'
check "the input may be an archive among others" eval 'mkdir -p dir && cp lib.dll dir && run 0 in.zip dir lib.dll plain.zip -o many/ && cmp many/in.zip out.zip && cmp many/plain.zip plain.out.zip && instrumented many/lib.dll many/dir/lib.dll && told "total of 9"'
check "make learns of it by one name" eval 'run 0 in.zip -o out.zip --depfile out.d && [ "$(cat out.d)" = "out.zip: \\
  in.zip" ]'
check "for machines" eval 'run 0 --json in.zip -o out.zip && told "\"input\": \"in.zip/lib.dll\"" "\"output\": \"out.zip/lib.dll\"" "\"assemblies\": 4"'
check "an assembly that fails keeps the archive from being written" eval '
    { printf "\\177ELF"; head -c 20000 /dev/zero; printf "12345678\\213\\022\\002\\271\\152\\141\\040\\070\\162\\173\\223\\002\\024\\327\\240\\062\\023\\365\\271\\346\\357\\256\\063\\030\\356\\073\\055\\316\\044\\263\\152\\256"; } >bundle
    "$zips" make bundled.zip program=bundle lib.dll=lib.dll && run 1 bundled.zip -o bundled.out.zip && told "bundled.zip/program: error ILJ0465" "bundled.out.zip is not written: 1 of its assemblies" && [ ! -e bundled.out.zip ] && left_nothing'

# ---- Memory and ends ------------------------------------------------------------------------------------------------------------

# 48 MB of content, a quarter of it assemblies; 24 MB of data.
head -c 12000000 /dev/urandom >blob
bounded() {
    local i entries=()
    for i in 1 2 3; do entries+=("blob$i=blob|stored"); done
    cp "$(dirname "$(command -v mcs)")/../lib/mono/4.5/System.Xml.dll" big.dll 2>/dev/null || cp lib.dll big.dll
    for i in 1 2 3 4 5 6; do entries+=("big$i.dll=big.dll"); done
    "$zips" make heavy.zip "${entries[@]}" || return 1
    (ulimit -d 98304 && "$ILINJECT" -q -j 1 heavy.zip -o heavy.out.zip) && readers_take heavy.out.zip >/dev/null
}
case $BUILD in
*/san)
    skip "memory is bounded by an entry, not by the archive" "a sanitizer's shadow takes terabytes"
    cp in.zip heavy.zip && cp out.zip heavy.out.zip ;;
*) check "memory is bounded by an entry, not by the archive" bounded ;;
esac
ends() { # SIGNAL: at whatever moment it comes, the output is whole or not there, and nothing is left
    local delay pid
    for delay in 0 0.01 0.03 0.06 0.1 0.2; do
        rm -f ended.zip
        "$ILINJECT" -q heavy.zip -o ended.zip 2>/dev/null &
        pid=$!
        sleep "$delay"
        kill -s "$1" "$pid" 2>/dev/null
        wait "$pid"
        [ ! -e ended.zip ] || cmp ended.zip heavy.out.zip || return 1
        left_nothing && [ -z "$(find . -maxdepth 1 -name '.ilinject-*')" ] || return 1
    done
}
check "a signal ends it without traces" ends TERM

# ---- NuGet packages -------------------------------------------------------------------------------------------------------------

echo '<package><metadata><id>x</id><version>1.0.0</version></metadata></package>' >x.nuspec
echo '<package><metadata><id>x</id><references><reference file="lib.dll"/></references></metadata></package>' >listing.nuspec
mcs -nologo -target:library -out:System.Own.dll vendor.cs || exit 1
package=('x.nuspec=x.nuspec' '[Content_Types].xml=text' '_rels/.rels=text' 'lib/net45/lib.dll=lib.dll' 'lib/netstandard2.0/System.Own.dll=System.Own.dll' \
    'lib/netstandard2.0/de/x.resources.dll=app.resources.dll' 'ref/net45/lib.dll=lib.dll' 'tools/lib.dll=lib.dll' 'runtimes/linux/lib/net8.0/lib.dll=lib.dll' 'runtimes/linux/native/lib.dll=lib.dll' \
    'analyzers/dotnet/cs/lib.dll=lib.dll')
packaged=(lib/net45/lib.dll "lib/net45/$tracker" lib/netstandard2.0/System.Own.dll "lib/netstandard2.0/$tracker" runtimes/linux/lib/net8.0/lib.dll "runtimes/linux/lib/net8.0/$tracker")
"$zips" make signed.nupkg "${package[@]}" '.signature.p7s=noise|stored' && "$zips" make x.nupkg "${package[@]}" || exit 1
check "of a NuGet package what its users run is instrumented, whatever its name" eval 'run 0 x.nupkg -o x.out.nupkg && others_are_raw x.nupkg x.out.nupkg "${packaged[@]}" && readers_take x.out.nupkg'
check "its signature is dropped with a warning" eval 'run 0 signed.nupkg -o signed.out.nupkg && told "signed.nupkg: warning ILJ0486: the signature .signature.p7s is left out" && others_are_raw signed.nupkg signed.out.nupkg "${packaged[@]}" .signature.p7s && readers_take signed.out.nupkg'
check "one that changes nothing keeps it" eval 'run 0 --exclude "*" signed.nupkg -o same.nupkg && cmp signed.nupkg same.nupkg'
check "a .nuspec that lists references is worth a word" eval '"$zips" make listing.nupkg listing.nuspec=listing.nuspec lib/net45/lib.dll=lib.dll && run 0 listing.nupkg -o listing.out.nupkg && told "ILJ0488"'
check "of a tool package its tools" eval '"$zips" make tool.nupkg x.nuspec=x.nuspec tools/net8.0/any/lib.dll=lib.dll tools/net8.0/any/DotnetToolSettings.xml=text && run 0 tool.nupkg -o tool.out.nupkg && others_are_raw tool.nupkg tool.out.nupkg tools/net8.0/any/lib.dll "tools/net8.0/any/$tracker"'

# ---- Archives that are not safe -------------------------------------------------------------------------------------------------

refused() { # SENTENCE TEXT ENTRY…: one line, which has the text; nothing is written anywhere
    local sentence=$1 text=$2
    shift 2
    "$zips" make bad.zip "$@" && cp bad.zip bad.kept
    check "$sentence" is_refused bad.zip "$text"
}
is_refused() {
    local before after
    before=$(find "$SCRATCH" ! -name 'said.*' | sort)
    run 1 "$1" -o refused.zip && told "$2" || return 1
    after=$(find "$SCRATCH" ! -name 'said.*' | sort)
    [ "$(wc -l <said.err)" -eq 1 ] && [ ! -s said.out ] || { echo "more than one line"; cat said.err said.out; return 1; }
    [ "$before" = "$after" ] || { diff <(echo "$before") <(echo "$after"); return 1; }
}
refused "a path that leads out is refused" "bad.zip: error ILJ0481: entry '../lib.dll' cannot be unpacked safely" '../lib.dll=lib.dll'
refused "with backslashes, too" "entry '../../lib.dll'" '..\..\lib.dll=lib.dll'
refused "in the middle, too" "dots for a name" 'a/../../lib.dll=lib.dll'
refused "also of an entry that nobody unpacks" "dots for a name" 'lib.dll=lib.dll' '../x.txt=text'
refused "an absolute path" "an absolute path" '/lib.dll=lib.dll'
refused "a share" "an absolute path" '\\server\share\lib.dll=lib.dll'
refused "a drive" "a colon" 'C:\lib.dll=lib.dll'
refused "a stream" "a colon" 'lib.dll:x=lib.dll'
refused "a device" "the name of a device" 'a/nul.dll=lib.dll'
refused "a numbered device" "the name of a device" 'COM1=text'
refused "a control character" "a control character" $'a\eb.dll=lib.dll'
refused "an empty part" "an empty name" 'a//lib.dll=lib.dll'
refused "two entries of one name" "two entries are named 'lib.dll'" lib.dll=lib.dll lib.dll=app.exe
refused "of one name when unpacked" "two entries are named 'a/lib.dll'" 'a/lib.dll=lib.dll' 'a\lib.dll=app.exe'
refused "a file that is a folder, too" "is inside 'a', which is a file" a=text a/lib.dll=lib.dll
refused "entries that share bytes" "overlaps" lib.dll=lib.dll 'again.dll=lib.dll|at=0'
refused "another name in the local header" "another name in its local header" 'lib.dll=lib.dll|local=bil.dll'
refused "a claim that deflate cannot keep" "which cannot be" 'lib.dll=lib.dll|size=4000000000'
refused "a claim that this one does not keep" "does not unpack to the 90000 bytes" 'lib.dll=lib.dll|size=90000'
refused "a wrong CRC" "its CRC is wrong" 'lib.dll=lib.dll|crc'
refused "an encrypted assembly" "ILJ0483: entry 'lib.dll' is encrypted" 'lib.dll=lib.dll|encrypted'
refused "an assembly that is packed in another way" "packed by method 12" 'lib.dll=lib.dll|method=12'
refused "more entries than there are" "no usable zip archive" count=9 lib.dll=lib.dll
refused "fewer entries than there are" "more than the end record says" count=1 lib.dll=lib.dll a=text
refused "more entries than are taken" "ILJ0482" zip64 'lib.dll=lib.dll' 'x=|stored|repeat=262145'
head -c 40000000 /dev/zero >zeros
refused "a bomb" "ILJ0482: entry 'lib.dll' unpacks" 'lib.dll=zeros'
head -c 16000000 /dev/zero >zeros
refused "a bomb in pieces" "ILJ0482: entry 'lib.dll' unpacks" 'x.dll=lib.dll' 'app.exe=zeros' 'lib.dll=zeros' 'other.dll=zeros'
for at in 10 200 2000 -5 -30; do
    head -c "$at" plain.zip >cut.zip
    check "cut off at $at bytes" is_refused cut.zip "ILJ0480"
done
if grep -q __asan_init "$BUILD/ilinject"; then
    skip "an assembly that cannot be read is named, and the archive not written" "a sanitizer wants to be the first library"
else
    unread() {
        FAULT_READ=/lib.dll LD_PRELOAD=$BUILD/tests/faults.so run 1 plain.zip -o unread.zip && told "plain.zip/lib.dll: error ILJ0900: cannot be read" &&
            told "unread.zip is not written: 1 of its assemblies" && [ ! -e unread.zip ]
    }
    check "an assembly that cannot be read is named, and the archive not written" unread
fi
check "no zip at all" eval 'cp text text.zip && is_refused text.zip "text.zip: error ILJ0480: no zip archive"'
check "an empty file" eval ': >empty.zip && is_refused empty.zip ILJ0480'
check "one that is refused does not keep others back" eval 'run 1 cut.zip plain.zip -o most/ && cmp most/plain.zip plain.out.zip && [ ! -e most/cut.zip ]'

finish
