#!/usr/bin/env bash
# Silverlight's XAPs as inputs: the assemblies that the manifest names are instrumented, the tracker is added to entries and manifest, the
# zips beside it that it loads later are seen to; all else stays byte for byte, in the manifest, too.
. "$(dirname "$0")/../../lib.sh"
has mcs && has mono || { skip "XAPs as inputs" "no mono or no mcs"; finish; }
cd "$SCRATCH" || exit 1
. "$ROOT/tests/e2e/lib/sh/archives.sh"
for reader in unzip python3; do has "$reader" || skip "$reader reads what is written" "no $reader"; done

echo 'public static class Lib { public static int Twice(int n) { return 2 * n; } }' >lib.cs
echo 'class Program { static void Main(string[] words) { System.Console.WriteLine(Lib.Twice(words.Length)); } }' >app.cs
echo 'public static class Sdk { public static int Half(int n) { return n / 2; } }' >sdk.cs
echo '[assembly: System.Reflection.AssemblyCulture("de")]' >culture.cs
mcs -nologo -target:library -out:Lib.dll lib.cs && mcs -nologo -debug -target:exe -r:Lib.dll -out:App.exe app.cs && mv App.exe App.dll && mv App.exe.mdb App.dll.mdb &&
    mcs -nologo -target:library -out:System.Windows.Controls.dll sdk.cs && mcs -nologo -target:library -out:Extra.dll lib.cs &&
    mcs -nologo -target:library -out:App.resources.dll culture.cs && cp Lib.dll Content.dll || exit 1
head -c 5000 /dev/urandom >noise

part='<AssemblyPart x:Name="ProfileInfoTracker" Source="ProfileInfoTracker.dll" />'
head='<Deployment xmlns="http://schemas.microsoft.com/client/2007/deployment" xmlns:x="http://schemas.microsoft.com/winfx/2006/xaml" EntryPointAssembly="App" EntryPointType="Program" RuntimeVersion="5.0.61118.0">'
# Lines end as on Windows, and there is a byte order mark.
windows() { printf '\xef\xbb\xbf'; sed 's/$/\r/'; }
windows >real.xaml <<XML
$head
  <!-- parts -->
  <Deployment.Parts>
    <AssemblyPart x:Name="App" Source="App.dll" />
    <AssemblyPart x:Name="Lib" Source="Lib.dll" />
    <AssemblyPart Source="System.Windows.Controls.dll" x:Name="System.Windows.Controls" />
    <AssemblyPart x:Name="App.resources" Source="de/App.resources.dll" />
  </Deployment.Parts>
</Deployment>
XML
sed "s|^.*App.resources.*\$|&\n    $part\r|" real.xaml >real.expected
manifest_of() { mono entries.exe "$1" unpacked >/dev/null && cat unpacked/AppManifest.xaml; }
# MANIFEST ENTRY…: a XAP of it.
xap() {
    local path=$1 manifest=$2
    shift 2
    "$zips" make "$path" "AppManifest.xaml=$manifest" "$@"
}

# ---- As real ones are: a hundred entries, names with backslashes ----------------------------------------------------------------

