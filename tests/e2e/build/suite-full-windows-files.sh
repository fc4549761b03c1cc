#!/usr/bin/env bash
# level: full
# ilinject.exe under Wine, and files: names and paths of Windows, files that other programs have open, keys, reports. It writes the
# same bytes as this system's program.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/windows.sh"
. "$(dirname "$0")/../lib/sh/assemblies.sh"
all="ilinject.exe writes what this system's program does"
if ! has x86_64-w64-mingw32-gcc; then skip "$all" "x86_64-w64-mingw32-gcc is not installed"; finish; fi
if ! has mcs || ! has mono; then skip "$all" "Mono is not installed"; finish; fi
windows_ready "$all"
"$wineserver" -p
w() { "$wine" "$exe" "$@"; }
cd "$SCRATCH" || exit 1
mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" || exit 1
"$ILINJECT" -q Demo.exe -o here/ || exit 1

# ---- Paths -----------------------------------------------------------------------------------------------------------

check "backslashes part folders" eval 'mkdir -p a/b && cp Demo.exe a/b/ && w "a\\b\\Demo.exe" -o "out\\" && cmp here/Demo.exe out/Demo.exe && [ -s out/ProfileInfoTracker.dll ]'
check "a drive and an absolute path do" eval 'w "Z:$(echo "$SCRATCH" | tr / "\\\\")\\Demo.exe" -o "Z:/${SCRATCH#/}/drive/" && cmp here/Demo.exe drive/Demo.exe'
check "names beyond ASCII stay" eval 'mkdir -p "gemäß 測試" && cp Demo.exe "gemäß 測試/Größe.exe" && w "gemäß 測試\\Größe.exe" -o "aus ĳ/" >said && cmp here/Demo.exe "aus ĳ/Größe.exe" && grep -q "gemäß 測試" said'
long=$(printf 'a%.0s' {1..120})
check "so do long ones" eval 'mkdir -p "$long/$long" && cp Demo.exe "$long/$long/" && w "$long\\$long\\Demo.exe" -o "$long\\$long\\out\\" && cmp here/Demo.exe "$long/$long/out/Demo.exe"'
check "a folder is done" eval 'mkdir folder && cp Demo.exe folder/ && w folder -o folder.out && cmp here/Demo.exe folder.out/Demo.exe'
check "what is missing is named, exit value 1" eval '! w none.dll -o x.dll 2>err; [ $? -eq 0 ] && grep -q "^none.dll: error ILJ0900: cannot be read: No such file or directory" err'
check "a configuration is read" eval 'printf "%s\n" "<ilinject><selection><exclude pattern=\"*\"/></selection></ilinject>" >none.xml && w Demo.exe -o none/ --config none.xml 2>&1 | grep -q "copied unchanged"'
# Wine finds servers and drives in a folder. Both lead to this one.
mkdir -p "$WINEPREFIX/dosdevices/unc/server" && ln -s "$SCRATCH" "$WINEPREFIX/dosdevices/unc/server/share" && ln -s "$SCRATCH" "$WINEPREFIX/dosdevices/q:" || exit 1
goes() { # INPUT OUTPUT FILE
    w "$1" -o "$2" >said 2>err && [ ! -s err ] && cmp here/Demo.exe "$3" && [ -s "${3%/*}/ProfileInfoTracker.dll" ] || { cat said err; return 1; }
}
check "a server's share does, its new folders are made" goes '\\server\share\Demo.exe' '\\server\share\new\folder\' new/folder/Demo.exe
check "… with slashes, too" goes //server/share/Demo.exe //server/share/slashes/ slashes/Demo.exe
check "so do literal paths" goes '\\?\Q:\Demo.exe' '\\?\Q:\literal\a\' literal/a/Demo.exe
check "… of a server" goes '\\?\UNC\server\share\Demo.exe' '\\?\UNC\server\share\literal\b\' literal/b/Demo.exe
check "… and folders" eval 'w "\\\\?\\Q:\\a" -o "\\\\?\\Q:\\literal\\.\\c" >said && cmp here/Demo.exe literal/c/b/Demo.exe'
# A drive's current folder is that of cmd.exe.
mkdir current && cp Demo.exe current/ && cp "$exe" current/
printf '@echo off\r\nq:\r\ncd current\r\nc:\r\nq:ilinject.exe q:Demo.exe -o q:made.exe\r\nq:ilinject.exe q:..\\folder -o q:folder\r\nq:ilinject.exe list q:Demo.exe\r\n' >current.cmd
check "a drive without a slash is its current folder" eval '"$wine" cmd /c current.cmd >said 2>&1; cat said; cmp here/Demo.exe current/made.exe && cmp here/Demo.exe current/folder/Demo.exe && [ -s current/ProfileInfoTracker.dll ] && grep -q "^class Demo" said'
# With it Wine would take this system's paths for those of that drive.
rm "$WINEPREFIX/dosdevices/q:"
check "outputs whose names differ in case alone are one" eval '! w Demo.exe current/DEMO.exe -o both/ 2>err; grep -q "current/DEMO.exe and Demo.exe would both become both/Demo.exe\|Demo.exe and current/DEMO.exe would both become both/DEMO.exe" err && [ ! -e both ]'
check "the tracker is known whatever the case of its name" eval 'mkdir case && cp Demo.exe case/ && cp out/ProfileInfoTracker.dll case/PROFILEINFOTRACKER.DLL && w case -o case.out >said && ! grep -q "PROFILEINFOTRACKER.DLL:" said && cmp here/Demo.exe case.out/Demo.exe'

