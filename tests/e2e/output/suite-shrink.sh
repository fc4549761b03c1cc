#!/usr/bin/env bash
# Programs with branches that become short, so that .text ends a step of its alignment earlier: they load and run, in every
# runtime. CoreCLR refuses a section with a raw size past its virtual one, rounded up.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
has ilasm || { skip "programs that shrink load and run" "no ilasm"; finish; }
cd "$SCRATCH" || exit 1

# branches COUNT: a Main of that many long branches, each to what follows it, that returns 100; and a method that nothing
# makes smaller, so that what Main loses decides where .text ends.
branches() {
    echo '.assembly extern mscorlib {} .assembly shrinking {} .class public C extends [mscorlib]System.Object {'
    echo '.method public static int32 Main() cil managed { .entrypoint .maxstack 1'
    seq "$1" | sed 's/.*/br L&\nL&:/'
    echo 'ldstr "ran" call void [mscorlib]System.Console::WriteLine(string) ldc.i4 100 ret }'
    echo '.method public static void Solid() cil managed { .maxstack 1'
    seq "$2" | sed 's/.*/ldc.i4 0x12345678 pop/'
    echo 'ret } }'
}

# Bytes of .text in memory, rounded up: of the first section header, after PE header and optional header.
steps() { # FILE
    local pe size
    pe=$(od -An -tu4 -j60 -N4 "$1")
    size=$(od -An -tu4 -j$((pe + 24 + 224 + 8)) -N4 "$1")
    echo $(((size + 8191) / 8192))
}
shrinks() { [ "$(steps "$1")" -gt "$(steps "$2")" ] || { echo "$(steps "$1") steps, then $(steps "$2")"; return 1; }; }

# COUNT SOLID OPTIONS…: instrumented with both exits, run by each runtime
judge() {
    local name=long$1 exits runtime
    branches "$1" "$2" >"$name.il"
    check "$name assembles" ilasm -quiet -output:"before/$name.exe" "$name.il"
    if can dotnet; then runtimeconfig "before/$name.exe"; fi
    for runtime in "${runtimes[@]}"; do run_program "$name" "$runtime" "before/$name.exe"; done
    shift 2
    for exits in guarded ret; do
        check "$name is instrumented ($exits)" "$ILINJECT" -q --exits=$exits "$@" "before/$name.exe" -o "after/$name-$exits.exe"
        check "$name-$exits is a step smaller in memory" shrinks "before/$name.exe" "after/$name-$exits.exe"
        if can dotnet; then runtimeconfig "after/$name-$exits.exe"; fi
        for runtime in "${runtimes[@]}"; do
            run_program "$name-$exits" "$runtime" "after/$name-$exits.exe"
            check "$name-$exits runs as before on $runtime" same_run "$name" "$name-$exits" "$runtime"
            check "$name-$exits is counted on $runtime" profile_agrees "$SCRATCH/said/$name-$exits.$runtime.ilprof"
        done
    done
}
judge 2000 1
judge 600 820 --include C.Main
if [ ${#runtimes[@]} -eq 0 ]; then skip "programs that shrink load and run" "no runtime"; fi
finish
