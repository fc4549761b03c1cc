#!/usr/bin/env bash
# The identity of an assembly: strong name and signature, the facts in its PE headers, its modules,
# and what other tools have left in it. Judged by sn, objdump, osslsigncode, monodis and the
# runtimes.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
if ! has mcs || ! has sn; then
    skip "identities" "mcs or sn is not installed"
    finish
fi

# Runs the program; its exit value has to be the first argument.
run() { # value arguments…
    local wanted=$1
    shift
    "$ILINJECT" "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat out err; return 1; }
}
says() { grep -q -F -- "$1" err || { echo "no line '$1':"; cat err; return 1; }; }
silent() { [ ! -s err ] || { cat err; return 1; }; }
refused() { # value text arguments…: one line, and no output
    local value=$1 text=$2
    shift 2
    run "$value" "$@" -o refused/ && says "$text" && [ "$(wc -l <err)" -eq 1 ] && [ ! -e "refused/$(basename "$1")" ] || { cat err; return 1; }
}
valid() { sn -q -v "$1"; }
invalid() { ! sn -q -v "$1"; }
is_signed() { mono check.exe "$@"; }
flags() { "$ILINJECT" dump --headers "$1" | sed -n -E '/^CLI header/,$s/^ +Flags (0x[0-9a-f]+).*/\1/p' | head -n 1; }

mcs -nologo -out:check.exe "$ROOT/tests/e2e/lib/SignatureCheck.cs" || exit 1
mkdir key && for size in 1024 2048 4096; do sn -q -k $size key/$size.snk || exit 1; done
sn -q -k key/other.snk && sn -q -p key/1024.snk key/public.snk || exit 1
demo() { mcs -nologo -out:"$1" "${@:2}" "$ROOT/fixtures/cs/Demo.cs"; }
demo plain.exe && demo app.exe -keyfile:key/1024.snk && demo delayed.exe -delaysign+ -keyfile:key/public.snk || exit 1

# ---- Signing --------------------------------------------------------------------------------------------------------

for size in 1024 2048 4096; do
    demo "k$size.exe" -keyfile:key/$size.snk
    check "the original verifies ($size bits)" valid "k$size.exe"
    check "the foreign check agrees ($size bits)" is_signed "k$size.exe"
    check "without the key the output does not verify ($size bits)" eval "run 0 k$size.exe -o nokey/ && invalid nokey/k$size.exe"
    check "with the key it does ($size bits)" eval "run 0 k$size.exe -o keyed/ --key key/$size.snk && silent && valid keyed/k$size.exe && is_signed keyed/k$size.exe"
done
cp app.exe before/ && run 0 app.exe -o after/ --key key/1024.snk
can dotnet && runtimeconfig before/app.exe && runtimeconfig after/app.exe
for runtime in "${runtimes[@]}"; do
    run_program app "$runtime" before/app.exe
    run_program signed "$runtime" after/app.exe
    check "a signed output runs as before ($runtime)" same_run app signed "$runtime"
    run_program stale "$runtime" nokey/k1024.exe
done
check "an output with a stale signature runs (mono)" same_run app stale mono
check "a stale signature is said, with what minds it" eval 'run 0 app.exe -o nokey/ && says "info ILJ0410" && says ".NET Framework"'
check "its flag stays" test "$(flags nokey/app.exe)" = "$(flags app.exe)" -a "$(flags app.exe)" = 0x9
check "the same key gives the same bytes" eval 'run 0 app.exe -o again/ --key key/1024.snk && cmp after/app.exe again/app.exe'
check "the public key stays" cmp <(monodis --assembly app.exe) <(monodis --assembly after/app.exe)
check "a PE32+ image is signed" eval 'demo wide.exe -platform:x64 -keyfile:key/1024.snk && run 0 wide.exe -o keyed/ --key key/1024.snk && is_signed keyed/wide.exe'
check "one changed byte is seen" eval 'cp keyed/k1024.exe keyed/changed.exe && printf "X" | dd of=keyed/changed.exe bs=1 seek=96 conv=notrunc status=none && invalid keyed/changed.exe && ! is_signed keyed/changed.exe'

# ---- SHA-2: the public key names the hash --------------------------------------------------------------------------

