#!/usr/bin/env bash
# Measured code is the code that runs without a tracker: a loop keeps its registers, in both shapes.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}

compiled_mono() { mcs -nologo -optimize+ -r:System.Numerics -out:mono/Kernels.exe "$ROOT/fixtures/cs/Kernels.cs"; }
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
# Without steps of compilation the first call runs optimised code.
machine_code() { # FOLDER
    (cd "$1" && DOTNET_TieredCompilation=0 DOTNET_JitStdOutFile="$PWD/code.txt" DOTNET_JitDisasm='Kernels:*' dotnet Kernels.dll >/dev/null)
    grep -q '^; Assembly listing for method Kernels:Main' "$1/code.txt"
}
# The machine code of METHOD, or of each of its instantiations.
code_of() { # FOLDER METHOD
    awk -v method="Kernels:$2" '/^; Assembly listing for method / { rest = substr($6, length(method) + 1, 1)
        on = index($6, method) == 1 && (rest == "(" || rest == "[") } on' "$1/code.txt"
}
# The blocks of machine code that hold ADD touch no stack: between two labels stands no [rbp…] and
# no [rsp…].
keeps_registers() { # FOLDER METHOD INSTRUCTION
    code_of "$1" "$2" | awk -v add="$3" '
        /^G_M/ { close_block() }
        { block = block $0 "\n"; if ($1 == add) adds = 1; if (/\[r(bp|sp)/) stack = 1 }
        END { close_block(); exit !(seen && !bad) }
        function close_block() { if (adds) { seen++; if (stack) { bad = 1; printf "%s", block } } block = ""; adds = stack = 0 }
    ' || { code_of "$1" "$2" | grep -c .; return 1; }
}
# The instructions between a label and the jump back to it that touch the stack.
touches_in_loops() {
    awk '
        /^; Assembly listing/ { close_method() }
        /^G_M[^ ]*:/ { label[substr($1, 1, index($1, ":") - 1)] = count }
        /^       [a-z]/ { line[count++] = $0 }
        END { close_method() }
        function close_method(   i, k, target) {
            for (i = 0; i < count; i++) {
                target = line[i] ~ /^ *j[a-z]+ / ? line[i] : ""
                sub(/.* /, "", target)
                for (k = target in label ? label[target] : count; k <= i; k++)
                    within[k] = 1
            }
            for (i = 0; i < count; i++)
                if (within[i] && line[i] ~ /\[r(bp|sp)/) print line[i]
            delete label; delete line; delete within; count = 0
        }'
}
# In a loop with INSTRUCTION no more instructions touch the stack than without a tracker.
touches_as_little() { # FOLDER METHOD INSTRUCTION
    code_of "$1" "$2" | grep -q "$3 " || { echo "no $3 in $2"; return 1; }
    code_of dotnet "$2" | touches_in_loops >plain.touches
    code_of "$1" "$2" | touches_in_loops >touches
    [ "$(wc -l <touches)" -le "$(wc -l <plain.touches)" ] || { echo "$(wc -l <plain.touches) without a tracker, now:"; cat touches; return 1; }
}

looks_nothing_up() { # FOLDER METHOD
    code_of "$1" "$2" | grep -q LeaveRecorded && ! code_of "$1" "$2" | grep CORINFO_HELP_RUNTIMEHANDLE
}

# A finally block without effects calls nothing that it did not.
calls_nothing_in_finally() { # FOLDER METHOD
    code_of "$1" "$2" | grep -q 'LeaveRecorded' && ! code_of "$1" "$2" | grep WhenUnwinding
}

# x64 by the System V ABI, where the calls of the tracker spare no floating-point register.
reads_code() { [ "$runtime" = dotnet ] && [ "$(uname -m)" = x86_64 ]; }

for runtime in $runtimes; do
    if reads_code; then
        check "the kernels' machine code can be read" machine_code dotnet
    fi
    for exits in guarded ret; do
        out=$runtime.$exits
        mkdir "$out"
        cp "$runtime"/* "$out"
        check "$runtime, $exits: the kernels are instrumented" "$ILINJECT" "$(program)" -o "$out/" --exits=$exits
        check "$runtime, $exits: they compute what they did" same_output "$out"
        check "$runtime, $exits: each call counts once" counted "$out"
        reads_code || continue
        check "$exits: the instrumented kernels' machine code can be read" machine_code "$out"
        for kernel in SumOfDoubles:vaddsd SumOfFloats:vaddss SumOfVectors:vaddsd EarlyReturn:vaddsd; do
            check "$exits: ${kernel%:*} adds in registers, as without a tracker" keeps_registers "$out" "${kernel%:*}" "${kernel#*:}"
        done
        check "$exits: Last adds no look-up where references share its code" looks_nothing_up "$out" "Last[System.__Canon]"
        check "$exits: ScaleInHandlers calls nothing in its loop" calls_nothing_in_finally "$out" ScaleInHandlers
        kernels="Last[double]:vmovsd Scale:vmulsd ScaleFloats:vmulss AddTo:vmulsd ScaleByField:vmulsd ScaleVectors:vmulps Polynomial:vmulsd Count[double]:vucomisd"
        [ $exits = guarded ] || kernels+=" ScaleInHandlers:vmulsd" # within a guard the handlers keep it in memory
        for kernel in $kernels; do
            check "$exits: ${kernel%:*} touches the stack no more than without a tracker" touches_as_little "$out" "${kernel%:*}" "${kernel#*:}"
        done
    done
done
finish
