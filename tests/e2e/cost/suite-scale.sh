#!/usr/bin/env bash
# Cost grows in proportion to the work, whatever it is that grows: programs made large in one way (tests/e2e/lib/c/made_large.c) take at most
# eleven times the instructions when they are ten times as large, and do afterwards what they did before. Peak memory is at most three
# times the input and 4 MiB.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/ladder.sh"
. "$ROOT/tests/e2e/lib/sh/scale.sh"
[ -x "$BUILD/tests/made_large" ] && [ -x "$BUILD/tests/measure" ] || { skip "cost grows in proportion" "the program that makes large ones is missing"; finish; }
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
grep -q __asan_init "$ILINJECT" && sanitized=1 || sanitized=
head -c 4 "$ILINJECT" | grep -q ELF || sanitized=1 # called through another program
has valgrind && [ -z "$sanitized" ] && counts=1 || counts=

small() { case $1 in methods) echo 500 ;; bodies) echo 50 ;; code) echo 20000 ;; switch) echo 650 ;; branches) echo 1000 ;; clauses) echo 100 ;; esac; }
made_large methods 1 least.exe || exit 1
if [ "$counts" ]; then least=$(instructions least.exe -o least/); fi
for shape in "${shapes[@]%% *}"; do
    n=$(small "$shape")
    made_large "$shape" "$n" "$shape-1.exe" && made_large "$shape" $((n * 10)) "$shape-10.exe" || exit 1
    if [ "$counts" ]; then
        check "ten times the $shape" in_proportion "$least" "$(instructions "$shape-1.exe" -o out/)" "$(instructions "$shape-10.exe" -o out/)"
    else
        check "a program with many $shape" "$ILINJECT" -q "$shape-10.exe" -o out/
    fi
    for runtime in "${runtimes[@]}"; do
        program=$shape-10
        case $runtime.$shape in
        interpreter.*) continue ;;
        # Mono's compiler takes the square of a method's length.
        mono.code | mono.switch) program=$shape-1 && "$ILINJECT" -q "$program.exe" -o out/ || exit 1 ;;
        dotnet.*) runtimeconfig "$program.exe" && cp "$program.runtimeconfig.json" out/ ;;
        esac
        ILINJECT_OUT=$SCRATCH/$shape.ilprof check "it does what it did: $shape, $runtime" same_exit "$runtime" "$program.exe" "out/$program.exe"
    done
done
excluded() { # COUNT OUT: so many types with an attribute that holds for what is in them
    {
        echo 'using System.Diagnostics.CodeAnalysis;'
        seq -f '[ExcludeFromCodeCoverage] class C%g { void A() { } void B() { } [ExcludeFromCodeCoverage] int P { get; set; } }' "$1"
    } >excluded.cs
    mcs -nologo -target:library -nowarn:0169 -out:"$2" excluded.cs
}
if [ "$counts" ] && has mcs; then
    excluded 150 excluded-1.dll && excluded 1500 excluded-10.dll || exit 1
    check "ten times the types that are left out of coverage" in_proportion "$least" "$(instructions excluded-1.dll -o out/)" "$(instructions excluded-10.dll -o out/)"
fi
[ "$counts" ] || skip "ten times as much" "no valgrind, or the program is one that cannot be counted"

within_memory() { # FILE OPTION…
    local file=$1 most kib
    shift
    most=$(($(stat -Lc %s "$file") * 3 / 1024 + 4096))
    kib=$(peak "$file" -o memory/ "$@")
    echo "$kib KiB; the bound is $most"
    [ "${kib:-0}" -gt 0 ] && [ "$kib" -le "$most" ]
}
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) \[\(.*\)\]$/\2\/\1\/System.Private.CoreLib.dll/p' | tail -n 1)
for file in /usr/lib/mono/4.5/mscorlib.dll ${core:+"$core"}; do
    if [ -n "$sanitized" ] || [ ! -f "$file" ]; then
        skip "the memory that $(basename "$file") takes" "it is not there, or the program is one that cannot be measured"
        continue
    fi
    check "$(basename "$file") takes at most three times its size and 4 MiB" within_memory "$file"
    check "so do calls before ret alone" within_memory "$file" --exits=ret
done
finish
