#!/usr/bin/env bash
# level: full
# The same at full size: 200 MB, a million methods, one method of 20 MB, a switch of 65,000 arms, a million short branches that all become
# long, 60,000 handlers. Instructions and peak memory against those of a tenth; runs are those that a runtime can do at all: Mono's compiler takes
# gigabytes for 20 MB of code, and either one takes minutes for more than a tenth of the handlers. And the reference files of NuGet's packages in three times their size and 4 MiB.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/ladder.sh"
. "$ROOT/tests/e2e/lib/sh/scale.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
{ [ -x "$BUILD/tests/made_large" ] && has valgrind && ! grep -q __asan_init "$ILINJECT" && head -c 4 "$ILINJECT" | grep -q ELF; } ||
    { skip "cost grows in proportion" "no valgrind, or the program is one that cannot be counted"; finish; }
made_large methods 1 least.exe || exit 1
least=$(instructions least.exe -o out/) least_peak=$(peak least.exe -o out/)
for shape in "${shapes[@]}"; do
    read -r name n <<<"$shape"
    made_large "$name" $((n / 10)) one.exe && made_large "$name" "$n" ten.exe || exit 1
    check "$n of $name: instructions" in_proportion "$least" "$(instructions one.exe -o out/)" "$(instructions ten.exe -o out/)"
    check "$n of $name: memory" memory_in_proportion "$least_peak" "$(peak one.exe -o out/)" "$(peak ten.exe -o out/)"
    for runtime in "${runtimes[@]}"; do
        program=ten
        case $runtime.$name in
        interpreter.* | *.code | *.switch | *.branches) continue ;;
        *.clauses) program=one ;;
        esac
        if [ "$runtime" = dotnet ]; then runtimeconfig $program.exe && cp $program.runtimeconfig.json out/; fi
        ILINJECT_OUT=$SCRATCH/ten.ilprof check "it does what it did: $name, $runtime" same_exit "$runtime" $program.exe out/$program.exe
    done
    rm -f one.exe ten.exe out/one.exe out/ten.exe
done

within_memory() { # FILE OPTION…
    local most kib
    most=$(($(stat -Lc %s "$1") * 3 / 1024 + 4096))
    kib=$(peak "$@" -o memory/)
    echo "$kib KiB; the bound is $most"
    [ "${kib:-0}" -gt 0 ] && [ "$kib" -le "$most" ]
}
if packages=$("$ROOT/tests/nuget-fetch" Newtonsoft.Json/13.0.3 Microsoft.CodeAnalysis.CSharp/4.14.0); then
    # Without its symbols, which are read as well when they lie beside it.
    cp "$packages"/newtonsoft.json/13.0.3/lib/net6.0/Newtonsoft.Json.dll "$packages"/microsoft.codeanalysis.csharp/4.14.0/lib/netstandard2.0/Microsoft.CodeAnalysis.CSharp.dll .
    for file in Newtonsoft.Json.dll Microsoft.CodeAnalysis.CSharp.dll; do
        check "$file takes at most three times its size and 4 MiB" within_memory "$file"
        check "$file so with calls before ret alone" within_memory "$file" --exits=ret
    done
else
    skip "the memory that packages' files take" "$packages"
fi
finish
