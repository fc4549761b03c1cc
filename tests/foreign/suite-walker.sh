#!/usr/bin/env bash
# The judge is judged: walker compare accepts what was planned, sees each kind of damage to it, and prepare sees a faulty body.
. "$(dirname "$0")/../lib.sh"
walker=$SCRATCH/walker.dll

"$ROOT/tests/dotnet-csc" "$walker" -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs
case $? in
0) ;;
77) skip "the walker sees every kind of damage" "no .NET SDK"; finish ;;
*) echo "the walker does not compile"; exit 1 ;;
esac
seq 300 >"$SCRATCH/kept.a"
mkdir "$SCRATCH/out"

# judge NAME: the walker finds nothing in the instrumented file but what was planned, and everything in a damaged one. One process
# judges all of them, at the end: `answered`.
judged=()
judge() {
    check "$1 is instrumented" "$ILINJECT" "$SCRATCH/$1" -o "$SCRATCH/out/$1"
    judged+=("$1")
    local how
    for how in compare prove; do printf '%s\t' "$SCRATCH/answer.${#judged[@]}.$how" $how "$SCRATCH/$1"; echo "$SCRATCH/out/$1"; done >>"$SCRATCH/judged"
}
answer() { cat "$SCRATCH/answer.$1" && [ "$(cat "$SCRATCH/answer.$1.status")" -eq 0 ]; }
answered() {
    local n=0 name
    dotnet "$walker" each "$SCRATCH/judged"
    for name in "${judged[@]}"; do
        n=$((n + 1))
        check "$name differs only where planned" answer $n.compare
        check "each kind of damage to $name is seen" answer $n.prove
    done
}

"$ROOT/tests/dotnet-csc" "$SCRATCH/KeptCore.dll" -debug:embedded -resource:"$SCRATCH/kept.a" "$ROOT/fixtures/cs/Kept.cs" || exit 1
judge KeptCore.dll
for optimize in + -; do
    "$ROOT/tests/dotnet-csc" "$SCRATCH/Shapes$optimize.dll" -optimize$optimize -debug:portable -unsafe -define:DOTNET "$ROOT/fixtures/cs/Shapes.cs" || exit 1
    judge "Shapes$optimize.dll"
    check "CoreCLR compiles every method of Shapes$optimize.dll" dotnet "$walker" prepare "$SCRATCH/out/Shapes$optimize.dll"
done
"$ROOT/tests/dotnet-csc" "$SCRATCH/Kernels.dll" -optimize -debug:embedded "$ROOT/fixtures/cs/Kernels.cs" || exit 1
judge Kernels.dll
check "CoreCLR compiles every method of Kernels.dll" dotnet "$walker" prepare "$SCRATCH/out/Kernels.dll"
# Other fields of the headers that a compiler may set.
variant() { # NAME OPTIONS…
    local name=$1
    shift
    "$ROOT/tests/dotnet-csc" "$SCRATCH/$name" -resource:"$SCRATCH/kept.a" "$@" "$ROOT/fixtures/cs/Kept.cs" || exit 1
    judge "$name"
}
variant x64.exe -platform:x64
variant x86.exe -platform:x86 -debug:full
variant arm64.dll -platform:arm64 -target:library -debug:pdbonly
variant prefer32.exe -platform:anycpu32bitpreferred -filealign:4096 -highentropyva-
variant windows.exe -target:winexe -subsystemversion:6.02 -filealign:8192 -nowin32manifest
variant module.netmodule -target:module
variant signed.dll -target:library -keyfile:"$ROOT/runtime-tracker/ilinject.snk" -baseaddress:0x11000000
if has mcs; then
    mcs -nologo -out:"$SCRATCH/Kept.exe" -resource:"$SCRATCH/kept.a" "$ROOT/fixtures/cs/Kept.cs" || exit 1
    judge Kept.exe
else
    skip "damage to what mcs compiles is seen" "no mcs"
fi

refuses() { ! "$@"; }
if has ilasm; then
    for source in "$ROOT"/fixtures/il/*.il; do
        name=$(basename "$source" .il).exe
        ilasm -quiet -output:"$SCRATCH/$name" "$source" >/dev/null || exit 1
        judge "$name"
    done
    # One body, two methods: each gets its own, and both still do the same. In folders of their own, since CoreCLR finds an
    # assembly by its name.
    mkdir -p "$SCRATCH/shared" "$SCRATCH/out/shared"
    dotnet "$walker" share "$SCRATCH/branches.exe" "$SCRATCH/shared/branches.exe" ValueToLastRet RetInTheMiddle || exit 1
    . "$ROOT/tests/e2e/lib/sh/ladder.sh"
    runtimeconfig "$SCRATCH/shared/branches.exe"
    judge shared/branches.exe
    run_program shared dotnet "$SCRATCH/shared/branches.exe"
    run_program shared-after dotnet "$SCRATCH/out/shared/branches.exe"
    # RetInTheMiddle says 1 and 2 when it has its own body
    check "the second method does what the first one does" grep -q 'False 3 4 ' <(tr '\n' ' ' <"$SCRATCH/said/shared.dotnet.out")
    check "methods that shared a body run as before" same_run shared shared-after dotnet
    cat >"$SCRATCH/shared.expected" <<'EOF'
3 *Program::ValueToLastRet*
2 *Program::RetInTheMiddle*
? *
EOF
    check "methods that shared a body are counted apart" profile_agrees "$SCRATCH/said/shared-after.dotnet.ilprof" "$SCRATCH/shared.expected"
    # Two values on the stack of a method that says one.
    cat >"$SCRATCH/faulty.il" <<'EOF'
.assembly extern mscorlib {}
.assembly faulty {}
.class public auto ansi T extends [mscorlib]System.Object
{
  .method public static int32 M() cil managed
  {
    .maxstack 1
    .locals init (int32 i)
    ldc.i4.1
    ldc.i4.2
    add
    ret
  }
}
EOF
    ilasm -quiet -dll -output:"$SCRATCH/faulty.dll" "$SCRATCH/faulty.il" >/dev/null || exit 1
    check "CoreCLR's refusal of a body is a fault" refuses dotnet "$walker" prepare "$SCRATCH/faulty.dll"
    check "what CoreCLR compiles is none" dotnet "$walker" prepare "$SCRATCH/tail.exe"
else
    skip "hand-written IL differs only where planned" "no ilasm"
fi
answered
finish