sha2() { # algorithm byte
    cp key/2048.snk key/sha2.snk && sn -q -p key/2048.snk key/sha2-public.snk &&
        printf "$1" | dd of=key/sha2-public.snk bs=1 seek=4 conv=notrunc status=none &&
        "$ROOT/tests/dotnet-csc" sha2.dll "$ROOT/fixtures/cs/Demo.cs" -publicsign+ -keyfile:key/sha2-public.snk -optimize+ &&
        run 0 sha2.dll -o nokey/ && says ILJ0410 && ! is_signed nokey/sha2.dll &&
        run 0 sha2.dll -o keyed/ --key key/2048.snk && silent && is_signed keyed/sha2.dll
}
if can dotnet; then
    check "a key of SHA-256 signs with that; public-signed input" sha2 '\014'
    check "a key of SHA-512 signs with that" sha2 '\016'
    cp sha2.runtimeconfig.json keyed/
    check "CoreCLR runs it" eval 'dotnet keyed/sha2.dll >said/sha2 && dotnet sha2.dll | cmp - said/sha2'
else
    skip "a key of SHA-256 signs with that" "there is no .NET SDK"
fi

# ---- Unsigned on purpose --------------------------------------------------------------------------------------------

zeros() { # FILE: its signature
    local rva
    rva=$("$ILINJECT" dump --headers "$1" | sed -n 's/^ *StrongNameSignature rva 0x\([0-9a-f]*\) size 0x80$/\1/p')
    [ -n "$rva" ] && cmp <(tail -c +$((0x$rva - 0x2000 + 0x200 + 1)) "$1" | head -c 128) <(head -c 128 /dev/zero)
}
check "a delay-signed input stays so" eval 'run 0 delayed.exe -o delayed/ && silent && test "$(flags delayed/delayed.exe)" = 0x1'
check "it is signed with the key" eval 'run 0 delayed.exe -o keyed/ --key key/1024.snk && silent && valid keyed/delayed.exe && test "$(flags keyed/delayed.exe)" = 0x9'
check "--delay-sign leaves room" eval 'run 0 app.exe -o delayed/ --delay-sign && says "info ILJ0456" && test "$(flags delayed/app.exe)" = 0x1 && zeros delayed/app.exe'
check "sn can sign that" eval 'sn -q -R delayed/app.exe key/1024.snk && valid delayed/app.exe'
check "--delay-sign needs only the public key" eval 'run 0 app.exe -o delayed/ --delay-sign --key key/public.snk && zeros delayed/app.exe'
check "--delay-sign looks whether the key is the right one" refused 2 "error ILJ0452" app.exe --delay-sign --key key/other.snk
check "--clear-signed-flag clears it, and says so" eval 'run 0 app.exe -o cleared/ --clear-signed-flag && says "info ILJ0457" && test "$(flags cleared/app.exe)" = 0x1'
cli_header() { echo $((0x208)); } # as mcs lays it out, behind the import address table
check "a flag without a signature goes" eval 'cp app.exe empty.exe && printf "\0\0\0\0\0\0\0\0" | dd of=empty.exe bs=1 seek=$(($(cli_header) + 32)) conv=notrunc status=none && test "$(flags empty.exe)" = 0x9 && run 0 empty.exe -o cleared/ && says "info ILJ0457" && test "$(flags cleared/empty.exe)" = 0x1'
check "it has no room to be signed" refused 1 "error ILJ0455" empty.exe --key key/1024.snk

# ---- The MVID ---------------------------------------------------------------------------------------------------------