# ---- Archives and programs ---------------------------------------------------------------------------------------------

make_alone tests >tests.log 2>&1 || { tail -n 5 tests.log; exit 1; }
zips=$BUILD/tests/zips
printf '%s\r\n' '<Deployment xmlns="http://schemas.microsoft.com/client/2007/deployment" xmlns:x="http://schemas.microsoft.com/winfx/2006/xaml" EntryPointAssembly="Demo" EntryPointType="Demo" RuntimeVersion="5.0.61118.0">' \
    '  <Deployment.Parts>' '    <AssemblyPart x:Name="Demo" Source="Demo.dll" />' '  </Deployment.Parts>' '</Deployment>' >parts.xaml
cp Demo.exe Demo.dll
"$zips" make app.xap AppManifest.xaml=parts.xaml Demo.dll=Demo.dll 'Bilder\Größe.dat=parts.xaml' && "$zips" make app.zip 'bin\Demo.exe=Demo.exe' || exit 1
archives_are_equal() {
    local kind
    for kind in xap zip; do
        "$ILINJECT" -q app.$kind -o mine.$kind && w app.$kind -o its.$kind >said 2>err && cmp mine.$kind its.$kind || { cat said err; return 1; }
        # Names are those in the archive, not of the folder where it was unpacked.
        grep -q "^app.$kind/.*Demo\.[a-z]*: .* -> its.$kind/" said && ! grep -q "ilinject-run" said || { cat said; return 1; }
    done
}
check "XAPs and zips have the same bytes" archives_are_equal
check "a run adds its hook as Windows lists paths" eval 'DOTNET_STARTUP_HOOKS="C:\\x.dll" w run -- cmd /c "echo %DOTNET_STARTUP_HOOKS%" 2>/dev/null | grep "^C:.x.dll;.*ProfileInfoTracker.dll"'
# Wine has no .NET Framework here; what it says of that comes from the program's own start.
check "a program of .NET Framework is started itself" eval 'w run Demo.exe 2>err; ! grep -q "cannot be started" err && ! grep -q mono err'

# ---- Files that others have open ---------------------------------------------------------------------------------------

