#!/usr/bin/env bash
# The command line as a user meets it: exit values, one line for an error, output that cannot be written.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
unset NO_COLOR COLUMNS "${!ILINJECT_@}"

# Runs the program; its exit value has to be the first argument.
run() { # value arguments…
    local wanted=$1
    shift
    "$ILINJECT" "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat out err; return 1; }
}
# It said exactly one line on standard error, with the text in it, and nothing on standard output.
one_line() { # text
    [ ! -s out ] || { echo "standard output:"; cat out; return 1; }
    [ "$(wc -l <err)" -eq 1 ] && grep -q -F -- "$1" err || { echo "not one line with '$1':"; cat err; return 1; }
}
refused() { # text arguments…: wrong usage
    local text=$1
    shift
    run 2 "$@" && one_line "$text"
}
failed() { # text arguments…: an input failed
    local text=$1
    shift
    run 1 "$@" && one_line "$text"
}
silent() { [ ! -s err ] || { cat err; return 1; }; }
says() { grep -q -E -- "$1" out || { echo "no line '$1':"; cat out; return 1; }; }

if has mcs; then
    mcs -nologo -out:app.exe "$ROOT/fixtures/cs/Demo.cs" &&
        echo 'public abstract class L { public abstract int F(); public int G() { return F(); } }' >lib.cs &&
        mcs -nologo -target:library -out:lib.dll lib.cs || exit 1
else
    skip "the command line" "mcs is not installed"
    finish
fi
mkdir -p a b folder
cp lib.dll a/ && cp lib.dll b/

# ---- Wrong usage ----------------------------------------------------------------------------------------------------

check "nothing to do is wrong usage" refused "no input is given"
check "neither -o nor --in-place is wrong usage" refused "--in-place" app.exe
check "-o and --in-place exclude each other" refused "exclude each other" app.exe -o x --in-place
check "an unknown option names the near one" refused "unknown option --forse; did you mean --force?" app.exe --forse
check "an unknown option of list is not taken from instrument" refused "unknown option --force" list app.exe --force
check "an unknown command names the near one" refused "did you mean 'list'?" lsit app.exe
check "a word that is neither is refused" refused "neither a command nor a file" frobnicate
check "an option without its value is refused" refused "-o needs a value" app.exe -o
check "a value that is no number is refused" refused "is not a number" report --top=many
check "columns are for JSON" refused "--compact is for --format=json" report --compact missing.ilprof
if has script; then
    check "pprof does not go to a terminal" eval 'script -qec "$ILINJECT report --format=pprof missing.ilprof" /dev/null </dev/null | grep -q "pprof is binary"'
else
    skip "pprof does not go to a terminal" "there is no script to make one"
fi
check "a choice that is none lists the choices" refused "text|calltree|tree|calllog|json" report --format=xml
check "list without input is refused" refused "no input is given" list
check "dump of two inputs is refused" refused "one input at a time" dump app.exe lib.dll
check "a folder into itself is refused" refused "is inside the folder folder" folder -o folder/x
check "several inputs do not go to a file" refused "lib.dll is a file" app.exe a/lib.dll -o lib.dll
check "two inputs do not become one output" refused "would both become folder/lib.dll" a/lib.dll b/lib.dll -o folder
check "wrong usage writes nothing" test -z "$(ls folder)" -a ! -e x
check "an option after -- is an input" failed "--force" -o x -- --force

# ---- Help -----------------------------------------------------------------------------------------------------------

check "--version says the version" eval 'run 0 --version && says "^ilinject [0-9]+\.[0-9]+\.[0-9]+$" && silent'
check "--help shows the commands" eval 'run 0 --help && says "^  report " && silent'
for command in instrument list dump report merge diff mibc run ctl serve explain; do
    check "$command --help shows its options" eval "run 0 $command --help && says '^Usage: ilinject .*$command' && says '^  -h, --help' && silent"
    check "-q $command -h does, too" run 0 -q "$command" -h
    check "the help of $command fits 84 columns" test -z "$("$ILINJECT" "$command" --help=all | grep -E '.{85}')"
done

# ---- Inputs that fail -----------------------------------------------------------------------------------------------