# Each output runs as another assembly would: what tells two of them apart is in their MVIDs, too.
mvid() { monodis --module "$1" | sed -n 's/.*{\(.*\)}.*/\1/p'; }
all_differ() { # FILE…
    local file
    for file; do mvid "$file"; done >mvids
    [ "$(wc -l <mvids)" -eq $# ] && [ "$(sort -u mvids | wc -l)" -eq $# ] || { cat mvids; return 1; }
}
if has monodis; then
    for tracker in none key/1024.snk key/other.snk; do
        mkdir -p trackers/"$tracker"
        demo=trackers/$tracker/PlainTracker.dll
        if [ "$tracker" = none ]; then set --; else set -- -keyfile:"$tracker"; fi
        mcs -nologo -target:library -out:"$demo" "$@" "$ROOT/fixtures/cs/PlainTracker.cs" || exit 1
        run 0 app.exe -o "trackers/$tracker/out/" --tracker "$demo"
    done
    check "the tracker's key is part of the MVID" all_differ trackers/none/out/app.exe trackers/key/1024.snk/out/app.exe trackers/key/other.snk/out/app.exe
    check "so is what becomes of the signature" all_differ nokey/app.exe after/app.exe cleared/app.exe delayed/app.exe
    check "where there is nothing to sign, --clear-signed-flag changes nothing" eval 'run 0 plain.exe -o plain1/ && run 0 plain.exe -o plain2/ --clear-signed-flag && cmp plain1/plain.exe plain2/plain.exe'
else
    skip "the tracker's key is part of the MVID" "no monodis"
fi

# ---- Keys that do not fit, or are none -------------------------------------------------------------------------------

token() { sn -q -t "$1" | sed -n 's/^Public Key Token: //p'; }
check "a wrong key is refused with both tokens" eval 'refused 2 "error ILJ0452: the key in key/other.snk has the token $(sn -q -p key/other.snk other.pub; token other.pub), the assembly $(token key/public.snk)" app.exe --key key/other.snk'
check "an assembly without a strong name gets none" refused 2 "error ILJ0453" plain.exe --key key/1024.snk
head -c 300 key/1024.snk >key/cut.snk
echo "no key at all" >key/text.snk
: >key/empty.snk
cp key/1024.snk key/numbers.snk && head -c 448 /dev/zero | tr '\0' U | dd of=key/numbers.snk bs=1 seek=148 conv=notrunc status=none
check "a truncated .snk is one line" refused 2 "error ILJ0450: the key file key/cut.snk cannot be used: it is cut short" app.exe --key key/cut.snk
check "a text file is one line" refused 2 "error ILJ0450" app.exe --key key/text.snk
check "an empty file is one line" refused 2 "it is empty" app.exe --key key/empty.snk
check "a public key alone is one line" refused 2 "the public half alone" app.exe --key key/public.snk
check "numbers that are no key are one line" refused 2 "no RSA key" app.exe --key key/numbers.snk
check "a missing file is one line" refused 1 "error ILJ0900: missing.snk cannot be read" app.exe --key missing.snk
check "--key-password-file needs --key" refused 2 "needs --key" app.exe --key-password-file key/text.snk
check "--clear-signed-flag and --key exclude each other" refused 2 "exclude each other" app.exe --key key/1024.snk --clear-signed-flag

# ---- A set: those are signed whose key it is --------------------------------------------------------------------------

# friend.dll and use.exe have one key, and the second sees the first's internals by it; plain.dll has no strong name, strange.dll another.
mkdir set
echo 'public class Strange { public static int One() { return 1; } }' >strange.cs
echo 'public class Plain { public static int Two() { return 2; } }' >unnamed.cs
echo 'class Use { static void Main() { System.Console.WriteLine(Inside.Three() + Strange.One()); } }' >use.cs
printf '[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("use, PublicKey=%s")]\nclass Inside { internal static int Three() { return 3; } }\n' \
    "$(od -An -v -tx1 key/public.snk | tr -d ' \n')" >friend.cs
mcs -nologo -target:library -keyfile:key/other.snk -out:set/strange.dll strange.cs && mcs -nologo -target:library -out:set/plain.dll unnamed.cs &&
    mcs -nologo -target:library -keyfile:key/1024.snk -out:set/friend.dll friend.cs &&
    mcs -nologo -keyfile:key/1024.snk -r:set/strange.dll -r:set/friend.dll -out:set/use.exe use.cs || exit 1
visible_to() { monodis --customattr "$1" | grep InternalsVisibleTo; }
signed_set() { # FOLDER
    valid "$1/use.exe" && valid "$1/friend.dll" && invalid "$1/strange.dll" && ! cmp -s set/plain.dll "$1/plain.dll" && cmp <(visible_to set/friend.dll) <(visible_to "$1/friend.dll") &&
        [ "$(grep -c "info ILJ0410.*$(token key/public.snk).*$(sn -q -p key/other.snk other.pub; token other.pub)" err)" -eq 1 ] && ! grep -q -e error -e warning err || { cat err; return 1; }
    can mono || return 0
    [ "$(mono "$1/use.exe")" = 4 ]
}
check "a folder's assemblies are signed whose key it is, and run" eval 'run 0 set -o set-folder --key key/1024.snk --strict && signed_set set-folder'
check "so are several inputs" eval 'run 0 set/*.dll set/use.exe -o set-files/ --key key/1024.snk --strict && signed_set set-files'
check "the others are as without a key" eval 'run 0 set -o set-bare && cmp set-bare/strange.dll set-folder/strange.dll && cmp set-bare/plain.dll set-folder/plain.dll && ! cmp -s set-bare/friend.dll set-folder/friend.dll'
check "a key of none of them is said, and --strict minds" eval 'run 0 set -o set-none --key key/4096.snk && says "the key in key/4096.snk is that of no assembly" && run 3 set -o set-none --key key/4096.snk --strict'
check "delay-signed are those whose key it is" eval 'run 0 set -o set-delayed --key key/public.snk --delay-sign && test "$(flags set-delayed/friend.dll)" = 0x1 && cmp set-bare/strange.dll set-delayed/strange.dll'
check "with cleared flags they run, too" eval 'run 0 set -o set-cleared --clear-signed-flag && cmp <(visible_to set/friend.dll) <(visible_to set-cleared/friend.dll) && { ! can mono || test "$(mono set-cleared/use.exe)" = 4; }'

make_pfx() { # FILE OPTIONS…
    openssl pkcs12 -export -inkey key/pem -in key/crt -out "$1" "${@:2}"
}
if has openssl && openssl rsa -inform "MS PRIVATEKEYBLOB" -in key/1024.snk -out key/pem 2>/dev/null &&
    openssl req -x509 -new -key key/pem -subj /CN=test -out key/crt -days 30 2>/dev/null &&
    make_pfx key/a.pfx -passout pass:secret && make_pfx key/legacy.pfx -legacy -passout pass:secret && make_pfx key/open.pfx -passout pass:; then
    echo secret >key/password
    echo wrong >key/wrong
    check "a .pfx signs as the .snk does" eval 'run 0 app.exe -o pfx/ --key key/a.pfx --key-password-file key/password && cmp pfx/app.exe after/app.exe'
    check "so does one with the ciphers of old" eval 'run 0 app.exe -o pfx2/ --key key/legacy.pfx --key-password-file key/password && cmp pfx2/app.exe after/app.exe'
    check "the environment has the password, too" eval 'ILINJECT_KEY_PASSWORD=secret run 0 app.exe -o pfx3/ --key key/a.pfx && cmp pfx3/app.exe after/app.exe'
    check "the file counts for more than the environment" eval 'ILINJECT_KEY_PASSWORD=wrong run 0 app.exe -o pfx4/ --key key/a.pfx --key-password-file key/password'
    check "a .pfx may have an empty password" eval 'run 0 app.exe -o pfx5/ --key key/open.pfx && cmp pfx5/app.exe after/app.exe'
    check "a wrong password is one line" refused 2 "error ILJ0451: the password does not open" app.exe --key key/a.pfx --key-password-file key/wrong
    check "no password is one line" refused 2 "error ILJ0451: a password is needed" app.exe --key key/a.pfx
    check "a password file that is missing is one line" refused 2 "missing cannot be read" app.exe --key key/a.pfx --key-password-file missing
    head -c 400 key/a.pfx >key/cut.pfx
    printf '%01023d\n' 0 >key/long
    check "a password of 1,023 bytes is too long" refused 2 "its first line is too long for a password" app.exe --key key/a.pfx --key-password-file key/long
    check "a truncated .pfx is one line" refused 2 "error ILJ0450: the key file key/cut.pfx cannot be used" app.exe --key key/cut.pfx --key-password-file key/password
    openssl pkcs12 -export -nokeys -in key/crt -out key/none.pfx -passout pass:secret
    check "a .pfx without a key is one line" refused 2 "error ILJ0450" app.exe --key key/none.pfx --key-password-file key/password
    check "a PEM file is named as such" refused 2 "it is a PEM file" app.exe --key key/pem
else
    skip "keys in .pfx files" "openssl is not installed"
fi

# ---- libcrypto is loaded when it is needed, and only then ------------------------------------------------------------

loads() { LD_DEBUG=files LD_DEBUG_OUTPUT=loaded "$ILINJECT" app.exe -o loads/ "$@" >/dev/null 2>&1; cat loaded.*; rm -f loaded.*; }
case $BUILD in
*/san) skip "a plain run loads the C library alone" "this build is one with sanitizers" ;;
*)
    check "the program is linked with the C library alone" test "$(ldd "$ILINJECT" | grep -c -v -E 'linux-vdso|libc\.so|ld-linux')" -eq 0
    check "a plain run does not load libcrypto" eval '! loads | grep -q libcrypto'
    check "a run that signs does" eval 'loads --key key/1024.snk | grep -q libcrypto'
    ;;
