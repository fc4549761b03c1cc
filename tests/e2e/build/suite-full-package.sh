#!/usr/bin/env bash
# level: full
# The program in the package for MSBuild does all that a build asks of it in a root where nothing else lies: no C library, old or another one
# (Debian 11, Alpine), no libxml2, no OpenSSL.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
package=$SCRATCH/made/ILInject.MSBuild.$version.nupkg
missing=
for tool in zip unzip curl perl musl-gcc; do has $tool || missing="no $tool"; done
[ "$BUILD" = "$ROOT/build" ] || missing="static programs have no sanitizers"
if [ "$missing" ]; then
    skip "the program in the package needs nothing of the machine" "$missing"
    finish
fi
make_alone -s NUPKG_FOLDER="$SCRATCH/made" "$package" >"$SCRATCH/log" 2>&1
if [ $? -ne 0 ] && reason=$(grep -m 1 'cannot be had' "$SCRATCH/log"); then
    skip "the program in the package needs nothing of the machine" "$reason"
    finish
fi
check "the package is made" eval '[ -s "$package" ] || { tail -n 5 "$SCRATCH/log"; false; }'
check "there is one" test "$(find "$SCRATCH/made" -maxdepth 1 -name '*.nupkg' | wc -l)" -eq 1
mkdir -p package root
check "it is a zip" unzip -q "$package" -d package
tool=$(echo package/tools/*/ilinject)
check "one program is in it" test -x "$tool"
needs_nothing() { ! readelf -l "$1" | grep -q INTERP && ! readelf -d "$1" | grep -q NEEDED && ! nm -D "$1" 2>/dev/null | grep -q GLIBC_; }
check "neither glibc nor libmicrohttpd is in it" python3 "$ROOT/tests/e2e/lib/py/linked.py" "$tool"
names_all() { # FILE PROGRAM: of each library a licence
    local name
    for name in $(awk -F '\t' -v program="$2" '!/^#/ && ("," $6 ",") ~ ("," program ",") { print $1 }' "$ROOT/src/packaging/libraries.tsv"); do
        grep -q "^==== $name (" "$1" || { echo "$name"; return 1; }
    done
}
check "NOTICES has the licence of each library in it" names_all package/NOTICES linux-x64
check "it names no loader, no library and no symbol of a C library" needs_nothing "$tool"
needs_something() { ! needs_nothing "$1"; }
check "… which of an ordinary program would be seen" needs_something "$(command -v make)"
check "its place is loaded at random addresses" eval 'readelf -h "$tool" | grep -q "Type: *DYN"'

cat >app.cs <<'CS'
public class App {
    static int Once(int x) { return x + 1; }
    public static void Main() { int n = 0; for (int i = 0; i < 5; i++) n += Once(i); System.Console.WriteLine(n); }
}
CS
sn -q -k root/key.snk && mcs -nologo -keyfile:root/key.snk -out:root/app.exe app.cs || finish
cp "$tool" root/ilinject && mcs -nologo -out:root/Demo.exe "$ROOT/fixtures/cs/Demo.cs"
cat >root/rules.xml <<'XML'
<ilinject><selection><exclude pattern="App.Once*"/></selection></ilinject>
XML
echo '<ilinject><nothing/></ilinject>' >root/broken.xml
echo '<?xml version="1.0" encoding="windows-1252"?><ilinject/>' >root/charset.xml
# In there; as root, or as it in a user namespace.
if [ "$(id -u)" -eq 0 ]; then inside() { chroot root /ilinject "$@"; }; else inside() { unshare -Ur chroot root /ilinject "$@"; }; fi
if ! inside --version >/dev/null 2>&1; then
    "./$tool" --version || check "it starts" false
    skip "it works in an empty root" "neither root nor user namespaces"
    finish
fi
# As the build's own program does: options, then what both have written.
same() {
    inside app.exe -o inside.exe "$@" || return 1
    (cd root && "$ILINJECT" app.exe -o outside.exe "$@") || return 1
    cmp root/inside.exe root/outside.exe
}
check "in an empty root it says its version" eval '[ "$(inside --version)" = "$("$ILINJECT" --version)" ]'
check "it instruments, to the same bytes as the program that libraries are loaded into" same
check "with other exits" same --exits=ret
check "by the rules of a configuration file" same --config rules.xml
check "… which are obeyed" eval 'inside app.exe -o x.exe --config rules.xml | grep -q "^app.exe: 2 methods"'
check "it signs" same --key key.snk
check "… as sn sees it" eval 'inside app.exe -o signed.exe --key key.snk && sn -q -v root/signed.exe'
check "a configuration file that is wrong is told, with its line" eval '! inside app.exe -o x.exe --config broken.xml 2>said; grep -q "^broken.xml(1): error ILJ0433" said'
check "a character set that only the C library knows is refused by name" \
    eval '! inside app.exe -o x.exe --config charset.xml 2>said; grep -q "^charset.xml(1): error ILJ0433: .*windows-1252" said'
check "it works on several at a time" eval 'inside -j 4 app.exe Demo.exe -o both >said && [ -e root/both/app.exe ] && [ -e root/both/Demo.exe ]'
check "what it has made runs and is measured" eval '(cd root/both && mono app.exe) && inside report --json both/app.ilprof | grep -q "\"Once\|App::Once\|App.Once"'

check "what it does not have it names" eval '! inside serve -o got >said 2>&1; grep -q "error ILJ.*libmicrohttpd" said'

if has openssl && openssl rsa -inform "MS PRIVATEKEYBLOB" -in root/key.snk -out key.pem 2>/dev/null &&
    openssl req -x509 -new -key key.pem -subj /CN=test -out key.crt -days 30 2>/dev/null; then
    export ILINJECT_KEY_PASSWORD=secret
    pfx() { openssl pkcs12 -export -inkey key.pem -in key.crt -out "$1" -passout pass:secret "${@:2}"; }
    check "it signs by a .pfx file" eval 'pfx root/key.pfx && same --key key.pfx'
    if pfx root/old.pfx -legacy 2>/dev/null; then
        check "by one with the ciphers of old, too" same --key old.pfx
        check "a wrong password is told" eval '! ILINJECT_KEY_PASSWORD=other inside app.exe -o x.exe --key old.pfx 2>said && grep -q "the password does not open the key file old.pfx" said'
    else
        skip "it signs by a .pfx file with the ciphers of old" "this openssl cannot write one"
    fi
else
    skip "it signs by a .pfx file" "openssl is not installed"
fi
finish