missing="missing.dll: error ILJ0900: cannot be read: No such file or directory"
check "a missing file is one line (instrument)" failed "$missing" missing.dll -o x
check "a missing file is one line (list)" failed "$missing" list missing.dll
check "a missing file is one line (dump)" failed "$missing" dump missing.dll
check "a missing file is one line (report)" failed "missing.ilprof: error ILJ0900: " report missing.ilprof
mkdir .temporary
in_temporary() { TMPDIR=$PWD/.temporary "$@"; }
none="$PWD: error ILJ0604: no profile is given and no *.ilprof stands in the current folder, nor one newer than its build below it"
check "no profile here is one line, with the folder" eval 'in_temporary failed "$none" report && ! grep -q temporary err'
touch -d 2001-01-01 .temporary/old.ilprof && touch .temporary/app.ilprof
check "one in the temporary folder is named" in_temporary failed "$none; the newest in the temporary folder is $PWD/.temporary/app.ilprof" report
check "a folder without profiles is one line" failed "folder: error ILJ0604: no *.ilprof stands in this folder" report folder
check "what cannot be written is one line" failed "No such file or directory" app.exe -o /proc/app.exe
check "a folder that cannot be made is one line" failed "lib.dll/x/ cannot be made" app.exe -o lib.dll/x/
check "failures leave nothing" test ! -e x -a ! -e nowhere

# ---- Colours --------------------------------------------------------------------------------------------------------

colored() { grep -q "$(printf '\033')" err; }
on_terminal() { # environment… -- arguments…: the program with a terminal for both outputs, collected in `err`
    local -a words=(env TERM=xterm)
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    script -q -e -c "$(printf '%q ' "${words[@]}" "$ILINJECT" "$@")" /dev/null >err
    return 0
}
check "no colours in a pipe" eval 'run 1 list missing.dll; ! colored'
check "--color=always colours a pipe" eval 'run 1 --color=always list missing.dll && colored'
if script -q -c true /dev/null >/dev/null 2>&1; then
    check "colours on a terminal" eval 'on_terminal -- list missing.dll && colored'
    check "NO_COLOR forbids them" eval 'on_terminal NO_COLOR=1 -- list missing.dll && ! colored && grep -q ILJ0900 err'
    check "an empty NO_COLOR does not" eval 'on_terminal NO_COLOR= -- list missing.dll && colored'
    check "--color=never forbids them" eval 'on_terminal -- list missing.dll --color=never && ! colored'
    check "--color=always wins over NO_COLOR" eval 'on_terminal NO_COLOR=1 -- list missing.dll --color=always && colored'
else
    skip "colours on a terminal" "script is missing or gets no terminal"
fi

# ---- Output that cannot be written ----------------------------------------------------------------------------------