esac

# ---- The PE headers --------------------------------------------------------------------------------------------------

# objdump's lines but those that a new layout changes by right.
facts() {
    objdump -p "$1" | sed -E '1,3d' | grep -E '^(Characteristics|	|Magic|Major|Minor|ImageBase|SectionAl|FileAl|Subsystem|DllChar|SizeOf(Stack|Heap)|LoaderFlags|Number|Time)' | grep -v -E '^	(vma|DLL|[0-9a-f]{4,}|reloc|page)|^	 '
}
checksum_is_right() { osslsigncode verify -in "$1" 2>&1 | grep -q '^PE checksum' && ! osslsigncode verify -in "$1" 2>&1 | grep -q MISMATCH; }
put() { printf "$3" | dd of="$1" bs=1 seek=$(($2)) conv=notrunc status=none; } # FILE OFFSET BYTES
kept() { run 0 "$1" -o kept/ && diff <(facts "$1") <(facts "kept/$1"); }
if has objdump && objdump -p app.exe >/dev/null 2>&1; then
    # mcs puts the PE signature at 0x80, so the optional header at 0x98.
    cp plain.exe stack.exe && put stack.exe 0xE0 '\0\0\100\0' && put stack.exe 0xE4 '\0\0\2\0' && put stack.exe 0xE8 '\0\0\40\0'
    cp plain.exe large.exe && put large.exe 0x96 '\042\01'
    cp plain.exe window.exe && put window.exe 0xDC '\02\0'
    cp plain.exe dll.exe && put dll.exe 0xDE '\0\0\0\0'
    cp plain.exe versions.exe && put versions.exe 0xC0 '\05\0\01\0\07\0\02\0\06\0\01\0'
    check "stack and heap reserve are kept" kept stack.exe
    check "stack and heap reserve were changed" test "$(objdump -p kept/stack.exe | sed -n 's/^SizeOfStackReserve[[:space:]]*//p')" = 00400000
    check "LargeAddressAware is kept" eval 'kept large.exe && objdump -p kept/large.exe | grep -q "large address aware"'
    check "the subsystem is kept" eval 'kept window.exe && objdump -p kept/window.exe | grep -q "Windows GUI"'
    check "DLL characteristics are kept" eval 'kept dll.exe && objdump -p kept/dll.exe | grep -q "^DllCharacteristics[[:space:]]*00000000"'
    check "versions are kept" kept versions.exe
    check "the time stamp is kept" eval 'cp plain.exe stamp.exe && put stamp.exe 0x88 "\1\2\3\4" && kept stamp.exe'