x86_64-w64-mingw32-gcc -municode -O1 -o hold.exe "$ROOT/tests/e2e/lib/c/hold.c" || exit 1
# While a program has FILE open, for MS milliseconds, letting others SHARE it.
holding() { # FILE SHARE MS COMMAND…
    local holder value
    rm -f held
    "$wine" hold.exe "$1" "$2" "$3" >held 2>&1 </dev/null &
    holder=$!
    within 100 grep -q held held || return
    "${@:4}"
    value=$?
    wait "$holder"
    return $value
}
instruments() { # INPUT OUTPUT
    w "$1" -o "$2" >said 2>err && [ ! -s err ] && cmp here/Demo.exe "$2"
}
tells() { # LINE COMMAND…
    local line=$1
    shift
    ! "$@" >said 2>err && diff <(echo "$line") err
}
leaves_nothing() { # but what stood there
    cmp Demo.exe "$1" && ! compgen -G '.ilinject-*' >left
}
cp Demo.exe input.exe
check "an input that is open elsewhere for a moment is waited for" holding input.exe 0 900 instruments input.exe waited.exe
check "one that stays open is named" holding input.exe 0 15000 tells "input.exe: error ILJ0900: cannot be read: another program has it open" w input.exe -o none.exe
cp Demo.exe output.exe
check "an output that is open elsewhere for a moment is replaced" holding output.exe 1 900 instruments Demo.exe output.exe
cp Demo.exe output.exe
check "one that stays open is named" holding output.exe 1 15000 tells "Demo.exe: error ILJ0901: output.exe cannot be written: another program has it open" w Demo.exe -o output.exe
check "… and is what it was" leaves_nothing output.exe
mkdir folder.in && cp Demo.exe folder.in/a.exe && cp Demo.exe folder.in/b.exe
does_the_rest() {
    ! w folder.in -o folder.of >said 2>err && diff <(echo "folder.in/b.exe: error ILJ0900: cannot be read: another program has it open") err &&
        cmp here/Demo.exe folder.of/a.exe && [ ! -e folder.of/b.exe ]
}
check "a folder's other files are done" holding folder.in/b.exe 0 15000 does_the_rest
# hold.exe, which runs, in the place of the output.
cp hold.exe runs.exe
replaces_what_runs() {
    local runs value
    "$wine" runs.exe Demo.exe 7 3000 >held 2>&1 </dev/null &
    runs=$!
    within 100 grep -q held held && instruments Demo.exe runs.exe
    value=$?
    wait "$runs" || return
    # It was moved aside; the next run removes it.
    [ $value -eq 0 ] && [ "$(compgen -G '.ilinject-*' | wc -l)" -eq 1 ] && instruments Demo.exe runs.exe && ! compgen -G '.ilinject-*'
}
check "a program that runs is moved aside, and goes with the next run" replaces_what_runs
"$ILINJECT" -q Demo.exe -o run/ && (cd run && mono Demo.exe >/dev/null) || exit 1
check "a profile that stays open is named" holding run/Demo.ilprof 0 15000 tells "run/Demo.ilprof: error ILJ0900: cannot be read: another program has it open" w report run/Demo.ilprof
echo before >report.txt
check "so is a report" holding report.txt 1 15000 tells "ilinject: error: report.txt cannot be written: another program has it open" w report -o report.txt run/Demo.ilprof
check "… and is what it was" eval '[ "$(cat report.txt)" = before ] && ! compgen -G "report.txt.*"'

# ---- Keys ------------------------------------------------------------------------------------------------------------

