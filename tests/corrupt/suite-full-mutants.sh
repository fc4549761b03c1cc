#!/usr/bin/env bash
# level: full
# 200,000 assemblies that are changed where their structure is, from sixty seeds: none crashes, hangs or takes memory without
# bound, and another reader reads of each output all that it reads of the input. MUTANTS says how many, SEED which.
. "$(dirname "$0")/../lib.sh"
has mcs || { skip "changed assemblies are refused or survived" "no mcs"; finish; }
. "$(dirname "$0")/inputs.sh"
. "$(dirname "$0")/seeds.sh"
cd "$SCRATCH" && mkdir pairs || exit 1
count=${MUTANTS:-200000} seed=${SEED:-20}
changed() { "$BUILD/tests/mutants" --seed "$seed" --count "$count" --keep pairs --each 20 "${seeds[@]}" 2>&1 | tee said; return "${PIPESTATUS[0]}"; }
check "there are sixty seeds" test "${#seeds[@]}" -eq 60
check "$count changed assemblies from seed $seed are refused or survived" changed
tail -n 1 said | sed 's/^/# /'
if reason=$("$ROOT/tests/dotnet-csc" Foreign.dll "$ROOT/tests/corrupt/Foreign.cs" 2>&1); then
    check "another reader reads the outputs as it reads the inputs" eval 'dotnet Foreign.dll pairs | tee read; [ "${PIPESTATUS[0]}" -eq 0 ]'
    tail -n 1 read | sed 's/^/# /'
else
    skip "another reader reads the outputs as it reads the inputs" "${reason:-no compiler of .NET}"
fi
finish