else
    skip "what stands in the PE headers" "objdump reads no PE here"
fi
if has osslsigncode; then
    check "the original has a right checksum" checksum_is_right app.exe
    check "the checksum is right" checksum_is_right nokey/app.exe
    check "it is right when signed" checksum_is_right after/app.exe
    check "it is right with a cleared flag" checksum_is_right cleared/app.exe
    put nokey/app.exe 0x600 'X'
    check "a wrong checksum is seen" eval '! checksum_is_right nokey/app.exe'
    cp plain.exe none.exe && put none.exe 0xD8 '\0\0\0\0'
    check "where there was none, there is none" eval 'run 0 none.exe -o kept/ && objdump -p kept/none.exe | grep -q "^CheckSum[[:space:]]*00000000"'
    if [ -s key/pem ] && osslsigncode sign -certs key/crt -key key/pem -in plain.exe -out stamped.exe >/dev/null 2>&1; then
        check "an Authenticode signature is dropped, and that is said once" eval 'run 0 stamped.exe -o kept/ && test "$(grep -c ILJ0458 err)" -eq 1 && osslsigncode verify -in kept/stamped.exe 2>&1 | grep -q "No signature found" && checksum_is_right kept/stamped.exe'
        check "what is left is what comes of the unsigned one" eval 'run 0 plain.exe -o unstamped/ && test "$(stat -c %s kept/stamped.exe)" -eq "$(stat -c %s unstamped/plain.exe)"'
    fi