full() { # arguments…
    "$ILINJECT" "$@" >/dev/full 2>err
    local got=$?
    [ "$got" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -F "standard output cannot be written: No space left" err || { echo "exit value $got"; cat err; return 1; }
}
head_leaves() { # arguments…
    "$ILINJECT" "$@" 2>err | head -n 1 >out
    local got=${PIPESTATUS[0]}
    [ "$got" -eq 0 ] && [ "$(wc -l <out)" -eq 1 ] && silent || { echo "exit value $got"; return 1; }
}
for arguments in "list app.exe" "dump app.exe" "--help" "app.exe -o full.exe"; do
    # shellcheck disable=SC2086
    check "a full disk below standard output is told: $arguments" full $arguments
done
large=$(find /usr/lib/mono/4.5 -name mscorlib.dll 2>/dev/null | head -n 1)
check "a reader that goes away is no failure (dump)" head_leaves dump "${large:-app.exe}"
check "a reader that goes away is no failure (list)" head_leaves list "${large:-app.exe}" app.exe

# ---- Instrumenting --------------------------------------------------------------------------------------------------

check "one input goes to the file" eval 'run 0 app.exe -o one.exe && says "^app.exe: [0-9]+ methods instrumented, 1 left out \(1 abstract\) -> one.exe, [0-9]+ bytes \(\+[0-9.]+ %\), " && silent && test -s one.exe'
check "one input goes to an existing folder under its name" eval 'run 0 app.exe -o folder && says "-> folder/app.exe" && test -s folder/app.exe'
check "a folder that is missing is made" eval 'run 0 lib.dll -o new/er/ && test -s new/er/lib.dll'
check "several inputs go to a folder, with a total" eval 'run 0 app.exe lib.dll -o several && says "^total of 2: [0-9]+ methods instrumented, 2 left out" && test -s several/app.exe -a -s several/lib.dll'
check "one failure of several keeps the others" eval 'run 1 app.exe missing.dll lib.dll -o partly && test -s partly/app.exe -a -s partly/lib.dll && says "; 1 failed;" && test "$(wc -l <err)" -eq 1'
check "-q says nothing" eval 'run 0 -q app.exe -o quiet.exe && test ! -s out && silent && test -s quiet.exe'
check "-v says more" eval 'run 0 -v app.exe -o loud.exe && says "^  [0-9]+ of [0-9]+ methods, [0-9]+ -> [0-9]+ bytes"'
check "--dry-run writes nothing" eval 'run 0 app.exe -o dry/ --dry-run && test ! -e dry && says "would be"'
passes() { sed -n -E 's/^app\.exe: trace: +[0-9]+\.[0-9]{3} ms +[0-9]+ KiB  ([a-z A-Z.'"'"']+)$/\1/p' err; }
# No line is left over, and the passes that are named here come in this order.
traced() {
    run 0 app.exe -o traced/ --quiet --trace || return
    [ "$(passes | wc -l)" -eq "$(wc -l <err)" ] &&
        [ "$(passes | grep -x -E 'open the input|select methods|deal ids|inject|rewrite|sign|write')" = $'open the input\nselect methods\ndeal ids\ninject\nrewrite\nsign\nwrite' ] || { cat err; return 1; }
    run 0 app.exe -o untraced/ --quiet && [ ! -s err ] && cmp traced/app.exe untraced/app.exe
}
check "--trace names each pass with its time and memory" traced
traced_copy() {
    run 0 app.exe -o traced/ --quiet --trace --exclude '**' && passes | grep -q -x 'choose a copy' && ! passes | grep -x -E 'deal ids|inject|rewrite|sign'
}
check "and none that has nothing to do" traced_copy
check "--trace works on one input at a time" refused "--trace needs --jobs=1" app.exe -o traced/ --trace --jobs 2
check "--dry-run needs no -o" eval 'cp app.exe same.exe && run 0 same.exe --dry-run && cmp app.exe same.exe'
check "--in-place replaces the input" eval 'cp app.exe same.exe && run 0 same.exe --in-place && ! cmp -s app.exe same.exe'
check "what is instrumented already is left as it is" eval 'cp same.exe before.exe && run 0 same.exe --in-place && cmp before.exe same.exe && says "left as it is"'
check "an output that is the input is refused" eval 'ln -s app.exe link.exe && refused "ILJ0405" app.exe -o link.exe'
check "--json is the summary for machines" eval 'run 0 app.exe lib.dll -o several --json && says "\"outcome\": \"instrumented\"" && says "\"left_out\": \{\"abstract\": 1\}" && says "^  \"total\": \{$"'
check "--json names a failure" eval 'run 1 missing.dll -o x --json && says "\"outcome\": \"failed\"" && says "\"output\": null"'
check "a name that is not UTF-8 still makes JSON" eval 'cp lib.dll "$(printf "q\"\\\\\377.dll")" && run 0 "$(printf "q\"\\\\\377.dll")" -o several --json && says "\"input\": \"q\\\\\"\\\\\\\\\\\\ufffd\.dll\""'

# A folder without room, and one without rights: one line, nothing left, what stood there unharmed.
on_full_disk() {
    # shellcheck disable=SC2016
    unshare --mount bash -c '
        mount -t tmpfs -o size=16k tmpfs folder && echo old >folder/app.exe && head -c 8192 /dev/zero >folder/filler || exit 9
        "$1" app.exe -o folder/app.exe >out 2>err
        got=$?
        ls -A folder >left && cat folder/app.exe >>left
        exit $got' bash "$ILINJECT"
    [ $? -eq 1 ] && one_line "No space left on device" && diff <(printf 'app.exe\nfiller\nold\n') left
}
without_rights() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$ILINJECT" app.exe -o sealed/app.exe >out 2>err
    [ $? -eq 1 ] && one_line "Permission denied" && [ -z "$(ls -A sealed)" ]
}
unreadable() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$ILINJECT" sealed.exe -o /dev/null >out 2>err
    [ $? -eq 1 ] && one_line "sealed.exe: error ILJ0900: cannot be read: Permission denied"
}
if [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then
    check "a full disk is one line and changes nothing" on_full_disk
else
    skip "a full disk is one line and changes nothing" "mounts need more rights"
fi
if [ "$(id -u)" -eq 0 ] && has setpriv; then
    mkdir -m 755 sealed && cp app.exe sealed.exe && chmod 600 sealed.exe && chmod 755 .
    check "a folder that may not be written is one line" without_rights
    check "an input that may not be read is one line" unreadable
else
    skip "missing rights are one line" "they cannot be given up here"
fi

# ---- Listing and reporting ------------------------------------------------------------------------------------------

check "list of several inputs heads each" eval 'run 0 list app.exe lib.dll && says "^app.exe:$" && says "^lib.dll:$" && silent'
check "JSON of several inputs is an array" eval 'run 0 list app.exe lib.dll --json && test "$(head -n 1 out)" = "[" -a "$(tail -n 1 out)" = "]"'
if has mono; then
    mono folder/app.exe >/dev/null || echo "the sample does not run"
    cp app.ilprof older.ilprof && touch -d "1 hour ago" older.ilprof
    check "report takes the newest profile here, and says so with -v" eval 'run 0 report -v && grep -q "reading app.ilprof, the newest of 2" err && says "Tree.Leaf"'
    mkdir -p empty/made/deep empty/tests/bin/Release/net10.0 && cp app.exe empty/made/ && cp app.ilprof empty/made/deep/
    below() { (cd empty && run "$1" report && grep -q "${2:-nothing}" err); }
    check "what is deeper is not looked for" below 1 "nor one newer than its build below it"
    cp app.ilprof empty/made/app.ilprof && touch -d "1 hour ago" empty/made/app.ilprof
    check "nor one that is older than the build beside it" below 1 "nor one newer than its build below it"
    touch empty/made/app.ilprof
    check "report takes one of the folder below, and says so" below 0 "info: reading made/app.ilprof$"
    cp app.ilprof empty/here.ilprof && touch -d "1 hour ago" empty/here.ilprof
    check "so it does when one here is older" below 0 "info: reading made/app.ilprof, which is newer than those here$"
    cp app.exe empty/tests/bin/Release/net10.0/tests.dll && touch -d tomorrow empty/tests/bin/Release/net10.0/tests.ilprof.tmp &&
        cp app.ilprof empty/tests/bin/Release/net10.0/tests.ilprof && touch -d "1 minute" empty/tests/bin/Release/net10.0/tests.ilprof
    check "and that of a test project's bin" below 0 "info: reading tests/bin/Release/net10.0/tests.ilprof, which"
    touch -d "1 hour" empty/here.ilprof
    check "the newest of all is taken" eval '(cd empty && run 0 report && silent)'
    rm -rf empty
    check "report is silent about it without" eval 'run 0 report && silent'
    check "report -o writes the file" eval 'run 0 report app.ilprof -o report.txt && test ! -s out && grep -q Tree.Leaf report.txt'
    check "a report that fails leaves the old file" eval 'echo old >kept && run 1 report missing.ilprof -o kept && test "$(cat kept)" = old -a -z "$(ls kept.* 2>/dev/null)"'
    check "report -o to a device writes to it" eval 'run 0 report app.ilprof -o /dev/null && test -c /dev/null'
    check "report -o to a full device is told" failed "/dev/full cannot be written: No space left on device" report app.ilprof -o /dev/full
    # The first lines name the runtime in its own words, as long as they are.
    wider() { sed "1,/^$/d" out | LC_ALL=C.UTF-8 grep -E "^.{$1}"; }
    check "report fits to --width" eval 'run 0 report --width=70 && ! wider 71'
    check "COLUMNS is the width in a pipe" eval 'run 0 report --width=70 && cp out fitted && COLUMNS=70 run 0 report && cmp out fitted && COLUMNS=90 run 0 report && ! cmp -s out fitted'
    check "report --top cuts the table" eval 'run 0 report --top=1 && cp out top && run 0 report && test "$(wc -l <top)" -lt "$(wc -l <out)"'
    check "report --json is JSON" eval 'run 0 report --json && says "ilinject-profile"'
    check "a full disk below standard output is told: report" full report
else
    skip "report shows what a run wrote" "mono is not installed"
fi

# ---- Installing -----------------------------------------------------------------------------------------------------

installs() {
    make -C "$ROOT" -s install BUILD="$BUILD" DESTDIR="$SCRATCH/root" PREFIX=/usr >installed || return 1
    [ "$(find root -type f | wc -l)" -eq "$(wc -l <installed)" ] && root/usr/bin/ilinject --version &&
        make -C "$ROOT" -s uninstall DESTDIR="$SCRATCH/root" PREFIX=/usr && [ "$(find root -type f | wc -l)" -eq 0 ]
}
# A program of another project, with what was installed alone.
strangers_program() {
    make -C "$ROOT" -s install BUILD="$BUILD" DESTDIR="$SCRATCH/root" PREFIX=/usr >installed || return 1
    cat >stranger.c <<'C'
#include <ilinject.h>
#include <stdio.h>
static void tell(void *user, const ilj_diagnostic *d) { fprintf(user, "%s %s\n", d->file, d->code); }
int main(void) {
    ilj_context *context;
    ilj_image *image;
    if (ilj_context_new(&context, tell, stdout) != ILJ_OK)
        return 1;
    ilj_status status = ilj_image_open(&image, context, "missing.dll");
    ilj_context_free(context);
    return status == ILJ_IO ? 0 : 1;
}
C
    local -a sanitizers=()
    local cc=gcc
    case $BUILD in */san) cc=clang sanitizers=(-fsanitize=address,undefined) ;; esac
    $cc "${sanitizers[@]}" -std=c11 -pedantic-errors -Wall -Wextra -Werror -Iroot/usr/include -o stranger stranger.c \
        root/usr/lib/libilinject.a -l:libdeflate.a -l:libxxhash.a -l:libjansson.a -l:libz.a && [ "$(./stranger)" = "missing.dll ILJ0900" ]
}
as_nobody() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
deps_without_rights() {
    as_nobody make -s -f "$ROOT/Makefile" -C "$ROOT" deps DEPS="gcc no-such-package" >out 2>err && return 1
    grep -q "^deps: neither root nor sudo: have these packages installed: no-such-package$" err
}
# Each file by a line, and with what it is compiled; of the folder msbuild another rule makes it.
compiles_are_listed() {
    local database=$SCRATCH/database/compile_commands.json
    make -C "$ROOT" -s compile_commands.json BUILD="$SCRATCH/database" || return 1
    (cd "$ROOT" && find ecma335 src tests/unit -name '*.c' ! -path 'src/msbuild/*' ! -path 'src/platform/windows/*' ! -path 'src/platform/wasi/*' | sort) |
        diff - <(sed -n 's/.*"file": "\([^"]*\)".*/\1/p' "$database" | grep -E '^(ecma335|src|tests/unit)/' | sort) &&
        grep -q '"file": "src/cli/help.c", "command": ".* -Iinclude -Isrc -c -o [^ ]*/src/cli/help.o src/cli/help.c"}' "$database"
}
steps_are_lines() {
    local object=$SCRATCH/steps/src/cli/help.o
    make -C "$ROOT" --no-print-directory BUILD="$SCRATCH/steps" "$object" >quiet && rm "$object" &&
        make -C "$ROOT" --no-print-directory BUILD="$SCRATCH/steps" V=1 "$object" >loud &&
        diff <(printf '  %-7s %s\n' CC "$object") quiet && grep -q -e "-std=gnu11 .* -o $object" loud
}
check "make is a line a step, and V=1 its commands" steps_are_lines
check "how each C file is compiled is written down for editors" compiles_are_listed
check "what is installed suffices for a program that uses the library" strangers_program
check "make install installs what make uninstall takes away" installs
if has sudo || ! has dpkg-query || ! has setpriv; then
    skip "without rights the missing packages are named" "it has sudo, or no dpkg or setpriv"
elif ! as_nobody test -r "$ROOT/Makefile"; then
    skip "without rights the missing packages are named" "nobody may not read the tree"
else
    check "without rights the missing packages are named" deps_without_rights
fi
finish
