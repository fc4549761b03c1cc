#!/usr/bin/env bash
# Methods that a just-in-time compiler refuses are refused after instrumenting, too, and none of those that it takes: each runtime
# says of the original what is right.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
if ! has ilasm || [ ${#runtimes[@]} -eq 0 ]; then
    skip "what a compiler refuses is refused as before" "no ilasm, or no runtime"
    finish
fi
file=$SCRATCH/before/refused.exe
check "the methods assemble" ilasm -quiet -output:"$file" "$ROOT/fixtures/il/faults/refused.il"
if can dotnet; then runtimeconfig "$file"; fi

# So that nothing is compared that was not asked: as many as III.3.56, III.4.24 and II.25.4.4 refuse by any reading.
refuses_many() { [ "$(grep -c ': InvalidProgramException$' "$SCRATCH/said/refused.$1.out")" -ge 20 ] && [ "$(grep -vc Exception "$SCRATCH/said/refused.$1.out")" -ge 8 ]; }
for runtime in mono dotnet; do
    can "$runtime" || continue
    run_program refused "$runtime" "$file"
    check "$runtime refuses some of the methods and takes others" refuses_many "$runtime"
done

shape() { # NAME OPTIONS…
    local name=$1 runtime
    shift
    check "refused.exe is instrumented ($name)" "$ILINJECT" -q "$@" "$file" -o "$SCRATCH/$name/"
    if can dotnet; then cp "${file%.exe}.runtimeconfig.json" "$SCRATCH/$name/"; fi
    for runtime in mono dotnet; do
        if ! can "$runtime"; then
            skip "$runtime refuses as before ($name)" "$runtime is not there"
            continue
        fi
        run_program "$name" "$runtime" "$SCRATCH/$name/refused.exe"
        check "$runtime refuses as before ($name)" same_run refused "$name" "$runtime"
    done
}
shape guarded
shape ret --exits=ret
shape full --exceptions=full
shape captured --capture 'Cases'
shape captured-ret --capture 'Cases: args, return' --exits=ret

# The rest of the module goes on, and the text says which methods do not.
"$ILINJECT" "$file" -o "$SCRATCH/told/" >"$SCRATCH/told.out" 2>&1
told() { grep -q ' 0x06[0-9a-f]*: body at RVA 0x[0-9a-f]*, offset '"$1"'; copied as it is' "$SCRATCH/told.out"; }
check "a local that is not there is told of" told '6: an instruction names a local that is not there'
check "a MaxStack that is too low is told of" told '2: more items come to stand on the stack than MaxStack allows'
counts_the_rest() {
    "$ILINJECT" report --format=json -o "$SCRATCH/rest.json" "$SCRATCH/said/guarded.$1.ilprof" && grep -q 'LeaveOutside' "$SCRATCH/rest.json" &&
        ! grep -q 'LocalBeyondDead' "$SCRATCH/rest.json"
}
check "the rest is counted" counts_the_rest "${runtimes[0]}"
finish