entries=('App.dll=App.dll' 'App.dll.mdb=App.dll.mdb' 'Lib.dll=Lib.dll|dd' 'System.Windows.Controls.dll=System.Windows.Controls.dll' 'de\App.resources.dll=App.resources.dll|local=de/App.resources.dll' 'Content.dll=Content.dll')
for i in {1..94}; do entries+=("Images\\$i.jpg=noise|local=Images/$i.jpg"); done
xap app.xap real.xaml "${entries[@]}" || exit 1
own=(AppManifest.xaml App.dll App.dll.mdb Lib.dll "$tracker")
check "the parts that are its own are instrumented" eval 'run 0 app.xap -o app.prof.xap && told "app.xap: 2 assemblies to instrument, 99 files copied (1 assembly of packages and frameworks, 1 of resources) -> app.prof.xap" "app.xap/App.dll: 2 methods instrumented, 0 left out -> app.prof.xap/App.dll, "'
check "all other entries stay byte for byte" others_are_raw app.xap app.prof.xap "${own[@]}"
check "the manifest names the tracker, and is else what it was" eval 'manifest_of app.prof.xap | cmp - real.expected'
check "other readers take it" eval 'unzip_value=1 readers_take app.prof.xap unpacked'
check "its code runs and leaves a profile" eval '(cd unpacked && [ "$(mono App.dll a b)" = 4 ] && "$ILINJECT" report App.ilprof | grep -q Lib.Twice)'
check "with --all the parts of the SDK, too, but no content" eval 'run 0 --all app.xap -o all.xap && others_are_raw app.xap all.xap "${own[@]}" System.Windows.Controls.dll'
check "one is taken again and stays as it is" eval 'run 0 app.prof.xap -o again.xap && cmp again.xap app.prof.xap && run 0 --force app.prof.xap -o forced.xap && manifest_of forced.xap | cmp - real.expected'
check "nothing is left where it was unpacked" left_nothing
check "what the rules leave out leaves no trace" eval 'run 0 --exclude "*" app.xap -o none.xap && cmp app.xap none.xap'
check "a setting goes with it" eval 'run 0 --set timeline=1 app.xap -o set.xap && others_are_raw app.xap set.xap "${own[@]}"'

# ---- Manifests ------------------------------------------------------------------------------------------------------------------

kept_but() { # SENTENCE INPUT EXPECTED: printf formats of manifests whose part App.dll is instrumented
    printf "$2" >odd.xaml && printf "$3" >odd.expected
    check "$1" eval 'xap odd.xap odd.xaml App.dll=App.dll && run 0 odd.xap -o odd.out.xap && manifest_of odd.out.xap | diff -a - odd.expected && others_are_raw odd.xap odd.out.xap AppManifest.xaml App.dll $tracker'
}
silverlight='xmlns="http://schemas.microsoft.com/client/2007/deployment"' xaml='http://schemas.microsoft.com/winfx/2006/xaml'
kept_but "in one line, without a byte order mark" \
    "<Deployment $silverlight xmlns:x=\"$xaml\"><Deployment.Parts><AssemblyPart x:Name=\"App\" Source=\"App.dll\"/></Deployment.Parts></Deployment>" \
    "<Deployment $silverlight xmlns:x=\"$xaml\"><Deployment.Parts><AssemblyPart x:Name=\"App\" Source=\"App.dll\"/>$part</Deployment.Parts></Deployment>"
kept_but "other prefixes" \
    "<?xml version='1.0' encoding='utf-8'?>\n<d:Deployment xmlns:d='http://schemas.microsoft.com/client/2007/deployment' xmlns:y='$xaml'>\n<d:Deployment.Parts a='>'>\n\t<d:AssemblyPart y:Name='App' Source='App.dll'></d:AssemblyPart>\n</d:Deployment.Parts></d:Deployment>" \
    "<?xml version='1.0' encoding='utf-8'?>\n<d:Deployment xmlns:d='http://schemas.microsoft.com/client/2007/deployment' xmlns:y='$xaml'>\n<d:Deployment.Parts a='>'>\n\t<d:AssemblyPart y:Name='App' Source='App.dll'></d:AssemblyPart>\n\t<d:AssemblyPart y:Name=\"ProfileInfoTracker\" Source=\"ProfileInfoTracker.dll\" />\n</d:Deployment.Parts></d:Deployment>"
kept_but "no namespace for names" \
    "<Deployment $silverlight>\n  <Deployment.Parts>\n    <AssemblyPart Source=\"App.dll\"/>\n  </Deployment.Parts>\n</Deployment>" \
    "<Deployment $silverlight>\n  <Deployment.Parts>\n    <AssemblyPart Source=\"App.dll\"/>\n    <AssemblyPart Source=\"ProfileInfoTracker.dll\" />\n  </Deployment.Parts>\n</Deployment>"
