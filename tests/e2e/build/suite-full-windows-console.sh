#!/usr/bin/env bash
# level: full
# ilinject.exe under Wine, at a console: its letters, colours and width, which it leaves as they were; Ctrl-C; the values that programs
# end with; pipes without a reader.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/windows.sh"
all="ilinject.exe at a console"
if ! has x86_64-w64-mingw32-gcc; then skip "$all" "x86_64-w64-mingw32-gcc is not installed"; finish; fi
if ! has mcs || ! has mono; then skip "$all" "Mono is not installed"; finish; fi
if ! has python3; then skip "$all" "python3 is not installed"; finish; fi
windows_ready "$all"
"$wineserver" -p
w() { "$wine" "$exe" "$@"; }
# A terminal of 97 columns, which Wine makes a console of Windows.
at_console() { # [WORD=KEYS] -- COMMAND…
    python3 "$ROOT/tests/e2e/lib/py/terminal.py" 97 30 "$@"
}
cd "$SCRATCH" || exit 1
for name in console pipe; do
    x86_64-w64-mingw32-gcc -municode -O1 -o $name.exe "$ROOT/tests/e2e/lib/c/$name.c" || exit 1
done
cat >Größe.cs <<'END'
class Größe測試測試測試測試 {
    static void Main() { A測試測試測試測試測試(); }
    static void A測試測試測試測試測試() { for (int i = 0; i < 9; i++) B測試測試測試測試é(); }
    static void B測試測試測試測試é() { }
}
END
mcs -nologo -out:Größe.exe Größe.cs && "$ILINJECT" -q Größe.exe -o out/ && (cd out && mono Größe.exe) && cp out/*.ilprof Größe.ilprof || exit 1

# ---- What is seen ----------------------------------------------------------------------------------------------------

check "a console gets letters beyond ASCII whole" eval 'at_console -- "$wine" "$exe" list Größe.exe >said && grep -q "0x06000004 .* B測試測試測試測試é()" said && ! grep -q "�" said'
# In columns: a letter of Chinese takes two. Wine's console shows escapes, and counts them as letters.
widest() {
    python3 -c 'import sys, unicodedata
print(max(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip("\n")) for line in open(sys.argv[1], encoding="utf-8")))' "$1"
}
is_as_wide() {
    at_console -- "$wine" "$exe" report --color=never Größe.ilprof >said && "$ILINJECT" report --width=97 Größe.ilprof >wanted &&
        [ "$(widest wanted)" -le 97 ] && diff -b <(sed 's/ *$//' wanted) <(sed 's/ *$//' said)
}
check "a report is as wide as the console" is_as_wide
check "colours are for a console" eval 'at_console -- "$wine" console.exe told "$exe" none.dll -o x.dll >said; grep -q "none.dll: error ILJ0900" said && w none.dll -o x.dll 2>err; ! grep -q "$(printf "\033")" err'
check "the console's modes and code page are what they were" eval '[ "$(head -n 1 told)" = "$(sed -n 2p told)" ] && grep -q "^modes [1-9]" told'

# ---- Ctrl-C -----------------------------------------------------------------------------------------------------------

# The value with which Windows ends a program: 0xC000013A.
ends=3221225786
mkdir many && for number in {1..80}; do cp /usr/lib/mono/4.5/mscorlib.dll many/$number.dll; done
at_console "copying=\x03" -- "$wine" console.exe told "$exe" many -o many.out >said
check "Ctrl-C ends it with the value that Windows gives" eval 'cat said told; grep -q -x "value $ends" told'
check "… before all is done, with no unfinished file" eval '[ "$(ls many.out | wc -l)" -lt 80 ] && ! ls -a many.out | grep "^.ilinject-" && for file in many.out/*.dll; do cmp many/1.dll "$file" || exit; done'
check "… and the console is as it was" eval '[ "$(head -n 1 told)" = "$(sed -n 2p told)" ]'
at_console "ready=\x03" -- "$wine" console.exe told "$exe" run -- console.exe within >said
check "a command that Ctrl-C ends is told of" eval 'cat said; grep -q "ilinject: info: console.exe was ended by Ctrl-C$" said'
check "… its value is this one's" eval 'cat told; grep -q -x "value $ends" told'
check "… it finds the console as it was, and so is it left" eval '[ "$(head -n 1 told)" = "$(sed -n 2p told)" ] && diff within <(head -n 1 told)'
check "the folder of the run is gone" eval '! ls -d "$WINEPREFIX"/drive_c/users/*/Temp/ilinject-run.*'

# ---- Values and pipes ------------------------------------------------------------------------------------------------

ends_with() { # VALUE
    rm -f told
    "$wine" console.exe told "$exe" run -- cmd /c "exit $1" >said 2>&1 && grep -q -x "value $2" told || { cat told; return 1; }
}
check "a command's value has more than eight bits" ends_with 70000 70000
check "… and all 32" ends_with -2 4294967294
check "a value above 128 is no signal" eval '! grep -q "was ended by" said'
check "its own values are those of Linux" eval '"$wine" console.exe told "$exe" --no-such-option 2>err; grep -q -x "value 2" told'
check "an output that nobody reads is no failure" eval '[ "$("$wine" pipe.exe "$exe" list /usr/lib/mono/4.5/mscorlib.dll 2>err | tr -d "\r")" = 0 ] && [ ! -s err ]'
check "… nor is one of this system" eval 'set -o pipefail; w list /usr/lib/mono/4.5/mscorlib.dll 2>err | head -n 1 | grep -q "^module" && [ ! -s err ]'
check "what cannot be written is told" eval 'w list Größe.exe >/dev/full 2>err; [ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "standard output cannot be written: " err'
finish