else
    skip "checksums and Authenticode" "osslsigncode is not installed"
fi

# The native resources' leaves, address left out: type, name and language with the hash of their bytes.
cat >resources.cs <<'CS'
using System;
using System.IO;
class R {
    static byte[] f; static int root, rva, raw;
    static int I(int at) { return BitConverter.ToInt32(f, at); }
    static void Walk(int at, string path) {
        int count = BitConverter.ToUInt16(f, at + 12) + BitConverter.ToUInt16(f, at + 14);
        for (int i = 0; i < count; i++) {
            int name = I(at + 16 + i * 8), to = I(at + 20 + i * 8);
            if (to < 0) { Walk(root + (to & 0x7FFFFFFF), path + "/" + name); continue; }
            int data = I(root + to) - rva + raw, size = I(root + to + 4), sum = 17;
            for (int b = 0; b < size; b++) sum = sum * 31 + f[data + b];
            Console.WriteLine(path + "/" + name + " " + size + " " + sum);
        }
    }
    static void Main(string[] a) {
        f = File.ReadAllBytes(a[0]);
        int pe = I(0x3C), resources = I(pe + 24 + (BitConverter.ToUInt16(f, pe + 24) == 0x20B ? 112 : 96) + 16);
        for (int i = 0; i < BitConverter.ToUInt16(f, pe + 6); i++) {
            int s = pe + 24 + BitConverter.ToUInt16(f, pe + 20) + i * 40;
            if (resources >= I(s + 12) && resources < I(s + 12) + I(s + 16)) { rva = I(s + 12); raw = I(s + 20); }
        }
        root = resources - rva + raw;
        Walk(root, "");
    }
}
CS
mcs -nologo -out:resources.exe resources.cs || exit 1
printf '\0\0\1\0\1\0\1\1\0\0\1\0\40\0\60\0\0\0\26\0\0\0' >icon.ico && head -c 48 /dev/zero | tr '\0' U >>icon.ico
{ # a .res file: the empty first entry, then a manifest (type 24)
    printf '\0\0\0\0\40\0\0\0\377\377\0\0\377\377\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\44\0\0\0\40\0\0\0\377\377\30\0\377\377\1\0\0\0\0\0\60\20\0\0\0\0\0\0\0\0\0\0'
    printf '<assembly manifestVersion="1.0" a="123"/>' | head -c 36
} >manifest.res
resources_kept() { # FILE, at least so many leaves
    run 0 "$1" -o kept/ && mono resources.exe "$1" >leaves-before && mono resources.exe "kept/$1" >leaves-after &&
        [ "$(wc -l <leaves-before)" -ge "$2" ] && diff leaves-before leaves-after
}
echo '[assembly: System.Reflection.AssemblyVersion("1.2.3.4")] [assembly: System.Reflection.AssemblyTitle("kept")]' >version.cs
check "version resources are kept" eval 'demo info.exe version.cs && resources_kept info.exe 1'
check "an icon is kept" eval 'demo icon.exe -win32icon:icon.ico && resources_kept icon.exe 2'
check "a manifest is kept" eval 'demo manifest.exe -win32res:manifest.res && resources_kept manifest.exe 1 && grep -q "^/24/" leaves-after'

# ---- Modules ---------------------------------------------------------------------------------------------------------