kept_but "comments, unknown elements and attributes, umlauts, what stands outside" \
    "<!-- first -->\n<Deployment $silverlight xmlns:x=\"$xaml\" odd = 'a&#10;b'   >\n <Unknown x:y='1'><Deployment.Parts/></Unknown>\n <Deployment.Parts>\n  <!-- <AssemblyPart Source='no.dll'/> --><Odd>\303\274</Odd>\n  <AssemblyPart x:Name=\"App\"\n      Source=\"App.dll\" /> <!-- behind -->\n </Deployment.Parts>\n <Deployment.OutOfBrowserSettings>&lt;</Deployment.OutOfBrowserSettings>\n</Deployment>\n<!-- last -->\n" \
    "<!-- first -->\n<Deployment $silverlight xmlns:x=\"$xaml\" odd = 'a&#10;b'   >\n <Unknown x:y='1'><Deployment.Parts/></Unknown>\n <Deployment.Parts>\n  <!-- <AssemblyPart Source='no.dll'/> --><Odd>\303\274</Odd>\n  <AssemblyPart x:Name=\"App\"\n      Source=\"App.dll\" />\n  $part <!-- behind -->\n </Deployment.Parts>\n <Deployment.OutOfBrowserSettings>&lt;</Deployment.OutOfBrowserSettings>\n</Deployment>\n<!-- last -->\n"
kept_but "a Source in another case, with a dot or escaped" \
    "<Deployment $silverlight><Deployment.Parts><AssemblyPart Source=\"./%%41PP.dll\"/></Deployment.Parts></Deployment>" \
    "<Deployment $silverlight><Deployment.Parts><AssemblyPart Source=\"./%%41PP.dll\"/><AssemblyPart Source=\"ProfileInfoTracker.dll\" /></Deployment.Parts></Deployment>"
kept_but "Windows Phone's" \
    "<Deployment xmlns=\"http://schemas.microsoft.com/client/2007/deployment\" xmlns:x=\"$xaml\" EntryPointAssembly=\"App\" RuntimeVersion=\"3.0.40624.0\">\n  <Deployment.Parts>\n    <AssemblyPart x:Name=\"App\" Source=\"App.dll\" />\n  </Deployment.Parts>\n</Deployment>" \
    "<Deployment xmlns=\"http://schemas.microsoft.com/client/2007/deployment\" xmlns:x=\"$xaml\" EntryPointAssembly=\"App\" RuntimeVersion=\"3.0.40624.0\">\n  <Deployment.Parts>\n    <AssemblyPart x:Name=\"App\" Source=\"App.dll\" />\n    $part\n  </Deployment.Parts>\n</Deployment>"
check "its own manifest stays" eval 'xap phone.xap odd.xaml App.dll=App.dll WMAppManifest.xml=real.xaml && run 0 phone.xap -o phone.out.xap && others_are_raw phone.xap phone.out.xap AppManifest.xaml App.dll "$tracker"'
check "a part that is missing is worth a word" eval 'xap missing.xap real.xaml App.dll=App.dll Lib.dll=Lib.dll && run 0 missing.xap -o missing.out.xap && told "missing.xap: warning ILJ0485: AppManifest.xaml names the part '"'de/App.resources.dll'"', which is not in it"'

