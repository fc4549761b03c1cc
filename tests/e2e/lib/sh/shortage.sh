# tests/e2e/lib/sh/shortage.sh - the whole program while memory runs out; sourced by suites after lib.sh. No configuration file is read:
# libxml2 2.9 itself crashes in xmlSchemaParse when some of its allocations fail.
#   shortage STEP     each STEPth allocation fails, of runs that stand for all that the program does
sweep() { # INPUT COMMAND…, with @ for the folder of the output
    local input=$1
    shift
    rm -rf out whole
    mkdir out whole
    "$ILINJECT" "${@//@/whole}" >/dev/null 2>&1 || { echo "the run with all its memory fails"; return 1; }
    "$BUILD/tests/no_memory" "$BUILD/tests/faults.so" out whole "$input" "$step" "$ILINJECT" "${@//@/out}" >said
    local status=$?
    cat said
    grep ' runs, ' said >>tried
    return $status
}
shortage() {
    local step=$1 kinds=(mdb) kind all="each of the allocations"
    if [ "$step" -gt 1 ]; then all="every ${step}th allocation"; fi
    if grep -q __asan_init "$BUILD/ilinject"; then
        skip "the whole program ends well when memory runs out" "a sanitizer brings its own allocator"
        return
    fi
    cd "$SCRATCH" || return
    mkdir mdb portable embedded folder
    mcs -nologo -debug -target:library -out:mdb/T.dll "$ROOT/fixtures/cs/TestClass.cs" || return
    for kind in portable embedded; do
        "$ROOT/tests/dotnet-csc" "$kind/T.dll" -target:library -optimize "-debug:$kind" "$ROOT/fixtures/cs/TestClass.cs" >/dev/null 2>&1
        case $? in
        0) kinds+=("$kind") ;;
        77) skip "memory runs out with $kind symbols" "no compiler of .NET" ;;
        *) echo "TestClass.cs does not compile"; return 1 ;;
        esac
    done
    for kind in "${kinds[@]}"; do
        check "$kind symbols: $all fails, and the run ends with an error or all that it writes" \
            sweep "$kind" -q -j1 "$kind/T.dll" -o @/
    done
    cp mdb/* folder/
    cp mdb/T.dll folder/U.dll
    check "a folder: $all fails" sweep folder -q -j1 --all folder -o @
    if has zip; then
        (cd mdb && zip -q ../a.zip T.dll T.dll.mdb)
        check "an archive: $all fails" sweep mdb -q -j1 --all a.zip -o @/
    else
        skip "an archive: $all fails" "no zip"
    fi
    check "calls with their values: $all fails" sweep mdb -q -j1 '--capture=**: args, return' mdb/T.dll -o @/
    check "several threads: $all fails" sweep folder -q -j2 --all folder -o @
    check "the list: $all fails" sweep mdb list mdb/T.dll
    check "the list as JSON: $all fails" sweep mdb list --json mdb/T.dll
    check "what decided about each method: $all fails" sweep mdb list --explain '**' '--leaves=*' --allocations mdb/T.dll
    for kind in headers heaps tables il plan; do
        check "the dump, --$kind: $all fails" sweep mdb dump "--$kind" mdb/T.dll
    done
    mcs -nologo -out:demo.exe "$ROOT/fixtures/cs/Demo.cs" && "$ILINJECT" -q demo.exe -o made/ &&
        ILINJECT_TIMELINE=1 ILINJECT_OUT=$SCRATCH/demo.ilprof mono made/demo.exe >/dev/null && cp demo.ilprof other.ilprof || return
    for kind in text json csv calltree tree calllog collapsed chrome speedscope callgrind pprof otlp html suggestions; do
        check "a report, $kind: $all fails" sweep mdb report "--format=$kind" -o "@/report" demo.ilprof
    done
    check "a startup profile: $all fails" sweep mdb mibc demo.ilprof --assembly=demo.exe -o @/start.mibc
    mkdir profiles && for kind in {1..4}; do cp demo.ilprof "profiles/$kind.ilprof"; done
    check "a report of a folder: $all fails" sweep mdb report --format=csv -o @/report profiles
    "$ILINJECT" merge -q -o older.ilprof demo.ilprof demo.ilprof && touch -d 2001-01-01 older.ilprof profiles/* || return
    check "a report of the newest: $all fails" sweep mdb report --format=csv -o @/report
    check "a merge: $all fails" sweep mdb merge demo.ilprof demo.ilprof -o @/merged.ilprof
    for kind in text json markdown; do
        check "a comparison, $kind: $all fails" sweep mdb diff "--format=$kind" -o "@/compared" demo.ilprof other.ilprof
    done
    check "a choice by counts: $all fails" sweep mdb -q -j1 --overhead=10% --profile demo.ilprof demo.exe -o @/
    awk '{ allocations += $1; runs += $3; failed += $5 } END { printf "%d commands with %d allocations: %d runs, %d ended with an error, %d as ever\n", NR, allocations, runs, failed, runs - failed }' tried
}
