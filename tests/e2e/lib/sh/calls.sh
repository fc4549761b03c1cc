# tests/e2e/lib/sh/calls.sh - the whole program while each of its calls of the system fails, or it is killed there (calls.c).
# Sourced by suites after lib.sh.
#   calls_sweep fail|kill      every call of the ways to write (a folder, in place, an archive, a page, a merge, ...) and, where calls
#                              fail, to show. Lines with # say how many calls there were, how many runs, how many of these failed
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
    # NAME, the folder of before, [>FILE for the standard output,] then the command with @ for the folder that it writes to
    one() {
        local name=$1 before=$2 code=0 shown=() output=/dev/null
        shift 2
        rm -rf out whole
        mkdir whole && cp "$before"/* whole/ 2>/dev/null
        if [ "${1:0:1}" = ">" ]; then shown=("$1") output=whole/${1:1} && shift; fi
        "$ILINJECT" "${@//@/whole}" >"$output" 2>/dev/null || { echo "the run that nobody disturbs fails"; return 1; }
        "$BUILD/tests/calls" "$how" out whole "$before" files "${shown[@]}" "$ILINJECT" "${@//@/out}" >told || code=$?
        [ "$code" -ne 77 ] || { echo "no process may be traced here"; return 1; }
        [ "$code" -eq 0 ] || { cat told; return "$code"; }
        echo "$name: $(cat told)" >>sums
    }
    check "in place, with symbols: each call $verb" one place files -q -j1 @/T.dll --in-place
    check "a file into a folder: each call $verb" one file nothing -q -j1 files/T.dll -o @/
    check "a folder: each call $verb" one folder nothing -q -j1 --all folder -o @
    check "a folder, by two threads: each call $verb" one threads nothing -q -j2 --all folder -o @
    # Where symbols cannot be read an archive goes without them, with a warning: other bytes than the reference has.
    local packed=(T.dll T.dll.mdb)
    [ "$how" = kill ] || packed=(T.dll)
    if has zip; then
        mkdir archives && (cd files && zip -q ../archives/a.zip "${packed[@]}")
        check "an archive: each call $verb" one archive nothing -q -j1 --all archives/a.zip -o @/
        mkdir pair && (cd folder && zip -q ../pair/a.zip ./*.dll)
        check "an archive, by two threads: each call $verb" one archive-threads nothing -q -j2 --all pair/a.zip -o @/
        check "an archive in place: each call $verb" one in-place archives -q -j1 --all @/a.zip --in-place
    else
        skip "an archive: each call $verb" "no zip"
    fi
    "$BUILD/tests/unit/test_report" sample sample.ilprof || return
    check "a merge: each call $verb" one merge nothing merge -q -o @/merged.ilprof sample.ilprof sample.ilprof
    check "a page: each call $verb" one page nothing report --html=@/page.html sample.ilprof
    if [ "$how" = fail ]; then
        echo '<ilinject><selection><exclude pattern="**.get_*"/></selection></ilinject>' >rules.xml
        check "a configuration: each call $verb" one configuration nothing report --suggest=@/c.xml -o @/report.txt sample.ilprof
        check "a list: each call $verb" one list nothing ">list" list --config=rules.xml files/T.dll
        check "a dump: each call $verb" one dump nothing ">dump" dump --il files/T.dll
        check "a report: each call $verb" one report nothing ">report" report sample.ilprof
        # More names than one call reads.
        mkdir profiles
        for i in {1..300}; do : >"profiles/$(printf %0240d "$i")"; done
        for i in {1..8}; do cp sample.ilprof "profiles/$i.ilprof"; done
        check "a report of a folder: each call $verb" one reports nothing ">report" report profiles
        # The older one says less: no warning hides that it was taken for the newest.
        "$BUILD/tests/unit/test_report" events older.ilprof && touch -d 2001-01-01 older.ilprof || return
        check "a report of the newest: each call $verb" one newest nothing ">report" report
        check "a comparison: each call $verb" one comparison nothing ">diff" diff sample.ilprof sample.ilprof
    fi
    [ ! -e sums ] || sed 's/^/# /' sums
}