refused() { # SENTENCE TEXT MANIFEST [ENTRY…]: one line; nothing is written
    local sentence=$1 text=$2
    printf "$3" >bad.xaml
    shift 3
    xap bad.xap bad.xaml App.dll=App.dll "$@" || return
    check "$sentence" is_refused "$text"
}
is_refused() {
    rm -rf written && run 1 bad.xap -o written/ && told "bad.xap: error $1" && [ ! -e written/bad.xap ] && left_nothing || return 1
    [ "$(wc -l <said.err)" -eq 1 ] || { cat said.err; return 1; }
}
bomb='<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
refused "an entity bomb is refused" "ILJ0484: AppManifest.xaml(1): a document type" "$bomb<Deployment $silverlight><Deployment.Parts><AssemblyPart Source=\"App.dll\">&c;</AssemblyPart></Deployment.Parts></Deployment>"
refused "an external entity" "ILJ0484: AppManifest.xaml(1): a document type" "<!DOCTYPE d [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><Deployment $silverlight><Deployment.Parts>&a;</Deployment.Parts></Deployment>"
refused "an unknown entity" "ILJ0484: AppManifest.xaml(1): " "<Deployment $silverlight><Deployment.Parts>&a;</Deployment.Parts></Deployment>"
refused "what is not well-formed" "ILJ0484: AppManifest.xaml(2): " "<Deployment $silverlight>\n<Deployment.Parts></Deployment>"
refused "a tree without an end" "ILJ0484" "$(printf '<a>%.0s' {1..3000})"
refused "UTF-16" "ILJ0484: AppManifest.xaml is in UTF-16; save it as UTF-8" '\xff\xfe<\0D\0/\0>\0'
refused "another encoding" "ILJ0484: AppManifest.xaml is in another encoding" "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><Deployment/>"
refused "an empty manifest" "ILJ0484: AppManifest.xaml is empty" ''
refused "another root" "ILJ0484: AppManifest.xaml(1): its root is not Deployment" '<Package/>'
refused "no parts" "ILJ0484: AppManifest.xaml has no Deployment.Parts" "<Deployment $silverlight/>"
refused "what the store has protected" "ILJ0489: it came from the store" "$(cat odd.xaml)" WMAppPRHeader.xml=noise
check "no manifest" eval '"$zips" make bad.xap App.dll=App.dll && is_refused "ILJ0484: no AppManifest.xaml"'

# ---- Zips beside it -------------------------------------------------------------------------------------------------------------

windows >extended.xaml <<XML
$head
  <Deployment.ExternalParts>
    <ExtensionPart Source="Extra.zip" />
    <ExtensionPart Source="Sdk.zip" />
    <ExtensionPart Source="http://example.com/Far.zip" />
    <ExtensionPart Source="../Up.zip" />
    <ExtensionPart Source="Missing.zip" />
  </Deployment.ExternalParts>
  <Deployment.Parts>
    <AssemblyPart x:Name="App" Source="App.dll" />
  </Deployment.Parts>
</Deployment>
XML
mkdir web && xap web/app.xap extended.xaml App.dll=App.dll && "$zips" make web/Extra.zip Extra.dll=Extra.dll x.txt=noise && "$zips" make web/Sdk.zip System.Windows.Controls.dll=System.Windows.Controls.dll &&
    "$zips" make Up.zip Extra.dll=Extra.dll || exit 1
check "ExtensionParts beside it go with it" eval 'run 0 web/app.xap -o out/ && told "web/Extra.zip: 1 assembly to instrument" "web/Extra.zip/Extra.dll: 1 method" && others_are_raw web/Extra.zip out/Extra.zip Extra.dll && cmp web/Sdk.zip out/Sdk.zip && others_are_raw web/app.xap out/app.xap AppManifest.xaml App.dll "$tracker" && readers_take out/Extra.zip'
check "those that are elsewhere are named" told "the ExtensionPart 'http://example.com/Far.zip' is not beside it" "the ExtensionPart '../Up.zip' is not beside it" "the ExtensionPart 'web/Missing.zip' is not there"
check "and not touched" eval '[ ! -e Up.out.zip ] && [ "$(ls out | tr "\n" " ")" = "Extra.zip Sdk.zip app.xap " ]'
check "no output takes the place of an ExtensionPart" eval 'cp web/Extra.zip extra.kept && run 0 web/app.xap -o web/app.prof.xap && told "is not instrumented, since its output would take its place" && cmp web/Extra.zip extra.kept && rm web/app.prof.xap'
check "given by itself, too, it is no archive of its own" eval 'run 0 web/Extra.zip web/app.xap -o both/ && cmp both/Extra.zip out/Extra.zip && cmp both/app.xap out/app.xap'
check "all of it in its own place" eval 'cp -r web place && run 0 --in-place place/app.xap && cmp place/app.xap out/app.xap && cmp place/Extra.zip out/Extra.zip && cmp place/Sdk.zip web/Sdk.zip'
check "the XAP has the tracker if only an ExtensionPart calls it" eval 'run 0 --include "[Extra]*" web/app.xap -o only/ && others_are_raw web/app.xap only/app.xap AppManifest.xaml "$tracker"'