echo 'public class Part { public static int Twice(int x) { return Plus(x, x); } static int Plus(int a, int b) { return a + b; } }' >part.cs
echo 'class Program { static void Main() { System.Console.WriteLine(Part.Twice(21)); Other(); } static void Other() { Part.Twice(1); } }' >main.cs
mcs -nologo -target:module -out:part.netmodule part.cs && mcs -nologo -keyfile:key/1024.snk -addmodule:part.netmodule -out:main.exe main.cs || exit 1
hash_in() { monodis --file "$1" | sed -n -E "s/^[0-9]+: $2 .*\[(.*)\]$/\1/p" | tr -d ' ' | tr A-F a-f; }
hash_of() { sha1sum <"$1" | cut -d' ' -f1; }
check "the compiler's hash is one of the file" test "$(hash_in main.exe part.netmodule)" = "$(hash_of part.netmodule)"
together() { # INPUTS…
    rm -rf together && run 0 "$@" -o together/ --key key/1024.snk && ! grep -q warning err &&
        [ "$(hash_in together/main.exe part.netmodule)" = "$(hash_of together/part.netmodule)" ] && ! cmp -s part.netmodule together/part.netmodule &&
        valid together/main.exe
}
check "a manifest and its module go together" together part.netmodule main.exe
check "in any order" together main.exe part.netmodule
check "the module says what it needs" says "part.netmodule: info ILJ0461"
if can mono; then
    check "they run, and both modules' methods are in the report by name" eval '(cd together && mono main.exe && "$ILINJECT" report --json main.ilprof >report.json) | grep -q -x 42 && grep -q "Part.Plus" together/report.json && grep -q "Program.Other" together/report.json'
fi
check "alone, the manifest's output lacks its module, which is said" eval 'run 0 main.exe -o alone/ && says "warning ILJ0462: its module part.netmodule is not beside the output"'
check "the module as it was fits the hash as it was" eval 'mkdir copied && cp part.netmodule copied/ && run 0 main.exe -o copied/ && ! grep -q warning err && test "$(hash_in copied/main.exe part.netmodule)" = "$(hash_of part.netmodule)"'
check "another module is not vouched for" eval 'mkdir wrong && sed "s/(x, x)/(x, 2 * x)/" part.cs >other.cs && mcs -nologo -target:module -out:wrong/part.netmodule other.cs && run 0 main.exe -o wrong/ && says "warning ILJ0462: its module part.netmodule beside the output is another" && test "$(hash_in wrong/main.exe part.netmodule)" = "$(hash_of part.netmodule)"'
check "in place, too" eval 'mkdir place && cp main.exe part.netmodule place/ && run 0 --in-place place/main.exe place/part.netmodule && test "$(hash_in place/main.exe part.netmodule)" = "$(hash_of place/part.netmodule)"'
if has al; then
    al -nologo -target:library -keyfile:key/1024.snk -out:linked.dll part.netmodule >/dev/null || exit 1
    check "a manifest without code of its own is brought in step and signed" eval 'run 0 linked.dll part.netmodule -o linked/ --key key/1024.snk && test "$(hash_in linked/linked.dll part.netmodule)" = "$(hash_of linked/part.netmodule)" && valid linked/linked.dll'
    # Its rows and hashes change, its MVID does not, as no code of its own does.
    echo 'class Program { static int Main() { System.Console.WriteLine(Part.Twice(21)); return 5; } }' >uses.cs
    mcs -nologo -r:linked.dll -out:uses.exe uses.cs || exit 1
    linked_names() {
        run 0 part.netmodule linked.dll uses.exe -o linked/ || return 1
        (cd linked && mono uses.exe >said; [ $? -eq 5 ] && [ "$(cat said)" = 42 ] && "$ILINJECT" report --json uses.ilprof >report.json 2>report.err) &&
            grep -q 'Part.Plus' linked/report.json && grep -q 'Part.Twice' linked/report.json && [ ! -s linked/report.err ] || { cat linked/said linked/report.err; return 1; }
    }
    if can mono; then check "its module's methods are in the report by name" linked_names; fi
    check "its MVID stays" test "$(mvid linked/linked.dll)" = "$(mvid linked.dll)"
    check "a second run adds nothing" eval 'run 0 linked/linked.dll linked/part.netmodule -o linked2/ && cmp linked/linked.dll linked2/linked.dll'
    check "a manifest whose own methods are left out leads to its modules' names, too, and keeps its symbols" eval '
        mcs -nologo -debug -addmodule:part.netmodule -out:partly.exe main.cs && run 0 part.netmodule partly.exe -o partly/ --exclude Program && cmp partly.exe.mdb partly/partly.exe.mdb &&
        (cd partly && mono partly.exe >said && "$ILINJECT" report --json partly.ilprof >report.json) && test "$(cat partly/said)" = 42 && grep -q Part.Plus partly/report.json && ! grep -q Program partly/report.json'
    check "and copied when its module was" eval 'mkdir same && cp part.netmodule same/ && run 0 linked.dll -o same/ && cmp linked.dll same/linked.dll'
    echo text >note.txt
    al -nologo -target:library -culture:de -embed:note.txt -out:app.resources.dll >/dev/null || exit 1
    check "a satellite is copied" eval 'run 0 app.resources.dll -o satellite/ && grep -q "satellite assembly" out && cmp app.resources.dll satellite/app.resources.dll'
    al -nologo -target:library -embed:note.txt -out:notes.dll >/dev/null || exit 1
    check "an assembly of resources alone is copied" eval 'run 0 notes.dll -o satellite/ && says "info ILJ0402" && cmp notes.dll satellite/notes.dll'
