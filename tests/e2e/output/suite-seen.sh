#!/usr/bin/env bash
# What reflection sees of an instrumented module: all that it saw before, and the types of ours, which scanners pass over.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
if ! has mono || ! has mcs; then
    skip "reflection sees what it saw" "mono and mcs are not installed"
    finish
fi

mcs -nologo -r:System.Core.dll -out:before/Seen.exe "$ROOT/tests/e2e/lib/cs/Seen.cs" || exit 1
echo 'namespace App { public class Bare { public int Twice(int n) { return n * 2; } } }' >Bare.cs && mcs -nologo -target:library -out:before/Bare.dll Bare.cs || exit 1
if can dotnet; then runtimeconfig before/Seen.exe; fi
cp before/*.json after/ 2>/dev/null
quietly() { "$ILINJECT" -q "$@"; }
check "the program is instrumented" quietly before/Seen.exe -o after/
check "so is a module that names no CompilerGeneratedAttribute" quietly before/Bare.dll -o after/
saw() { # RUNTIME [FILE]: in out and err
    timeout 150 "$1" before/Seen.exe ${2:+"before/$2"} >out.before && timeout 150 "$1" after/Seen.exe ${2:+"after/$2"} >out 2>err
}
saw_before() { saw "$@" && [ "$(wc -l <out)" -gt 3 ] && diff out.before out; }
# Namespace, name, whether it is a compiler's, whether others see it.
types_are() { diff <(printf '%s\n' "$@") err; }
ours=('Instrumenter <ilinject>Off True False' 'Instrumenter <ilinject> True False')
for runtime in mono dotnet; do
    can $runtime || { skip "reflection sees what it saw ($runtime)" "no $runtime"; continue; }
    check "every type and member has the attributes that it had ($runtime)" saw_before $runtime
    check "the types of ours have a namespace, and are a compiler's ($runtime)" types_are "${ours[@]}"
    check "so they are where the module names no such attribute ($runtime)" eval 'saw $runtime Bare.dll; types_are "${ours[@]}"'
done

# A foreign reader has them where a search by the parent finds them.
check "monodis reads the attribute on each of them" eval '[ "$(monodis --customattr after/Bare.dll | grep -c "TypeDef: [34]: .*CompilerGeneratedAttribute")" -eq 2 ]'
check "an instrumented module is known again" eval '"$ILINJECT" after/Bare.dll -o again/ 2>&1 | grep -q "instrumented already"'
check "instrumented again, it has two types more" eval 'quietly --force after/Bare.dll -o twice/ && monodis --customattr twice/Bare.dll | grep -c "TypeDef: [3456]: .*CompilerGeneratedAttribute" | grep -qx 4'
finish