# ---- Signatures, sizes ----------------------------------------------------------------------------------------------------------

check "a signature behind it is left out with a warning" eval 'xap signed.xap real.xaml App.dll=App.dll Lib.dll=Lib.dll behind=signature && run 0 signed.xap -o signed.out.xap && told "signed.xap: warning ILJ0486: the 9 bytes after the archive" && readers_take signed.out.xap && ! grep -q "signature$" signed.out.xap'
head -c 20000000 /dev/urandom >video
check "20 MB, zip64, a comment" eval 'xap large.xap real.xaml zip64 comment=x App.dll=App.dll "video.wmv=video|stored|zip64" "Lib.dll=Lib.dll|zip64|place64" "de/App.resources.dll=App.resources.dll" && run 0 large.xap -o large.out.xap && others_are_raw large.xap large.out.xap AppManifest.xaml App.dll Lib.dll "$tracker" && readers_take large.out.xap'
rm -f video large*.xap

# ---- Real assemblies of Silverlight ---------------------------------------------------------------------------------------------

real() { # SENTENCE PATH: one of the feed's assemblies as a XAP
    local file=$packages/$2
    { echo "$head<Deployment.Parts>"; echo "<AssemblyPart x:Name=\"Own\" Source=\"$(basename "$2")\" />"; echo "</Deployment.Parts></Deployment>"; } | windows >one.xaml
    check "$1" eval 'xap one.xap one.xaml "$(basename "$file")=$file|dd" "${entries[@]:6}" && run 0 one.xap -o one.out.xap && others_are_raw one.xap one.out.xap AppManifest.xaml "$(basename "$file")" "$tracker" && unzip_value=1 readers_take one.out.xap one && instrumented "one/$(basename "$file")"'
}
if packages=$("$ROOT/tests/nuget-fetch" NLog/4.4.2 Newtonsoft.Json/9.0.1) && again=$("$ROOT/tests/nuget-fetch" NLog/4.7.13 Newtonsoft.Json/12.0.3); then
    real "NLog 4.4.2 for Silverlight 4" nlog/4.4.2/lib/sl4/NLog.dll
    real "NLog 4.4.2 for Silverlight 5" nlog/4.4.2/lib/sl5/NLog.dll
    real "NLog 4.7.13 for Silverlight 4" nlog/4.7.13/lib/sl4/NLog.dll
    real "NLog 4.7.13 for Silverlight 5" nlog/4.7.13/lib/sl5/NLog.dll
    real "NLog 4.7.13 for Windows Phone 8" nlog/4.7.13/lib/wp8/NLog.dll
    real "Newtonsoft.Json 9.0.1" newtonsoft.json/9.0.1/lib/portable-net40+sl5+wp80+win8+wpa81/Newtonsoft.Json.dll
    real "Newtonsoft.Json 12.0.3" newtonsoft.json/12.0.3/lib/portable-net40+sl5+win8+wp8+wpa81/Newtonsoft.Json.dll
else
    skip "XAPs of NLog and Newtonsoft.Json" "${again:-$packages}"
fi

finish