fi
# A compiler writes the version it is told only when no core library is there to take it from.
echo 'namespace System { public class Object { } public struct Void { } public class ValueType { } public struct Int32 { } public struct RuntimeTypeHandle { } public class Part { public int Two() { return 2; } } }' >core.cs
csc=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)/Roslyn/bincore/csc.dll
if can dotnet && [ -f "$csc" ] && dotnet exec "$csc" -nologo -noconfig -nostdlib -langversion:7 -target:library -runtimemetadataversion:"WindowsRuntime 1.4" -out:native.winmd core.cs >/dev/null; then
    check "Windows metadata is copied" eval 'run 0 native.winmd -o winmd/ && says "info ILJ0463" && cmp native.winmd winmd/native.winmd'
    check "unless forced" eval 'run 0 native.winmd -o winmd/ --force && grep -q "[1-9][0-9]* methods instrumented" out && ! cmp -s native.winmd winmd/native.winmd'
else
    skip "Windows metadata is copied" "there is no .NET SDK"
fi

# ---- Other tools -----------------------------------------------------------------------------------------------------

echo 'namespace Coverlet.Core.Instrumentation.Tracker { class app_8d6a { static int hits; static void Hit() { hits++; } } }' >coverlet.cs
echo 'class app_ProcessedByFody { }' >fody.cs
echo 'public class Recorder { public static void Visit() { } }' >recorder.cs
echo 'class Visits { public static void Visit() { Recorder.Visit(); } }' >visits.cs
mcs -nologo -target:library -out:AltCover.Recorder.g.dll recorder.cs && mcs -nologo -target:library -out:MiniCover.HitServices.dll recorder.cs || exit 1
check "coverlet's marker is named" eval 'demo coverlet.exe coverlet.cs && run 0 coverlet.exe -o foreign/ && says "warning ILJ0459: instrumented by coverlet"'
check "Fody's is, as information" eval 'demo fody.exe fody.cs && run 0 fody.exe -o foreign/ && says "info ILJ0460: Fody"'
check "AltCover's is" eval 'demo altcover.exe visits.cs -r:AltCover.Recorder.g.dll && run 0 altcover.exe -o foreign/ && says "warning ILJ0459: instrumented by AltCover"'
check "MiniCover's is" eval 'demo minicover.exe visits.cs -r:MiniCover.HitServices.dll && run 0 minicover.exe -o foreign/ && says "warning ILJ0459: instrumented by MiniCover"'
check "what has none is not named" eval 'run 0 plain.exe -o foreign/ && silent'
check "our own is not doubled" eval 'run 0 foreign/plain.exe -o foreign2/ && says "info ILJ0400" && cmp foreign/plain.exe foreign2/plain.exe'

# ---- A tracker without a name ------------------------------------------------------------------------------------------

mcs -nologo -target:library -out:MyTracker.dll "$ROOT/fixtures/cs/PlainTracker.cs" || exit 1
type=$(sed -n -E 's/^.*namespace ([A-Za-z.]+).*/\1/p' "$ROOT/fixtures/cs/PlainTracker.cs" | head -n 1)
type=${type:+$type.}$(sed -n -E 's/^.*class ([A-Za-z]+).*/\1/p' "$ROOT/fixtures/cs/PlainTracker.cs" | head -n 1)
check "a strong-named input with an unsigned tracker: who minds is said" eval 'run 0 app.exe -o mine/ --key key/1024.snk --tracker MyTracker.dll --tracker-type "$type" && says "info ILJ0464" && valid mine/app.exe'
check "no word of it when the input has no strong name" eval 'run 0 plain.exe -o mine/ --tracker MyTracker.dll --tracker-type "$type" && silent'
finish
