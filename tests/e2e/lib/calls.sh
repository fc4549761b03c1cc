# tests/e2e/lib/calls.sh - the whole program while each of its calls of the system fails, or it is killed there (calls.c).
# Sourced by suites behind lib.sh.
#   calls_sweep fail|kill      every call of the ways to write: a folder, in place, an archive, a report, a merge
calls_sweep() {
    local how=$1 verb="fails with each of four errors"
    if [ "$how" = kill ]; then verb="is the program's last"; fi
    if grep -q __asan_init "$BUILD/ilinject" || ! head -c 4 "$ILINJECT" | grep -q ELF || [ "$(uname -m)" != x86_64 ]; then
        skip "each call of the system $verb" "a sanitizer, another program around it, or not an x86-64 processor"
        return
    fi
    cd "$SCRATCH" || return
    mkdir files nothing folder
    mcs -nologo -debug -target:library -out:files/T.dll "$ROOT/fixtures/cs/TestClass.cs" || return
    cp files/* folder/ && cp files/T.dll folder/U.dll
    # NAME, the folder of before, then the command with @ for the folder that it writes to
    one() {
        local name=$1 before=$2 code=0
        shift 2
        rm -rf out whole
        mkdir whole && cp "$before"/* whole/ 2>/dev/null
        "$ILINJECT" "${@//@/whole}" >/dev/null 2>&1 || { echo "the run that nobody disturbs fails"; return 1; }
        "$BUILD/tests/calls" "$how" out whole "$before" files "$ILINJECT" "${@//@/out}" || code=$?
        [ "$code" -ne 77 ] || { echo "no process may be traced here"; return 1; }
        return "$code"
    }
    check "in place, with symbols: each call $verb" one place files -q -j1 @/T.dll --in-place
    check "a file into a folder: each call $verb" one file nothing -q -j1 files/T.dll -o @/
    check "a folder: each call $verb" one folder nothing -q -j1 --all folder -o @
    # Where symbols cannot be read an archive goes without them, with a warning: other bytes than the reference has.
    if [ "$how" = fail ]; then
        skip "an archive: each call $verb" "what it may hold then is not known byte for byte"
    elif has zip; then
        mkdir archives && (cd files && zip -q ../archives/a.zip T.dll T.dll.mdb)
        check "an archive: each call $verb" one archive nothing -q -j1 --all archives/a.zip -o @/
        check "an archive in place: each call $verb" one in-place archives -q -j1 --all @/a.zip --in-place
    else
        skip "an archive: each call $verb" "no zip"
    fi
    "$BUILD/tests/unit/test_report" sample sample.ilprof || return
    check "a merge: each call $verb" one merge nothing merge -q -o @/merged.ilprof sample.ilprof sample.ilprof
    check "a page: each call $verb" one page nothing report --html=@/page.html sample.ilprof
}
