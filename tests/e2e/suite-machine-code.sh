#!/usr/bin/env bash
# Measured code is the code that runs without a tracker: a loop keeps its registers, in both shapes.
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}

compiled_mono() { mcs -nologo -optimize+ -out:mono/Kernels.exe "$ROOT/fixtures/cs/Kernels.cs"; }
compiled_dotnet() { "$ROOT/tests/dotnet-csc" dotnet/Kernels.dll -optimize "$ROOT/fixtures/cs/Kernels.cs"; }
mkdir mono dotnet
runtimes=
for runtime in mono dotnet; do
    if ! has $runtime; then
        skip "loops keep their registers on $runtime" "$runtime is not installed"
    elif "compiled_$runtime" >compile.log 2>&1; then
        runtimes+=" $runtime"
    else
        check "the kernels compile for $runtime" eval "cat compile.log; false"
    fi
done

runs() { (cd "$1" && "$runtime" Kernels.[ed]* 2>&1; echo "exit $?"); }
program() { ls "$runtime"/Kernels.exe "$runtime"/Kernels.dll 2>/dev/null; }
same_output() { runs "$runtime" >plain.txt; runs "$1" >instrumented.txt; diff plain.txt instrumented.txt && grep -q '^exit 7$' plain.txt; }
counted() { # FOLDER
    "$ILINJECT" report "$1/Kernels.ilprof" --format=json >report.json && "$BUILD/tests/counts" report.json "$ROOT/fixtures/cs/Kernels.expected"
}
# The blocks of machine code that hold ADD touch no stack: between two labels stands no [rbp…] and
# no [rsp…].
# Without steps of compilation the first call runs optimised code.
keeps_registers() { # FOLDER METHOD INSTRUCTION
    (cd "$1" && DOTNET_TieredCompilation=0 DOTNET_JitStdOutFile="$PWD/code.txt" DOTNET_JitDisasm="$2" dotnet Kernels.dll >/dev/null)
    awk -v add="$3" '
        /^G_M/ { close_block() }
        { block = block $0 "\n"; if ($1 == add) adds = 1; if (/\[r(bp|sp)/) stack = 1 }
        END { close_block(); exit !(seen && !bad) }
        function close_block() { if (adds) { seen++; if (stack) { bad = 1; printf "%s", block } } block = ""; adds = stack = 0 }
    ' "$1/code.txt" || { grep -c . "$1/code.txt"; return 1; }
}

for runtime in $runtimes; do
    for exits in guarded ret; do
        out=$runtime.$exits
        mkdir "$out"
        cp "$runtime"/* "$out"
        check "$runtime, $exits: the kernels are instrumented" "$ILINJECT" "$(program)" -o "$out/" --exits=$exits
        check "$runtime, $exits: they compute what they did" same_output "$out"
        check "$runtime, $exits: each call counts once" counted "$out"
        [ $runtime = dotnet ] && [ "$(uname -m)" = x86_64 ] || continue
        for kernel in SumOfDoubles:vaddsd SumOfFloats:vaddss SumOfVectors:vaddsd EarlyReturn:vaddsd; do
            check "$exits: ${kernel%:*} adds in registers, as without a tracker" keeps_registers "$out" "${kernel%:*}" "${kernel#*:}"
        done
    done
done
finish