mcs -nologo -keyfile:"$ROOT/runtime-tracker/ilinject.snk" -out:Signed.exe "$ROOT/fixtures/cs/Demo.cs" || exit 1
check "a strong name is signed as here" eval '"$ILINJECT" -q Signed.exe -o mine.exe --key "$ROOT/runtime-tracker/ilinject.snk" && w -q Signed.exe -o its.exe --key "$ROOT/runtime-tracker/ilinject.snk" && cmp mine.exe its.exe'
# RSA keys by OpenSSL: encrypted as it does today, as it did, with the ciphers that remain, and not at all.
if has openssl && openssl genrsa -out key.pem 2048 2>/dev/null && openssl req -new -x509 -key key.pem -subj /CN=test -days 9 -out crt.pem 2>/dev/null; then
    pfx() { # NAME PASSWORD OPTIONS…
        openssl pkcs12 -export -inkey key.pem -in crt.pem -passout "pass:$2" -out "$1.pfx" "${@:3}"
    }
    # `name`, signed with its own key: the public half is put into the assembly by the compiler.
    openssl rsa -in key.pem -outform MSBLOB -out key.snk 2>/dev/null
    mcs -nologo -keyfile:key.snk -out:Own.exe "$ROOT/fixtures/cs/Demo.cs" || exit 1
    signs() { # NAME PASSWORD
        ILINJECT_KEY_PASSWORD=$2 "$ILINJECT" -q Own.exe -o mine.exe --key "$1.pfx" && ILINJECT_KEY_PASSWORD=$2 w -q Own.exe -o its.exe --key "$1.pfx" && cmp mine.exe its.exe && sn -q -v its.exe
    }
    fails_alike() { # PASSWORD KEY
        local here there
        rm -f its.exe
        ILINJECT_KEY_PASSWORD=$1 "$ILINJECT" -q Own.exe -o its.exe --key "$2" 2>mine.err
        here=$?
        ILINJECT_KEY_PASSWORD=$1 w -q Own.exe -o its.exe --key "$2" 2>its.err
        there=$?
        [ $there -eq $here ] && [ $there -ne 0 ] && [ ! -e its.exe ] && [ "$(wc -l <its.err)" -eq 1 ] && diff mine.err its.err
    }
    pfx today 'sécret €' && check "a .pfx key signs as here" signs today 'sécret €'
    pfx before secret -legacy && check "so does one encrypted by 3DES and RC2" signs before secret
    pfx other secret -keypbe aes-128-cbc -certpbe NONE -macalg sha512 -iter 3 && check "so does one by AES-128, with a MAC by SHA-512" signs other secret
    pfx plain secret -keypbe NONE -certpbe NONE && check "so does one that is not encrypted" signs plain secret
    pfx empty '' && check "so does one with an empty password" signs empty ''
    check "another password is told as here" fails_alike wrong today.pfx
    check "so it is of an old file" fails_alike wrong before.pfx
    check "so is a file that was cut off" eval 'head -c 1000 today.pfx >cut.pfx && fails_alike secret cut.pfx'
    check "so is one that is something else" fails_alike secret Demo.exe
    check "so is one without a key" eval 'openssl pkcs12 -export -nokeys -in crt.pem -passout pass:secret -out none.pfx && ! ILINJECT_KEY_PASSWORD=secret w -q Own.exe -o no.exe --key none.pfx 2>err && [ "$(wc -l <err)" -eq 1 ] && grep -q "ILJ0450: the key file none.pfx cannot be used: " err'
    check "so is a key that is not RSA" eval 'openssl ecparam -name prime256v1 -genkey -noout -out ec.pem && openssl req -new -x509 -key ec.pem -subj /CN=ec -days 9 -out ec.crt && openssl pkcs12 -export -inkey ec.pem -in ec.crt -passout pass:secret -out ec.pfx && ! ILINJECT_KEY_PASSWORD=secret w -q Own.exe -o no.exe --key ec.pfx 2>err && [ "$(wc -l <err)" -eq 1 ] && [ ! -e no.exe ]'
else
    skip "a .pfx key signs as here" "openssl is not installed"
fi
# ---- Other files -----------------------------------------------------------------------------------------------------

check "lines of a response file may end as they do there" eval 'printf "Demo.exe\r\n-o\r\nlisted/\r\n" >arguments && w @arguments && cmp here/Demo.exe listed/Demo.exe'
check "in place, what stood there is replaced" eval 'cp Demo.exe place.exe && w --in-place place.exe && [ "$(stat -c %s place.exe)" -eq "$(stat -c %s here/Demo.exe)" ] && ! ls -a | grep -q "^.ilinject-"'
(cd here && ILINJECT_OUT=../demo.ilprof mono Demo.exe >/dev/null) || exit 1
for format in text json csv calltree speedscope collapsed; do
    check "a report is the same ($format)" eval '"$ILINJECT" report --format=$format demo.ilprof >mine && w report --format=$format demo.ilprof >its && cmp mine its'
done
check "a page is the same" eval '"$ILINJECT" report --format=html -o mine.html demo.ilprof && w report --format=html -o its.html demo.ilprof && cmp mine.html its.html'
check "a command is run, and its exit value is this one's" eval 'w run -- cmd /c "exit 300" 2>err; [ $? -eq $((300 % 256)) ]'

# ---- Many files --------------------------------------------------------------------------------------------------------

check "300 assemblies have the same bytes" same "$wine" "$exe"
finish
